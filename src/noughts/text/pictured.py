"""States the rules of a flat game with unusual lines or marks: every kind of line is a small picture, and nothing is
assumed. A reader of this text alone can play the game exactly as the kernel does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from noughts.rules.shapes import (
    SHAPE_NAMES,
    SHAPES,
    WRAPPED,
    form_of_line,
    form_of_picture,
    picture_of,
    shape_lines,
    turned,
)
from noughts.rules.spec import Line, Rules
from noughts.text.words import listed

LISTED_LINES = 4
"""A shape with more places than this is described by one example; the picture shows the rest."""


@dataclass(frozen=True)
class LineGroup:
    """Lines that are described together. whole: whether they are all places of the shape `name`."""

    name: str
    lines: tuple[Line, ...]
    whole: bool


def pictured(rules: Rules, player: int, opening: str, *, pictures: bool = True) -> list[str]:
    """Returns the rules for one player, line by line, without how to write a move.

    pictures: whether lines are shown by their shapes; else they are listed by their cells.
    """
    own, other = (listed(list(rules.places[seat]), "or") for seat in (player, 1 - player))
    same = rules.places[0] == rules.places[1]
    either = "either " if len(rules.places[player]) == 2 else ""
    who = (
        f"On each turn you may place {either}{own}, and so may your opponent."
        if same
        else f"You place {own}; your opponent places {other}."
    )
    return [
        f"{opening} The players move in turn; Player 0 moves first. On each move a player marks one empty cell.",
        who + _once(rules) + _worths(rules),
        f"The board is {rules.side} x {rules.side}; its cells are numbered",
        *_numbers(rules),
        *(_shapes(rules) if pictures else _cells(rules)),
        _goal(rules),
        _draw(rules),
    ]


def _shapes(rules: Rules) -> list[str]:
    head = f"These are the lines, and no others ({len(rules.lines)} in all; '#' is a cell of the line, '.' is not):"
    shapes = {name: shape_lines(name, rules.side) for name in SHAPE_NAMES}
    return [head, *(text for group in line_groups(rules, shapes) for text in _group_lines(group, rules.side))]


def _cells(rules: Rules) -> list[str]:
    lines = sorted(tuple(sorted(line)) for line in rules.lines)
    head = f"These are the lines, and no others ({len(lines)} in all), by the numbers of their cells:"
    return [head, "; ".join("-".join(map(str, line)) for line in lines)]


def line_groups(rules: Rules, shapes: Mapping[str, Sequence[Line]]) -> list[LineGroup]:
    """Returns the lines of a game by shape: first those of these shapes whose every placement is a line, then the
    others."""
    left = {tuple(sorted(line)) for line in rules.lines}
    groups = []
    for name, placements in shapes.items():
        lines = tuple(tuple(sorted(line)) for line in placements)
        if lines and left.issuperset(lines):
            groups.append(LineGroup(name, lines, whole=True))
            left.difference_update(lines)
    known = {}
    for name, (picture, turns) in SHAPES.items():
        form = form_of_picture(picture)
        known.update(dict.fromkeys(turned(form) if turns else [form], name))
    rest: dict[str, list[Line]] = {}
    for line in sorted(left):
        form = form_of_line(line, rules.side)
        name = known.get(form) or "/".join(picture_of(form))
        rest.setdefault(name, []).append(line)
    return groups + [LineGroup(name, tuple(lines), whole=False) for name, lines in rest.items()]


def _group_lines(group: LineGroup, side: int) -> list[str]:
    cells = "; ".join("-".join(map(str, line)) for line in group.lines)
    if group.name == WRAPPED:
        return [f"- {WRAPPED} (it leaves the board and goes on at the opposite edge): the cells {cells}"]
    known = group.name in SHAPES
    form = form_of_picture(SHAPES[group.name][0]) if group.whole else form_of_line(group.lines[0], side)
    picture = [f"    {' '.join(row)}" for row in picture_of(form)]
    if group.whole and len(group.lines) > LISTED_LINES:
        how = "in any rotation or reflection, " if SHAPES[group.name][1] else "as drawn, "
        example = "-".join(map(str, group.lines[0]))
        return [
            f"- {group.name}: {how}anywhere on the board, {len(group.lines)} lines, for example {example}",
            *picture,
        ]
    only = "" if group.whole else "only "
    return [f"- {group.name if known else 'this shape'}: {only}the cells {cells}", *picture]


def _once(rules: Rules) -> str:
    if not rules.once:
        return ""
    shared = " by either player" if set(rules.places[0]) & set(rules.places[1]) else ""
    return f" Each {_thing(rules)} can be used once{shared}."


def _thing(rules: Rules) -> str:
    return "number" if all(mark.isdigit() for mark in rules.marks) else "mark"


def _worths(rules: Rules) -> str:
    """Returns the worth of marks that are summed, unless each is the digit of its worth."""
    pairs = [(mark, str(number)) for number, mark in enumerate(rules.marks, 1)]
    if rules.line_sum is None or all(mark == number for mark, number in pairs):
        return ""
    return f" {listed([f'{mark} counts as {number}' for mark, number in pairs])}."


def _numbers(rules: Rules) -> list[str]:
    cells = range(rules.cells)
    rows = [cells[start : start + rules.side] for start in range(0, rules.cells, rules.side)]
    return [" ".join(f"{cell:>3}" for cell in row) for row in rows]


def _goal(rules: Rules) -> str:
    verb = "loses" if rules.misere else "wins"
    last = f"Whoever fills the last empty cell of a line {verb} at once"
    if rules.line_sum is not None:
        return (
            f"{last} if the {_thing(rules)}s in its cells then add up to exactly {rules.line_sum}, "
            "whoever placed the others. A line that is not full does not count."
        )
    if rules.own_marks:
        return f"Whoever has their own mark in all cells of a line {verb} at once."
    if len(rules.marks) == 1:
        return f"{last}, whoever placed the others."
    return f"{last} if all its cells then hold the same mark, whoever placed the others."


def _draw(rules: Rules) -> str:
    full = "If all cells are full and no such line was made, the game is a draw."
    turns = (rules.cells + 1) // 2, rules.cells // 2
    apart = not set(rules.places[0]) & set(rules.places[1])
    enough = len(rules.marks) >= rules.cells and (
        not apart or all(len(own) >= turn for own, turn in zip(rules.places, turns, strict=True))
    )
    if not rules.once or (enough and (apart or rules.places[0] == rules.places[1])):
        return full
    return f"{full} It is a draw too if the player to move has no {_thing(rules)} left to place."
