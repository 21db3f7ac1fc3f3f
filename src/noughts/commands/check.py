"""Check a bot file before you submit it: run what a tournament runs at its gate,
with the same limits, and show what is wrong.

The submission rules of the course come first (one class, nothing outside it,
none of the evaluator's code). Then the bot plays itself, and `random` and
`greedy` from both seats: faults with their lines, time for a move, memory. Exit
code 0 if a tournament would admit the bot, 1 if not.

--for FILE takes game, limits and --admit from a tournament file: where it
admits bots that only break submission rules, breaches are warnings.

--quick tries a few moves only, at the start and in the middle of a game. The
clocks that the bot sees run fast, so that a bot that thinks until its time is
up is done in seconds; a move that fails is repeated by the real clock before it
counts. A folder or an export of an LMS (see `noughts collect --help`) is
checked whole, on all cores, in one table.

--positions FILE lets the bot move in the positions of a file instead, as
`noughts report --puzzles` writes them from lost games, and shows which of them
it now finds.

examples:
  noughts check team7.py --game extreme
  noughts check team7.py --for class.noughts
  noughts check team7.py --game xtreme --quick
  noughts check bots/ --game extreme --quick
  noughts check team7.py:Team7 --game xtreme --time 2 --rounds 3
  noughts check my_bot.py --game classic --json
  noughts check team7.py --positions puzzles/team7.json
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from dataclasses import asdict

from noughts import sandbox
from noughts.analysis.puzzles import read_positions
from noughts.bots import quick
from noughts.bots.folder import check_all
from noughts.bots.gate import GAMES, PASSING, Gate, GateReport
from noughts.bots.wording import check_words
from noughts.commands._bot_options import add_limits, add_name_rule, limits_from
from noughts.commands._options import GAME_HELP, add_json, require_range
from noughts.commands._positions import check_positions
from noughts.commands.match import say_layers
from noughts.commands.output import Report, check_text, table
from noughts.course.handed_in import is_export
from noughts.course.rules import gate_of, submission_rules
from noughts.course.submissions import submissions
from noughts.files import usable_cores
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.printable import counted, duration, one_line
from noughts.progress import progress
from noughts.sandbox.faults import seconds
from noughts.tournaments.store import TournamentFile

MOST_ROUNDS = 10_000
FIXED_BY_FILE = ("game", "time", "load_time", "memory", "strict", "name_rule")
"""Options that --for takes from the tournament."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "bot", help="FILE.py, FILE.py:NAME for the class or function NAME in it, a folder or zip of bots"
    )
    parser.add_argument("--game", help=GAME_HELP)
    parser.add_argument("--for", dest="tournament", metavar="FILE", help="game and limits of this tournament")
    parser.add_argument("--name", help="of the tournament, if the file holds several (default: the latest)")
    parser.add_argument("--rounds", type=int, default=1, help="how often its 5 games are played (default: 1)")
    parser.add_argument("--positions", metavar="FILE", help="try these positions instead of games")
    parser.add_argument("--quick", action="store_true", help="a few moves with fast clocks instead of games")
    add_name_rule(parser)
    add_limits(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    require_range("--rounds", args.rounds, 1, MOST_ROUNDS)
    if args.positions is not None:
        game, puzzles = read_positions(args.positions)
        return check_positions(args, gate_from(args, game), game, puzzles)
    gate = gate_from(args)
    if is_export(args.bot):
        return _check_class(args.bot, gate, args)
    source = sandbox.read_bot(args.bot)
    print(_expected_time(gate, args), file=sys.stderr)
    with sandbox.ForkServer() as server:
        say_layers(server, args.unsafe)
        with progress(f"checking {one_line(source.name)}") as tick:
            report = gate.check(source, server, rounds=args.rounds, quick=args.quick, tick=tick)
    rehearsal = f", rehearsal: clocks run {gate.speed:.3g} times as fast" if gate.speed > 1 else ""
    words = check_words(report, source, gate)
    head = f"{one_line(source.path)}, {gate.game.rules.title}{rehearsal}"
    text = f"{head}\n\n{check_text(asdict(words))}\n\n{words.conclusion}"
    return Report(_facts(report, gate), text, int(not gate.admits(report)))


def gate_from(args: argparse.Namespace, game: Game | None = None) -> Gate:
    """Returns the gate that the options describe. game: if they need not say which."""
    if args.tournament is not None:
        options = [f"--{name.replace('_', '-')}" for name in FIXED_BY_FILE if getattr(args, name)]
        if options:
            raise ValueError(f"--for takes game and limits from the tournament; leave out {', '.join(options)}")
        with TournamentFile(args.tournament) as file:
            return gate_of(file.tournament(args.name), unsafe=args.unsafe)
    if args.name is not None:
        raise ValueError("--name is for --for: it names a tournament of that file")
    if args.game is not None:
        game = game_from_command_line(args.game)
    if game is None:
        raise ValueError("say with --game which game the bot plays; `noughts games` lists them")
    return Gate(game, limits_from(args, game), args.strict, args.unsafe, submission_rules(args.name_rule))


def _expected_time(gate: Gate, args: argparse.Namespace, bots: int = 1, jobs: int = 1) -> str:
    """Returns how long the check takes: about, and at most."""
    limits, share = gate.limits, -(-bots // jobs)
    many = f"{bots} bots, each " if bots > 1 else ""
    if args.quick:
        moves = quick.MOVES * len(quick.SETTINGS)
        usual = duration(moves * min(quick.SECONDS, limits.move_seconds) * share)
        most = duration(quick.most_seconds(limits) * share)
        return textwrap.fill(f"{many}{moves} moves with fast clocks: about {usual}, at most {most}", 80)
    games = len(GAMES) * args.rounds
    moves = (games + args.rounds) * quick.typical_moves(gate.game)  # in a game against itself it makes all moves
    most = duration(moves * limits.move_seconds * share)
    what = f"{many}{games} games, about {moves} moves of the bot"
    return textwrap.fill(f"{what}: {most} if it uses all its time; --quick tries a few moves", 80)


def _check_class(export: str, gate: Gate, args: argparse.Namespace) -> Report:
    """Checks all bots of a folder or zip, on all cores."""
    found, jobs = submissions(export), usable_cores()
    bots = [each.source or each.reason for each in found]
    with sandbox.ForkServer() as server:
        say_layers(server, args.unsafe)
    readable = sum(isinstance(each, sandbox.BotSource) for each in bots)
    print(_expected_time(gate, args, readable, jobs), file=sys.stderr)
    reports = []
    with progress(f"checking {counted(readable, 'bot')}") as tick:
        for report in check_all(bots, gate, jobs, rounds=args.rounds, quick=args.quick):
            reports.append(report)
            tick(len(reports) / len(bots))
    admitted = sum(not isinstance(report, str) and gate.admits(report) for report in reports)
    checked = list(zip(found, reports, strict=True))
    data = {
        "game": gate.game.name,
        "passed": sum(not isinstance(report, str) and report.passed() for report in reports),
        "admitted": admitted,
        "bots": [{"name": each.name, "file": each.file, **_facts(report, gate)} for each, report in checked],
    }
    rows = [[one_line(each.name, 24), *_row(report, args.quick)] for each, report in checked]
    heads = ["name", "rules", *([] if args.quick else ["won", "lost"]), "faults", "longest", "MB", "result"]
    well = "pass" if gate.admit == PASSING else f"are admitted (--admit {gate.admit})"
    missing = f"; {counted(len(bots) - readable, 'submission')} without a bot" if readable < len(bots) else ""
    end = f"{admitted} of {counted(readable, 'bot')} {well}{missing}"
    text = f"{table(heads, rows, right=range(2, len(heads) - 1))}\n\n{end}"
    return Report(data, text, int(admitted < len(bots)))


def _row(report: GateReport | str, quick: bool) -> list[str]:
    """Returns the line of one bot in the table of a folder; a quick check has no results of games."""
    empty = [""] * (3 if quick else 5)
    if isinstance(report, str):
        return ["", *empty, one_line(report)]
    rules = "-" if report.breaches is None else f"{len(report.breaches)} broken" if report.breaches else "kept"
    if report.fault is not None:
        return [rules, *empty, one_line(report.reason)]
    results = [] if quick else [str(report.tally.won), str(report.tally.lost)]
    verdict = one_line(report.reason)
    verdict = verdict or next((f"no faults; {one_line(each.text)}" for each in report.remarks), "all is well")
    memory = "-" if report.unsafe else f"{report.kilobytes / 1024:.0f}"
    return [rules, *results, str(len(report.faults)), seconds(report.tally.worst_seconds), memory, verdict]


def _facts(report: GateReport | str, gate: Gate) -> dict[str, object]:
    if isinstance(report, str):
        return {"passed": False, "admitted": False, "error": report}
    return {
        "passed": report.passed(),
        "admitted": gate.admits(report),
        "reason": report.reason,
        "breaches": None
        if report.breaches is None
        else [{"line": each.line, "text": each.text} for each in report.breaches],
        "remarks": [{"line": each.line, "text": each.text} for each in report.remarks],
        "quick": report.quick,
        "loads": report.fault is None,
        "faults": [
            {"game": number, "kind": fault.kind, "line": fault.line, "text": fault.text, "detail": fault.detail}
            for number, fault in report.faults
        ],
        "games": [
            {
                "opponent": game.opponent,
                "seats": list(game.seats),
                "points": list(game.record.points),
                "reason": game.record.reason,
            }
            for game in report.games
            if not report.quick
        ],
        "notes": report.notes,
        "median_seconds": report.tally.median_seconds,
        "worst_seconds": report.tally.worst_seconds,
        "move_seconds": gate.limits.move_seconds,
        "load_seconds": report.load_seconds,
        "kilobytes": None if report.unsafe else report.kilobytes,
        "unsafe": report.unsafe,
    }
