"""Counts groups of rollouts in which all rewards are equal. A policy learns nothing from such a group.

    python benchmarks/group_signal.py

A random policy plays groups of 8 rollouts of one task against the perfect player (seats in turn, one random ply first).
The table shows the groups without any difference, with the outcome as reward and with the value given away subtracted.
"""

from __future__ import annotations

import random

from noughts.envs.text import Episode

GROUPS, ROLLOUTS = 600, 8


def main() -> None:
    for game in ("wild", "classic", "numerical"):
        draw = random.Random(0)
        flat = {"outcome": 0, "graded": 0}
        for group in range(GROUPS):
            episode = Episode(game, opponent="perfect", seed=group, seat=group % 2, opening=1)
            found: dict[str, set[float]] = {kind: set() for kind in flat}
            for _ in range(ROLLOUTS):
                episode.reset()
                done = False
                while not done:
                    _, done, _ = episode.step(draw.choice(episode.legal_moves()))
                for kind, rewards in found.items():
                    rewards.add(round(episode.reward(kind), 9))
            for kind, rewards in found.items():
                flat[kind] += len(rewards) == 1
        print(f"{game:<10} groups of {ROLLOUTS} without a difference, of {GROUPS}: {flat}")


if __name__ == "__main__":
    main()
