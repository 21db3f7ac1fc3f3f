"""How much stronger one player is than another: Elo difference with its 95% interval, from paired games.

    python benchmarks/strength.py extreme alphabeta mcts --time 0.1 --pairs 20 --jobs 2
    python benchmarks/strength.py xtreme alphabeta?nodes=4000 'alphabeta?nodes=4000&without=table'

Without --time there is no clock: players at fixed depths, nodes or games then play the same games on every machine.
"""

from __future__ import annotations

import argparse

import noughts
from noughts.matches.match import UNTIMED, MatchPlan, pair, play_match
from noughts.matches.openings import OPENING_PLIES
from noughts.matches.scores import paired, standings
from noughts.sandbox import BotLimits


def measure(plan: MatchPlan) -> str:
    """Play the match, and say in one line what it came to."""
    pairing = pair(plan)
    records = list(play_match(plan, pairing))
    pairs = paired(records)
    found = pairs.strength()
    limit = plan.effective_limits.move_seconds
    longest = [standing.worst_seconds for standing in standings(pairing.names, records)]
    late = "no clock"
    if plan.limits != UNTIMED:
        late = "latest moves {:+.1f} and {:+.1f} ms over the clock".format(*(1000 * (t - limit) for t in longest))
    return (
        f"{plan.game.name:<9} {pairing.names[0]} - {pairing.names[1]}: "
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
        plan = MatchPlan(
            noughts.load_game(args.game),
            (args.first, args.second),
            games=2 * args.pairs,
            limits=UNTIMED if args.time is None else BotLimits(args.time),
            seed=args.seed,
            jobs=args.jobs,
            opening_plies=args.openings,
        )
        print(measure(plan), flush=True)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
