"""Looking ahead with a purpose: deeper and deeper until a limit, the best lines so far at every moment."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from noughts.game import Game, State
from noughts.rules.geometry import action_of
from noughts.rules.kernels import layout as kernel
from noughts.search.kernels import layout as at
from noughts.search.kernels.alphabeta import look_ahead
from noughts.search.kernels.position import set_up
from noughts.search.kernels.timeman import NEVER, alarm, start_clock
from noughts.search.weights import Array, Weights, knowledge_table, weights_for

DEFAULT_MEGABYTES = 64
FIRST_WINDOW = 2_000
"""Half the width, in score, of the window around the last depth's value in which the next one is sought."""
SURE_DEPTH = 4
"""From this depth on the value of the last one is trusted enough for a narrow window."""


@dataclass(frozen=True)
class Limits:
    """When to stop looking: whichever comes first. None is no limit; without any, the search ends with the game."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("seconds", 0), ("nodes", 1), ("depth", 1)):
            given = getattr(self, name)
            if given is not None and not given >= least:
                raise ValueError(f"{name} must be {least} or more, not {given}")


@dataclass(frozen=True)
class Line:
    """A move and what it comes to with best play on both sides.

    score: for the player to move; 100,000 is a result of 1 (see `State.returns`), wins by a line are beyond
    PROVEN. moves: the line, the move itself first.
    """

    action: int
    score: int
    moves: tuple[int, ...]

    @property
    def proven(self) -> int:
        """1 for a certain win by a line, -1 for a certain loss, 0 for anything else."""
        return (self.score > at.PROVEN) - (self.score < -at.PROVEN)

    @property
    def distance(self) -> int:
        """Moves until the end, where the result is proven."""
        return at.WIN - abs(self.score)


@dataclass(frozen=True)
class Report:
    """What is known at a moment of the search. lines: best first. exact: nothing was judged, all lines ended."""

    depth: int
    deepest: int
    lines: tuple[Line, ...]
    nodes: int
    seconds: float
    exact: bool

    @property
    def best(self) -> Line:
        return self.lines[0]


class Searcher:
    """Alpha-beta for one game. It remembers what it saw from one search to the next; `forget` makes it new.

    Not for two threads at once, except `stop`, which any thread may call.
    """

    def __init__(
        self,
        game: Game,
        *,
        megabytes: int = DEFAULT_MEGABYTES,
        weights: Weights | None = None,
        techniques: int = at.ALL_TECHNIQUES,
    ) -> None:
        if megabytes < 1:
            raise ValueError(f"the memory must be 1 megabyte or more, not {megabytes}")
        self.game = game
        self._facts = game._facts
        self._know = knowledge_table(game.rules, weights or weights_for(game.rules))
        self._work = np.zeros(at.WORK_WORDS, np.int64)
        self._work[at.TECHNIQUES] = techniques
        self._memory = _buckets(megabytes)
        self._row = np.zeros(int(self._facts[kernel.ROW_WORDS]), np.int64)

    def forget(self) -> None:
        """Start as if nothing had been seen: the next search does not depend on earlier ones."""
        self._memory[:] = 0
        self._work[at.HISTORY : at.FRAMES] = 0
        self._work[at.AGE] = 0

    def stop(self) -> None:
        """End the search that runs in another thread; it returns the best line so far within a millisecond."""
        self._work[at.ASKED] = 1

    def search(
        self,
        state: State,
        limits: Limits,
        *,
        lines: int = 1,
        report: Callable[[Report], None] | None = None,
    ) -> Report:
        """The best `lines` moves of a state that is not over, as good as the limits allow.

        `report` is told after every depth. The first depth is finished whatever the limits, so there is always a move.
        """
        if state.is_terminal():
            raise ValueError("the game is over: there is no move to look for")
        started = time.monotonic()
        legal = len(state.legal_actions())
        self._row[:] = state._words[: len(self._row)]
        self._begin(started, limits)
        cells_left = self._cells_left()
        latest: Report | None = None
        with alarm(started, limits.seconds, self.stop):
            for depth in range(1, min(limits.depth or at.MAX_DEPTH, at.MAX_DEPTH, cells_left) + 1):
                self._work[at.EXACT] = depth >= cells_left
                self._work[at.HELD] = depth == 1
                found = self._best_lines(state, depth, min(lines, legal), latest)
                if found is None:
                    break
                seconds = time.monotonic() - started
                exact = depth >= cells_left and self._work[at.STOP] == 0
                latest = Report(
                    depth, int(self._work[at.DEEPEST]), found, int(self._work[at.NODES]), seconds, exact=exact
                )
                if report is not None:
                    report(latest)
                if self._work[at.STOP] or _settled(latest) or (legal == 1 and limits.seconds is not None):
                    break
        assert latest is not None
        return latest

    def _begin(self, started: float, limits: Limits) -> None:
        work = self._work
        work[[at.STOP, at.ASKED, at.NODES, at.NEXT_LOOK, at.DEEPEST, at.SKIPPED]] = 0
        work[at.NODE_LIMIT] = limits.nodes or NEVER
        start_clock(work, at.CLOCK, started, limits.seconds)
        work[at.AGE] = (work[at.AGE] + 1) & 63
        work[at.HISTORY : at.FRAMES] >>= 3

    def _cells_left(self) -> int:
        """Marks that can be placed at most until the end."""
        rules = self.game.rules
        closed = int(self._row[kernel.CLOSED])
        taken = self._row[kernel.TAKEN : kernel.TAKEN + rules.blocks].tolist()
        return sum(rules.cells - mask.bit_count() for block, mask in enumerate(taken) if not closed >> block & 1)

    def _best_lines(self, state: State, depth: int, count: int, latest: Report | None) -> tuple[Line, ...] | None:
        """The best moves at one depth, best first; None if the search is stopped before they are certain.

        One line is certain when a better one than before is found. Several are when all are: lines of different
        depths cannot be compared.
        """
        work = self._work
        found: list[Line] = []
        work[at.SKIPPED] = 0
        for rank in range(count):
            before = latest.lines[rank].score if latest and rank < len(latest.lines) else None
            move, score = self._look(depth, before)
            if move < 0 or (work[at.STOP] and (count > 1 or score < -at.PROVEN)):
                found = []  # also if the moves looked at so far lose: another one may not
                break
            found.append(self._line(state, move, score))
            work[at.SKIP_LIST + rank] = move
            work[at.SKIPPED] = rank + 1
        work[at.SKIPPED] = 0
        return tuple(sorted(found, key=lambda line: -line.score)) or None

    def _look(self, depth: int, before: int | None) -> tuple[int, int]:
        """Best move and its score at a depth, or -1 if the search was stopped before one was certain.

        Looks in a narrow window around the score of the last depth first, and wider where that fails.
        """
        work = self._work
        low, high, width = -at.INFINITE, at.INFINITE, FIRST_WINDOW
        if before is not None and depth >= SURE_DEPTH and abs(before) < at.PROVEN:
            low, high = before - width, before + width
        work[at.ROOT_MOVE] = -1
        set_up(self._facts, self._row, self._know, work, self._memory)
        while True:
            score = int(look_ahead(self._facts, self._row, self._know, work, self._memory, depth, low, high))
            if work[at.STOP] or low < score < high:
                return int(work[at.ROOT_MOVE]), int(work[at.ROOT_SCORE])
            width *= 8
            if score <= low:
                low = -at.INFINITE if width > at.CERTAIN_SCORE else score - width
            else:
                high = at.INFINITE if width > at.CERTAIN_SCORE else score + width

    def _line(self, state: State, move: int, score: int) -> Line:
        """The line that begins with a move, as far as it is remembered."""
        state = state.clone()
        action = action_of(self.game.rules, move)
        actions: list[int] = []
        while action >= 0:
            actions.append(action)
            state.apply_action(action)
            if state.is_terminal():
                break
            action = int(set_up(self._facts, state._words, self._know, self._work, self._memory))
        return Line(actions[0], score, tuple(actions))


def _settled(report: Report) -> bool:
    """Whether looking deeper cannot change anything: every line is proven."""
    return all(line.proven for line in report.lines)


def _buckets(megabytes: int) -> Array:
    """Memory for the table: a power of two of buckets of four words, each in one line of the processor's cache."""
    words = 1 << ((megabytes << 20) // 8).bit_length() - 1
    raw = np.empty(words + 8, np.int64)
    raw.fill(0)  # now, not on the clock of the first search: the system gives pages when they are first written
    skip = -(raw.ctypes.data // 8) % 8
    return raw[skip : skip + words]
