"""Measures how fast variants are made, and whether the suite distinguishes players that remember, guess and think.

    python benchmarks/variants.py [--size small|full] [--seed 1] [--games 200]

First it counts variants drawn, compared, solved and filtered a second of CPU. Then the reference players answer the
suite (see `noughts.evaluation.reference`). Regret is relative to a random player's.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice

from noughts.evaluation.reference import SUITE_PLAYERS, answer_all
from noughts.game import Game
from noughts.solving import TooLarge, solve
from noughts.suites.generator import distinct, draw_variants
from noughts.suites.interest import Insight, refusal
from noughts.suites.suite import make_suite


def made(games: int, seed: int) -> None:
    """Prints how many variants are made per second, and how many are worth asking about."""
    started = time.process_time()
    drawn = list(islice(draw_variants(seed), games))
    different = list(distinct(iter(drawn)))
    told_apart = time.process_time()
    solved = kept = 0
    for variant in different:
        try:
            insight = Insight(solve(Game(variant.rules), keep=False))
        except TooLarge:
            continue
        solved += 1
        kept += refusal(insight.figures()) is None
    seconds = time.process_time() - told_apart
    print(f"{games} drawn, {len(different)} distinct and not published: {told_apart - started:.2f} s of CPU")
    print(
        f"{solved} solved and looked at in {seconds:.0f} s of CPU, {solved / seconds:.1f} a second; "
        f"{kept} worth asking about ({100 * kept / solved:.0f}%)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("small", "full"), default="small")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=200)
    args = parser.parse_args()
    if args.games:
        made(args.games, args.seed)
    started = time.process_time()
    suite = make_suite(args.size, args.seed)
    print(f"suite {suite.size}, seed {suite.seed}, hash {suite.hash}: {len(suite.questions)} questions", end=", ")
    print(f"{time.process_time() - started:.0f} s of CPU to make or load")
    for name, choose in SUITE_PLAYERS.items():
        results = answer_all(suite, name, choose)
        parts = [
            f"{part} {score.regret.value:.2f} ({100 * (score.accuracy.value or 0):.0f}%)"
            for part, score in results.parts.items()
        ]
        families = [f"{family} {score.regret.value:.2f}" for family, score in results.families.items()]
        costs = [
            f"{cost.value:+.2f}" for cost in (results.disguise_cost, results.change_cost) if cost.value is not None
        ]
        print(
            f"{name:<10} regret (right): {', '.join(parts)}; by marks: {', '.join(families)}; costs {costs}", flush=True
        )


if __name__ == "__main__":
    main()
