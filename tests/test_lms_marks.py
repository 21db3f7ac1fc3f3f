"""Marks go back into the LMS in the file that it exported itself, and by hand given marks are added.

The columns are those of the vendors' own code:
Moodle's worksheet: https://github.com/moodle/moodle, mod/assign/gradingtable.php writes it, and
    mod/assign/feedback/offline/importgradeslib.php needs Identifier, Grade and Last modified (grade)
Canvas's gradebook, with its rows of posting and points: https://github.com/instructure/canvas-lms,
    lib/gradebook_exporter.rb; the test student's row is as its exports have it
Gradescope's autograder results: https://gradescope-autograders.readthedocs.io/en/latest/specs/
Moodle's gradebook is as its export has it; its code was not read.
"""

import csv
import io
import json

import pytest
from test_cli import run_command
from tournament_play import play_some, tournament_in

from noughts.course.lms import fill_in, read_extra
from noughts.course.roster import read_roster

ROSTER = """team,name,id,email
random,Ann Archer,100231,ann@example.org
random,"Bo, Berg",100232,bo@example.org
greedy,Cé Clark,4713,ce@example.org
team9,Zoe Zorn,100239,zoe@example.org
"""
MOODLE = """\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 100231","Ann Archer",ann@example.org,"Submitted for grading - ",,50.00,Yes,\
"Tuesday, 17 November 2026, 12:00 PM",-,"=1+1"
"Participant 77","Bo Berg",bo@example.org,"No submission - ",,50.00,Yes,-,-,
"Participant 78","Cé Clark",other@example.org,"No submission - ",12.00,50.00,Yes,-,-,
"Participant 79","Yan Young",yan@example.org,"No submission - ",,50.00,Yes,-,-,
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Bots (55123),Essay (55124),Assignments Current Score,\
Assignments Unposted Current Score,Assignments Final Score,Assignments Unposted Final Score,\
Current Score,Unposted Current Score,Final Score,Unposted Final Score
,,,,,Manual Posting,,,,,,,,,
    Points Possible,,,,,100.00,10.00,(read only),(read only),(read only),(read only),\
(read only),(read only),(read only),(read only)
"Archer, Ann",901,100231,ann@example.org,"CS 1, A",,7.0,70,70,70,70,70,70,70,70
"Clark, Cé",4713,,,"CS 1, A",N/A,,,,,,,,,
"Student, Test",999,,9f8e7d,CS 1,,,,,,,,,,
"Other, Somebody",100232,,,CS 1,,,,,,,,,,
"""
GRADEBOOK = """First name,Last name,ID number,Institution,Department,Email address,Assignment: Bots (Real),\
Course total (Real),Last downloaded from this course
Ann,Archer,100231,,,ann@example.org,-,-,1763380000
Bo,Berg,,,,bo@example.org,-,-,1763380000
"""


@pytest.fixture
def roster(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    return tmp_path / "roster.csv"


def filled(tmp_path, roster, text, column=None):
    path = tmp_path / "export.csv"
    path.write_text(text, encoding="utf-8")
    grades = {"Ann Archer": "41.25", "Bo, Berg": "41.25", "Cé Clark": "50.00", "Zoe Zorn": "0.00"}
    return fill_in(path, read_roster(roster), lambda student: grades[student.name], column)


def rows(text):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))


def changed(before, after):
    """The cells that differ, by row and column."""
    return {
        (line, place): new
        for line, (old_row, new_row) in enumerate(zip(rows(before), rows(after), strict=True))
        for place, (old, new) in enumerate(zip(old_row, new_row, strict=True))
        if old != new
    }


def test_moodles_worksheet_gets_its_grades_and_keeps_everything_else(tmp_path, roster):
    found = filled(tmp_path, roster, MOODLE)
    assert changed(MOODLE, found.text) == {(1, 4): "41.25", (2, 4): "41.25", (3, 4): "50.00"}
    assert found.text.startswith("\ufeffIdentifier,")
    assert found.unknown == ("Yan Young",)
    assert [student.name for student in found.missing] == ["Zoe Zorn"]
    assert (found.column, found.filled, found.out_of) == ("Grade", 3, 50)


def test_moodles_gradebook(tmp_path, roster):
    found = filled(tmp_path, roster, GRADEBOOK)
    assert found.column == "Assignment: Bots (Real)"
    assert changed(GRADEBOOK, found.text) == {(1, 6): "41.25", (2, 6): "41.25"}


def test_canvass_gradebook_needs_the_assignment(tmp_path, roster):
    with pytest.raises(ValueError, match=r"no column 'Talk'.*--column.*'Bots \(55123\)', 'Essay \(55124\)'"):
        filled(tmp_path, roster, CANVAS, "Talk")
    with pytest.raises(ValueError, match=r"--column.*'Bots \(55123\)', 'Essay \(55124\)'"):
        filled(tmp_path, roster, CANVAS)
    found = filled(tmp_path, roster, CANVAS, "Bots")
    assert changed(CANVAS, found.text) == {(3, 5): "41.25", (4, 5): "50.00"}
    assert found.unknown == ("Student, Test", "Other, Somebody"), "a number of Canvas is not the roster's"
    assert found.out_of == 100


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "team,marks\nx,1\n"])
def test_other_files_are_refused(tmp_path, roster, text):
    with pytest.raises(ValueError, match="export"):
        filled(tmp_path, roster, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,report\na,1\n", "team or id"),
        ("team,report\na,many\n", "a number"),
        ("team,factor\na,2\n", "0 to 1"),
        ("team,report/many\na,2\n", "report/20"),
        ("team,report\na,2\na,3\n", "already has a row"),
    ],
)
def test_further_marks_that_cannot_be_read_are_refused(tmp_path, text, words):
    path = tmp_path / "extra.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        read_extra(path)


@pytest.fixture
def played(tmp_path):
    file = tmp_path / "class.noughts"
    tournament = tournament_in(file, players=("random", "greedy"))
    play_some(tournament)
    tournament.entries.refuse("team8", "it contains no Python file (only report.pdf)")
    tournament.file.close()
    return str(file)


def test_one_list_of_marks_for_every_student(tmp_path, roster, played, capsys):
    (tmp_path / "reports.csv").write_text("team,report/20,factor\nrandom,15.5,\ngreedy,20,0\n")
    (tmp_path / "talks.csv").write_text("id,talk\n100231,2\n")
    (tmp_path / "moodle.csv").write_text(MOODLE, encoding="utf-8")
    merge = ("--merge", str(tmp_path / "reports.csv"), "--merge", str(tmp_path / "talks.csv"))
    plain = json.loads(run_command(capsys, "tournament", "marks", played, "--json")[1])
    by_team = {mark["name"]: mark["marks"] for mark in plain}
    assert by_team["team8"] == 0
    words = ("tournament", "marks", played, "--roster", str(roster), *merge, "--csv", str(tmp_path / "out.csv"))
    code, out, err = run_command(capsys, *words, "--into", str(tmp_path / "moodle.csv"))
    assert code == 0
    found = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    assert [row["name"] for row in found] == ["Ann Archer", "Bo, Berg", "Cé Clark", "Zoe Zorn"]
    ann, bo, clark, zoe = (float(row["marks"]) for row in found)
    assert ann == pytest.approx(by_team["random"] + 15.5 + 2)
    assert bo == pytest.approx(by_team["random"] + 15.5)
    assert clark == 0, "the factor multiplies"
    assert zoe == 0
    assert {row["out of"] for row in found} == {"70.00"}
    assert "Ann Archer" in out
    assert "Yan Young" in err
    assert "at most 50, and these marks are out of 70" in " ".join(err.split())
    worksheet = (tmp_path / "moodle-marks.csv").read_text(encoding="utf-8")
    assert float(rows(worksheet)[1][4]) == pytest.approx(ann)
    assert (tmp_path / "moodle.csv").read_text(encoding="utf-8") == MOODLE, "the export itself stays"
    for wrong, why in (
        (("--into", str(tmp_path / "moodle.csv")), "--roster"),
        (("--merge", str(tmp_path / "talks.csv")), "--roster"),
    ):
        code, _, err = run_command(capsys, "tournament", "marks", played, *wrong)
        assert code == 2
        assert why in err


def test_all_logs_have_every_game_and_nobodys_words(tmp_path, capsys):
    loud = "def choose(state, clock):\n    print('SECRET words')\n"
    loud += "    if len(state.history()) > 2: raise KeyError('SECRET')\n"
    file = tmp_path / "class.noughts"
    tournament = tournament_in(file, players=("random",), admit="all", seed=123456789)
    from noughts.sandbox import BotSource

    tournament.entries.enter("loud", BotSource("loud.py", None, loud + "    return state.legal_actions()[0]\n"))
    play_some(tournament)
    games = len(list(tournament.game_rows(replays=False)))
    tournament.file.close()
    folder = tmp_path / "results"
    assert run_command(capsys, "tournament", "export", str(file), str(folder), "--all-logs")[0] == 0
    logs = sorted(path.name for path in (folder / "logs").iterdir())
    assert len(logs) == 2 * games
    assert all(
        "SECRET" not in path.read_text() and "123456789" not in path.read_text() for path in (folder / "logs").iterdir()
    )
    (folder / "logs" / "game-000999-a-b.log").write_text("of before")
    (folder / "logs" / "mine.txt").write_text("stays")
    assert run_command(capsys, "tournament", "export", str(file), str(folder), "--all-logs")[0] == 0
    assert sorted(path.name for path in (folder / "logs").iterdir()) == sorted([*logs, "mine.txt"])
