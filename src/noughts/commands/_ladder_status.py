"""`noughts ladder status`: the state of a ladder, in the terminal."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from noughts.commands.output import Report, table, width
from noughts.files import is_locked, lock_note
from noughts.printable import counted, one_line, paragraph
from noughts.tournaments.ladder import deadline_of, is_over, ladder_in
from noughts.tournaments.ladder_view import leaderboard, queue
from noughts.tournaments.store import TournamentFile, TournamentStore

ROWS_SHOWN = 30
"""Maximum rows of a table in the terminal."""
TROUBLE_SHOWN = 300


def status(args: argparse.Namespace) -> Report:
    with TournamentFile(args.file) as file:
        ladder, path = ladder_in(file), Path(args.file)
        running = is_locked(path)
        facts = {
            "file": args.file,
            "game": ladder.game.name,
            "running": running,
            "trouble": one_line(str(lock_note(path).get("trouble", "")), TROUBLE_SHOWN) if running else "",
            **queue(ladder),
            "board": leaderboard(ladder),
        }
        return Report(facts, _text(ladder, facts))


def _text(ladder: TournamentStore, facts: dict[str, Any]) -> str:
    state = "running" if facts["running"] else "not running"
    if facts["trouble"]:
        state = f"paused: {facts['trouble']}"
    if facts["frozen"]:
        state = f"frozen since {facts['frozen'][:10]}"
    lines = [f"{facts['file']}: a ladder of {ladder.game.rules.title}, {state}"]
    if facts["deadline"]:
        lines.append(f"deadline: {deadline_words(ladder)}")
    if facts["suspended"]:
        lines.append(f"suspended: {', '.join(one['team'] for one in facts['suspended'])}")
    waiting = [
        f"{one['team']} version {one['version']}" + ("" if one["seconds"] is None else f" ({one['seconds']:.0f} s)")
        for one in facts["waiting"]
    ]
    lines.append(f"waiting for the check: {', '.join(waiting) or 'none'}")
    lines.append(f"placement games: {', '.join(facts['placing']) or 'none'}")
    gate = facts["gate_seconds"]
    verdict = f"; check: median {gate['median']:.0f} s, 95% within {gate['p95']:.0f} s" if gate else ""
    if rated := facts["rated_seconds"]:
        verdict += f"; rating: median {rated['median']:.0f} s, 95% within {rated['p95']:.0f} s"
    playing = f", {counted(len(facts['playing']), 'game')} in flight" if facts["running"] else ""
    rate = f"{facts['games_per_minute']:g} per minute over the last five minutes"
    lines.append(f"{counted(facts['games'], 'game')}, {rate}{playing}{verdict}")
    for one in facts["machines"]:
        speed = f"{one['games']:,} games, speed {one['speed']:.3g} ({one['slowest']:.3g} to {one['fastest']:.3g})"
        lines.append(f"machine {one['name']}, {counted(one['cores'], 'core')}: {speed}")
    remarks = [
        f"{one['team']}: {counted(one['faults'], 'fault')}; latest in game {one['game']}: {one['latest']}"
        for one in facts["faults"][:ROWS_SHOWN]
    ]
    remarks += [
        f"{one['team']} has {one['points']:g} points from {one['games']} games against {one['against']}; their games "
        f"against others predict {one['expected']:g}. Review their games."
        for one in facts["odd_pairs"][:ROWS_SHOWN]
    ]
    head = "\n".join(paragraph(line, width()) for line in lines)
    return "\n\n".join([head, board_table(facts["board"]), *(paragraph(line, width()) for line in remarks)])


def board_table(board: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for row in board[:ROWS_SHOWN]:
        elo = "" if row["elo"] is None else f"{row['elo']:+.0f}"
        half = "" if row["elo"] is None else f"±{(row['high'] - row['low']) / 2:.0f}"
        name = f"({row['team']})" if row["yardstick"] else str(row["team"])
        state = "placement" if row["provisional"] and row["state"] == "plays" else str(row["state"])
        rows.append([str(row["place"] or ""), name, str(row["version"] or ""), elo, half, str(row["games"]), state])
    more = f"\n... and {len(board) - ROWS_SHOWN} more" if len(board) > ROWS_SHOWN else ""
    return table(["", "team", "version", "Elo", "95%", "games", ""], rows, right=(0, 2, 3, 4, 5)) + more


def deadline_words(ladder: TournamentStore) -> str:
    """Returns the deadline in this machine's time zone, and whether it has passed; "none" without a deadline."""
    deadline = deadline_of(ladder.settings)
    if deadline is None:
        return "none"
    over = "; it has passed, and uploads are refused" if is_over(ladder) else ""
    return f"{deadline.astimezone():%Y-%m-%d %H:%M %z}{over}"
