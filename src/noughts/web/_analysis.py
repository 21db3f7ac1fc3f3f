"""What the moves of a position are worth: exactly in games that can be solved, elsewhere as the engine finds them out.

Values are player 0's expected result, -1 to 1; a line's words are for the player who makes the move. The engine thinks
in threads of its own and tells after every iteration; an analysis that nobody wants any more is stopped.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from noughts.game import Game, State
from noughts.library import is_built_in
from noughts.web._settings import ANALYSES_WAITING
from noughts.web._turns import Turns

if TYPE_CHECKING:  # they load compiled code, which is done in a thread
    from noughts.search import Engine, SearchInfo
    from noughts.solving import RatedMove

MEGABYTES = 32
ENGINES_READY = 3
"""For each thread."""
MOVES_SHOWN = 12
"""Of each line; what comes later is seldom more than a guess."""
HINT_SECONDS = 0.5
CURVE_NODES = 10_000
"""Positions searched for each point of a curve: a second for a whole game of extreme."""
CURVE_STEP = 12
"""Points told at once."""

Json = dict[str, Any]


class Analyst:
    """Threads that analyse. No more analyses run at once than there are threads; others wait, addresses in turn."""

    def __init__(self, workers: int) -> None:
        self._turns = Turns(workers, "analyst", ANALYSES_WAITING)
        self._ready = threading.local()

    def close(self) -> None:
        self._turns.close()

    def warm_up(self) -> None:
        """Load the compiled search in a thread, so that nobody waits for it at their first move."""
        self._turns.soon(import_module, "noughts.search.engine")

    async def analyse(self, state: State, seconds: float, lines: int, address: str = "") -> AsyncIterator[Json]:
        """What is known, again and again until the time is up. Leaving the iteration stops the search.

        Busy if too many of this address wait.
        """
        loop = asyncio.get_running_loop()
        job = _Job(loop, state.clone(), seconds, lines)
        done = asyncio.ensure_future(self._turns.run(address, self._work, job))
        done.add_done_callback(lambda _: job.tell(None))
        try:
            while True:
                await job.news.wait()
                job.news.clear()
                if job.latest is not None:
                    yield job.latest
                if job.finished:
                    break
            await done
        finally:
            job.stop()
            done.cancel()

    async def curve(
        self, game: Game, moves: Sequence[int], address: str = ""
    ) -> AsyncIterator[tuple[int, list[float]]]:
        """Player 0's expected result in every position of a game, a few at a time: (number of the first, values)."""
        state = game.new_initial_state()
        for start in range(0, len(moves) + 1, CURVE_STEP):
            part = moves[start : start + CURVE_STEP]
            values = await self._turns.run(address, self._values, state.clone(), part, start == len(moves))
            for action in part:
                state.apply_action(action)
            yield start, values
        if len(moves) % CURVE_STEP:
            yield len(moves), await self._turns.run(address, self._values, state, (), True)

    def _values(self, state: State, moves: Sequence[int], last: bool) -> list[float]:
        """Of a state and those after the moves; without that after the last one, which begins the next part."""
        values = [self._value(state)] if moves or last else []
        for action in moves[:-1]:
            state.apply_action(action)
            values.append(self._value(state))
        return values

    def _value(self, state: State) -> float:
        from noughts.search import Limits
        from noughts.solving import TooLarge, solve

        if state.is_terminal():
            return round(state.returns()[0], 3)
        side = 1 if state.current_player() == 0 else -1
        if _may_be_solved(state.game):
            try:
                return float(side * solve(state.game).value(state))
            except TooLarge:
                pass
        found = self._engine(state.game).search(state, Limits(nodes=CURVE_NODES), scores_only=True)
        return round(side * found.best.expected, 3)

    async def best(self, state: State, address: str = "") -> Json:
        """The best move, after a short look."""
        return [found async for found in self.analyse(state, HINT_SECONDS, 1, address)][-1]

    def _work(self, job: _Job) -> None:
        try:
            if not job.stopped:
                self._find(job)
        finally:
            job.tell(None)

    def _find(self, job: _Job) -> None:
        from noughts.search import Limits
        from noughts.solving import TooLarge

        state = job.state
        if _may_be_solved(state.game):
            try:
                return job.tell(exact_lines(state, job.lines))
            except TooLarge:
                pass
        engine = job.engine = self._engine(state.game)

        def told(info: SearchInfo) -> None:
            if job.stopped:
                engine.stop()
            job.tell(searched_lines(state, info, done=False))

        info = engine.search(state, Limits(seconds=job.seconds), multi_pv=job.lines, on_info=told)
        return job.tell(searched_lines(state, info, done=True))

    def _engine(self, game: Game) -> Engine:
        from noughts.search import Engine

        # By the game and not by its name: a replay can bring rules of its own under any name.
        ready: OrderedDict[Game, Engine] = self._ready.__dict__.setdefault("engines", OrderedDict())
        if game not in ready:
            ready[game] = Engine(game, megabytes=MEGABYTES)
            while len(ready) > ENGINES_READY:
                ready.popitem(last=False)
        ready.move_to_end(game)
        return ready[game]


class _Job:
    """One analysis, between the thread that does it and the one that waits for news."""

    def __init__(self, loop: asyncio.AbstractEventLoop, state: State, seconds: float, lines: int) -> None:
        self.state, self.seconds, self.lines = state, seconds, lines
        self.news = asyncio.Event()
        self.latest: Json | None = None
        self.finished = self.stopped = False
        self.engine: Engine | None = None
        self._loop = loop

    def tell(self, found: Json | None) -> None:
        """Called by the thread; None at the end."""
        if found is None:
            self.finished = True
        else:
            self.latest = found
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.news.set)

    def stop(self) -> None:
        self.stopped = True
        if self.engine is not None:
            self.engine.stop()


def _may_be_solved(game: Game) -> bool:
    """Only built-in games: a replay can bring rules that take minutes and gigabytes to solve."""
    return not game.rules.nested and is_built_in(game)


def exact_lines(state: State, lines: int) -> Json:
    """Of a solved game: every move's result, the best in each cell as hints, and play from the best ones."""
    from noughts.solving import solve

    solution = solve(state.game)
    moves = solution.rated_moves(state)
    player, rules = state.current_player(), state.game.rules
    told, cells = [], set()
    for rank, move in enumerate(moves):
        cell = move.action // rules.choices
        if rank >= lines and cell in cells:
            continue
        cells.add(cell)
        line = _perfect_play(state, move.action) if rank < lines else [move.action]
        told.append(_line(state, line, _words(move), _short(move), rank, move.value == moves[0].value))
    value = solution.value(state) * (1 if player == 0 else -1)
    words = _words(moves[0])
    return {
        "done": True,
        "exact": True,
        "value": float(value),
        "words": _verdict(state, words),
        "shown": lines,
        "lines": told,
    }


def _perfect_play(state: State, action: int) -> list[int]:
    from noughts.solving import solve

    solution, line = solve(state.game), [action]
    state = state.child(action)
    while not state.is_terminal() and len(line) < MOVES_SHOWN:
        line.append(solution.preferred_actions(state)[0])
        state.apply_action(line[-1])
    return line


def _words(move: RatedMove) -> str:
    return "draws" if move.value == 0 else f"{'wins' if move.value > 0 else 'loses'} in {move.distance}"


def _short(move: RatedMove) -> str:
    return "D" if move.value == 0 else f"{'W' if move.value > 0 else 'L'}{move.distance}"


def searched_lines(state: State, info: SearchInfo, *, done: bool) -> Json:
    """What a search has found so far."""
    told = []
    for rank, one in enumerate(info.variations):
        if one.proven:
            words = f"{'wins' if one.proven > 0 else 'loses'} in {one.distance}"
            short = f"{'W' if one.proven > 0 else 'L'}{one.distance}"
        else:
            words = f"expected result {one.expected:+.2f}"
            short = f"{one.expected:+.2f}".replace("0.", ".", 1)
        told.append(_line(state, one.moves[:MOVES_SHOWN], words, short, rank, one.score == info.best.score))
    best = info.best
    value = best.expected if state.current_player() == 0 else -best.expected
    proven = bool(best.proven)
    return {
        "done": done,
        "exact": info.exact or proven,
        "value": round(value, 3),
        "words": _verdict(state, told[0]["words"]) if proven else None,
        "depth": info.depth,
        "nodes": info.nodes,
        "seconds": round(info.seconds, 2),
        "shown": len(told),
        "lines": told,
    }


def _line(state: State, moves: Sequence[int], words: str, short: str, rank: int, best: bool) -> Json:
    rules = state.game.rules
    cell, mark = divmod(moves[0], rules.choices)
    return {
        "cell": cell,
        "mark": rules.marks[mark] if rules.choices > 1 else "",
        "move": state.action_to_string(moves[0]),
        "text": short,
        "words": words,
        "rank": rank,
        "best": best,
        "line": [state.action_to_string(action) for action in moves],
        "actions": list(moves),
    }


def _verdict(state: State, words: str) -> str:
    from noughts.draw import player_name

    name = player_name(state.game.rules, state.current_player())
    return f"{name[0].upper()}{name[1:]} {words}"
