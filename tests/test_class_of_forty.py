"""A class of 40 from Moodle's zip to Moodle's worksheet: every bot is its student's, late ones are seen to the end."""

import csv
import io
import json
import shlex
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from test_cli import run_command

from noughts.tournaments.store import TournamentFile

DEADLINE = datetime(2026, 11, 17, 23, 59)
TEAMS, PAIRS = 24, 16
LATE = {"team5": timedelta(minutes=12), "team9": timedelta(days=1, minutes=1), "team12": timedelta(seconds=20)}
"""How late the submissions of these teams are."""
FIRST = "Ana Björn Chloé Đuro Élise Fatima Gregor Hye-Jin Ingrid João".split()
LAST = ["Kim", "de la Cruz", "O'Neil", "Nguyen"]
STUDENTS = [
    (f"team{number % TEAMS + 1}", f"{FIRST[number % 10]} {LAST[number // 10]}", str(100_200 + number))
    for number in range(TEAMS + PAIRS)
]
"""Team, name and id: ten first names with each of four last names."""
NOTHING, BROKEN, PDF = "team20", "team21", "team22"


def bot(number):
    """A bot that carries the id of its author."""
    if number == "broken":
        return "def choose(state, clock)\n    return 0\n"
    return f"def choose(state, clock):\n    return state.legal_actions()[0]  # {number}\n"


def uploaders(team):
    """The places of a team's students who upload, oldest first. Of some pairs only one does."""
    places = [place for place, who in enumerate(STUDENTS) if who[0] == team]
    return [place for place in places if team != NOTHING and not (place >= TEAMS and place % 2)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Moodle's zip and empty worksheet, and the roster."""
    folder = tmp_path_factory.mktemp("forty")
    with zipfile.ZipFile(folder / "submissions.zip", "w") as file:
        for place, (team, name, number) in enumerate(STUDENTS):
            if place not in uploaders(team):
                continue
            # The participant number is the id of another student.
            participant = 100_200 + (place + 7) % len(STUDENTS)
            is_last = place == uploaders(team)[-1]  # the partner was in time, with another bot
            sent = DEADLINE + (LATE[team] if is_last and team in LATE else -timedelta(minutes=60 - place))
            inside, text = f"{team}.py", bot("broken" if team == BROKEN else number)
            if team == PDF:
                inside, text = "report.pdf", "%PDF"
            info = zipfile.ZipInfo(f"{name}_{participant}_assignsubmission_file_/{inside}", sent.timetuple()[:6])
            file.writestr(info, text)
        file.writestr("Anna-Ana Kim_99_assignsubmission_file_/team1.py", bot("of a stranger"))
    rows = [["team", "name", "id", "email"], *([*who, f"{who[2]}@example.org"] for who in STUDENTS)]
    with open(folder / "roster.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    heads = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    sheet = [[*heads, "Last modified (grade)", "Feedback comments"]]
    for place, (_, name, number) in enumerate(STUDENTS):
        participant = 100_200 + (place + 7) % len(STUDENTS)
        sheet.append([f"Participant {participant}", name, f"{number}@example.org", "", "", "50.00", "-", ""])
    sheet.append(["Participant 99", "Anna-Ana Kim", "stranger@example.org", "", "", "50.00", "-", ""])
    with open(folder / "worksheet.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(sheet)
    return folder


def test_a_class_from_moodles_zip_to_moodles_sheet(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)

    def run(text):
        code, out, error = run_command(capsys, *text.split())
        assert code == 0, error
        return out

    collect = ["collect", "submissions.zip", "--out", "BOTS", "--roster", "roster.csv", "--newest"]
    code, out, _ = run_command(capsys, *collect, "--deadline", str(DEADLINE))
    assert code == 0
    assert "--assign 'Anna-Ana Kim_99=TEAM'" in " ".join(out.split())
    run("tournament run BOTS --file class.noughts --game classic --format swiss --rounds 1 --seed 1 --time 5")

    # Every team plays with the newest bot that one of its students submitted.
    with TournamentFile("class.noughts") as file:
        store = file.tournament()
        for entry in store.entries.teams():
            if entry.plays:
                assert f"# {STUDENTS[uploaders(entry.name)[-1]][2]}" in store.entries.source(entry.name, 1)
        assert {entry.name for entry in store.entries.teams() if not entry.plays} == {
            "Anna-Ana Kim",
            NOTHING,
            BROKEN,
            PDF,
        }

    # Lateness is in the status, the standings, the marks and the sheet.
    late = {"team5": "12 min late", "team9": "1 d 1 min late", "team12": "1 min late"}
    status = json.loads(run("tournament status class.noughts --json"))
    assert {entry["name"]: entry["late"] for entry in status["entries"] if entry["late"]} == late
    standings = json.loads(run("tournament standings class.noughts --json"))
    assert {row["name"]: row["late"] for row in standings["standings"] if row["late"]} == late
    assert "12 min" in run("tournament standings class.noughts")
    full = {mark["name"]: mark["marks"] for mark in json.loads(run("tournament marks class.noughts --json"))}
    marks = {
        factor: {
            mark["name"]: mark["marks"]
            for mark in json.loads(run(f"tournament marks class.noughts --late {factor} --json"))
        }
        for factor in ("zero", "0.9")
    }
    for team, mark in full.items():
        days = {"team5": 1, "team12": 1, "team9": 2}.get(team, 0)
        assert marks["zero"][team] == (0 if days else mark)
        assert marks["0.9"][team] == pytest.approx(mark * 0.9**days, abs=0.01)

    # The sheet has the marks of each student's team, with the reason where they are 0.
    out = run("tournament marks class.noughts --roster roster.csv --into worksheet.csv --late 0.9 --csv marks.csv")
    assert "1 d 1 min late" in out
    sheet = list(csv.DictReader(io.StringIO((folder / "worksheet-marks.csv").read_text(encoding="utf-8"))))
    assert len(sheet) == len(STUDENTS) + 1
    for row, (team, name, _) in zip(sheet, STUDENTS, strict=False):
        assert row["Full name"] == name
        assert float(row["Grade"]) == marks["0.9"][team]
        comment = row["Feedback comments"]
        assert late.get(team, "late") in comment or team not in late
        assert ("Place " in comment) == (team not in (NOTHING, BROKEN, PDF))
    why = {team: row["Feedback comments"] for row, (team, _, _) in zip(sheet, STUDENTS, strict=False)}
    assert why[NOTHING] == "No submission."
    assert "report.pdf" in why[PDF]
    assert "syntax error" in why[BROKEN]
    stranger = sheet[-1]
    assert (stranger["Full name"], stranger["Grade"], stranger["Feedback comments"]) == ("Anna-Ana Kim", "", "")
    rows = list(csv.DictReader(io.StringIO((folder / "marks.csv").read_text(encoding="utf-8"))))
    assert len(rows) == len(STUDENTS)
    assert {row["team"] for row in rows if float(row["marks"]) == 0} == {row["team"] for row in rows if row["reason"]}
    assert {row["team"]: row["late"] for row in rows if row["late"]} == late


def test_the_commands_of_the_sample_class_lead_to_marks(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(command, code=0):
        found, out, error = run_command(capsys, *shlex.split(command))
        assert found == code, error
        return out

    collect, again, play, marks = json.loads(run("collect --demo --json"))["commands"]
    assert "Kim_4719=100239' if it is Jan Kim (team8)" in " ".join(run(collect.removeprefix("noughts ")).split())
    refused = [
        each["team"]
        for each in json.loads(run(f"{again.removeprefix('noughts ')} --json"))["submissions"]
        if not each["entry"]
    ]
    assert refused == ["Anna-Di Dahl", "team5", "team12"]
    run(f"{play.removeprefix('noughts ')} --format swiss --rounds 1")
    run(marks.removeprefix("noughts "))
    sheet = list(csv.DictReader(io.StringIO(Path("sample-class/worksheet-marks.csv").read_text(encoding="utf-8"))))
    assert [row["Full name"] for row in sheet if not row["Grade"]] == ["Anna-Di Dahl"]
    excluded = [row["Full name"] for row in sheet if row["Feedback comments"].startswith(("Excluded", "No submission"))]
    assert excluded == ["Fi Falk", "Gus Gray", "Hye-Jin Kim", "Nia Ng"]
    assert [row["Full name"] for row in sheet if " late" in row["Feedback comments"]] == ["Di Dahl", "Eva Ek"]
    run("collect --demo", code=2)
    run("collect --demo other --out BOTS", code=2)
    run("collect", code=2)
