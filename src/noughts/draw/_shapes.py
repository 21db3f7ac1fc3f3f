"""SVG elements as text: marks, words and lines. Points are (x, y), y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import atan2

Point = tuple[float, float]

FONT = "Helvetica, Arial, sans-serif"
CAP_HEIGHT = 0.72  # of the font size; letters are centred by it, since not every viewer supports dominant-baseline


def number(value: float) -> str:
    """Formats a number with at most two decimals, as short as possible."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def plain(content: str) -> str:
    """Escapes any text for XML."""
    return escape("".join(char if char.isprintable() else " " for char in content), quote=False)


def path(strokes: Sequence[Sequence[Point]], *, closed: bool = False) -> str:
    """Returns the d attribute of open or closed polygons."""
    end = "Z" if closed else ""
    return "".join("M" + "L".join(f"{number(x)} {number(y)}" for x, y in stroke) + end for stroke in strokes)


def rectangle(corner: Point, size: float, radius: float, look: str) -> str:
    x, y = map(number, corner)
    return f'<rect x="{x}" y="{y}" width="{number(size)}" height="{number(size)}" rx="{number(radius)}" {look}/>'


def word(centre: Point, content: str, size: float, look: str) -> str:
    """Returns a text whose capitals are centred on a point."""
    x, y = number(centre[0]), number(centre[1] + size * CAP_HEIGHT / 2)
    return (
        f'<text x="{x}" y="{y}" font-family="{FONT}" font-size="{number(size)}" '
        f'text-anchor="middle" {look}>{plain(content)}</text>'
    )


def mark(centre: Point, letter: str, size: float, colour: str) -> str:
    """Returns a mark in a square of the given size: X and O as shapes, others as bold text."""
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
    """Returns the d attribute of a line through the centres of squares of the given size: see `strike_points`."""
    points, closed = strike_points(centres, size)
    return path([points], closed=closed)


def strike_points(centres: Sequence[Point], size: float) -> tuple[list[Point], bool]:
    """Returns the points of a line through the centres of squares of the given size, and whether it is closed.

    Squares in a row give one stroke from edge to edge; others, such as a diamond, an outline through all of them.
    """
    points = sorted(centres)
    (x0, y0), (x1, y1) = points[0], points[-1]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    if all(abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) < length for x, y in points):
        dx, dy = (x1 - x0) / length * size * 0.38, (y1 - y0) / length * size * 0.38
        return [(x0 - dx, y0 - dy), (x1 + dx, y1 + dy)], False
    middle = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
    return sorted(points, key=lambda point: atan2(point[1] - middle[1], point[0] - middle[0])), True
