"""Draws a board as pixels, for the frames of environments. Needs Pillow, which comes with `noughts[rl]`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noughts.draw._display import LIGHT, Circle, Element, Ground, Polygon, Strokes, Word, display_list
from noughts.draw._places import Placement, Point
from noughts.rules.view import View

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

FINER = 2
"""Factor by which drawings are enlarged each way, then averaged, for smooth edges."""

Colour = tuple[int, int, int]


def raster(view: View) -> npt.NDArray[np.uint8]:
    """Returns the position as uint8[height, width, 3]: the SVG picture without its numbers and captions."""
    from PIL import Image, ImageDraw

    placement = Placement(view.rules)
    size = int(placement.width), int(placement.height)
    image = Image.new("RGB", (size[0] * FINER, size[1] * FINER), LIGHT.paper)
    canvas = ImageDraw.Draw(image)
    for element in display_list(view, placement, LIGHT):
        _draw(canvas, element)
    return np.asarray(image.resize(size, Image.Resampling.BOX), np.uint8)


def _draw(canvas: ImageDraw, element: Element) -> None:
    match element:
        case Ground(corner=(x, y), size=size):
            edge, width = element.border or (None, 0)
            box = _scaled((x, y), (x + size, y + size))
            fill = _blended(element.colour, element.opacity)
            canvas.rounded_rectangle(box, element.radius * FINER, fill, edge, _pixels(width) if edge else 0)
        case Strokes():
            colour = _blended(element.colour, element.opacity)
            for line in element.lines:
                for ends in pairwise([*line, line[0]] if element.closed else line):
                    canvas.line(_scaled(*ends), colour, _pixels(element.width))
        case Circle(centre=(x, y)):
            reach = element.radius + element.width / 2
            box = _scaled((x - reach, y - reach), (x + reach, y + reach))
            canvas.ellipse(box, outline=_blended(element.colour, element.opacity), width=_pixels(element.width))
        case Polygon():
            canvas.polygon(_scaled(*element.points), element.colour)
        case Word(centre=(x, y), is_mark=True):
            colour = _blended(element.colour, element.opacity)
            size = element.size * FINER
            canvas.text((x * FINER, y * FINER), element.text, colour, anchor="mm", stroke_width=FINER, font_size=size)


def _scaled(*points: Point) -> list[Point]:
    return [(x * FINER, y * FINER) for x, y in points]


def _pixels(width: float) -> int:
    return max(1, round(width * FINER))


def _blended(colour: str, opacity: float) -> Colour:
    """Returns a colour blended with white, the colour of the paper."""
    red, green, blue = (round(255 + (int(colour[start : start + 2], 16) - 255) * opacity) for start in (1, 3, 5))
    return red, green, blue
