"""The sentences of a game: what a move did, and how the game ended."""

from __future__ import annotations

from functools import lru_cache

from noughts.game import Game, State
from noughts.rules.geometry import place_of, placement
from noughts.rules.view import DRAWN, OPEN
from noughts.text.words import article, block_name, number_word


def announce(state: State, player: int, action: int) -> str:
    """Returns the announcement of a move just played, from the position after it."""
    rules = state.game.rules
    if not rules.nested:
        return _placed(state.game, player, action)
    place, owner = place_of(rules, action), state.view().owners[place_of(rules, action).block]
    board = "" if rules.boards == 1 else f"board {place.board}, "
    mark, name = article(rules.places[player]), block_name(rules, place.block)
    text = f"Player {player} placed {mark} at {board}row {place.row}, column {place.col} ({name})."
    if owner == DRAWN:
        return f"{text} {name.capitalize()} is full, and nobody won it."
    return text if owner == OPEN else f"{text} Player {player} won {name}."


@lru_cache(1000)
def _placed(game: Game, player: int, action: int) -> str:
    """Returns the announcement of a move in a flat game."""
    cell, number = placement(game.rules, player, action)
    mark = game.rules.marks[number]
    mark_text = f"the number {mark}" if mark.isdigit() else article(mark)
    return f"Player {player} placed {mark_text} in cell {cell}."


def ending(state: State) -> str:
    """Returns a sentence on how the game ended; empty while it is in play."""
    rules, end = state.game.rules, state.outcome()
    if end is None:
        return ""
    if end.reason == "line" and end.winner is not None:
        maker = 1 - end.winner if rules.misere else end.winner
        what = "blocks" if rules.nested else "cells"
        lines = state.view().lines if len({len(line) for line in rules.lines}) > 1 else rules.lines
        length = number_word(max(map(len, lines)))
        if rules.line_sum is not None:
            what += f" that add up to {rules.line_sum}"
        return f"Player {maker} completed a line of {length} {what}. Player {end.winner} wins!"
    why = "The board is full" if end.reason == "full" else "No move is left"
    if rules.block_points is None:
        return f"{why} and there is no line: the game is a draw."
    first, second = end.points
    best = (
        "the game is a draw"
        if first == second
        else f"Player {int(second > first)} {'wins' if rules.majority else 'is ahead'}"
    )
    return f"{why} and there is no line: {first} points to {second}, {best}."
