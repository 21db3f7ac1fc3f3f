"""Reviews a game move by move: the value of every position, the mistakes, and the move that decided the game.

Games that can be solved are evaluated exactly. In others the engine evaluates the positions from last to first, so that
its transposition table contains the later ones, with the same budget for each. It then checks its claims with larger
budgets: mistakes and the better moves (CHECKS), the move that decided the game (DECISIVE_TIMES). Claims that do not
hold are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from noughts.analysis.evaluator import NODES, Evaluation, Evaluator, evaluator_for
from noughts.analysis.facts import can_win_block, is_open, moves_again, takes_block
from noughts.document import html_table
from noughts.game import State
from noughts.matches.record import GameRecord
from noughts.progress import Tick

CHECKS = (10, 30)
CLEAR = 0.2
"""Margin by which a claim that holds the first check needs no second one. Of 180 such claims in 47 games of a course,
179 held the second check as well; of 286 closer ones, 250 did.
"""
DECISIVE_TIMES = 100
"""The move that decided the game is checked with this many times the nodes, after the two checks of every mistake."""
MISTAKE = 0.2
"""Minimum expected result that a mistake gives away: a tenth of the way from won to lost."""
UNSURE = 0.05
"""Accuracy of a search: a smaller loss counts as none."""
LOST = -0.5
"""At or below this expected result a position counts as lost; at or above its opposite as won."""
CLEARLY = 0.25
"""A decisive move leads from a position that is not lost to a lost one, each by this margin."""
LINE_KEPT = 8
FORMAT = 3
"""Version of the data of a review."""

MISSED_WIN, ALLOWED_WIN, MISSED_BONUS, GAVE_BLOCK, GAVE_OPEN, COSTLY = range(6)
"""Kinds of mistakes: a proven win missed; a proven win allowed; a block with another move not taken; a block that the
opponent can take at once; a free choice of blocks for the opponent; none of these.
"""


def is_costly(lost: float, exact: bool) -> bool:
    """Returns whether a loss of value is a mistake, within the accuracy of the evaluation."""
    return lost > 0 if exact else lost >= UNSURE


@dataclass(frozen=True)
class Choice:
    """A player's move and the best one. Both evaluations are that player's.

    better: the moves of the best value, as far as known. mattered: whether some legal move was worse than another.
    """

    ply: int
    player: int
    action: int
    best: Evaluation
    played: Evaluation
    better: tuple[int, ...]
    mattered: bool

    @property
    def lost(self) -> float:
        """The value given away: 0 for a perfect move, 1 from a win to a draw or from a draw to a loss, 2 for both."""
        return max(0.0, self.best.value - self.played.value)

    @property
    def exact(self) -> bool:
        return self.best.exact and self.played.exact

    @property
    def costly(self) -> bool:
        """Whether the move gave value away, within the accuracy of the evaluation."""
        return is_costly(self.lost, self.exact)


@dataclass(frozen=True)
class Mistake:
    """A move that gave value away in a position where the choice mattered. By exact values any loss counts; by
    estimates MISTAKE or more does, except in a lost position or if the move kept a won one. best, played: values of the
    best move and of this one to the player; best.line is the better play. decisive: it led the loser from a position
    that was not lost to one that was, and stayed so.

    >>> import noughts
    >>> record = noughts.play_game("classic", ("perfect", lambda state: state.legal_actions()[0]), opening=[0], seed=1)
    >>> mistake = noughts.review(record).mistakes_of(1)[0]
    >>> mistake.loss > 0, mistake.better in record.states()[mistake.ply][0].legal_actions()
    (True, True)
    """

    ply: int
    player: int
    kind: int
    best: Evaluation
    played: Evaluation
    decisive: bool = False

    @property
    def loss(self) -> float:
        """The expected result that the move gave away."""
        return round(self.best.value - self.played.value, 3)

    @property
    def exact(self) -> bool:
        return self.best.exact and self.played.exact

    @property
    def better(self) -> int:
        """The best move."""
        return self.best.line[0]


@dataclass(frozen=True)
class Habits:
    """Counts of one player's choices in a game. moves: number of moves. bonus_missed: a block with another move was
    available, and not taken. blocks_given: the opponent could take a block at once. open_given: the opponent could
    choose its block, other than at the first move.
    """

    moves: int = 0
    bonus_missed: int = 0
    blocks_given: int = 0
    open_given: int = 0


@dataclass(frozen=True)
class Review:
    """A reviewed game.

    evaluations: of the position after n moves, for player 0; each line is only the best move. mistakes: in the order of
    the game. habits: of both players. nodes: budget for each position, 0 if the game is solved.

    >>> import noughts
    >>> found = noughts.review(noughts.play_game("classic", ("perfect", "perfect")))
    >>> found.mistakes, found.evaluations[0].words
    ((), 'draws')
    """

    evaluations: tuple[Evaluation, ...]
    mistakes: tuple[Mistake, ...]
    habits: tuple[Habits, Habits]
    nodes: int

    def _repr_html_(self) -> str:
        """Returns the mistakes as a table, for a notebook."""
        rows = [
            (one.ply + 1, one.player, one.best.words, one.played.words, f"{one.loss:.2f}", "yes" * one.decisive)
            for one in self.mistakes
        ]
        return html_table(("move", "player", "best", "played", "gave away", "decisive"), rows)

    def mistakes_of(self, seat: int) -> list[Mistake]:
        """Returns the mistakes of one player."""
        return [mistake for mistake in self.mistakes if mistake.player == seat]

    def accuracy(self, record: GameRecord, seat: int) -> float | None:
        """Returns the share of a player's choices that gave nothing away, among those where another move was worse;
        None if there were none.

        >>> import noughts
        >>> record = noughts.play_game("classic", ("perfect", "random"), seed=2)
        >>> noughts.review(record).accuracy(record, 0)
        1.0
        """
        costly = [choice.costly for choice in self.choices(record, seat) if choice.mattered]
        return 1 - sum(costly) / len(costly) if costly else None

    def undecided(self, record: GameRecord, seat: int) -> set[int]:
        """Returns the plies at which a player chose a move in a position that was neither lost nor won."""
        return {
            ply
            for ply, player in enumerate(record.movers())
            if player == seat and ply >= record.opening and LOST < self.evaluations[ply].value < -LOST
        }

    def choices(self, record: GameRecord, seat: int | None = None) -> Iterator[Choice]:
        """Yields the moves that the players of the reviewed game chose, or those of one seat. Invalid replies are not
        moves.
        """
        solved = None if self.nodes else evaluator_for(record.game)
        for ply, (state, action) in enumerate(record.states()):
            player = state.current_player()
            if action is None or ply < record.opening or seat not in (None, player):
                continue
            best, played = (self.evaluations[at].pov(player) for at in (ply, ply + 1))
            better, mattered = best.line, len(state.legal_actions()) > 1
            if solved is not None:
                moves = solved.evaluate_moves(state, lines=False)
                better = tuple(sorted(each for each, worth in moves.items() if worth.value == best.value))
                mattered = any(worth.value < best.value for worth in moves.values())
            yield Choice(ply, player, action, best, played, better, mattered)


def review(
    record: GameRecord,
    nodes: int = NODES,
    *,
    evaluator: Evaluator | None = None,
    tick: Tick | None = None,
) -> Review:
    """Reviews a game. The same record and budget give the same review, whatever was evaluated before.

    nodes: budget for each position of a game that is not solved. evaluator: of the game with its own budget, to share
    among many records. tick: called with the share of the work done.

    >>> import noughts
    >>> record = noughts.play_game("classic", ("perfect", "random"), seed=2)
    >>> noughts.review(record).mistakes_of(0)
    []
    """
    evaluator = evaluator or evaluator_for(record.game, nodes)
    if evaluator.solution is None:  # its own evaluator, with a table large enough for the largest check
        evaluator = Evaluator(record.game, evaluator.nodes, largest=DECISIVE_TIMES * evaluator.nodes)
    work = _Work(record, evaluator, tick or (lambda _share: None))
    if evaluator.solution is None:
        work.check_mistakes()
    decisive = work.check_decisive()
    return Review(
        tuple(_shortened(found, 1).pov(0) for found in work.settled),
        tuple(replace(mistake, decisive=mistake.ply == decisive) for mistake in work.mistakes()),
        _habits(work.states, record),
        0 if evaluator.solution is not None else evaluator.nodes,
    )


def _shortened(found: Evaluation, moves: int = LINE_KEPT) -> Evaluation:
    return replace(found, value=round(found.value, 3) + 0.0, line=found.line[:moves])


def _is_mistake(best: float, played: float) -> bool:
    """Returns whether a move is a mistake by estimates. Moves in lost positions, and moves that keep a won one, are
    not.
    """
    return best - played >= MISTAKE and best > LOST and played < -LOST


class _Work:
    """A review in progress. found: the evaluation of each position. settled: the same, corrected by the positions that
    follow. budget: multiples of the usual nodes that each position has had.
    """

    def __init__(self, record: GameRecord, evaluator: Evaluator, tick: Tick) -> None:
        self.record, self.evaluator, self.tick = record, evaluator, tick
        self.states = [state for state, _ in record.states()]
        self.found: list[Evaluation] = []
        for number, state in enumerate(reversed(self.states)):
            self.found.append(self._evaluate(state))
            tick((number + 1) / len(self.states) / 2)
        self.found.reverse()
        self.budget = [1] * len(self.found)
        self.checked: dict[int, int] = {}
        self.plies = range(record.opening, len(record.moves))
        self.settled = self._settle()

    def _evaluate(self, state: State) -> Evaluation:
        if self.evaluator.solution is None or state.is_terminal():
            return self.evaluator.evaluate(state, fresh=False)
        (best,) = self.evaluator.evaluate_moves(state, most=1, lines=False).values()
        return best

    def _settle(self) -> list[Evaluation]:
        """Returns corrected evaluations: a position is worth at least the move that was played. Where its own search
        saw less, or preferred that very move, the later evaluation counts. Where it proved that very move to win, the
        move wins, whatever the later search saw.
        """
        settled = [self.found[-1]]
        for ply in range(len(self.record.moves) - 1, -1, -1):
            found, action, after = self.found[ply], self.record.moves[ply], settled[-1]
            if found.exact and found.value == 1.0 and found.line[:1] == (action,) and not after.exact:
                left, line = found.distance and found.distance - 1, found.line[1:] or after.line
                settled[-1] = after = replace(found, distance=left, line=line).pov(after.player)
            played = after.pov(found.player)
            if not found.exact and (played.value > found.value or found.line[:1] == (action,)):
                found = replace(
                    played,
                    exact=played.exact and played.value == 1.0,  # a win after the move is a win here, too
                    distance=None if played.distance is None else played.distance + 1,
                    at_most=bool(played.distance),
                    line=(action, *played.line),
                )
            settled.append(found)
        return settled[::-1]

    def played_value(self, ply: int) -> Evaluation:
        """Returns the value of the move that was played to the player who made it."""
        return self.settled[ply + 1].pov(self.settled[ply].player)

    def loss(self, ply: int) -> float:
        return self.settled[ply].value - self.played_value(ply).value

    def check(self, ply: int, times: int) -> None:
        """Evaluates a move and the better one again, by the positions after them, with a larger budget. The first
        check, and the check of a decisive move, search the better move again; the latter also searches the reply.
        """
        decisive = times == DECISIVE_TIMES
        if ply not in self.checked or decisive:
            self._evaluate_again(ply, times)
        if self._evaluate_again(ply + 1, times):
            self.checked.pop(ply + 1, None)  # the better move there may have changed
        self.checked[ply] = times
        self._follow(ply, times)
        if decisive:
            self._follow(ply + 1, times)
        self.settled = self._settle()
        self.tick((1 + len(self.checked) / len(self.record.moves)) / 2)

    def _evaluate_again(self, at: int, times: int) -> bool:
        """Evaluates a position unless it is proven, or was evaluated with this budget already; returns whether it
        did.
        """
        again = self.budget[at] < times and not self.found[at].exact
        if again:
            nodes = times * self.evaluator.nodes
            self.found[at] = self.evaluator.evaluate(self.states[at], nodes=nodes, fresh=False)
            self.budget[at] = times
        return again

    def _follow(self, at: int, times: int) -> None:
        """Evaluates a position by the one after its best move, unless it is proven or that move was played."""
        best = self.found[at]
        if best.exact or self.record.moves[at : at + 1] == [best.line[0]]:
            return
        nodes = times * self.evaluator.nodes
        move = self.evaluator.evaluate_move(self.states[at], best.line[0], nodes=nodes, fresh=False)
        # After a move that is proven to win, the position is proven too; after one that loses it is not.
        self.found[at] = replace(move, exact=move.exact and move.value == 1.0)

    def check_mistakes(self) -> None:
        """Checks apparent mistakes, until the remaining ones have passed all checks."""
        while due := [ply for ply in self.plies if self._needs_check(ply) and self._seems_wrong(ply)]:
            for ply in reversed(due):
                self.check(ply, next(times for times in CHECKS if times > self.checked.get(ply, 0)))

    def _needs_check(self, ply: int) -> bool:
        """Returns whether a move has not passed the first check clearly, nor the last one."""
        checked = self.checked.get(ply, 0)
        return checked < CHECKS[0] or (checked < CHECKS[-1] and self._margin(ply) < CLEAR)

    def _margin(self, ply: int) -> float:
        """Returns how far a move is from being no mistake."""
        best, played = self.settled[ply].value, self.played_value(ply).value
        return min(best - played - MISTAKE, best - LOST, -LOST - played)

    def _seems_wrong(self, ply: int) -> bool:
        """Returns whether a move seems a mistake by the first search of its position or by later ones."""
        best, played = self.settled[ply], self.played_value(ply)
        if best.exact and played.exact:
            return False
        return _is_mistake(max(best.value, self.found[ply].value), played.value)

    def mistaken(self, ply: int) -> bool:
        best, played = self.settled[ply], self.played_value(ply)
        if best.exact and played.exact:
            return best.value > played.value
        return _is_mistake(best.value, played.value)

    def check_decisive(self) -> int | None:
        """Returns the ply of the move that decided the game, if there is one and a larger budget confirms it."""
        while (ply := self._decisive()) is not None:
            exact = self.settled[ply].exact and self.played_value(ply).exact
            if exact or self.checked.get(ply, 0) >= DECISIVE_TIMES:
                return ply
            self.check(ply, DECISIVE_TIMES)
            self.check_mistakes()
        return None

    def _decisive(self) -> int | None:
        """Returns the loser's last move from a position that was clearly not lost to one that clearly was, and stayed
        lost; None if an earlier move, from a position better than even, gave away more.
        """
        points = self.record.points
        if points[0] == points[1] or self.record.fault is not None:
            return None
        loser = int(points[0] > points[1])
        own = [ply for ply in self.plies if self.settled[ply].player == loser and self.mistaken(ply)]
        lost_from = len(self.settled) - 1
        while lost_from > 0 and self.settled[lost_from - 1].pov(loser).value <= LOST:
            lost_from -= 1
        for ply in reversed(own):
            # By its own search, too: a later loss may have been another mistake of the loser.
            after = max(self.played_value(ply).value, self.found[ply + 1].pov(loser).value)
            if ply + 1 >= lost_from and self.settled[ply].value >= LOST + CLEARLY and after <= LOST - CLEARLY:
                worse = (self.settled[at].value > 0 and self.loss(at) > self.loss(ply) for at in own if at < ply)
                return None if any(worse) else ply
        return None

    def mistakes(self) -> list[Mistake]:
        return [self._mistake(ply) for ply in self.plies if self.mistaken(ply)]

    def _mistake(self, ply: int) -> Mistake:
        state, best, played = self.states[ply], self.settled[ply], self.played_value(ply)
        if self.evaluator.solution is not None:
            best = self.evaluator.evaluate(state)  # with its line
        better, after = state.child(best.line[0]), self.states[ply + 1]
        if best.exact and best.value == 1.0:
            kind = MISSED_WIN
        elif played.exact and played.value == -1.0:
            kind = ALLOWED_WIN
        elif moves_again(state, better) and not moves_again(state, after):
            kind = MISSED_BONUS
        elif takes_block(after, state) and not takes_block(better, state):
            kind = GAVE_BLOCK
        elif is_open(after) and not is_open(better):
            kind = GAVE_OPEN
        else:
            kind = COSTLY
        return Mistake(ply, state.current_player(), kind, _shortened(best), _shortened(played, 0))


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
        # The second move of a turn gives no third: there was nothing to miss.
        mine[1] += bonus and not again and not state.view().bonus and can_win_block(state)
        mine[2] += takes_block(after, state)
        mine[3] += not again and is_open(after)
    first, second = (Habits(*each) for each in counts)
    return first, second


# JSON: numbers only, with values in thousandths


def to_data(review: Review) -> dict[str, Any]:
    """Returns a review as compact plain data."""
    return {
        "format": FORMAT,
        "nodes": review.nodes,
        "values": [round(1000 * found.value) for found in review.evaluations],
        "exact": "".join(str(int(found.exact)) for found in review.evaluations),
        "distances": [_distance_data(found) for found in review.evaluations],
        "best": [found.line[0] if found.line else None for found in review.evaluations],
        "mistakes": [
            [
                each.ply,
                each.player,
                each.kind,
                _evaluation_data(each.best),
                _evaluation_data(each.played),
                each.decisive,
            ]
            for each in review.mistakes
        ],
        "habits": [[h.moves, h.bonus_missed, h.blocks_given, h.open_given] for h in review.habits],
    }


def _evaluation_data(found: Evaluation) -> list[Any]:
    return [round(1000 * found.value), found.exact, _distance_data(found), list(found.line)]


def _distance_data(found: Evaluation) -> int | None:
    """Returns a distance, negative if it is a bound."""
    return -found.distance if found.at_most and found.distance is not None else found.distance


def from_data(data: dict[str, Any]) -> Review:
    """Returns the review that `to_data` wrote. Raises KeyError, TypeError or ValueError if it is invalid."""
    if data["format"] != FORMAT:
        raise ValueError(f"the review has format {data['format']!r}; it must be {FORMAT}")
    first, second = (Habits(*map(int, each)) for each in data["habits"])
    columns = zip(data["values"], data["exact"], data["distances"], data["best"], strict=True)
    return Review(
        tuple(
            _evaluation([value, exact == "1", distance, [] if best is None else [best]], 0)
            for value, exact, distance, best in columns
        ),
        tuple(
            Mistake(int(ply), int(player), int(kind), _evaluation(best, player), _evaluation(played, player), decisive)
            for ply, player, kind, best, played, decisive in data["mistakes"]
        ),
        (first, second),
        int(data["nodes"]),
    )


def _evaluation(data: Sequence[Any], player: int) -> Evaluation:
    value, exact, distance, line = data
    moves = tuple(int(action) for action in line)
    moves_left = None if distance is None else int(distance)
    at_most = moves_left is not None and moves_left < 0
    return Evaluation(
        int(value) / 1000, bool(exact), moves_left if moves_left is None else abs(moves_left), moves, player, at_most
    )
