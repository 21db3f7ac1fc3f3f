"""Every submission of an export of Moodle, Canvas or Gradescope becomes an entry, or is refused with a reason.

The layouts are those of the vendors' own code, or of programs that read them:
Moodle: https://github.com/moodle/moodle, mod/assign/classes/downloader.php: PREFIX_assignsubmission_file_/path/bot.py,
    or PREFIX_assignsubmission_file_bot.py without folders; PREFIX is NAME_ID for a student, GROUP_ID for a group, and
    the default group's name alone for those who are in none
Canvas: https://github.com/instructure/canvas-lms, lib/content_zipper.rb: NAME_LATE_USER_FILE_bot.py in small letters
    without spaces; a group's name where groups hand in, and anon_ID where names are hidden
Gradescope: no page of its own describes "Export submissions". A folder submission_ID for each beside
    submission_metadata.yml, with :submitters: of :name:, :sid: and :email: is what programs that take such exports read
"""

import csv
import io
import json
import os
import zipfile

import pytest
from test_cli import run_command

from noughts.course.roster import read_roster
from noughts.course.rules import NameRule
from noughts.course.submissions import COLLECTED, submissions
from noughts.tournaments.lateness import late_words

BOT = "def choose(state, clock):\n    return state.legal_actions()[0]\n"
ROSTER = """team,name,id,email
team1,Ann Archer,100231,ann@example.org
team1,Bo Berg,100232,bo@example.org
team2,Cé Clark,100233,ce@example.org
team3,Di Dahl,100234,di@example.org
team9,Zoe Zorn,100239,zoe@example.org
"""


def packed(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(zipfile.ZipInfo(name, (2026, 11, 17, 12, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


MOODLE = {
    "Ann Archer_100231_assignsubmission_file_/team1.py": BOT,
    "Cé Clark_100233_assignsubmission_file_/src/deep/team2.py": BOT,
    "Cé Clark_100233_assignsubmission_file_/__MACOSX/._team2.py": b"\0\0",
    "Di Dahl_100234_assignsubmission_file_/team3.zip": packed({"bot/team3.py": BOT}),
    "Ed Egon_100235_assignsubmission_file_/report.pdf": b"%PDF",
    "Fi Falk_100236_assignsubmission_file_/a.py": BOT,
    "Fi Falk_100236_assignsubmission_file_/b.py": BOT + "#",
    "Gus Gray_100237_assignsubmission_onlinetext_/onlinetext.html": "<p>see my repository</p>",
    "李 雷_100238_assignsubmission_file_/team8.py": BOT,
}
CANVAS = {
    "archerann_4711_901_team1.py": BOT,
    "clarkce_LATE_4713_902_team2-1.py": BOT,
    "dahldi_4714_903_team3.zip": packed({"team3.py": BOT}),
    "egoned_4715_904_report.pdf": b"%PDF",
    "falkfi_4716_text.html": "<p>hello</p>",
}
GRADESCOPE = {
    "assignment_77_export/submission_metadata.yml": """---
submission_501:
  :submitters:
  - :name: Ann Archer
    :sid: '100231'
    :email: ann@example.org
  - :name: 'Bo ''B'' Berg'
    :sid: '100232'
    :email: bo@example.org
  :created_at: 2026-11-17 22:30:00.123456 Z
  :score: 3.0
  :results:
    output: |2
      submission_502:
      :submitters:
      - :name: Mallory
  :history:
  - :submitters:
    - :name: Somebody Else
submission_502:
  :submitters:
  - :name: Zoe Zorn
    :sid:
    :email: zoe@example.org
  :created_at: 2026-11-18 01:30:00 Z
""",
    "assignment_77_export/submission_501/team1.py": BOT,
    "assignment_77_export/submission_502/notes.txt": "no bot",
}


@pytest.fixture(params=["zip", "folder"])
def export(request, tmp_path):
    """Makes an export of these files, as a zip or as a folder."""

    def made(files):
        if request.param == "zip":
            (tmp_path / "export.zip").write_bytes(packed(files))
            return tmp_path / "export.zip"
        for name, content in files.items():
            path = tmp_path / "export" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "export"

    return made


@pytest.fixture
def roster(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text(ROSTER, encoding="utf-8")
    return path


def results(found):
    return {each.name: each.reason or "entry" for each in found}


def test_nobody_of_a_moodle_export_vanishes(export):
    found = results(submissions(export(MOODLE)))
    assert len(found) == 7
    assert [name for name, said in found.items() if said == "entry"] == [
        "Ann Archer",
        "Cé Clark",
        "Di Dahl",
        "student 100238",
    ]
    assert "report.pdf" in found["Ed Egon"]
    assert "no Python file" in found["Gus Gray"]
    assert "a.py, b.py" in found["Fi Falk"]


def test_moodle_without_folders_and_with_groups(export, roster):
    files = {"Group 1-Ann Archer_100231_assignsubmission_file_bot.py": BOT}
    (one, *_) = submissions(export(files), roster=read_roster(roster), groups=["Group 1"])
    assert one.name == "team1"
    assert [student.name for student in one.students] == ["Ann Archer", "Bo Berg"]
    assert one.source is not None


def test_groups_hand_in_under_the_name_of_their_group(export, roster):
    moodle = {
        "Team 1_12_assignsubmission_file_/bot.py": BOT,
        "Default group_assignsubmission_file_/lost.py": BOT,
    }
    found = {each.name: each for each in submissions(export(moodle), roster=read_roster(roster))}
    assert [student.name for student in found["team1"].students] == ["Ann Archer", "Bo Berg"]
    assert found["team1"].source is not None
    assert "roster" in found["Default group"].reason


def test_groups_of_canvas(export, roster):
    found = {
        each.name: each for each in submissions(export({"team2_LATE_77_901_bot.py": BOT}), roster=read_roster(roster))
    }
    assert (found["team2"].source is not None, late_words(found["team2"].late)) == (True, "late")


def test_canvas(export, roster):
    found = submissions(export(CANVAS))
    assert list(results(found)) == ["archerann", "clarkce", "dahldi", "egoned", "falkfi"]
    assert [late_words(each.late) for each in found] == ["", "late", "", "", ""]
    assert found[1].file == "team2.py", "without what Canvas adds when a file is handed in again"
    assert all(each.source for each in found[:3])
    assert not any(each.source for each in found[3:])
    joined = results(submissions(export(CANVAS), roster=read_roster(roster)))
    assert joined["team1"] == joined["team2"] == joined["team3"] == "entry"
    assert "roster" in joined["egoned"]
    assert joined["team9"] == "no submission"


def test_gradescope_names_come_from_its_metadata_and_not_from_what_bots_print(export, roster):
    found = submissions(export(GRADESCOPE))
    assert list(results(found)) == ["Ann Archer - Bo 'B' Berg", "Zoe Zorn"]
    assert "notes.txt" in found[1].reason
    joined = {each.name: each for each in submissions(export(GRADESCOPE), roster=read_roster(roster))}
    assert joined["team1"].source is not None
    assert "notes.txt" in joined["team9"].reason


def test_late_submissions_are_marked_and_play(export):
    from noughts.course.handed_in import read_time

    found = submissions(export(GRADESCOPE), deadline=read_time("2026-11-17 23:30+00:00"))
    assert [late_words(each.late) for each in found] == ["", "2 h late"]
    assert submissions(export(GRADESCOPE), deadline=read_time("2026-11-17 22:00+00:00"))[0].source is not None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "its first line must be team,name,id,email"),
        (b"name,id\nAnn,1\n", "its first line must be team,name,id,email"),
        (b"team,name\n", "has 0 students"),
        (b"team,name\n,Ann\n", "line 2: ,Ann has no team"),
        (b"team\nt\xff\n", "not UTF-8"),
        (b"team\n" + b"t\n" * 20_001, "a roster must have 1 to 20,000"),
        (b"team\n" + b"t" * (9 << 20), "8"),
        (b'team\n"' + b"t" * 200_000 + b'"\n', "is not CSV"),
    ],
    ids=["empty", "no_team", "nobody", "without_team", "bytes", "many", "large", "cell"],
)
def test_a_roster_that_is_none_is_refused(tmp_path, data, why):
    path = tmp_path / "roster.csv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=why):
        read_roster(path)


def test_two_students_of_one_team(export, roster):
    files = {
        "Ann Archer_100231_assignsubmission_file_/team1.py": BOT,
        "Bo Berg_100232_assignsubmission_file_/team1.py": BOT,
    }
    same = results(submissions(export(files), roster=read_roster(roster)))
    assert same["team1"] == "entry", "the same file twice is one bot"
    files["Bo Berg_100232_assignsubmission_file_/team1.py"] = BOT + "# another"
    other = results(submissions(export(files), roster=read_roster(roster)))
    assert "2 different bots" in other["team1"]


HOSTILE = {
    "slip": {"../../evil.py": BOT},
    "absolute": {"/etc/evil.py": BOT},
    "windows": {"..\\evil.py": BOT},
    "bomb": {"bomb.py": b"#" * (2 << 20)},
    "nested": {"inner.zip": packed({"bot.py": BOT})},
    "text": b"this is no zip",
    "cut": packed({"bot.py": BOT * 100})[:-40],
    "null": {"bot.py": b"a\0b"},
    "empty": {},
    "rar": {"bot.rar": b"Rar!"},
}
WORDS = {
    "slip": "outside its own folder",
    "absolute": "outside its own folder",
    "windows": "outside its own folder",
    "bomb": "the maximum for a bot file is 1 MB",
    "nested": "zip inside a zip",
    "text": "not a zip",
    "cut": "not a zip",
    "null": "not a text file",
    "empty": "no Python file",
    "rar": "archive",
}


def test_hostile_zips_are_refused_in_words_and_the_others_play(export, tmp_path):
    files = {"good.py": BOT}
    for name, inside in HOSTILE.items():
        files[f"{name}.zip"] = inside if isinstance(inside, bytes) else packed(inside)
    around = set(tmp_path.parent.rglob("*"))
    folder = export(files)
    exported = set(tmp_path.parent.rglob("*"))
    found = results(submissions(folder))
    assert found.pop("good") == "entry"
    assert set(found) == set(HOSTILE)
    for name, reason in found.items():
        assert WORDS[name] in reason, name
    assert set(tmp_path.parent.rglob("*")) == exported != around


def test_links_are_not_followed(tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 1")
    folder = tmp_path / "bots"
    (folder / "inside").mkdir(parents=True)
    for name in ("linked.py", "inside/bot.py"):
        os.symlink(secret, folder / name)
    os.symlink(tmp_path, folder / "whole")
    link = zipfile.ZipInfo("bot.py")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(folder / "packed.zip", "w") as file:
        file.writestr(link, str(secret))
    found = submissions(folder)
    assert {each.name for each in found} == {"linked", "inside", "whole", "packed"}
    assert all("link" in each.reason and each.source is None for each in found)


def test_a_plain_folder_and_folders_with_nothing_in_them(tmp_path):
    for name in ("team2/sub/bot.py", "team10.py", "team10.pdf", "README.md", "_draft.py", "team4/.DS_Store"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BOT)
    (tmp_path / "team3").mkdir()
    found = results(submissions(tmp_path))
    assert list(found) == ["team2", "team3", "team4", "team10"]
    assert found["team2"] == found["team10"] == "entry"
    assert found["team3"] == found["team4"] == "no submission"


def test_name_rules():
    rule = NameRule("team{number}.py:Team{number}")
    assert rule.refusal("team7.py") == ""
    assert rule.class_name("team7.py") == "Team7"
    assert "team{number}.py" in rule.refusal("Team7.py")
    assert NameRule("bot.py").class_name("bot.py") is None
    for text in ("team", "{number}", "team{year}.py", "bot.py:Team{number}", "../bot.py", "team{number}.py:1"):
        with pytest.raises(ValueError, match="py"):
            NameRule(text)


def test_collect_makes_one_clean_folder_and_a_table(export, roster, tmp_path, capsys):
    out = tmp_path / "BOTS"
    path = export(MOODLE)
    arguments = ("collect", str(path), "--out", str(out), "--roster", str(roster))
    code, said, _ = run_command(capsys, *arguments)
    assert code == 0
    assert sorted(each.name for each in out.iterdir()) == [COLLECTED, "team1.py", "team2.py", "team3.py"]
    assert "3 bots in" in said
    rows = list(csv.DictReader(io.StringIO((out / COLLECTED).read_text(encoding="utf-8"))))
    assert {row["name"] for row in rows} >= {"Ann Archer", "Bo Berg", "Ed Egon", "Zoe Zorn", "李 雷"}
    assert all(bool(row["file"]) != bool(row["reason"]) for row in rows)
    # The folder says again who was refused.
    again = {each.name: each for each in submissions(out)}
    assert again["team9"].reason == "no submission"
    assert "roster" in again["Ed Egon"].reason
    assert again["team1"].source is not None
    # What an earlier collect wrote is replaced, and nothing else.
    code, said, _ = run_command(capsys, *arguments, "--name-rule", "team{number}.py", "--json")
    assert code == 0
    assert len(json.loads(said)["submissions"]) == len(again)
    (out / "mine.py").write_text(BOT)
    assert run_command(capsys, *arguments)[0] == 0
    assert (out / "mine.py").exists()
    strange = tmp_path / "strange"
    strange.mkdir()
    (strange / "team1.py").write_text("precious")
    code, _, error = run_command(capsys, "collect", str(path), "--out", str(strange))
    assert code == 2
    assert "other files" in error
    assert (strange / "team1.py").read_text() == "precious"


def test_check_convert_and_similarity_take_the_same_layouts(export, capsys, tmp_path):
    path = export(
        {name: content for name, content in MOODLE.items() if "Falk" in name or "Ann" in name or "Di" in name}
    )
    code, said, _ = run_command(capsys, "convert", str(path), "--dry-run")
    assert code == 1
    assert "Ann Archer" in said
    assert "a.py, b.py" in said
    code, said, error = run_command(capsys, "similarity", str(path), "--json")
    assert code == 0
    assert json.loads(said)["bots"] == 2
    assert "Fi Falk" in error


def test_check_takes_a_zip(capsys, tmp_path):
    path = tmp_path / "moodle.zip"
    path.write_bytes(packed({name: content for name, content in MOODLE.items() if "Di" in name or "Ed" in name}))
    code, said, _ = run_command(capsys, "check", str(path), "--game", "classic", "--quick", "--json")
    bots = json.loads(said)["bots"]
    assert code == 1
    assert [each["name"] for each in bots] == ["Di Dahl", "Ed Egon"]
    assert bots[0]["passed"]
    assert "report.pdf" in bots[1]["error"]
