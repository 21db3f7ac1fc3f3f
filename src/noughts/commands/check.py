"""Check a bot before you submit it: run the checks of a tournament's gate, with
the same limits, and show what is wrong.

The course's submission rules are checked first (one class, nothing outside it,
no code of the evaluator). Then the bot plays itself, and `random` and `greedy`
from both seats: the check reports faults with their lines, time per move, and
memory. Exit code 0 if a tournament would admit the bot, 1 if not.

--for ladder takes the game, the limits, the name rule, --strict and --admit
from the ladder that you are logged in to (`noughts login`), --for LINK from
that of the link, and --for FILE from a tournament file. If the tournament
admits bots that only break submission rules, breaches are warnings.

--quick tries a few moves, at the start and in the middle of a game. The bot's
clock runs fast, so even a bot that uses all its time is done in seconds; a
move that fails is repeated with the real clock before it counts. If there is
no time for that, the bot is undecided, with exit code 1.

For a folder or an LMS export (see `noughts collect --help`), all bots are
checked, on all cores, and shown in one table, the worst first.

--positions FILE tests the bot on positions instead, such as those that
`noughts report --puzzles` writes from lost games, and shows which of them it
solves.

examples:
  noughts check team7.py --game extreme
  noughts check team7.py --for class.noughts
  noughts check team7.py --for ladder
  noughts check team7.py --game xtreme --quick
  noughts check bots/ --game extreme --quick
  noughts check team7.py:Team7 --game xtreme --time 2 --rounds 3
  noughts check my_bot.py --game classic --json
  noughts check team7.py --positions puzzles/team7.json
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from dataclasses import asdict

from noughts import sandbox
from noughts.analysis.puzzles import read_positions
from noughts.bots import quick
from noughts.bots.folder import check_all
from noughts.bots.gate import GAMES, PASSING, Gate, GateReport
from noughts.bots.wording import UNDECIDED, check_words, is_undecided
from noughts.commands._bot_options import LONGEST_SECONDS, MEMORY, add_limits, add_name_rule, limits_from, say_layers
from noughts.commands._options import GAME_HELP, add_json, require_range
from noughts.commands._positions import check_positions
from noughts.commands.output import CELL_SHOWN, WIDTH, Report, check_text, table
from noughts.commands.submit import Link, ask, is_link, kept_link, parse_link
from noughts.course.handed_in import is_export
from noughts.course.rules import gate_for, gate_of, submission_rules
from noughts.course.submissions import submissions
from noughts.files import usable_cores
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.printable import counted, duration, one_line
from noughts.progress import progress
from noughts.sandbox.faults import seconds
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile

LADDER = "ladder"
"""The value of --for that names the ladder of the last login."""
MOST_ROUNDS = 10_000
FIXED_BY_FILE = ("game", "time", "load_time", "memory", "strict", "name_rule")
"""Options that --for replaces."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bot", help="FILE.py, FILE.py:NAME for a class or function in it, or a folder or zip of bots")
    parser.add_argument("--game", help=GAME_HELP)
    add_name_rule(parser)
    add_json(parser)
    add = parser.add_argument_group("what is checked").add_argument
    add("--rounds", type=int, default=1, help="number of times the 5 games are played (default: 1)")
    add("--quick", action="store_true", help="try a few moves with fast clocks instead of playing games")
    add("--positions", metavar="FILE", help="file of positions to test instead of playing games")
    add = parser.add_argument_group("settings of a tournament").add_argument
    add(
        "--for",
        dest="tournament",
        metavar="WHERE",
        help="tournament to take game, limits and rules from: its file, a ladder's link, or ladder for your login",
    )
    add("--name", help="tournament in that file, if it has several (default: the latest)")
    add_limits(parser)


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
    """Returns the gate that the options describe. game: the game to use if the options name none."""
    if args.tournament is not None:
        options = [f"--{name.replace('_', '-')}" for name in FIXED_BY_FILE if getattr(args, name)]
        if options:
            raise ValueError(f"--for takes game and limits from the tournament; leave out {', '.join(options)}")
        if args.tournament == LADDER or is_link(args.tournament):
            if args.name is not None:
                raise ValueError("a server has one ladder; leave out --name")
            link = kept_link() if args.tournament == LADDER else parse_link(args.tournament)
            return _gate_of_ladder(link, unsafe=args.unsafe)
        with TournamentFile(args.tournament) as file:
            return gate_of(file.tournament(args.name), unsafe=args.unsafe)
    if args.name is not None:
        raise ValueError("--name chooses a tournament of --for FILE; pass --for too")
    if args.game is not None:
        game = game_from_command_line(args.game)
    if game is None:
        raise ValueError("pass --game; `noughts games` lists the games")
    return Gate(game, limits_from(args, game), args.strict, args.unsafe, submission_rules(args.name_rule))


def _gate_of_ladder(link: Link, *, unsafe: bool) -> Gate:
    """Returns the gate of a ladder on a server, which is not trusted: its limits are in the range of the options."""
    reply = ask(link, "/api/ladder")
    try:
        game = Game.from_data(reply["gate"])
        settings = Settings.from_json(json.dumps(reply["gate"]["settings"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(f"{link.base} describes no ladder that this version of noughts knows") from None
    limits = settings.limits
    require_range("the ladder's time limit", limits.move_seconds, 0.001, LONGEST_SECONDS)
    require_range("the ladder's time limit for loading", limits.load_seconds, 0.001, LONGEST_SECONDS)
    require_range("the ladder's memory limit in MB", limits.memory >> 20, *MEMORY)
    return gate_for(game, settings, unsafe=unsafe)


def _expected_time(gate: Gate, args: argparse.Namespace, bots: int = 1, jobs: int = 1) -> str:
    """Returns how long the check takes, usually and at most."""
    limits, share = gate.limits, -(-bots // jobs)
    many = f"{bots} bots, each " if bots > 1 else ""
    if args.quick:
        moves = quick.MOVES * len(quick.SETTINGS)
        usual = duration(moves * min(quick.SECONDS, limits.move_seconds) * share)
        most = duration(quick.most_seconds(limits) * share)
        return textwrap.fill(f"{many}{moves} moves with fast clocks: about {usual}, at most {most}", WIDTH)
    games = len(GAMES) * args.rounds
    moves = (games + args.rounds) * quick.typical_moves(gate.game)  # in a game against itself it makes all the moves
    most = duration(moves * limits.move_seconds * share)
    what = f"{many}{games} games, about {moves} moves of the bot"
    return textwrap.fill(f"{what}: {most} if the bot uses all its time; --quick tries only a few moves", WIDTH)


def _check_class(export: str, gate: Gate, args: argparse.Namespace) -> Report:
    """Checks all bots of a folder or zip, on all cores."""
    found, jobs = submissions(export), usable_cores()
    bots = [each.source or each.reason for each in found]
    with sandbox.ForkServer() as server:
        say_layers(server, args.unsafe)
    readable = sum(isinstance(each, sandbox.BotSource) for each in bots)
    print(_expected_time(gate, args, readable, jobs), file=sys.stderr)
    with progress(f"checking {counted(readable, 'bot')}") as tick:
        reports = check_all(bots, gate, jobs, rounds=args.rounds, quick=args.quick, tick=tick)
    admitted = sum(not isinstance(report, str) and gate.admits(report) for report in reports)
    checked = list(zip(found, reports, strict=True))
    undecided = sum(not isinstance(report, str) and is_undecided(report, gate) for report in reports)
    data = {
        "game": gate.game.name,
        "passed": sum(not isinstance(report, str) and report.passed() for report in reports),
        "admitted": admitted,
        "bots": [{"name": each.name, "file": each.file, **_facts(report, gate)} for each, report in checked],
    }
    shown = 24 if sys.stdout.isatty() else CELL_SHOWN
    worst = sorted(checked, key=lambda pair: _rank(pair[1], gate))
    rows = [[one_line(each.name, shown), *_row(report, gate, args.quick)] for each, report in worst]
    heads = ["name", "rules", *([] if args.quick else ["won", "lost"]), "faults", "longest", "MB", "result"]
    well = "pass" if gate.admit == PASSING else f"are admitted (--admit {gate.admit})"
    again = f"; {undecided} undecided: run the full check, without --quick" if undecided else ""
    missing = f"; {counted(len(bots) - readable, 'submission')} without a bot" if readable < len(bots) else ""
    end = f"{admitted} of {counted(readable, 'bot')} {well}{again}{missing}"
    text = f"{table(heads, rows, right=range(2, len(heads) - 1))}\n\n{end}"
    return Report(data, text, int(admitted < len(bots)))


def _rank(report: GateReport | str, gate: Gate) -> int:
    """Returns the place of a finding in the table, from the worst to none."""
    if isinstance(report, str):
        return 0
    undecided = is_undecided(report, gate)
    kinds = (
        report.fault is not None,
        bool(report.failure),
        not (gate.admits(report) or undecided),
        undecided,
        bool(report.reason),
        bool(report.remarks),
        True,
    )
    return 1 + kinds.index(True)


def _row(report: GateReport | str, gate: Gate, quick: bool) -> list[str]:
    """Returns a bot's row in the table of a folder. A quick check has no game results."""
    empty = [""] * (3 if quick else 5)
    if isinstance(report, str):
        return ["", *empty, one_line(report)]
    rules = "-" if report.breaches is None else f"{len(report.breaches)} broken" if report.breaches else "kept"
    if report.fault is not None:
        return [rules, *empty, one_line(report.reason)]
    results = [] if quick else [str(report.tally.won), str(report.tally.lost)]
    verdict = UNDECIDED if is_undecided(report, gate) else one_line(report.reason)
    verdict = verdict or next((f"no faults; {one_line(each.text)}" for each in report.remarks), "no problems found")
    memory = "-" if report.unsafe else f"{report.kilobytes / 1024:.0f}"
    longest = seconds(report.tally.worst_seconds) if report.tally.seconds else "-"
    return [rules, *results, str(len(report.faults)), longest, memory, verdict]


def _facts(report: GateReport | str, gate: Gate) -> dict[str, object]:
    if isinstance(report, str):
        return {"passed": False, "admitted": False, "undecided": False, "error": report}
    return {
        "passed": report.passed(),
        "admitted": gate.admits(report),
        "undecided": is_undecided(report, gate),
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
                "points": list(record.points),
                "reason": record.reason,
            }
            for game, record in zip(report.games, report.records, strict=True)
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
