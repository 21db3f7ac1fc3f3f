"""Finds and reads bot files by their names on the command line. The source is never compiled here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from noughts.printable import one_line
from noughts.untrusted import FileKind, read_untrusted

MAX_BYTES = 1 << 20
"""Maximum size in bytes: hand-written bots are smaller."""
BOT = FileKind("a bot file", MAX_BYTES)

PROGRAMS = ("ugi:", "cg:")
"""Prefixes of players' names that are programs, with their protocols."""
_FORM = re.compile(r"(?P<path>.+\.py)(?::(?P<wanted>[A-Za-z_]\w*))?")


@dataclass(frozen=True)
class BotSource:
    """A bot file. path: as the user gave it. wanted: the name of the bot in the file, None to search for it. text: the
    source."""

    path: str
    wanted: str | None
    text: str

    @property
    def file(self) -> str:
        """The name that tracebacks show. The brackets tell Python that there is no such file to open."""
        return f"<{one_line(Path(self.path).name)}>"

    @property
    def name(self) -> str:
        return one_line(self.wanted or Path(self.path).stem)


def is_bot_file(text: str) -> bool:
    """Returns whether a player's name is a bot file: team7.py, or team7.py:Team7. A program (ugi:PROGRAM) is not."""
    return _FORM.fullmatch(text) is not None and not text.startswith(PROGRAMS)


def read_bot(text: str) -> BotSource:
    """Returns the bot of a name like ``bots/team7.py:Team7``. Raises ValueError if the file is missing or not text."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a bot file; write FILE.py, or FILE.py:NAME if the file has several bots")
    path = Path(found["path"])
    try:
        # A link could reveal lines of a file, which its author may not read, in messages about the bot.
        data = read_untrusted(path, BOT, ordinary=True)
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"there is no bot file {str(path)!r}") from None
    except OSError as error:
        raise ValueError(f"the bot file {str(path)!r} cannot be read: {error.strerror}") from None
    return BotSource(str(path), found["wanted"], decode(data, str(path)))


def decode(data: bytes, path: str) -> str:
    """Decodes a source file: UTF-8, or else Latin-1 as in old files. Raises ValueError for null bytes."""
    if b"\0" in data:
        raise ValueError(f"{path} is not a text file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
