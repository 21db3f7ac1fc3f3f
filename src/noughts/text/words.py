"""Where things are on a board, in words."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.rules.spec import Rules


@dataclass(frozen=True)
class Place:
    """A cell of a nested game: its board, its row and column on it, and its block, counted over all boards."""

    board: int
    row: int
    col: int
    block: int
    sends_to: int
    """The block of every board that a move here sends to, counted within a board."""


def place_of(rules: Rules, index: int) -> Place:
    """The place of a cell number (row-major over the boards)."""
    board, rest = divmod(index, rules.width**2)
    row, col = divmod(rest, rules.width)
    block = board * rules.cells + row // rules.side * rules.side + col // rules.side
    return Place(board, row, col, block, row % rules.side * rules.side + col % rules.side)


def extent(rules: Rules, block: int) -> str:
    """The cells of a block, as in "rows 4-7, columns 8-11"."""
    row, col = divmod(block % rules.cells, rules.side)
    top, left, more = row * rules.side, col * rules.side, rules.side - 1
    return f"rows {top}-{top + more}, columns {left}-{left + more}"


def block_name(rules: Rules, block: int) -> str:
    """A block by its number, with its board where there are several."""
    number = f"block {block % rules.cells}"
    return number if rules.boards == 1 else f"{number} of board {block // rules.cells}"


def article(mark: str) -> str:
    """A mark as in "an 'X'": with the article that its name takes."""
    return f"{'an' if mark in 'AEFHILMNORSX8' else 'a'} '{mark}'"


def listed(words: list[str], joint: str = "and") -> str:
    """Words as a list in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def number_word(n: int) -> str:
    """Small numbers in words."""
    return ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")[n] if n < 10 else str(n)
