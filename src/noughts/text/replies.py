"""Finds the move in a player's reply.

A move is written in square brackets, anywhere in a reply:

    [4]         a cell                       classic, misere
    [X 4]       a letter and a cell          wild, wild-misere
    [7@4]       a number and a cell          numerical; [7 4] is read too
    [3,12]      row, column                  ultimate, extreme; in extreme [3 12] is read too
    [7 8]       block, cell in the block     ultimate, without a comma: as TextArena writes it
    [1:2,3]     board, row, column           xtreme

Case and spaces do not matter. Only 0 to 9 count as digits. Legality is not checked here. A model's reasoning is not its
reply: nothing inside ``<think>`` and ``</think>`` is read.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from noughts.game import State
from noughts.games import data_of
from noughts.notation import action_text
from noughts.rules.geometry import place_of
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import DRAWN, View
from noughts.text.words import block_name, extent, listed

LONGEST_NUMBER = 6
"""Maximum digits of a number in any game; longer ones are cut before use."""

# Possessive quantifiers: no reply, however long, makes the search backtrack.
_NUMBER = r"([0-9]++)"
_PAIR = r"(?:\s*+,\s*+|\s++)"
_AT = r"(?:\s*+@\s*+|\s++)"


_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


def without_reasoning(reply: str) -> str:
    """Returns a reply without its reasoning, whose first or last tag may be missing.

    >>> without_reasoning("<think>Perhaps [4]? No.</think>I play [0].")
    'I play [0].'
    >>> without_reasoning("Perhaps [4]? No.</think>[0]"), without_reasoning("<think>Perhaps [4]? Wait, no")
    ('[0]', '')
    """
    tags = list(_TAG.finditer(reply))
    if not tags:
        return reply
    kept: list[str] = []
    at, is_open = 0, False
    for tag in tags:
        if tag[1]:
            if not is_open:  # some models have the opening tag in the prompt
                kept = []
            is_open = False
        else:
            if not is_open:
                kept.append(reply[at : tag.start()])
            is_open = True
        at = tag.end()
    return "".join(kept) + ("" if is_open else reply[at:])


class MoveReader:
    """Reads the moves of one game."""

    def __init__(self, rules: Rules) -> None:
        self.names: list[str] = [bracketed(rules, action) for action in range(rules.num_actions)]
        self.exact: dict[str, int] = {name: action for action, name in enumerate(self.names)}
        self._rules = rules
        self._actions = {action_text(rules, action): action for action in range(rules.num_actions)}
        self._inside: dict[tuple[str, str], int] = {}
        self._block_and_cell = data_of(rules).block_and_cell
        if self._block_and_cell:
            places = [place_of(rules, action) for action in range(rules.num_actions)]
            self._inside = {(str(place.block), str(place.cell)): action for action, place in enumerate(places)}
        self._pattern = re.compile(_pattern(rules), re.IGNORECASE)

    def read(self, reply: str, *, last: bool = False) -> tuple[int | None, str | None]:
        """Returns the action that the first bracketed move of a reply names, or the last one, and its text.

        Without an action the text is not a move of the game; without a text there is no bracketed move.
        """
        if "<" in reply:
            reply = without_reasoning(reply)
        # Nearly always the bracket that counts contains a move as it is listed. No match of the pattern contains two
        # opening brackets, so this one is what the search below would find.
        start = reply.rfind("[") if last else reply.find("[")
        listed = self.exact.get(reply[start : reply.find("]", start) + 1])
        if listed is not None:
            return listed, self.names[listed]
        found = self._pattern.search(reply)
        if found is None:
            return None, None
        if last:
            *_, found = self._pattern.finditer(reply)
        parts = [part if part.isalpha() else _trimmed(part) for part in found.groups()]
        if self._block_and_cell and "," not in found[0]:
            action = self._inside.get((parts[0], parts[1]))
            return action, self.names[action] if action is not None else f"[{parts[0]} {parts[1]}]"
        if self._rules.nested:
            text = ",".join(parts) if self._rules.boards == 1 else f"{parts[0]}:{parts[1]},{parts[2]}"
        elif self._rules.choices == 1:
            text = parts[0]
        else:
            text = f"{parts[0]}@{parts[1]}" if parts[0][0].isdigit() else f"{parts[0].upper()}{parts[1]}"
        return self._actions.get(text), f"[{_spaced(text)}]"


@lru_cache(64)
def reader_of(rules: Rules) -> MoveReader:
    return MoveReader(rules)


def bracketed(rules: Rules, action: int) -> str:
    """Returns an action in the form that players write."""
    return f"[{_spaced(action_text(rules, action))}]"


def _spaced(text: str) -> str:
    """Returns the canonical text of a move with a space after a letter, as in ``X 4``."""
    return f"{text[0]} {text[1:]}" if text[0].isalpha() else text


def _trimmed(digits: str) -> str:
    """Returns a number without leading zeros, cut if it is absurdly long."""
    digits = digits.lstrip("0") or "0"
    return digits if len(digits) <= LONGEST_NUMBER else digits[:LONGEST_NUMBER] + "..."


def _pattern(rules: Rules) -> str:
    if rules.nested:
        board = "" if rules.boards == 1 else rf"{_NUMBER}\s*+[:,]\s*+"
        inside = f"{board}{_NUMBER}{_PAIR}{_NUMBER}"
    elif rules.choices == 1:
        inside = _NUMBER
    else:
        digits = any(mark.isdigit() for mark in rules.marks)
        inside = rf"([A-Z]|[0-9]++){_AT}{_NUMBER}" if digits else rf"([A-Z])\s++{_NUMBER}"
    return rf"\[\s*+{inside}\s*+\]"


# Why a move was refused: a word for programs, a sentence for the player. The kernel refuses; this only explains.

NO_MOVE = "no_move"
OUT_OF_RANGE = "out_of_range"
OCCUPIED = "occupied"
NOT_YOURS = "not_yours"
ALREADY_USED = "already_used"
BLOCK_CLOSED = "block_closed"
WRONG_BLOCK = "wrong_block"
GAME_OVER = "game_over"
CUT_OFF = "cut_off"

REASONS = {
    NO_MOVE: "the reply has no move in the format asked for",
    CUT_OFF: "the reply reached the limit of tokens before its end",
    OUT_OF_RANGE: "there is no such cell or mark",
    OCCUPIED: "the cell holds a mark already",
    NOT_YOURS: "the mark belongs to the other player",
    ALREADY_USED: "the number was placed before",
    BLOCK_CLOSED: "the block is won or full",
    WRONG_BLOCK: "the last move sends to another block",
    GAME_OVER: "the game had ended before",
}
"""All reasons for a refusal, described."""


@dataclass(frozen=True)
class Refusal:
    """Why a reply was refused. reason: one of REASONS. message: exactly what was wrong, for the player."""

    reason: str
    message: str


CUT_OFF_REFUSAL = Refusal(
    CUT_OFF, "your reply reached the limit of tokens before its end. Reply more briefly, and end with your move."
)


def explain(state: State, action: int | None, written: str | None, names: list[str]) -> Refusal:
    """Returns why a reply cannot be played. action, written: what `MoveReader.read`
    returned. names: the bracketed forms of all actions."""
    rules = state.game.rules
    if written is None:
        example = names[state.legal_actions()[0]]
        return Refusal(NO_MOVE, f"there is no move in your reply. Write one in square brackets, like {example}.")
    if action is None:
        return Refusal(OUT_OF_RANGE, f"{_not_there(rules, written)} {_ranges(rules)}")
    index, mark = divmod(action, rules.choices)
    view = state.view()
    if rules.nested:
        return _nested(view, written, index)
    if view.cells[index] != EMPTY:
        return Refusal(OCCUPIED, f"cell {index} is already occupied by {rules.marks[view.cells[index]]}.")
    if rules.marks[mark] not in rules.places[view.player]:
        return Refusal(NOT_YOURS, f"{rules.marks[mark]} is not yours to place; yours are {_own(rules, view.player)}.")
    return Refusal(ALREADY_USED, f"{rules.marks[mark]} has been placed already; each can be placed only once.")


def _nested(view: View, written: str, index: int) -> Refusal:
    rules, place = view.rules, place_of(view.rules, index)
    name = block_name(rules, place.block)
    if view.cells[index] != EMPTY:
        mark = rules.marks[view.cells[index]]
        return Refusal(OCCUPIED, f"row {place.row}, column {place.col} is already occupied by {mark}.")
    if view.owners[place.block] in (0, 1, DRAWN):
        return Refusal(BLOCK_CLOSED, f"{written} lies in {name}, which is closed.")
    cause = "the last move" if view.last is None else f"the last move, {bracketed(rules, view.last)},"
    target = listed([block_name(rules, block) for block in sorted(view.playable)], "or")
    where = extent(rules, min(view.playable))
    return Refusal(WRONG_BLOCK, f"{written} lies in {name}, but {cause} sends you to {target} ({where}).")


def _not_there(rules: Rules, written: str) -> str:
    """Describes the part of a bracketed move that the game does not have."""
    mark, at, cell = written.strip("[]").replace("@", " ").partition(" ")
    if rules.nested or rules.choices == 1 or not at:
        return f"{written} is not on the board."
    missing = [] if mark in rules.marks else [f"no mark {mark}"]
    if not cell.isdigit() or int(cell) >= rules.cells:
        missing.append(f"no cell {cell}")
    return f"there is {listed(missing)} in this game." if missing else f"{written} is not a move of this game."


def _ranges(rules: Rules) -> str:
    if rules.nested:
        boards = "" if rules.boards == 1 else f"Boards are 0 to {rules.boards - 1}. "
        return f"{boards}Rows and columns are 0 to {rules.width - 1}."
    cells = f"Cells are 0 to {rules.cells - 1}"
    return f"{cells}." if rules.choices == 1 else f"{cells}, marks are {', '.join(rules.marks)}."


def _own(rules: Rules, player: int) -> str:
    return ", ".join(rules.places[player])


# Makes a player's own words harmless for other readers.
#
# The result is one line, and only the move is in square brackets: it cannot look like a line of the environment
# (``[GAME] ...``) or of another player (``[Player 1] ...``).

LONGEST = 1000
"""Maximum characters of a reply that others see."""

_LEFT, _RIGHT = "([", ")]"


def harmless(reply: str, move: str) -> str:
    """Returns the reply as the other player may see it, the move at its end."""
    if reply.strip() == move:
        return move
    cut = reply[:LONGEST]
    words = "".join(map(_plain, cut))
    more = " ..." if len(reply) > LONGEST else ""
    return f"{' '.join(words.split())}{more} {move}".lstrip()


def _plain(char: str) -> str:
    """Returns a harmless character: no control, no direction or line marks, no bracket of any script."""
    if char in " -.,'":
        return char
    kind = unicodedata.category(char)
    if kind[0] in "CZ":
        return " "
    if kind in ("Ps", "Pe", "Pi", "Pf") or unicodedata.normalize("NFKC", char) in _LEFT + _RIGHT:
        return "(" if kind in ("Ps", "Pi") else ")"
    return char
