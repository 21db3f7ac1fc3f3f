"""The prompts: the rules of a game in a few lines, and how to write a move.

`PROMPTS` lists every prompt with its version, which is stored with every result of a model. If you change a text, raise
its version; `tests/test_prompts.py` compares the texts with `tests/snapshots/prompts.txt`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from noughts.games.wild import RULES as WILD
from noughts.rules.geometry import (
    columns,
    diagonals,
    diamonds,
    k_in_a_row,
    place_of,
    placement,
    row_and_column,
    rows,
)
from noughts.rules.spec import Line, Rules, playing_facts
from noughts.text.pictured import LineGroup, line_groups, pictured
from noughts.text.replies import bracketed
from noughts.text.words import article, extent, listed, number_word

CENTER = {3: 4}
"""The middle cell of a board, where there is one."""


class Prompt(NamedTuple):
    """A prompt. version: of the text. lines: the rules for a player, without how to write a move."""

    version: int
    lines: Callable[[Rules, int], list[str]]


@lru_cache(64)
def prompt(rules: Rules, player: int, *, kind: str = "", full: bool = False, example: int | None = None) -> str:
    """Returns the text that opens the game for `player`.

    kind: one of PROMPTS; the game's usual one if empty. full: all rules for Wild too, see `prompt_kind`. example: the
    action that shows how to write a move (default: in the middle of the board).
    """
    lines = PROMPTS[kind or prompt_kind(rules, full=full)].lines(rules, player)
    return "\n".join(lines if rules.nested else [*lines, _format(rules, player, example)])


def prompt_kind(rules: Rules, *, full: bool = False) -> str:
    """Returns the name of a game's prompt in PROMPTS. full: not the four lines that a document fixes for Wild."""
    if rules.nested:
        return "nested"
    if has_text_of_wild(rules) and not full:
        return "wild"
    if not is_usual(rules):
        return "pictured"
    if rules.line_sum is not None:
        return "sums"
    if rules.own_marks:
        return "own-marks"
    return "shared-mark" if rules.choices == 1 else "free-marks"


def prompt_version(*kinds: str) -> str:
    """Returns the versions of prompts for a result, as in "wild-1 system-2"."""
    return " ".join(f"{kind}-{PROMPTS[kind].version if kind in PROMPTS else OTHER_VERSIONS[kind]}" for kind in kinds)


def system_prompt(take: str = "last", error_allowance: int = 0) -> str:
    """Returns the system prompt of a model: how its replies are read."""
    lose = (
        "an invalid move loses" if not error_allowance else f"more than {error_allowance} invalid moves in a row lose"
    )
    return (
        "You are playing a game. Read its rules and the position, and choose your move. "
        f"Reason if you like; the {take} move in square brackets counts; {lose}."
    )


def changed_prompt(before: Rules, player: int, now: str) -> str:
    """Returns the prompt `now` of a game whose rules changed at this position."""
    old = "\n".join(PROMPTS[prompt_kind(before)].lines(before, player))
    return (
        f"The rules of this game have been changed in the middle of it.\n\nThese rules held until now:\n\n{old}\n\n"
        f"From now on, these rules hold instead:\n\n{now}\n\n"
        "Play continues from this position under the new rules; no line is complete yet."
    )


def is_usual(rules: Rules) -> bool:
    """Returns whether a few words state the rules of a flat game without ambiguity: lines are rows, columns and
    diagonals, and marks are as in one of the built-in games. Others need pictures.
    """
    in_line = _shape_names(rules) == ["row", "column", "diagonal"]
    if rules.line_sum is not None:
        turns = (rules.cells + 1) // 2, rules.cells // 2
        enough = not rules.once or tuple(map(len, rules.places)) == turns
        return in_line and enough and all(mark == str(n) for n, mark in enumerate(rules.marks, 1))
    if rules.choices == 1:
        return in_line or bool(_in_a_row(rules))
    return has_text_of_wild(rules) or has_text_of_wild(replace(rules, misere=False))


def has_text_of_wild(rules: Rules) -> bool:
    """Returns whether the rules are Wild's under any name: its opening text is fixed, and shows no board."""
    return playing_facts(rules) == playing_facts(WILD)


def opening(rules: Rules, player: int) -> str:
    """Returns the first sentence of every prompt."""
    return f"You are Player {player} in {rules.title.replace('-', ' ')}."


def _wild(rules: Rules, player: int) -> list[str]:
    """Returns the words of Wild's document: see docs/text.md."""
    return [
        opening(rules, player),
        "On your turn, you can place either an 'X' or an 'O' in an empty square.",
        "You win by aligning three of the same mark (X or O) in a row.",
    ]


def _free_marks(rules: Rules, player: int) -> list[str]:
    """Returns the rules where either player places any of several marks."""
    return [
        opening(rules, player),
        f"On each turn you may place either {listed(list(rules.places[player]), 'or')} in an empty cell, and so may "
        "your opponent.",
        f"Whoever completes {_length(rules)} of the same mark in a line {'loses' if rules.misere else 'wins'}, whoever "
        f"placed the others: {_line_words(rules)}.",
        "A full board without such a line is a draw.",
        _cell_numbers(rules),
    ]


def _own_marks(rules: Rules, player: int) -> list[str]:
    own, other = rules.places[player], rules.places[1 - player]
    goal = f"{_length(rules)} '{own}' in a row"
    return [
        opening(rules, player),
        f"You place {article(own)} in an empty cell on your turn; your opponent places {article(other)}.",
        f"You {'lose' if rules.misere else 'win'} by aligning {goal}: {_line_words(rules)}.",
        "A full board without such a line is a draw.",
        _cell_numbers(rules),
    ]


def _shared_mark(rules: Rules, player: int) -> list[str]:
    """Returns the rules where both players place the same mark. There is no draw: a full board contains every line."""
    mark = rules.marks
    return [
        opening(rules, player),
        f"Both players place {article(mark)} in an empty cell on their turn.",
        f"You {'lose' if rules.misere else 'win'} by completing {_length(rules)} '{mark}' in a row, "
        f"whoever placed the others: {_line_words(rules)}.",
        _cell_numbers(rules),
    ]


def _sums(rules: Rules, player: int) -> list[str]:
    own, other = (listed(list(rules.places[seat])) for seat in (player, 1 - player))
    numbers = "numbers" if len(rules.places[player]) > 1 else "number"
    once = " Each number can be used once." if rules.once else ""
    return [
        opening(rules, player),
        f"You place the {numbers} {own}; your opponent places {other}.{once}",
        f"Whoever fills the last cell of a line so that its {_length(rules)} numbers add up to {rules.line_sum} "
        f"{'loses' if rules.misere else 'wins'}, whoever placed the others.",
        f"A line is {_line_words(rules)}. A line that is not yet full does not count.",
        "A full board without such a line is a draw.",
        _cell_numbers(rules),
    ]


def _nested(rules: Rules, player: int) -> list[str]:
    own, other = rules.places[player], rules.places[1 - player]
    side, width, cells = rules.side, rules.width, rules.cells
    boards = "The board has" if rules.boards == 1 else f"There are {number_word(rules.boards)} boards, each with"
    made = "It is made of" if rules.boards == 1 else "Each board is made of"
    numbers = f"{width} x {width} cells. Rows and columns are numbered 0 to {width - 1} from the top left."
    return [
        f"{opening(rules, player)} Your mark is {own}, your opponent's is {other}. Player 0 moves first.",
        "",
        f"Board: {boards} {numbers} {made} {side} x {side} blocks of {side} x {side} cells. "
        f"Blocks are numbered 0 to {cells - 1}, row by row: block 0 is {extent(rules, 0)}, "
        f"block 1 is {extent(rules, 1)}, block {side} is {extent(rules, side)}.",
        f"Move: {_nested_format(rules)}",
        *_sending(rules),
        f"Winning a block: {_length(rules)} of your marks in a line inside the block. A line is {_line_words(rules)}. "
        "A won or full block is closed: nobody can play in it any more.",
        *_bonus(rules),
        *_nested_end(rules),
    ]


def _nested_format(rules: Rules) -> str:
    index = example_action(rules, 0)
    place, text = place_of(rules, index), bracketed(rules, index)
    where = f"row {place.row}, column {place.col}"
    if rules.boards > 1:
        return f"write board:row,column in square brackets. '{text}' puts your mark on board {place.board}, {where}."
    return f"write row,column in square brackets. '{text}' puts your mark at {where}."


def example_action(rules: Rules, player: int) -> int:
    """Returns the action by which the game's own prompt shows how to write a move: in flat games, in the middle."""
    if rules.nested:
        return rules.width + 2 * rules.side
    cell = CENTER.get(rules.side, rules.cells // 2)
    return cell if rules.choices == 1 else cell * rules.choices + rules.marks.index(rules.places[player][0])


def example_of_sending(rules: Rules) -> int:
    """Returns the move of a nested game that shows how moves send to blocks."""
    return rules.width + rules.side + 2 % rules.side


def _sending(rules: Rules) -> list[str]:
    """Returns the rule that sends players to blocks, with an example that any reader can check."""
    index = example_of_sending(rules)
    place, text = place_of(rules, index), bracketed(rules, index)
    on_board = "" if rules.boards == 1 else ", on any board"
    either = "" if rules.boards == 1 else " If it is closed on one board, only the others count."
    inner = "row {}, column {}".format(*row_and_column(rules, place.cell))
    return [
        "Where you must play: a move's place inside its block names the block where the next move must be made"
        f"{on_board}. Example: {text} is at {inner} inside block {place.block}; the block at {inner} of the blocks is "
        f"block {place.cell} ({extent(rules, place.cell)}), so the next move must be made there.{either}",
        "Open move: if the block you are sent to is closed, play in any empty cell of any block that is not closed. "
        "The first move of the game is open too.",
    ]


def _bonus(rules: Rules) -> list[str]:
    if not rules.bonus:
        return []
    return [
        "Bonus: if you win a block, you move once more at once, in the block that your own last move sends to. "
        "Winning a block with that bonus move gives no further bonus."
    ]


def _nested_end(rules: Rules) -> list[str]:
    same_board = "" if rules.boards == 1 else " on one board"
    verb = "lose" if rules.misere else "win"
    goal = f"{_length(rules)} of your blocks in a line{same_board} {verb} the game"
    text = f"{goal}: {_line_words(rules).replace('cell', 'block')}."
    if rules.block_points is None:
        return [f"End: {text} If all blocks are closed without one, the game is a draw."]
    if rules.majority and len(set(rules.block_points)) == 1:
        return [
            f"End: {text} If all blocks are closed without one, the player with more won blocks wins; "
            "equal numbers are a draw."
        ]
    by_worth: dict[int, list[str]] = {}
    for block, worth in enumerate(rules.block_points):
        by_worth.setdefault(worth, []).append(str(block))
    points = "; ".join(f"{worth} points for block {listed(by_worth[worth], 'or')}" for worth in sorted(by_worth)[::-1])
    return [
        f"End: {text} If all blocks are closed without one, you get points for each block you won: "
        f"{points}. The player with more points wins{'' if rules.majority else ' by the difference'}; "
        "equal points are a draw."
    ]


def _format(rules: Rules, player: int, example: int | None) -> str:
    """Returns how to write a move of a flat game, by an example."""
    action = example_action(rules, player) if example is None else example
    cell, mark = placement(rules, player, action)
    where = "in the center" if cell == CENTER.get(rules.side) else f"in cell {cell}"
    sign = rules.marks[mark]
    what = f"the number {sign}" if sign.isdigit() else f"your {sign}" if rules.own_marks else sign
    return f"Choose your move using the format '{bracketed(rules, action)}' to place {what} {where}."


def _cell_numbers(rules: Rules) -> str:
    return f"The cells are numbered 0 to {rules.cells - 1}, row by row from the top left."


def _length(rules: Rules) -> str:
    """Returns the number of cells of a line, in words."""
    lengths = sorted({len(line) for line in rules.lines})
    return listed([number_word(length) for length in lengths], "or")


def _line_words(rules: Rules) -> str:
    """Returns what a line is."""
    shapes = _shape_names(rules)
    if not shapes:
        return _in_a_row(rules) or _line_list(rules)
    words = listed([f"a {shape}" for shape in shapes], "or")
    if "diamond" in shapes:
        words += " (the four cells above, below, left and right of a cell; that cell itself does not belong to it)"
    return words + ("" if "diagonal" in shapes else "; diagonals do not count")


def _line_list(rules: Rules) -> str:
    lines = ", ".join("-".join(map(str, line)) for line in rules.lines)
    return f"one of these sets of places, numbered 0 to {rules.cells - 1} row by row: {lines}"


def _in_a_row(rules: Rules) -> str:
    """Returns the words for lines shorter than the board; empty if the lines are not all those of one length."""
    length = len(rules.lines[0])
    if _as_sets(rules.lines) != _as_sets(k_in_a_row(rules.side, length)):
        return ""
    return f"any {number_word(length)} neighbouring cells in a row, column or diagonal, short diagonals included"


def _as_sets(lines: tuple[Line, ...]) -> set[frozenset[int]]:
    return {frozenset(line) for line in lines}


def plain_shapes(rules: Rules) -> list[LineGroup]:
    """Returns the lines of a game as rows, columns, diagonals and diamonds of the whole board, and what is left."""
    shapes = {"row": rows, "column": columns, "diagonal": diagonals, "diamond": diamonds}
    return line_groups(rules, {name: lines(rules.side) for name, lines in shapes.items()})


def _shape_names(rules: Rules) -> list[str]:
    """Returns the names of the plain shapes that make up all lines of a game; empty if there are other lines."""
    groups = plain_shapes(rules)
    return [group.name for group in groups] if all(group.whole for group in groups) else []


def _pictured(rules: Rules, player: int) -> list[str]:
    return pictured(rules, player, opening(rules, player))


def _listed(rules: Rules, player: int) -> list[str]:
    return pictured(rules, player, opening(rules, player), pictures=False)


PROMPTS = {
    "wild": Prompt(1, _wild),
    "own-marks": Prompt(1, _own_marks),
    "free-marks": Prompt(2, _free_marks),
    "shared-mark": Prompt(1, _shared_mark),
    "sums": Prompt(2, _sums),
    "pictured": Prompt(2, _pictured),
    "listed": Prompt(1, _listed),
    "nested": Prompt(2, _nested),
}
"""The rules of a game, by kind."""
OTHER_VERSIONS = {"system": 2, "changed": 2, "kaggle": 1}
"""Versions of `system_prompt`, `changed_prompt` and the questions of `text.kaggle`."""
