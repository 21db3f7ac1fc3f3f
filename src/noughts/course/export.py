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
from collections.abc import Iterable, Iterator, Sequence
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
from noughts.tournaments.summary import Standings, standings_of
from noughts.tournaments.visibility import PUBLIC, team
from noughts.untrusted import MALFORMED, FileKind, read_json

COMMENT_LINE = 500
"""Maximum characters of a sentence in a comment."""
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""A fixed date, so that equal contents give equal zips."""
MANIFEST = "export.json"
EXPORT_LIST = FileKind("the list of an export", 1 << 20, nodes=20_000)
GAME_COLUMNS = (
    "number stage pool round first second first_version second_version first_points second_points winner".split()
)
GAME_COLUMNS += "reason fault plies first_seconds second_seconds seed machine speed finished".split()


def export(
    tournament: TournamentStore,
    folder: Path,
    thresholds: Sequence[Threshold] | None = None,
    *,
    all_logs: bool = False,
    late_factor: float = 1.0,
    tick: Tick = lambda _share: None,
) -> list[Path]:
    """Writes all files; returns their paths, without the teams' own. all_logs: also the logs of all games. late_factor:
    see `marks_of`. tick: called with the share done of the teams' files, which take most of the time.

    Files of a rehearsal are labelled as such, and include no marks for an LMS. Files of removed teams are deleted.
    Raises StoreError if the folder contains another tournament's export.
    """
    former = _former_teams(tournament, folder)
    found = standings_of(tournament)
    marks = marks_of(tournament, thresholds, late_factor=late_factor)
    rehearsal = tournament.settings.rehearsal is not None
    for place in (folder, folder / "teams", *([] if rehearsal else [folder / "gradescope"])):
        make_folder(place, below=folder)
    names = [mark.name for mark in marks]
    places = dict(zip(names, slugs(names), strict=True))
    # Written before any team's files, so that later exports recognise an interrupted one.
    manifest = {"tournament": tournament.identity, "teams": sorted({*places.values(), *former})}
    write_whole(folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())
    facts = found.facts(tournament)
    files = {
        "standings.csv": csv_of(list(facts[0]) if facts else ["place", "name"], facts),
        "games.csv": csv_of(GAME_COLUMNS, tournament.game_rows(replays=False)),
        "marks.csv": to_csv(marks),
    }
    if rehearsal:
        del files["marks.csv"]
        files = {f"rehearsal-{name}": text for name, text in files.items()}
    for name, text in files.items():
        write_whole(folder / name, text.encode())
    rows = {row.name: row for row in found.order}
    for done, mark in enumerate(marks, 1):
        if not rehearsal:
            results = gradescope(mark, rows.get(mark.name), found.rating_of.get(mark.name))
            team = folder / "gradescope" / places[mark.name]
            make_folder(team, below=folder)
            write_whole(team / "results.json", (json.dumps(results, indent=2) + "\n").encode())
        write_whole(folder / "teams" / f"{places[mark.name]}.zip", team_zip(tournament, mark, found))
        tick(done / len(marks))
    for team_gone in former - set(places.values()):
        _remove_team(folder, team_gone)
    if all_logs:
        write_all_logs(tournament, folder / "logs")
    folders = {"gradescope": not rehearsal, "teams": True, "logs": all_logs}
    return [folder / name for name in [*files, *(name for name, made in folders.items() if made)]]


def write_all_logs(tournament: TournamentStore, folder: Path) -> None:
    """Writes every game that counts: moves, clocks and results, without any prints. Earlier logs are removed."""
    make_folder(folder, below=folder.parent)
    for path in folder.iterdir():
        if re.fullmatch(r"game-\d{6,}-.*\.(json|log)", path.name):
            path.unlink()
    for game in tournament.game_rows():
        record = PUBLIC.within(tournament).game(record_of(game))
        for ending, content in game_files(record).items():
            write_whole(folder / f"{file_name(game, record)}{ending}", content)


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


def team_zip(tournament: TournamentStore, mark: Mark, found: Standings) -> bytes:
    """Returns the zip of one team: its games, its faults with their lines, and its marks."""
    data, visibility = io.BytesIO(), team(mark.name).within(tournament)
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:

        def write(name: str, text: str) -> None:
            file.writestr(zipfile.ZipInfo(name, ZIP_DATE), text.encode(errors="replace"), zipfile.ZIP_DEFLATED)

        faults = []
        for game in tournament.game_rows(name=mark.name, everything=True):
            record = visibility.game(record_of(game))
            where = "check" if game["stage"] == "gate" else "games" if game["counts"] else "former"
            name = file_name(game, record)
            versions = visibility.row(game)
            # A number may have games of several versions; hidden ones are told apart by the game's own id.
            name += "".join(f"-v{versions[f'{seat}_version'] or game['id']}" for seat in ("first", "second"))
            seats = [seat for seat in (0, 1) if record.players[seat] == mark.name]
            write(f"{where}/{name}.json", to_json(record))
            for seat in seats:
                ending = f"-{FLAGS[seat]}" if len(seats) > 1 else ""
                write(f"{where}/{name}{ending}.log", game_log(record, prints_of=seat))
            if record.fault is not None and record.faulty in seats:
                version = game["second_version" if record.faulty else "first_version"]
                faults.append(_fault_text(record, f"{where}/{name}", tournament.entries.source(mark.name, version)))
        write("faults.txt", "\n".join(faults) or "No game was lost by a fault.\n")
        notice = [text] if (text := tournament.settings.notice) else []
        write("summary.txt", "\n".join([*notice, *_summary(mark, found)]) + "\n")
    return data.getvalue()


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
    """Returns a comment on the marks for an LMS: the results of the team, and the reasons for 0."""
    played = any(row.name == mark.name for row in found.order)
    lines = [*(team_results(mark, found) if played else ()), *filter(None, [mark.why_zero])]
    return "".join(f"{capitalized(one_line(line, COMMENT_LINE)).rstrip('.')}. " for line in lines).rstrip()
