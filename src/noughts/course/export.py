"""Exports a tournament file as files to hand out; the same file always gives the same export.

standings.csv   the ranking, with ratings
games.csv       every game that counts
marks.csv       marks of the teams
gradescope/     TEAM/results.json for each team
logs/           every game that counts as log and replay, as the public may see it (on demand)
teams/          TEAM.zip: its games as logs and replays, and its faults with the line
export.json     the tournament and its teams, so that a later export finds these files

The CSV files are for the staff; a team's files contain what `Visibility` lets that team see.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from noughts.course.marks import Mark, gradescope, marks_of, to_csv
from noughts.course.thresholds import Threshold
from noughts.files import make_folder, slug, slugs, write_whole
from noughts.matches.exports import game_files
from noughts.matches.log import FLAGS, game_log, result_line
from noughts.matches.record import GameRecord
from noughts.matches.replays import to_json
from noughts.matches.store_file import StoreError
from noughts.printable import capitalized, counted, csv_text, one_line
from noughts.progress import Tick
from noughts.tournaments.lateness import late_words
from noughts.tournaments.store import TournamentStore, file_name, record_of
from noughts.tournaments.summary import Standings
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC, team
from noughts.untrusted import MALFORMED, FileKind, read_json

COMMENT_LINE = 500
"""Maximum characters of a sentence in a comment."""
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""A fixed date, so that equal contents give equal zips."""
TEAMS_AT_A_TIME = 100
"""Number of teams whose zips are in memory; each game is read once for all of them."""
MANIFEST = "export.json"
EXPORT_LIST = FileKind("the list of an export", 1 << 20, nodes=20_000)
GAME_COLUMNS = (
    "number stage pool round first second first_version second_version first_points second_points winner".split()
)
GAME_COLUMNS += "reason fault plies first_seconds second_seconds seed machine speed finished".split()


def export(
    view: TournamentView,
    folder: Path,
    thresholds: Sequence[Threshold] | None = None,
    *,
    all_logs: bool = False,
    late_factor: float = 1.0,
    tick: Tick = lambda _share: None,
) -> list[Path]:
    """Writes all files; returns their paths, without the teams' own. all_logs: also the logs of all games. late_factor:
    see `marks_of`. tick: called with the share done of the games, which take most of the time.

    Files of a rehearsal are labelled as such, and include no marks for an LMS. Files of removed teams are deleted.
    Raises StoreError if the folder contains another tournament's export.
    """
    tournament, found, rehearsal = view.tournament, view.standings, view.settings.rehearsal is not None
    former = _former_teams(tournament, folder)
    marks = marks_of(view, thresholds, late_factor=late_factor)
    for place in (folder, folder / "teams", *([] if rehearsal else [folder / "gradescope"])):
        make_folder(place, below=folder)
    names = [mark.name for mark in marks]
    places = dict(zip(names, slugs(names), strict=True))
    # Written before any team's files, so that later exports recognise an interrupted one.
    manifest = {"tournament": tournament.identity, "teams": sorted({*places.values(), *former})}
    write_whole(folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())
    facts = found.facts(view.entries)
    files = {
        "standings.csv": csv_of(list(facts[0]) if facts else ["place", "name"], facts),
        "games.csv": csv_of(GAME_COLUMNS, view.games),
        "marks.csv": to_csv(marks),
    }
    if rehearsal:
        del files["marks.csv"]
        files = {f"rehearsal-{name}": text for name, text in files.items()}
    for name, text in files.items():
        write_whole(folder / name, text.encode())
    rows = {row.name: row for row in found.order}
    for mark in [] if rehearsal else marks:
        results = gradescope(mark, rows.get(mark.name), found.rating_of.get(mark.name))
        place = folder / "gradescope" / places[mark.name]
        make_folder(place, below=folder)
        write_whole(place / "results.json", (json.dumps(results, indent=2) + "\n").encode())
    if all_logs:
        _remove_logs(folder / "logs")
    groups = [marks[first : first + TEAMS_AT_A_TIME] for first in range(0, len(marks), TEAMS_AT_A_TIME)] or [[]]
    for number, group in enumerate(groups):
        teams = {mark.name: _TeamFiles(view, mark) for mark in group}
        for share in _add_games(view, teams, folder / "logs" if all_logs and number == 0 else None):
            tick((number + share) / len(groups))
        for name, team_files in teams.items():
            write_whole(folder / "teams" / f"{places[name]}.zip", team_files.zip())
    for team_gone in former - set(places.values()):
        _remove_team(folder, team_gone)
    folders = {"gradescope": not rehearsal, "teams": True, "logs": all_logs}
    return [folder / name for name in [*files, *(name for name, made in folders.items() if made)]]


def _remove_logs(folder: Path) -> None:
    """Removes the logs of earlier exports; makes the folder if there is none."""
    make_folder(folder, below=folder.parent)
    for path in folder.iterdir():
        if re.fullmatch(r"game-\d{6,}-.*\.(json|log)", path.name):
            path.unlink()


def _add_games(view: TournamentView, teams: Mapping[str, _TeamFiles], logs: Path | None) -> Iterator[float]:
    """Adds every game to the files of its teams, and every game that counts to the folder of logs, if there is one.
    Yields the share done. The logs have moves, clocks and results, without any prints.
    """
    public = PUBLIC.within(view)
    count = sum(1 for _ in view.tournament.game_rows(everything=True, replays=False))
    for done, row in enumerate(view.tournament.game_rows(everything=True), 1):
        owners = [teams[name] for name in dict.fromkeys((row["first"], row["second"])) if name in teams]
        log_folder = logs if row["counts"] else None
        if owners or log_folder is not None:
            record = record_of(row)
            for files in owners:
                files.add(row, record)
            if log_folder is not None:
                visible = public.game(record)
                for ending, content in game_files(visible).items():
                    write_whole(log_folder / f"{file_name(row, visible)}{ending}", content)
        yield done / count


def _former_teams(tournament: TournamentStore, folder: Path) -> set[str]:
    """Returns the names of the teams' files that earlier exports of this tournament wrote to the folder."""
    path = folder / MANIFEST
    if not path.is_file():
        return set()
    try:
        manifest = read_json(path, EXPORT_LIST, ordinary=True)
        identity, teams = manifest["tournament"], manifest["teams"]
        if not all(isinstance(name, str) for name in (identity, *teams)):
            raise TypeError
    except MALFORMED:
        raise StoreError(f"{path} was not written by an export; name another folder") from None
    if identity != tournament.identity:
        raise StoreError(f"{folder} contains the export of another tournament; name another folder, or delete this one")
    return {name for name in teams if name == slug(name)}


def _remove_team(folder: Path, name: str) -> None:
    """Removes the files that an export wrote for a team, and nothing else."""
    (folder / "teams" / f"{name}.zip").unlink(missing_ok=True)
    place = folder / "gradescope" / name
    if place.is_dir() and not place.is_symlink():
        (place / "results.json").unlink(missing_ok=True)
        if not any(place.iterdir()):
            place.rmdir()


def csv_of(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    return csv_text([columns, *([row[column] for column in columns] for row in rows)])


class _TeamFiles:
    """The zip of one team: its games, its faults with their lines, and its marks."""

    def __init__(self, view: TournamentView, mark: Mark) -> None:
        self._view, self._mark, self._visibility = view, mark, team(mark.name).within(view)
        self._data, self._faults = io.BytesIO(), list[str]()
        self._file = zipfile.ZipFile(self._data, "w", zipfile.ZIP_DEFLATED)
        self._source = cache(partial(view.tournament.entries.source, mark.name))

    def add(self, row: Mapping[str, Any], record: GameRecord) -> None:
        """Adds a game of the team."""
        record = self._visibility.game(record)
        where = "check" if row["stage"] == "gate" else "games" if row["counts"] else "former"
        name = file_name(row, record)
        versions = self._visibility.row(row)
        # A number may have games of several versions; hidden ones are told apart by the game's own id.
        name += "".join(f"-v{versions[f'{seat}_version'] or row['id']}" for seat in ("first", "second"))
        seats = [seat for seat in (0, 1) if record.players[seat] == self._mark.name]
        self._write(f"{where}/{name}.json", to_json(record))
        for seat in seats:
            ending = f"-{FLAGS[seat]}" if len(seats) > 1 else ""
            self._write(f"{where}/{name}{ending}.log", game_log(record, prints_of=seat))
        if record.fault is not None and record.faulty in seats:
            version = row["second_version" if record.faulty else "first_version"]
            self._faults.append(_fault_text(record, f"{where}/{name}", self._source(version)))

    def zip(self) -> bytes:
        """Returns the zip, with the faults and a summary."""
        self._write("faults.txt", "\n".join(self._faults) or "No game was lost by a fault.\n")
        notice = [text] if (text := self._view.settings.notice) else []
        self._write("summary.txt", "\n".join([*notice, *_summary(self._mark, self._view.standings)]) + "\n")
        self._file.close()
        return self._data.getvalue()

    def _write(self, name: str, text: str) -> None:
        self._file.writestr(zipfile.ZipInfo(name, ZIP_DATE), text.encode(errors="replace"), zipfile.ZIP_DEFLATED)


def fault_texts(tournament: TournamentStore, name: str) -> Iterator[str]:
    """Yields a team's faults in games and at the gate, each with its line and traceback."""
    for game in tournament.game_rows(name=name, everything=True):
        record = record_of(game)
        if record.fault is not None and record.faulty is not None and record.players[record.faulty] == name:
            version = game["second_version" if record.faulty else "first_version"]
            where = "check" if game["stage"] == "gate" else f"game {record.number}"
            yield _fault_text(record, where, tournament.entries.source(name, version))


def _fault_text(record: GameRecord, name: str, source: str) -> str:
    fault = record.fault
    assert fault is not None
    lines = [f"{name}: {result_line(record)}"]
    code = source.splitlines()
    if fault.line is not None and 0 < fault.line <= len(code):
        lines.append(f"    {fault.line} | {code[fault.line - 1].rstrip()}")
    lines += [f"    | {line}" for line in fault.detail.splitlines()]
    return "\n".join(lines) + "\n"


def _summary(mark: Mark, found: Standings) -> Iterator[str]:
    yield mark.name
    yield from team_results(mark, found)
    if (rating := found.rating_of.get(mark.name)) is not None:
        yield f"rating {rating.elo:+z.0f} Elo, 95% interval {rating.low:+z.0f} to {rating.high:+z.0f}"
    yield f"marks {mark.marks:.2f} of {mark.out_of:g}{f', times {mark.factor:.3g}' if mark.factor != 1 else ''}"
    for part in mark.parts:
        yield f"  {part.name}: {part.marks:.2f} of {part.out_of:g} ({part.why})"


def team_results(mark: Mark, found: Standings) -> Iterator[str]:
    """Yields the results of a team: its lateness, place and record, and where it did not qualify."""
    if mark.late is not None:
        yield f"submitted {late_words(mark.late)}"
    row = next((row for row in found.order if row.name == mark.name), None)
    if row is None:
        yield "excluded from the games; see faults.txt and check/"
        return
    yield f"place {row.place} of {len(found.order)}"
    forfeits = f" ({row.forfeits.total()} by a fault)" if row.forfeits.total() else ""
    yield f"{counted(row.games, 'game')}: {row.won} won, {row.drawn} drawn, {row.lost} lost{forfeits}"
    yield f"{counted(row.points, 'point')} ({row.points_per_game:.2f} per game)"
    if missed := found.not_qualified.get(mark.name):
        yield missed


def comment_on(mark: Mark, found: Standings) -> str:
    """Returns a comment on the marks for an LMS: the results of the team, its factor, and the reasons for 0."""
    played = any(row.name == mark.name for row in found.order)
    lines = list(team_results(mark, found)) if played else []
    if mark.factor not in (0, 1):
        lines.append(f"marks multiplied by {mark.factor:.3g}")
    lines += filter(None, [mark.why_zero])
    return "".join(f"{capitalized(one_line(line, COMMENT_LINE)).rstrip('.')}. " for line in lines).rstrip()
