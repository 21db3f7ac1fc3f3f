"""The exact solution of a flat game: the value and the distance of every position, and the moves that keep the value.

Both are combined in one small number for the player to move, the *score*; the best move has the highest:

    64 - d    wins, and the game ends after d moves
    d         a draw, after d moves
    d - 64    loses, after d moves

So the winner prefers fast wins and the loser slow losses. Both delay draws, which matters only in games where a draw
can occur before the board is full. A finished game has the score for the player who would move next. Scores are
computed backwards through the graph of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from noughts.document import escape
from noughts.game import TERMINAL, Game, State
from noughts.library import load_game
from noughts.rules.spec import Rules
from noughts.solving._store import keep_graph, load_graph
from noughts.solving.codes import code_bits
from noughts.solving.graph import Graph, build_graph
from noughts.solving.kernels.codes import DRAWN, NOT_OVER, WON

WIN: Final = 64
DRAW_BELOW: Final = 32
"""Scores of draws are below this, scores of wins above; a game has up to 16 moves."""

WORTH_KEEPING = 20_000
"""Minimum size of stored graphs: smaller ones are built faster than they are read."""

Scores = npt.NDArray[np.int8]


def _value_of(scores: Scores) -> Scores:
    """Returns 1, 0 or -1 for each score."""
    values: Scores = (scores >= DRAW_BELOW).astype(np.int8) - (scores <= -DRAW_BELOW)
    return values


def _distance_of(scores: Scores) -> Scores:
    """Returns the number of moves left, for each score."""
    distances: Scores = np.where(np.abs(scores) < DRAW_BELOW, scores, WIN - np.abs(scores))
    return distances


def _score_before(scores: Scores) -> Scores:
    """Returns the value of positions with these scores to the player who moves there: one move more, sign reversed."""
    before: Scores = np.where(np.abs(scores) < DRAW_BELOW, scores + 1, -scores + np.sign(scores))
    return before


def _solve_graph(graph: Graph) -> Scores:
    """Returns the score of every position: int8[positions]."""
    next_player = graph.marks % 2
    winner = graph.kinds - WON
    scores: Scores = np.where(winner == next_player, WIN, -WIN).astype(np.int8)
    scores[graph.kinds == DRAWN] = 0
    return graph.fold(scores, lambda after, layer: layer.max(_score_before(after)))


def _error_shares(graph: Graph, scores: Scores) -> npt.NDArray[np.float64]:
    """Returns the share of value-losing moves in every position: float64[positions]; 0 if the game is over."""
    values = _value_of(scores)
    open_nodes = np.flatnonzero(graph.kinds == NOT_OVER)
    moves = graph.moves[open_nodes]
    errs = -values[graph.targets] < np.repeat(values[open_nodes], moves)
    shares = np.zeros(len(scores))
    shares[open_nodes] = np.add.reduceat(errs.astype(np.int64), graph.first[open_nodes]) / moves
    return shares


@dataclass(frozen=True)
class Counts:
    """The numbers of reachable positions of a game.

    won: won by a line, by player 0 and by player 1. different: number up to symmetry.
    """

    not_over: int
    won: tuple[int, int]
    drawn: int
    different: int

    @property
    def total(self) -> int:
        return self.not_over + sum(self.won) + self.drawn


@dataclass(frozen=True)
class RatedMove:
    """A legal move.

    value: 1, 0 or -1 for the player who makes it. distance: the number of moves to the end under best play, this one
    included. errors: the share of replies that lose value.
    """

    action: int
    value: int
    distance: int
    errors: float


class SolvedPosition(NamedTuple):
    """A position of a solved game. position: in the notation of `Game.from_string`. player: to move, TERMINAL if the
    game is over. value, distance: as of `Solution`. symmetric: the number of symmetric positions that it represents.
    """

    position: str
    marks: int
    player: int
    value: int
    distance: int
    symmetric: int


def _position_texts(graph: Graph, rules: Rules) -> npt.NDArray[np.str_]:
    """Returns the position strings of all positions, as `State.to_string` writes them."""
    bits, width, side = code_bits(rules), rules.cells + rules.side - 1, rules.side
    letters = np.frombuffer(("." + "".join(rules.marks)).encode(), np.uint8)
    text = np.zeros((len(graph.codes), width + 4), np.uint8)
    for cell in range(rules.cells):
        text[:, cell + cell // side] = letters[(graph.codes >> (bits * cell)) & ((1 << bits) - 1)]
    text[:, side : width : side + 1] = ord("/")
    over = graph.kinds != NOT_OVER
    text[:, width:] = np.where(over[:, None], np.frombuffer(b" end", np.uint8), np.frombuffer(b" p0\0", np.uint8))
    text[~over, width + 2] += (graph.marks[~over] % 2).astype(np.uint8)
    return text.view(f"S{width + 4}")[:, 0].astype(np.str_)


class Solution:
    """The exact solution of a game, from `solve`. Values are for the player to move: 1 wins, 0 draws, -1 loses.

    Values of finished states are for the player who would move next. from_disk: whether the graph was loaded rather
    than built.

    >>> import noughts
    >>> solution, start = noughts.solve("wild"), noughts.load_game("wild").new_initial_state()
    >>> solution.value(start), solution.distance(start), solution.best_actions(start)
    (1, 7, [8, 9])
    """

    def __init__(self, game: Game, graph: Graph, *, from_disk: bool = False) -> None:
        self.game = game
        self.from_disk = from_disk
        self.graph = graph
        self._scores = _solve_graph(graph)

    def __repr__(self) -> str:
        return f"<Solution of {self.game.name}>"

    def value(self, state: State) -> int:
        """Returns 1, 0 or -1: the result for the player to move under best play by both."""
        return self.result(state)[0]

    def distance(self, state: State) -> int:
        """Returns the number of moves left if the winner wins as fast and the loser loses as slowly as possible; 0 if
        the game is over.
        """
        return self.result(state)[1]

    def result(self, state: State) -> tuple[int, int]:
        """Returns the value and the distance of a state."""
        score = self._scores.item(self.graph.node(state))
        if abs(score) < DRAW_BELOW:
            return 0, score
        return (1, WIN - score) if score > 0 else (-1, WIN + score)

    def action_values(self, state: State) -> dict[int, int]:
        """Returns the value of every legal action, for the player who makes it."""
        return {move.action: move.value for move in self._rate(state)}

    def best_actions(self, state: State) -> list[int]:
        """Returns the actions of best value that win fastest, or lose slowest, in rising order; empty if the game is
        over."""
        return [move.action for move in _first_of_equals(self.rated_moves(state), _by_result)]

    def preferred_actions(self, state: State) -> list[int]:
        """Returns the best actions after which a random reply most often loses value, in rising order."""
        return [move.action for move in _first_of_equals(self.rated_moves(state), _by_merit)]

    def line(self, state: State) -> list[int]:
        """Returns best play by both sides from a state to the end of the game, always with the first of
        `preferred_actions`.

        >>> import noughts
        >>> game = noughts.load_game("classic")
        >>> noughts.solve(game).line(game.from_string("XX./OO./... p0"))
        [2]
        """
        state = state.clone()
        moves = []
        while not state.is_terminal():
            moves.append(self.preferred_actions(state)[0])
            state.apply_action(moves[-1])
        return moves

    def positions(self) -> Iterator[SolvedPosition]:
        """Yields every position of the game, up to symmetry, in rising order of its marks; `to_frame` is faster."""
        columns = self._columns()
        for row in zip(*(column.tolist() for column in columns.values()), strict=True):
            yield SolvedPosition(*row)

    def to_frame(self, kind: str | None = None) -> Any:
        """Returns all positions as a table with the columns of `SolvedPosition`.

        kind: "pandas", "polars" or "numpy" (a dictionary of arrays); by default the first of these that is installed.

        >>> import noughts
        >>> len(noughts.solve("classic").to_frame("numpy")["value"])
        765
        """
        if kind not in (None, "pandas", "polars", "numpy"):
            raise ValueError(f"the kind of table is {kind!r}; it must be pandas, polars or numpy")
        columns = self._columns()
        for library in ("pandas", "polars"):
            if kind in (None, library) and (kind or find_spec(library)):
                return import_module(library).DataFrame(columns)
        return columns

    def _columns(self) -> dict[str, npt.NDArray[Any]]:
        graph, rules = self.graph, self.game.rules
        over = graph.kinds != NOT_OVER
        return {
            "position": _position_texts(graph, rules),
            "marks": graph.marks,
            "player": np.where(over, TERMINAL, graph.marks % 2).astype(np.int8),
            "value": self.values,
            "distance": _distance_of(self._scores),
            "symmetric": graph.orbits,
        }

    def _repr_html_(self) -> str:
        """Returns the value of the start and the numbers of positions, for a notebook."""
        start = self.game.new_initial_state()
        words = {1: "wins", 0: "draws", -1: "loses"}
        counts = self.counts
        return (
            f"<p><b>{escape(self.game.rules.title)}</b>: the player who moves first {words[self.value(start)]}, in "
            f"{self.distance(start)} moves. {counts.total:,} positions, {counts.different:,} up to symmetry.</p>"
        )

    def rated_moves(self, state: State) -> list[RatedMove]:
        """Returns all legal moves, best first: by value, by distance, by the share of random replies that err, by
        action number.
        """
        return sorted(self._rate(state), key=_by_merit)

    @cached_property
    def values(self) -> Scores:
        """The value of every position of the graph for the player to move: int8[positions]."""
        return _value_of(self._scores)

    @cached_property
    def counts(self) -> Counts:
        graph = self.graph
        by_kind = np.zeros(DRAWN + 1, np.int64)
        np.add.at(by_kind, graph.kinds, graph.orbits)
        won = (int(by_kind[WON]), int(by_kind[WON + 1]))
        return Counts(int(by_kind[NOT_OVER]), won, int(by_kind[DRAWN]), len(graph.codes))

    @cached_property
    def preferred_edges(self) -> npt.NDArray[np.bool_]:
        """Returns which moves of the graph are in `preferred_actions`: bool[moves]."""
        graph = self.graph
        open_nodes = np.flatnonzero(graph.kinds == NOT_OVER)
        # Scores are whole numbers and shares are at most 1, so a halved share decides only between equal scores.
        merit = _score_before(self._scores).astype(np.float64)[graph.targets] + self._errors[graph.targets] / 2
        best = np.maximum.reduceat(merit, graph.first[open_nodes])
        preferred: npt.NDArray[np.bool_] = merit == np.repeat(best, graph.moves[open_nodes])
        return preferred

    @cached_property
    def _errors(self) -> npt.NDArray[np.float64]:
        return _error_shares(self.graph, self._scores)

    @cached_property
    def _moved_to(self) -> tuple[Scores, Scores]:
        """The value and the distance of a move to each position, for the player who makes it: int8[positions] each."""
        scores = _score_before(self._scores)
        return _value_of(scores), _distance_of(scores)

    def _rate(self, state: State) -> list[RatedMove]:
        """Returns the legal moves in rising order."""
        actions, nodes = self.graph.children(state)
        values, distances = self._moved_to
        columns = (actions, values[nodes].tolist(), distances[nodes].tolist(), self._errors[nodes].tolist())
        return [RatedMove(*row) for row in zip(*columns, strict=True)]


def _by_result(move: RatedMove) -> tuple[float, ...]:
    """The sort key: by value, then the fastest win, the longest draw, the slowest loss."""
    return (-move.value, move.distance if move.value > 0 else -move.distance)


def _by_merit(move: RatedMove) -> tuple[float, ...]:
    return (*_by_result(move), -move.errors)


def _first_of_equals(moves: list[RatedMove], key: Callable[[RatedMove], tuple[float, ...]]) -> list[RatedMove]:
    return [move for move in moves if key(move) == key(moves[0])]


MOST_IN_MEMORY = 400_000_000
"""Maximum total size, in bytes, of the solutions that `solve` caches; beyond it the least recently used are dropped."""
POSITION_BYTES, MOVE_BYTES = 60, 6
"""Bytes that a solution takes for each position and each move, including everything computed on demand."""

_SOLVED: dict[Rules, Solution] = {}
"""In order of last use."""


def solve(
    game: str | Rules | Game,
    *,
    tick: Callable[[float], None] | None = None,
    fresh: bool = False,
    keep: bool = True,
    most: int | None = None,
) -> Solution:
    """Returns the exact solution of a flat game, from memory or disk if it was solved before, unless `fresh`.

    Raises TooLarge (a ValueError) if the game has too many positions, or has to be built and has more than `most`.
    tick: called with the share of the work done. keep: whether to cache it for the next time.

    >>> import noughts
    >>> solution = noughts.solve("classic")
    >>> solution.value(noughts.load_game("classic").new_initial_state())
    0
    """
    game = load_game(game)
    rules = game.rules
    solution = None if fresh else _SOLVED.pop(rules, None)
    if solution is None:
        graph = None if fresh else load_graph(rules)
        if graph is not None:
            solution = Solution(game, graph, from_disk=True)
        else:
            solution = Solution(game, build_graph(rules, tick, most))
            if keep and len(solution.graph.codes) >= WORTH_KEEPING:
                keep_graph(rules, solution.graph)
    if keep:
        _SOLVED.pop(rules, None)
        _SOLVED[rules] = solution
        _forget_oldest()
    return solution


def _forget_oldest() -> None:
    sizes = [
        POSITION_BYTES * len(solution.graph.codes) + MOVE_BYTES * len(solution.graph.targets)
        for solution in _SOLVED.values()
    ]
    total = sum(sizes)
    for rules, size in list(zip(_SOLVED, sizes, strict=True))[:-1]:
        if total <= MOST_IN_MEMORY:
            return
        _SOLVED.pop(rules, None)
        total -= size
