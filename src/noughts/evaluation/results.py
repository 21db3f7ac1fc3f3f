"""What an evaluation came to: counts, rates with their intervals, and the moves that cost most."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from noughts.analysis.grading import Grade, grades, solution_of
from noughts.evaluation.plan import Plan
from noughts.evaluation.transcript import Played
from noughts.game import Game
from noughts.matches.statistics import Estimate, mean, rate

BLUNDERS = 5
"""So many of the worst moves are shown."""


@dataclass
class Tally:
    """Games by how they ended for the evaluated player.

    won, drawn, lost: by the rules. A nested game without a line counts by its points. forfeited, by reason: ended by
    the player's own invalid reply or lateness. given: ended so by the opponent, and no win by skill.
    """

    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    forfeited: Counter[str] = field(default_factory=Counter)
    given: Counter[str] = field(default_factory=Counter)

    def add(self, played: Played, seat: int) -> None:
        end = played.end
        if end is None:
            return
        self.games += 1
        if end["offender"] is not None:
            (self.forfeited if end["offender"] == seat else self.given)[end["fault"]] += 1
        elif end["rewards"][seat] > 0:
            self.won += 1
        elif end["rewards"][seat] < 0:
            self.lost += 1
        else:
            self.drawn += 1

    def rates(self) -> dict[str, Estimate]:
        """The shares of all games."""
        counts = {"won": self.won, "drawn": self.drawn, "lost": self.lost, "forfeited": self.forfeited.total()}
        return {name: rate(count, self.games) for name, count in (counts | {"given": self.given.total()}).items()}


@dataclass
class Replies:
    """The evaluated player's replies, and what they cost. seconds, tokens: of players who read text, else 0."""

    count: int = 0
    invalid: Counter[str] = field(default_factory=Counter)
    cut_short: int = 0
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, played: Played, seat: int) -> None:
        for turn in played.turns:
            if turn["player"] != seat:
                continue
            self.count += 1
            if not turn["valid"]:
                self.invalid[turn["reason"]] += 1
            self.cut_short += turn.get("finish") == "length"
            self.seconds += turn.get("seconds") or 0.0
            self.prompt_tokens += turn.get("prompt_tokens") or 0
            self.completion_tokens += turn.get("completion_tokens") or 0

    def invalid_rate(self) -> Estimate:
        return rate(self.invalid.total(), self.count)


@dataclass
class Grades:
    """The evaluated player's moves against perfect play. given_away: value lost per move (see `Grade.lost`).
    perfect: share of moves that lost none; perfect_choices: the same where some legal move was worse than another.
    """

    given_away: Estimate
    perfect: Estimate
    perfect_choices: Estimate
    blunders: list[Grade]


@dataclass
class Results:
    """Everything there is to say of an evaluation. by_seat: the player moving first, and second. grades: None where
    the game is not solved, and `not_graded` says why.
    """

    plan: Plan
    by_seat: tuple[Tally, Tally]
    overall: Tally
    replies: Replies
    grades: Grades | None = None
    not_graded: str | None = None


def count(plan: Plan, games: Iterable[Played]) -> Results:
    """The results without grades: cheap enough to show while games are played."""
    results = Results(plan, (Tally(), Tally()), Tally(), Replies())
    for played in games:
        add(results, played)
    return results


def add(results: Results, played: Played) -> None:
    """One more finished game."""
    seat = results.plan.seat(played.number)
    results.by_seat[seat].add(played, seat)
    results.overall.add(played, seat)
    results.replies.add(played, seat)


def judge(plan: Plan, game: Game, games: list[Played], tick: Callable[[float], None] = lambda _share: None) -> Results:
    """The results with grades, where the game is solved. `tick` is told the share of the games that are graded."""
    results = count(plan, games)
    solution = solution_of(game)
    if isinstance(solution, str):
        results.not_graded = solution
        return results
    found: list[Grade] = []
    for number, played in enumerate(games):
        found += grades(game, solution, played, plan.seat(played.number))
        tick((number + 1) / len(games))
    losses = [grade.lost for grade in found]
    choices = [grade for grade in found if grade.chosen]
    results.grades = Grades(
        given_away=mean(sum(losses), sum(loss * loss for loss in losses), len(losses)),
        perfect=rate(losses.count(0), len(losses)),
        perfect_choices=rate(sum(grade.lost == 0 for grade in choices), len(choices)),
        blunders=worst(game, found),
    )
    return results


def worst(game: Game, found: Iterable[Grade]) -> list[Grade]:
    """The moves that gave away most; of equals those with most good moves to miss. What is the same but for a symmetry
    of the game is shown once.
    """
    chosen: dict[tuple[str, str], Grade] = {}
    for grade in sorted(found, key=lambda grade: (-grade.lost, -len(grade.better), grade.game, grade.ply)):
        if not grade.lost or len(chosen) == BLUNDERS:
            break
        state = game.from_string(grade.position)
        same = (state.canonical().to_string(), state.child(grade.action).canonical().to_string())
        chosen.setdefault(same, grade)
    return list(chosen.values())


# Good replies of a transcript as examples for fine-tuning.


def chat_examples(plan: Plan, game: Game, games: Iterable[Played]) -> list[str]:
    """One JSON line for each good reply of the evaluated player: {"messages": [..., the reply as "assistant"]}.

    Good is a valid move, and where the game is solved one that gave nothing away. Players without texts have none.
    """
    solution = solution_of(game)
    lines = []
    for played in games:
        seat = plan.seat(played.number)
        turns = [turn for turn in played.turns if turn["player"] == seat and turn["valid"]]
        good = [True] * len(turns)
        if not isinstance(solution, str):
            good = [grade.lost == 0 for grade in grades(game, solution, played, seat)]
        for turn, is_good in zip(turns, good, strict=True):
            if is_good and "messages" in turn:
                messages = [*turn["messages"], {"role": "assistant", "content": turn["reply"]}]
                lines.append(json.dumps({"messages": messages}))
    return lines
