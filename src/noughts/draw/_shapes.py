"""Pieces of SVG: marks, words and lines, each an element as text. Points are (x, y), y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import atan2

Point = tuple[float, float]

FONT = "Helvetica, Arial, sans-serif"
CAP_HEIGHT = 0.72  # of the font size; letters are centred by it, as not every viewer knows dominant-baseline


def number(value: float) -> str:
    """Up to two decimals, and no more characters than needed."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def plain(content: str) -> str:
    """A text as XML may hold it, whatever is in it."""
    return escape("".join(char if char.isprintable() else " " for char in content), quote=False)


def path(strokes: Sequence[Sequence[Point]], *, closed: bool = False) -> str:
    """The d attribute of open or closed polygons."""
    end = "Z" if closed else ""
    return "".join("M" + "L".join(f"{number(x)} {number(y)}" for x, y in stroke) + end for stroke in strokes)


def rectangle(corner: Point, size: float, radius: float, look: str) -> str:
    x, y = map(number, corner)
    return f'<rect x="{x}" y="{y}" width="{number(size)}" height="{number(size)}" rx="{number(radius)}" {look}/>'


def word(centre: Point, content: str, size: float, look: str) -> str:
    """A text whose capitals are centred on a point."""
    x, y = number(centre[0]), number(centre[1] + size * CAP_HEIGHT / 2)
    return (
        f'<text x="{x}" y="{y}" font-family="{FONT}" font-size="{number(size)}" '
        f'text-anchor="middle" {look}>{plain(content)}</text>'
    )


def mark(centre: Point, letter: str, size: float, colour: str) -> str:
    """A mark in a square of the given size: X and O as shapes, others as bold text."""
    x, y = centre
    stroke = f'fill="none" stroke="{colour}" stroke-width="{number(size * 0.12)}" stroke-linecap="round"'
    if letter == "X":
        reach = size * 0.27
        strokes = [
            [(x - reach, y - reach), (x + reach, y + reach)],
            [(x - reach, y + reach), (x + reach, y - reach)],
        ]
        return f'<path d="{path(strokes)}" {stroke}/>'
    if letter == "O":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(size * 0.29)}" {stroke}/>'
    return word(centre, letter, size * 0.75, f'font-weight="bold" fill="{colour}"')


def strike(centres: Sequence[Point], size: float) -> str:
    """The d attribute of a line through the centres of squares of the given size: see `strike_points`."""
    points, closed = strike_points(centres, size)
    return path([points], closed=closed)


def strike_points(centres: Sequence[Point], size: float) -> tuple[list[Point], bool]:
    """The points of a line through the centres of squares of the given size, and whether it ends where it began.

    Squares in a row give one stroke from edge to edge; others, such as a diamond, an outline through them all.
    """
    points = sorted(centres)
    (x0, y0), (x1, y1) = points[0], points[-1]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    if all(abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) < length for x, y in points):
        dx, dy = (x1 - x0) / length * size * 0.38, (y1 - y0) / length * size * 0.38
        return [(x0 - dx, y0 - dy), (x1 + dx, y1 + dy)], False
    middle = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
    return sorted(points, key=lambda point: atan2(point[1] - middle[1], point[0] - middle[0])), True
