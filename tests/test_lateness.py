"""A late submission is late for the version that came late, everywhere and exactly; staff choose what it counts."""

import csv
import io
import os
import zipfile
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_cli import run_command
from tournament_play import play_some, tournament_in

from noughts.course.export import comment_on, export
from noughts.course.lms import fill_in
from noughts.course.marks import Mark, Part, marks_of, ordered_marks, read_late, to_csv
from noughts.course.roster import Roster, Student
from noughts.course.submissions import sync_folder
from noughts.report import gather
from noughts.tournaments.lateness import days_late, late_minutes, late_words, parse_late
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC, STAFF, team

BOT = "def choose(state, clock):\n    return state.legal_actions()[0]\n"
DEADLINE = datetime(2026, 11, 17, 23, 59, tzinfo=UTC)


@given(st.integers(0, 10**6) | st.none())
def test_the_words_of_a_lateness_are_exact(late):
    assert parse_late(late_words(late)) == late


def test_what_is_late_by_a_second_is_late():
    assert [late_minutes(seconds) for seconds in (-1, 0, 0.1, 60, 61, 86_401)] == [None, None, 1, 1, 2, 1441]
    assert [days_late(late) for late in (None, 0, 1, 1440, 1441)] == [0, 1, 1, 1, 2]
    assert [late_words(late) for late in (None, 0, 12, 1440, 1503)] == [
        "",
        "late",
        "12 min late",
        "1 d late",
        "1 d 1 h 3 min late",
    ]
    assert parse_late("after the deadline") == 0, "an edited table is late, too"


@pytest.mark.parametrize("text", ["never", "-0.1", "1.5", "nan", "90%", ""])
def test_other_factors_are_refused(text):
    with pytest.raises(ValueError, match="--late must be accept, zero or a number from 0 to 1"):
        read_late(text)


class Class:
    """A folder of bots as `collect` makes it, and its tournament."""

    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys
        (folder / "hand_in").mkdir()
        self.tournament = tournament_in(folder / "class.noughts", players=("random",))

    def submit(self, name, text, minutes):
        """Collects a submission this long after the deadline, and enters the folder."""
        path = self.folder / "hand_in" / f"{name}.py"
        path.write_text(text)
        sent = DEADLINE.timestamp() + 60 * minutes
        os.utime(path, (sent, sent))
        self.collect(DEADLINE)

    def collect(self, deadline):
        arguments = ("collect", str(self.folder / "hand_in"), "--out", str(self.folder / "BOTS"))
        assert run_command(self.capsys, *arguments, "--deadline", deadline.isoformat())[0] == 0
        sync_folder(self.tournament, self.folder / "BOTS")
        play_some(self.tournament)

    def late(self, name):
        return late_words(self.tournament.entries.find(name).late)


@pytest.fixture
def of_class(tmp_path, capsys):
    return Class(tmp_path, capsys)


def test_the_version_that_plays_is_late_or_not(of_class):
    of_class.submit("ants", BOT, -5)
    of_class.submit("bees", BOT, 12)
    assert (of_class.late("ants"), of_class.late("bees")) == ("", "12 min late")
    of_class.submit("ants", BOT + "# better", 30)
    assert of_class.late("ants") == "30 min late"
    of_class.submit("bees", "def choose(state)", 45)
    assert of_class.late("bees") == "12 min late", "the broken version does not play"
    of_class.submit("ants", BOT, 60)
    assert of_class.late("ants") == "1 h late", "the same text again, as it was submitted last"
    of_class.collect(DEADLINE.replace(day=18))
    assert of_class.late("ants") == "", "an extension"


def test_a_late_bot_that_is_entered_again_by_hand_stays_late(of_class):
    of_class.submit("ants", BOT, 12)
    enter_players(of_class.tournament, [str(of_class.folder / "BOTS" / "ants.py")], staff=False)
    assert of_class.late("ants") == "12 min late"
    (of_class.folder / "plain").mkdir()
    (of_class.folder / "plain" / "ants.py").write_text(BOT)
    sync_folder(of_class.tournament, of_class.folder / "plain")
    assert of_class.late("ants") == "12 min late"


def test_lateness_is_for_staff_and_the_team_itself(of_class, capsys):
    of_class.submit("ants", BOT, 12)
    of_class.submit("bees", BOT + "# 2", 25)

    def seen(visibility):
        return {
            row["name"]: row["late"]
            for row in gather(TournamentView(of_class.tournament), visibility).head["teams"]
            if row["late"]
        }

    assert seen(STAFF) == {"ants": "12 min late", "bees": "25 min late"}
    assert seen(team("ants")) == {"ants": "12 min late"}
    assert seen(PUBLIC) == {}
    of_class.tournament.file.close()
    file = str(of_class.folder / "class.noughts")
    for command in (("status",), ("standings",), ("marks",), ("marks", "--late", "zero")):
        code, out, _ = run_command(capsys, "tournament", command[0], file, *command[1:])
        assert code == 0
        assert "12 min" in out, command
    assert "late submissions count 0" in " ".join(out.split())


def test_an_export_has_the_marks_that_lateness_leaves_and_every_version(of_class):
    of_class.submit("ants", BOT, -5)
    of_class.submit("ants", BOT + "# late", 12)
    export(TournamentView(of_class.tournament), of_class.folder / "results", late_factor=0.5)
    (ants,) = (mark for mark in marks_of(TournamentView(of_class.tournament), late_factor=0.5) if mark.name == "ants")
    (full,) = (mark for mark in marks_of(TournamentView(of_class.tournament)) if mark.name == "ants")
    assert ants.marks == pytest.approx(full.marks / 2, abs=0.01)
    comment = comment_on(ants, TournamentView(of_class.tournament).standings)
    assert "Marks multiplied by 0.5." in comment
    with open(of_class.folder / "results" / "marks.csv") as file:
        (row,) = (row for row in csv.DictReader(file) if row["team"] == "ants")
    assert (float(row["marks"]), row["factor"], row["late"]) == (ants.marks, "0.50", "12 min late")
    with zipfile.ZipFile(of_class.folder / "results" / "teams" / "ants.zip") as file:
        names = file.namelist()
        assert "submitted 12 min late" in file.read("summary.txt").decode()
    assert len(set(names)) == len(names), "unzip keeps one file of each name"
    checks = {name.rpartition("-v")[0] for name in names if name.startswith("check/") and name.endswith(".json")}
    assert all(sum(name.startswith(check) for name in names) >= 2 for check in checks)
    assert sum("-v1-" in name or name.endswith("-v1.json") for name in names) > 1
    assert any("-v2" in name for name in names)


def test_every_zero_has_its_reason():
    parts = Part("group", 12, 30, "12 points"), Part("final", 0, 10, "not reached")
    marks = [
        Mark("ants", parts),
        Mark("bees", tuple(Part(part.name, 0, part.out_of, "no submission") for part in parts)),
        Mark("cats", parts[:1] * 2, factor=0, late=12),
    ]
    assert [row["reason"] for row in csv.DictReader(io.StringIO(to_csv(marks)))] == [
        "final: not reached",
        "no submission",
        "12 min late and multiplied by 0",
    ]
    below = ordered_marks({"ants": 8.0, "bees": -4.0}, ["ants", "bees"], part="league", unit="points", out_of=50)
    assert "bees,0.00,50.00,0.00,less than 0 counts as 0: -4 points; best: 8" in to_csv(below).splitlines()


WORKSHEET = """Identifier,Full name,Grade,Last modified (grade),Feedback comments
Participant 1,Ann,,,
Participant 2,Bo,,,kept
"""
CANVAS = """Student,ID,Section,Bots (1),Notes
Points Possible,,,50,
Ann,1,A,,
Bo,2,A,,kept
"""
GRADEBOOK = """First name,Last name,Email address,Assignment: Bots (Real),Assignment: Bots (Feedback)
Ann,,,-,
Bo,,,-,kept
"""


@pytest.mark.parametrize(
    ("text", "column", "comment"),
    [
        (WORKSHEET, "Feedback comments", "'=1+1;' =2+2 &lt;b&gt;"),
        (CANVAS, "Notes", "'=1+1;' =2+2 <b>"),
        (GRADEBOOK, "Assignment: Bots (Feedback)", "'=1+1;' =2+2 &lt;b&gt;"),
    ],
    ids=["worksheet", "canvas", "gradebook"],
)
def test_comments_fill_empty_cells_and_run_nothing(tmp_path, text, column, comment):
    (tmp_path / "export.csv").write_text(text)
    roster = Roster([Student("ants", "Ann"), Student("bees", "Bo")])
    found = fill_in(tmp_path / "export.csv", roster, lambda student: "7", comment=lambda student: "=1+1; =2+2 <b>")
    assert (found.comments, found.kept, found.filled) == (column, 1, 2)
    comments = [row[column] for row in csv.DictReader(io.StringIO(found.text)) if row[column]]
    assert comments == [comment, "kept"]
    without = fill_in(tmp_path / "export.csv", roster, lambda student: "7")
    assert [row[column] for row in csv.DictReader(io.StringIO(without.text)) if row[column]] == ["kept"]
