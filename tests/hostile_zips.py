"""Zips that no honest program writes: long, deep and many names, bombs, links, lies in every field."""

import bz2
import lzma
import random
import struct
import zlib
from dataclasses import dataclass

BOT = b"def choose(state, clock):\n    return state.legal_actions()[0]\n"
STORED, DEFLATED, BZIP2, LZMA = 0, 8, 12, 14
UTF8, ENCRYPTED = 0x800, 1
LINK = 0o120777 << 16
BOMB = bytes(64 << 20)
"""64 MB that take a few KB."""


@dataclass
class File:
    """A file in a zip. local, claimed: name in its own header, and size, where they differ from the truth."""

    name: bytes
    data: bytes = BOT
    method: int = STORED
    flags: int = 0
    attributes: int = 0
    date: int = 0x5D71
    extra: bytes = b""
    version: int = 20
    local: bytes | None = None
    claimed: int | None = None
    comment: bytes = b""


def packed(data, method):
    if method == DEFLATED:
        stream = zlib.compressobj(9, wbits=-15)
        return stream.compress(data) + stream.flush()
    if method == BZIP2:
        return bz2.compress(data)
    if method == LZMA:
        filters = [{"id": lzma.FILTER_LZMA1}]
        properties = struct.pack("<BBH", 9, 4, 5) + b"\x5d\0\0\x80\0"
        return properties + lzma.compress(data, lzma.FORMAT_RAW, filters=filters)
    return data


def zip_of(*files, entries=None, comment=b"", start=None):
    """A zip with these files. entries, start: number of entries, and place of the directory, that it claims."""
    body, directory = b"", b""
    for file in files:
        content = packed(file.data, file.method)
        size = len(file.data) if file.claimed is None else file.claimed
        fields = (file.version, file.flags, file.method, 0, file.date, zlib.crc32(file.data), len(content), size)
        local = file.name if file.local is None else file.local
        offset = len(body)
        body += struct.pack("<4s5H3L2H", b"PK\3\4", *fields, len(local), 0) + local + content
        directory += struct.pack(
            *("<4s6H3L5H2L", b"PK\1\2", 20, *fields, len(file.name), len(file.extra), len(file.comment), 0, 0),
            *(file.attributes, offset),
        )
        directory += file.name + file.extra + file.comment
    count = len(files) if entries is None else entries
    start = len(body) if start is None else start
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), start, len(comment))
    return body + directory + end + comment


def files(count, name):
    """A zip with many empty files."""
    return zip_of(*(File(name(number).encode(), b"") for number in range(count)))


def deep(folders, name=b"bot.py"):
    return zip_of(File(b"a/" * folders + name))


def hostile_zips():
    """Yields (name, zip, a word of the refusal)."""
    outside, long, damaged = "outside its own folder", "more than 12 deep", "damaged"
    for folders in (12, 13, 100, 2_000, 30_000):
        yield f"deep-{folders}", deep(folders), long
    yield "deep-folders", zip_of(File(b"a/" * 3_000, b""), File(b"b/" * 3_000 + b"bot.py")), long
    for length in (1_022, 4_096, 65_535):
        yield (
            f"long-{length}",
            zip_of(File(b"x" * (length - 3) + b".py" if length > 2_000 else b"x" * 1_022 + b".py")),
            long,
        )
    yield "long-utf8", zip_of(File("é".encode() * 2_000, flags=UTF8)), long
    yield "dots", zip_of(File(b"./" * 10_000 + b"bot.py")), long
    yield "slashes", zip_of(File(b"a" + b"/" * 10_000 + b"bot.py")), long
    yield "many-deep", zip_of(*(File(b"%d/" % n + b"b/" * 300 + b"x.py") for n in range(200))), long
    yield (
        "many-long",
        zip_of(*(File(b"%d" % n + b"x" * 30_000, local=b"x") for n in range(100))),
        "too many files or too long names",
    )
    yield "many", files(25_000, "{:x}".format), "too many files or too long names"
    yield "many-bots", files(51, "{}.py".format), "contains 51 Python files"
    yield "many-extras", zip_of(*(File(b"%d.py" % n, extra=bytes(65_000)) for n in range(20))), "too long names"
    yield "comments", zip_of(*(File(b"%d.py" % n, comment=b"c" * 65_000) for n in range(20))), "too long names"
    for number, name in enumerate(
        (
            b"../bot.py",
            b"../../bot.py",
            b"a/../../bot.py",
            b"a/../bot.py",
            b"..",
            b"/bot.py",
            b"//bot.py",
            b"/etc/bot.py",
        )
    ):
        yield f"outside-{number}", zip_of(File(name)), outside
    for number, name in enumerate((b"..\\bot.py", b"C:\\bot.py", b"C:bot.py", b"\\\\server\\bot.py", b"bot.py:stream")):
        yield f"windows-{number}", zip_of(File(name)), outside
    for number, name in enumerate((b"", b".", b"./", b"/", b"\0", b"\0bot.py")):
        yield f"nameless-{number}", zip_of(File(name)), ""
    yield "link", zip_of(File(b"bot.py", b"/etc/passwd", attributes=LINK)), "it is a link"
    yield "link-folder", zip_of(File(b"a", b"/etc", attributes=LINK), File(b"a/bot.py")), "it is a link"
    for number, method in enumerate((STORED, DEFLATED, BZIP2, LZMA)):
        data = BOMB if method else bytes(2 << 20)
        yield (
            f"bomb-{number}",
            zip_of(File(b"bot.py", data, method)),
            "1 MB" if method in (STORED, DEFLATED) else damaged,
        )
        lies = zip_of(File(b"bot.py", data, method, claimed=10))
        yield f"bomb-that-lies-{number}", lies, damaged
    for method in (1, 2, 6, 9, 10, 93, 95, 99):
        yield f"method-{method}", zip_of(File(b"bot.py", method=method)), damaged
    inner = zip_of(File(b"bot.py"))
    yield "nested", zip_of(File(b"inner.zip", inner)), "zip inside a zip"
    for _ in range(8):
        inner = zip_of(File(b"inner.zip", inner))
    yield "nested-deep", inner, "zip inside a zip"
    yield "password", zip_of(File(b"bot.py", flags=ENCRYPTED)), "password"
    yield "strong-password", zip_of(File(b"bot.py", flags=0x40)), damaged
    yield "patched", zip_of(File(b"bot.py", flags=0x20)), damaged
    yield "bad-utf8", zip_of(File(b"\xff\xfe.py", flags=UTF8)), damaged
    yield "surrogate", zip_of(File(b"\xed\xa0\x80.py", flags=UTF8)), damaged
    yield "bad-utf8-inside", zip_of(File(b"bot.py", local=b"\xff.py")), damaged
    yield "direction", zip_of(File("\u202eyp.tob.txt".encode(), flags=UTF8)), "no Python file"
    yield "escape", zip_of(File(b"\x1b[2J.txt")), "no Python file"
    yield "duplicates", zip_of(File(b"bot.py"), File(b"bot.py", BOT + b"#")), "contains 2 Python files"
    yield "other-name", zip_of(File(b"bot.py", local=b"tob.py")), damaged
    yield (
        "sum",
        zip_of(File(b"bot.py"))[:-60].replace(BOT, BOT.replace(b"0", b"1")) + zip_of(File(b"bot.py"))[-60:],
        damaged,
    )
    yield "newer", zip_of(File(b"bot.py", version=255)), damaged
    yield "folder-with-bytes", zip_of(File(b"bot.py/")), "no Python file"
    yield "dates", zip_of(File(b"notes.txt", date=0), File(b"more.txt", date=0xFFFF)), "no Python file"
    yield "extra", zip_of(File(b"bot.py", extra=b"\1\0\xff\xff")), damaged
    yield "zip64", zip_of(File(b"bot.py", extra=b"\1\0\4\0abcd", claimed=0xFFFFFFFF)), damaged
    yield "entries", zip_of(entries=65_535), "no Python file"
    yield "start", zip_of(File(b"bot.py"), start=1 << 31), damaged
    yield "cut", zip_of(File(b"bot.py"))[:-1], damaged
    yield "end-only", zip_of(File(b"bot.py"))[-22:], damaged
    yield "empty", b"", damaged
    yield "text", b"this is no zip", damaged
    yield "random", random.Random(1).randbytes(5_000), damaged
    yield "null", zip_of(File(b"bot.py", b"a\0b")), "not a text file"
    yield "hidden", zip_of(File(b".git/bot.py"), File(b"__MACOSX/bot.py")), "no Python file"
    yield "rar", zip_of(File(b"bot.rar")), "archive"


def mutations(count, seed):
    """Yields zips of which some bytes are changed, cut or doubled."""
    choose = random.Random(seed)
    seeds = [
        zip_of(File(b"a/bot.py", BOT, DEFLATED), File(b"notes.txt")),
        zip_of(File(b"bot.py", flags=UTF8, extra=bytes(8))),
    ]
    for _ in range(count):
        data = bytearray(choose.choice(seeds))
        for _ in range(choose.choice((1, 1, 2, 5))):
            place = choose.randrange(len(data))
            change = choose.randrange(4)
            if change == 0:
                data[place] ^= 1 << choose.randrange(8)
            elif change == 1:
                data[place : place + choose.choice((1, 4, 30))] = choose.choice((b"", b"\xff\xff\xff\xff", bytes(4)))
            elif change == 2:
                data[place:place] = data[place : place + 40]
            else:
                data[place] = choose.randrange(256)
            data = data or bytearray(b"P")
        yield bytes(data)
