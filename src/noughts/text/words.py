"""Describes places on a board in words."""

from __future__ import annotations

from noughts.rules.geometry import board_and_block, index_in, place_of
from noughts.rules.spec import Rules


def extent(rules: Rules, block: int) -> str:
    """Returns the cells of a block, as in "rows 4-7, columns 8-11"."""
    first, last = (place_of(rules, index_in(rules, block, cell)) for cell in (0, rules.cells - 1))
    return f"rows {first.row}-{last.row}, columns {first.col}-{last.col}"


def block_name(rules: Rules, block: int) -> str:
    """Returns a block by its number, with its board where there are several."""
    board, number = board_and_block(rules, block)
    return f"block {number}" if rules.boards == 1 else f"block {number} of board {board}"


def article(mark: str) -> str:
    """Returns a mark as in "an 'X'": with the article of its name."""
    return f"{'an' if mark in 'AEFHILMNORSX8' else 'a'} '{mark}'"


def listed(words: list[str], joint: str = "and") -> str:
    """Returns words as a list in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def number_word(n: int) -> str:
    """Returns small numbers in words."""
    return ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")[n] if n < 10 else str(n)
