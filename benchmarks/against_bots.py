"""Plays alpha-beta at 0.02 s a move against the minimax example bots at 2 s a move, in the sandbox.

    python benchmarks/against_bots.py --jobs 2 --log games
    python benchmarks/against_bots.py xtreme --games 10 --log games

Every even opening is played from both sides. --log keeps each finished game, in a file for each kind of game, and does
not replay games that are already there. If the search, the bot or a setting has changed since, the file is refused:
name another folder.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import noughts
from noughts.matches.openings import OPENING_PLIES
from noughts.matches.record import GameRecord
from noughts.matches.runner import match_games
from noughts.matches.schedule import Contestant, Match
from noughts.matches.store import open_store
from noughts.matches.tally import tallies
from noughts.sandbox import SandboxError
from noughts.sandbox.faults import seconds
from noughts.sandbox.source import read_bot

BOTS = Path(__file__).parents[1] / "examples" / "bots"
GAMES = ("extreme", "xtreme")
BOT_TIME = 'self.SHARE * getattr(board, "seconds", self.SECONDS)'
"""The line in the bots that sets their time; --bot-time changes it."""


class Duel:
    """All games of one kind: those in the log and those still to be played."""

    def __init__(self, name: str, args: argparse.Namespace) -> None:
        self._args = args
        players = f"alphabeta:time={args.time:g}", str(BOTS / f"minimax_{name}.py")
        bot = read_bot(players[1])
        assert BOT_TIME in bot.text
        bot = replace(bot, text=bot.text.replace(BOT_TIME, str(args.bot_time)))
        self._match = Match(
            noughts.load_game(name),
            players,
            games=args.games,
            seed=args.seed,
            jobs=args.jobs,
            opening=OPENING_PLIES,
            contestants=(Contestant("alphabeta", players[0]), Contestant("minimax", bot)),
        )
        self._store = open_store()
        if args.log:
            Path(args.log).mkdir(parents=True, exist_ok=True)
            plan = {
                "game": name,
                "games": args.games,
                "seed": args.seed,
                "opening": OPENING_PLIES,
                "time": args.time,
                "bot_time": args.bot_time,
                "bot": digest(bot.text.encode()),
                "search": digest(*search_sources()),
            }
            self._store = open_store(Path(args.log, f"{name}.jsonl"), plan, may_differ=frozenset({"games"}))

    def play(self) -> None:
        """Plays the missing games; prints a line for each."""
        match, kept = self._match, len(self._match.games_that_count(self._store))
        if kept:
            print(f"{match.game.name}: {kept} of {match.games} games were kept", flush=True)
        if kept == match.games:
            return
        for record in match_games(match, self._store):
            outcome = f"{result(record, record.seat_of('alphabeta'))}, {len(record.moves)} plies"
            print(f"{match.game.name} game {record.number + 1} of {match.games}: {outcome}", flush=True)

    def summary(self) -> str:
        """Returns the result of all games, for alphabeta."""
        match, args = self._match, self._args
        records = match.games_that_count(self._store)
        if not records:
            return f"{match.game.name}: no game was played"
        ours, bot = tallies(match.player_names, records)
        winners = [record.players[record.winner] for record in records if record.reason == "line"]
        over = [f"{1000 * (s.worst_seconds - limit):+.1f}" for s, limit in ((ours, args.time), (bot, args.bot_time))]
        return (
            f"{match.game.name}: alphabeta at {seconds(args.time)} against the minimax bot at "
            f"{seconds(args.bot_time)}, {len(records)} games:\n"
            f"  {ours.won} won ({winners.count('alphabeta')} by a line, {bot.forfeits.total()} by a fault of the bot), "
            f"{ours.drawn} drawn, {ours.lost} lost ({winners.count('minimax')} by a line)\n"
            f"  latest moves {over[0]} ms (alphabeta) and {over[1]} ms (bot) over their time"
        )


def result(record: GameRecord, seat: int) -> str:
    """Returns the result of the player in this seat."""
    mine, others = record.points[seat], record.points[1 - seat]
    word = "won" if mine > others else "lost" if mine < others else "drawn"
    if record.fault is not None:
        return f"{word} by a fault ({record.fault.text})"
    return f"{word} by a line" if record.reason == "line" else f"{word} {mine} : {others}"


def search_sources() -> list[bytes]:
    """Returns a hash of the code that determines what alphabeta plays, and from which openings."""
    package = Path(noughts.__file__).parent
    return [
        path.read_bytes() for room in ("rules", "search", "players") for path in sorted(package.glob(f"{room}/**/*.py"))
    ]


def digest(*texts: bytes) -> str:
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="GAME", help=f"{' or '.join(GAMES)} (both)")
    parser.add_argument("--games", type=int, default=40, help="of each (40)")
    parser.add_argument("--time", type=float, default=0.02, metavar="SECONDS", help="for a move of alphabeta (0.02)")
    parser.add_argument("--bot-time", type=float, default=2.0, metavar="SECONDS", help="for a move of the bot (2)")
    parser.add_argument("--seed", type=int, default=0, help="of the openings (0)")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time (1)")
    parser.add_argument("--log", metavar="DIR", help="keep each game there, and do not play those that it holds")
    args = parser.parse_args()
    try:
        if unknown := set(args.names) - set(GAMES):
            raise ValueError(f"there is no minimax bot for {', '.join(sorted(unknown))}; games are {', '.join(GAMES)}")
        if not 0 < args.bot_time <= 3600:
            raise ValueError(f"--bot-time is in seconds, above 0 and up to 3600, not {args.bot_time:g}")
        duels = [Duel(name, args) for name in args.names or GAMES]
    except (ValueError, OSError) as error:
        parser.error(str(error))
    code = 0
    try:
        for duel in duels:
            duel.play()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        code = 130
    except (SandboxError, OSError) as error:  # no sandbox here, or no room for the log
        print(f"stopped: {error}", file=sys.stderr)
        code = 2
    for duel in duels:
        print(duel.summary(), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
