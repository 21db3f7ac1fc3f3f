"""A whole game gone over by the strongest that we have: the expected result after each move, and what the mistakes
were. Small games are judged by their exact solution, others by the engine.

The engine goes from the last position to the first, so that what it found out later in the game is in its
transposition table when it looks at what came before. Each position is looked at once; where a move seems a mistake,
the positions before and after it get what is left of the budget. Values are expected results, from 1 (won) to -1
(lost); a value is exact where a search proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

from noughts.analysis._facts import can_win_block, is_open, moves_again, takes_block
from noughts.analysis.curve import curve_of
from noughts.game import Game, State
from noughts.matches.record import GameRecord
from noughts.search import Engine, Limits
from noughts.solving import TooLarge, solve

GAME_NODES = 2_000_000
"""Positions that the engine looks at for a game, unless told otherwise: half a second."""
FIRST_SHARE = 0.6
"""Of the budget, for a first look at all positions; the rest goes to those around mistakes."""
MOST_TIMES = 16
"""A second look at a position has up to so many times the nodes of the first."""
MISTAKE = 0.2
"""Expected result that a move gives away at least, to be called a mistake: a tenth of the way from won to lost."""
LOST = -0.5
"""Below this expected result a position counts as lost: a mistake there decides nothing any more."""
LINE_KEPT = 8
MEGABYTES = 32

MISSED_WIN, ALLOWED_WIN, MISSED_BONUS, GAVE_BLOCK, GAVE_OPEN, COSTLY = range(6)
"""What kind of mistake a move was: a proven win let go; a proven win allowed; a block and another move not taken; a
block that the opponent can take at once; a free choice of blocks for the opponent; none of these.
"""


@dataclass(frozen=True)
class Mistake:
    """A move that gave away MISTAKE or more. line: the best move, and how it would have gone on.
    before: the expected result of the player who moved, with the best move. loss: what the move gave away. exact:
    whether the values before and after are proven. decisive: the last mistake of the loser before all was lost.
    """

    ply: int
    player: int
    kind: int
    before: float
    loss: float
    line: tuple[int, ...]
    exact: bool
    decisive: bool = False

    @property
    def better(self) -> int:
        """The best move."""
        return self.line[0]


@dataclass(frozen=True)
class Habits:
    """What one player did over a game, counted. moves: that were chosen. bonus_missed: a block and another move could
    be had, and were not taken. blocks_given: the opponent could take a block at once. open_given: the opponent could
    choose its block, though it was not the first move.
    """

    moves: int = 0
    bonus_missed: int = 0
    blocks_given: int = 0
    open_given: int = 0


@dataclass(frozen=True)
class Review:
    """values: the expected result of player 0 after n moves. exact: whether it is proven. best: the best move in each
    position, as far as known. habits: of both players. nodes: of the budget, 0 if the game is solved.
    """

    values: tuple[float, ...]
    exact: tuple[bool, ...]
    best: tuple[int, ...]
    mistakes: tuple[Mistake, ...]
    habits: tuple[Habits, Habits]
    nodes: int

    def of(self, seat: int) -> list[Mistake]:
        """The mistakes of one player."""
        return [mistake for mistake in self.mistakes if mistake.player == seat]


@dataclass(frozen=True)
class Look:
    """What a position is worth to the player to move, whether that is proven, and the best line as far as known."""

    value: float
    exact: bool
    line: tuple[int, ...]


class _Eye(Protocol):
    searches: bool

    def new_game(self) -> None: ...
    def look(self, state: State, nodes: int) -> Look: ...


class _Solved:
    """By the exact solution: nothing to look at twice."""

    searches = False

    def __init__(self, game: Game) -> None:
        self._solution = solve(game)

    def new_game(self) -> None:
        pass

    def look(self, state: State, nodes: int) -> Look:
        value = float(self._solution.value(state))
        line: list[int] = []
        state = state.clone()
        while not state.is_terminal() and len(line) < LINE_KEPT:
            line.append(self._solution.best_actions(state)[0])
            state.apply_action(line[-1])
        return Look(value, True, tuple(line))


class _Searched:
    searches = True

    def __init__(self, game: Game) -> None:
        self._engine = Engine(game, megabytes=MEGABYTES)
        self._curve = curve_of(game.rules)

    def new_game(self) -> None:
        self._engine.new_game()

    def look(self, state: State, nodes: int) -> Look:
        found = self._engine.search(state, Limits(nodes=nodes))
        best = found.best
        if best.proven:
            return Look(float(best.proven), True, best.moves[:LINE_KEPT])
        if found.exact:  # by points: who has more has won
            return Look(float((best.score > 0) - (best.score < 0)), True, best.moves[:LINE_KEPT])
        return Look(self._curve.expected(best.expected), False, best.moves[:LINE_KEPT])


@cache
def _eye(game: Game) -> _Eye:
    try:
        return _Solved(game)
    except TooLarge:
        return _Searched(game)


def is_solved(game: Game) -> bool:
    """Whether reviews of the game are exact, and cost no nodes."""
    return not _eye(game).searches


def review_game(record: GameRecord, nodes: int = GAME_NODES) -> Review:
    """The review of a game. The same record and budget give the same review, whatever was looked at before."""
    eye = _eye(record.game)
    eye.new_game()
    states = [state for state, _ in record.states()]
    plies = len(record.moves)
    each = max(1, int(FIRST_SHARE * nodes) // max(1, plies))
    looks: list[Look] = [_end(states[-1]) or eye.look(states[-1], each)]
    looks.extend(eye.look(state, each) for state in reversed(states[:-1]))
    looks.reverse()
    if eye.searches:
        _second_looks(eye, states, looks, each, nodes - each * plies, record)
    values = _settled(states, looks, record.moves)
    mistakes = [
        _mistake(states, values, looks, record, ply)
        for ply in range(record.opening, plies)
        if _loss(states, values, ply) >= MISTAKE
    ]
    signs = [_sign(state) for state in states[:-1]]
    last = _sign(states[-1]) if not states[-1].is_terminal() else 1
    return Review(
        tuple(round(value * sign, 3) + 0.0 for (value, _), sign in zip(values, [*signs, last], strict=True)),
        tuple(exact for _, exact in values),
        tuple(look.line[0] if look.line else -1 for look in looks[:-1]),
        tuple(_with_decisive(mistakes, record)),
        _habits(states, record),
        nodes if eye.searches else 0,
    )


def _sign(state: State) -> int:
    """1 if a value for the player to move is one of player 0; in a finished game values are player 0's."""
    return -1 if state.current_player() == 1 else 1


def _end(state: State) -> Look | None:
    """A finished game is worth what it came to: more points have won, as in tables."""
    if not state.is_terminal():
        return None
    margin = state.returns()[0]
    return Look(float((margin > 0) - (margin < 0)), True, ())


def _after(states: Sequence[State], value: float, ply: int) -> float:
    """What the position after a move is worth to the player who made it."""
    return value * _sign(states[ply]) * _sign(states[ply + 1])


def _second_looks(
    eye: _Eye, states: Sequence[State], looks: list[Look], each: int, left: int, record: GameRecord
) -> None:
    """Look longer at the positions before and after what seem mistakes, and are not proven to be."""
    values = _settled(states, looks, record.moves)
    doubtful = [
        ply
        for ply in range(record.opening, len(record.moves))
        if _loss(states, values, ply) >= MISTAKE / 2 and not (looks[ply].exact and looks[ply + 1].exact)
    ]
    wanted = sorted({at for ply in doubtful for at in (ply, ply + 1) if not looks[at].exact}, reverse=True)
    if wanted and left > 0:
        more = min(MOST_TIMES * each, left // len(wanted))
        for at in wanted if more > each else []:
            looks[at] = eye.look(states[at], more)


def _settled(states: Sequence[State], looks: Sequence[Look], moves: Sequence[int]) -> list[tuple[float, bool]]:
    """(value, exact) of each position for the player to move. A position is worth what the move that was played comes
    to, at least: where the search before it saw less, it is corrected.
    """
    values = [(looks[-1].value, looks[-1].exact)]
    for ply in range(len(moves) - 1, -1, -1):
        look, (following, proven) = looks[ply], values[-1]
        played = _after(states, following, ply)
        if not look.exact and (played > look.value or (look.line and look.line[0] == moves[ply])):
            # The move that was played is the best as far as is known; a win that it leads to is one here, too.
            values.append((played, proven and played == 1.0))
        else:
            values.append((look.value, look.exact))
    values.reverse()
    return values


def _loss(states: Sequence[State], values: Sequence[tuple[float, bool]], ply: int) -> float:
    return values[ply][0] - _after(states, values[ply + 1][0], ply)


def _mistake(
    states: Sequence[State], values: Sequence[tuple[float, bool]], looks: Sequence[Look], record: GameRecord, ply: int
) -> Mistake:
    state, (before, exact) = states[ply], values[ply]
    loss = _loss(states, values, ply)
    after, after_exact = before - loss, values[ply + 1][1]
    line = looks[ply].line
    better = state.child(line[0])
    played = states[ply + 1]
    if exact and before == 1.0:
        kind = MISSED_WIN
    elif after_exact and after == -1.0:
        kind = ALLOWED_WIN
    elif moves_again(state, better) and not moves_again(state, played):
        kind = MISSED_BONUS
    elif takes_block(played, state) and not takes_block(better, state):
        kind = GAVE_BLOCK
    elif is_open(played) and not is_open(better):
        kind = GAVE_OPEN
    else:
        kind = COSTLY
    return Mistake(ply, state.current_player(), kind, round(before, 3), round(loss, 3), line, exact and after_exact)


def _with_decisive(mistakes: Sequence[Mistake], record: GameRecord) -> list[Mistake]:
    """The loser's last mistake in a position that was not lost decided the game."""
    loser = None if record.points[0] == record.points[1] else int(record.points[0] > record.points[1])
    chances = [mistake.ply for mistake in mistakes if mistake.player == loser and mistake.before > LOST]
    return [replace(mistake, decisive=bool(chances) and mistake.ply == chances[-1]) for mistake in mistakes]


def _habits(states: Sequence[State], record: GameRecord) -> tuple[Habits, Habits]:
    counts = [[0, 0, 0, 0], [0, 0, 0, 0]]
    nested, bonus = record.game.rules.nested, record.game.rules.bonus
    for ply in range(record.opening, len(record.moves)):
        state, after = states[ply], states[ply + 1]
        mine = counts[state.current_player()]
        mine[0] += 1
        if not nested or after.is_terminal():
            continue
        again = moves_again(state, after)
        # A second move of a turn gives no third: nothing was there to be missed.
        mine[1] += bonus and not again and not state.view().bonus and can_win_block(state)
        mine[2] += takes_block(after, state)
        mine[3] += not again and is_open(after)
    first, second = (Habits(*each) for each in counts)
    return first, second


# Kept as JSON: numbers only.


def to_data(review: Review) -> dict[str, Any]:
    """As plain data, short: values in thousandths, an exact one with a 1 in `exact`."""
    return {
        "nodes": review.nodes,
        "values": [round(1000 * value) for value in review.values],
        "exact": "".join(str(int(each)) for each in review.exact),
        "best": list(review.best),
        "mistakes": [
            [m.ply, m.player, m.kind, round(1000 * m.before), round(1000 * m.loss), list(m.line), m.exact, m.decisive]
            for m in review.mistakes
        ],
        "habits": [[h.moves, h.bonus_missed, h.blocks_given, h.open_given] for h in review.habits],
    }


def from_data(data: dict[str, Any]) -> Review:
    """What `to_data` made; KeyError, TypeError or ValueError if it is something else."""
    first, second = (Habits(*map(int, each)) for each in data["habits"])
    return Review(
        tuple(int(value) / 1000 for value in data["values"]),
        tuple(each == "1" for each in data["exact"]),
        tuple(int(action) for action in data["best"]),
        tuple(
            Mistake(ply, player, kind, before / 1000, loss / 1000, tuple(line), exact, decisive)
            for ply, player, kind, before, loss, line, exact, decisive in data["mistakes"]
        ),
        (first, second),
        int(data["nodes"]),
    )


def judged(state: State, action: int, nodes: int = GAME_NODES) -> Look:
    """What a position is worth to the player to move after this action, by a search of so many nodes."""
    after = state.child(action)
    end = _end(after)
    if end is not None:
        return replace(end, value=end.value * _sign(state))
    eye = _eye(state.game)
    eye.new_game()
    found = eye.look(after, nodes)
    return replace(found, value=found.value * _sign(state) * _sign(after))
