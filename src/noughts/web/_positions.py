"""Positions from clients: a listed game, a start as text, and moves from there. The rules check all of it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from noughts.game import Game, State
from noughts.library import game_names, load_game
from noughts.notation import MAX_TEXT

MOST_MOVES = 1024


class Position(BaseModel):
    """A position. game: the name of a built-in game. position: one line as in docs/notation.md (default: the start).
    moves: actions from there. play: moves from there in notation, separated by spaces, before `moves`.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    game: str = Field(max_length=40)
    position: str | None = Field(default=None, max_length=MAX_TEXT)
    play: str = Field(default="", max_length=MAX_TEXT)
    moves: list[int] = Field(default_factory=list, max_length=MOST_MOVES)


def listed_game(name: str) -> Game:
    """Returns a game from the list. Untrusted text must never name a file, which would be run. Raises ValueError if
    there is none of that name.
    """
    if name not in game_names():
        raise ValueError(f"there is no such game; the games are {', '.join(game_names())}")
    return load_game(name)


def state_of(body: Position) -> tuple[State, State | None, list[int]]:
    """Returns the position, its start if that is unusual, and the moves. Raises ValueError if the position is
    invalid.
    """
    game = listed_game(body.game)
    start = game.from_string(body.position) if body.position is not None else None
    state = game.new_initial_state() if start is None else start.clone()
    written = body.play.split()
    if len(written) > MOST_MOVES:
        raise ValueError(f"a game on this page can have at most {MOST_MOVES} moves")
    for text in written:
        state.apply_action(state.string_to_action(text))
    for action in body.moves:
        state.apply_action(action)
    return state, start, state.history()
