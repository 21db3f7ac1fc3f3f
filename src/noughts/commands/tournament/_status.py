"""`noughts tournament status`: progress of a tournament, as data and in sentences."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from noughts.commands._bot_options import add_tournament
from noughts.commands._options import add_json
from noughts.commands.output import Report, table, width
from noughts.files import is_locked
from noughts.printable import counted, paragraph, shell_quote
from noughts.tournaments import StoreError
from noughts.tournaments.lateness import late_words
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.view import TournamentView

HELP = {
    "status": """Show the progress of a tournament: contestants, games, faults, machines.

examples:
  noughts tournament status class.noughts
  noughts tournament status class.noughts --json
""",
}
FAULTS_SHOWN = 10


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add_tournament(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    with TournamentFile(args.file) as file:
        view = TournamentView(file.tournament(args.name))
        facts = status_facts(view)
        remarks = (f"\n{paragraph(line, width())}" for line in _remarks(facts))
        lines = [*title(view), f"{games_line(facts)}\n", _entries_table(facts["entries"]), *remarks]
        return Report(facts, "\n".join(lines))


def _entries_table(entries: Iterable[Mapping[str, Any]]) -> str:
    rows = []
    for entry in entries:
        state = (
            "removed"
            if entry["removed"]
            else "plays"
            if entry["plays"]
            else "waits"
            if entry["waits"]
            else "is excluded"
        )
        state += ", staff" * entry["staff"] + f", {entry['late']}" * bool(entry["late"])
        rows.append([entry["name"], str(entry["version"] or ""), state, entry["reason"]])
    return table(["name", "version", "", "why"], rows) if rows else "no contestants"


def _remarks(facts: Mapping[str, Any]) -> Iterable[str]:
    """Yields problems to look at."""
    for fault in facts["faults"][-FAULTS_SHOWN:]:
        yield f"game {fault['game']}, {fault['name']}: {fault['fault']}"
    if len(facts["faults"]) > FAULTS_SHOWN:
        yield f"... and {len(facts['faults']) - FAULTS_SHOWN} faults before these (`games --staff` has them all)"
    yield from slow_remarks(facts)
    yield from draw_remarks(facts)


def status_facts(view: TournamentView) -> dict[str, Any]:
    tournament = view.tournament
    facts: dict[str, Any] = {
        "file": str(tournament.file.path),
        "name": tournament.name,
        "game": tournament.game.name,
        "rehearsal": view.settings.rehearsal is not None,
        "settings": asdict(view.settings),
        "created": tournament.created,
        "frozen": tournament.frozen,
        "seeds": tournament.published_seeds,
    }
    try:
        status = view.status
        facts |= {"games": status.games, "of": status.total, "finished": status.finished, "waiting": status.waiting}
        facts["old_draws"] = [draw._asdict() for draw in status.old_draws]
        facts["fewer_pools"] = [stage._asdict() for stage in status.fewer_pools]
    except StoreError as error:
        facts |= {"games": 0, "of": 0, "finished": False, "trouble": str(error)}
    facts["running"] = not tournament.file.writes and is_locked(tournament.file.path)
    facts["checks"] = tournament.checks()
    facts["entries"] = [
        {"name": entry.name, "version": entry.version, "staff": entry.staff, "plays": entry.plays}
        | {"waits": entry.candidate_id is not None, "removed": entry.removed, "reason": entry.reason}
        | {"late": late_words(entry.late)}
        for entry in view.entries
    ]
    facts["faults"] = [
        {"game": game["number"], "name": game["second" if game["faulty"] else "first"], "fault": game["fault"]}
        for game in view.games
        if game["fault"] is not None
    ]
    facts["machines"] = tournament.machines()
    slow = view.slow_games
    facts["slow"] = None if slow is None else asdict(slow)
    return facts


def title(view: TournamentView) -> list[str]:
    tournament, settings = view.tournament, view.settings
    name = "" if tournament.file.names() == [tournament.name] else f", {tournament.name!r}"
    return [
        f"{tournament.file.path}{name}: {settings.format} of {tournament.game.rules.title}, "
        f"{settings.seconds:g} s per move",
        *notice_lines(view),
    ]


def notice_lines(view: TournamentView) -> list[str]:
    """Returns the lines of the notice of a rehearsal; none for a tournament that counts."""
    notice = view.settings.notice
    return [paragraph(notice, width())] if notice else []


def games_line(facts: Mapping[str, Any]) -> str:
    if facts["frozen"]:
        over = f"frozen since {facts['frozen'][:10]}; the tournament's seed is {', then '.join(facts['seeds'])}"
        return f"{facts['games']} of {facts['of']} games: {over}"
    played, of = facts["checks"]
    if facts["running"] and of:
        return f"a run is checking new bots: {played} of {of} games of the check are finished"
    if "trouble" in facts:
        return str(facts["trouble"])
    waiting = f", {facts['waiting']} bots waiting for their check" if facts["waiting"] else ""
    over = "finished" if facts["finished"] else f"{run_command(facts['file'])} continues"
    if facts["running"] and not facts["finished"]:
        over = "a run is in progress"
    return f"{facts['games']} of {facts['of']} games{waiting}: {over}"


def run_command(file: str | Path) -> str:
    """Returns the command that continues a tournament, for a sentence."""
    return f"`noughts tournament run --file {shell_quote(file)}`"


def draw_remarks(facts: Mapping[str, Any]) -> Iterable[str]:
    """Yields remarks on the draws: fewer pools than asked for, and stages drawn before results changed."""
    for stage in facts.get("fewer_pools", ()):
        yield (
            f"{stage['contestants']} contestants make {counted(stage['pools'], 'pool')} of the {stage['stage']} "
            f"stage, not {stage['asked']}: {stage['go_on']} of each pool qualify, so a pool needs "
            f"{stage['go_on'] + 1} or more."
        )
    for draw in facts.get("old_draws", ()):
        out = f"{', '.join(draw['out'])} would now qualify but stays out" if draw["out"] else ""
        inside = f"{', '.join(draw['inside'])} would no longer qualify but stays in" if draw["inside"] else ""
        yield (
            f"The {draw['stage']} was drawn before results changed: {'; '.join(filter(None, [out, inside]))}. "
            f"`noughts tournament redraw {shell_quote(facts['file'])} {draw['stage']}` draws it again."
        )


def slow_remarks(facts: Mapping[str, Any]) -> Iterable[str]:
    slow = facts["slow"]
    if slow is None:
        return
    yield (
        f"{slow['games']} games were played on a machine at least 15% slower than usual; the slowest "
        f"({slow['machine']}) had {slow['worst']:.0%} of the usual speed"
    )
    if slow["lost"]:
        yield (
            f"{len(slow['lost'])} of them were lost on time: `noughts tournament rerun {shell_quote(facts['file'])} "
            "--slow` has them played again"
        )
