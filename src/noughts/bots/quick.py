"""A quick look at a bot: a few moves from each seat, at the start and in mid-game, by clocks that run fast."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from noughts.game import Game
from noughts.matches.game import PlayerSeat, Seat, play_seats
from noughts.matches.record import GameRecord
from noughts.matches.tally import seconds_of
from noughts.players import make_player
from noughts.sandbox import BotLimits
from noughts.sandbox.bot import BotSeat
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

MOVES = 2
"""Of the bot, from each position."""
SECONDS = 0.25
"""What a bot that thinks until its time is up takes for a move."""
MIDDLE = 0.4
"""The share of a game that is played at random before the middle begins."""
SETTINGS = tuple((start, seat) for start in (0.0, MIDDLE) for seat in (0, 1))


def scaled(limits: BotLimits) -> BotLimits:
    """The same limits with clocks that run fast, if they are long."""
    return replace(limits, speed=max(1.0, limits.move_seconds / SECONDS))


def typical_moves(game: Game, games: int = 8) -> int:
    """How many moves a player makes in a game, about."""
    return max(1, sum(len(_random_game(game, seed)) for seed in range(games)) // (2 * games))


def quick_games(
    source: BotSource,
    game: Game,
    server: ForkServer,
    limits: BotLimits,
    *,
    strict: bool,
    unsafe: bool,
    tick: Callable[[float], None] | None = None,
) -> list[tuple[GameRecord, int, BotSeat]]:
    """(record, the bot's seat, that seat) for each setting; a record ends after a few moves, or with a fault."""
    found: list[tuple[GameRecord, int, BotSeat]] = []
    for number, (start, seat) in enumerate(SETTINGS):
        before = _random_game(game, number)
        opening = before[: int(start * len(before))]
        bot = BotSeat(source, server, scaled(limits), strict=strict, unsafe=unsafe)
        found.append((_few_moves(game, bot, seat, opening, number), seat, bot))
        if tick:
            tick((number + 1) / len(SETTINGS))
        if found[-1][0].fault is not None and not bot.load_seconds:
            break
    return found


class _Enough(Exception):  # noqa: N818 - nothing is wrong
    """All moves that are wanted have been made."""


def _few_moves(game: Game, bot: BotSeat, seat: int, opening: list[int], seed: int) -> GameRecord:
    """The bot's moves from a position on, against random ones."""
    other = PlayerSeat(make_player("random", seed=seed), None)
    seats: list[Seat] = [bot, other] if seat == 0 else [other, bot]
    seen: list[GameRecord] = []

    def watch(record: GameRecord) -> None:
        seen[:] = [record]
        if len(seconds_of(record, seat)) >= MOVES:
            raise _Enough

    try:
        return play_seats(game, seats, seed=seed, watch=watch, opening=opening)
    except _Enough:
        return seen[0]


def _random_game(game: Game, seed: int) -> list[int]:
    rng = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    return state.history()
