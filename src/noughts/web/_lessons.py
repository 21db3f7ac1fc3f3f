"""The rules of each game in a few pictures: positions from random games, each with a sentence."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache

from noughts import board
from noughts.document import Json
from noughts.game import Game, State
from noughts.printable import listed
from noughts.rules.geometry import place_of
from noughts.rules.view import View

GAMES_TRIED = 4000
"""Maximum random games searched for a picture; the first few have almost all pictures."""


@cache
def lessons(game: Game) -> tuple[Json, ...]:
    """Returns the lessons, {view, title, text}, in the order of learning."""
    return tuple(_nested(game) if game.rules.nested else _flat(game))


def _flat(game: Game) -> Iterator[Json]:
    rules = game.rules
    start = game.new_initial_state()
    names = [listed(marks) for marks in rules.places]
    if rules.places[0] == rules.places[1]:
        who = f"Both players may place {names[0]}, in any order."
    else:
        who = f"The first player places {names[0]}, the second {names[1]}, taking turns."
        if rules.once:
            who += " Each number is used once."
    middle = start.child(start.legal_actions()[len(start.legal_actions()) // 2])
    yield _picture(middle, "Place a mark", who)
    line = "three numbers that sum to 15" if rules.line_sum is not None else "three equal marks in a line"
    ended = _first(game, lambda state, view, _: view.reason == "line" and len(view.lines) == 1)
    if rules.misere:
        yield _picture(ended, "The player who completes a line loses", f"Make the other player complete {line}.")
    else:
        whoever = "" if rules.own_marks else " It does not matter who placed the other marks."
        yield _picture(ended, "Complete a line and win", f"Rows, columns and diagonals count: {line}.{whoever}")
    full = _first(game, lambda state, view, _: view.over and view.winner is None)
    if full is not None:
        yield _picture(full, "A full board is a draw", "Neither player completed a line.")


def _nested(game: Game) -> Iterator[Json]:
    rules = game.rules
    boards = "are two boards" if rules.boards == 2 else "is one board"
    start = game.new_initial_state()
    sent = start.child(_corner(start))
    place = place_of(rules, sent.history()[0])
    where = f"block {place.cell}" + (" of either board" if rules.boards > 1 else "")
    yield _picture(
        sent,
        "The cell sends",
        f"There {boards} of {rules.cells} blocks with {rules.cells} cells each. X took cell {place.cell} of a block, "
        f"so O must play in {where}, which has a frame. The first move of the game is free.",
    )
    lines = (
        "rows, columns, and diamonds, which are the four neighbours of an inner cell"
        if rules.side == 4
        else "rows, columns, diagonals"
    )
    won = _first(game, lambda state, view, before: _blocks_won(view) > _blocks_won(before) and not view.over)
    yield _picture(won, "A line wins the block", f"{rules.side} in a line: {lines}. A won block takes no more marks.")
    if rules.bonus:
        bonus = _first(game, lambda state, view, _: view.bonus and not view.open_move, seed=3)
        yield _picture(
            bonus,
            "A won block gives a bonus move",
            "A player who wins a block moves again at once, in the block that this move sends to. A bonus move gives "
            "no further bonus move.",
        )
    free = _first(game, lambda state, view, _: view.open_move and not view.bonus, seed=5)
    yield _picture(
        free,
        "Sent to a closed block: play anywhere",
        "If the block is won or full, the player may choose any open block.",
    )
    ended = _first(game, lambda state, view, _: view.reason == "line", seed=7)
    text = f"{rules.side} blocks in a line win the game."
    if rules.majority:
        text += " Without a line, the player with more points wins."
    elif rules.block_points is not None:
        corner, edge, inner = (rules.block_points[place] for place in (0, 1, rules.side + 1))
        text += f" Without a line, blocks count at the end: corners {corner}, edges {edge}, others {inner}."
    yield _picture(ended, "A line of blocks wins", text)


def _first(game: Game, wanted: Callable[[State, View, View], bool], seed: int = 1) -> State | None:
    """Returns the first wanted position of random games; `wanted` gets the state, its view, and the previous view."""
    chance = random.Random(seed)
    for _ in range(GAMES_TRIED):
        state = game.new_initial_state()
        before = state.view()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            view = state.view()
            if wanted(state, view, before):
                return state
            before = view
    return None


def _blocks_won(view: View) -> int:
    return view.owners.count(0) + view.owners.count(1)


def _corner(start: State) -> int:
    """Returns a move that sends to a block other than its own."""
    rules = start.game.rules
    return next(
        action
        for action in start.legal_actions()
        if place_of(rules, action).cell == rules.side + 1 and place_of(rules, action).block == rules.side - 1
    )


def _picture(state: State | None, title: str, text: str) -> Json:
    assert state is not None
    return {"view": board.view(state, legal=False), "title": title, "text": text}
