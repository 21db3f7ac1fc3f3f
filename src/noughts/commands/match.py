"""Play a match between two players: bot files, built-in players, in any mix.
They take turns in moving first; with --first coin, a coin decides in each game.

A bot file runs in a sandbox: it can compute, and nothing else. It is stopped
while its opponent thinks. A fault (over time, a crash, an invalid move,
anything forbidden) forfeits the game. A game without a line is won by points.
Built-in players are trusted with their clock: how long moves took, and how
many were late, is shown in the terminal and by --json, and left out of piped
text.

With --openings both players get the same random opening once from each side,
so that their strength is compared and not their luck; players who always play
the same get openings unless told otherwise. --sprt ELO0,ELO1 stops as
soon as it is clear if the first is stronger by ELO1 points, or by ELO0 only.

examples:
  noughts match team7.py random --game extreme --games 10
  noughts match team7.py team9.py:Team9 --game xtreme --time 2 --log games/
  noughts match my_bot.py random --game wild --games 100 --json
  noughts match team7.py greedy --game extreme --html match.html
  noughts match alphabeta mcts --game extreme --games 40 --time 0.1 --openings 6
  noughts match alphabeta:depth=5 alphabeta:depth=4 --game xtreme --sprt 0,50
  noughts match team7.py alphabeta:level=5 --game extreme --watch
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from noughts.commands._numbers import whole_number
from noughts.printable import one_line, printable

if TYPE_CHECKING:
    from noughts.game import Game
    from noughts.matches.record import GameRecord
    from noughts.matches.schedule import Match
    from noughts.matches.scores import Standing
    from noughts.matches.statistics import Pentanomial, Sprt
    from noughts.matches.store import Store
    from noughts.sandbox import BotLimits, Fault
    from noughts.sandbox.forkserver import ForkServer

GAMES_LISTED = 20
MOST_REVIEWED = 200
"""Games of a match that the engine goes over for a page: two minutes."""
FEWEST_PAIRS = 4
"""From fewer pairs of games nothing is said about strength: the interval would hold almost everything."""
SPRT_GAMES = 1000
TRACEBACK_LINES = 12
"""The last ones of a crash's traceback, which name the line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("players", nargs=2, metavar="PLAYER", help="FILE.py, FILE.py:NAME, or built in: random, ...")
    parser.add_argument("--game", required=True, help="a game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument("--games", type=whole_number, help="how many (2, with --sprt at most 1000)")
    parser.add_argument(
        "--openings",
        type=int,
        metavar="MOVES",
        help="random moves of each pair's opening (0; some for players who repeat)",
    )
    parser.add_argument(
        "--first", choices=("turns", "coin"), default="turns", help="who moves first: in turns, or a coin for each game"
    )
    parser.add_argument("--sprt", metavar="ELO0,ELO1", help="play until it is clear which")
    parser.add_argument("--normalized", action="store_true", help="--sprt is in normalized Elo, as in fastchess")
    add_limits(parser)
    parser.add_argument("--seed", type=int, help="the same seed gives the same games (drawn, and shown)")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time, at most one for each core (1)")
    parser.add_argument("--log", metavar="DIR", help="keep each game there, as a replay and as text")
    parser.add_argument("--watch", action="store_true", help="show the games in the browser while they are played")
    parser.add_argument("--html", metavar="FILE", help="write the match there as a web page, with its mistakes")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--time", type=float, metavar="SECONDS", help="for a move (the game's custom, or 10)")
    parser.add_argument("--load-time", type=float, default=10.0, metavar="SECONDS", help="to load a bot (10)")
    parser.add_argument("--memory", type=int, metavar="MB", help="for a bot (2048, less on a small machine)")
    parser.add_argument("--strict", action="store_true", help="refuse numpy integers, as the course does")
    parser.add_argument("--unsafe", action="store_true", help="run bots even where there is no sandbox")


def limits_from(args: argparse.Namespace, game: Game) -> BotLimits:
    from noughts.players.bot import default_limits
    from noughts.rules.spec import shown
    from noughts.sandbox import BotLimits, default_memory

    if args.time is not None and not 0 < args.time <= 3600:
        raise ValueError(f"--time is in seconds, above 0 and up to 3600, not {args.time:g}")
    if not 0 < args.load_time <= 3600:
        raise ValueError(f"--load-time is in seconds, above 0 and up to 3600, not {args.load_time:g}")
    if args.memory is not None and not 16 <= args.memory <= 1 << 20:
        raise ValueError(f"--memory is in megabytes, 16 or more, not {shown(args.memory)}")
    memory = default_memory() if args.memory is None else args.memory << 20
    return BotLimits(args.time or default_limits(game).move_seconds, args.load_time, memory)


def run(args: argparse.Namespace) -> int:
    from noughts.commands._watch import stay
    from noughts.commands.output import counted
    from noughts.library import game_from_command_line
    from noughts.matches.schedule import Match
    from noughts.matches.seeds import draw_seed
    from noughts.matches.store import MemoryStore, ReplayFolder
    from noughts.sandbox import SandboxError

    game = game_from_command_line(args.game)
    sprt = _sprt(args.sprt, args.normalized)
    match = Match(
        game,
        tuple(args.players),
        args.games if args.games is not None else SPRT_GAMES if sprt else 2,
        limits_from(args, game),
        draw_seed() if args.seed is None else args.seed,
        args.jobs,
        strict=args.strict,
        unsafe=args.unsafe,
        opening_plies=_opening_plies(args, game),
        sprt=sprt,
        first=args.first,
    )
    store = ReplayFolder(Path(args.log)) if args.log is not None else MemoryStore()
    code, trouble = 0, None
    try:
        _play(match, store, args.watch)
    except (OSError, SandboxError) as error:  # what was played counts, whatever happened then
        if not store.records():
            raise
        trouble = error
    except KeyboardInterrupt:
        print(f"\nnoughts: stopped after {len(store.records())} of {match.games} games", file=sys.stderr)
        code = 130
    records = match.counted(store)
    if args.html is not None and records:
        _write_page(args.html, match, records)
    if args.json:
        print(json.dumps(_facts(match, records), indent=2))
    else:
        _print(match, store, records, args)
    if trouble is not None:
        sys.stdout.flush()
        print(f"noughts: stopped after {counted(len(records), 'game')} of {match.games}:", file=sys.stderr)
        raise trouble
    if args.watch and code == 0:
        stay()
    return code


def _print(match: Match, store: Store, records: list[GameRecord], args: argparse.Namespace) -> None:
    from noughts.commands.output import counted, width
    from noughts.matches.openings import may_repeat
    from noughts.matches.scores import different_games, paired, repetitions

    print(_report(match, records))
    pairs = paired(records, match.player_names[0])
    different = different_games(records) if may_repeat(args.players) else len(records)
    if different < len(records):
        print(f"\n{textwrap.fill(repetitions(different, len(records)), width())}")
    if different // 2 >= FEWEST_PAIRS:
        print(_strength(match.player_names[0], pairs, match.sprt))
    if args.log is not None:
        kept = counted(len(list(Path(args.log).glob("game-*.json"))), "game")
        print(f"\n{kept} kept in {one_line(args.log)}: `noughts replay FILE.json`, or read FILE.log")
        print(_lost_game(match, store), end="")


def _write_page(path: str, match: Match, records: list[GameRecord]) -> None:
    """The match as a page; the engine goes over its first games."""
    from noughts.analysis.review import review_game
    from noughts.commands.output import progress, write_file
    from noughts.report import match_page

    reviews = {}
    with progress("looking at games") as tick:
        for number, record in enumerate(records[:MOST_REVIEWED]):
            reviews[number] = review_game(record)
            tick((number + 1) / min(len(records), MOST_REVIEWED))
    write_file(path, match_page(records, match.effective_limits.move_seconds, reviews))
    print(f"written to {one_line(path)}", file=sys.stderr)


def _opening_plies(args: argparse.Namespace, game: Game) -> int:
    """As many as were asked for; else some where games could not differ without them, or for a sequential test."""
    from noughts.matches.openings import needed_plies, usual_plies

    if args.openings is not None or args.first == "coin":
        return int(args.openings or 0)
    if args.sprt is not None:
        return usual_plies(game)
    return needed_plies(game, args.players) if args.games is not None and args.games > 2 else 0


def _sprt(text: str | None, normalized: bool = False) -> Sprt | None:
    from noughts.matches.statistics import Sprt

    if text is None:
        if normalized:
            raise ValueError("--normalized is for --sprt")
        return None
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"--sprt takes two numbers of Elo points, as in 0,50, not {one_line(text)!r}") from None
    return Sprt(elo0, elo1, normalized=normalized)


def _strength(first: str, pairs: Pentanomial, sprt: Sprt | None) -> str:
    """The difference in strength, from the first player's side, and what the test says."""
    found = pairs.elo()
    lines = [
        "",
        f"{first}: {found.elo:+.0f} Elo points, 95% interval {found.low:+.0f} to {found.high:+.0f}, "
        f"by {pairs.total} pairs of games",
    ]
    if sprt:
        lower, upper = sprt.bounds
        verdict = {"elo0": f"by {sprt.elo0:g} only", "elo1": f"by {sprt.elo1:g}", None: "not clear yet"}
        lines.append(
            f"sequential test: {verdict[sprt.decision(pairs)]} "
            f"(log-likelihood ratio {sprt.llr(pairs):+.2f}, bounds {lower:+.2f} and {upper:+.2f})"
        )
    return "\n".join(lines)


def _play(match: Match, store: Store, watch: bool = False) -> None:
    """Play the games into the store, with a bar that tells the score so far. watch: also in the browser."""
    from contextlib import ExitStack

    from noughts.commands._watch import play_watched, watched
    from noughts.commands.output import counted, progress
    from noughts.matches.runner import play_match
    from noughts.sandbox.forkserver import ForkServer

    with ExitStack() as closing:
        server = say_layers(closing.enter_context(ForkServer()), match.unsafe) if match.has_bots else None
        tick = closing.enter_context(progress(counted(match.games, "game")))
        first = match.player_names[0]
        won = 0.0
        games = play_watched(match, store, watched(match)) if watch else play_match(match, store, server)
        for number, record in enumerate(games, 1):
            won += record.score(record.seat_of(first))
            tick(number / match.games, f"{counted(number, 'game')}, {first} {won / number:.0%}")


def say_layers(server: ForkServer, unsafe: bool) -> ForkServer:
    """Say on standard error which layers hold around the bots of this server, if one is missing."""
    from noughts.commands.output import width
    from noughts.sandbox import layers_in_words, probe

    layers = probe(server, unsafe=unsafe)
    if not layers.whole:
        said = f"sandbox: {layers_in_words(layers)}; `noughts doctor` has more"
        print(textwrap.fill(said, width()), file=sys.stderr)
    return server


def _report(match: Match, records: list[GameRecord]) -> str:
    from noughts.commands.output import counted, table, width
    from noughts.matches.course_log import result_line
    from noughts.matches.scores import standings
    from noughts.sandbox.faults import seconds

    both = standings(match.player_names, records)
    limit = seconds(match.effective_limits.move_seconds)
    head = f"{match.game.rules.title}, {counted(len(records), 'game')}, {limit} a move"
    lines = [head, f"seed {match.seed}", ""]
    if len(records) <= GAMES_LISTED:
        rows = [
            [str(r.number + 1), f"{r.players[0]} - {r.players[1]}", str(len(r.moves)), result_line(r, short=True)]
            for r in records
        ]
        lines += [table(["game", "players", "moves", "result"], rows, right=[0, 2]), ""]
    heads = ["player", "won", "drawn", "lost", "points", "faults"]
    rows = [[s.name, *map(str, (s.won, s.drawn, s.lost, s.points, s.faults.total()))] for s in both]
    timed = sys.stdout.isatty()  # no two runs take the same time, and piped output is the same for the same games
    if timed:
        heads += ["median move", "longest"]
        rows = [[*row, seconds(s.median_seconds), seconds(s.worst_seconds)] for row, s in zip(rows, both, strict=True)]
    lines.append(table(heads, rows, right=range(1, len(heads))))
    if timed:
        lines += filter(None, (_lateness(standing, match.effective_limits.move_seconds) for standing in both))
    for standing in both:
        for text, number in standing.told.items():
            fault = next((record.fault for record in records if record.number == number), None)
            if fault is not None and fault.text == text:
                text = _hinted(fault, match, standing.name)
            lines += ["", textwrap.fill(one_line(f"{standing.name}, game {number + 1}: {text}", 2000), width())]
            if fault is not None and text.startswith(fault.text):
                # For the bot's owner, to whom the end of it says most.
                lines += [f"    | {printable(line)}" for line in fault.detail.splitlines()[-TRACEBACK_LINES:]]
    return "\n".join(lines)


def _hinted(fault: Fault, match: Match, name: str) -> str:
    """What a player did wrong, with a hint if its file looks like Python 2."""
    from noughts.bots.check import hinted
    from noughts.sandbox.source import BotSource

    source = next(each.player for each in match.contestants if each.name == name)
    return hinted(fault, source).text if isinstance(source, BotSource) else fault.text


def _lost_game(match: Match, store: Store) -> str:
    """How to look at a game that the first player lost, if it lost one and games are kept."""
    from noughts.matches.store import ReplayFolder

    first = match.player_names[0]
    lost = next((record for record in store.records() if record.score(record.seat_of(first)) == 0), None)
    if lost is None or not isinstance(store, ReplayFolder):
        return ""
    file = one_line(shlex.quote(str(store.path_of(lost))), 8192)
    return f"{one_line(first)} lost game {lost.number + 1}; its costly moves:\n  noughts analyze {file}\n"


def _lateness(standing: Standing, limit: float) -> str:
    """What to say of a player whom nobody stops at the limit, nothing if it kept to it."""
    from noughts.commands.output import width
    from noughts.sandbox.faults import seconds

    late = standing.late_moves(limit)
    if not late:
        return ""
    over = seconds(standing.worst_seconds - limit)
    said = f"{standing.name}: {late} of {len(standing.seconds)} moves over {seconds(limit)}, the latest by {over}"
    return "\n" + textwrap.fill(said, width())


def _facts(match: Match, records: list[GameRecord]) -> dict[str, object]:
    from noughts.matches.scores import different_games, paired, standings

    pairs, sprt = paired(records, match.player_names[0]), match.sprt
    found = pairs.elo()
    return {
        "game": match.game.name,
        "move_seconds": match.effective_limits.move_seconds,
        "seed": match.seed,
        "different_games": different_games(records),
        "pairs": list(pairs.counts),
        "elo": {"difference": found.elo, "low": found.low, "high": found.high},
        "sprt": None
        if sprt is None
        else {
            "normalized": sprt.normalized,
            "elo0": sprt.elo0,
            "elo1": sprt.elo1,
            "ratio": sprt.llr(pairs),
            "decision": sprt.decision(pairs),
        },
        "players": [
            {
                "name": s.name,
                "won": s.won,
                "drawn": s.drawn,
                "lost": s.lost,
                "points": s.points,
                "faults": dict(s.faults),
                "median_seconds": s.median_seconds,
                "worst_seconds": s.worst_seconds,
                "late_moves": s.late_moves(match.effective_limits.move_seconds),
            }
            for s in standings(match.player_names, records)
        ],
        "games": [
            {
                "players": list(r.players),
                "moves": len(r.moves),
                "reason": r.reason,
                "winner": r.winner,
                "points": list(r.points),
                "fault": None if r.fault is None else {"player": r.faulty, "kind": r.fault.kind, "text": r.fault.text},
            }
            for r in records
        ],
    }
