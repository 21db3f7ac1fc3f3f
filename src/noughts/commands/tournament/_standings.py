"""`noughts tournament standings`, and the report at the end of a run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from noughts.commands._bot_options import add_tournament
from noughts.commands._options import add_json
from noughts.commands.output import Report, table, width
from noughts.commands.tournament._status import (
    draw_remarks,
    games_line,
    notice_lines,
    slow_remarks,
    status_facts,
    title,
)
from noughts.printable import counted, paragraph, shell_quote
from noughts.tournaments import StoreError
from noughts.tournaments.names import natural_order
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.view import TournamentView

HELP = {
    "standings": """Show the table, ratings with 95% intervals, and the certainty of the places.

Points are summed, as in the course; docs/tournament.md explains ties, ratings
and certainty. --season compares all tournaments of the file.

examples:
  noughts tournament standings class.noughts
  noughts tournament standings class.noughts --pools
  noughts tournament standings class.noughts --season
""",
}
ORDERS = {
    "points": "points",
    "points a game": "points per game, since the numbers of games differ",
    "stage reached": "the stage reached, the place in its pool, and points per game there",
    "rating": "rating",
}
NAME_SHOWN, LEAST_NAME = 30, 10
"""Maximum characters of a name in the table: usually, and in a narrow terminal. JSON and CSV have full names."""


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add_tournament(parser)
    parser.add_argument("--pools", action="store_true", help="show a table for each pool of each stage")
    parser.add_argument("--season", action="store_true", help="each team's results in all tournaments of the file")
    parser.add_argument("--top", type=int, default=3, metavar="N", help="certainty of the first N places (default: 3)")
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    if args.top < 1:
        raise ValueError(f"--top must be 1 or more, not {args.top}")
    with TournamentFile(args.file) as file:
        if args.season:
            return _season(file)
        view = TournamentView(file.tournament(args.name))
        text = _pools_text(view) if args.pools else "\n".join([*title(view), "", standings_table(view, args.top)])
        return Report(standings_facts(view, args.top), text)


def _pools_text(view: TournamentView) -> str:
    parts, found = notice_lines(view), view.standings
    for (stage, pool), rows in found.stages.items():
        cells = [[str(row.place), row.name, str(row.games), str(row.points), str(row.won)] for row in rows]
        lines = table(["", "name", "games", "points", "won"], cells, right=(0, 2, 3, 4)).splitlines()
        top = found.form.qualify(stage)
        if top is not None and top < len(rows):
            lines.insert(1 + top, f"{'-' * max(map(len, lines))} qualify")
        parts += [f"{stage}, pool {pool}", *lines, ""]
    return "\n".join(parts)


def standings_facts(view: TournamentView, top: int = 3) -> dict[str, Any]:
    found = view.standings
    return {
        "name": view.tournament.name,
        "game": view.tournament.game.name,
        "rehearsal": view.settings.rehearsal is not None,
        "format": view.settings.format,
        "ordered_by": found.ordered_by,
        "games": len(found.results) + len(found.extra),
        "standings": found.facts(view.entries, top),
        "first_move_elo": asdict(found.ratings.first_move),
        "pools": [
            {"stage": stage, "pool": pool, "table": [row.to_data() for row in rows]}
            for (stage, pool), rows in found.stages.items()
        ],
    }


def standings_table(view: TournamentView, top: int = 3) -> str:
    found = view.standings
    facts = found.facts(view.entries, top)
    text = _order_table(facts, top, NAME_SHOWN)
    over = max(map(len, text.splitlines())) - width()
    if over > 0:
        longest = max(len(_short(row["name"], NAME_SHOWN)) for row in facts)
        text = _order_table(facts, top, max(LEAST_NAME, longest - over))
    lines = ["* staff"] if any(row["staff"] for row in facts) else []
    lines.append(f"Ordered by {ORDERS[found.ordered_by]}.")
    components = len({row["component"] for row in facts})
    if components > 1:
        lines.append(
            f"The contestants fall into {components} groups that have not played each other; compare ratings only "
            "within a group."
        )
    if found.extra:
        settings = view.settings
        first = "the first place is" if settings.places == 1 else f"the first {settings.places} places are"
        lines.append(
            f"By rating: with {counted(len(found.extra), 'game')} more, {first} "
            f"{found.certainty.sure(settings.places):.0%} sure (asked for: {settings.sure or 0:.0%})."
        )
    return "\n\n".join([text, *(paragraph(line, width()) for line in lines)])


def _order_table(facts: Sequence[Mapping[str, Any]], top: int, longest_name: int) -> str:
    """Returns everyone in order. Shows faults if there are any, and rates if the numbers of games differ."""
    columns: list[tuple[str, Callable[[Mapping[str, Any]], str]]] = [
        ("", lambda row: str(row["place"])),
        ("name", lambda row: _short(row["name"], longest_name) + ("*" if row["staff"] else "")),
        ("games", lambda row: str(row["games"])),
        ("+", lambda row: str(row["won"])),
        ("=", lambda row: str(row["drawn"])),
        ("-", lambda row: str(row["lost"])),
        ("points", lambda row: str(row["points"])),
    ]
    if any(row["reached"] for row in facts):
        columns.append(("reached", lambda row: (row["reached"] or "").replace("semi-final", "semi")))
    elif len({row["games"] for row in facts}) > 1:
        columns.append(("per game", lambda row: f"{row['points_per_game']:.2f}"))
    if any(row["tie_break"] for row in facts):
        columns.append(("tie-break", lambda row: row["tie_break"]))
    if any(row["faults"] for row in facts):
        columns.append(("faults", lambda row: str(row["faults"] or "")))
    if any(row["late"] for row in facts):
        columns.append(("late", lambda row: row["late"].removesuffix(" late")))
    columns += [
        ("Elo, 95%", lambda row: f"{round(row['elo'])} ±{round((row['elo_high'] - row['elo_low']) / 2)}"),
        (f"top {top}", lambda row: "" if row[f"top_{top}"] is None else f"{row[f'top_{top}']:.0%}"),
    ]
    rows = [[cell(row) for _, cell in columns] for row in facts]
    return table([head for head, _ in columns], rows, right=[0, *range(2, len(columns))])


def run_report(tournament: TournamentStore, played: int, checks: int) -> Report:
    """Returns the report at the end of a run. played: games of this run; checks: games of the gate."""
    view = TournamentView(tournament)
    facts = status_facts(view)
    file = shell_quote(tournament.file.path)
    done = f"{counted(played, 'game')} played" if played or checks else "no games were left to play"
    check = f", and {counted(checks, 'game')} to check new bots" if checks else ""
    lines = [paragraph(f"{done}{check}. {games_line(facts)}", width()), *notice_lines(view), ""]
    failed = failed_bots(view)
    lines += [*failed, ""] if failed else []
    lines.append(standings_table(view))
    remarks = [*slow_remarks(facts), *draw_remarks(facts)]
    lines += ["", *(paragraph(line, width()) for line in remarks)]
    lines += [
        f"Everything is in {file}, which is for staff only.",
        f"  noughts tournament standings {file} --pools",
        f"  noughts report {file}",
        f"  noughts tournament games {file}",
        f"  noughts tournament marks {file}",
        f"  noughts tournament export {file} results/",
        f"  noughts tournament freeze {file}",
    ]
    return Report(standings_facts(view), "\n".join(lines))


def failed_bots(view: TournamentView) -> list[str]:
    """Returns a paragraph for each bot that failed at the gate, with the reason."""
    out = [entry for entry in view.entries if entry.reason and not entry.removed]
    return [paragraph(f"{entry.name} {view.status_words(entry)}: {entry.reason}", width()) for entry in out]


def _season(file: TournamentFile) -> Report:
    """Returns each contestant's place, points per game and rating, tournament by tournament."""
    teams: dict[str, dict[str, dict[str, Any]]] = {}
    names, rehearsals = file.names(), []
    for name in names:
        view = TournamentView(file.tournament(name))
        is_rehearsal = view.settings.rehearsal is not None
        rehearsals += [name] * is_rehearsal
        with suppress(StoreError):  # without players yet
            for row in view.standings.facts(view.entries):
                teams.setdefault(row["name"], {})[name] = row | {"rehearsal": is_rehearsal}
    parts = ["place, points per game and Elo in each tournament"]
    if rehearsals:
        parts.append(paragraph(f"REHEARSAL: {', '.join(rehearsals)}", width()))
    while names:  # as many side by side as fit
        count = len(names)
        while count > 1 and max(map(len, _weeks(teams, names[:count]).splitlines())) > width():
            count -= 1
        parts += ["", _weeks(teams, names[:count])]
        names = names[count:]
    return Report(teams, "\n".join(parts))


def _weeks(seasons: Mapping[str, Mapping[str, Mapping[str, Any]]], names: Sequence[str]) -> str:
    """Returns everyone's results in these tournaments."""

    def cell(row: Mapping[str, Any] | None) -> str:
        return "-" if row is None else f"{row['place']}. {row['points_per_game']:.1f} {row['elo']:+z.0f}"

    rows = [
        [_short(team, NAME_SHOWN), *(cell(results.get(name)) for name in names)]
        for team, results in sorted(seasons.items(), key=lambda item: natural_order(item[0]))
    ]
    return table(["name", *names], rows)


def _short(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 3]}..."
