"""The alpha-beta engine: iterative deepening until a limit, with the principal variations so far available at any
time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from noughts._threads import OneAtATime
from noughts.files import machine_megabytes
from noughts.game import Game, State, require_own
from noughts.games.data import EvalWeights
from noughts.rules.geometry import action_of
from noughts.rules.kernels import layout as rules_at
from noughts.rules.spec import short_repr
from noughts.search.kernels import layout as at
from noughts.search.kernels.alphabeta import alpha_beta
from noughts.search.kernels.position import read_line, set_position
from noughts.search.kernels.timeman import NEVER, alarm, start_time
from noughts.search.kernels.tt import new_table
from noughts.search.limits import Limits, before_tick
from noughts.search.network import Network, cache_rows, network_array, set_contempt, shipped_network
from noughts.search.weights import search_params, weights_for

DEFAULT_MEGABYTES = 64
ASPIRATION_DEPTH = 4
"""Minimum depth for an aspiration window around the value of the last iteration."""
WIDENING = 8
"""Factor by which the window grows at a re-search."""
RESCUE_NODES = 4_000
"""Nodes for the other moves if a stopped search has just seen its best move lose: less than a millisecond."""


@dataclass(frozen=True)
class Variation:
    """A principal variation: a move, its score with best play on both sides, and that play.

    score: for the player to move; 100,000 is a result of 1 (see `State.returns`), wins are beyond PROVEN: by a line, or
    by more points under `majority`. moves: the variation, starting with the move itself, as far as the transposition
    table has it.
    """

    action: int
    score: int
    moves: tuple[int, ...]

    @property
    def proven(self) -> int:
        """1 for a certain win (by a line, or by more points under `majority`), -1 for a certain loss, else 0."""
        return (self.score > at.PROVEN) - (self.score < -at.PROVEN)

    @property
    def distance(self) -> int:
        """Number of moves in which a proven result can be forced; fewer may be enough.

        A search that reduces and prunes may prove a win before it has looked for a faster one.
        """
        return at.WIN - abs(self.score)

    @property
    def expected(self) -> float:
        """The expected result for the player to move, -1 to 1."""
        return float(self.proven) if self.proven else self.score / at.RESULT_UNIT


@dataclass(frozen=True)
class SearchInfo:
    """The result of an iteration. variations: best first. seldepth: length of the longest searched variation. exact:
    whether all variations reached the end of the game, without evaluations.
    """

    depth: int
    seldepth: int
    variations: tuple[Variation, ...]
    nodes: int
    seconds: float
    exact: bool

    @property
    def best(self) -> Variation:
        return self.variations[0]


class Engine:
    """Alpha-beta search for one game. Its transposition table lasts from one search to the next, until `new_game`.

    Only one thread at a time searches or evaluates; others wait. `stop` and `nodes` work from any thread at any time.

    >>> import noughts
    >>> state = noughts.load_game("classic").from_string("XX./OO./... p0")
    >>> noughts.Engine(state.game, memory=1).search(state, noughts.Limits(depth=3)).best.action
    2
    """

    def __init__(
        self,
        game: Game,
        *,
        memory: int = DEFAULT_MEGABYTES,
        weights: EvalWeights | None = None,
        network: Network | Literal["shipped"] | None = "shipped",
        techniques: int = at.ALL_TECHNIQUES,
        contempt: bool = False,
    ) -> None:
        """memory: megabytes of the transposition table. weights: weights of the handmade evaluation, which is then
        used. network: None also selects the handmade evaluation. contempt: whether the player to move at the root
        avoids draws, if the network was trained for that; scores are then not expected results.
        """
        if not 1 <= memory <= machine_megabytes():
            most = f"and this machine has {machine_megabytes()}"
            raise ValueError(f"the memory must be 1 megabyte or more, {most}, not {short_repr(memory)}")
        self.game = game
        self._facts = game.facts
        self._params = search_params(game.rules, weights or weights_for(game.rules))
        self._net = np.zeros(0, np.int16)
        self._contempt: Network | None = None
        rows = 0
        if network == "shipped":
            network = shipped_network(game.rules) if weights is None else None
        if network is not None:
            self._net = network_array(network, game.rules, self._params)
            rows = cache_rows(game.rules)
            self._contempt = network if contempt and network.contempt else None
            if game.rules.block_points:
                techniques &= ~at.DANGER  # networks then order moves better without it: see training/NOTES.md
        if not techniques & at.EVALUATION:
            self._params[at.EVALUATED] = at.UNEVALUATED
        if game.rules.misere:  # winning a block is no threat here, so quiescence has nothing to search
            techniques &= ~(at.QUIESCENCE | at.DANGER)
        self._work = np.zeros(at.WORK_WORDS + rows, np.int64)
        self._work[at.TECHNIQUES] = techniques
        self._tt = new_table(memory)
        self._row = np.zeros(int(self._facts[rules_at.ROW_WORDS]), np.int64)
        self._one_at_a_time = OneAtATime()

    @property
    def nodes(self) -> int:
        """Positions searched so far by the current or the last search."""
        return int(self._work[at.NODES])

    def new_game(self) -> None:
        """Clears the transposition table and the history, so that the next search does not depend on earlier ones."""
        with self._one_at_a_time:
            self._tt[:] = 0
            self._work[at.HISTORY : at.FRAMES] = 0
            self._work[at.GENERATION] = 0

    def stop(self) -> None:
        """Ends the search in another thread, which returns the best move so far within a millisecond."""
        self._work[at.STOP_REQUESTED] = 1

    def evaluate(self, state: State) -> int:
        """Returns the static evaluation of a state that is not over, for the player to move, in the units of
        `Variation.score`.
        """
        self._check(state)
        with self._one_at_a_time:
            self._row[:] = state.words[: len(self._row)]
            self._set_contempt(self._row)
            _, value = set_position(self._facts, self._row, self._params, self._work, self._tt, self._net)
            return int(value)

    def search(
        self,
        state: State,
        limits: Limits,
        *,
        multi_pv: int | None = 1,
        scores_only: bool = False,
        on_info: Callable[[SearchInfo], None] | None = None,
    ) -> SearchInfo:
        """Returns the best `multi_pv` moves (None: all) of a state that is not over, within the limits.

        scores_only: leave out the principal variations except for their first moves. on_info: called after every
        iteration. The first iteration is always finished, so there is always a move.
        """
        self._check(state)
        if multi_pv is not None and multi_pv < 1:
            raise ValueError(f"multi_pv must be 1 or more, or None for all moves, not {multi_pv}")
        with self._one_at_a_time:
            return self._search(state.clone(), limits, multi_pv, scores_only, on_info)

    def _search(
        self,
        state: State,
        limits: Limits,
        multi_pv: int | None,
        scores_only: bool,
        on_info: Callable[[SearchInfo], None] | None,
    ) -> SearchInfo:
        started = time.monotonic()
        legal = len(state.legal_actions())
        count = legal if multi_pv is None else min(multi_pv, legal)
        self._begin(state, started, limits)
        cells_left = self._cells_left()
        latest: SearchInfo | None = None
        with alarm(started, before_tick(limits.seconds), self.stop):
            for depth in range(1, min(limits.depth or at.MAX_DEPTH, at.MAX_DEPTH, cells_left) + 1):
                if depth >= cells_left:  # earlier iterations pruned, so their values are not exact
                    self._work[at.EXACT_SEARCH] = 1
                    self._work[at.GENERATION] |= 1
                self._work[at.STOP_DEFERRED] = depth == 1
                variations = self._best_variations(depth, count, latest, scores_only)
                if variations is None:
                    if latest is not None and count == 1:
                        latest = self._rescued(latest, started, scores_only)
                    break
                latest = SearchInfo(
                    depth=depth,
                    seldepth=int(self._work[at.SELDEPTH]),
                    variations=variations,
                    nodes=self.nodes,
                    seconds=time.monotonic() - started,
                    exact=depth >= cells_left and not self._work[at.STOP],
                )
                if on_info is not None:
                    on_info(latest)
                if self._work[at.STOP] or _all_proven(latest) or (legal == 1 and limits.seconds is not None):
                    break
        assert latest is not None
        return latest

    def _check(self, state: State) -> None:
        require_own(self.game.rules, state, "this engine")
        if state.is_terminal():
            raise ValueError("the game is over, so there is no move to search")

    def _begin(self, state: State, started: float, limits: Limits) -> None:
        work = self._work
        self._row[:] = state.words[: len(self._row)]
        work[[at.STOP, at.STOP_REQUESTED, at.NODES, at.NEXT_TIME_CHECK, at.SELDEPTH, at.EXCLUDED_COUNT]] = 0
        work[at.NODE_LIMIT] = limits.nodes or NEVER
        start_time(work, at.TIME, started, limits.seconds)
        work[at.EXACT_SEARCH] = 0
        work[at.GENERATION] = (work[at.GENERATION] + 2) & 62
        work[at.HISTORY : at.FRAMES] >>= 3

    def _set_contempt(self, row: npt.NDArray[np.int64]) -> None:
        """Sets the contempt for the player to move in a row, the root of the following search."""
        if self._contempt is not None:
            set_contempt(self._params, self._contempt, self.game.rules, int(row[rules_at.PLAYER]))

    def _cells_left(self) -> int:
        """Returns the maximum number of marks until the end."""
        rules = self.game.rules
        closed = int(self._row[rules_at.CLOSED])
        taken = self._row[rules_at.TAKEN : rules_at.TAKEN + rules.blocks].tolist()
        return sum(rules.cells - mask.bit_count() for block, mask in enumerate(taken) if not closed >> block & 1)

    def _best_variations(
        self, depth: int, count: int, latest: SearchInfo | None, scores_only: bool
    ) -> tuple[Variation, ...] | None:
        """Returns the best moves of an iteration, best first; None if it was stopped before they are certain.

        A single move is certain once it is better than those before it. With MultiPV all must be certain, since scores
        of different depths cannot be compared.
        """
        work = self._work
        found: list[Variation] = []
        work[at.EXCLUDED_COUNT] = 0
        for rank in range(count):
            before = latest.variations[rank].score if latest and rank < len(latest.variations) else None
            move, score = self._search_root(depth, before)
            if move < 0 or (work[at.STOP] and (count > 1 or score < -at.PROVEN)):
                found = []  # even if the moves searched so far lose, since another one may not
                break
            found.append(self._variation(move, score, scores_only))
            work[at.EXCLUDED + rank] = move
            work[at.EXCLUDED_COUNT] = rank + 1
        work[at.EXCLUDED_COUNT] = 0
        return tuple(sorted(found, key=lambda one: -one.score)) or None

    def _rescued(self, latest: SearchInfo, started: float, scores_only: bool) -> SearchInfo:
        """After a stop, searches the other moves briefly if the best move of the last iteration was just proven to
        lose.
        """
        work = self._work
        lost = work[at.LOST : at.LOST + work[at.LOST_COUNT]].copy()
        if latest.best.action not in {self._variation(int(move), 0, True).action for move in lost}:
            return latest
        work[[at.STOP, at.STOP_REQUESTED]] = 0
        work[at.NODE_LIMIT] = work[at.NODES] + RESCUE_NODES
        start_time(work, at.TIME, started, None)
        work[at.EXCLUDED : at.EXCLUDED + len(lost)] = lost
        work[at.EXCLUDED_COUNT] = len(lost)
        found = None
        for depth in range(1, latest.depth + 1):
            work[at.STOP_DEFERRED] = depth == 1
            move, score = self._search_root(depth, None)
            if move < 0 or score < -at.PROVEN:
                break
            found = depth, move, score
            if work[at.STOP]:
                break
        work[at.EXCLUDED_COUNT] = 0
        if found is None:
            return latest
        depth, move, score = found
        variation = self._variation(move, score, scores_only)
        seldepth, seconds = int(work[at.SELDEPTH]), time.monotonic() - started
        return SearchInfo(depth, seldepth, (variation,), self.nodes, seconds, exact=False)

    def _search_root(self, depth: int, before: int | None) -> tuple[int, int]:
        """Returns the best move and its score at a depth, or -1 if the search was stopped before a move was certain.

        Starts with an aspiration window around the score of the last iteration, and widens it after a failure.
        """
        work = self._work
        alpha, beta, width = -at.INFINITE, at.INFINITE, int(self._params[at.ASPIRATION_WINDOW])
        if before is not None and depth >= ASPIRATION_DEPTH and abs(before) < at.PROVEN:
            alpha, beta = before - width, before + width
        work[at.ROOT_MOVE] = -1
        self._set_contempt(self._row)
        set_position(self._facts, self._row, self._params, work, self._tt, self._net)
        while True:
            score = int(alpha_beta(self._facts, self._row, self._params, work, self._tt, self._net, depth, alpha, beta))
            if work[at.STOP] or alpha < score < beta:
                return int(work[at.ROOT_MOVE]), int(work[at.ROOT_SCORE])
            width *= WIDENING
            if score <= alpha:
                alpha = -at.INFINITE if width > at.RESULT_UNIT else score - width
            else:
                beta = at.INFINITE if width > at.RESULT_UNIT else score + width

    def _variation(self, move: int, score: int, scores_only: bool) -> Variation:
        """Returns the principal variation that starts with a move, as far as the transposition table has it."""
        action = action_of(self.game.rules, move)
        if scores_only:
            return Variation(action, score, (action,))
        line = np.empty(self.game.max_game_length(), np.int64)
        count = read_line(self._facts, self._row.copy(), self._params, self._work, self._tt, action, line)
        return Variation(action, score, tuple(line[:count].tolist()))


def _all_proven(info: SearchInfo) -> bool:
    """Returns whether a deeper search cannot change the result."""
    return all(variation.proven for variation in info.variations)
