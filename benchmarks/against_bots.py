"""Alpha-beta at 0.02 s a move against the minimax example bots at 2 s a move, in the jail.

    python benchmarks/against_bots.py --jobs 2 --log games.jsonl
    python benchmarks/against_bots.py xtreme --games 10 --log games.jsonl

Every even opening is played from both sides. With --log each game is kept as soon as it is over, and one that is there
already is not played again, unless the search or the bot has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from dataclasses import replace
from pathlib import Path

from kept_games import KeptGames, Key

import noughts
from noughts.matches.match import MatchPlan, Pairing, pair, play_match
from noughts.matches.openings import OPENING_PLIES
from noughts.matches.record import GameRecord
from noughts.matches.scores import Standing
from noughts.sandbox.faults import seconds
from noughts.sandbox.forkserver import ArenaError
from noughts.sandbox.source import BotSource

BOTS = Path(__file__).parents[1] / "examples" / "bots"
GAMES = ("extreme", "xtreme")
BOT_TIME = 'self.SHARE * getattr(board, "seconds", self.SECONDS)'
"""How the bots find out their time, which --bot-time changes."""


class Duel:
    """All games of one kind: those that were kept, and those still to be played."""

    def __init__(self, name: str, args: argparse.Namespace, kept: KeptGames) -> None:
        self._args, self._kept = args, kept
        players = f"alphabeta?time={args.time:g}", str(BOTS / f"minimax_{name}.py")
        self._plan = MatchPlan(
            noughts.load_game(name),
            players,
            games=args.games,
            seed=args.seed,
            jobs=args.jobs,
            opening_plies=OPENING_PLIES,
        )
        ours, bot = pair(self._plan).contestants
        assert isinstance(bot, BotSource)
        assert BOT_TIME in bot.text
        self._bot = replace(bot, text=bot.text.replace(BOT_TIME, str(args.bot_time)))
        self._pairing = Pairing((ours, self._bot), ("alphabeta", "minimax"))
        self._sources = digest(self._bot.text.encode()), digest(*search_sources())

    def play(self) -> None:
        """Play what has not been played, a line for each game."""
        plan = self._plan
        missing = [number for number in range(plan.games) if self._kept.find(self._key(number)) is None]
        if len(missing) < plan.games:
            print(f"{plan.game.name}: {plan.games - len(missing)} of {plan.games} games were kept", flush=True)
        if not missing:
            return
        for number, record in zip(missing, play_match(plan, self._pairing, numbers=missing), strict=True):
            self._kept.add(self._key(number), record)
            told = f"{result(record, number % 2)}, {len(record.moves)} plies"
            print(f"{plan.game.name} game {number + 1} of {plan.games}: {told}", flush=True)

    def summary(self) -> str:
        """What the games came to, for alphabeta."""
        ours, bot = (Standing(name) for name in self._pairing.names)
        lines = [0, 0]
        found = ((number, self._kept.find(self._key(number))) for number in range(self._plan.games))
        for number, record in found:
            if record is not None:
                seat = number % 2
                ours.add(record, seat, number)
                bot.add(record, 1 - seat, number)
                if record.reason == "line":
                    lines[record.winner != seat] += 1
        args, games = self._args, ours.won + ours.drawn + ours.lost
        if not games:
            return f"{self._plan.game.name}: no game was played"
        over = [f"{1000 * (s.worst_seconds - limit):+.1f}" for s, limit in ((ours, args.time), (bot, args.bot_time))]
        return (
            f"{self._plan.game.name}: alphabeta at {seconds(args.time)} against the minimax bot at "
            f"{seconds(args.bot_time)}, {games} games:\n"
            f"  {ours.won} won ({lines[0]} by a line, {bot.faults.total()} by a fault of the bot), "
            f"{ours.drawn} drawn, {ours.lost} lost ({lines[1]} by a line)\n"
            f"  latest moves {over[0]} ms (alphabeta) and {over[1]} ms (bot) over their time"
        )

    def _key(self, number: int) -> Key:
        """Everything that a game depends on, but for the machine."""
        args = self._args
        return {
            "game": self._plan.game.name,
            "number": number,
            "seed": args.seed,
            "opening": OPENING_PLIES,
            "time": args.time,
            "bot_time": args.bot_time,
            "bot": self._sources[0],
            "search": self._sources[1],
        }


def result(record: GameRecord, seat: int) -> str:
    """How the player in this seat fared."""
    mine, others = record.points[seat], record.points[1 - seat]
    word = "won" if mine > others else "lost" if mine < others else "drawn"
    if record.fault is not None:
        return f"{word} by a fault ({record.fault.text})"
    return f"{word} by a line" if record.reason == "line" else f"{word} {mine} : {others}"


def search_sources() -> list[bytes]:
    """The code that decides what alphabeta plays, and from which openings."""
    package = Path(noughts.__file__).parent
    return [
        path.read_bytes() for room in ("rules", "search", "players") for path in sorted(package.glob(f"{room}/*.py"))
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
    parser.add_argument("--log", metavar="FILE", help="keep each game there, and do not play those that it holds")
    args = parser.parse_args()
    try:
        if unknown := set(args.names) - set(GAMES):
            raise ValueError(f"there is no minimax bot for {', '.join(sorted(unknown))}; games are {', '.join(GAMES)}")
        if not 0 < args.bot_time <= 3600:
            raise ValueError(f"--bot-time is in seconds, above 0 and up to 3600, not {args.bot_time:g}")
        kept = KeptGames(args.log)
        duels = [Duel(name, args, kept) for name in args.names or GAMES]
    except (ValueError, OSError) as error:
        parser.error(str(error))
    code = 0
    try:
        for duel in duels:
            duel.play()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        code = 130
    except (ArenaError, OSError) as error:  # no jail here, or no room for the log
        print(f"stopped: {error}", file=sys.stderr)
        code = 2
    for duel in duels:
        print(duel.summary(), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
