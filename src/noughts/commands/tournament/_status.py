"""How far a tournament is, as data and in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from noughts.commands.output import counted, width
from noughts.files import is_locked
from noughts.printable import paragraph, shell_quote
from noughts.tournaments import StoreError
from noughts.tournaments.store import TournamentStore
from noughts.tournaments.summary import slow_games, status_of


def status_facts(tournament: TournamentStore) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "file": str(tournament.file.path),
        "name": tournament.name,
        "game": tournament.game.name,
        "rehearsal": tournament.settings.rehearsal is not None,
        "settings": asdict(tournament.settings),
        "created": tournament.created,
        "frozen": tournament.frozen,
        "seeds": tournament.published_seeds,
    }
    try:
        status = status_of(tournament)
        facts |= {"games": status.games, "of": status.of, "finished": status.finished, "waiting": status.waiting}
        facts["old_draws"] = [draw._asdict() for draw in status.old_draws]
        facts["fewer_pools"] = [stage._asdict() for stage in status.fewer_pools]
    except StoreError as error:
        facts |= {"games": 0, "of": 0, "finished": False, "trouble": str(error)}
    facts["running"] = not tournament.file.writes and is_locked(tournament.file.path)
    facts["checks"] = tournament.checks()
    facts["entries"] = [
        {"name": entry.name, "version": entry.version, "staff": entry.staff, "plays": entry.plays}
        | {"removed": entry.removed, "reason": entry.reason}
        for entry in tournament.entries.all()
    ]
    faults = (game for game in tournament.game_rows(replays=False) if game["fault"] is not None)
    facts["faults"] = [
        {"game": game["number"], "name": game["second" if game["faulty"] else "first"], "fault": game["fault"]}
        for game in faults
    ]
    facts["machines"] = tournament.machines()
    slow = slow_games(tournament)
    facts["slow"] = None if slow is None else asdict(slow)
    return facts


def title(tournament: TournamentStore) -> list[str]:
    settings = tournament.settings
    name = "" if tournament.file.names() == [tournament.name] else f", {tournament.name!r}"
    return [
        f"{tournament.file.path}{name}: {settings.format} of {tournament.game.rules.title}, "
        f"{settings.seconds:g} s for a move",
        *notice_lines(tournament),
    ]


def notice_lines(tournament: TournamentStore) -> list[str]:
    """Returns the notice of a rehearsal, in lines; none for a tournament that counts."""
    notice = tournament.settings.notice
    return [paragraph(notice, width())] if notice else []


def games_line(facts: Mapping[str, Any]) -> str:
    if facts["frozen"]:
        over = f"frozen since {facts['frozen'][:10]}; its seed is {', then '.join(facts['seeds'])}"
        return f"{facts['games']} of {facts['of']} games: {over}"
    played, of = facts["checks"]
    if facts["running"] and of:
        return f"a run is checking the new bots: {played} of {of} games of the check are played"
    if "trouble" in facts:
        return str(facts["trouble"])
    waiting = f", {facts['waiting']} bots wait for their check" if facts["waiting"] else ""
    over = "finished" if facts["finished"] else f"`noughts tournament run --file {shell_quote(facts['file'])}` goes on"
    if facts["running"] and not facts["finished"]:
        over = "a run is playing them"
    return f"{facts['games']} of {facts['of']} games{waiting}: {over}"


def draw_remarks(facts: Mapping[str, Any]) -> Iterable[str]:
    """What should be known of the draws: fewer pools than asked for, and stages drawn before results changed."""
    for stage in facts.get("fewer_pools", ()):
        yield (
            f"{stage['contestants']} contestants make {counted(stage['pools'], 'pool')} of the {stage['stage']} stage, "
            f"not {stage['asked']}: a pool needs {stage['go_on'] + 1} or more, since {stage['go_on']} go on."
        )
    for draw in facts.get("old_draws", ()):
        out = f"{', '.join(draw['out'])} would now be in it and stays out" if draw["out"] else ""
        inside = f"{', '.join(draw['inside'])} would not and stays in" if draw["inside"] else ""
        yield (
            f"The {draw['stage']} was drawn before results changed: {'; '.join(filter(None, [out, inside]))}. "
            f"`noughts tournament redraw {shell_quote(facts['file'])} {draw['stage']}` draws it again."
        )


def slow_remarks(tournament: TournamentStore, slow: Mapping[str, Any] | None) -> Iterable[str]:
    if slow is None:
        return
    yield (
        f"{slow['games']} games were played on a machine slower than usual by more than 15%; the slowest "
        f"({slow['machine']}) had {slow['worst']:.0%} of the usual speed"
    )
    if slow["lost"]:
        yield (
            f"{len(slow['lost'])} of them were lost on time: "
            f"`noughts tournament rerun {shell_quote(tournament.file.path)} --slow` lets them be played again"
        )
