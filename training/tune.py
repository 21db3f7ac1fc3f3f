"""Tunes the parameters of the search by SPSA: many pairs of games between two slightly different settings.

    python training/tune.py ultimate xtreme extreme --seconds 300 --nodes 10000

Each pair of games is between the current values moved in a random direction and those moved the other way; the
result shifts them all a little. The games take turns and share the values. The result is a proposal: test it with
match.py, at other limits too.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context

import match

import noughts
from noughts.matches.openings import OPENING_PLIES
from noughts.search.kernels import layout as at
from noughts.search.weights import TUNED

STEPS = {
    "futility_margin": 2_000,
    "futility_step": 2_000,
    "reverse_margin": 1_000,
    "singular_margin": 40,
    "double_margin": 1_200,
    "reduction_base": 200,
    "reduction_step": 200,
    "reduction_gap": 12,
    "history_weight": 3,
    "aspiration_window": 600,
    "tactical_bonus": 12_000,
}
"""How far each parameter is moved up and down: about as far as is worth a few Elo."""
FIRST_RATE, LAST_RATE = 0.012, 0.002
"""Steps by which a pair that one side wins 2-0 moves a parameter: at the beginning and at the end."""

GAMES: dict[str, noughts.Game] = {}
PLAYERS: dict[str, list[match.Player]] = {}


def begin(args: argparse.Namespace) -> None:
    for name in args.games:
        GAMES[name] = noughts.load_game(name)
        PLAYERS[name] = [match.Player(GAMES[name], "shipped", args) for _ in range(2)]


def play_pair(name: str, settings: list[dict[str, int]], seed: int, number: int) -> float:
    """Returns the first setting's result against the second in a pair of games: -1 to 1."""
    for player, values in zip(PLAYERS[name], settings, strict=True):
        for parameter, value in values.items():
            player.engine._params[at.TUNABLE[parameter]] = value
    totals = match.play_opening(GAMES[name], PLAYERS[name], OPENING_PLIES, seed, number)
    return totals.pairs.score * 2 - 1


def rate_at(share: float) -> float:
    """Returns the rate after a share of the time; the last pairs end after it is over."""
    return FIRST_RATE + (LAST_RATE - FIRST_RATE) * min(1.0, share)


def within(name: str, value: float) -> float:
    """Returns the nearest valid value: an aspiration window of 0 would be widened forever."""
    return max(float(match.LEAST.get(name, 0)), value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--nodes", type=int, default=10_000, help="a move")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--memory", type=int, default=8, metavar="MB")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.time = None
    values = {name: float(TUNED[name]) for name in STEPS}
    choose, started, next_line, number = random.Random(args.seed), time.monotonic(), 0.0, 0
    asked: dict[Future[float], dict[str, int]] = {}
    with ProcessPoolExecutor(args.jobs, get_context("fork"), begin, (args,)) as pool:
        while True:
            share = min(1.0, (time.monotonic() - started) / args.seconds)
            while len(asked) < args.jobs and share < 1:
                signs = {name: choose.choice((-1, 1)) for name in STEPS}
                settings = [
                    {name: round(within(name, values[name] + way * signs[name] * STEPS[name])) for name in STEPS}
                    for way in (1, -1)
                ]
                game = args.games[number % len(args.games)]
                asked[pool.submit(play_pair, game, settings, args.seed, number)] = signs
                number += 1
            if not asked:
                break
            for done in wait(asked, return_when=FIRST_COMPLETED).done:
                signs = asked.pop(done)
                rate = rate_at(share) * done.result()
                for name, sign in signs.items():
                    values[name] = within(name, values[name] + rate * sign * STEPS[name])
            if share >= next_line:
                next_line += 0.1
                shown = ", ".join(f"{name}={round(value)}" for name, value in values.items())
                print(f"{round(100 * share)}%, {number} pairs: {shown}", flush=True)
    print(",".join(f"{name}={round(value)}" for name, value in values.items()))


if __name__ == "__main__":
    main()
