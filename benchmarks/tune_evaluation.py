"""Fits the weights of the handmade evaluation to self-play, and prints them for the game's data in `noughts/games`.

    python benchmarks/tune_evaluation.py extreme --games 600 --nodes 1500

Positions come from games between two copies of the search, from random openings with occasional random moves; only
those where the player to move cannot win a block at once, because the search looks further there. The evaluation should
equal the expected result: the script changes one weight at a time, in ever smaller steps, while the mean squared
difference on the training games falls. A fifth of the games is held out to check the result.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import noughts
from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints, Rows
from noughts.rules.kernels.jit import entry
from noughts.search import Engine, EvalWeights, Limits, weights_for
from noughts.search.kernels import layout as at
from noughts.search.kernels.handmade import chances_score, refresh_chances
from noughts.search.weights import search_params

OPENING = 8
RANDOM_MOVES = 0.05
STEPS = (0.3, 0.15, 0.07, 0.03)


@entry
def evaluate_rows(rules: Ints, rows: Rows, params: Ints, work: Ints, scores: Ints) -> None:
    """Static evaluations of many positions, each for its player to move: rows int64[n, ROW_WORDS], scores int64[n]."""
    for i in range(rows.shape[0]):
        refresh_chances(rules, rows[i], params, work)
        scores[i] = chances_score(rules, rows[i], params, work)


def can_win_a_block(state: noughts.State) -> bool:
    """Returns whether the player to move can win a block at once."""
    player, before = state.current_player(), state.view().owners
    return any(
        state.child(action).view().owners.count(player) > before.count(player) for action in state.legal_actions()
    )


def games(game: noughts.Game, count: int, nodes: int, seed: int) -> Iterator[tuple[np.ndarray, float]]:
    """Returns, game by game, rows of quiet positions and the game's result for the player to move."""
    engine = Engine(game, memory=1, network=None)
    for number in range(count):
        choose = random.Random(f"{seed}/{number}")
        state = game.new_initial_state()
        rows: list[np.ndarray] = []
        while not state.is_terminal():
            legal = state.legal_actions()
            played = len(state.history())
            if played < OPENING or choose.random() < RANDOM_MOVES:
                state.apply_action(choose.choice(legal))
                continue
            if not can_win_a_block(state):
                rows.append(state.words[: game._row_words].copy())
            engine.new_game()
            state.apply_action(engine.search(state, Limits(nodes=nodes)).best.action)
        if rows:
            stacked = np.stack(rows)
            sign = 1 - 2 * stacked[:, rules_at.PLAYER]
            yield stacked, state.returns()[0] * sign


def fields(weights: EvalWeights) -> list[tuple[str, int]]:
    """Returns every number in the weights as its field and its index there (-1: the field itself)."""
    return [("missing", i) for i in range(len(weights.missing))] + [
        (name, -1) for name in ("draw", "line", "points", "tempo", "free", "sent")
    ]


def changed(weights: EvalWeights, field: str, place: int, share: float) -> EvalWeights:
    """Returns weights with one number changed by a share, at least by 1."""
    old = weights.missing[place] if place >= 0 else getattr(weights, field)
    step = max(1, round(abs(share) * max(abs(old), 50 if field in ("tempo", "free", "sent") else 1)))
    new = old + (step if share > 0 else -step)
    if place < 0:
        return replace(weights, **{field: new})
    return replace(
        weights, missing=(*weights.missing[:place], min(max(0, new), at.LARGEST_SUM), *weights.missing[place + 1 :])
    )


class Fit:
    """Positions with their results; computes the error of weights on them."""

    def __init__(self, game: noughts.Game, found: list[tuple[np.ndarray, np.ndarray]]) -> None:
        self.game = game
        self.rows = np.ascontiguousarray(np.concatenate([rows for rows, _ in found]))
        self.results = np.concatenate([results for _, results in found])
        self.work = np.zeros(at.WORK_WORDS, np.int64)
        self.scores = np.zeros(len(self.rows), np.int64)

    def loss(self, weights: EvalWeights) -> float:
        if weights.draw < 1:
            return float("inf")
        params = search_params(self.game.rules, weights)
        evaluate_rows(self.game.facts, self.rows, params, self.work, self.scores)
        return float(np.mean((self.scores / at.RESULT_UNIT - self.results) ** 2))


def descend(fit: Fit, weights: EvalWeights) -> EvalWeights:
    best = fit.loss(weights)
    for size in STEPS:
        improving = True
        while improving:
            improving = False
            for field, place in fields(weights):
                for share in (size, -size):
                    tried = changed(weights, field, place, share)
                    loss = fit.loss(tried)
                    if loss < best - 1e-7:
                        weights, best, improving = tried, loss, True
                        break
        print(f"  steps of {size:.0%}: loss {best:.5f}", flush=True)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--nodes", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    game = noughts.load_game(args.game)
    found = list(games(game, args.games, args.nodes, args.seed))
    split = len(found) // 5
    train, aside = Fit(game, found[split:]), Fit(game, found[:split])
    before = weights_for(game.rules)
    print(f"{args.game}: {len(train.rows)} positions; before {train.loss(before):.5f}, aside {aside.loss(before):.5f}")
    after = descend(train, before)
    print(f"  aside {aside.loss(after):.5f}\n    {args.game!r}: {after},")


if __name__ == "__main__":
    main()
