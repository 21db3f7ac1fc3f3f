"""What a picture of a position consists of, from bottom to top: the same elements for SVG and for pixels.

Points are (x, y), y downwards. Lengths are in units of the SVG.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import atan2, hypot
from typing import NamedTuple

from noughts.draw._places import CAPTION, EDGE, Placement, Point, check_cells, check_labels, mark_tone
from noughts.rules.geometry import blocks_of_cells
from noughts.rules.position import EMPTY
from noughts.rules.view import DRAWN, OPEN, View


@dataclass(frozen=True)
class Palette:
    """Colours of a picture."""

    paper: str
    ink: str
    thick: str
    """Lines between blocks."""
    thin: str
    """Lines between cells of a block."""
    faint: str
    """Numbers and captions."""
    last: str
    """Ground of the last move."""
    drawn: str
    """Ground of a drawn block."""
    tones: tuple[str, str, str, str]
    """Colours of marks, by `mark_tone`."""


LIGHT = Palette(
    paper="#ffffff",
    ink="#1f2328",
    thick="#4a525c",
    thin="#c6cdd5",
    faint="#8b949e",
    last="#ffe58a",
    drawn="#eceff2",
    tones=("#0072b2", "#d55e00", "#009e73", "#aa4499"),
)
DARK = Palette(
    paper="#14181d",
    ink="#f0f3f6",
    thick="#aab4bf",
    thin="#46505b",
    faint="#8b949e",
    last="#6e5c10",
    drawn="#262c33",
    tones=("#56b4e9", "#f0903a", "#2fc39a", "#d89ad0"),
)
FADED = 0.3  # opacity of the marks in a closed block
LABEL, NUMBER = 0.38, 0.2  # font sizes of labels and cell numbers, of a cell
STRIKE = 3.5  # width of the line through a winning line
LARGE = 1.15  # size of a large mark, of a block; a mark fills about two thirds of its size
PLAYABLE_TINT, WON_TINT, HIGHLIGHT_TINT = 0.14, 0.07, 0.35


class Ground(NamedTuple):
    """A square with round corners."""

    corner: Point
    size: float
    radius: float
    colour: str
    opacity: float = 1.0
    border: tuple[str, float] | None = None
    """Colour and width of its edge."""


class Strokes(NamedTuple):
    """Lines through points."""

    lines: list[list[Point]]
    colour: str
    width: float
    opacity: float = 1.0
    closed: bool = False


class Circle(NamedTuple):
    """A circle; its line has a width."""

    centre: Point
    radius: float
    colour: str
    width: float
    opacity: float = 1.0


class Polygon(NamedTuple):
    """A filled polygon."""

    points: list[Point]
    colour: str


class Word(NamedTuple):
    """A text whose capitals are centred on a point."""

    centre: Point
    text: str
    size: float
    colour: str
    opacity: float = 1.0
    is_mark: bool = False
    """Whether it is a mark, which is bold; other words are numbers, labels and captions."""


Element = Ground | Strokes | Circle | Polygon | Word


def display_list(
    view: View,
    placement: Placement,
    palette: Palette,
    *,
    labels: Mapping[int, str] | None = None,
    highlight: Iterable[int] = (),
    arrows: Iterable[tuple[int, int]] = (),
) -> list[Element]:
    """Returns the elements of a picture of a position.

    labels: as for `text`. highlight: cells on a green ground. arrows: each from one cell to another. Cells are numbered
    row by row over the boards.
    """
    labels, highlight, arrows = labels or {}, tuple(highlight), tuple(arrows)
    check_labels(view, labels)
    check_cells(view, [*highlight, *(cell for arrow in arrows for cell in arrow)])
    picture = _Picture(view, placement, palette)
    return [
        *picture.edges(),
        *picture.grounds(),
        *picture.highlights(highlight),
        *picture.grid(),
        *picture.cells(labels),
        *picture.large_marks(),
        *picture.last_move(),
        *picture.strikes(),
        *picture.arrows(arrows),
    ]


@dataclass(frozen=True)
class _Picture:
    view: View
    placement: Placement
    palette: Palette

    def edges(self) -> Iterator[Element]:
        """Yields row and column numbers of nested games, and captions where there are several boards."""
        rules, placement, colour = self.view.rules, self.placement, self.palette.faint
        for board in range(rules.boards if rules.nested else 0):
            x, y = placement.board_corner(board)
            if rules.boards > 1:
                yield Word((x + placement.board / 2, y - EDGE - CAPTION / 2), f"board {board}", 15, colour)
            for place in range(rules.width):
                offset = placement.along(place) + placement.cell / 2
                yield Word((x + offset, y - EDGE / 2), str(place), 11, colour)
                yield Word((x - EDGE / 2, y + offset), str(place), 11, colour)

    def grounds(self) -> Iterator[Element]:
        """Yields tints under the blocks that are playable, won or drawn."""
        view, placement = self.view, self.placement
        for block, owner in enumerate(view.owners if view.rules.nested else ()):
            x, y = placement.block_corner(block)
            square = (x + 4, y + 4), placement.block - 8, 5
            if block in view.playable:
                colour = self.player_colour(view.player)
                yield Ground(*square, colour, PLAYABLE_TINT, (colour, 2))
            elif owner == DRAWN:
                yield Ground(*square, self.palette.drawn)
            elif owner != OPEN:
                yield Ground(*square, self.player_colour(owner), WON_TINT)

    def highlights(self, cells: Iterable[int]) -> Iterator[Element]:
        inset = self.placement.cell * 0.06
        for cell in cells:
            x, y = self.placement.cell_corner(cell)
            size = self.placement.cell - 2 * inset
            yield Ground((x + inset, y + inset), size, inset * 2, self.palette.tones[2], HIGHLIGHT_TINT)

    def grid(self) -> Iterator[Element]:
        """Yields lines between the cells of each block, and thick ones between blocks."""
        rules, placement = self.view.rules, self.placement
        fine, bold = [], []
        for block in range(rules.blocks):
            x, y = placement.block_corner(block)
            fine += _hatch((x + placement.inset, y + placement.inset), rules.side, placement.cell)
        for board in range(rules.boards if rules.nested else 0):
            bold += _hatch(placement.board_corner(board), rules.side, placement.block)
        yield Strokes(fine, *((self.palette.thin, 1.2) if rules.nested else (self.palette.thick, 3)))
        if bold:
            yield Strokes(bold, self.palette.thick, 3)

    def cells(self, labels: Mapping[int, str]) -> Iterator[Element]:
        """Yields all marks but the last, faint where their block is closed; labels; in flat games the numbers of empty
        cells."""
        view, rules, placement = self.view, self.view.rules, self.placement
        sign = "@" if any(mark.isdigit() for mark in rules.marks) else ""  # numbers alone would look like marks
        blocks = blocks_of_cells(rules)
        for cell, mark in enumerate(view.cells):
            closed = rules.nested and view.owners[blocks[cell]] != OPEN
            if cell == view.last:
                continue
            if mark != EMPTY:
                yield from self.mark(cell, FADED if closed else 1.0)
            elif cell in labels and not closed:
                yield Word(placement.cell_centre(cell), labels[cell], placement.cell * LABEL, self.palette.ink)
            elif not rules.nested:
                number = f"{sign}{cell}"
                yield Word(placement.cell_centre(cell), number, placement.cell * NUMBER, self.palette.faint)

    def mark(self, cell: int, opacity: float = 1.0) -> Iterator[Element]:
        rules, mark = self.view.rules, self.view.cells[cell]
        colour = self.palette.tones[mark_tone(rules, mark)]
        return _mark(self.placement.cell_centre(cell), rules.marks[mark], self.placement.cell, colour, opacity)

    def large_marks(self) -> Iterator[Element]:
        """Yields a mark over each won block."""
        view, placement = self.view, self.placement
        for block, owner in enumerate(view.owners if view.rules.nested else ()):
            if owner not in (OPEN, DRAWN):
                letter, colour = view.rules.places[owner], self.player_colour(owner)
                yield from _mark(placement.block_centre(block), letter, placement.block * LARGE, colour)

    def last_move(self) -> Iterator[Element]:
        """Yields the last mark on its own background; above the large mark, if it won its block."""
        view, placement = self.view, self.placement
        if view.last is not None:
            x, y = placement.cell_corner(view.last)
            inset, size = placement.cell * 0.06, placement.cell * 0.88
            edge = self.palette.ink, 1.2
            yield Ground((x + inset, y + inset), size, placement.cell * 0.12, self.palette.last, 1.0, edge)
            yield from self.mark(view.last)

    def strikes(self) -> Iterator[Element]:
        """Yields strokes through the lines that ended the game, thinner than marks, since a diagonal runs along the
        strokes of an X.
        """
        placement, nested = self.placement, self.view.rules.nested
        centre, size = (placement.block_centre, placement.block) if nested else (placement.cell_centre, placement.cell)
        for line in self.view.lines:
            points, closed = _strike([centre(place) for place in line], size)
            yield Strokes([points], self.palette.ink, STRIKE, 1.0, closed)

    def arrows(self, arrows: Iterable[tuple[int, int]]) -> Iterator[Element]:
        """Yields arrows between the centres of cells."""
        size, colour = self.placement.cell, self.palette.tones[2]
        for start, end in arrows:
            (x, y), (to_x, to_y) = self.placement.cell_centre(start), self.placement.cell_centre(end)
            long = hypot(to_x - x, to_y - y) or 1.0
            dx, dy = (to_x - x) / long, (to_y - y) / long
            neck = to_x - dx * size * 0.3, to_y - dy * size * 0.3
            left, right = [(neck[0] - turn * dy * size * 0.17, neck[1] + turn * dx * size * 0.17) for turn in (1, -1)]
            yield Strokes([[(x, y), neck]], colour, size * 0.09)
            yield Polygon([left, (to_x, to_y), right], colour)

    def player_colour(self, player: int) -> str:
        rules = self.view.rules
        return self.palette.tones[mark_tone(rules, rules.marks.index(rules.places[player]))]


def _mark(centre: Point, letter: str, size: float, colour: str, opacity: float = 1.0) -> Iterator[Element]:
    """Yields a mark in a square of the given size: X and O as shapes, others as text."""
    x, y = centre
    if letter == "X":
        reach = size * 0.27
        falling = [(x - reach, y - reach), (x + reach, y + reach)]
        rising = [(x - reach, y + reach), (x + reach, y - reach)]
        yield Strokes([falling, rising], colour, size * 0.12, opacity)
    elif letter == "O":
        yield Circle(centre, size * 0.29, colour, size * 0.12, opacity)
    else:
        yield Word(centre, letter, size * 0.75, colour, opacity, is_mark=True)


def _hatch(corner: Point, side: int, step: float) -> list[list[Point]]:
    """Returns the strokes between `side` x `side` squares, without those around them."""
    x, y = corner
    end = side * step
    strokes = []
    for i in range(1, side):
        strokes.append([(x + i * step, y), (x + i * step, y + end)])
        strokes.append([(x, y + i * step), (x + end, y + i * step)])
    return strokes


def _strike(centres: Sequence[Point], size: float) -> tuple[list[Point], bool]:
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
