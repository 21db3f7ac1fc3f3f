"""Reads untrusted files: checks their size against limits before building anything from them.

Every kind of file has a `FileKind` beside its reader. Bytes are compared with the limit before they are read,
decompressed bytes while they are unpacked, and JSON values while they are still text.
"""

from __future__ import annotations

import json
import os
import re
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEEPEST = 32
"""Maximum nesting of lists and objects in JSON; our own files have up to 6."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A JSON string. It matches at every quote, even in an unterminated string, so no byte is examined twice."""
_STRUCTURE, _NO_STRUCTURE = bytes.maketrans(b"{}:", b"[],"), bytes(set(range(256)) - set(b"[]{},:"))
"""For `bytes.translate`: reduces JSON without its strings to a bracket per list or object and a comma per further key
or value."""
_ANY_FORM = 32 + zlib.MAX_WBITS
"""Makes zlib accept its own format and gzip's."""

MALFORMED = (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError)
"""Exceptions of code that reads data of an unexpected form."""


@dataclass(frozen=True)
class FileKind:
    """A kind of file with its limits. name: as in messages, "a replay". size: bytes on disk.

    nodes: JSON values, counted by brackets, commas and colons. unpacked: bytes after decompression.
    """

    name: str
    size: int
    nodes: int = 0
    unpacked: int = 0


def read_untrusted(path: str | Path, kind: FileKind, *, ordinary: bool = False, below: Path | None = None) -> bytes:
    """Returns the bytes of a file. Raises ValueError, and keeps nothing, if there are more than its kind allows.

    ordinary: refuse links, endless devices and pipes. below: a folder that contains the file; no link between the two
    is followed, even one created meanwhile.
    """
    refusal = ValueError(f"{path} is a link or not an ordinary file; name the file itself")
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    if ordinary:
        if Path(path).is_symlink():
            raise refusal
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with open(_open_below(below, Path(path), flags) if below else os.open(path, flags), "rb") as file:
            found = os.fstat(file.fileno())
            plain = stat.S_ISREG(found.st_mode)
            if ordinary and not plain:
                raise refusal
            large = plain and found.st_size > kind.size
            data = b"" if large else file.read((min(found.st_size, kind.size) if plain else kind.size) + 1)
    except OSError as error:
        error.filename = str(path)  # otherwise it may be a descriptor number
        raise
    if large or len(data) > kind.size:
        raise ValueError(f"{path} is too large; the maximum for {kind.name} is {_in_words(kind.size)}")
    return data


def _open_below(root: Path, path: Path, flags: int) -> int:
    """Opens a file folder by folder, so that none can be swapped for a link meanwhile; Windows does not support
    this."""
    if os.open not in os.supports_dir_fd:
        return os.open(path, flags)
    *folders, name = path.relative_to(root).parts
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for each in folders:
            inner = os.open(each, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name, flags, dir_fd=folder)
    finally:
        os.close(folder)


def unpack(data: bytes | memoryview, kind: FileKind) -> bytes:
    """Returns decompressed zlib or gzip data. Raises ValueError if it is damaged or more than its kind allows."""
    stream = zlib.decompressobj(_ANY_FORM)
    try:
        unpacked = stream.decompress(data, kind.unpacked + 1)
    except zlib.error:
        raise ValueError("its compressed part is damaged") from None
    if len(unpacked) > kind.unpacked:
        raise ValueError(f"it is too large when unpacked; the maximum for {kind.name} is {_in_words(kind.unpacked)}")
    if not stream.eof:
        raise ValueError("its compressed part is incomplete")
    return unpacked


def parse_json(text: str | bytes | memoryview, kind: FileKind) -> Any:
    """Returns the value of a JSON text. Raises ValueError, with a short reason, if it is not JSON or larger than its
    kind allows."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else bytes(text)
    most = max(kind.size, kind.unpacked)
    if len(data) > most:
        raise ValueError(f"it is too large; the maximum for {kind.name} is {_in_words(most)}")
    structure, place = bytearray(), 0
    for strings, string in enumerate(_STRING.finditer(data)):
        structure += data[place : string.start()].translate(_STRUCTURE, _NO_STRUCTURE)
        place = string.end()
        if strings >= kind.nodes:
            break
    structure += data[place:].translate(_STRUCTURE, _NO_STRUCTURE)
    if structure.count(b",") + structure.count(b"[") > kind.nodes:
        raise ValueError(f"it has too many values; the maximum for {kind.name} is {kind.nodes:,}")
    brackets = structure.replace(b",", b"")
    for _ in range(DEEPEST):
        brackets = brackets.replace(b"[]", b"")
    if brackets:
        raise ValueError(f"it is not JSON, or is nested more than {DEEPEST} levels deep")
    try:
        return json.loads(text if isinstance(text, str) else data.decode("utf-8-sig"))
    except ValueError:
        raise ValueError("it is not JSON") from None


def read_json(path: str | Path, kind: FileKind, *, ordinary: bool = False) -> Any:
    """Returns the JSON value in a file. Raises ValueError if it is not JSON or beyond its limits; see
    `read_untrusted`.
    """
    return parse_json(read_untrusted(path, kind, ordinary=ordinary), kind)


def _in_words(size: int) -> str:
    return f"{size >> 30} GB" if size >> 30 else f"{size >> 20} MB" if size >> 20 else f"{size >> 10} KB"
