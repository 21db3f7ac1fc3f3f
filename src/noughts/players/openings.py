"""Games between two players in pairs, each opening from both sides, on as many cores as wanted.

Pair number n depends on the seed and n alone: the same on one core or many, if the players keep to depths or nodes
rather than to time.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass

from noughts.game import Game, State
from noughts.players.clock import Clock
from noughts.players.naming import make_player
from noughts.players.protocol import Player, Preparing
from noughts.rules.spec import Rules

OPENING_PLIES = 6
OPENING_TRIES = 50
BALANCED = 8_000
"""An opening is even enough if the player to move is judged no better or worse than this, of 100,000."""
JUDGE_NODES = 20_000


@dataclass(frozen=True)
class Contest:
    """Who plays what: two players by name, a game, the seconds for each move (None: no clock), the seed."""

    rules: Rules
    first: str
    second: str
    seconds: float | None = None
    seed: int = 0
    opening_plies: int = OPENING_PLIES


@dataclass(frozen=True)
class PairResult:
    """One opening from both sides.

    opening: its actions. actions: of the two games, opening included. returns: for the contest's first player, who
    moves first in the first of the games. overtime: seconds by which each player's longest move exceeded the clock.
    """

    number: int
    opening: tuple[int, ...]
    actions: tuple[tuple[int, ...], tuple[int, ...]]
    returns: tuple[float, float]
    overtime: tuple[float, float]

    @property
    def points(self) -> tuple[float, float]:
        """1, 1/2 or 0 for each game, by who was ahead at its end."""
        first, second = ((result > 0) + 0.5 * (result == 0) for result in self.returns)
        return first, second


def balanced_opening(game: Game, plies: int, seed: int) -> list[int]:
    """So many random moves after which neither side is much better; the most even of many if none is even enough."""
    choose = random.Random(seed)
    if plies < 1:
        return []
    from noughts.search.searcher import Limits, Searcher

    judge = Searcher(game, megabytes=1)
    best: tuple[int, list[int]] | None = None
    for _ in range(OPENING_TRIES):
        state = game.new_initial_state()
        for _ in range(plies):
            if not state.is_terminal():
                state.apply_action(choose.choice(state.legal_actions()))
        if state.is_terminal():
            continue
        judge.forget()
        off = abs(judge.search(state, Limits(nodes=JUDGE_NODES)).best.score)
        if best is None or off < best[0]:
            best = off, state.history()
        if off <= BALANCED:
            break
    if best is None:
        raise ValueError(f"{plies} moves of an opening leave nothing to play in {game.name}; take fewer")
    return best[1]


def play_pair(contest: Contest, number: int) -> PairResult:
    """The pair of that number."""
    game = Game(contest.rules)
    seeds = random.Random(f"{contest.seed}/{number}")
    opening = balanced_opening(game, contest.opening_plies, seeds.getrandbits(60))
    actions, returns = [], []
    overtime = [0.0, 0.0]
    for seat in (0, 1):
        players = [make_player(text, seed=seeds.getrandbits(31)) for text in (contest.first, contest.second)]
        for player in players:
            if isinstance(player, Preparing):
                player.prepare(game)
        state = game.new_initial_state()
        for action in opening:
            state.apply_action(action)
        while not state.is_terminal():
            who = state.current_player() ^ seat
            late = _move(players[who], state, contest.seconds)
            overtime[who] = max(overtime[who], late)
        actions.append(tuple(state.history()))
        returns.append(state.returns()[seat])
    return PairResult(
        number, tuple(opening), (actions[0], actions[1]), (returns[0], returns[1]), (overtime[0], overtime[1])
    )


def _move(player: Player, state: State, seconds: float | None) -> float:
    """Let a player move; by how many seconds it was late."""
    clock = Clock(seconds)
    action = player.choose(state.clone(), clock)
    late = 0.0 if seconds is None else clock.elapsed() - seconds
    state.apply_action(action)
    return max(0.0, late)


def play_pairs(contest: Contest, pairs: int, *, workers: int = 1) -> Iterator[PairResult]:
    """Pairs 0 to pairs - 1 in their order, each as soon as it and those before it are over.

    With several workers each is a process. Closing the iterator drops the pairs that have not begun.
    """
    make_player(contest.first), make_player(contest.second)  # refuse names before any process is started
    if workers <= 1:
        for number in range(pairs):
            yield play_pair(contest, number)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        waiting: list[Future[PairResult]] = [pool.submit(play_pair, contest, number) for number in range(pairs)]
        try:
            for future in waiting:
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
