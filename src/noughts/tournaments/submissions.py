"""What was handed in: a folder of bots, one file for each, or one folder with one file in it."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from noughts.printable import one_line
from noughts.sandbox.source import BotSource, read_bot
from noughts.tournaments._schema import TournamentError
from noughts.tournaments.names import MAX_NAME, name_key, name_trouble, natural_order


@dataclass(frozen=True)
class Submission:
    """A bot that was handed in, or why it is none. name: of the file or folder; it is the team's name."""

    name: str
    source: BotSource | None = None
    reason: str = ""


def submissions(folder: str | Path, known: Collection[str] = ()) -> list[Submission]:
    """All that are in a folder, by name. Files whose names begin with a dot or an underscore are no submissions.

    Of several names that are the same to the eye, a known one is kept and the others are refused; if none is known, all
    are. TournamentError if there is no such folder, or nothing in it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise TournamentError(f"there is no folder {str(folder)!r} of bots")
    found = [_read(name, path) for name, path in _candidates(root)]
    if not found:
        raise TournamentError(f"{folder} holds no bots; a bot is a file NAME.py, or one in a folder NAME of its own")
    owners = {name_key(name): name for name in known}
    alike: dict[str, list[Submission]] = {}
    for submission in found:
        alike.setdefault(name_key(submission.name), []).append(submission)
    return [
        each if each.name in unique else Submission(each.name, reason=reason)
        for key, same in alike.items()
        for unique, reason in [_owner(same, owners.get(key))]
        for each in {each.name: each for each in same}.values()
    ]


def _owner(same: list[Submission], known: str | None) -> tuple[list[str], str]:
    """Who of these has its name, and why the others do not."""
    names = [each.name for each in same]
    if names.count(known or "") > 1 or (known is None and len(names) > 1):
        return [], f"{len(names)} submissions are called so, or look like it; give each a name of its own"
    if known is not None:
        return [known], f"a team is called {known!r} already, which looks the same; rename the file"
    return names, ""


def _candidates(root: Path) -> Iterator[tuple[str, Path | str]]:
    """(name, file or why there is none), in the order of the names."""
    for path in sorted(root.iterdir(), key=lambda path: natural_order(path.name)):
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
    name = unicodedata.normalize("NFC", name)  # some file systems take accents apart
    if trouble := name_trouble(name):
        return Submission(f"'{one_line(name, MAX_NAME)}'", reason=trouble)  # in quotes, as no team is
    if isinstance(path, str):
        return Submission(name, reason=path)
    try:
        return Submission(name, read_bot(os.fspath(path)))
    except OSError as error:
        return Submission(name, reason=f"it cannot be read ({error.strerror})")
    except ValueError as error:
        return Submission(name, reason=str(error))
