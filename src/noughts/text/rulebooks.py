"""The rules of a game for readers, in the words of the prompts and with small pictures."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.game import Game, State
from noughts.rules.spec import Rules
from noughts.text.prompts import example_of_sending, is_usual, opening, plain_shapes, prompt

GAP = "     "
"""Space between pictures side by side."""


def rulebook(rules: Rules, player: int = 0) -> str:
    """Returns all rules of a game for one player; then pictures of lines and points."""
    who = f"{rules.title}, for the player who moves {('first', 'second')[player]}."
    text = prompt(rules, player, full=True).replace(opening(rules, player), who, 1)
    return "\n\n".join([text, *_pictures(rules)])


def example_position(game: Game) -> State | None:
    """Returns the position after a move that sends to a block; None in games without such moves."""
    if not game.rules.nested:
        return None
    return game.new_initial_state().child(example_of_sending(game.rules))


def _pictures(rules: Rules) -> list[str]:
    pictures = []
    shapes = plain_shapes(rules) if rules.nested or is_usual(rules) else []
    examples = {f"a {shape.name}": shape.lines[min(1, len(shape.lines) - 1)] for shape in shapes if shape.whole}
    if examples:
        grids = [
            _grid(rules.side, ["#" if cell in line else "." for cell in range(rules.cells)])
            for line in examples.values()
        ]
        pictures.append(_side_by_side(list(examples), grids))
    if rules.nested:
        numbers, grids = ["blocks"], [_grid(rules.side, list(map(str, range(rules.cells))))]
        if rules.block_points is not None and len(set(rules.block_points)) > 1:
            numbers.append("their points")
            grids.append(_grid(rules.side, list(map(str, rules.block_points))))
        pictures.append(_side_by_side(numbers, grids))
    return pictures


def _grid(side: int, cells: Sequence[str]) -> list[str]:
    wide = max(map(len, cells))
    return [" ".join(cell.rjust(wide) for cell in cells[row * side : (row + 1) * side]) for row in range(side)]


def _side_by_side(heads: Sequence[str], grids: Sequence[list[str]]) -> str:
    """Returns grids side by side, each under its heading."""
    wide = [max(len(head), *map(len, grid)) for head, grid in zip(heads, grids, strict=True)]
    lines = [heads, *zip(*grids, strict=True)]
    return "\n".join(GAP.join(part.ljust(n) for part, n in zip(line, wide, strict=True)).rstrip() for line in lines)
