"""A quick check of a bot: a few moves from each seat, at the start and in mid-game, with fast clocks.

A bot may fail only with fast clocks, because its search had no time for a first iteration, or take too long because it
does not read the clock. So a move counts as failed only after it also failed with the real clock. In all, the bot may
use one real time limit, and one more second for each move.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.matches.game import play_seats
from noughts.matches.record import UNFINISHED, GameRecord
from noughts.matches.seeds import derive_seed
from noughts.players import BasePlayer, make_player
from noughts.players.bot import BotPlayer
from noughts.players.protocol import Answer
from noughts.progress import Tick
from noughts.sandbox import BotFault, BotLimits
from noughts.sandbox.faults import TIME, seconds
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

QUICK_OPPONENT = "random"
MOVES = 2
"""Moves that the bot makes from each position."""
SECONDS = 0.25
"""Seconds per move of a bot that thinks until its time is up."""
MORE_SECONDS = 1.0
"""Real seconds per move that do not count against the one real time limit for all moves."""
MIDDLE = 0.4
"""The share of a game that is played at random to reach mid-game."""
SETTINGS = tuple((start, seat) for start in (0.0, MIDDLE) for seat in (0, 1))
SAMPLE = 8
"""Random games that the usual length of a game is estimated from."""
GAIN = 2.0
"""A move this many times slower than one that passed with the real clock is repeated, too."""


def typical_moves(game: Game) -> int:
    """Returns the approximate number of moves a player makes in a game."""
    return max(1, sum(len(_random_game(game, seed)) for seed in range(SAMPLE)) // (2 * SAMPLE))


def most_seconds(limits: BotLimits) -> float:
    """Returns the maximum seconds of a quick check, without loading."""
    return limits.move_seconds + min(MORE_SECONDS, limits.move_seconds) * MOVES * len(SETTINGS)


class QuickCheck:
    """One quick check of one bot. notes: remarks about clocks, when it is over. undecided: whether there was no time to
    find out if a move fails with the real clock too, or to make any move.
    """

    def __init__(
        self, game: Game, limits: BotLimits, source: BotSource, server: ForkServer, *, strict: bool, unsafe: bool
    ) -> None:
        self.notes: list[str] = []
        self.undecided: bool = False
        self._failed_again: list[str] = []
        self.speed: float = max(1.0, limits.move_seconds / SECONDS)
        self.left: float = most_seconds(limits)
        """Seconds that the bot may still use, over all its moves."""
        self._game, self._limits = game, limits
        self._new_player = partial(
            _QuickBot, self, source, server, limits, strict=strict, unsafe=unsafe, speed=self.speed
        )
        self._fine = 0.0
        """Real seconds of a move that was late by the bot's clock but not by the real one."""

    def run(self, tick: Tick | None = None) -> list[tuple[GameRecord, int, BotPlayer]]:
        """Returns (record, the bot's seat, the bot) for each game; a record ends after a few moves, or with a fault.

        tick: called with the share done.
        """
        games: list[tuple[GameRecord, int, BotPlayer]] = []
        tried = 0
        for number, (_, seat) in enumerate(SETTINGS):
            record, bot = self._begin(number)
            suspect = self._suspect(record, bot)
            if suspect is not None:
                record, bot = self._repeated(number, suspect, record, bot)
            games.append((record, seat, bot))
            tried += len(bot.took) - bot.out_of_time
            if tick:
                tick((number + 1) / len(SETTINGS))
            if bot.out_of_time:
                self.notes.append(
                    f"only {tried} of {MOVES * len(SETTINGS)} moves were tested, because they take long; "
                    "a full check tests more"
                )
            if bot.out_of_time or (record.fault is not None and (record.fault.loading or record.fault.kind == TIME)):
                break
        self.undecided |= tried == 0
        if self._failed_again:
            self.notes.append(f"{'; '.join(self._failed_again)}: failed with the real clock too")
        return games

    def _begin(self, number: int, by_real_clock: int | None = None) -> tuple[GameRecord, _QuickBot]:
        """Asks the bot for moves from a position on, against random moves. by_real_clock: the move to make with that
        clock."""
        start, seat = SETTINGS[number]
        before = _random_game(self._game, number)
        bot = self._new_player(seed=derive_seed(number, "bot", seat), by_real_clock=by_real_clock)
        other = make_player(QUICK_OPPONENT, seed=number)
        seats: list[BasePlayer] = [bot, other] if seat == 0 else [other, bot]
        seen: list[GameRecord] = []
        moves = MOVES if by_real_clock is None else by_real_clock + 1

        def watch(record: GameRecord) -> None:
            seen[:] = [record]
            if len(bot.took) >= moves or (by_real_clock is None and self._is_slow(bot.took)):
                raise _Enough

        try:
            record = play_seats(self._game, seats, number, watch, before[: int(start * len(before))])
        except _Enough:
            record = seen[0]
        if bot.out_of_time:
            _withdraw_fault(record)
        return record, bot

    def _is_slow(self, took: Sequence[float]) -> bool:
        """Returns whether a move took too long by the bot's own clock, and longer than one that was repeated."""
        slowest = max(took, default=0.0)
        return self.speed > 1 and slowest * self.speed > self._limits.move_seconds and slowest > GAIN * self._fine

    def _suspect(self, record: GameRecord, bot: _QuickBot) -> int | None:
        """Returns the bot's move, from 0, to repeat with the real clock."""
        if record.fault is not None and bot.took:
            # By any clock, a bot without an answer within the real limit is late.
            proven = record.fault.kind == TIME or self.speed == 1
            return None if proven or bot.failed is None else len(bot.took) - 1
        return len(bot.took) - 1 if self._is_slow(bot.took) and not bot.out_of_time else None

    def _repeated(self, number: int, suspect: int, record: GameRecord, bot: _QuickBot) -> tuple[GameRecord, _QuickBot]:
        """Returns the game with a suspect move made with the real clock, and notes the result."""
        limit, where = self._limits.move_seconds, f"game {number + 1}, move {suspect + 1}"
        timing = (
            f"took {seconds(bot.took[-1] * self.speed)} of {seconds(limit)}" if record.fault is None else bot.failed
        )
        again, real = self._begin(number, by_real_clock=suspect)
        # Whether an earlier move failed this time, with fast clocks.
        if again.fault is not None and not again.fault.loading and len(real.took) <= suspect:
            return self._repeated(number, len(real.took) - 1, again, real)
        if again.fault is not None:
            self._failed_again.append(where)
            return again, real
        _withdraw_fault(record)
        outcome = "there was no time to repeat it with the real clock; a full check does"
        if real.out_of_time:
            self.undecided = True
        else:
            self._fine = max(self._fine, real.took[-1])
            outcome = f"with the real clock it passed, in {seconds(real.took[-1])}"
        self.notes.append(f"{where}, with fast clocks: {timing}; {outcome}")
        return record, bot


class _QuickBot(BotPlayer):
    """The bot in a quick check.

    took: real seconds of its moves. failed: the text of its fault. out_of_time: whether the check stopped waiting for
    the last move before the limit. by_real_clock: the move to make with the real clock.
    """

    def __init__(self, check: QuickCheck, *args: Any, by_real_clock: int | None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.took: list[float] = []
        self.failed: str | None = None
        self.out_of_time = False
        self._check, self._by_real_clock = check, by_real_clock

    def ask(self, state: State, clock: Clock) -> Answer:
        check = self._check
        self.speed = 1.0 if len(self.took) == self._by_real_clock else check.speed
        self.patience = max(SECONDS, check.left)
        began, used = time.monotonic(), self.used_seconds
        try:
            answer = super().ask(state, clock)
            self.took.append(answer.seconds)
            return answer
        except BotFault as error:
            self.took.append(time.monotonic() - began)
            self.failed = error.fault.text
            self.out_of_time = error.fault.kind == TIME and self.patience < self._move_seconds
            raise
        finally:
            check.left -= self.used_seconds - used  # as the referee charges: a busy machine decides nothing


class _Enough(Exception):  # noqa: N818 - nothing is wrong
    """All requested moves have been made."""


def _withdraw_fault(record: GameRecord) -> None:
    """Removes a fault that is not the bot's."""
    record.fault = record.faulty = record.winner = None
    record.reason, record.points = UNFINISHED, (0, 0)


def _random_game(game: Game, seed: int) -> list[int]:
    rng = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    return state.history()
