"""Fits the curve from the engine's score to the expected result, on games of the engine against itself.

    python training/fit_curve.py ultimate xtreme extreme --games 400

Each game starts with 2 to 14 random moves; later one move in thirty is random, and the others are the best of a search
of --nodes nodes, whose score is kept. The two parameters of `ResultCurve` (analysis/curve.py) are those that make the
results most likely (Newton's method, NumPy only). Copy them into that file.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import noughts
from noughts.analysis.curve import ResultCurve, log_odds
from noughts.search import Engine, Limits

OPENING = (2, 14)
RANDOM_MOVES = 1 / 30
Floats = npt.NDArray[np.float64]


def positions(game: noughts.Game, games: int, nodes: int, seed: int, handmade: bool) -> Iterator[tuple[float, int]]:
    """Returns (score, result 1, 0 or -1), both for the player to move, of every position that was not proven."""
    engine, choose = Engine(game, memory=8, network=None if handmade else "shipped"), random.Random(seed)
    for _ in range(games):
        engine.new_game()
        state = game.new_initial_state()
        for _ in range(choose.randint(*OPENING)):
            if not state.is_terminal():
                state.apply_action(choose.choice(state.legal_actions()))
        seen: list[tuple[float, int]] = []
        while not state.is_terminal():
            found = engine.search(state, Limits(nodes=nodes), scores_only=True)
            if not found.best.proven and not found.exact:
                seen.append((found.best.score / 100_000, state.current_player()))
            lucky = choose.random() < RANDOM_MOVES
            state.apply_action(choose.choice(state.legal_actions()) if lucky else found.best.action)
        returns = state.returns()
        for score, player in seen:
            yield score, int(np.sign(returns[player]))


def fitted(scores: Floats, results: npt.NDArray[np.int64]) -> tuple[ResultCurve, float]:
    """Returns the most likely curve, and the mean squared error of its expected results."""
    best = (np.inf, 0.0, 1.0)
    odds = np.array([log_odds(score) for score in scores])
    shift, scale, step = 0.5, 1.0, 0.2
    while step > 1e-4:  # two numbers and a smooth function: halving steps are enough
        around = [(shift + step * i, scale + step * j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        found = min((surprise(odds, results, a, b), a, b) for a, b in around if a >= 0 and b > 1e-3)
        step = step / 2 if (found[1], found[2]) == (shift, scale) else step
        best = found
        shift, scale = found[1], found[2]
    curve = ResultCurve(round(best[1], 4), round(best[2], 4))
    expected = np.array([curve.expected(score) for score in scores])
    return curve, float(((expected - results) ** 2).mean())


def surprise(odds: Floats, results: npt.NDArray[np.int64], shift: float, scale: float) -> float:
    """Returns the negative mean log-likelihood of the results."""
    won, lost = (1 / (1 + np.exp(-(sign * odds - shift) / scale)) for sign in (1, -1))
    drawn = np.maximum(1 - won - lost, 1e-9)
    return float(-np.log(np.maximum(np.select([results > 0, results < 0], [won, lost], drawn), 1e-12)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="+")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--handmade", action="store_true", help="by the handmade evaluation")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name in args.game:
        found = np.array(list(positions(noughts.load_game(name), args.games, args.nodes, args.seed, args.handmade)))
        scores, results = found[:, 0], found[:, 1].astype(np.int64)
        curve, error = fitted(scores, results)
        plain = float(((np.clip(scores, -1, 1) - results) ** 2).mean())
        print(f"{name}: {curve}, {len(found):,} positions; squared error {error:.4f}, of the bare score {plain:.4f}")
        for low in np.arange(-1.0, 1.0, 0.25):
            part = (scores >= low) & (scores < low + 0.25)
            if part.sum() > 20:
                middle = float(scores[part].mean())
                text = f"{results[part].mean():+.2f} happened, the curve says {curve.expected(middle):+.2f}"
                print(f"  score {middle:+.2f} ({part.sum():6,} positions): {text}", flush=True)


if __name__ == "__main__":
    main()
