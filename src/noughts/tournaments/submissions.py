"""What was handed in: a folder of bots, one file for each, or one folder with one file in it."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from noughts.printable import one_line
from noughts.sandbox.source import BotSource, read_bot
from noughts.tournaments._schema import TournamentError
from noughts.tournaments.names import MAX_NAME, name_keys, name_trouble, natural_order


@dataclass(frozen=True)
class Submission:
    """A bot that was handed in, or why it is none. name: of the file or folder; it is the team's name."""

    name: str
    source: BotSource | None = None
    reason: str = ""


def submissions(folder: str | Path, known: Collection[str] = ()) -> list[Submission]:
    """Returns all that are in a folder, by name, except files whose names begin with a dot or an underscore.

    If several names look the same, the known one is kept and the others are refused; if none is known, all are refused.
    Raises TournamentError if there is no such folder, or nothing in it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise TournamentError(f"there is no folder {str(folder)!r} of bots")
    found = [_read(name, path, root) for name, path in _candidates(root)]
    if not found:
        raise TournamentError(f"{folder} holds no bots; a bot is a file NAME.py, or one in a folder NAME of its own")
    owners = {key: name for name in known for key in name_keys(name)}
    same = Counter(each.name for each in found)
    alike = Counter(key for each in found for key in name_keys(each.name))

    def refusal(name: str) -> str:
        owner = next((owners[key] for key in name_keys(name) if key in owners), None)
        if owner is not None and name not in known:
            return f"a team is called {owner!r} already, which looks the same; rename the file"
        count = same[name] if name in known else max(alike[key] for key in name_keys(name))
        return f"{count} submissions are called so, or look like it; give each a name of its own" if count > 1 else ""

    return [
        Submission(each.name, reason=reason) if (reason := refusal(each.name)) else each
        for each in {each.name: each for each in found}.values()
    ]


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


def _read(name: str, path: Path | str, root: Path) -> Submission:
    name = unicodedata.normalize("NFC", name)  # some file systems take accents apart
    if trouble := name_trouble(name):
        return Submission(f"'{one_line(name, MAX_NAME)}'", reason=trouble)  # in quotes, as no team is
    if isinstance(path, str):
        return Submission(name, reason=path)
    try:
        return Submission(name, read_bot(os.fspath(path), below=root))
    except OSError as error:
        return Submission(name, reason=f"it cannot be read ({error.strerror})")
    except ValueError as error:
        return Submission(name, reason=str(error))
