"""What an evaluation came to: counts, rates with their intervals, and the moves that cost most."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from noughts.analysis.grading import SEARCH_NODES, Grade, SearchGrader, grade_game, grader_for
from noughts.evaluation.plan import PastPlan, Plan
from noughts.game import Game
from noughts.matches.record import GameRecord
from noughts.matches.scores import different_games
from noughts.matches.statistics import Interval, mean, rate
from noughts.matches.tally import Tally, seconds_of

BLUNDERS, NESTED_BLUNDERS = 5, 2
"""So many of the worst moves are shown; the boards of nested games are large."""


@dataclass
class Replies:
    """The evaluated player's replies, and what they cost. seconds, tokens: of players who read text, else 0.

    told: of other players, by reason what they did wrong in words, with the line of their file.
    """

    count: int = 0
    invalid: Counter[str] = field(default_factory=Counter)
    told: dict[str, Counter[str]] = field(default_factory=dict)
    cut_short: int = 0
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, record: GameRecord, seat: int) -> None:
        exchanges = [exchange for exchange in record.exchanges if exchange.player == seat]
        if not exchanges:  # a player who is given positions: a reply is a move, or the fault that ended the game
            self.count += len(seconds_of(record, seat)) + (record.faulty == seat)
            if record.faulty == seat:
                self.invalid[fault_reason(record)] += 1
                if record.fault is not None:
                    self.told.setdefault(fault_reason(record), Counter())[record.fault.text] += 1
        for exchange in exchanges:
            self.count += 1
            if not exchange.valid:
                self.invalid[exchange.reason or ""] += 1
            self.cut_short += exchange.finish == "length"
            self.seconds += exchange.seconds
            self.prompt_tokens += exchange.prompt_tokens or 0
            self.completion_tokens += exchange.completion_tokens or 0

    def invalid_rate(self) -> Interval:
        return rate(self.invalid.total(), self.count)


@dataclass
class Grades:
    """The evaluated player's moves against perfect play, or against the engine where the game is not solved.

    given_away: value lost per move (see `Grade.lost`). perfect: share of moves that lost none (see `Grade.costly`);
    perfect_choices: the same where some legal move was worse than another. moves: all of them. nodes: of the searches
    that graded them, None if the values are exact.
    """

    given_away: Interval
    perfect: Interval
    perfect_choices: Interval
    blunders: list[Grade]
    moves: list[Grade]
    nodes: int | None = None


@dataclass
class Results:
    """Everything there is to say of an evaluation. by_seat: the player moving first, and second. different: games that
    repeat no other (see `different_games`). grades: None if moves were not graded, and `not_graded` says why.
    """

    plan: Plan | PastPlan
    by_seat: tuple[Tally, Tally]
    overall: Tally
    replies: Replies
    different: int = 0
    grades: Grades | None = None
    not_graded: str | None = None


def fault_reason(record: GameRecord) -> str:
    """Why a game was forfeited: what was wrong with the reply that ended it, or the kind of the fault."""
    last = [exchange for exchange in record.exchanges if exchange.player == record.faulty][-1:]
    return (last[0].reason if last else None) or record.reason


def count(plan: Plan | PastPlan, games: Iterable[GameRecord]) -> Results:
    """The results without grades: cheap enough to show while games are played."""
    results = Results(plan, (Tally(), Tally()), Tally(), Replies())
    for record in games:
        add(results, record)
    return results


def add(results: Results, record: GameRecord) -> None:
    """One more finished game."""
    seat = results.plan.seat(record)
    for tally in (results.by_seat[seat], results.overall):
        tally.add_game(record, seat, fault=None if record.faulty is None else fault_reason(record))
    results.replies.add(record, seat)


def grade(
    plan: Plan | PastPlan,
    games: list[GameRecord],
    tick: Callable[[float], None] = lambda _share: None,
    nodes: int = SEARCH_NODES,
) -> Results:
    """The results with grades: exact where the game is solved, elsewhere by the engine.

    tick: is told the share of the games that are graded. nodes: of each search; with 0 nothing is graded by search.
    """
    results = count(plan, games)
    results.different = different_games(games)
    grader = grader_for(plan.game, nodes or SEARCH_NODES)
    if isinstance(grader, SearchGrader) and nodes == 0:
        results.not_graded = "Moves are not graded, as asked: 0 nodes for a search."
        return results
    found: list[Grade] = []
    for number, record in enumerate(games):
        found += grade_game(record, grader, plan.seat(record))
        tick((number + 1) / len(games))
    losses = [grade.lost for grade in found]
    choices = [grade for grade in found if grade.mattered]
    results.grades = Grades(
        given_away=mean(sum(losses), sum(loss * loss for loss in losses), len(losses)),
        perfect=rate(sum(not grade.costly for grade in found), len(found)),
        perfect_choices=rate(sum(not grade.costly for grade in choices), len(choices)),
        blunders=worst(plan.game, found),
        moves=found,
        nodes=nodes if isinstance(grader, SearchGrader) else None,
    )
    return results


def worst(game: Game, found: Iterable[Grade]) -> list[Grade]:
    """The moves that gave away most; of equals those with most good moves to miss. What is the same but for a symmetry
    of the game is shown once.
    """
    chosen: dict[tuple[str, str], Grade] = {}
    most = NESTED_BLUNDERS if game.rules.nested else BLUNDERS
    for grade in sorted(found, key=lambda grade: (-grade.lost, -len(grade.better), grade.game, grade.ply)):
        if not grade.costly or len(chosen) == most:
            break
        state = game.from_string(grade.position)
        same = (state.canonical().to_string(), state.child(grade.action).canonical().to_string())
        chosen.setdefault(same, grade)
    return list(chosen.values())


def chat_examples(results: Results, games: Iterable[GameRecord]) -> list[str]:
    """Good replies as examples for fine-tuning: {"messages": [..., the reply as "assistant"]}, one JSON line for each.

    Good is a valid move, and where moves are graded one that gave nothing away. Players without texts have none.
    """
    bad = {(grade.game, grade.ply) for grade in results.grades.moves if grade.costly} if results.grades else set()
    lines = []
    for record in games:
        seat = results.plan.seat(record)
        for exchange in record.exchanges:
            if exchange.player == seat and exchange.valid and (record.number, exchange.ply) not in bad:
                messages = [*exchange.messages, {"role": "assistant", "content": exchange.reply}]
                lines.append(json.dumps({"messages": messages}))
    return lines
