"""Evaluates positions and moves, for the whole package.

Values are expected results from 1 (won) to -1 (lost), for finished games too: more points are a win, by any margin.

    finished                          1, 0 or -1, exact
    a game that can be solved         1, 0 or -1, exact
    the search proves a line          1 or -1, exact
    the search reaches every end      1, 0 or -1, exact
    the best line reaches an end      nearly that result, since the search is not complete
    else                              the engine's score, turned into an expected result by the fitted curve
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from noughts import search, solving
from noughts.analysis.curve import SUREST, curve_of
from noughts.game import Game, State
from noughts.library import load_game
from noughts.progress import Tick
from noughts.rules.spec import Rules

NODES = 10_000
"""Nodes of the search for each evaluated position."""
NODE_BYTES, MOST_MEGABYTES = 32, 64
"""Bytes of a searched position in the transposition table, and the table's maximum size."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of a position, or a move, to a player.

    value: the expected result, from 1 (won) to -1 (lost). exact: whether it is proven. distance: moves until the end
    with best play, None if unknown. line: best play, as far as known. player: the seat of the value: for a position the
    player to move, for a move its player, for a finished game player 0. at_most: whether the distance is an upper
    bound, proven by a search.

    >>> import noughts
    >>> state = noughts.load_game("classic").from_string("XX./OO./... p0")
    >>> noughts.evaluator_for("classic").evaluate(state).words
    'wins in 1'
    """

    value: float
    exact: bool
    distance: int | None
    line: tuple[int, ...]
    player: int = 0
    at_most: bool = False

    def pov(self, seat: int) -> Evaluation:
        """Returns the evaluation from the point of view of a seat."""
        return self if seat == self.player else replace(self, value=0.0 - self.value, player=seat)

    @property
    def words(self) -> str:
        """The value in words: "wins in 3", "loses in at most 8", "draws", or the signed expected result."""
        if not self.exact:
            return f"{self.value:+z.2f}"
        if self.value == 0:
            return "draws"
        result = "wins" if self.value > 0 else "loses"
        return result if self.distance is None else f"{result} in {'at most ' * self.at_most}{self.distance}"

    def _repr_html_(self) -> str:
        """Returns the value for a notebook."""
        return f"<b>{self.words}</b> for player {self.player}"

    @property
    def label(self) -> str:
        """The value for a cell of a board: W3, D, L8 or +.34; W or L alone if the distance is a bound."""
        if not self.exact:
            return self.words.replace("0.", ".", 1)
        distance = "" if self.at_most else self.distance or ""
        return "D" if self.value == 0 else f"{'W' if self.value > 0 else 'L'}{distance}"


class Evaluator:
    """Evaluates positions of one game. Not thread-safe.

    nodes: budget of the search for each position. solution: the solved game; without one the engine searches. largest:
    the largest later budget, which sizes the transposition table.

    >>> import noughts
    >>> state = noughts.load_game("classic").from_string("XX./OO./... p0")
    >>> {action: found.label for action, found in noughts.evaluator_for("classic").evaluate_moves(state).items()}
    {2: 'W1', 5: 'D', 6: 'L2', 7: 'L2', 8: 'L2'}
    """

    def __init__(
        self, game: Game, nodes: int = NODES, solution: solving.Solution | None = None, *, largest: int | None = None
    ) -> None:
        self.game: Game = game
        self.nodes: int = nodes
        self.solution: solving.Solution | None = solution
        self._largest = largest or nodes
        self._engine: search.Engine | None = None

    def __deepcopy__(self, memo: dict[int, object]) -> Evaluator:
        """Returns itself: results do not depend on earlier ones."""
        return self

    def evaluate(self, state: State, *, nodes: int | None = None, lines: bool = True, fresh: bool = True) -> Evaluation:
        """Evaluates a position for the player to move.

        nodes: another budget. lines=False omits the line, which is faster. fresh=False lets the search reuse earlier
        results; otherwise the result depends only on the position and the budget.
        """
        if state.is_terminal():
            return finished(state)
        if self.solution is None:
            (found,) = self._searched(state, nodes, fresh, 1).values()
            return found if lines else replace(found, line=())
        value, distance = self.solution.result(state)
        line = tuple(self.solution.line(state)) if lines else ()
        return Evaluation(float(value), True, distance, line, state.current_player())

    def evaluate_move(
        self, state: State, action: int, *, nodes: int | None = None, lines: bool = True, fresh: bool = True
    ) -> Evaluation:
        """Evaluates a legal move for the player who makes it, by the position after it.

        The options are those of `evaluate`.
        """
        after = self.evaluate(state.child(action), nodes=nodes, lines=lines, fresh=fresh).pov(state.current_player())
        distance = None if after.distance is None else after.distance + 1
        return replace(after, distance=distance, line=(action, *after.line))

    def evaluate_moves(self, state: State, *, most: int | None = None, lines: bool = True) -> dict[int, Evaluation]:
        """Evaluates all legal moves for the player who makes them, best first; empty if the game is over.

        A search evaluates each move by the position after it, with the whole budget. most: number of best moves to
        evaluate, by one search of the position itself. lines=False omits the lines, which is faster in solved games.
        """
        if state.is_terminal():
            return {}
        if self.solution is not None:
            return self._solved_moves(state, most, lines)
        if most is not None:
            return self._searched(state, None, True, most)
        found = {action: self.evaluate_move(state, action) for action in state.legal_actions()}
        return dict(sorted(found.items(), key=lambda each: -each[1].value))

    def compare(self, state: State, action: int, *, lines: bool = True) -> tuple[Evaluation, Evaluation]:
        """Evaluates the best move and the given one, for the player to move; equal if the given one is best.

        A search first finds the best move; both moves are then evaluated alike, by the positions after them.
        lines=False omits the lines, which is faster in solved games.
        """
        if self.solution is not None:
            return self.evaluate(state, lines=lines), self.evaluate_move(state, action, lines=lines)
        choice, played = self.evaluate(state).line[0], self.evaluate_move(state, action)
        best = played if choice == action else self.evaluate_move(state, choice)
        return (best if best.value > played.value else played), played

    def _solved_moves(self, state: State, most: int | None, lines: bool) -> dict[int, Evaluation]:
        assert self.solution is not None
        player = state.current_player()
        return {
            move.action: Evaluation(
                float(move.value),
                True,
                move.distance,
                (move.action, *self.solution.line(state.child(move.action))) if lines else (move.action,),
                player,
            )
            for move in self.solution.rated_moves(state)[:most]
        }

    def _searched(self, state: State, nodes: int | None, fresh: bool, most: int) -> dict[int, Evaluation]:
        nodes = self.nodes if nodes is None else nodes
        if self._engine is None:
            room = self._largest * NODE_BYTES >> 20
            self._engine = search.Engine(self.game, memory=max(1, min(MOST_MEGABYTES, room)))
        elif fresh:
            self._engine.new_game()
        return evaluations_of(state, self._engine.search(state, search.Limits(nodes=nodes), multi_pv=most))


def evaluator_for(game: str | Rules | Game, nodes: int = NODES, *, tick: Tick | None = None) -> Evaluator:
    """Returns the evaluator of a game: exact if the game can be solved, else by searches of `nodes` for each position.

    tick: receives the share of the work done while the game is being solved.

    >>> import noughts
    >>> noughts.evaluator_for("wild").solution is not None, noughts.evaluator_for("extreme", nodes=1000).nodes
    (True, 1000)
    """
    game = load_game(game)
    if game.rules.nested:  # too large to solve, so the solver is not compiled
        return Evaluator(game, nodes)
    try:
        return Evaluator(game, nodes, solving.solve(game, tick=tick))
    except solving.TooLarge:
        return Evaluator(game, nodes)


def finished(state: State) -> Evaluation:
    """Evaluates a finished game, for player 0."""
    return Evaluation(float(_sign(state.returns()[0])), True, 0, ())


def evaluations_of(state: State, info: search.SearchInfo) -> dict[int, Evaluation]:
    """Evaluates the moves that a search of a position found, for the player to move, the best first."""
    return {one.action: _evaluation(state, one, info.exact) for one in info.variations}


def _evaluation(state: State, variation: search.Variation, exact: bool) -> Evaluation:
    player, line = state.current_player(), variation.moves
    if variation.proven:
        distance = variation.distance
        return Evaluation(float(variation.proven), True, distance, line, player, at_most=distance > 1)
    end = state.clone()
    for action in line:
        end.apply_action(action)
    if exact:  # ends by points: other lines are equally good but have other lengths
        at_once = end.is_terminal() and len(line) == 1
        return Evaluation(float(_sign(variation.score)), True, 1 if at_once else None, line, player)
    # The score of an end by points includes the margin; the result is its sign, however small.
    at_end = end.is_terminal() and _sign(end.returns()[player]) == _sign(variation.score)
    score = SUREST * _sign(variation.score) if at_end else variation.expected
    return Evaluation(curve_of(state.game.rules).expected(score), False, None, line, player)


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
