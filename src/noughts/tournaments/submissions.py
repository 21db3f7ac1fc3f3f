"""What was handed in: a folder of bots, one file for each, or one folder with one file in it."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from noughts.printable import printable
from noughts.sandbox.source import BotSource, read_bot
from noughts.tournaments._schema import TournamentError

MAX_NAME = 80
"""Characters of a team's name: it has to fit a table."""


@dataclass(frozen=True)
class Submission:
    """A bot that was handed in, or why it is none. name: of the file or folder; it is the team's name."""

    name: str
    source: BotSource | None = None
    reason: str = ""


def submissions(folder: str | Path) -> list[Submission]:
    """All that are in a folder, by name. Files whose names begin with a dot or an underscore are no submissions.

    TournamentError if there is no such folder, or nothing in it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise TournamentError(f"there is no folder {str(folder)!r} of bots")
    found = [_read(name, path) for name, path in _candidates(root)]
    if not found:
        raise TournamentError(f"{folder} holds no bots; a bot is a file NAME.py, or one in a folder NAME of its own")
    known: dict[str, list[Submission]] = {}
    for submission in found:
        known.setdefault(name_key(submission.name), []).append(submission)
    return [
        Submission(each.name, reason=f"{len(same)} submissions are called so; give each a name of its own")
        if len(same) > 1
        else each
        for same in known.values()
        for each in (same[:1] if len({other.name for other in same}) == 1 else same)
    ]


def _candidates(root: Path) -> Iterator[tuple[str, Path | str]]:
    """(name, file or why there is none), in the order of the names."""
    for path in sorted(root.iterdir()):
        if path.name.startswith((".", "_")):
            continue
        if path.is_symlink() and (path.suffix == ".py" or path.is_dir()):  # to another team's bot, or to a secret
            yield path.stem if path.suffix == ".py" else path.name, "it is a link; put the file or folder itself here"
        elif path.is_dir():
            files = sorted(path.glob("*.py"))
            if len(files) == 1:
                yield path.name, files[0]
            elif files:
                yield path.name, f"its folder holds {len(files)} files of Python, and a bot is one; leave one of them"
        elif path.suffix == ".py":
            yield path.stem, path


def _read(name: str, path: Path | str) -> Submission:
    shown = printable(name, MAX_NAME)
    if shown != name or not name.strip():
        return Submission(shown, reason=f"a name has up to {MAX_NAME} characters that can be printed; rename the file")
    if isinstance(path, str):
        return Submission(name, reason=path)
    try:
        return Submission(name, read_bot(os.fspath(path)))
    except OSError as error:
        return Submission(name, reason=f"it cannot be read ({error.strerror})")
    except ValueError as error:
        return Submission(name, reason=str(error))


def name_key(name: str) -> str:
    """Names that some people or file systems take for the same have the same key."""
    return unicodedata.normalize("NFKC", name).casefold()
