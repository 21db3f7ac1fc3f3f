"""Scores the answers to a suite: accuracy, regret and legality, by depth and family, with intervals.

Intervals are bootstrapped over games, never over positions: positions of one game are not independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from noughts.matches.statistics import Interval
from noughts.players.text_seat import Exchange
from noughts.suites.asking import SuitePlan, move_answered
from noughts.suites.interest import DEEPEST
from noughts.suites.questions import PARTS, Question

SAMPLES = 2000
SEED = 19
"""Size and seed of the bootstrap: equal answers have equal intervals."""


@dataclass(frozen=True)
class ScoredAnswer:
    """One question answered. right: whether the move was one of the best. lost: the value it gave away; an illegal
    answer is wrong, and counts like a random move.
    """

    question: Question
    legal: bool
    right: bool
    lost: float
    reason: str | None


@dataclass
class Score:
    """The score of several answers. chance: the accuracy of a random player. regret: value given away, relative to a
    random player on the same positions.
    """

    n: int
    accuracy: Interval
    chance: float
    regret: Interval
    legal: Interval


@dataclass
class SuiteResults:
    """The results of one player. disguise_cost, change_cost: the rise of regret from classic to its disguise, and from
    positions under the old rules to the same positions under the new ones.
    """

    plan: SuitePlan
    answers: dict[int, ScoredAnswer]
    parts: dict[str, Score]
    depths: dict[str, Score]
    families: dict[str, Score]
    disguise_cost: Interval
    change_cost: Interval
    invalid: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def answer_of(question: Question, exchange: Exchange, take: str = "last") -> ScoredAnswer:
    action, reason = move_answered(question, exchange, take)
    if action is None:
        return ScoredAnswer(question, False, False, question.random_regret, reason)
    value = question.values[action]
    return ScoredAnswer(question, True, value == question.best, float(question.best - value), None)


def score_answers(plan: SuitePlan, exchanges: Mapping[int, Exchange]) -> SuiteResults:
    """Returns the results of the answers so far."""
    answers = {
        number: answer_of(plan.question(number), exchange, plan.take)
        for number, exchange in sorted(exchanges.items())
        if number < plan.total
    }
    every = list(answers.values())
    by_part = {part: [each for each in every if each.question.part == part] for part in PARTS}
    return SuiteResults(
        plan,
        answers,
        parts={part: score(found) for part, found in by_part.items() if found},
        depths=_split(by_part["variant"], lambda each: depth_name(each.question.depth)),
        families=_split(by_part["variant"], lambda each: each.question.group.rpartition("-")[0]),
        disguise_cost=_difference(by_part["disguised"], by_part["classic"], REGRET),
        change_cost=_difference(by_part["clash"], by_part["unchanged"], REGRET),
        invalid=Counter(each.reason or "" for each in every if not each.legal),
        seconds=sum(exchange.seconds for exchange in exchanges.values()),
        prompt_tokens=sum(exchange.prompt_tokens or 0 for exchange in exchanges.values()),
        completion_tokens=sum(exchange.completion_tokens or 0 for exchange in exchanges.values()),
    )


def depth_name(depth: int) -> str:
    return str(depth) if depth <= DEEPEST else "deeper"


def _split(answers: Iterable[ScoredAnswer], key: Callable[[ScoredAnswer], str]) -> dict[str, Score]:
    found: dict[str, list[ScoredAnswer]] = {}
    for answer in answers:
        found.setdefault(key(answer), []).append(answer)
    return {name: score(found[name]) for name in sorted(found)}


Sums = npt.NDArray[np.float64]


def _sums(answers: Sequence[ScoredAnswer]) -> dict[str, Sums]:
    """Returns by game: answers, right ones, legal ones, value given away, and that of a random player."""
    sums: dict[str, Sums] = {}
    for answer in answers:
        row = sums.setdefault(answer.question.group, np.zeros(5))
        row += (1, answer.right, answer.legal, answer.lost, answer.question.random_regret)
    return sums


def _resampled(rows: Sums) -> Sums:
    """Returns sums over games drawn with replacement: float64[SAMPLES, columns]."""
    draw = np.random.default_rng((SEED, 0))
    weights = draw.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), SAMPLES)
    return weights @ rows


def _interval(samples: Sums, value: float, n: int) -> Interval:
    low, high = np.percentile(samples, (2.5, 97.5))
    return Interval(n, value, float(low), float(high))


def score(answers: Sequence[ScoredAnswer]) -> Score:
    """Returns the score of one or more answers."""
    rows = np.array(list(_sums(answers).values()))
    n, right, legal, lost, at_random = rows.sum(axis=0)
    some = _resampled(rows)
    count = len(answers)
    return Score(
        count,
        accuracy=_interval(some[:, 1] / some[:, 0], right / n, count),
        chance=sum(each.question.chance for each in answers) / count,
        regret=_interval(some[:, 3] / some[:, 4], lost / at_random, count),
        legal=_interval(some[:, 2] / some[:, 0], legal / n, count),
    )


ACCURACY, REGRET = (1, 0), (3, 4)
"""Columns of `_sums`: numerator and denominator."""


def _difference(ours: Sequence[ScoredAnswer], theirs: Sequence[ScoredAnswer], ratio: tuple[int, int]) -> Interval:
    """Returns how much larger a ratio is in the first answers than in the second, over the groups of both."""
    first, second = _sums(ours), _sums(theirs)
    shared = [group for group in first if group in second]
    if not shared:
        return Interval(0, None, None, None)
    top, bottom = ratio
    rows = np.array([np.concatenate([first[group], second[group]]) for group in shared])
    left = np.concatenate([rows.sum(axis=0)[None], _resampled(rows)])  # the first row is of all answers
    right = left[:, 5:]
    differences = left[:, top] / left[:, bottom] - right[:, top] / right[:, bottom]
    return _interval(differences[1:], float(differences[0]), len(ours) + len(theirs))


def compared(first: SuiteResults, second: SuiteResults) -> Interval:
    """Returns how much more accurate one player is than another, on the variants that both answered."""
    if first.plan.suite.hash != second.plan.suite.hash:
        raise ValueError("the two players answered different suites")
    both = [number for number in first.answers if number in second.answers]
    kept = [number for number in both if first.answers[number].question.part == "variant"]
    return _difference([first.answers[n] for n in kept], [second.answers[n] for n in kept], ACCURACY)


def results_data(results: SuiteResults) -> dict[str, Any]:
    """Returns the results as plain data."""
    return {
        **results.plan.facts(),
        "questions": results.plan.total,
        "answered": len(results.answers),
        "parts": {name: _score_data(each) for name, each in results.parts.items()},
        "depths": {name: _score_data(each) for name, each in results.depths.items()},
        "families": {name: _score_data(each) for name, each in results.families.items()},
        "disguise_cost": results.disguise_cost.to_data(),
        "change_cost": results.change_cost.to_data(),
        "invalid": dict(sorted(results.invalid.items())),
        "seconds": round(results.seconds, 3),
        "prompt_tokens": results.prompt_tokens,
        "completion_tokens": results.completion_tokens,
    }


def _score_data(one: Score) -> dict[str, Any]:
    return {
        "n": one.n,
        "accuracy": one.accuracy.to_data(),
        "chance": one.chance,
        "regret": one.regret.to_data(),
        "legal": one.legal.to_data(),
    }
