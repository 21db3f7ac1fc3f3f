"""The referee of one game: asks two players in turn, until the rules or a fault end it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.clock import Clock
from noughts.game import Game
from noughts.matches.record import GAME_PRINTS, GameRecord
from noughts.matches.seeds import checked_seed, draw_seed
from noughts.players import BasePlayer
from noughts.sandbox.faults import BotFault


def play_seats(
    game: Game,
    seats: Sequence[BasePlayer],
    seed: int | None = None,
    watch: Callable[[GameRecord], None] | None = None,
    opening: Sequence[int] = (),
    *,
    names: tuple[str, str] | None = None,
    move_seconds: float | None = None,
) -> GameRecord:
    """Plays a game between two players, the first of whom moves first. Returns its record.

    seed: for the game (default: random). watch: called with the record after each move. opening: actions played before
    the players are asked. names: of the two in the record (default: their own). move_seconds: on the clock of each
    move, None for no limit.
    """
    seed = draw_seed() if seed is None else checked_seed(seed)
    record = GameRecord(game, names or (seats[0].name, seats[1].name), seed)
    state = game.new_initial_state()
    for action in opening:
        record.add_move(state.current_player(), action, 0.0)
        state.apply_action(action)
    record.opening = len(record.moves)
    player = 0
    try:
        for player in (0, 1):
            seats[player].prepare(game)
        while not state.is_terminal():
            player = state.current_player()
            answer = seats[player].ask(state, Clock(move_seconds))
            if answer.prints:
                record.prints[len(record.moves)] = answer.prints
            if answer.warning:
                record.warnings[player] = answer.warning
            state.apply_action(answer.action)
            record.add_move(player, answer.action, round(answer.seconds, 6))  # rounded as in the replay
            if watch:
                watch(record)
        record.end_by_rules(state)
    except BotFault as error:
        if error.prints:
            record.prints[len(record.moves)] = error.prints
        record.end_by_fault(player, error.fault)
    finally:
        for seat in seats:
            seat.end_game()
    record.used = (seats[0].used_seconds, seats[1].used_seconds)
    record.unsafe = not all(seat.is_confined for seat in seats)
    record.bound_prints((GAME_PRINTS, GAME_PRINTS))
    record.exchanges = sorted((each for seat in seats for each in seat.exchanges), key=lambda each: each.ply)
    return record
