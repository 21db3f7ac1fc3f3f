"""Generates rule variants by seed: records of facts whose lines are small pictures.

A variant is one to three shapes, a way of marking, and whether a line wins or loses. `canonical` is the same for
records that differ only in the names of cells and numbers, so that a suite never contains a game twice.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from noughts.games import VARIANTS
from noughts.rules.shapes import SHAPE_NAMES, shape_lines
from noughts.rules.spec import Line, Rules, RulesError
from noughts.rules.symmetry import refined

TITLE = "a generated game"


@dataclass(frozen=True)
class Marking:
    """A way of marking. sums: possible target sums of a line. sides: of the boards it is played on."""

    family: str
    marks: str = "XO"
    places: tuple[str, str] = ("X", "O")
    once: bool = False
    sums: tuple[int | None, ...] = (None,)
    sides: tuple[int, ...] = (3,)


NINE = "123456789"
NINE_SUMS = tuple(range(10, 25))
MARKINGS = (
    Marking("own", sides=(3, 4)),
    Marking("wild", places=("XO", "XO"), sides=(3, 4)),
    Marking("half-wild-first", places=("XO", "O")),
    Marking("half-wild-second", places=("X", "XO")),
    Marking("three-marks", marks="XOZ", places=("XOZ", "XOZ")),
    Marking("sum-12", marks="12", places=("12", "12"), sums=tuple(range(4, 10))),
    Marking("sum-123", marks="123", places=("123", "123"), sums=tuple(range(4, 13))),
    Marking("sum-13-24", marks="1234", places=("13", "24"), sums=tuple(range(5, 16))),
    Marking("once-odd-even", marks=NINE, places=("13579", "2468"), once=True, sums=NINE_SUMS),
    Marking("once-low-high", marks=NINE, places=("12345", "6789"), once=True, sums=NINE_SUMS),
    Marking("once-mixed", marks=NINE, places=("12589", "3467"), once=True, sums=NINE_SUMS),
)


@dataclass(frozen=True)
class Variant:
    """A generated game. shapes: the names of the shapes of its lines."""

    rules: Rules
    family: str
    shapes: tuple[str, ...]


@lru_cache(8)
def shapes_on(side: int) -> tuple[str, ...]:
    """Returns the shapes that fit on a board, without duplicates."""
    found: dict[tuple[Line, ...], str] = {}
    for name in SHAPE_NAMES:
        lines = shape_lines(name, side)
        if lines:
            found.setdefault(lines, name)
    return tuple(found.values())


def make_variant(side: int, shapes: tuple[str, ...], marking: Marking, target: int | None, misere: bool) -> Variant:
    """Returns the variant of these facts. Raises RulesError if they are not a game, or have too many lines for the
    kernel."""
    lines = tuple(dict.fromkeys(line for shape in shapes for line in shape_lines(shape, side)))
    if target is None:
        lines = _without_longer(lines)
    else:
        lines = tuple(line for line in lines if _can_make(marking, len(line), target))
    family = f"{marking.family}-{side}"
    rules = Rules(
        name=family,
        title=TITLE,
        side=side,
        lines=lines,
        marks=marking.marks,
        places=marking.places,
        once=marking.once,
        line_sum=target,
        misere=misere,
    )
    used = tuple(shape for shape in shapes if not set(lines).isdisjoint(shape_lines(shape, side)))
    return Variant(rules, family, used)


def _can_make(marking: Marking, length: int, target: int) -> bool:
    """Returns whether a line of this length can make the sum; others are not part of the game."""
    worths = range(1, len(marking.marks) + 1)
    sums = combinations(worths, length) if marking.once else combinations_with_replacement(worths, length)
    return any(sum(way) == target for way in sums)


def _without_longer(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Removes lines that contain another: with equal marks the shorter one is always complete first."""
    sets = [frozenset(line) for line in lines]
    return tuple(line for line, own in zip(lines, sets, strict=True) if not any(other < own for other in sets))


def draw_variants(
    seed: int | str, markings: tuple[Marking, ...] = MARKINGS, side: int | None = None
) -> Iterator[Variant]:
    """Yields endless variants by seed; in four of ten, lines lose. A game may recur under other names."""
    draw = random.Random(seed)
    while True:
        marking = draw.choice(markings)
        on = side or draw.choice(marking.sides)
        shapes = tuple(draw.sample(shapes_on(on), draw.choice((1, 2, 2, 3))))
        target, misere = draw.choice(marking.sums), draw.random() < 0.4
        if on not in marking.sides:
            raise ValueError(f"{marking.family} is played on sides {marking.sides}, not {on}")
        try:
            yield make_variant(on, shapes, marking, target, misere)
        except RulesError:
            continue


def distinct(variants: Iterator[Variant]) -> Iterator[Variant]:
    """Yields the variants that are not renamed copies of earlier ones or of built-in games."""
    seen = {canonical(rules) for rules in VARIANTS if not rules.nested}
    for variant in variants:
        form = canonical(variant.rules)
        if form not in seen:
            seen.add(form)
            yield variant


def canonical(rules: Rules) -> tuple[object, ...]:
    """Returns a key that is equal for two flat records if they differ only in the names of cells and numbers."""
    lines = canonical_lines(rules.cells, frozenset(tuple(sorted(line)) for line in rules.lines))
    marks = (len(rules.marks), _placers(rules.marks, rules.places), rules.line_sum)
    lengths = {len(line) for line in rules.lines}
    if rules.line_sum is None:
        marks = (len(rules.marks), tuple(sorted(marks[1])), None)
    elif len(lengths) == 1:
        # Replaces n by N + 1 - n, which reverses the sums of lines of one length.
        turned = _placers(rules.marks[::-1], rules.places)
        marks = min(marks, (len(rules.marks), turned, lengths.pop() * (len(rules.marks) + 1) - rules.line_sum))
    return (rules.side, lines, marks, rules.once, rules.misere)


def _placers(marks: str, places: tuple[str, str]) -> tuple[tuple[bool, bool], ...]:
    return tuple((mark in places[0], mark in places[1]) for mark in marks)


@lru_cache(4096)
def canonical_lines(cells: int, lines: frozenset[Line]) -> tuple[Line, ...]:
    """Returns a set of lines under the least naming of its cells.

    Colours are refined; where they leave a choice, each cell of the first undecided colour is tried. Of interchangeable
    cells one is enough.
    """

    def twins(p: int, q: int) -> bool:
        exchanged = {p: q, q: p}
        return all(
            tuple(sorted(exchanged.get(c, c) for c in line)) in lines for line in lines if (p in line) != (q in line)
        )

    def least(colours: list[int]) -> tuple[Line, ...]:
        colours = refined(cells, lines, colours)
        by_colour: dict[int, list[int]] = {}
        for cell, colour in enumerate(colours):
            by_colour.setdefault(colour, []).append(cell)
        undecided = next((by_colour[c] for c in sorted(by_colour) if len(by_colour[c]) > 1), None)
        if undecided is None:
            return tuple(sorted(tuple(sorted(colours[cell] for cell in line)) for line in lines))
        tried: list[int] = []
        for cell in undecided:
            if not any(twins(cell, other) for other in tried):
                tried.append(cell)
        return min(least([2 * colour - (cell == chosen) for cell, colour in enumerate(colours)]) for chosen in tried)

    return least([0] * cells)
