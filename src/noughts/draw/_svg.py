"""Draws a board as one self-contained SVG for papers and pages, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import hypot

from noughts.draw import _shapes as shapes
from noughts.draw._places import CAPTION, EDGE, Placement, check_cells, check_labels, mark_tone
from noughts.draw._status import status
from noughts.notation import position_text
from noughts.rules.geometry import blocks_of_cells
from noughts.rules.position import EMPTY
from noughts.rules.view import DRAWN, OPEN, View


@dataclass(frozen=True)
class Palette:
    """Colours of a picture.

    thick, thin: lines of the grid. faint: numbers. last: ground of the last move. tones: by `mark_tone`.
    """

    paper: str
    ink: str
    thick: str
    thin: str
    faint: str
    last: str
    drawn: str
    tones: tuple[str, str, str, str]


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
    lies on yellow, and the line that ended the game is struck through. labels: as for `text`. highlight: cells on a
    green ground. arrows: each from one cell to another. Cells are numbered row by row over the boards.
    """
    labels, highlight, arrows = labels or {}, tuple(highlight), tuple(arrows)
    check_labels(view, labels)
    check_cells(view, [*highlight, *(cell for arrow in arrows for cell in arrow)])
    picture = _Picture(view, Placement(view.rules), DARK if dark else LIGHT, labels, highlight, arrows)
    return "\n".join([*picture.head(), *picture.body(), "</svg>", ""])


@dataclass(frozen=True)
class _Picture:
    """The picture being drawn: its contents, layout and colours."""

    view: View
    placement: Placement
    palette: Palette
    labels: Mapping[int, str]
    highlight: tuple[int, ...] = ()
    arrows: tuple[tuple[int, int], ...] = ()

    def head(self) -> Iterator[str]:
        width, height = shapes.number(self.placement.width), shapes.number(self.placement.height)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">'
        )
        title = f"{self.view.rules.title}. {status(self.view)}"
        yield f"<title>{shapes.plain(title)}</title>"
        yield f"<desc>{shapes.plain(position_text(self.view))}</desc>"
        yield f'<rect width="{width}" height="{height}" rx="6" fill="{self.palette.paper}"/>'

    def body(self) -> Iterator[str]:
        """Yields the elements, from bottom to top."""
        if self.view.rules.nested:
            yield from self.edges()
            yield from self.grounds()
        yield from self.highlights()
        yield from self.grid()
        yield from self.cells()
        if self.view.rules.nested:
            yield from self.large_marks()
        yield from self.last_move()
        yield from self.strikes()
        yield from self.arrow_shapes()

    def edges(self) -> Iterator[str]:
        """Yields row and column numbers, and captions where there are several boards."""
        rules, placement = self.view.rules, self.placement
        look = f'fill="{self.palette.faint}"'
        for board in range(rules.boards):
            x, y = placement.board_corner(board)
            if rules.boards > 1:
                yield shapes.word((x + placement.board / 2, y - EDGE - CAPTION / 2), f"board {board}", 15, look)
            for place in range(rules.width):
                offset = placement.along(place) + placement.cell / 2
                yield shapes.word((x + offset, y - EDGE / 2), str(place), 11, look)
                yield shapes.word((x - EDGE / 2, y + offset), str(place), 11, look)

    def grounds(self) -> Iterator[str]:
        """Yields tints under the blocks that are playable, won or drawn."""
        view, placement = self.view, self.placement
        for block in range(view.rules.blocks):
            x, y = placement.block_corner(block)
            owner = view.owners[block]
            if block in view.playable:
                colour = self.player_colour(view.player)
                look = f'fill="{colour}" fill-opacity="0.14" stroke="{colour}" stroke-width="2"'
            elif owner == DRAWN:
                look = f'fill="{self.palette.drawn}"'
            elif owner != OPEN:
                look = f'fill="{self.player_colour(owner)}" fill-opacity="0.07"'
            else:
                continue
            yield shapes.rectangle((x + 4, y + 4), placement.block - 8, 5, look)

    def grid(self) -> Iterator[str]:
        """Yields lines between the cells of each block, and thick ones between blocks."""
        rules, placement = self.view.rules, self.placement
        fine, bold = [], []
        for block in range(rules.blocks):
            x, y = placement.block_corner(block)
            fine += _hatch((x + placement.inset, y + placement.inset), rules.side, placement.cell)
        if rules.nested:
            for board in range(rules.boards):
                bold += _hatch(placement.board_corner(board), rules.side, placement.block)
        ends = 'fill="none" stroke-linecap="round"'
        colour, width = (self.palette.thin, 1.2) if rules.nested else (self.palette.thick, 3)
        yield f'<path d="{shapes.path(fine)}" {ends} stroke="{colour}" stroke-width="{width}"/>'
        if bold:
            yield f'<path d="{shapes.path(bold)}" {ends} stroke="{self.palette.thick}" stroke-width="3"/>'

    def cells(self) -> Iterator[str]:
        """Yields all marks but the last, faint where their block is closed; labels; in flat games the numbers of empty
        cells."""
        view, rules, placement = self.view, self.view.rules, self.placement
        sign = "@" if any(mark.isdigit() for mark in rules.marks) else ""  # numbers alone would look like marks
        faded, blocks = [], blocks_of_cells(rules)
        for cell, mark in enumerate(view.cells):
            closed = rules.nested and view.owners[blocks[cell]] != OPEN
            if cell == view.last:
                continue
            if mark != EMPTY and closed:
                faded.append(self.mark(cell))
            elif mark != EMPTY:
                yield self.mark(cell)
            elif cell in self.labels and not closed:
                look = f'fill="{self.palette.ink}"'
                yield shapes.word(placement.cell_centre(cell), self.labels[cell], placement.cell * LABEL, look)
            elif not rules.nested:
                look = f'fill="{self.palette.faint}"'
                yield shapes.word(placement.cell_centre(cell), f"{sign}{cell}", placement.cell * NUMBER, look)
        if faded:
            yield "\n".join([f'<g opacity="{FADED}">', *faded, "</g>"])

    def mark(self, cell: int) -> str:
        rules, mark = self.view.rules, self.view.cells[cell]
        colour = self.palette.tones[mark_tone(rules, mark)]
        return shapes.mark(self.placement.cell_centre(cell), rules.marks[mark], self.placement.cell, colour)

    def large_marks(self) -> Iterator[str]:
        view, rules, placement = self.view, self.view.rules, self.placement
        for block, owner in enumerate(view.owners):
            if owner in (OPEN, DRAWN):
                continue
            yield shapes.mark(
                placement.block_centre(block), rules.places[owner], placement.block * LARGE, self.player_colour(owner)
            )

    def last_move(self) -> Iterator[str]:
        """Yields the last mark on its own background; above the large mark, if it won its block."""
        view, placement = self.view, self.placement
        if view.last is not None:
            x, y = placement.cell_corner(view.last)
            inset = placement.cell * 0.06
            look = f'fill="{self.palette.last}" stroke="{self.palette.ink}" stroke-width="1.2"'
            yield shapes.rectangle((x + inset, y + inset), placement.cell - 2 * inset, placement.cell * 0.12, look)
            yield self.mark(view.last)

    def strikes(self) -> Iterator[str]:
        """Yields strokes through the lines that ended the game, thinner than marks, since a diagonal runs along the
        strokes of an X.
        """
        placement = self.placement
        nested = self.view.rules.nested
        centre, size = (placement.block_centre, placement.block) if nested else (placement.cell_centre, placement.cell)
        for line in self.view.lines:
            way = shapes.strike([centre(place) for place in line], size)
            yield (
                f'<path d="{way}" fill="none" stroke="{self.palette.ink}" stroke-width="{STRIKE}" '
                'stroke-linecap="round" stroke-linejoin="round"/>'
            )

    def highlights(self) -> Iterator[str]:
        inset = self.placement.cell * 0.06
        look = f'fill="{self.palette.tones[2]}" fill-opacity="0.35"'
        for cell in self.highlight:
            x, y = self.placement.cell_corner(cell)
            yield shapes.rectangle((x + inset, y + inset), self.placement.cell - 2 * inset, inset * 2, look)

    def arrow_shapes(self) -> Iterator[str]:
        """Yields arrows between the centres of cells."""
        size, colour = self.placement.cell, self.palette.tones[2]
        for start, end in self.arrows:
            (x, y), (to_x, to_y) = self.placement.cell_centre(start), self.placement.cell_centre(end)
            long = hypot(to_x - x, to_y - y) or 1.0
            dx, dy = (to_x - x) / long, (to_y - y) / long
            neck = to_x - dx * size * 0.3, to_y - dy * size * 0.3
            sides = [(neck[0] - turn * dy * size * 0.17, neck[1] + turn * dx * size * 0.17) for turn in (1, -1)]
            look = f'fill="none" stroke="{colour}" stroke-width="{shapes.number(size * 0.09)}" stroke-linecap="round"'
            yield f'<path d="{shapes.path([[(x, y), neck]])}" {look}/>'
            yield f'<path d="{shapes.path([[sides[0], (to_x, to_y), sides[1]]], closed=True)}" fill="{colour}"/>'

    def player_colour(self, player: int) -> str:
        rules = self.view.rules
        return self.palette.tones[mark_tone(rules, rules.marks.index(rules.places[player]))]


def _hatch(corner: shapes.Point, side: int, step: float) -> list[list[shapes.Point]]:
    """Returns the strokes between `side` x `side` squares, without those around them."""
    x, y = corner
    end = side * step
    strokes = []
    for i in range(1, side):
        strokes.append([(x + i * step, y), (x + i * step, y + end)])
        strokes.append([(x, y + i * step), (x + end, y + i * step)])
    return strokes
