"""Converts a position to plain data for the board in the browser, which knows no rules."""

from __future__ import annotations

from noughts.document import Json
from noughts.draw import mark_tone, player_name, status
from noughts.game import State
from noughts.printable import capitalized
from noughts.rules.kernels import layout as at
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import DRAWN, OPEN, View

NO_TARGET = -1


def shape(rules: Rules) -> Json:
    """Returns the constants of a game: the layout of the boards, the colours of marks, the names of players."""
    own = not set(rules.places[0]) & set(rules.places[1])
    return {
        "game": rules.name,
        "title": rules.title,
        "side": rules.side,
        "nested": rules.nested,
        "boards": rules.boards,
        "marks": rules.marks,
        "choices": rules.choices,
        "tones": [mark_tone(rules, mark) for mark in range(len(rules.marks))],
        "seats": [0, 1] if own else [None, None],
        "names": [player_name(rules, player) for player in (0, 1)],
    }


def view(state: State, *, legal: bool = True) -> Json:
    """Returns a position; `legal` adds the legal moves and where each leads."""
    view = state.view()
    facts = {
        "shape": shape(view.rules),
        "cells": cells_text(view),
        "owners": owners_text(view),
        "player": None if view.over else view.player,
        "bonus": view.bonus,
        "open": open_blocks(view),
        "last": view.last,
        "lines": [list(line) for line in view.lines],
        "winner": view.winner,
        "points": None if view.points is None else list(view.points),
        "status": status_text(view),
    }
    if legal:
        facts |= legal_moves(state, view)
    return facts


def legal_moves(state: State, view: View) -> Json:
    """Returns the legal moves.

    marks: the marks that may be placed. moves: each playable cell with the number of its target. targets: where moves
    lead. In every game of the family, each mark that may be placed may be placed in each playable cell.
    """
    rules = view.rules
    targets: list[Json] = []
    known: dict[tuple[int, ...], int] = {}
    moves: dict[str, int] = {}
    for action in state.legal_actions():
        cell = str(action // rules.choices)
        if not rules.nested:
            moves[cell] = NO_TARGET
            continue
        after = state.child(action)
        key = _outlook(after)
        if key not in known:
            known[key] = len(targets)
            targets.append(_target(view, after.view()))
        moves[cell] = known[key]
    return {"marks": [rules.marks[mark] for mark in view.marks], "moves": moves, "targets": targets}


def _outlook(after: State) -> tuple[int, ...]:
    """Returns what distinguishes one target from another. A whole view for each of 256 moves would take too long."""
    words = after.words
    fields = (at.PLAYER, at.STATUS, at.WINNER, at.SENT, at.BONUS, at.CLOSED, at.WON, at.WON + 1)
    return tuple(int(words[word]) for word in fields)


def _target(before: View, after: View) -> Json:
    """Describes where a move leads: the blocks then playable, for whom, and words that continue a sentence about the
    move.
    """
    rules = before.rules
    if after.over:
        ends = "wins the game" if after.winner == before.player else "ends the game"
        return {"blocks": [], "player": before.player, "text": ends}
    where = _where(after)
    won = after.owners.count(before.player) > before.owners.count(before.player)
    if after.player == before.player:
        text = f"wins the block and moves again, in {where}"
    else:
        text = f"{'wins the block and ' if won else ''}sends {player_name(rules, after.player)} to {where}"
    return {"blocks": open_blocks(after), "player": after.player, "text": text}


def _where(after: View) -> str:
    if after.open_move:
        return "any open block"
    block = f"block {after.sent}"
    on = sorted({number // after.rules.cells for number in after.playable})
    if after.rules.boards == 1:
        return block
    if len(on) == after.rules.boards:
        return f"{block} of {'both boards' if len(on) == 2 else 'every board'}"
    return f"{block} of {' and '.join(f'board {board}' for board in on)}"


def cells_text(view: View) -> str:
    """Returns a character for each cell, row-major over all boards; a dot for an empty one."""
    return "".join("." if mark == EMPTY else view.rules.marks[mark] for mark in view.cells)


def owners_text(view: View) -> str:
    """Returns a character for each block of a nested game: its owner, "=" if it is drawn, a dot if it is open."""
    signs = {OPEN: ".", DRAWN: "=", 0: view.rules.places[0], 1: view.rules.places[1]}
    return "".join(signs[owner] for owner in view.owners) if view.rules.nested else ""


def open_blocks(view: View) -> list[int]:
    """Returns the blocks of a nested game that take the next mark."""
    return sorted(view.playable) if view.rules.nested and not view.over else []


def status_text(view: View) -> str:
    return capitalized(status(view))
