"""How much stronger one player is than another: Elo difference with its 95% interval, from paired games.

python benchmarks/strength.py extreme alphabeta mcts --time 0.1 --pairs 20 --workers 2
"""

from __future__ import annotations

import argparse

import noughts
from noughts.players.pairs import Contest, play_pairs
from noughts.statistics import Pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--time", type=float, help="seconds a move")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    contest = Contest(noughts.load_game(args.game).rules, args.first, args.second, args.time, args.seed)
    pairs, late = Pairs(), 0.0
    for result in play_pairs(contest, args.pairs, workers=args.workers):
        pairs = pairs.add(*result.points)
        late = max(late, *result.overtime)
    found = pairs.strength()
    print(
        f"{args.game:<9} {args.first} - {args.second}: {found.elo:+.0f} Elo ({found.low:+.0f} to {found.high:+.0f}), "
        f"{100 * pairs.score:.1f}% of {2 * pairs.total} games, pairs {pairs.counts}, "
        f"latest move {1000 * late:.1f} ms over",
        flush=True,
    )


if __name__ == "__main__":
    main()
