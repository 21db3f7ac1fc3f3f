"""Bot files: where a bot's name on the command line leads, and its text. It is never compiled here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from noughts.printable import one_line
from noughts.untrusted import FileKind, read_untrusted

MAX_BYTES = 1 << 20
"""A bot is written by hand; more than this is something else."""
BOT = FileKind("a bot file", MAX_BYTES)

PROGRAMS = ("ugi:", "cg:")
"""How names of players begin that are programs, and the protocols they speak."""
_FORM = re.compile(r"(?P<path>.+\.py)(?::(?P<wanted>[A-Za-z_]\w*))?")


@dataclass(frozen=True)
class BotSource:
    """path: as the user gave it. wanted: the name of the bot in the file, None to look for it. text: the source."""

    path: str
    wanted: str | None
    text: str

    @property
    def file(self) -> str:
        """The name that tracebacks show. The brackets tell Python that there is no such file to look at."""
        return f"<{one_line(Path(self.path).name)}>"

    @property
    def name(self) -> str:
        return one_line(self.wanted or Path(self.path).stem)


def is_bot_file(text: str) -> bool:
    """Whether a player's name is a bot file: team7.py, or team7.py:Team7. A program (ugi:PROGRAM) is none."""
    return _FORM.fullmatch(text) is not None and not text.startswith(PROGRAMS)


def read_bot(text: str) -> BotSource:
    """The bot that a name like ``bots/team7.py:Team7`` means; ValueError if the file is not there or is no text."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no bot file; a bot is FILE.py, or FILE.py:NAME if the file has several")
    path = Path(found["path"])
    try:
        # A link would show lines of a file that its owner may not read to whoever reads what is said of the bot.
        data = read_untrusted(path, BOT, ordinary=True)
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"there is no bot file {str(path)!r}") from None
    except OSError as error:
        raise ValueError(f"the bot file {str(path)!r} cannot be read: {error.strerror}") from None
    return BotSource(str(path), found["wanted"], decode(data, str(path)))


def decode(data: bytes, path: str) -> str:
    """The text of a source file: UTF-8, or else Latin-1 as old files are. Null bytes are refused."""
    if b"\0" in data:
        raise ValueError(f"{path} is not a text file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
