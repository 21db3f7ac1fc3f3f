"""Measures the tables of a large tournament, in processor time of one core; ratings beside statsmodels where possible.

OPENBLAS_NUM_THREADS=1 python benchmarks/tournament_ratings.py
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

from noughts.tournaments import Course, Fixture, League, Result, Swiss, by_points, by_rating, rate, standings

CONTESTANTS = 1000
PAIRS = 50_000
SMALL = 30
SEED = 1


def main() -> None:
    random = np.random.default_rng(SEED)
    results = played(random_pairs(random), random, CONTESTANTS)
    print(f"{CONTESTANTS} contestants, {len(results)} games")
    tell("standings", seconds(lambda: standings(results)))
    ratings = rate(results)
    tell("ratings with intervals", seconds(lambda: rate(results)))
    tell("certainty by points, 1,000 draws", seconds(lambda: by_points(results)))
    tell("certainty by rating, 1,000 draws", seconds(lambda: by_rating(ratings)))
    names = [name_of(number) for number in range(CONTESTANTS)]
    tell("course: all 99,000 group games", seconds(lambda: list(Course(names).due([]))))
    swiss = played_out(Swiss(names, rounds=10), random)
    tell("Swiss: round 10, from 9,000 results", seconds(lambda: list(Swiss(names, rounds=10).due(swiss))))

    small = played(League([name_of(number) for number in range(SMALL)], rounds=2).due([]), random, SMALL)
    print(f"{SMALL} contestants, {len(small)} games")
    tell("ratings with intervals", seconds(lambda: rate(small)))
    tell("statsmodels OrderedModel, the same", seconds(lambda: by_statsmodels(small)))


def tell(what: str, taken: float) -> None:
    print(f"  {what:<36} {taken:8.3f} s", flush=True)


def seconds(function: Callable[[], object], repeats: int = 3) -> float:
    """Returns the shortest processor time of several runs: other load only adds."""
    taken = []
    for _ in range(repeats):
        started = time.process_time()
        function()
        taken.append(time.process_time() - started)
    return min(taken)


def name_of(number: int) -> str:
    return f"bot{number}"


def random_pairs(random: np.random.Generator) -> Iterable[Fixture]:
    """Returns pairs of games between random contestants."""
    for number in range(1, PAIRS + 1):
        one, other = random.choice(CONTESTANTS, 2, replace=False)
        game = Fixture(name_of(one), name_of(other), round=number)
        yield from (game, game.returned())


def played(fixtures: Iterable[Fixture], random: np.random.Generator, contestants: int) -> list[Result]:
    """Returns results by strengths of standard deviation 170 Elo, with some draws and a first-move advantage."""
    strengths = np.random.default_rng(SEED).normal(0, 1, contestants)
    results = []
    for fixture in fixtures:
        first, second = (strengths[int(name[3:])] for name in fixture[:2])
        noise = first - second + 0.3 + random.logistic()
        points = (34, 34) if abs(noise) < 0.2 else (68, 0) if noise > 0 else (0, 68)
        results.append(Result(fixture, points))
    return results


def played_out(form: Swiss, random: np.random.Generator) -> list[Result]:
    """All rounds but the last."""
    results: list[Result] = []
    for _ in range(form.round_count - 1):
        results += played(form.due(results), random, CONTESTANTS)
    return results


def by_statsmodels(results: list[Result]) -> None:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    number = {name: at for at, name in enumerate(sorted({name for result in results for name in result.fixture[:2]}))}
    design = np.zeros((len(results), len(number)))
    for row, result in zip(design, results, strict=True):
        row[number[result.first]] += 1
        row[number[result.second]] -= 1
    scores = np.array([int(2 * result.score) for result in results])
    OrderedModel(scores, design[:, 1:], distr="logit").fit(method="bfgs", disp=False, maxiter=200).cov_params()


if __name__ == "__main__":
    main()
