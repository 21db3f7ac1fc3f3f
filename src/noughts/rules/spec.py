"""Defines a game of the family as a record of facts, and refuses records that make no sense.

Words: a *cell* takes one mark. A *block* is ``side`` x ``side`` cells. In a flat game the board is one
block; in a nested game a board is ``side`` x ``side`` blocks, and there may be several boards.
Cells and blocks are numbered row-major from the top left, boards from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from noughts.errors import NoughtsError

# Limits of the kernel, each the width of something in `layout.py`.
MAX_SIDE = 4  # a block is one 16-bit mask, and the table of winning masks has 2**16 bits
MAX_BLOCKS = 62  # sets of blocks are one signed 64-bit word
MAX_MARKS = 16  # a mark is four bits of an encoded move
MAX_LINES = 128
MAX_NESTED_LINES = 32  # size of the search's tables for lines of blocks
MAX_POINTS = 1_000_000

LONGEST_TITLE = 80
LONGEST_SUMMARY = 400
LONGEST_REPR = 200
"""Maximum number of characters of a wrong fact shown in its error."""

NAME_FORM = re.compile(r"[a-z][a-z0-9-]{0,31}")
MARK_FORM = re.compile(r"[A-Z0-9]")

Line = tuple[int, ...]


class RulesError(NoughtsError, ValueError):
    """A record of facts that is not a game; the message says which fact and why.

    >>> import noughts
    >>> noughts.Rules("tiny", "Tiny", side=9, lines=((0, 1),))
    Traceback (most recent call last):
    noughts.rules.spec.RulesError: ...
    """


@dataclass(frozen=True)
class Rules:
    """The facts of one game.

    A line is a set of cells; the same lines hold for the blocks of a nested board. In a flat game the
    player who completes a line ends the game; in a nested game they win the block, and a line of
    blocks ends the game.

    >>> import noughts
    >>> from noughts.rules import k_in_a_row
    >>> rules = noughts.Rules("three-of-four", "Three of Four", side=4, lines=k_in_a_row(4, 3))
    >>> noughts.load_game(rules).num_distinct_actions()
    16
    """

    name: str
    """Name for users: lower-case letters, digits and hyphens."""
    title: str
    """Name for display."""
    side: int
    """Cells along a block, and blocks along a nested board."""
    lines: tuple[Line, ...]
    """Cell numbers of each line; see `geometry` for rows, columns, diagonals, diamonds and k in a row."""
    summary: str = ""
    """One sentence for lists of games."""
    nested: bool = False
    """Whether cells are grouped in blocks, a move in cell c sending the opponent to block c."""
    boards: int = 1
    """Nested games only: boards side by side. A move sends to the same block of every board."""
    marks: str = "XO"
    """The marks, one letter or digit each; the n-th is worth n where lines are sums."""
    places: tuple[str, str] = ("X", "O")
    """The marks that player 0 and player 1 may place; they may be the same."""
    once: bool = False
    """Whether each mark can be placed only once in a game."""
    line_sum: int | None = None
    """None: a full line counts if its marks are equal. A number: if its marks sum to this."""
    misere: bool = False
    """Whether the completed line that ends the game loses instead of winning."""
    bonus: bool = False
    """Nested games only: winning a block gives one more move, which gives no further one."""
    win_points: tuple[int, int] = (1, -1)
    """Points of the winner and the loser of a game ended by a line."""
    block_points: tuple[int, ...] | None = None
    """Nested games only: points of each block of a board for its owner if there is no line. None: such a game is a
    draw."""
    majority: bool = False
    """Whether more points win a game that ends without a line, as a line does; needs block_points."""
    move_seconds: float | None = None
    """Thinking time per move in tournaments, in seconds; None if the game has no usual limit."""

    def __post_init__(self) -> None:
        # Lists become tuples, so that records can be compared and hashed.
        for name in ("places", "win_points", "block_points"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))
        if isinstance(self.lines, list | tuple):
            lines = tuple(tuple(line) if isinstance(line, list) else line for line in self.lines)
            object.__setattr__(self, "lines", lines)
        check(self)

    @cached_property
    def cells(self) -> int:
        """Cells of one block, and blocks of one nested board."""
        return self.side * self.side

    @cached_property
    def blocks(self) -> int:
        """Blocks of all boards."""
        return self.boards * self.cells if self.nested else 1

    @cached_property
    def width(self) -> int:
        """Cells along a whole board."""
        return self.cells if self.nested else self.side

    @cached_property
    def own_marks(self) -> bool:
        """Whether each player has one mark of their own, so that a mark on the board shows who placed it."""
        return self.choices == 1 and self.places[0] != self.places[1]

    @cached_property
    def choices(self) -> int:
        """Number of actions for one cell; 1 if each player has one mark, so that a move is just a cell."""
        return 1 if len(self.places[0]) == len(self.places[1]) == 1 else len(self.marks)

    @cached_property
    def num_actions(self) -> int:
        return self.blocks * self.cells * self.choices


def playing_facts(rules: Rules) -> tuple[object, ...]:
    """Returns the facts that determine the values of positions: equal for the same game under another name."""
    return (
        *(rules.side, rules.lines, rules.nested, rules.boards, rules.marks, rules.places, rules.once),
        *(rules.line_sum, rules.misere, rules.bonus, rules.block_points),
        *((rules.majority,) if rules.majority else ()),
    )


def check(rules: Rules) -> None:
    """Raises RulesError unless the facts make a game that the kernel can represent."""
    for refusals in (_kind_refusals, _text_refusals, _shape_refusals, _mark_refusals, _nesting_refusals):
        for refusal in refusals(rules):
            raise RulesError(f"game {short_repr(rules.name)}: {refusal}")


def _kind_refusals(rules: Rules) -> Iterator[str]:
    """Yields facts of the wrong type, which the later checks could not read."""
    kinds: dict[str, type] = {
        **dict.fromkeys(("name", "title", "summary", "marks"), str),
        **dict.fromkeys(("side", "boards"), int),
        **dict.fromkeys(("nested", "once", "misere", "bonus", "majority"), bool),
    }
    for fact, kind in kinds.items():
        value = getattr(rules, fact)
        if not _is(value, kind):
            yield f"{fact} is {short_repr(value)}; it must be of type {kind.__name__}"
    if not _is_tuple(rules.places, str, 2):
        yield f"places is {short_repr(rules.places)}; it must be two strings: the marks of each player"
    if not _is_tuple(rules.win_points, int, 2):
        yield f"win_points is {short_repr(rules.win_points)}; it must be two whole numbers, for winner and loser"
    if rules.block_points is not None and not _is_tuple(rules.block_points, int):
        yield f"block_points is {short_repr(rules.block_points)}; it must be one whole number per block, or None"
    if rules.line_sum is not None and not _is(rules.line_sum, int):
        yield f"line_sum is {short_repr(rules.line_sum)}; it must be a whole number or None"
    seconds = rules.move_seconds
    if seconds is not None and not ((_is(seconds, float) and isfinite(seconds)) or _is(seconds, int)):
        yield f"move_seconds is {short_repr(seconds)}; it must be a number greater than 0, or None"
    if seconds is not None and not seconds > 0:
        yield f"move_seconds is {seconds}; it must be greater than 0, or None"
    if not isinstance(rules.lines, tuple) or not all(_is_tuple(line, int) for line in rules.lines):
        yield f"lines is {short_repr(rules.lines)}; it must be a tuple of tuples of cell numbers"


def _is(value: object, kind: type) -> bool:
    """Returns whether a value is of a type. True is not a number, and numbers must be small enough to show."""
    if kind is not int:
        return isinstance(value, kind)
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64


def _is_tuple(value: object, kind: type, length: int | None = None) -> bool:
    return isinstance(value, tuple) and all(_is(item, kind) for item in value) and length in (None, len(value))


def short_repr(value: object) -> str:
    """Returns a value as text for a message, shortened if it is long."""
    try:
        text = repr(value)
    except Exception:  # numbers of thousands of digits have no text, and an object's repr may raise
        return f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= LONGEST_REPR else f"{text[:LONGEST_REPR]} ..."


def checked_number(name: str, value: object, lowest: int, highest: int) -> int:
    """Returns the value. Raises ValueError unless it is a whole number, of type int, in this range."""
    if type(value) is not int or not lowest <= value <= highest:
        raise ValueError(f"{name} must be a whole number from {lowest} to {highest}, not {short_repr(value)}")
    return value


def _shape_refusals(rules: Rules) -> Iterator[str]:
    if not NAME_FORM.fullmatch(rules.name):
        yield "a name has up to 32 lower-case letters, digits and hyphens, and starts with a letter"
    if rules.side < 2:
        yield f"a side of {rules.side} leaves nothing to play; it must be 2 or more"
    if rules.side > MAX_SIDE:
        yield (
            f"a side of {rules.side} makes {rules.cells} cells in a block, "
            f"more than the kernel can hold; the maximum side is {MAX_SIDE}"
        )
    if not rules.lines:
        yield "it has no lines, so neither player can win; add at least one"
    most = MAX_NESTED_LINES if rules.nested else MAX_LINES
    if len(rules.lines) > most:
        yield f"it has {len(rules.lines)} lines; {'a nested' if rules.nested else 'a'} game can have up to {most}"
    for line in rules.lines:
        if len(line) < 2 or len(set(line)) != len(line):
            yield f"the line {line} must have two or more different cells"
        if not all(0 <= cell < rules.cells for cell in line):
            yield f"the line {line} leaves the board, whose cells are 0 to {rules.cells - 1}"
    if len({frozenset(line) for line in rules.lines}) != len(rules.lines):
        yield "two of its lines are the same"
    if any(abs(worth) > MAX_POINTS for worth in (*rules.win_points, *(rules.block_points or ()))):
        yield f"points cannot exceed {MAX_POINTS}"
    if rules.win_points[0] <= rules.win_points[1]:
        yield f"win_points is {rules.win_points}; a win must pay more than a loss"


def _text_refusals(rules: Rules) -> Iterator[str]:
    """Yields problems with texts, which are shown on terminals and may come from files."""
    for fact, most in (("title", LONGEST_TITLE), ("summary", LONGEST_SUMMARY)):
        text = getattr(rules, fact)
        if len(text) > most or not text.isprintable():
            yield f"the {fact} is {short_repr(text)}; it must be one line of up to {most} printable characters"


def _mark_refusals(rules: Rules) -> Iterator[str]:
    if not 1 <= len(rules.marks) <= MAX_MARKS:
        yield f"it has {len(rules.marks)} marks; it must have 1 to {MAX_MARKS}"
    if len(set(rules.marks)) != len(rules.marks) or not all(map(MARK_FORM.fullmatch, rules.marks)):
        yield f"marks is {rules.marks!r}; it must be different capital letters or digits"
    for player, places in enumerate(rules.places):
        if not places or len(set(places)) != len(places) or not set(places) <= set(rules.marks):
            yield f"player {player} places {places!r}; it must be one or more of the marks {rules.marks!r}"
    if set(rules.marks) != set(rules.places[0] + rules.places[1]):
        yield f"no player may place some of the marks {rules.marks!r}"
    if rules.line_sum is not None and not any(_sum_possible(rules, len(line), rules.line_sum) for line in rules.lines):
        yield f"no line can be worth {rules.line_sum} with the marks {rules.marks!r}"
    shortest = min(map(len, rules.lines))
    if rules.line_sum is None and rules.once:
        yield f"no line of {shortest} equal marks is possible if each mark is placed once"


def _sum_possible(rules: Rules, length: int, target: int) -> bool:
    """Returns whether `length` marks can sum to `target`: sums of 1 to n, with or without repeats, have no gaps."""
    most = len(rules.marks)
    if not rules.once:
        return length <= target <= length * most
    rest = length * (length - 1) // 2
    return length <= most and length + rest <= target <= length * most - rest


def _nesting_refusals(rules: Rules) -> Iterator[str]:
    if rules.majority and not rules.block_points:
        yield "majority needs block_points, which are missing"
    if rules.boards < 1:
        yield f"it has {rules.boards} boards; it must have one or more"
    if rules.blocks > MAX_BLOCKS:
        yield (
            f"{rules.boards} boards of {rules.cells} blocks make {rules.blocks * rules.cells} cells, "
            f"more than the kernel can hold; the maximum is {MAX_BLOCKS} blocks"
        )
    if rules.nested:
        if not rules.own_marks or rules.line_sum is not None or rules.once:
            yield ("a nested game needs one mark per player and lines of equal marks, so that a block has an owner")
        if any(mark.isdigit() for mark in rules.marks):
            yield "the marks of a nested game must be letters; in its positions, digits count empty cells"
        if rules.block_points is not None and len(rules.block_points) != rules.cells:
            yield f"block_points has {len(rules.block_points)} numbers; a board has {rules.cells} blocks"
        if rules.block_points is not None and min(rules.block_points) < 0:
            yield "block_points cannot be negative"
        return
    if rules.boards != 1:
        yield f"it has {rules.boards} boards; only a nested game can have several"
    if rules.bonus:
        yield "a bonus needs blocks, which only a nested game has"
    if rules.block_points is not None:
        yield "block_points needs blocks, which only a nested game has"


def rules_from(facts: object) -> Rules:
    """Returns the record for facts read from JSON, where tuples have become lists.

    Raises RulesError if the facts are not a game, TypeError if some are unknown.
    """
    if not isinstance(facts, dict):
        raise RulesError(f"the rules are {short_repr(facts)}; they must be a record of facts")
    return Rules(**{name: _tuple(value) for name, value in facts.items()})


def _tuple(value: Any) -> Any:
    return tuple(_tuple(item) for item in value) if isinstance(value, list) else value
