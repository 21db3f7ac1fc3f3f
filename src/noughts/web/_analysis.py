"""Evaluates positions and reviews games for the page, with `noughts.analysis`.

Built-in games that can be solved get exact values; elsewhere the engine searches in its own threads and reports after
every iteration. Leaving an analysis stops it. Values are player 0's expected result; descriptions are for the player
who makes the move.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator
from importlib import import_module

from noughts import draw, search
from noughts.analysis.evaluator import Evaluation, Evaluator, evaluations_of, evaluator_for
from noughts.analysis.mistakes import review, to_data
from noughts.document import Json
from noughts.game import Game, State
from noughts.library import is_built_in
from noughts.matches.page import review_data
from noughts.matches.record import GameRecord
from noughts.printable import capitalized
from noughts.web._fair_pool import FairThreadPool
from noughts.web._members import Member
from noughts.web._quotas import Quotas

MEGABYTES = 32
ENGINES_READY = 3
"""Memory for each thread."""
MOVES_SHOWN = 12
"""Maximum moves shown of each line; later ones are rarely more than a guess."""
HINT_SECONDS = 0.5
REVIEW_NODES = 5_000
"""Budget for each position of a review: about a second for a game of extreme."""


class Stopped(Exception):  # noqa: N818 - nothing is wrong
    """The review in progress was cancelled."""


class Analyst:
    """Threads for analyses. Each runs one at a time; the others wait, and clients take turns."""

    def __init__(self, workers: int, quotas: Quotas) -> None:
        self._threads = FairThreadPool(workers, "analyst", quotas.analyses)
        self._ready = threading.local()

    def close(self) -> None:
        self._threads.close()

    def warm_up(self) -> None:
        """Loads the compiled search in a thread, so that the first move need not wait."""
        self._threads.run_without_member(import_module, "noughts.search.engine")

    async def analyse(self, state: State, seconds: float, lines: int, member: Member) -> AsyncIterator[Json]:
        """Yields the current result repeatedly until the time is up. Leaving the iteration stops the search.

        Raises Busy if too many analyses of this client are waiting.
        """
        job = _Job(asyncio.get_running_loop(), state.clone(), seconds, lines)
        done = asyncio.ensure_future(self._threads.run(member, self._find, job))
        done.add_done_callback(lambda _: job.results.put_nowait(None))
        try:
            while (found := await job.results.get()) is not None:
                yield found
            await done
        finally:
            job.stop()
            done.cancel()

    async def review(self, record: GameRecord, member: Member) -> Json:
        """Reviews a game, in the form of `review.js`, with the accuracy of both players. Cancelling it stops the work.

        Raises Busy if too many analyses of this client are waiting.
        """
        stopped = threading.Event()
        try:
            return await self._threads.run(member, self._review, record, stopped)
        finally:
            stopped.set()

    def _review(self, record: GameRecord, stopped: threading.Event) -> Json:
        def tick(_share: float) -> None:
            if stopped.is_set():
                raise Stopped

        found = review(record, evaluator=_evaluator(record.game), tick=tick)
        accuracy = [found.accuracy(record, seat) for seat in (0, 1)]
        return review_data(record.game, to_data(found)) | {"accuracy": accuracy}

    async def best(self, state: State, member: Member) -> Json:
        """Returns the best move, by a short search."""
        return [found async for found in self.analyse(state, HINT_SECONDS, 1, member)][-1]

    def _find(self, job: _Job) -> None:
        if job.stopped:
            return None
        state = job.state
        evaluator = _evaluator(state.game)
        if evaluator.solution is not None:
            found = evaluator.evaluate_moves(state)
            return job.publish({"done": True} | lines_of(state, _best_in_cells(state, found, job.lines), job.lines))
        engine = job.engine = self._engine(state.game)

        def on_info(info: search.SearchInfo) -> None:
            if job.stopped:
                engine.stop()
            job.publish(searched_lines(state, info, done=False))

        info = engine.search(state, search.Limits(seconds=job.seconds), multi_pv=job.lines, on_info=on_info)
        return job.publish(searched_lines(state, info, done=True))

    def _engine(self, game: Game) -> search.Engine:
        # Keyed by the game and not by its name, since a replay can have its own rules under any name.
        ready: OrderedDict[Game, search.Engine] = self._ready.__dict__.setdefault("engines", OrderedDict())
        if game not in ready:
            ready[game] = search.Engine(game, memory=MEGABYTES)
            while len(ready) > ENGINES_READY:
                ready.popitem(last=False)
        ready.move_to_end(game)
        return ready[game]


class _Job:
    """An analysis, shared by the thread that computes and the one that waits for results."""

    def __init__(self, loop: asyncio.AbstractEventLoop, state: State, seconds: float, lines: int) -> None:
        self.state, self.seconds, self.lines = state, seconds, lines
        self.results: asyncio.Queue[Json | None] = asyncio.Queue()
        """None at the end."""
        self.stopped = False
        self.engine: search.Engine | None = None
        self._loop = loop

    def publish(self, found: Json) -> None:
        """Called by the computing thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.results.put_nowait, found)

    def stop(self) -> None:
        self.stopped = True
        if self.engine is not None:
            self.engine.stop()


def _evaluator(game: Game) -> Evaluator:
    """Returns the evaluator of a game. Solves only built-in games, since rules in a replay may take minutes and
    gigabytes.
    """
    return evaluator_for(game, REVIEW_NODES) if is_built_in(game) else Evaluator(game, REVIEW_NODES)


def _best_in_cells(state: State, moves: dict[int, Evaluation], lines: int) -> dict[int, Evaluation]:
    """Returns the best moves, and the best of the others in each cell."""
    cells, kept = set(), {}
    for rank, (action, found) in enumerate(moves.items()):
        cell = action // state.game.rules.choices
        if rank < lines or cell not in cells:
            kept[action] = found
        cells.add(cell)
    return kept


def searched_lines(state: State, info: search.SearchInfo, *, done: bool) -> Json:
    """Returns the lines that a search has found so far."""
    effort = {"depth": info.depth, "nodes": info.nodes, "seconds": round(info.seconds, 2)}
    return {"done": done} | effort | lines_of(state, evaluations_of(state, info), len(info.variations))


def lines_of(state: State, moves: dict[int, Evaluation], listed: int) -> Json:
    """Returns the moves of a position in the page's form. shown: number of lines in the list; all are on the board."""
    best = next(iter(moves.values()))
    return {
        "exact": best.exact,
        "value": round(best.pov(0).value, 3),
        "words": _verdict(state, best.words) if best.exact else None,
        "shown": listed,
        "lines": [_line(state, found, rank, found.value == best.value) for rank, found in enumerate(moves.values())],
    }


def _line(state: State, found: Evaluation, rank: int, best: bool) -> Json:
    rules, moves = state.game.rules, found.line[:MOVES_SHOWN]
    cell, mark = divmod(moves[0], rules.choices)
    return {
        "cell": cell,
        "mark": rules.marks[mark] if rules.choices > 1 else "",
        "move": state.action_to_string(moves[0]),
        "text": found.label,
        "words": found.words if found.exact else f"expected result {found.words}",
        "rank": rank,
        "best": best,
        "line": [state.action_to_string(action) for action in moves],
        "actions": list(moves),
    }


def _verdict(state: State, words: str) -> str:
    return f"{capitalized(draw.player_name(state.game.rules, state.current_player()))} {words}"
