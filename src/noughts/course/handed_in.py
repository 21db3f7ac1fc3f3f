"""Reads submissions in the layouts of Moodle, Canvas and Gradescope, or a plain folder of bots, as a folder or zip.

    Moodle      First Last_100231_assignsubmission_file_/bot.py     or the same without folders: .._file_bot.py;
                group and its number where groups hand in
    Canvas      lastfirst_LATE_4711_99_bot.py                       name, user, file; -1 before .py if handed in again
    Gradescope  submission_metadata.yml, submission_123/bot.py      the first names the submitters and times
    plain       NAME.py, NAME/bot.py, NAME.zip

Nothing is unpacked to disk: only Python files are read, each within its limit, whatever a zip claims.
Every file or folder becomes a `HandedIn` with a bot, or with the reason why there is none.
"""

from __future__ import annotations

import io
import json
import os
import re
import stat
import struct
import sys
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from noughts.course.people import Person
from noughts.printable import one_line
from noughts.sandbox.source import BOT, BotSource, decode
from noughts.untrusted import FileKind, read_untrusted

EXPORT = FileKind("a zip of submissions", 4 << 30)
INNER_ZIP = FileKind("a zip that a student submitted", 4 << 20)
METADATA = FileKind("Gradescope's submission_metadata.yml", 32 << 20)
METADATA_FILE = "submission_metadata.yml"
MOST_FILES = 100_000
"""Maximum files of an export."""
DIRECTORY, INNER_DIRECTORY = 32 << 20, 1 << 20
"""Maximum bytes of the directory of an export's zip, and of a student's. It contains the paths of all files."""
LONGEST_PATH = 1024
"""Maximum characters of a path in a zip."""
DEEPEST = 12
"""Maximum nesting of folders."""
LABEL_DEPTH = 2
"""Only folders down to this depth can be a submission: those of the export, or inside the one folder around it."""
NAMED = 4
"""Maximum files that an error names."""
MOST_CANDIDATES = 50
"""Maximum Python files of a submission, and maximum zips; with more, it is refused unread."""
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions that `zipfile` unpacks only as far as it is asked to."""
ARCHIVES = {".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz"}
NO_SUBMISSIONS = {".md", ".txt", ".csv", ".toml", ".json", ".noughts", ".log", ".html", ".yml"}
"""Suffixes of files that staff keep beside the bots of a plain folder."""

_MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<number>\d+))?_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?")
_CANVAS = re.compile(
    r"(?:(?P<name>.+?)_)?(?P<late>LATE_)?(?P<number>\d+|anon_[A-Za-z0-9]+)_(?:\d+_(?P<file>.+)|(?:text|link)\.html)"
)
_AGAIN = re.compile(r"-\d+(?=\.\w+$)")
"""Canvas's suffix before the extension of a resubmitted file."""


@dataclass(frozen=True)
class _Item:
    """A file or folder of an export. path: below the root. parts: below the folder of its submission.

    read: returns the bytes of a file within the limits of a kind, None for a folder. odd: why the file is not read; ''
    if it is read.
    """

    path: tuple[str, ...]
    parts: tuple[str, ...]
    read: Callable[[FileKind], bytes] | None = None
    modified: datetime | None = None
    odd: str = ""

    @property
    def alone(self) -> bool:
        """Whether it is a file at the top level."""
        return self.read is not None and len(self.parts) == 1

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix.lower()


@dataclass
class HandedIn:
    """The submission of one student or group. label: how the export names it. people: as the LMS names them. source:
    the bot, None if there is none.

    reason: why there is no bot. file: the student's name for the bot's file. handed_in: the time, None if unknown.
    late: whether the LMS says so. plain: whether the label is a file's or folder's name rather than a person's.
    items: all files.
    """

    label: str
    people: tuple[Person, ...] = ()
    source: BotSource | None = None
    reason: str = ""
    file: str = ""
    handed_in: datetime | None = None
    late: bool = False
    plain: bool = False
    items: list[_Item] = field(default_factory=list, repr=False)


def is_export(path: str | Path) -> bool:
    """Returns whether a path contains many submissions: a folder, or a zip."""
    return Path(path).is_dir() or Path(path).suffix.lower() == ".zip"


def handed_in(path: str | Path, is_allowed: Callable[[str], bool] | None = None) -> list[HandedIn]:
    """Returns every submission of an export. Raises ValueError if the folder or zip does not exist.

    is_allowed: returns whether a bot's file may have a name; it chooses if a submission has several Python files.
    """
    root = Path(path)
    if root.is_dir():
        return _submissions(_folder_items(root), root, is_allowed)
    if not root.is_file():
        raise ValueError(f"there is no folder or zip {str(path)!r} of submissions")
    if root.stat().st_size > EXPORT.size:
        raise ValueError(f"{path} is too large; the maximum for {EXPORT.name} is {EXPORT.size >> 30} GB")
    with _ZipStream(io.FileIO(path)) as stream:
        return _submissions(_zip_items(stream, root), root, is_allowed)


def _submissions(items: Iterable[_Item], root: Path, is_allowed: Callable[[str], bool] | None) -> list[HandedIn]:
    visible = _unwrapped(_without_hidden(items))
    return [_with_bot(submission, str(root), is_allowed) for submission in _layout(visible)(visible)]


def one_submission(folder: str | Path) -> HandedIn:
    """Returns the submission of one student or team, all in one folder."""
    root = Path(folder)
    try:
        items = _without_hidden(_folder_items(root)) if root.is_dir() else []
    except ValueError as error:
        return HandedIn(root.name, reason=str(error))
    return _with_bot(HandedIn(root.name, items=items), str(root))


# Files.


def _folder_items(root: Path) -> list[_Item]:
    """Returns the files and folders below a folder. Links are not followed."""
    items: list[_Item] = []
    for place, folders, files in os.walk(root):
        here = Path(place).relative_to(root).parts
        if len(items) + len(folders) + len(files) > MOST_FILES:
            raise ValueError(f"{root} has more than {MOST_FILES:,} files; name the folder with only the submissions")
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        folders[:] = sorted(set(folders) - set(links)) if len(here) < DEEPEST else []
        if here:
            items.append(_Item(here, here))
        for name in sorted([*files, *links]):
            status, parts = os.lstat(os.path.join(place, name)), (*here, name)
            is_link = stat.S_ISLNK(status.st_mode)
            odd = "" if stat.S_ISREG(status.st_mode) else _LINK if is_link else "it is not an ordinary file"
            modified = _time(datetime.fromtimestamp, status.st_mtime, UTC)
            items.append(_Item(parts, parts, partial(_read_file, root, parts), modified, odd))
    return items


def _read_file(root: Path, parts: tuple[str, ...], kind: FileKind) -> bytes:
    return read_untrusted(Path(root, *parts), kind, ordinary=True, below=root)


_LINK = "it is a link; submit the file or folder itself"
_OUTSIDE = "a zip names a file outside its own folder; make a new zip of only your bot"
_TOO_DEEP = (
    f"a zip has folders more than {DEEPEST} deep, or a path of more than {LONGEST_PATH:,} characters; "
    "make a new zip of only your bot"
)
_COMPRESSED = "its zip is damaged or uses an unknown compression; make a new one"


class _ZipStream(io.BufferedReader):
    """The bytes of a zip."""

    most = sys.maxsize
    """Maximum bytes of one read."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > self.most:
            raise ValueError(
                f"a zip has too many files or too long names; the maximum for its directory is {self.most >> 20} MB"
            )
        return super().read(size)


def _zip_items(stream: _ZipStream, path: Path) -> list[_Item]:
    """Returns the files and folders of an export's zip."""
    members = _members(stream, DIRECTORY, str(path), "download it again")
    folders = dict.fromkeys(
        item.parts[:depth] for item in members for depth in range(1, min(len(item.parts), LABEL_DEPTH + 1))
    )
    return [*(_Item(parts, parts) for parts in folders), *members]


def _members(stream: _ZipStream, directory: int, name: str, remedy: str) -> list[_Item]:
    """Returns the files of a zip. Raises ValueError if it is damaged or has too many.

    directory: maximum bytes of its directory. name, remedy: of the zip, for the message.
    """
    stream.most = directory  # `zipfile` reads the whole directory at once, and builds an object for each file in it
    try:
        file = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, struct.error, EOFError, NotImplementedError, OSError, UnicodeError):
        raise ValueError(f"{name} is not a zip, or is damaged; {remedy}") from None
    stream.most = sys.maxsize
    if len(file.infolist()) > MOST_FILES:
        raise ValueError(f"{name} has more than {MOST_FILES:,} files; make a zip of only the submissions")
    return [_member(file, info) for info in file.infolist()]


def _member(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Item:
    name = info.filename[:LONGEST_PATH]
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    odd = ""
    if len(info.filename) > LONGEST_PATH or len(parts) > DEEPEST:
        odd = _TOO_DEEP
    elif name.startswith("/") or ".." in parts or re.search(r"[\\:]", name):
        odd = _OUTSIDE
    elif stat.S_ISLNK(info.external_attr >> 16):
        odd = _LINK
    elif info.flag_bits & 1:
        odd = "its zip has a password; submit it without one"
    elif info.compress_type not in COMPRESSIONS:
        odd = _COMPRESSED
    if odd in (_TOO_DEEP, _OUTSIDE) or not parts:
        parts = tuple(part for part in re.split(r"[/\\]", name) if part not in ("", ".", ".."))[:DEEPEST] or ("?",)
    modified = _time(lambda: datetime(*info.date_time).astimezone(UTC))
    return _Item(
        parts, parts, None if info.filename.endswith("/") else partial(_read_member, file, info), modified, odd
    )


def _time(read: Callable[..., datetime], *values: object) -> datetime | None:
    """Returns the time of a file; None if it is not in the calendar."""
    try:
        return read(*values)
    except (ValueError, OverflowError, OSError):
        return None


def _read_member(file: zipfile.ZipFile, info: zipfile.ZipInfo, kind: FileKind) -> bytes:
    """Returns a file of a zip, unpacked up to the limit. Does not trust the size that the zip claims."""
    try:
        with file.open(info) as stream:
            data = stream.read(kind.size + 1)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, OSError, ValueError):
        raise ValueError(_COMPRESSED) from None
    if len(data) > kind.size:
        raise ValueError(f"{info.filename} is too large; the maximum for {kind.name} is {kind.size >> 20} MB")
    return data


def _without_hidden(items: Iterable[_Item]) -> list[_Item]:
    """Leaves out files that operating systems add: hidden files, __MACOSX, __pycache__."""
    return [item for item in items if not any(part.startswith((".", "__")) for part in item.parts)]


def _unwrapped(items: list[_Item]) -> list[_Item]:
    """Removes the folder around a whole export, if the zip contains one."""
    if len({item.parts[0] for item in items}) != 1 or any(item.alone for item in items):
        return items
    inside = [replace(item, parts=item.parts[1:]) for item in items if len(item.parts) > 1]
    return inside if _layout(inside) is not _plain_submissions else items


# Layouts.


def _layout(items: Sequence[_Item]) -> Callable[[Sequence[_Item]], Iterator[HandedIn]]:
    files = [item.name for item in items if item.alone and item.suffix not in NO_SUBMISSIONS - {".html"}]
    if any(item.parts == (METADATA_FILE,) for item in items):
        return _gradescope_submissions
    if any(_MOODLE.fullmatch(item.parts[0]) for item in items):
        return _moodle_submissions
    if files and all(_CANVAS.fullmatch(name) for name in files) and all(item.alone for item in items):
        return _canvas_submissions
    return _plain_submissions


def _moodle_submissions(items: Sequence[_Item]) -> Iterator[HandedIn]:
    found: dict[str, HandedIn] = {}
    for item in items:
        match = _MOODLE.fullmatch(item.parts[0])
        if match is None:
            one = found.setdefault(f"/{item.parts[0]}", HandedIn(item.parts[0]))
            one.items.append(item)
            continue
        # The number is Moodle's participant number, which is no id of the student.
        person = Person("_".join(filter(None, (match["name"], match["number"]))), match["name"])
        one = found.setdefault(person.key, HandedIn(person.name, people=(person,)))
        own = (match["file"],) if item.alone and match["file"] else item.parts[1:]
        one.items.append(replace(item, parts=own or item.parts))
    for one in found.values():
        times = [item.modified for item in one.items if item.modified is not None]
        one.handed_in = max(times, default=None)
        yield one


def _canvas_submissions(items: Sequence[_Item]) -> Iterator[HandedIn]:
    found: dict[str, HandedIn] = {}
    for item in items:
        match = _CANVAS.fullmatch(item.name)
        if match is None:
            continue  # a staff file
        name, number = match["name"] or "", match["number"]
        person = Person("_".join(filter(None, (name, number))), name, (number,))
        one = found.setdefault(person.key, HandedIn(name or number, people=(person,)))
        one.late |= match["late"] is not None
        one.items.append(replace(item, parts=(_AGAIN.sub("", match["file"] or item.name),)))
    yield from found.values()


def _gradescope_submissions(items: Sequence[_Item]) -> Iterator[HandedIn]:
    submitters: dict[str, tuple[tuple[Person, ...], datetime | None]] = {}
    found: dict[str, HandedIn] = {}
    for item in items:
        if item.parts == (METADATA_FILE,) and item.read is not None:
            submitters = _submitters(item.read(METADATA).decode(errors="replace"))
        else:
            found.setdefault(item.parts[0], HandedIn(item.parts[0])).items.append(
                replace(item, parts=item.parts[1:] or item.parts)
            )
    for name in submitters:
        found.setdefault(name, HandedIn(name))
    for name, one in found.items():
        one.people, one.handed_in = submitters.get(name, ((), None))
        one.label = " - ".join(person.name for person in one.people if person.name) or name
        yield one


def _plain_submissions(items: Sequence[_Item]) -> Iterator[HandedIn]:
    found: dict[tuple[str, bool], HandedIn] = {}
    for item in items:
        top = item.parts[0]
        if top.startswith("_") or (item.alone and item.suffix in NO_SUBMISSIONS):
            continue
        label = Path(top).stem if item.alone else top
        one = found.setdefault((label, item.alone), HandedIn(label, plain=True))
        one.items.append(item if item.alone else replace(item, parts=item.parts[1:] or item.parts))
        one.handed_in = max(filter(None, [one.handed_in, item.modified]), default=None)
    yield from found.values()


_SUBMISSION = re.compile(r"^(?P<name>\S.*):\s*$")
_KEY = re.compile(r"^  :(?P<key>\w+):(?P<value>.*)$")
_FACT = re.compile(r"^  (?P<item>- |  ):(?P<key>name|sid|email):(?P<value>.*)$")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?")


def _submitters(text: str) -> dict[str, tuple[tuple[Person, ...], datetime | None]]:
    """Returns the submitters and time of each submission in Gradescope's metadata.

    This is not a YAML parser: it reads only lines at the expected indentation, so deeper output of bots in the same
    file cannot imitate a name.
    """
    found: dict[str, tuple[tuple[Person, ...], datetime | None]] = {}
    name, section, people, time = "", "", list[dict[str, str]](), None
    for line in [*text.splitlines(), "end:"]:
        if match := _SUBMISSION.match(line):
            if name:
                found[name] = tuple(_submitter(name, facts) for facts in people if any(facts.values())), time
            name, section, people, time = match["name"], "", [], None
        elif match := _KEY.match(line):
            section = match["key"]
            if section == "created_at" and (stamp := _TIME.search(match["value"])):
                time = read_time(stamp[0].replace(" UTC", "+00:00"))
        elif section == "submitters" and (match := _FACT.match(line)):
            if match["item"] == "- ":
                people.append({})
            if people:
                people[-1][match["key"]] = _scalar(match["value"].strip())
    return found


def _submitter(submission: str, facts: Mapping[str, str]) -> Person:
    ids, emails = (tuple(filter(None, [facts.get(key, "")])) for key in ("sid", "email"))
    return Person(submission, facts.get("name", ""), ids, emails)


def _scalar(text: str) -> str:
    """Returns the text of a one-line YAML scalar."""
    if text.startswith("'") and text.endswith("'") and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text.strip('"')
    return "" if text in ("", "~", "null") else text


def read_time(text: str) -> datetime:
    """Returns a time such as 2026-11-17 23:59, in this machine's zone unless it names another. Raises ValueError if it
    is invalid."""
    try:
        return datetime.fromisoformat(re.sub(r" (?=[+-]\d\d:?\d\d$)", "", text.strip())).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{one_line(text, 40)!r} is not a time; write it as 2026-11-17 23:59") from None


# Bots.


def _with_bot(submission: HandedIn, root: str, is_allowed: Callable[[str], bool] | None = None) -> HandedIn:
    """Returns the submission with its bot, or with the reason why it has none."""
    try:
        item, text = _bot(submission, is_allowed)
    except ValueError as error:
        return replace(submission, reason=one_line(error))
    except OSError as error:
        return replace(submission, reason=f"cannot read it ({error.strerror})")
    source = BotSource(os.path.join(root, *item.path[:-1], item.name), None, text)
    return replace(submission, source=source, file=item.name)


def _bot(submission: HandedIn, is_allowed: Callable[[str], bool] | None) -> tuple[_Item, str]:
    """Returns the one Python file of a submission, or the one with an allowed name, and its text. Raises ValueError,
    with the reason, if there is none."""
    items = [item for item in submission.items if item.read is not None]
    zips = [item for item in items if item.suffix == ".zip" and not item.odd]
    if len(zips) > MOST_CANDIDATES:
        raise ValueError(f"it contains {len(zips)} zips; submit only the file of the bot")
    for item in zips:
        items += _unpacked(item)
    for item in items:
        if item.odd and (item.odd != _LINK or item.suffix in (".py", ".zip", "")):
            raise ValueError(item.odd)
    candidates = [item for item in items if item.suffix == ".py"]
    if len(candidates) > MOST_CANDIDATES:
        raise ValueError(f"it contains {len(candidates)} Python files; submit only the file of the bot")
    texts: dict[str, _Item] = {}
    for item in candidates:
        assert item.read is not None
        text = decode(item.read(BOT), item.name)
        if text not in texts or (is_allowed is not None and is_allowed(item.name)):
            texts[text] = item  # identical files count once
    allowed = {text: item for text, item in texts.items() if is_allowed is not None and is_allowed(item.name)}
    if len(allowed) == 1:
        texts = allowed
    if len(texts) > 1:
        names = sorted("/".join(item.parts) for item in texts.values())
        listed = one_line(", ".join([*names[:NAMED], *(["..."] if names[NAMED:] else [])]))
        raise ValueError(f"it contains {len(texts)} Python files ({listed}); submit only the file of the bot")
    if not texts:
        raise ValueError(_nothing(items))
    ((text, item),) = texts.items()
    return item, text


def _unpacked(item: _Item) -> list[_Item]:
    """Returns the files of a student's zip."""
    assert item.read is not None
    stream = _ZipStream(io.BytesIO(item.read(INNER_ZIP)))  # which stays open until its bot is read
    members = _without_hidden(_members(stream, INNER_DIRECTORY, item.name, "make a new one"))
    return [
        replace(member, path=(*item.path, *member.path), parts=(*item.parts, *member.parts))
        for member in members
        if member.read is not None
    ]


def _nothing(items: Sequence[_Item]) -> str:
    """Describes the contents of a submission without a Python file."""
    if not items:
        return "no submission"
    if any(item.suffix == ".zip" and any(part.lower().endswith(".zip") for part in item.parts[:-1]) for item in items):
        return "it contains a zip inside a zip; submit the Python file itself"
    if other := [item.name for item in items if item.suffix in ARCHIVES]:
        return f"{one_line(other[0], 60)} is an unsupported archive; submit the Python file, alone or in a zip"
    names = ", ".join(sorted({unicodedata.normalize("NFC", item.name) for item in items})[:3])
    return f"it contains no Python file (only {one_line(names, 120)}); a bot is one file that ends in .py"
