"""Plays the engine against other people's engines and prints a table: Elo with its 95% interval.

    python benchmarks/engines.py "ugi:./their_engine" "cg:./their_bot" --game ultimate --time 0.1 --games 200

Each named engine plays the player of --against; nothing is downloaded or built. Engines that accept positions get the
shipped balanced openings from both sides; CodinGame's programs play from the start.
"""

from __future__ import annotations

import argparse

import noughts
from noughts.matches.openings import SHIPPED, plays_from_start_only


def row(engine: str, args: argparse.Namespace) -> list[str]:
    """Plays one match. Returns a row of the table, from the side of our player."""
    nested = noughts.load_game(args.game).rules.nested
    opening = SHIPPED if nested and not plays_from_start_only(engine) else None
    result = noughts.play_match(
        args.game,
        (args.against, engine),
        games=args.games,
        time=args.time,
        opening=opening,
        jobs=args.jobs,
        seed=args.seed,
    )
    ours, theirs = result.tallies
    score = f"+{ours.won} ={ours.drawn} -{ours.lost}"
    faults = ", ".join(f"{count} {kind}" for kind, count in theirs.forfeits.items()) or "none"
    return [theirs.name, f"{args.time:g} s", score, f"{result.elo.elo:+.0f}", _interval(result.elo), faults]


def _interval(elo: noughts.Elo) -> str:
    return f"{elo.low:+.0f} to {elo.high:+.0f}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "engines", nargs="+", metavar="PROGRAM", help="ugi:PROGRAM ARGS, cg:PROGRAM ARGS, or any player"
    )
    parser.add_argument("--against", default="alphabeta", metavar="PLAYER", help="our player (alphabeta)")
    parser.add_argument("--game", default="ultimate", help="a game of `noughts games` (ultimate)")
    parser.add_argument("--games", type=int, default=200, help="of each match (200)")
    parser.add_argument("--time", type=float, default=0.1, metavar="SECONDS", help="for a move (0.1)")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time (1)")
    parser.add_argument("--seed", type=int, default=1, help="of openings and players (1)")
    args = parser.parse_args(arguments)
    heads = ["engine", "a move", "our score", "Elo", "95% interval", "its faults"]
    print(f"{args.against} in {args.game}, {args.games} games each\n")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for engine in args.engines:
        print(f"| {' | '.join(row(engine, args))} |", flush=True)


if __name__ == "__main__":
    main()
