"""Draws a board as pixels, for the frames of environments. Needs Pillow, which comes with `noughts[rl]`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noughts.draw._places import Placement, mark_tone
from noughts.draw._shapes import Point, strike_points
from noughts.draw._svg import FADED, LARGE, LIGHT, STRIKE
from noughts.rules.geometry import block_of
from noughts.rules.position import EMPTY
from noughts.rules.view import DRAWN, OPEN, View

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

FINER = 2
"""Factor by which drawings are enlarged each way, then averaged, for smooth edges."""

PLAYABLE_TINT, WON_TINT = 0.14, 0.07

Colour = tuple[int, int, int]


def raster(view: View) -> npt.NDArray[np.uint8]:
    """Returns the position as uint8[height, width, 3]: the size of the SVG picture, without its numbers and
    captions."""
    from PIL import Image, ImageDraw

    placement = Placement(view.rules)
    size = int(placement.width), int(placement.height)
    image = Image.new("RGB", (size[0] * FINER, size[1] * FINER), LIGHT.paper)
    _Pixels(view, placement, ImageDraw.Draw(image)).draw()
    return np.asarray(image.resize(size, Image.Resampling.BOX), np.uint8)


class _Pixels:
    def __init__(self, view: View, placement: Placement, canvas: ImageDraw) -> None:
        self.view = view
        self.placement = placement
        self.canvas = canvas

    def draw(self) -> None:
        """Draws all layers, from bottom to top."""
        rules, placement = self.view.rules, self.placement
        if rules.nested:
            self._grounds()
        for block in range(rules.blocks):
            x, y = placement.block_corner(block)
            thin = (LIGHT.thin, 1.2) if rules.nested else (LIGHT.thick, 3.0)
            self._hatch((x + placement.inset, y + placement.inset), placement.cell, *thin)
        for board in range(rules.boards if rules.nested else 0):
            self._hatch(placement.board_corner(board), placement.block, LIGHT.thick, 3.0)
        self._marks()
        for line in self.view.lines:
            centre, size = (
                (placement.block_centre, placement.block) if rules.nested else (placement.cell_centre, placement.cell)
            )
            points, closed = strike_points([centre(place) for place in line], size)
            for start, end in pairwise([*points, points[0]] if closed else points):
                self._stroke(start, end, LIGHT.ink, STRIKE)

    def _grounds(self) -> None:
        for block, owner in enumerate(self.view.owners):
            x, y = self.placement.block_corner(block)
            far = self.placement.block - 4
            if block in self.view.playable:
                fill = _tinted(self._player_colour(self.view.player), PLAYABLE_TINT)
            elif owner == DRAWN:
                fill = _rgb(LIGHT.drawn)
            elif owner != OPEN:
                fill = _tinted(self._player_colour(owner), WON_TINT)
            else:
                continue
            self.canvas.rectangle(_scaled((x + 4, y + 4), (x + far, y + far)), fill)

    def _marks(self) -> None:
        view, placement, rules = self.view, self.placement, self.view.rules
        for cell, mark in enumerate(view.cells):
            if mark == EMPTY:
                continue
            colour = _rgb(LIGHT.tones[mark_tone(rules, mark)])
            if cell == view.last:
                x, y = placement.cell_corner(cell)
                self.canvas.rectangle(
                    _scaled((x + 2, y + 2), (x + placement.cell - 2, y + placement.cell - 2)), LIGHT.last
                )
            elif rules.nested and view.owners[block_of(rules, cell)] != OPEN:
                colour = _tinted(colour, FADED)
            self._mark(placement.cell_centre(cell), rules.marks[mark], placement.cell, colour)
        for block, owner in enumerate(view.owners if rules.nested else ()):
            if owner not in (OPEN, DRAWN):
                colour = self._player_colour(owner)
                self._mark(placement.block_centre(block), rules.places[owner], placement.block * LARGE, colour)

    def _mark(self, centre: Point, letter: str, size: float, colour: Colour) -> None:
        x, y = centre
        if letter == "X":
            reach = size * 0.27
            self._stroke((x - reach, y - reach), (x + reach, y + reach), colour, size * 0.12)
            self._stroke((x - reach, y + reach), (x + reach, y - reach), colour, size * 0.12)
        elif letter == "O":
            radius = size * 0.35
            box = _scaled((x - radius, y - radius), (x + radius, y + radius))
            self.canvas.ellipse(box, outline=colour, width=round(size * 0.12 * FINER))
        else:
            at = (x * FINER, y * FINER)
            self.canvas.text(at, letter, colour, anchor="mm", stroke_width=FINER, font_size=size * 0.75 * FINER)

    def _hatch(self, corner: Point, step: float, colour: str, width: float) -> None:
        x, y = corner
        end = self.view.rules.side * step
        for i in range(1, self.view.rules.side):
            self._stroke((x + i * step, y), (x + i * step, y + end), colour, width)
            self._stroke((x, y + i * step), (x + end, y + i * step), colour, width)

    def _stroke(self, start: Point, end: Point, colour: str | Colour, width: float) -> None:
        self.canvas.line(_scaled(start, end), colour, max(1, round(width * FINER)))

    def _player_colour(self, player: int) -> Colour:
        rules = self.view.rules
        return _rgb(LIGHT.tones[mark_tone(rules, rules.marks.index(rules.places[player]))])


def _scaled(*points: Point) -> list[Point]:
    return [(x * FINER, y * FINER) for x, y in points]


def _rgb(colour: str) -> Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _tinted(colour: Colour, opacity: float) -> Colour:
    """Returns a colour blended with white, the colour of the paper."""
    red, green, blue = (round(255 + (part - 255) * opacity) for part in colour)
    return red, green, blue
