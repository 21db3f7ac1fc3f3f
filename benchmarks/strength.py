"""Measures how much stronger one player is than another: Elo with its 95% interval, from paired games.

    python benchmarks/strength.py extreme alphabeta mcts --time 0.1 --pairs 20 --jobs 2
    python benchmarks/strength.py xtreme alphabeta:nodes=4000 alphabeta:nodes=4000,without=table

Without --time there is no clock: players at fixed depths, nodes or games then play the same games on every machine.
"""

from __future__ import annotations

import argparse

import noughts
from noughts.matches.openings import OPENING_PLIES
from noughts.matches.runner import match_games
from noughts.matches.schedule import UNTIMED, Match
from noughts.matches.store import open_store
from noughts.matches.tally import paired, tallies
from noughts.sandbox import BotLimits


def measure(match: Match) -> str:
    """Plays the match; returns its result in one line."""
    store = open_store()
    for _ in match_games(match, store):
        pass
    records, names = store.records(), match.player_names
    pairs = paired(records, names[0])
    found = pairs.elo()
    limit = match.effective_limits.move_seconds
    longest = [standing.worst_seconds for standing in tallies(names, records)]
    late = "no clock"
    if match.limits != UNTIMED:
        late = "latest moves {:+.1f} and {:+.1f} ms over the clock".format(*(1000 * (t - limit) for t in longest))
    return (
        f"{match.game.name:<9} {names[0]} - {names[1]}: "
        f"{found.elo:+.0f} Elo ({found.low:+.0f} to {found.high:+.0f}), "
        f"{100 * pairs.score:.1f}% of {len(records)} games, pairs {pairs.counts}, {late}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--time", type=float, help="seconds a move (no clock)")
    parser.add_argument("--openings", type=int, default=OPENING_PLIES, metavar="MOVES", help="of each pair's opening")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    args = parser.parse_args()
    try:
        match = Match(
            noughts.load_game(args.game),
            (args.first, args.second),
            games=2 * args.pairs,
            limits=UNTIMED if args.time is None else BotLimits(args.time),
            seed=args.seed,
            jobs=args.jobs,
            opening=args.openings,
        )
        print(measure(match), flush=True)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
