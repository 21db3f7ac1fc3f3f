"""Describes lines by small pictures: a *shape* is a picture, and its lines are all the places where it fits on a board.

    row of 3    ###         T    ###        V    #.#
                                 .#.             .#.

Generated rules are built from shapes, and prompts describe unusual lines with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from noughts.rules.spec import Line

Place = tuple[int, int]
"""Row and column."""
Form = tuple[Place, ...]
"""The cells of a picture in order, shifted to the top left."""

# "/" separates rows, "#" is a cell of the line. True: it may be turned and mirrored.
SHAPES: dict[str, tuple[str, bool]] = {
    "row of 3": ("###", False),
    "column of 3": ("#/#/#", False),
    "diagonal of 3": ("#../.#./..#", True),
    "row of 4": ("####", False),
    "column of 4": ("#/#/#/#", False),
    "diagonal of 4": ("#.../.#../..#./...#", True),
    "2x2 square": ("##/##", False),
    "corners of a 3x3 square": ("#.#/.../#.#", False),
    "corners of a 4x4 square": ("#..#/..../..../#..#", False),
    "diamond": (".#./#.#/.#.", False),
    "plus": (".#./###/.#.", False),
    "cross": ("#.#/.#./#.#", False),
    "small L": ("#./##", True),
    "knight's L": ("#./#./##", True),
    "big L": ("#../#../###", True),
    "T": ("###/.#.", True),
    "V": ("#.#/.#.", True),
    "U": ("#.#/###", True),
    "zigzag": ("##./.##", True),
    "two knight's steps": ("#../..#/#..", True),
}
WRAPPED = "diagonal that wraps around"
"""The diagonals of a board whose opposite edges are joined, without the two plain ones: the only shape without a
picture."""

SHAPE_NAMES = (*SHAPES, WRAPPED)


@lru_cache(256)
def shape_lines(name: str, side: int) -> tuple[Line, ...]:
    """Returns the lines of a shape on a board, in order; empty if it does not fit."""
    if name == WRAPPED:
        return _wrapped(side)
    picture, turns = SHAPES[name]
    form = form_of_picture(picture)
    forms = turned(form) if turns else [form]
    return tuple(sorted({line for each in forms for line in places_of(each, side)}))


def form_of_picture(picture: str) -> Form:
    rows = picture.split("/")
    return tuple((r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#")


def form_of_line(line: Iterable[int], side: int) -> Form:
    """Returns a line as a picture."""
    return _moved(divmod(cell, side) for cell in line)


def picture_of(form: Form) -> list[str]:
    """Returns the rows of a picture."""
    height, width = (max(place[axis] for place in form) + 1 for axis in (0, 1))
    return ["".join("#" if (r, c) in form else "." for c in range(width)) for r in range(height)]


def places_of(form: Form, side: int) -> Iterator[Line]:
    """Yields all placements of a picture on a board, without turning it."""
    height, width = (max(place[axis] for place in form) + 1 for axis in (0, 1))
    for top in range(side - height + 1):
        for left in range(side - width + 1):
            yield tuple(side * (r + top) + c + left for r, c in form)


def turned(form: Form) -> list[Form]:
    """Returns the turns and reflections of a picture, without duplicates, itself first."""
    found = []
    for start in (form, _moved((r, -c) for r, c in form)):
        now = start
        for _ in range(4):
            found.append(now)
            now = _moved((c, -r) for r, c in now)
    return list(dict.fromkeys(found))


def _moved(places: Iterable[Place]) -> Form:
    cells = sorted(places)
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    return tuple((r - top, c - left) for r, c in cells)


def _wrapped(side: int) -> tuple[Line, ...]:
    down = [
        tuple(side * row + (start + step * row) % side for row in range(side))
        for step in (1, -1)
        for start in range(side)
    ]
    plain = {down[0], down[-1]}
    return tuple(sorted(line for line in down if line not in plain))
