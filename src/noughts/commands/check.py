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

from noughts import sandbox
from noughts.analysis.puzzles import read_positions
from noughts.bots import quick
from noughts.bots.folder import check_all
from noughts.bots.gate import GAMES, PASSING, Gate, GateReport
from noughts.bots.wording import check_words
from noughts.commands._positions import run_positions
from noughts.commands.match import add_limits, limits_from, say_layers
from noughts.commands.output import counted, print_result, progress, table, width
from noughts.course.exports import is_export
from noughts.course.naming import NameRule
from noughts.files import usable_cores
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.printable import one_line, paragraph
from noughts.rules.spec import shown
from noughts.sandbox.faults import seconds
from noughts.tournaments.organiser import gate_of
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.submissions import submissions

MOST_ROUNDS = 10_000
FIXED_BY_FILE = ("game", "time", "load_time", "memory", "strict", "name_rule")
"""Options that --for takes from the tournament."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "bot", help="FILE.py, FILE.py:NAME for the class or function NAME in it, a folder or zip of bots"
    )
    parser.add_argument("--game", help="a game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument("--for", dest="tournament", metavar="FILE", help="game and limits of this tournament")
    parser.add_argument("--name", help="of the tournament, if the file holds several (default: the latest)")
    parser.add_argument("--rounds", type=int, default=1, help="how often its 5 games are played (default: 1)")
    parser.add_argument("--positions", metavar="FILE", help="try these positions instead of games")
    parser.add_argument("--quick", action="store_true", help="a few moves by fast clocks instead of games")
    parser.add_argument("--name-rule", metavar="RULE", help='refuse other names, as "team{number}.py:Team{number}"')
    add_limits(parser)
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    if not 1 <= args.rounds <= MOST_ROUNDS:
        raise ValueError(f"--rounds is 1 or more, and at most {MOST_ROUNDS}, not {shown(args.rounds)}")
    if args.positions is not None:
        game, puzzles = read_positions(args.positions)
        return run_positions(args, gate_from(args, game), game, puzzles)
    gate = gate_from(args)
    if is_export(args.bot):
        return _class(args.bot, gate, args)
    source = sandbox.read_bot(args.bot)
    print(_duration(gate, args), file=sys.stderr)
    with sandbox.ForkServer() as server:
        say_layers(server, args.unsafe)
        with progress(f"checking {one_line(source.name)}") as tick:
            report = gate.check(source, server, rounds=args.rounds, quick=args.quick, tick=tick)
    rehearsal = f", rehearsal: clocks run {gate.speed:.3g} times as fast" if gate.speed > 1 else ""
    head = f"{one_line(source.path)}, {gate.game.rules.title}{rehearsal}"
    print_result(args.json, lambda: _facts(report, gate), lambda: f"{head}\n\n{_text(report, source, gate)}")
    return 0 if gate.admits(report) else 1


def gate_from(args: argparse.Namespace, game: Game | None = None) -> Gate:
    """Returns the gate that the options describe. game: if they need not say which."""
    if args.tournament is not None:
        given = [f"--{name.replace('_', '-')}" for name in FIXED_BY_FILE if getattr(args, name)]
        if given:
            raise ValueError(f"--for takes game and limits from the tournament; leave out {', '.join(given)}")
        with TournamentFile(args.tournament) as file:
            return gate_of(file.tournament(args.name), unsafe=args.unsafe)
    if args.name is not None:
        raise ValueError("--name is for --for: it names a tournament of that file")
    if args.game is not None:
        game = game_from_command_line(args.game)
    if game is None:
        raise ValueError("say with --game which game the bot plays; `noughts games` lists them")
    rule = NameRule(args.name_rule) if args.name_rule else None
    return Gate(game, limits_from(args, game), args.strict, args.unsafe, rule)


def _duration(gate: Gate, args: argparse.Namespace, bots: int = 1, jobs: int = 1) -> str:
    """Returns how long the check takes: about, and at most."""
    limits, share = gate.limits, -(-bots // jobs)
    many = f"{bots} bots, each " if bots > 1 else ""
    if args.quick:
        moves = quick.MOVES * len(quick.SETTINGS)
        usual = _minutes(moves * min(quick.SECONDS, limits.move_seconds) * share)
        most = _minutes(quick.most_seconds(limits) * share)
        return textwrap.fill(f"{many}{moves} moves by fast clocks: about {usual}, at most {most}", 80)
    games = len(GAMES) * args.rounds
    moves = (games + args.rounds) * quick.typical_moves(gate.game)  # in a game against itself it makes all moves
    most = _minutes(moves * limits.move_seconds * share)
    what = f"{many}{games} games, about {moves} moves of the bot"
    return textwrap.fill(f"{what}: {most} if it uses all its time; --quick tries a few moves", 80)


def _minutes(amount: float) -> str:
    if amount < 120:
        return f"{amount:.0f} s"
    return f"{amount / 60:.0f} min" if amount < 7200 else f"{amount / 3600:.1f} h"


def _class(export: str, gate: Gate, args: argparse.Namespace) -> int:
    """Checks all bots of a folder or zip, in one table."""
    found, jobs = submissions(export), usable_cores()
    bots = [each.source or each.reason for each in found]
    with sandbox.ForkServer() as server:
        say_layers(server, args.unsafe)
    readable = sum(isinstance(each, sandbox.BotSource) for each in bots)
    print(_duration(gate, args, readable, jobs), file=sys.stderr)
    rows, facts, admitted = [], [], 0
    with progress(f"checking {counted(len(bots), 'bot')}") as tick:
        reports = check_all(bots, gate, jobs, rounds=args.rounds, quick=args.quick)
        for done, (each, report) in enumerate(zip(found, reports, strict=True), 1):
            admitted += not isinstance(report, str) and gate.admits(report)
            rows.append([one_line(each.name, 24), *_row(report, args.quick)])
            refused = {"passed": False, "admitted": False, "error": report}
            seen = refused if isinstance(report, str) else _facts(report, gate)
            facts.append({"name": each.name, "file": each.file, **seen})
            tick(done / len(bots))
    passed = sum(bool(each["passed"]) for each in facts)
    heads = ["name", "rules", *([] if args.quick else ["won", "lost"]), "faults", "longest", "MB", "result"]
    well = "pass" if gate.admit == PASSING else f"are admitted (--admit {gate.admit})"
    print_result(
        args.json,
        lambda: {"game": gate.game.name, "passed": passed, "admitted": admitted, "bots": facts},
        lambda: (
            f"{table(heads, rows, right=range(2, len(heads) - 1))}\n\n{admitted} of {counted(len(bots), 'bot')} {well}"
        ),
    )
    return 0 if admitted == len(bots) else 1


def _row(report: GateReport | str, quick: bool) -> list[str]:
    """Returns the line of one bot in the table of a folder; a quick check has no results of games."""
    empty = [""] * (3 if quick else 5)
    if isinstance(report, str):
        return ["", *empty, one_line(report)]
    rules = "-" if report.breaches is None else f"{len(report.breaches)} broken" if report.breaches else "kept"
    if report.fault is not None:
        return [rules, *empty, one_line(report.reason)]
    results = [] if quick else [str(report.tally.won), str(report.tally.lost)]
    said = one_line(report.reason)
    said = said or next((f"no faults; {one_line(text)}" for _, text in report.remarks), "all is well")
    memory = "-" if report.unsafe else f"{report.kilobytes / 1024:.0f}"
    return [rules, *results, str(len(report.faults)), seconds(report.tally.worst_seconds), memory, said]


def _text(report: GateReport, source: sandbox.BotSource, gate: Gate) -> str:
    words = check_words(report, source, gate)
    lines = [table(["what", "found"], words.rows)]
    for finding in words.findings:
        lines.append(f"\n{paragraph(finding.text, width())}")
        if finding.code is not None:
            lines.append(f"    {finding.line} | {one_line(finding.code, width() - 12)}")
        for trace in finding.detail.splitlines():
            lines += [
                f"    | {part}" for part in textwrap.wrap(one_line(trace, 2000), width() - 6, drop_whitespace=False)
            ]
    lines += [f"\n{textwrap.fill(one_line(note, 2000), width())}" for note in words.notes]
    lines.append(f"\n{words.conclusion}")
    return "\n".join(lines)


def _facts(report: GateReport, gate: Gate) -> dict[str, object]:
    return {
        "passed": report.passed(),
        "admitted": gate.admits(report),
        "reason": report.reason,
        "breaches": None
        if report.breaches is None
        else [{"line": line, "text": text} for line, text in report.breaches],
        "remarks": [{"line": line, "text": text} for line, text in report.remarks],
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
