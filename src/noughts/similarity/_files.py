"""Reads folders of bots to compare, and exports them for other comparison programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from noughts.course.submissions import submissions
from noughts.files import make_folder, slugs, write_whole
from noughts.printable import csv_text
from noughts.similarity._compare import Code

PAST = "past"


def codes_in(folder: str | Path, *, past: bool = False) -> tuple[list[Code], list[tuple[str, str]]]:
    """Returns the bots of a folder, and (name, reason) of those that cannot be read. Raises StoreError if the folder
    does not exist.

    Files and folders are as for a tournament.
    """
    found, refused = [], []
    for each in submissions(folder):
        if each.source is None:
            refused.append((each.name, each.reason))
        else:
            found.append(Code(f"{each.name} ({PAST})" if past else each.name, each.source.text, past))
    return found, refused


def export(codes: Sequence[Code], folder: Path, template: str = "") -> None:
    """Writes the bots in the layout that JPlag and Dolos read.

    new/NAME/bot.py and old/NAME/bot.py: a folder for each bot of this year and of the past. template/template.py: the
    code that all received. info.csv: for Dolos.
    """
    rows = []
    for code, name in zip(codes, slugs(code.name for code in codes), strict=True):
        place = folder / ("old" if code.past else "new") / name
        make_folder(place, below=folder)
        write_whole(place / "bot.py", code.text.encode(errors="replace"))
        rows.append([f"{place.parent.name}/{name}/bot.py", code.name, PAST if code.past else "new"])
    if template:
        make_folder(folder / "template", below=folder)
        write_whole(folder / "template" / "template.py", template.encode(errors="replace"))
    info = csv_text([["filename", "full_name", "labels"], *rows])
    write_whole(folder / "info.csv", info.encode(errors="replace"))
