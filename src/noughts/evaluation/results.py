"""The results of an evaluation: counts, rates with their intervals, and the costliest moves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from noughts.analysis.evaluator import NODES, evaluator_for
from noughts.analysis.mistakes import Choice, review
from noughts.evaluation.plan import PastPlan
from noughts.game import Game
from noughts.matches.record import GameRecord
from noughts.matches.statistics import Interval, clustered_mean, clustered_rate
from noughts.matches.tally import Tally, different_games
from noughts.progress import Tick

BLUNDERS, NESTED_BLUNDERS = 5, 2
"""Number of worst moves shown; the boards of nested games are large."""


@dataclass
class Replies:
    """The evaluated player's replies and their cost. seconds, prompt_tokens, completion_tokens: of text
    players, else 0.

    fault_texts: of other players, descriptions of their faults with the line of their file, by reason. clusters: for
    each reply the cluster of its game (see `cluster_of`), and whether it was invalid.
    """

    count: int = 0
    invalid: Counter[str] = field(default_factory=Counter)
    fault_texts: dict[str, Counter[str]] = field(default_factory=dict)
    clusters: list[tuple[Hashable, bool]] = field(default_factory=list)
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, record: GameRecord, seat: int) -> None:
        exchanges = [exchange for exchange in record.exchanges if exchange.player == seat]
        cluster = cluster_of(record)
        if not exchanges:  # for players that get positions, a reply is a move, or the fault that ended the game
            moves = len(record.seconds_of(seat))
            self.count += moves + (record.faulty == seat)
            self.clusters += [(cluster, False)] * moves + [(cluster, True)] * (record.faulty == seat)
            if record.faulty == seat:
                self.invalid[fault_reason(record)] += 1
                if record.fault is not None:
                    self.fault_texts.setdefault(fault_reason(record), Counter())[record.fault.text] += 1
        for exchange in exchanges:
            self.count += 1
            if not exchange.valid:
                self.invalid[exchange.reason or ""] += 1
            self.clusters.append((cluster, not exchange.valid))
            self.seconds += exchange.seconds
            self.prompt_tokens += exchange.prompt_tokens or 0
            self.completion_tokens += exchange.completion_tokens or 0

    def invalid_rate(self) -> Interval:
        return clustered_rate(self.clusters)


GradedMove = tuple[GameRecord, Choice]
"""A move of the evaluated player, with its game."""


@dataclass
class Grades:
    """The evaluated player's moves compared with perfect play, or with the engine where the game is not solved.

    given_away: value lost per move (see `Choice.lost`). perfect: share of moves that lost none (see `Choice.costly`);
    perfect_choices: the same where some legal move was worse than another. moves: all of them. nodes: budget for each
    position, None if the values are exact.
    """

    given_away: Interval
    perfect: Interval
    perfect_choices: Interval
    blunders: list[GradedMove]
    moves: list[GradedMove]
    nodes: int | None = None


@dataclass
class Results:
    """All results of an evaluation.

    by_seat: the player moving first, and second. different: games that repeat no other (see `different_games`).
    grades: None if moves were not graded, for the reason in `not_graded`. endings: for each game the player's seat,
    the cluster (see `cluster_of`) and how it ended, a word of `Tally.endings`.
    """

    plan: PastPlan
    by_seat: tuple[Tally, Tally]
    overall: Tally
    replies: Replies
    different: int = 0
    grades: Grades | None = None
    not_graded: str | None = None
    endings: list[tuple[int, Hashable, str]] = field(default_factory=list)

    def rates(self, seat: int | None = None) -> dict[str, Interval]:
        """Returns the shares of the endings with their intervals, for one seat or both; clustered by game."""
        games = [(cluster, ended) for where, cluster, ended in self.endings if seat in (None, where)]
        return {
            name: clustered_rate((cluster, ended == name) for cluster, ended in games) for name in Tally().endings()
        }


def cluster_of(record: GameRecord) -> Hashable:
    """Returns the cluster of a game, shared by games that are not independent: the opening, or without one all
    moves."""
    return tuple(record.moves[: record.opening] if record.opening else record.moves)


def fault_reason(record: GameRecord) -> str:
    """Returns why a game was forfeited: what was wrong with the reply that ended it, or the kind of the fault."""
    last = [exchange for exchange in record.exchanges if exchange.player == record.faulty][-1:]
    return (last[0].reason if last else None) or record.reason


def count(plan: PastPlan, games: Iterable[GameRecord]) -> Results:
    """Returns the results without grades: cheap enough to show while games are played."""
    results = Results(plan, (Tally(), Tally()), Tally(), Replies())
    for record in games:
        add(results, record)
    return results


def add(results: Results, record: GameRecord) -> None:
    """Adds a finished game."""
    seat = results.plan.seat(record)
    for tally in (results.by_seat[seat], results.overall):
        tally.add_game(record, seat, fault=None if record.faulty is None else fault_reason(record))
    one = Tally()
    one.add_game(record, seat)
    ended = next(name for name, count in one.endings().items() if count)
    results.endings.append((seat, cluster_of(record), ended))
    results.replies.add(record, seat)


def grade(
    plan: PastPlan,
    games: list[GameRecord],
    tick: Tick = lambda _share: None,
    nodes: int = NODES,
) -> Results:
    """Returns the results with grades: exact where the game is solved, elsewhere by the engine.

    tick: called with the share of graded games. nodes: for each position; 0 grades nothing by search.
    """
    results = count(plan, games)
    results.different = different_games(games)
    evaluator = evaluator_for(plan.game, nodes or NODES)
    if evaluator.solution is None and nodes == 0:
        results.not_graded = "Moves are not graded: the search has 0 nodes."
        return results
    found: list[GradedMove] = []
    for number, record in enumerate(games):
        choices = review(record, evaluator=evaluator).choices(record, plan.seat(record))
        found += [(record, choice) for choice in choices]
        tick((number + 1) / len(games))
    moves = [(cluster_of(record), choice) for record, choice in found]
    results.grades = Grades(
        given_away=clustered_mean((cluster, choice.lost) for cluster, choice in moves),
        perfect=clustered_rate((cluster, not choice.costly) for cluster, choice in moves),
        perfect_choices=clustered_rate((cluster, not choice.costly) for cluster, choice in moves if choice.mattered),
        blunders=worst(plan.game, found),
        moves=found,
        nodes=nodes if evaluator.solution is None else None,
    )
    return results


def worst(game: Game, found: Iterable[GradedMove]) -> list[GradedMove]:
    """Returns the moves that gave away most; among equals, those with the most good alternatives first. Symmetric moves
    are shown once.
    """
    chosen: dict[tuple[str, str], GradedMove] = {}
    most = NESTED_BLUNDERS if game.rules.nested else BLUNDERS
    for record, choice in sorted(found, key=_by_cost):
        if not choice.costly or len(chosen) == most:
            break
        state = record.states()[choice.ply][0]
        same = (state.canonical().to_string(), state.child(choice.action).canonical().to_string())
        chosen.setdefault(same, (record, choice))
    return list(chosen.values())


def _by_cost(move: GradedMove) -> tuple[float, ...]:
    record, choice = move
    return (-choice.lost, -len(choice.better), record.number, choice.ply)


def chat_examples(results: Results, games: Iterable[GameRecord]) -> list[str]:
    """Returns good replies as examples for fine-tuning: {"messages": [..., the reply as "assistant"]}, one JSON line
    each.

    A good reply is a valid move that, where moves are graded, gave nothing away. Only text players have any.
    """
    moves = results.grades.moves if results.grades else []
    bad = {(record.number, choice.ply) for record, choice in moves if choice.costly}
    lines = []
    for record in games:
        seat = results.plan.seat(record)
        for exchange in record.exchanges:
            if exchange.player == seat and exchange.valid and (record.number, exchange.ply) not in bad:
                messages = [*exchange.messages, {"role": "assistant", "content": exchange.reply}]
                lines.append(json.dumps({"messages": messages}))
    return lines
