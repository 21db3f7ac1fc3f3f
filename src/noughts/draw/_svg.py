"""Draws a board as one self-contained SVG for papers and pages, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from noughts.draw._display import DARK, LIGHT, Circle, Element, Ground, Polygon, Strokes, Word, display_list
from noughts.draw._places import Placement, Point
from noughts.draw._status import status
from noughts.notation import position_text
from noughts.rules.view import View

FONT = "Helvetica, Arial, sans-serif"
CAP_HEIGHT = 0.72  # of the font size; letters are centred by it, since not every viewer supports dominant-baseline


def svg(
    view: View,
    *,
    dark: bool = False,
    labels: Mapping[int, str] | None = None,
    highlight: Iterable[int] = (),
    arrows: Iterable[tuple[int, int]] = (),
) -> str:
    """Returns the position as the text of an SVG file.

    The blocks that take the next mark are tinted in the mover's colour, won blocks carry a large mark, the last move
    lies on yellow, and the line that ended the game is struck through. labels, highlight, arrows: as for
    `display_list`.
    """
    placement, palette = Placement(view.rules), DARK if dark else LIGHT
    elements = display_list(view, placement, palette, labels=labels, highlight=highlight, arrows=arrows)
    width, height = _number(placement.width), _number(placement.height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">',
            f"<title>{_plain(f'{view.rules.title}. {status(view)}')}</title>",
            f"<desc>{_plain(position_text(view))}</desc>",
            f'<rect width="{width}" height="{height}" rx="6" fill="{palette.paper}"/>',
            *map(_element, elements),
            "</svg>",
            "",
        ]
    )


def _element(element: Element) -> str:
    """Returns the text of an element."""
    match element:
        case Ground():
            return _ground(element)
        case Strokes():
            line = _line(element.colour, element.width)
            faded = _opacity(element.opacity)
            return f'<path d="{_path(element.lines, element.closed)}" {line} stroke-linejoin="round"{faded}/>'
        case Circle():
            (x, y), line = element.centre, _line(element.colour, element.width)
            faded = _opacity(element.opacity)
            return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(element.radius)}" {line}{faded}/>'
        case Polygon():
            return f'<path d="{_path([element.points], closed=True)}" fill="{element.colour}"/>'
        case Word():
            return _word(element)


def _ground(ground: Ground) -> str:
    x, y = map(_number, ground.corner)
    size = _number(ground.size)
    look = f'fill="{ground.colour}"' + ("" if ground.opacity == 1 else f' fill-opacity="{ground.opacity}"')
    if ground.border is not None:
        look += f' stroke="{ground.border[0]}" stroke-width="{_number(ground.border[1])}"'
    return f'<rect x="{x}" y="{y}" width="{size}" height="{size}" rx="{_number(ground.radius)}" {look}/>'


def _word(word: Word) -> str:
    x, y = _number(word.centre[0]), _number(word.centre[1] + word.size * CAP_HEIGHT / 2)
    weight = 'font-weight="bold" ' if word.is_mark else ""
    return (
        f'<text x="{x}" y="{y}" font-family="{FONT}" font-size="{_number(word.size)}" text-anchor="middle" '
        f'{weight}fill="{word.colour}"{_opacity(word.opacity)}>{_plain(word.text)}</text>'
    )


def _line(colour: str, width: float) -> str:
    return f'fill="none" stroke="{colour}" stroke-width="{_number(width)}" stroke-linecap="round"'


def _opacity(opacity: float) -> str:
    return "" if opacity == 1 else f' opacity="{opacity}"'


def _path(lines: Sequence[Sequence[Point]], closed: bool) -> str:
    """Returns the d attribute of open or closed polygons."""
    end = "Z" if closed else ""
    return "".join("M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in line) + end for line in lines)


def _number(value: float) -> str:
    """Formats a number with at most two decimals, as short as possible."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _plain(content: str) -> str:
    """Escapes any text for XML."""
    return escape("".join(char if char.isprintable() else " " for char in content), quote=False)
