"""What a match tells when it is over: its games, its standings and the difference in strength, as text or as JSON."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path

from noughts import sandbox
from noughts.bots.gate import hinted
from noughts.commands.output import counted, table, width
from noughts.matches.course_log import result_line
from noughts.matches.exports import replay_path
from noughts.matches.match import MatchResult
from noughts.matches.openings import may_repeat
from noughts.matches.record import GameRecord
from noughts.matches.schedule import Match
from noughts.matches.scores import repetitions
from noughts.matches.tally import Tally
from noughts.printable import one_line, paragraph, printable, shell_quote
from noughts.sandbox.faults import seconds
from noughts.sandbox.source import BotSource

GAMES_LISTED = 20
FEWEST_PAIRS = 4
"""From fewer pairs of games nothing is said about strength: the interval would hold almost everything."""
TRACEBACK_LINES = 12
"""The last ones of a crash's traceback, which name the line."""


def print_match(result: MatchResult, args: argparse.Namespace) -> None:
    """Prints the report in the terminal."""
    match, records = result.match, result.records
    print(_report(result))
    different = result.different_games if may_repeat(args.players) else len(records)
    if different < len(records):
        print(f"\n{textwrap.fill(repetitions(different, len(records)), width())}")
    if different // 2 >= FEWEST_PAIRS:
        print(_strength(result))
    if args.log is not None:
        kept = counted(len(list(Path(args.log).glob("game-*.json"))), "game")
        print(f"\n{kept} kept in {one_line(args.log)}: `noughts replay FILE.json`, or read FILE.log")
        print(_lost_game(match, records, Path(args.log)), end="")


def _strength(result: MatchResult) -> str:
    """The difference in strength, from the first player's side, and the state of the test."""
    lines = ["", f"{result.players[0]}: {result.elo}, {result.pairs.total} pairs of games", result.pairs.summary()]
    if result.sprt:
        lines.append(result.sprt.summary(result.pairs))
    return "\n".join(lines)


def _report(result: MatchResult) -> str:
    match, records, both = result.match, result.records, result.tallies
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
    rows = [[s.name, *map(str, (s.won, s.drawn, s.lost, s.points, s.forfeits.total()))] for s in both]
    timed = sys.stdout.isatty()  # no two runs take the same time, and piped output is the same for the same games
    if timed:
        heads += ["median move", "longest"]
        rows = [[*row, seconds(s.median_seconds), seconds(s.worst_seconds)] for row, s in zip(rows, both, strict=True)]
    lines.append(table(heads, rows, right=range(1, len(heads))))
    if timed:
        lines += filter(None, (_lateness(tally, match.effective_limits.move_seconds) for tally in both))
    for tally in both:
        for text, number in _remarks(tally.name, records).items():
            fault = next((record.fault for record in records if record.number == number), None)
            if fault is not None and fault.text == text:
                text = _hinted(fault, match, tally.name)
            lines += ["", paragraph(f"{tally.name}, game {number + 1}: {text}", width())]
            if fault is not None and text.startswith(fault.text):
                # For the bot's owner, to whom the end of it says most.
                lines += [f"    | {printable(line)}" for line in fault.detail.splitlines()[-TRACEBACK_LINES:]]
    return "\n".join(lines)


def _remarks(name: str, records: list[GameRecord]) -> dict[str, int]:
    """Each different text of a player's faults and warnings, with the number of the first game where it came up."""
    found: dict[str, int] = {}
    for record in records:
        seat = record.seat_of(name)
        if record.fault is not None and record.faulty == seat:
            found.setdefault(record.fault.text, record.number)
        warning = record.warnings[seat]
        if warning is not None:
            found.setdefault(warning, record.number)
    return found


def _hinted(fault: sandbox.Fault, match: Match, name: str) -> str:
    """What a player did wrong, with a hint if its file looks like Python 2."""
    source = next(each.player for each in match.contestants if each.name == name)
    return hinted(fault, source).text if isinstance(source, BotSource) else fault.text


def _lost_game(match: Match, records: list[GameRecord], folder: Path) -> str:
    """Returns how to look at a game that the first player lost, if it lost one: a fault, where it was."""
    first = match.player_names[0]
    lost = next((record for record in records if record.score(record.seat_of(first)) == 0), None)
    if lost is None:
        return ""
    file = shell_quote(replay_path(folder, lost))
    if lost.fault is not None and lost.faulty == lost.seat_of(first):
        head = f"{one_line(first)} lost game {lost.number + 1} by a fault; the position that it was in:"
        return f"{head}\n  noughts replay {file} --at {len(lost.moves)}\n"
    return f"{one_line(first)} lost game {lost.number + 1}; its costly moves:\n  noughts analyze {file}\n"


def _lateness(tally: Tally, limit: float) -> str:
    """The moves of a built-in player over the limit, which does not stop it; nothing if there are none."""
    late = tally.late_moves(limit)
    if not late:
        return ""
    over = seconds(tally.worst_seconds - limit)
    said = f"{tally.name}: {late} of {len(tally.seconds)} moves over {seconds(limit)}, the latest by {over}"
    return f"\n{paragraph(said, width())}"


def facts(result: MatchResult) -> dict[str, object]:
    """The same for --json."""
    match, sprt, found, normalized = result.match, result.sprt, result.elo, result.pairs.normalized_elo()
    return {
        "game": match.game.name,
        "move_seconds": match.effective_limits.move_seconds,
        "seed": match.seed,
        "different_games": result.different_games,
        "pairs": list(result.pairs.counts),
        "elo": {"difference": found.elo, "low": found.low, "high": found.high},
        "normalized_elo": {"difference": normalized.elo, "low": normalized.low, "high": normalized.high},
        "los": result.pairs.los(),
        "sprt": None
        if sprt is None
        else {
            "normalized": sprt.normalized,
            "elo0": sprt.elo0,
            "elo1": sprt.elo1,
            "ratio": result.llr,
            "bounds": list(sprt.bounds),
            "decision": result.decision,
        },
        "players": [
            {
                "name": s.name,
                "won": s.won,
                "drawn": s.drawn,
                "lost": s.lost,
                "points": s.points,
                "faults": dict(s.forfeits),
                "median_seconds": s.median_seconds,
                "worst_seconds": s.worst_seconds,
                "late_moves": s.late_moves(match.effective_limits.move_seconds),
            }
            for s in result.tallies
        ],
        "games": [
            {
                "players": list(r.players),
                "moves": len(r.moves),
                "reason": r.reason,
                "winner": r.winner,
                "points": list(r.points),
                "unsafe": r.unsafe,
                "fault": None if r.fault is None else {"player": r.faulty, "kind": r.fault.kind, "text": r.fault.text},
            }
            for r in result.records
        ],
    }
