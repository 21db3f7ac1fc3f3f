"""Measures the batch step: states a second for 10,000 states at once on one core, in parts and as a whole.

    python benchmarks/batch.py

For comparison, one compiled loop (playouts) does the same work state by state, without rows in memory.
"""

from __future__ import annotations

import numpy as np
from measure import rates, report

import noughts
from noughts.rules.kernels import batch, layout
from noughts.rules.kernels.playout import streams

STATES = 10_000


def measure(name: str) -> None:
    game = noughts.load_game(name)
    facts = game.facts
    rows = np.zeros((STATES, facts[layout.ROW_WORDS]), np.int64)
    masks = np.zeros((STATES, game.num_distinct_actions()), np.int8)
    scratch = np.zeros(facts[layout.ACTIONS], np.int64)
    actions, results = np.zeros(STATES, np.int64), np.zeros(STATES, np.int64)
    random_streams = streams(1, STATES)
    plies = game.max_game_length() // 3  # while hardly any game is over

    def step_only() -> int:
        batch.reset_all(facts, rows)
        for _ in range(plies):
            batch.choose_all(facts, rows, random_streams, actions)
            batch.step_all(facts, rows, actions, results)
        return STATES * plies

    def step_and_mask() -> int:
        batch.reset_all(facts, rows)
        for _ in range(plies):
            batch.choose_all(facts, rows, random_streams, actions)
            batch.step_all(facts, rows, actions, results)
            batch.mask_all(facts, rows, masks, scratch)
        return STATES * plies

    games = 20_000 if game.rules.nested else 400_000
    found = rates(step=step_only, mask=step_and_mask, limit=lambda: noughts.playouts(game, games // 10, 1).plies)
    report(f"{name}, choose + step", found["step"], found["limit"], "playouts, one state at a time")
    report(f"{name}, with masks", found["mask"], found["limit"], "playouts, one state at a time")


if __name__ == "__main__":
    for name in ("wild", "extreme"):
        measure(name)
