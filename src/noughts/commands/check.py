"""Check a bot file before it is submitted: run it in the sandbox as a tournament
does, and say what is wrong.

The submission rules of the course (one class, nothing outside it, none of the
evaluator's code), then games from both seats against `random` and `greedy`:
faults with their lines, time for a move, memory. Exit code 0 if all is well, 1
if not.

--quick looks at a few moves only, at the start and in the middle of a game, and
the clocks that the bot sees run fast, so that one that thinks until its time is
up is done in seconds. A folder is checked whole, on all cores, in one table.

--positions FILE lets the bot move in the positions of a file instead, as
`noughts report --puzzles` writes them from games that were lost, and tells
which of them it now finds.

examples:
  noughts check team7.py --game extreme
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
from pathlib import Path
from typing import TYPE_CHECKING

from noughts.commands.match import add_limits, limits_from, say_layers
from noughts.commands.output import counted
from noughts.printable import one_line, paragraph

if TYPE_CHECKING:
    from noughts.bots.check import CheckReport
    from noughts.game import Game
    from noughts.sandbox import BotLimits, BotSource

DETAILS_SHOWN = 3
MOST_ROUNDS = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bot", help="FILE.py, FILE.py:NAME for the class or function NAME in it, or a folder")
    parser.add_argument("--game", help="a game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument("--rounds", type=int, default=1, help="a round is 4 games: 2 seats, 2 opponents (1)")
    parser.add_argument("--positions", metavar="FILE", help="only these positions; they know their game")
    parser.add_argument("--quick", action="store_true", help="a few moves by fast clocks instead of games")
    add_limits(parser)
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    from noughts.bots.check import check_bot
    from noughts.commands.output import progress
    from noughts.library import game_from_command_line
    from noughts.rules.spec import shown
    from noughts.sandbox import ForkServer, read_bot

    if not 1 <= args.rounds <= MOST_ROUNDS:
        raise ValueError(f"--rounds is 1 or more, and at most {MOST_ROUNDS}, not {shown(args.rounds)}")
    if args.positions is not None:
        from noughts.commands._positions import run_positions

        return run_positions(args)
    if args.game is None:
        raise ValueError("say with --game which game the bot plays; `noughts games` lists them")
    game = game_from_command_line(args.game)
    limits = limits_from(args, game)
    if Path(args.bot).is_dir():
        return _folder(Path(args.bot), game, limits, args)
    source = read_bot(args.bot)
    print(_duration(game, limits, args), file=sys.stderr)
    with ForkServer() as server:
        say_layers(server, args.unsafe)
        with progress(f"checking {one_line(source.name)}") as tick:
            report = check_bot(
                source,
                game,
                server,
                limits,
                rounds=args.rounds,
                strict=args.strict,
                unsafe=args.unsafe,
                quick=args.quick,
                tick=tick,
            )
    if args.json:
        print(json.dumps(_facts(report, limits), indent=2))
    else:
        print(f"{one_line(source.path)}, {game.rules.title}\n")
        print(_text(report, source, limits))
    return 0 if report.passed() else 1


def _duration(game: Game, limits: BotLimits, args: argparse.Namespace, bots: int = 1, jobs: int = 1) -> str:
    """How long the check takes, at most and about."""
    from noughts.bots import quick

    if args.quick:
        moves, each = quick.MOVES * len(quick.SETTINGS), min(quick.SECONDS, limits.move_seconds)
        what = f"{moves} moves by fast clocks"
    else:
        moves, each = 4 * args.rounds * quick.typical_moves(game), limits.move_seconds
        what = f"{4 * args.rounds} games, about {moves} moves of the bot"
    what = f"{bots} bots, each {what}" if bots > 1 else what
    longest = _minutes(moves * each * -(-bots // jobs))
    hint = "" if args.quick else "; --quick looks at a few moves"
    return textwrap.fill(f"{what}: {longest} if it uses all its time{hint}", 80)


def _minutes(amount: float) -> str:
    if amount < 120:
        return f"{amount:.0f} s"
    return f"{amount / 60:.0f} min" if amount < 7200 else f"{amount / 3600:.1f} h"


def _folder(folder: Path, game: Game, limits: BotLimits, args: argparse.Namespace) -> int:
    """All bots of a folder in one table."""
    from noughts.bots.folder import CheckSettings, check_all
    from noughts.commands.output import progress, table
    from noughts.files import usable_cores
    from noughts.sandbox.forkserver import ForkServer
    from noughts.sandbox.source import bot_files

    files, jobs = bot_files(folder), usable_cores()
    with ForkServer() as server:
        say_layers(server, args.unsafe)
    print(_duration(game, limits, args, len(files), jobs), file=sys.stderr)
    settings = CheckSettings(game, limits, args.rounds, args.strict, args.unsafe, args.quick)
    rows, facts, passed = [], [], 0
    with progress(f"checking {len(files)} bots") as tick:
        for done, (path, report) in enumerate(check_all(files, settings, jobs), 1):
            well = not isinstance(report, str) and report.passed()
            passed += well
            rows.append([one_line(path.name, 24), *_row(report, args.quick)])
            facts.append(
                {"file": path.name, "error": report}
                if isinstance(report, str)
                else {"file": path.name, **_facts(report, limits)}
            )
            tick(done / len(files))
    if args.json:
        print(json.dumps({"game": game.name, "passed": passed, "bots": facts}, indent=2))
    else:
        heads = ["file", "rules", *([] if args.quick else ["won", "lost"]), "faults", "longest", "MB", "result"]
        print(table(heads, rows, right=range(2, len(heads) - 1)))
        print(f"\n{passed} of {len(files)} bots pass")
    return 0 if passed == len(files) else 1


def _row(report: CheckReport | str, quick: bool) -> list[str]:
    """What the table of a folder says of one bot; a quick check has no results of games."""
    from noughts.sandbox.faults import seconds

    empty = [""] * (3 if quick else 5)
    if isinstance(report, str):
        return ["", *empty, one_line(report)]
    rules = "-" if report.breaches is None else f"{len(report.breaches)} broken" if report.breaches else "kept"
    if report.fault is not None:
        return [rules, *empty, f"does not load: {one_line(report.fault.text)}"]
    results = [] if quick else [str(report.tally.won), str(report.tally.lost)]
    said = next((one_line(fault.text) for _, fault in report.faults), "")
    said = said or next((one_line(text) for _, text in report.breaches or []), "")
    said = said or next((f"no faults; {one_line(text)}" for _, text in report.remarks), "all is well")
    memory = f"{report.kilobytes / 1024:.0f}"
    return [rules, *results, str(len(report.faults)), seconds(report.tally.worst_seconds), memory, said]


def _text(report: CheckReport, source: BotSource, limits: BotLimits) -> str:
    from noughts.commands.output import table, width

    rows = [["submission rules", _rules_line(report)]]
    if report.fault is not None:
        rows.append(["loads", "no"])
    else:
        rows += _game_rows(report, limits)
    lines = [table(["what", "found"], rows)]
    for line, text in [*(report.breaches or []), *_gathered(report.remarks)]:
        lines.append(_quoted(source, line, text))
    games: dict[str, list[str]] = {}
    for number, fault in report.faults:
        games.setdefault(fault.text, []).append(str(number))
    shown = {fault.text: fault for _, fault in report.faults}
    for fault in list(shown.values())[:DETAILS_SHOWN]:
        numbers = games[fault.text]
        where = _stage(report) if report.fault else f"game{'s' * (len(numbers) > 1)} {', '.join(numbers)}"
        lines.append(_quoted(source, fault.line, f"{where}: {fault.text}"))
        for trace in fault.detail.splitlines():
            lines += [
                f"    | {part}" for part in textwrap.wrap(one_line(trace, 2000), width() - 6, drop_whitespace=False)
            ]
    if len(shown) > DETAILS_SHOWN:
        lines.append(f"\nand {len(shown) - DETAILS_SHOWN} faults of other kinds")
    well = (
        "it plays without faults; look at the remarks above before you submit it" if report.remarks else "all is well"
    )
    lines.append(f"\n{well if report.passed() else 'this would lose games, or not be accepted'}")
    return "\n".join(lines)


def _stage(report: CheckReport) -> str:
    return "loading" if report.readable else "reading"


def _rules_line(report: CheckReport) -> str:
    if report.breaches is None:
        return "do not apply: not the course's interface" if report.readable else "not checked: this is no Python 3"
    return f"{len(report.breaches)} broken, see below" if report.breaches else "kept"


def _game_rows(report: CheckReport, limits: BotLimits) -> list[list[str]]:
    from noughts.bots.check import LATE_SHARE
    from noughts.sandbox.faults import seconds

    rows = [["loads", f"yes, in {seconds(report.load_seconds)} of {seconds(limits.load_seconds)}"]]
    for opponent, tally in report.against.items() if not report.quick else ():
        rows.append([f"against {opponent}", f"{counted(tally.games, 'game')}: {tally.won} won, {tally.lost} lost"])
    rows.append(["faults", str(len(report.faults)) if report.faults else "none"])
    limit = limits.move_seconds
    share = report.tally.worst_seconds / limit
    late = " - too near: another machine may be slower" if share >= LATE_SHARE else ""
    times = f"median {seconds(report.tally.median_seconds)}, longest {seconds(report.tally.worst_seconds)}"
    if report.quick:
        rows.append(["time for a move", f"{times}, by clocks that ran fast: a whole check measures it"])
        rows.append(["moves", f"{len(report.tally.seconds)}, against random ones"])
    else:
        rows.append(["time for a move", f"{times}, {share:.1%} of the limit of {seconds(limit)}{late}"])
    rows.append(["memory", f"{report.kilobytes / 1024:.0f} MB of {limits.memory >> 20} MB"])
    if report.prints:
        rows.append(["prints", f"at {report.prints} moves; nobody but you will see them"])
    warnings = {r.warnings[seat] for r, seat, _ in report.games} - {None}
    return rows + [["warning", str(text)] for text in warnings]


def _quoted(source: BotSource, line: int | None, text: str) -> str:
    """A finding, with the line of the file that it is about."""
    from noughts.commands.output import width

    said = paragraph(text if line is None else f"line {line}: {text}", width())
    code = source.text.splitlines()
    if line is None or not 0 < line <= len(code):
        return f"\n{said}"
    return f"\n{said}\n    {line} | {one_line(code[line - 1].rstrip().expandtabs(4), width() - 12)}"


def _gathered(remarks: list[tuple[int | None, str]]) -> list[tuple[int | None, str]]:
    """Each remark once, with the first of its lines and how many more there are."""
    lines: dict[str, list[int | None]] = {}
    for line, text in remarks:
        lines.setdefault(text, []).append(line)
    return [
        (found[0], f"{text} (and {len(found) - 1} lines more)" if found[1:] else text) for text, found in lines.items()
    ]


def _facts(report: CheckReport, limits: BotLimits) -> dict[str, object]:
    return {
        "passed": report.passed(),
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
            {"opponent": opponent, "seat": seat, "points": list(r.points), "reason": r.reason}
            for r, seat, opponent in report.games
            if not report.quick
        ],
        "median_seconds": report.tally.median_seconds,
        "worst_seconds": report.tally.worst_seconds,
        "move_seconds": limits.move_seconds,
        "load_seconds": report.load_seconds,
        "kilobytes": report.kilobytes,
    }
