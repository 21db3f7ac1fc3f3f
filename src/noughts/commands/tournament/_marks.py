"""`noughts tournament marks`: the marks of the teams, or of the students of a roster."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from noughts.commands._bot_options import add_assign, add_late, add_tournament
from noughts.commands._options import add_json
from noughts.commands.output import Report, table, width, write_file
from noughts.commands.tournament._status import draw_remarks, notice_lines, status_facts
from noughts.course.export import comment_on
from noughts.course.lms import fill_in, read_extra
from noughts.course.marks import Mark, by_student, marks_of, merged, read_late, to_csv
from noughts.course.people import read_assigned
from noughts.course.roster import Roster, read_roster
from noughts.course.thresholds import read_thresholds
from noughts.printable import counted, paragraph
from noughts.tournaments.lateness import late_words
from noughts.tournaments.standings import BY_STAGE
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.summary import Standings
from noughts.tournaments.view import TournamentView

HELP = {
    "marks": """Compute the marks of the teams.

In the course format: 30 for the group stage, 10 for the semi-final and 10 for
the final, in proportion to the best of the pool. In other formats: 50, in
proportion to the best in the measure that orders the table, so a higher place
never gets fewer marks. With --thresholds: by results against staff bots.

--roster gives one row for each student (columns team, name, id, email, or the
file _collected.csv from `noughts collect`). --into fills in an export of your
LMS (Moodle's grading worksheet or gradebook, Canvas's gradebook) and writes
the filled copy beside it, with results and reasons in empty cells for comments
(Moodle's "Feedback comments", Canvas's "Notes"). Students are matched as in
`collect`; a row that fits two stays empty, and --assign settles it.

--late zero gives late submissions 0; --late 0.9 gives nine tenths of the marks
for each day begun. --merge adds marks given by hand, from a CSV file with a
column team or id and one column for each part, such as report/20; a column
factor multiplies the sum, for example by 0 for plagiarism.

examples:
  noughts tournament marks class.noughts
  noughts tournament marks class.noughts --thresholds marks.toml
  noughts tournament marks class.noughts --csv marks.csv
  noughts tournament marks class.noughts --roster roster.csv --csv marks.csv
  noughts tournament marks class.noughts --roster roster.csv --into grades.csv
  noughts tournament marks class.noughts --late 0.9 --csv marks.csv
  noughts tournament marks class.noughts --merge reports.csv
""",
}
LATE = {1.0: "in full", 0.0: "0"}
IN_PROPORTION = "in proportion to the points of the best of the pool (none below 0)"


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add_tournament(parser)
    add = parser.add_argument
    add("--thresholds", metavar="FILE.toml", help="file with thresholds for the marks, instead of proportions")
    add("--csv", metavar="FILE", help="CSV file to write")
    add("--roster", metavar="FILE.csv", help="one row for each student of this CSV file")
    add("--merge", metavar="FILE.csv", action="append", default=[], help="CSV file of marks given by hand; repeatable")
    add("--into", metavar="EXPORT.csv", help="export of Moodle or Canvas to fill in, as EXPORT-marks.csv")
    add_assign(parser)
    add_late(parser)
    add("--column", help="column of --into, if it has several for grades")
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    with TournamentFile(args.file) as file:
        return _marks(TournamentView(file.tournament(args.name)), args)


def _marks(view: TournamentView, args: argparse.Namespace) -> Report:
    is_rehearsal = view.settings.rehearsal is not None
    if is_rehearsal and (args.csv or args.into):
        raise ValueError("this is a rehearsal; use --csv and --into with the tournament that counts")
    thresholds = None if args.thresholds is None else read_thresholds(args.thresholds)
    late_factor = read_late(args.late)
    marks, found = marks_of(view, thresholds, late_factor=late_factor), view.standings
    places = {row.name: row.place for row in found.order}
    if args.assign and args.into is None:
        raise ValueError("--assign is for the rows of --into")
    if args.roster is not None:
        marks = by_student(marks, read_roster(args.roster))
    for extra in map(read_extra, args.merge):
        if extra.by == "id" and args.roster is None:
            raise ValueError("--merge with a column id needs --roster to map ids to teams")
        marks = merged(marks, extra)
    notes = []
    if args.csv is not None:
        write_file(args.csv, to_csv(marks))
        notes.append(f"wrote {Path(args.csv)}, for staff only")
    if args.into is not None:
        notes += _fill_in(marks, found, args)
    how = f"in proportion to the best in {found.measures[1]} (none below 0)"
    if found.form.order == BY_STAGE:
        how = IN_PROPORTION
    if thresholds is not None:
        how = "by the thresholds"
    how += " and by hand" if args.merge else ""
    if any(mark.late is not None for mark in marks):
        how += f"; late submissions count {LATE.get(late_factor, f'{late_factor:g} for each day begun')}"
    lines = [*notice_lines(view), _marks_table(marks, places)]
    if marks:
        lines += ["", paragraph(f"out of {marks[0].out_of:g}, {how}", width())]
        lines += [paragraph(line, width()) for line in _remarks(view, marks, places)]
    data = [mark_facts(mark, places.get(mark.name)) | {"rehearsal": is_rehearsal} for mark in marks]
    return Report(data, "\n".join(lines), notes=notes)


def _marks_table(marks: Sequence[Mark], places: Mapping[str, int]) -> str:
    """Returns the marks with their parts."""
    heads = ["team", *(["student"] if any(mark.student for mark in marks) else []), "place", "marks"]
    heads += [part.name for mark in marks[:1] for part in mark.parts]
    right = range(heads.index("place"), len(heads))
    late = ["late"] if any(mark.late is not None for mark in marks) else []
    rows = [
        [
            mark.name,
            *([mark.student.name or mark.student.id] if mark.student else []),
            str(places.get(mark.name, "")),
            f"{mark.marks:.2f}",
            *(f"{part.marks:.2f}" for part in mark.parts),
            *(late_words(mark.late) for _ in late),
        ]
        for mark in marks
    ]
    return table([*heads, *late], rows, right=right)


def _fill_in(marks: Sequence[Mark], found: Standings, args: argparse.Namespace) -> list[str]:
    """Fills in an export of an LMS. Returns the remarks on rows that did not fit."""
    if args.roster is None:
        raise ValueError("--into needs --roster to map students to teams")
    of = {mark.student: mark for mark in marks if mark.student}
    filled = fill_in(
        args.into,
        Roster(list(of)),
        lambda student: f"{of[student].marks:.2f}",
        args.column,
        comment=lambda student: comment_on(of[student], found),
        assigned=read_assigned(args.assign),
    )
    target = Path(args.into).with_name(f"{Path(args.into).stem}-marks.csv")
    write_file(str(target), filled.text)
    lines = [f"{target}: {counted(filled.filled, 'row')} of the column {filled.column!r} filled in; for staff only"]
    if filled.out_of is not None and marks and filled.out_of != marks[0].out_of:
        lines.append(f"The LMS allows at most {filled.out_of:g}, and these marks are out of {marks[0].out_of:g}.")
    if filled.comments:
        kept = f", except {counted(filled.kept, 'row')} that already had a comment" if filled.kept else ""
        lines.append(f"Results and reasons are in the column {filled.comments!r}{kept}.")
    else:
        lines.append("No column for comments; Moodle's is 'Feedback comments', Canvas's is 'Notes'.")
    if filled.unknown:
        lines.append(f"Unchanged, because it is not certain which student they are: {', '.join(filled.unknown)}.")
    lines += filled.reasons
    if filled.missing:
        names = ", ".join(student.name or student.id for student in filled.missing)
        lines.append(f"In the roster but not in {args.into}: {names}.")
    return [paragraph(line, width()) for line in lines]


def _remarks(view: TournamentView, marks: Sequence[Mark], places: Mapping[str, int]) -> Iterable[str]:
    """Yields remarks on the marks: contradictory orders, admitted bots with breaches, outdated draws."""
    yield from _contradictions(marks, places, view.standings.ordered_by)
    warned = [entry for entry in view.entries if entry.reason and entry.plays and not entry.staff]
    for entry in warned:
        yield f"{entry.name} {view.status_words(entry)}: {entry.reason}"
    yield from draw_remarks(status_facts(view))


def _contradictions(marks: Sequence[Mark], places: Mapping[str, int], ordered_by: str) -> Iterable[str]:
    """Yields a remark if a team has fewer marks than one in a lower place."""
    down = sorted((mark for mark in marks if mark.name in places), key=lambda mark: places[mark.name])
    for above, below in pairwise(down):
        if above.marks < below.marks:
            yield (
                f"Places and marks follow different rules (places: {ordered_by}): {above.name} (place "
                f"{places[above.name]}) has {above.marks:.2f}, {below.name} (place {places[below.name]}) "
                f"{below.marks:.2f}."
            )
            return


def mark_facts(mark: Mark, place: int | None) -> dict[str, Any]:
    one = mark.student
    who = {} if one is None else {"student": one.name, "id": one.id, "email": one.email}
    return {"name": mark.name, **who, "place": place, **mark.to_data()}
