"""Finding the move in a player's reply.

A move is written in square brackets, anywhere in a reply:

    [4]         a cell                       classic, misere
    [X 4]       a letter and a cell          wild, wild-misere
    [7@4]       a number and a cell          numerical; [7 4] is read too
    [3,12]      row, column                  ultimate, extreme; [3 12] is read too
    [1:2,3]     board, row, column           xtreme

Case and spaces do not matter. Only the digits 0 to 9 count as digits. Whether a move is legal is not asked here.
"""

from __future__ import annotations

import re
from functools import cache

from noughts.notation import action_text
from noughts.rules.spec import Rules

LONGEST_NUMBER = 6
"""No game has a number of more digits; longer ones are cut before anything is done with them."""

# Possessive quantifiers: no reply, however long, makes the search go back over what it has read.
_NUMBER = r"([0-9]++)"
_PAIR = r"(?:\s*+,\s*+|\s++)"
_AT = r"(?:\s*+@\s*+|\s++)"


class MoveReader:
    """Reads the moves of one game."""

    def __init__(self, rules: Rules) -> None:
        self.names = [bracketed(rules, action) for action in range(rules.num_actions)]
        self.exact = {name: action for action, name in enumerate(self.names)}
        self._rules = rules
        self._actions = {action_text(rules, action): action for action in range(rules.num_actions)}
        self._pattern = re.compile(_pattern(rules), re.IGNORECASE)

    def read(self, reply: str, *, last: bool = False) -> tuple[int | None, str | None]:
        """The action that the first bracketed move of a reply names, or the last one, and its text.

        Without an action the text names none of the game; without a text there is no bracketed move.
        """
        found = self._pattern.search(reply)
        if found is None:
            return None, None
        if last:
            *_, found = self._pattern.finditer(reply)
        parts = [part if part.isalpha() else _trimmed(part) for part in found.groups()]
        if self._rules.nested:
            text = ",".join(parts) if self._rules.boards == 1 else f"{parts[0]}:{parts[1]},{parts[2]}"
        elif self._rules.own_marks:
            text = parts[0]
        else:
            text = f"{parts[0]}@{parts[1]}" if parts[0][0].isdigit() else f"{parts[0].upper()}{parts[1]}"
        return self._actions.get(text), f"[{_spaced(text)}]"


@cache
def reader_of(rules: Rules) -> MoveReader:
    return MoveReader(rules)


def bracketed(rules: Rules, action: int) -> str:
    """An action as players are asked to write it."""
    return f"[{_spaced(action_text(rules, action))}]"


def _spaced(text: str) -> str:
    """The canonical text of a move with a space after a letter, as in ``X 4``."""
    return f"{text[0]} {text[1:]}" if text[0].isalpha() else text


def _trimmed(digits: str) -> str:
    """A number without leading zeros, cut if it is absurdly long."""
    digits = digits.lstrip("0") or "0"
    return digits if len(digits) <= LONGEST_NUMBER else digits[:LONGEST_NUMBER] + "..."


def _pattern(rules: Rules) -> str:
    if rules.nested:
        board = "" if rules.boards == 1 else rf"{_NUMBER}\s*+[:,]\s*+"
        inside = f"{board}{_NUMBER}{_PAIR}{_NUMBER}"
    elif rules.own_marks:
        inside = _NUMBER
    else:
        digits = any(mark.isdigit() for mark in rules.marks)
        inside = rf"([A-Z]|[0-9]++){_AT}{_NUMBER}" if digits else rf"([{rules.marks}])\s++{_NUMBER}"
    return rf"\[\s*+{inside}\s*+\]"
