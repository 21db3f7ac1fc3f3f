"""What the evaluation weighs, for each game. Scores are in hundred-thousandths of a certain win.

A line that a player can still fill is worth `missing[n]` to them if n cells are missing; summed over the lines of a
block, a for one player and b for the other, the chances to own it are a / (a + b + draw) and b / (a + b + draw).
The chance of a line of blocks is the product of the chances of its blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from noughts.rules.spec import Rules


@dataclass(frozen=True)
class Weights:
    """missing: worth of a line by how many cells it lacks, from 1. draw: how easily a block stays without an owner.
    line: a certain line of blocks. points: all blocks, shared out by their points (or evenly).
    tempo: being to move. free: being to move anywhere. sent: line sums of the destined blocks, per 256.
    """

    missing: tuple[int, ...]
    draw: int
    line: int
    points: int
    tempo: int
    free: int
    sent: int


BY_GAME = {
    "ultimate": Weights(missing=(10, 3, 2), draw=17, line=166_225, points=17, tempo=4_745, free=12_232, sent=6_224),
    "xtreme": Weights(missing=(83, 6, 1), draw=17, line=49_470, points=107_251, tempo=5_085, free=124, sent=339),
    "extreme": Weights(missing=(112, 5, 1, 1), draw=7, line=41_866, points=104_689, tempo=1_505, free=469, sent=-45),
}
"""Fitted to games of self-play by benchmarks/tune_evaluation.py."""

BY_SIDE = {
    2: Weights(missing=(20, 5), draw=8, line=60_000, points=12_000, tempo=600, free=1_500, sent=0),
    3: BY_GAME["xtreme"],
    4: BY_GAME["extreme"],
}


def weights_for(rules: Rules) -> Weights:
    """The weights of a game; those of the most similar one if it has none of its own."""
    return BY_GAME.get(rules.name, BY_SIDE[rules.side])
