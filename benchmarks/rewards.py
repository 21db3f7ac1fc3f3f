"""Measures what episodes pay, and whether a policy learns from it.

    python benchmarks/rewards.py

First, the mean reward of five policies in three games, against three opponents (seats in turn, one random ply first):
two that give up and three that play. Then a small policy learns: a table of preferences for each position, softmax,
REINFORCE on the `graded` reward with a moving average as baseline. It starts knowing nothing, silence is among its
choices, and its opponent is random, or rises from `random` through `greedy` to `perfect`.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from math import exp

from noughts.clock import Clock
from noughts.envs.text import Episode
from noughts.players import make_player

GAMES, OPPONENTS = ("wild", "classic", "numerical"), ("random", "greedy", "perfect")
QUITTERS = {"silence": "", "rubbish": "[99] or [banana]"}
PLAYERS = ("random", "greedy", "perfect")
RATE = 1.0
BASELINE = 0.02
"""Step size of the learner, and the weight of the latest reward in its baseline."""


def mean_reward(game: str, opponent: str, policy: str, games: int, kind: str) -> float:
    total = 0.0
    for number in range(games):
        episode = Episode(game, opponent=opponent, seat=number % 2, seed=number, opening=1)
        episode.reset()
        player = None if policy in QUITTERS else make_player(policy, seed=number)
        while not episode.done:
            if player is None:
                episode.step(QUITTERS[policy])
            else:
                episode.step(episode.env.reader.names[player.choose(episode.env.state, Clock(None))])
        total += episode.total_reward(kind)
    return total / games


class Learner:
    """Preferences for the replies in each position; the last reply of each is silence."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.table: dict[str, list[float]] = {}
        self.baseline = 0.0

    def play(self, episode: Episode, *, learn: bool = True) -> float:
        """Plays an episode, learns from it, and returns what it paid."""
        seen: list[tuple[list[float], list[float], int]] = []
        episode.reset()
        while not episode.done:
            replies = [*episode.legal_moves(), ""]
            wanted = self.table.setdefault(episode.env.board, [0.0] * len(replies))
            highest = max(wanted)
            weights = [exp(value - highest) for value in wanted]
            chances = [weight / sum(weights) for weight in weights]
            choice = self.draw.choices(range(len(replies)), weights)[0]
            seen.append((wanted, chances, choice))
            episode.step(replies[choice])
        paid = episode.total_reward("graded")
        if learn:
            better = paid - self.baseline
            self.baseline += BASELINE * better
            for wanted, chances, choice in seen:
                for index, chance in enumerate(chances):
                    wanted[index] += RATE * better * ((index == choice) - chance)
        return paid


def curve(game: str, opponents: tuple[str, ...], games: int, points: int) -> list[str]:
    """Returns the mean reward and the share of abandoned games for each part of the training."""
    learner, rows = Learner(1), []
    episodes = {opponent: Episode(game, opponent=opponent, error_allowance=0) for opponent in opponents}
    for point in range(points):
        part = games // points
        opponent = opponents[point * len(opponents) // points]
        episode, paid, counts = episodes[opponent], 0.0, defaultdict[str, float](float)
        for number in range(part):
            episode.seed, episode.seat = point * part + number, number % 2
            paid += learner.play(episode)
            for key in ("forfeited", "won", "drawn", "lost"):
                counts[key] += episode.summary()[key] / part
        shares = " | ".join(f"{counts[key]:.2f}" for key in ("forfeited", "won", "drawn", "lost"))
        rows.append(f"| {(point + 1) * part:,} | {opponent} | {paid / part:+.2f} | {shares} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--training", type=int, default=60_000)
    args = parser.parse_args()
    policies = (*QUITTERS, *PLAYERS)
    for kind in ("graded", "outcome"):
        print(f"\n| `{kind}` | against | {' | '.join(policies)} |\n|---|---|{'--:|' * len(policies)}")
        for game in GAMES:
            for opponent in OPPONENTS:
                means = [mean_reward(game, opponent, policy, args.games, kind) for policy in policies]
                print(f"| {game} | `{opponent}` | {' | '.join(f'{mean:+.2f}' for mean in means)} |", flush=True)
    for name, opponents in (("random", ("random",)), ("rising", OPPONENTS)):
        print(
            f"\n{name}:\n| games | against | reward | forfeited | won | drawn | lost |\n|--:|---|--:|--:|--:|--:|--:|"
        )
        print("\n".join(curve("classic", opponents, args.training, 6)), flush=True)


if __name__ == "__main__":
    main()
