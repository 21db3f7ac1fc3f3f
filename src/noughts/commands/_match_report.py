"""The report of a match: games, standings and difference in strength."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from noughts import sandbox
from noughts.commands.output import table, width
from noughts.course.rules import submission_rules
from noughts.matches.exports import replay_path
from noughts.matches.log import result_line
from noughts.matches.match import MatchResult
from noughts.matches.openings import may_repeat
from noughts.matches.record import GameRecord
from noughts.matches.schedule import Match
from noughts.matches.tally import Tally
from noughts.printable import counted, one_line, paragraph, printable, shell_quote
from noughts.sandbox.faults import seconds
from noughts.sandbox.source import BotSource

GAMES_LISTED = 20
FEWEST_PAIRS = 4
"""Fewest pairs of games for an Elo estimate. With fewer, the interval is too wide to be useful."""
TRACEBACK_LINES = 12
"""Maximum lines shown of a crash's traceback: the last ones name the cause."""


def match_text(result: MatchResult, log: str | None) -> str:
    """Returns the report of a finished match. log: the folder with its games, if any."""
    records = result.records
    parts = [_report(result)]
    different = result.different_games if may_repeat(result.match.names) else len(records)
    if different < len(records):
        parts += ["", textwrap.fill(_repetitions(different, len(records)), width())]
    if different // 2 >= FEWEST_PAIRS:
        parts.append(_strength(result))
    if log is not None:
        kept = counted(len(list(Path(log).glob("game-*.json"))), "game")
        parts += ["", f"{kept} saved in {one_line(log)}: run `noughts replay FILE.json`, or read FILE.log"]
        parts += _lost_game(result.match, records, Path(log))
    return "\n".join(parts)


def _repetitions(different: int, games: int) -> str:
    """Describes repeated games, which add no evidence."""
    return (
        f"Only {counted(different, 'different game')} of {games}: the others are exact repeats and "
        "add no evidence. Pass --openings N to start each pair with N random moves."
    )


def _strength(result: MatchResult) -> str:
    """Returns the difference in strength, for the first player, and the state of the test."""
    lines = ["", f"{result.players[0]}: {result.elo}, {result.pairs.total} pairs of games", result.pairs.summary()]
    if result.sprt:
        lines.append(result.sprt.summary(result.pairs))
    return "\n".join(lines)


def _report(result: MatchResult) -> str:
    match, records, both = result.match, result.records, result.tallies
    limit = seconds(match.effective_limits.move_seconds)
    head = f"{match.game.rules.title}, {counted(len(records), 'game')}, {limit} a move"
    lines = [head, f"seed {match.seed}", ""]
    if not records:
        return "\n".join(lines[:-1])
    if len(records) <= GAMES_LISTED:
        rows = [
            [str(r.number + 1), f"{r.players[0]} - {r.players[1]}", str(len(r.moves)), result_line(r, short=True)]
            for r in records
        ]
        lines += [table(["game", "players", "moves", "result"], rows, right=[0, 2]), ""]
    heads = ["player", "won", "drawn", "lost", "points", "faults"]
    rows = [[s.name, *map(str, (s.won, s.drawn, s.lost, s.points, s.forfeits.total()))] for s in both]
    timed = sys.stdout.isatty()  # timings vary, and piped output must be the same for the same games
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
                text = _fault_text(fault, match, tally.name)
            lines += ["", paragraph(f"{tally.name}, game {number + 1}: {text}", width())]
            if fault is not None and text.startswith(fault.text):
                # the end of a traceback names the cause
                lines += [f"    | {printable(line)}" for line in fault.detail.splitlines()[-TRACEBACK_LINES:]]
    return "\n".join(lines)


def _remarks(name: str, records: list[GameRecord]) -> dict[str, int]:
    """Returns each distinct fault or warning of a player, with the number of the first game it occurred in."""
    found: dict[str, int] = {}
    for record in records:
        seat = record.seat_of(name)
        if record.fault is not None and record.faulty == seat:
            found.setdefault(record.fault.text, record.number)
        warning = record.warnings[seat]
        if warning is not None:
            found.setdefault(warning, record.number)
    return found


def _fault_text(fault: sandbox.Fault, match: Match, name: str) -> str:
    """Returns the text of a fault, with a hint if the bot's file looks like Python 2."""
    source = next(each.player for each in match.contestants if each.name == name)
    return submission_rules().with_hint(fault, source).text if isinstance(source, BotSource) else fault.text


def _lost_game(match: Match, records: list[GameRecord], folder: Path) -> list[str]:
    """Returns the command to review a game that the first player lost: its end after a fault, else the costly moves."""
    first = match.player_names[0]
    lost = next((record for record in records if record.score(record.seat_of(first)) == 0), None)
    if lost is None:
        return []
    file = shell_quote(replay_path(folder, lost))
    if lost.fault is not None and lost.faulty == lost.seat_of(first):
        head = f"{one_line(first)} lost game {lost.number + 1} by a fault; see the position:"
        return [head, f"  noughts replay {file} --at {len(lost.moves)}"]
    return [f"{one_line(first)} lost game {lost.number + 1}; see its costly moves:", f"  noughts analyze {file}"]


def _lateness(tally: Tally, limit: float) -> str:
    """Returns how many moves of a built-in player were over the limit, which is not enforced for them; "" if none."""
    late = tally.late_moves(limit)
    if not late:
        return ""
    over = seconds(tally.worst_seconds - limit)
    text = f"{tally.name}: {late} of {len(tally.seconds)} moves over {seconds(limit)}, the latest by {over}"
    return f"\n{paragraph(text, width())}"


def match_facts(result: MatchResult) -> dict[str, object]:
    match, sprt = result.match, result.sprt
    found, normalized = result.elo, result.pairs.normalized_elo()
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
