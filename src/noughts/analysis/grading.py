"""What each move of a finished game was worth: exactly where the game is solved, by search elsewhere.

A `Grader` knows one game. `grade_game` goes over a record with it; evaluations, replays and reports all do so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from noughts.game import Game, State
from noughts.matches.record import GameRecord
from noughts.solving import Solution, TooLarge, solve

SEARCH_NODES = 50_000
"""Positions that a search looks at for each grade, unless told otherwise."""
UNSURE = 0.05
"""Of the expected result: a search is not surer than that, so less is nothing given away."""


@dataclass(frozen=True)
class Grade:
    """One move and what it was worth to the player who made it: values are 1 (won), 0 (drawn) or -1 (lost), and
    between them where a search estimates the expected result.

    game: number of the game in its run. position: before the move. best, value: of the best legal moves, and of the one
    that was played. better: the moves of the best value, as far as known. mattered: whether some legal move was worse
    than another, so that there was something to choose. exact: whether the values are proven.
    """

    game: int
    ply: int
    player: int
    position: str
    action: int
    best: float
    value: float
    better: tuple[int, ...]
    mattered: bool
    exact: bool

    @property
    def lost(self) -> float:
        """The value given away: 0 for a perfect move, 1 from a win to a draw or from a draw to a loss, 2 for both."""
        return self.best - self.value

    @property
    def costly(self) -> bool:
        """Whether it gave something away, as surely as that is known."""
        return self.lost > 0 if self.exact else self.lost >= UNSURE


@dataclass(frozen=True)
class Worth:
    """What a grader says of a move: the values and moves of `Grade`."""

    best: float
    value: float
    better: tuple[int, ...]
    mattered: bool
    exact: bool


class Grader(Protocol):
    """Knows what moves of one game are worth."""

    def worth(self, state: State, action: int) -> Worth: ...


class ExactGrader:
    """By the exact solution of a game; TooLarge if it has too many positions."""

    def __init__(self, game: Game) -> None:
        self._solution: Solution = solve(game)

    def worth(self, state: State, action: int) -> Worth:
        values = self._solution.action_values(state)
        best = max(values.values())
        better = tuple(choice for choice, value in values.items() if value == best)
        return Worth(best, values[action], better, mattered=min(values.values()) < best, exact=True)


class SearchGrader:
    """By alpha-beta search of so many nodes for the best move, and again for the one that was played."""

    def __init__(self, game: Game, nodes: int = SEARCH_NODES) -> None:
        from noughts.search import Engine, Limits

        self._engine = Engine(game)
        self._limits = Limits(nodes=nodes)

    def worth(self, state: State, action: int) -> Worth:
        found = self._engine.search(state, self._limits)
        best, choice = found.best.expected, found.best.action
        value, exact = best, found.exact or bool(found.best.proven)
        if action != choice:
            value, proven = self._after(state, action)
            exact = exact and proven
        # A search of the move alone may see more than the one that preferred another.
        if value >= best:
            return Worth(value, value, (action,), mattered=len(state.legal_actions()) > 1, exact=exact)
        return Worth(best, value, (choice,), mattered=True, exact=exact)

    def _after(self, state: State, action: int) -> tuple[float, bool]:
        """What a move comes to for the player who makes it, and whether that is proven."""
        player, after = state.current_player(), state.child(action)
        if after.is_terminal():
            return after.returns()[player], True
        found = self._engine.search(after, self._limits)
        value = found.best.expected
        return value if after.current_player() == player else -value, found.exact or bool(found.best.proven)


def grader_for(game: Game, nodes: int = SEARCH_NODES) -> ExactGrader | SearchGrader:
    """The exact grader of a game, or one by search where the game is too large to solve."""
    try:
        return ExactGrader(game)
    except TooLarge:
        return SearchGrader(game, nodes)


def grade_game(record: GameRecord, grader: Grader, seat: int | None = None) -> Iterator[Grade]:
    """The moves of a game that its players chose, or those of one seat. Invalid replies are not moves."""
    for ply, (state, action) in enumerate(record.states()):
        if action is None or ply < record.opening or seat not in (None, state.current_player()):
            continue
        worth = grader.worth(state, action)
        yield Grade(
            record.number, ply, state.current_player(), state.to_string(), action,
            worth.best, worth.value, worth.better, worth.mattered, worth.exact,
        )  # fmt: skip
