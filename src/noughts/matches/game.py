"""One game before the referee: two seats, asked in turn, until the rules or a fault end it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from operator import index as as_index
from typing import Protocol

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.matches.record import GAME_PRINTS, GameRecord
from noughts.matches.seeds import checked_seed, derive_seed, draw_seed
from noughts.players import BasePlayer
from noughts.players.llm import ServiceError
from noughts.players.text_seat import TextSeat
from noughts.printable import one_line, printable
from noughts.sandbox import faults
from noughts.sandbox.bot import Answer, BotSeat
from noughts.sandbox.faults import BotFault, Fault


class Seat(Protocol):
    """A side of one game. It is started once, asked in turn, and closed. A player at fault raises BotFault."""

    name: str

    def start(self, game: Game, seed: int) -> None: ...
    def choose(self, state: State) -> Answer: ...
    def close(self) -> None: ...


class PlayerSeat:
    """A player of this process: trusted, so nothing but its own clock limits it.

    move_seconds: what its clock says, None for no limit. If it raises an exception or answers nonsense, it is at fault.
    """

    def __init__(self, player: BasePlayer, move_seconds: float | None, *, name: str = "") -> None:
        self.name: str = name or player.name
        self.player = player
        self._seconds = move_seconds

    def start(self, game: Game, seed: int) -> None:
        self.player.prepare(game)

    def choose(self, state: State) -> Answer:
        clock = Clock(self._seconds)
        try:
            answer = self.player.choose(state.clone(), clock)
        except (ServiceError, CancelledError, BotFault):
            raise  # nothing that the player did, or said already
        except Exception as error:
            trace = "".join(traceback.format_exception(error))[-faults.DETAIL_KEPT :]
            text = f"crashed: {type(error).__name__}: {one_line(error)}"
            raise BotFault(Fault(faults.CRASH, text, detail=printable(trace, faults.DETAIL_KEPT))) from error
        taken = clock.elapsed()
        try:
            action = as_index(answer)
        except TypeError:
            action = -1
        if action not in state.legal_actions():
            raise BotFault(Fault(faults.INVALID, f"invalid move: it chose {one_line(repr(answer))}"))
        return Answer(action, taken, self.player.take_prints())

    def close(self) -> None:
        """The player may sit elsewhere, so it is closed by whoever made it."""


def play_seats(
    game: Game,
    seats: Sequence[Seat],
    seed: int | None = None,
    watch: Callable[[GameRecord], None] | None = None,
    opening: Sequence[int] = (),
) -> GameRecord:
    """One game between two seats, the first of which moves first. Both are closed at the end.

    seed: of the game, None to draw one. watch: is shown the record after each move. opening: actions that are played
    before anybody is asked.
    """
    seed = draw_seed() if seed is None else checked_seed(seed)
    record = GameRecord(game, (seats[0].name, seats[1].name), seed)
    state = game.new_initial_state()
    for action in opening:
        state.apply_action(action)
        record.moves.append(action)
        record.seconds.append(0.0)
    record.opening = len(record.moves)
    player = 0
    try:
        for player in (0, 1):
            seats[player].start(game, derive_seed(seed, "bot", player))
        while not state.is_terminal():
            player = state.current_player()
            answer = seats[player].choose(state)
            if answer.prints:
                record.prints[len(record.moves)] = answer.prints
            if answer.warning:
                record.warnings[player] = answer.warning
            state.apply_action(answer.action)
            record.moves.append(answer.action)
            record.seconds.append(round(answer.seconds, 6))  # as the replay has it
            if watch:
                watch(record)
        record.end_by_rules(state)
    except BotFault as error:
        if error.prints:
            record.prints[len(record.moves)] = error.prints
        record.end_by_fault(player, error.fault)
    finally:
        for seat in seats:
            seat.close()
    record.unsafe = any(isinstance(seat, BotSeat) and not seat.is_confined for seat in seats)
    record.bound_prints((GAME_PRINTS, GAME_PRINTS))
    record.exchanges = sorted(
        (each for seat in seats if isinstance(seat, TextSeat) for each in seat.exchanges), key=lambda each: each.ply
    )
    return record
