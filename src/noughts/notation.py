"""Reads and writes moves and positions as text.

Moves, canonical form by kind of game:

    a cell                  4         classic, misere: cells row-major from 0
    a letter and a cell     X4        wild, wild-misere
    a number and a cell     7@4       numerical: the number 7 in cell 4
    row,column              3,12      ultimate, extreme: counted over the whole board from 0
    board:row,column        1:2,3     xtreme

Reading is lenient about case, spaces, and brackets around the whole: ``[X 4]``, ``x4``, ``(3, 12)``, ``3 12``; on a
small board where each player has one mark, that mark may be included (``X 4`` in classic).

Positions are one line: the cells by rows, the player to move, and for nested games the destined block:

    XO./.X./... p1                  classic and the like; '.' is an empty cell
    5../..6/... p0                  numerical
    9/9/4X4/9/9/9/9/9/9 p1 block=4  nested: a number is a run of empty cells; '|' separates two boards
    ... p0 block=4 bonus            the move to make is a bonus move
    XXX/OO./... end                 the game is over
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from noughts.rules.geometry import cell_rows, coordinates, index_of
from noughts.rules.position import EMPTY, Setup
from noughts.rules.spec import Rules

if TYPE_CHECKING:
    # reading a row needs the compiled kernel, which sandboxed bots cannot load; the notation itself does not
    from noughts.rules.view import View

MAX_TEXT = 4096
"""Maximum length of a move or a position; longer texts are refused unread."""

SHOWN = 60


def quoted(text: str) -> str:
    """Returns a user's text for a message: escaped, and shortened if it is long."""
    return repr(text) if len(text) <= SHOWN else repr(text[:SHOWN]) + "..."


def action_text(rules: Rules, action: int) -> str:
    """Returns the canonical form of an action."""
    index, mark = divmod(action, rules.choices)
    if rules.nested:
        *board, row, col = coordinates(rules, index)
        return f"{board[0]}:{row},{col}" if board else f"{row},{col}"
    if rules.choices == 1:
        return str(index)
    return f"{rules.marks[mark]}@{index}" if rules.marks[mark].isdigit() else f"{rules.marks[mark]}{index}"


def action_form(rules: Rules) -> str:
    """Returns the form of a move, for prompts and messages."""
    if rules.nested:
        last = rules.width - 1
        where = f"row,column, each 0 to {last}, as in {action_text(rules, rules.width + 2)}"
        return where if rules.boards == 1 else f"board:{where} (boards 0 to {rules.boards - 1})"
    cells = f"0 to {rules.cells - 1}"
    if rules.choices == 1:
        return f"a cell, {cells}, as in 4"
    example = action_text(rules, (rules.cells // 2) * rules.choices)
    kind = "a number, @" if rules.marks.isdigit() else f"a mark ({', '.join(rules.marks)})"
    return f"{kind} and a cell, {cells}, as in {example}"


def parse_action(rules: Rules, player: int, text: str) -> int:
    """Returns the action that `text` names for `player`, which may be illegal. Raises ValueError if it is not a
    move."""
    action = _read_action(rules, player, text) if len(text) <= MAX_TEXT else None
    if action is None:
        raise ValueError(f"{quoted(text)} is not a move of {rules.name}; write {action_form(rules)}")
    return action


_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_NESTED = re.compile(
    r"(?:(?P<board>\d{1,3})(?:\s*[:,]\s*|\s+))?(?P<row>\d{1,3})(?:\s*,\s*|\s+)(?P<col>\d{1,3})", re.ASCII
)
_FLAT = re.compile(r"(?:(?P<mark>[A-Z0-9])\s*(?P<at>@|\s|(?<=[A-Z]))\s*)?(?P<cell>\d{1,3})", re.ASCII)


def _read_action(rules: Rules, player: int, text: str) -> int | None:
    text = text.strip()
    if text and _BRACKETS.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    text = text.upper() if text.isascii() else ""
    if rules.nested:
        found = _NESTED.fullmatch(text)
        return index_of(rules, [int(number) for number in found.groups() if number]) if found else None
    found = _FLAT.fullmatch(text)
    if not found or int(found["cell"]) >= rules.cells:
        return None
    cell, mark = int(found["cell"]), found["mark"]
    if rules.choices == 1:
        return cell if mark in (None, rules.places[player]) else None
    if mark is None or mark not in rules.marks:
        return None
    return cell * rules.choices + rules.marks.index(mark)


def position_text(view: View) -> str:
    """Returns the canonical one-line form of a position."""
    rules = view.rules
    marks = "".join("." if mark == EMPTY else rules.marks[mark] for mark in view.cells)
    cells = "|".join("/".join(map("".join, rows)) for rows in cell_rows(rules, marks))
    if rules.nested:
        cells = re.sub(r"\.+", lambda run: str(len(run[0])), cells)
    fields = [cells, "end" if view.over else f"p{view.player}"]
    if view.sent is not None:
        fields.append(f"block={view.sent}")
    if view.bonus:
        fields.append("bonus")
    return " ".join(fields)


def position_form(rules: Rules) -> str:
    """Returns the form of a position string of this game, for messages."""
    if rules.nested:
        board = "/".join([str(rules.width)] * rules.width)
        return f"'{'|'.join([board] * rules.boards)} p0' for the start, with ' block=N' after the first move"
    return f"'{'/'.join(['.' * rules.side] * rules.side)} p0' for the start"


def parse_position(rules: Rules, text: str) -> Setup:
    """Returns the content of a position string. Raises ValueError if it is malformed; does not check that play can
    reach it."""

    def refuse(why: str) -> ValueError:
        return ValueError(f"{quoted(text)} is not a position of {rules.name}: {why}; write {position_form(rules)}")

    if len(text) > MAX_TEXT or not text.isascii():
        raise refuse("it is too long" if text.isascii() else "it has characters other than ASCII")
    fields = text.split()
    if len(fields) < 2:
        raise refuse("it needs the cells and then p0, p1 or end")
    cells = _read_cells(rules, fields[0].upper(), refuse)
    turn, *rest = (field.lower() for field in fields[1:])
    if turn not in ("p0", "p1", "end"):
        raise refuse(f"the player to move must be p0 or p1, or end, not {quoted(turn)}")
    sent, bonus = None, False
    for field in rest:
        block = re.fullmatch(r"block=(\d{1,3})", field)
        if block and sent is None and not bonus:
            sent = int(block[1])
        elif field == "bonus" and not bonus:
            bonus = True
        else:
            raise refuse(f"{quoted(field)} is out of place")
    return Setup(cells, None if turn == "end" else int(turn[1]), sent, bonus)


def _read_cells(rules: Rules, text: str, refuse: Callable[[str], ValueError]) -> list[int]:
    boards = text.split("|")
    if len(boards) != rules.boards:
        raise refuse(f"it has {len(boards)} boards; it must have {rules.boards}")
    cells: list[int] = []
    for board in boards:
        rows = board.split("/")
        if len(rows) != rules.width:
            raise refuse(f"a board has {len(rows)} rows; it must have {rules.width}")
        for row in rows:
            if rules.nested:
                row = re.sub(r"\d{1,2}", lambda run: "." * int(run[0]), row)
            if len(row) != rules.width:
                raise refuse(f"a row has {len(row)} cells; it must have {rules.width}")
            for char in row:
                if char != "." and char not in rules.marks:
                    raise refuse(f"{quoted(char)} is not a mark; marks are {', '.join(rules.marks)}")
                cells.append(EMPTY if char == "." else rules.marks.index(char))
    return cells
