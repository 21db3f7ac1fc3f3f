"""Fit the weights of the evaluation to games of self-play, and print them for `noughts/search/weights.py`.

    python benchmarks/tune_evaluation.py extreme --games 600 --nodes 1500

Positions are taken from games between two copies of the search, from random openings and with a random move now and
then, where the player to move cannot win a block at once (the search looks further there). The evaluation should then
be the expected result: the weights are changed one at a time, by smaller and smaller steps, as long as the mean squared
difference between the two on the training games gets smaller. A fifth of the games is kept aside to see whether what
was learnt holds.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import noughts
from noughts.rules.kernels import layout as kernel
from noughts.rules.kernels.core import state_playable
from noughts.search.engine import Limits, Searcher
from noughts.search.kernels import layout as at
from noughts.search.kernels.judging import judge_rows
from noughts.search.kernels.position import set_up
from noughts.search.weights import Weights, knowledge_table, weights_for

OPENING = 8
RANDOM_MOVES = 0.05
STEPS = (0.3, 0.15, 0.07, 0.03)


def games(game: noughts.Game, count: int, nodes: int, seed: int) -> Iterator[tuple[np.ndarray, float]]:
    """Rows of quiet positions and the result of their game for the player to move, game by game."""
    search = Searcher(game, megabytes=1)
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
            set_up(game._facts, state._words, search._know, search._work, search._memory)
            threats = search._work[at.THREATS + state.current_player()]
            if not threats & state_playable(game._facts, state._words):
                rows.append(state._words[: game._row_words].copy())
            search.forget()
            state.apply_action(search.search(state, Limits(nodes=nodes)).best.action)
        if rows:
            stacked = np.stack(rows)
            sign = 1 - 2 * stacked[:, kernel.PLAYER]
            yield stacked, state.returns()[0] * sign


def fields(weights: Weights) -> list[tuple[str, int]]:
    """Every number in the weights: its field, and its place in it (-1: the field itself)."""
    return [("missing", i) for i in range(len(weights.missing))] + [
        (name, -1) for name in ("draw", "line", "points", "tempo", "free", "sent")
    ]


def changed(weights: Weights, field: str, place: int, share: float) -> Weights:
    """Weights with one number larger or smaller by a share, by 1 at least."""
    old = weights.missing[place] if place >= 0 else getattr(weights, field)
    step = max(1, round(abs(share) * max(abs(old), 50 if field in ("tempo", "free", "sent") else 1)))
    new = old + (step if share > 0 else -step)
    if place < 0:
        return replace(weights, **{field: new})
    return replace(
        weights, missing=(*weights.missing[:place], min(max(0, new), at.LARGEST_SUM), *weights.missing[place + 1 :])
    )


class Fit:
    """The positions, and how badly weights explain them."""

    def __init__(self, game: noughts.Game, found: list[tuple[np.ndarray, np.ndarray]]) -> None:
        self.game = game
        self.rows = np.ascontiguousarray(np.concatenate([rows for rows, _ in found]))
        self.results = np.concatenate([results for _, results in found])
        self.work = np.zeros(at.WORK_WORDS, np.int64)
        self.scores = np.zeros(len(self.rows), np.int64)

    def loss(self, weights: Weights) -> float:
        if weights.draw < 1:
            return float("inf")
        know = knowledge_table(self.game.rules, weights)
        judge_rows(self.game._facts, self.rows, know, self.work, self.scores)
        return float(np.mean((self.scores / at.CERTAIN_SCORE - self.results) ** 2))


def descend(fit: Fit, weights: Weights) -> Weights:
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
