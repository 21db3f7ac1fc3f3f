"""Describes the findings of the gate for students: in the terminal, and on the page of a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from noughts.bots.gate import Finding, Gate, GateReport, is_admitted
from noughts.printable import counted
from noughts.sandbox import BotLimits, BotSource, Fault
from noughts.sandbox.faults import seconds

DETAILS_SHOWN = 3
UNDECIDED = "undecided: run the full check, without --quick"
LATE_SHARE = 0.8
"""From this share of the time limit on, a move is too close: the tournament's machine may be slower."""


@dataclass(frozen=True)
class CheckWords:
    """A described report. rows: what was checked, and the result. findings: what to fix or to know."""

    rows: list[list[str]]
    findings: list[Finding]
    notes: list[str]
    conclusion: str


def is_undecided(report: GateReport, gate: Gate) -> bool:
    """Returns whether only a full check can find out if the bot is admitted."""
    return report.undecided and is_admitted(gate.admit, report.reason)


def check_words(report: GateReport, source: BotSource, gate: Gate) -> CheckWords:
    """Returns the description of a report."""
    rows = [["submission rules", _rules_line(report, gate)]]
    if report.fault is not None:
        rows.append(["loads", "no"])
    else:
        rows += _game_rows(report, gate.limits)
    found = [_quoted(source, each) for each in [*(report.breaches or []), *_gathered(report.remarks)]]
    faults = _same_faults(report)
    for games, fault in faults[:DETAILS_SHOWN]:
        text = f"{games}{_without_line(fault)}"
        found.append(_quoted(source, Finding(text, fault.line, detail=fault.detail)))
    if len(faults) > DETAILS_SHOWN:
        found.append(Finding(f"and {counted(len(faults) - DETAILS_SHOWN, 'fault')} more"))
    return CheckWords(rows, found, list(report.notes), _conclusion(report, gate))


def _conclusion(report: GateReport, gate: Gate) -> str:
    if is_undecided(report, gate):
        return UNDECIDED
    if not gate.admits(report):
        return "a tournament would not admit this bot"
    if not report.passed():
        return f"this tournament admits the bot with a warning (--admit {gate.admit})"
    return "no faults; read the remarks above before you submit" if report.remarks else "no problems found"


def _quoted(source: BotSource, found: Finding) -> Finding:
    """Returns a finding with the line of the file."""
    code, line = source.text.splitlines(), found.line
    if line is None:
        return found
    quoted = code[line - 1].rstrip().expandtabs(4) if 0 < line <= len(code) else None
    return replace(found, text=f"line {line}: {found.text}", code=quoted)


def _same_faults(report: GateReport) -> list[tuple[str, Fault]]:
    """Returns each distinct fault, with its games.

    Faults with the same kind, line and beginning are equal: messages about invalid moves go on with the legal ones.
    """
    found: dict[tuple[str, int | None, str], tuple[list[str], Fault]] = {}
    for number, fault in report.faults:
        key = fault.kind, fault.line, fault.text.partition(";")[0]
        found.setdefault(key, ([], fault))[0].append(str(number))
    if report.fault is not None:
        return [("loading: " if report.readable else "", report.fault)]
    return [(f"game{'s' * (len(games) > 1)} {', '.join(games)}: ", fault) for games, fault in found.values()]


def _without_line(fault: Fault) -> str:
    """Returns the text of a fault without its line, for places that already show it."""
    return fault.text.replace(f" (line {fault.line})", "")


def _rules_line(report: GateReport, gate: Gate) -> str:
    if report.breaches is None:
        return gate.rules.not_applicable if report.readable and gate.rules is not None else "not checked"
    return f"{len(report.breaches)} broken, see below" if report.breaches else "kept"


def _game_rows(report: GateReport, limits: BotLimits) -> list[list[str]]:
    taken = f", in {seconds(report.load_seconds)} of {seconds(limits.load_seconds)}" if report.load_seconds else ""
    rows = [["loads", f"yes{taken}"]]
    for opponent in dict.fromkeys(game.opponent for game in report.games if not report.quick):
        games = counted(sum(game.opponent == opponent for game in report.games), "game")
        if (tally := report.tally_against(opponent)).games:
            games += f": {tally.won} won, {tally.lost} lost"
        rows.append([f"against {opponent}", games])
    rows.append(["faults", str(len(report.faults)) if report.faults else "none"])
    limit = limits.move_seconds
    share = report.tally.worst_seconds / limit
    late = " - too close: another machine may be slower" if share >= LATE_SHARE else ""
    times = f"median {seconds(report.tally.median_seconds)}, longest {seconds(report.tally.worst_seconds)}"
    if not report.tally.seconds:
        clocks = " with fast clocks" if report.quick else ""
        rows.append(["time for a move", f"not measured: no move was valid and in time{clocks}"])
    elif report.quick:
        rows.append(["time for a move", f"{times}, with fast clocks: a full check measures it"])
    else:
        rows.append(["time for a move", f"{times}, {share:.1%} of the limit of {seconds(limit)}{late}"])
    if report.quick:
        rows.append(["moves", f"{len(report.tally.seconds)}, against random ones"])
    if report.unsafe:
        rows.append(["sandbox", "none (--unsafe): memory and forbidden calls are not checked"])
    elif report.kilobytes:
        rows.append(["memory", f"{report.kilobytes / 1024:.0f} MB of {limits.memory >> 20} MB"])
    if report.prints:
        rows.append(["prints", f"at {counted(report.prints, 'move')}; other teams do not see them"])
    played = zip(report.games, report.records, strict=True)
    warnings = {record.warnings[seat] for game, record in played for seat in game.seats} - {None}
    return rows + [["warning", str(text)] for text in warnings]


def _gathered(remarks: Sequence[Finding]) -> list[Finding]:
    """Returns each distinct remark, with its first line and the number of further ones."""
    same: dict[str, list[Finding]] = {}
    for remark in remarks:
        same.setdefault(remark.text, []).append(remark)
    return [
        replace(first, text=f"{text} (and {counted(len(rest), 'more line')})") if rest else first
        for text, (first, *rest) in same.items()
    ]
