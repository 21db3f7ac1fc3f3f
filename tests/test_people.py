"""A submission goes to the team of the student who sent it, and marks go to the student who earned them, or to nobody.

Each case is one entry of an export, by a roster with collisions of every kind. The layouts are those of test_collect.py
and test_lms_marks.py.
"""

import csv
import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_cli import run_command
from test_collect import BOT, packed

from noughts.course.lms import fill_in, read_extra
from noughts.course.marks import Mark, Part, by_student, merged
from noughts.course.people import Person, is_same_name, match_people, read_assigned
from noughts.course.roster import Roster, Student, read_roster
from noughts.course.rules import NameRule
from noughts.course.submissions import submissions

ROSTER = """team,name,id,email
team1,Ann Archer,100231,ann@example.org
team1,Bo Berg,100232,bo@example.org
team2,B C,100233,bc@example.org
team3,Jan Kim,100234,jan@example.org
team4,Jan Kim,100235,kim@example.org
team5,José de la Cruz,100236,jose@example.org
team6,Anne-Marie O'Neil,100237,am@example.org
team7,李 雷,100238,lilei@example.org
team8,Eric Le,100239,eric@example.org
team9,Łukasz Müller,100240,lm@example.org
team10,,100241,
team11,Nguyen Van An,100242,van@example.org
team12,Nguyen Thi An,100243,thi@example.org
team13,राम दास,100244,ram@example.org
Red Foxes,Cem Clark,100245,cem@example.org
Red Foxes,Di Dahl,100246,di@example.org
redfoxes,Ed Egon,100247,ed@example.org
Blue-Owls,Fi Falk,100248,fi@example.org
team14,Thomas James,100249,tj@example.org
"""
ASSIGN = "pass --assign"
UNKNOWN = "the roster does not have this student"

CASES = [
    # What it shows, the layout, the entry (name, number or id, email), and the team, or a part of the reason.
    ("the whole name", "moodle", ("Ann Archer", "1"), "team1"),
    ("a participant number that is another student's id", "moodle", ("Ann Archer", "100233"), "team1"),
    ("that number, and a name that nobody has", "moodle", ("Gus Gray", "100233"), UNKNOWN),
    ("a double first name, whose second half is a student", "moodle", ("Anna-B C", "1"), UNKNOWN),
    ("both", "moodle", ("Anna-B C", "100233"), UNKNOWN),
    ("a known Moodle group before the name", "moodle", ("Lab 3-Ann Archer", "1"), "team1"),
    ("an unknown Moodle group before the name", "moodle", ("Lab 4-Ann Archer", "1"), UNKNOWN),
    ("a team as the Moodle group before its student", "moodle", ("team1-Bo Berg", "1"), "team1"),
    ("a team with a hyphen before its student", "moodle", ("Blue-Owls-Fi Falk", "1"), "Blue-Owls"),
    ("a team before another team's student", "moodle", ("team2-Bo Berg", "1"), "different students"),
    ("a team before a name that nobody has", "moodle", ("team2-Gus Gray", "1"), UNKNOWN),
    ("a group's name and number", "moodle", ("Blue Owls", "17"), "Blue-Owls"),
    ("a group whose name fits two teams", "moodle", ("RED FOXES", "17"), "2 teams"),
    ("Moodle's default group", "moodle", ("Default group", ""), UNKNOWN),
    ("hidden names", "moodle", ("Participant", "100231"), UNKNOWN),
    ("capitals and spaces", "moodle", ("ann   ARCHER", "1"), "team1"),
    ("last name first", "moodle", ("Archer Ann", "1"), "team1"),
    ("last name first, with a comma", "gradescope", ("Archer, Ann", "", ""), "team1"),
    ("without accents", "moodle", ("Jose De La Cruz", "1"), "team5"),
    ("decomposed accents", "moodle", ("Jose\u0301 de la Cruz", "1"), "team5"),
    ("one word less of a long name", "moodle", ("José Cruz", "1"), UNKNOWN),
    ("letters that Unicode does not decompose", "moodle", ("Lukasz Muller", "1"), "team9"),
    ("no hyphen, no apostrophe", "moodle", ("Anne Marie ONeil", "1"), "team6"),
    ("a double name as one word", "moodle", ("AnneMarie O\u2019Neil", "1"), "team6"),
    ("half of a double name", "moodle", ("Marie O'Neil", "1"), UNKNOWN),
    ("the same letters, other words", "moodle", ("Ric Lee", "1"), UNKNOWN),
    ("the same letters last name first", "moodle", ("Lee Ric", "1"), UNKNOWN),
    ("no space in Chinese", "moodle", ("李雷", "1"), "team7"),
    ("vowel signs are not accents", "moodle", ("रमा दास", "1"), UNKNOWN),
    ("a common surname", "moodle", ("Joan Kim", "1"), UNKNOWN),
    ("a common surname and last word", "moodle", ("Nguyen An", "1"), UNKNOWN),
    ("one middle name of two", "moodle", ("Nguyen Thi An", "1"), "team12"),
    ("a first name that is another's last name", "moodle", ("Ann Thomas", "1"), UNKNOWN),
    ("a last name that is a first name", "moodle", ("James Thomas", "1"), "team14"),
    ("two students of one name", "moodle", ("Jan Kim", "100235"), "2 such students"),
    ("two students of one name, and the email", "gradescope", ("Jan Kim", "", "kim@example.org"), "team4"),
    ("two students of one name, and the id", "gradescope", ("Jan Kim", "100235", ""), "team4"),
    (
        "two students of one name, and a third one's email",
        "gradescope",
        ("Jan Kim", "", "ann@example.org"),
        "different",
    ),
    ("the email and a former name", "gradescope", ("Ann Baker", "", "ANN@example.org"), "team1"),
    ("the email of one and the name of another", "gradescope", ("Ann Archer", "", "bc@example.org"), "different"),
    ("the email of one and the id of another", "gradescope", ("A A", "100233", "ann@example.org"), "different"),
    ("the name of one and the id of another", "gradescope", ("Ann Archer", "100233", ""), "different students"),
    ("the id of a student with another name", "gradescope", ("Anna-B C", "100233", ""), "another name"),
    ("the id of a row without a name", "gradescope", ("Gus Gray", "100241", ""), "team10"),
    ("the id of an unnamed person", "gradescope", ("", "100231", ""), "team1"),
    ("an unknown email beside the whole name", "gradescope", ("Ann Archer", "", "ann@home.example"), "team1"),
    ("Canvas's letters", "canvas", ("archerann", "1"), "team1"),
    ("Canvas's letters of a long name", "canvas", ("delacruzjosé", "1"), "team5"),
    ("Canvas's letters of half a double name", "canvas", ("cannab", "1"), UNKNOWN),
    ("Canvas's number that is another student's id", "canvas", ("archerann", "100233"), "different students"),
    ("Canvas's number and letters of two students", "canvas", ("kimjan", "100234"), "team3"),
    ("Canvas's letters of two students", "canvas", ("kimjan", "1"), "2 such students"),
    ("a group in Canvas", "canvas", ("blueowls", "77"), "Blue-Owls"),
]


def entry(layout, who):
    """The files of one submission in an export."""
    name, number = who[:2]
    if layout == "moodle":
        return {f"{name}{'_' * bool(number)}{number}_assignsubmission_file_/bot.py": BOT}
    if layout == "canvas":
        return {f"{name}_{number}_900_bot.py": BOT}
    facts = "".join(f"    :{key}: '{value}'\n" for key, value in zip(("sid", "email"), who[1:], strict=True))
    text = f"submission_1:\n  :submitters:\n  - :name: '{name}'\n{facts}"
    return {"submission_metadata.yml": text, "submission_1/bot.py": BOT}


@pytest.fixture(scope="module")
def roster(tmp_path_factory):
    path = tmp_path_factory.mktemp("roster") / "roster.csv"
    path.write_text(ROSTER, encoding="utf-8")
    return read_roster(path)


def collected(tmp_path, files, roster, **options):
    """The submissions that have a file or a reason other than being absent, by team."""
    path = tmp_path / "export.zip"
    path.write_bytes(packed(files))
    found = submissions(path, roster=roster, groups=["Lab 3"], **options)
    return {each.name: each for each in found if each.reason != "no submission"}


@pytest.mark.parametrize(("what", "layout", "who", "expected"), CASES, ids=[case[0] for case in CASES])
def test_a_submission_goes_to_the_team_of_its_student_or_to_nobody(tmp_path, roster, what, layout, who, expected):
    ((name, found),) = collected(tmp_path, entry(layout, who), roster).items()
    if expected in roster.teams:
        assert (name, found.reason) == (expected, "")
        assert {student.team for student in found.students} == {expected}
        return
    assert found.source is None
    assert expected in found.reason
    assert ASSIGN in found.advice
    assert name not in roster.teams
    others = {each.name for each in roster if each.name} - {who[0]}
    assert not any(other in found.reason for other in others), "the person may read the reason"


def test_a_refusal_names_the_option_that_settles_it(tmp_path, roster):
    files = entry("moodle", ("Jan Kim", "7")) | entry("moodle", ("Anna-B C", "8"))
    found = collected(tmp_path, files, roster)
    assert "--assign 'Jan Kim_7=100234' if it is Jan Kim (team3), or --assign 'Jan Kim_7=100235'" in (
        found["Jan Kim"].advice
    )
    assert found["Anna-B C"].advice == (
        "add a row, pass --assign 'Anna-B C_8=TEAM' or pass --group Anna if that is a Moodle group"
    )
    settled = read_assigned(["Jan Kim_7=100235", "Anna-B C=team2"])
    assert {name: each.reason for name, each in collected(tmp_path, files, roster, assigned=settled).items()} == {
        "team2": "",
        "team4": "",
    }


def test_an_option_may_come_from_a_wrapped_line(tmp_path, roster):
    settled = read_assigned(["Jan\n  Kim_7=Nguyen\n  Van An"])
    assert set(collected(tmp_path, entry("moodle", ("Jan Kim", "7")), roster, assigned=settled)) == {"team11"}


def test_two_people_of_one_name_are_not_the_same_student(tmp_path, roster):
    files = entry("moodle", ("Ann Archer", "7")) | entry("moodle", ("Ann Archer", "8"))
    found = collected(tmp_path, files, roster)
    assert set(found) == {"Ann Archer_7", "Ann Archer_8"}
    assert all("fit the same student" in each.reason for each in found.values())
    settled = collected(tmp_path, files, roster, assigned={"Ann Archer_8": "ann@example.org"})
    assert settled["team1"].source is not None
    assert "fit the same student" in settled["Ann Archer_7"].reason


def test_without_a_roster_two_people_of_one_name_are_two_teams(tmp_path):
    files = entry("moodle", ("Ann Archer", "7")) | entry("moodle", ("Ann Archer", "8"))
    found = collected(tmp_path, files, None)
    assert [(name, each.source is not None) for name, each in found.items()] == [
        ("Ann Archer_7", True),
        ("Ann Archer_8", True),
    ]
    alike = collected(tmp_path, entry("moodle", ("Renée Ho", "7")) | entry("moodle", ("Rene Ho", "8")), None)
    assert all(each.source is not None for each in alike.values()), "names that look alike, with their numbers"


def test_people_who_submit_together_are_of_one_team(tmp_path, roster):
    def by(*names):
        people = "".join(f"  - :name: {name}\n" for name in names)
        text = f"submission_1:\n  :submitters:\n{people}"
        found = collected(tmp_path, {"submission_metadata.yml": text, "submission_1/bot.py": BOT}, roster)
        ((name, each),) = found.items()
        return name if not each.reason else f"{each.reason}; {each.advice}"

    assert by("Ann Archer", "Bo Berg") == "team1"
    assert by("Ann Archer", "Gus Gray") == "team1"
    assert "are in 2 teams; pass --assign submission_1=team1 or --assign submission_1=team5" in by(
        "Ann Archer", "José de la Cruz"
    )
    assert "2 such students" in by("Ann Archer", "Jan Kim")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("Ann Archer", "must be PERSON=STUDENT"),
        ("=team1", "must be PERSON=STUDENT"),
        ("Nobody=team1", "no such person"),
        ("Ann Archer=team99", "no such student"),
        ("Ann Archer=Jan Kim", "2 such students"),
    ],
)
def test_assignments_of_or_to_nobody_are_refused(tmp_path, roster, wrong, why):
    with pytest.raises(ValueError, match=why):
        collected(tmp_path, entry("moodle", ("Ann Archer", "7")), roster, assigned=read_assigned([wrong]))


def test_a_refused_person_does_not_touch_the_team_of_the_same_name(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("team,name\nAnn Archer,Bo Berg\nteam9,Ann Archer\n")
    files = entry("moodle", ("Ann Archer", "7")) | entry("moodle", ("Bo Berg", "8"))
    found = collected(tmp_path, files, read_roster(path))
    assert found["Ann Archer"].source is not None
    assert [student.name for student in found["Ann Archer"].students] == ["Bo Berg"]
    assert "name and team's name are of different students" in found["unknown Ann Archer"].reason


WORDS = st.sampled_from(["an", "na", "anna", "le", "lee", "eric", "ric", "kim", "b", "c", "Jo", "JÖ"])
NAMES = st.lists(WORDS, max_size=3).map(" ".join)
IDS, EMAILS = st.sampled_from(["", "1", "2", "3"]), st.sampled_from(["", "a@x", "b@x", "c@x"])
STUDENTS = st.lists(st.builds(Student, st.sampled_from(["t1", "t2", "t3", "anna"]), NAMES, IDS, EMAILS), min_size=1)


@given(STUDENTS, st.lists(st.tuples(NAMES, IDS, EMAILS)))
def test_nobody_is_taken_for_a_student_of_another_name(students, entries):
    people = [
        Person(str(number), name, tuple(filter(None, [identifier])), tuple(filter(None, [email])))
        for number, (name, identifier, email) in enumerate(entries)
    ]
    claimed = {}
    for person, match in zip(people, match_people(people, Roster(students)), strict=True):
        student = match.student
        if student is None:
            assert match.team in ("", "anna")
            continue
        letters = [sorted(name.replace(" ", "").replace("Ö", "o").casefold()) for name in (person.name, student.name)]
        assert (
            letters[0] == letters[1] != []
            or student.email in person.emails
            or (student.id in person.ids and not all(letters))
        )
        who = (person.ids, person.emails) if person.ids or person.emails else person.key
        claimed.setdefault(student, set()).add(who)
    assert all(len(who) == 1 for who in claimed.values()), "no two people are one student"


# Partners.


def uploads(*entries):
    """A zip of Moodle with these files: student, file name, text, and the minute after noon."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, bot, text, minute in entries:
            info = zipfile.ZipInfo(f"{name}_assignsubmission_file_/{bot}", (2026, 11, 17, 12, minute, 0))
            file.writestr(info, text)
    return data.getvalue()


PARTNERS = [
    # What the two upload, the options, and the text that plays, or a part of the reason.
    ("the same file", [("team1.py", "a", 1), ("team1.py", "a", 2)], {}, "a"),
    ("two files", [("team1.py", "a", 1), ("team1.py", "b", 2)], {}, "of Ann Archer (2026-11-17 12:01:00)"),
    ("two files, the newest", [("team1.py", "a", 1), ("team1.py", "b", 2)], {"newest": True}, "b"),
    ("two files, the newest first", [("team1.py", "b", 2), ("team1.py", "a", 1)], {"newest": True}, "b"),
    ("two files of one time", [("team1.py", "a", 1), ("team1.py", "b", 1)], {"newest": True}, "2 different bots"),
    ("one has the required name", [("test.py", "a", 2), ("team1.py", "b", 1)], {"rule": "team{number}.py"}, "b"),
    ("none has the required name", [("test.py", "a", 1), ("bot.py", "b", 2)], {"rule": "team{number}.py"}, "requires"),
    (
        "both have the required name",
        [("team1.py", "a", 1), ("team2.py", "b", 2)],
        {"rule": "team{number}.py"},
        "2 different bots",
    ),
]


@pytest.mark.parametrize(("what", "files", "options", "expected"), PARTNERS, ids=[case[0] for case in PARTNERS])
def test_partners_who_upload_two_files(tmp_path, roster, what, files, options, expected):
    (tmp_path / "export.zip").write_bytes(
        uploads(*((who, *file) for who, file in zip(("Ann Archer_1", "Bo Berg_2"), files, strict=True)))
    )
    rule = NameRule(options["rule"]) if "rule" in options else None
    found = submissions(tmp_path / "export.zip", roster=roster, rule=rule, newest=options.get("newest", False))
    (team,) = (each for each in found if each.name == "team1")
    assert (team.source.text if team.source else team.reason).find(expected) >= 0
    assert (team.source is not None) == (len(expected) == 1)


def test_uploads_that_are_left_out_are_named(tmp_path, roster):
    def team1(*files, newest=False):
        (tmp_path / "export.zip").write_bytes(uploads(*files))
        found = {each.name: each for each in submissions(tmp_path / "export.zip", roster=roster, newest=newest)}
        return found["team1"]

    ann, bo = ("Ann Archer_1", "team1.py", "a", 1), ("Bo Berg_2", "team1.py", "b", 2)
    pdf = ("Bo Berg_2", "report.pdf", "%PDF", 3)
    assert team1(ann).advice == team1(ann, (bo[0], *ann[1:])).advice == ""
    assert team1(ann, bo, newest=True).advice == "left out: team1.py of Ann Archer (2026-11-17 12:01:00)"
    assert team1(ann, pdf).source is not None
    assert "the upload of Bo Berg (2026-11-17 12:03:00; it contains no Python file" in team1(ann, pdf).advice
    docs = team1(("Ann Archer_1", "notes.doc", "", 1), pdf)
    assert "notes.doc" in docs.reason
    assert "report.pdf" in docs.reason


def test_a_submission_without_a_sender_does_not_touch_the_team_of_its_name(tmp_path, roster):
    files = {"submission_metadata.yml": "submission_1:\n  :submitters:\n  - :name: Ann Archer\n"}
    files |= {"submission_1/bot.py": BOT, "team1/bot.py": BOT + "# of whom?"}
    found = collected(tmp_path, files, roster)
    assert "of whom" not in found["team1"].source.text
    assert found["team1"].advice == ""
    assert found["unknown team1"].reason == UNKNOWN


def test_the_name_rule_chooses_between_the_files_of_one_submission(tmp_path, roster):
    files = [("Ann Archer_1", "test.py", "a", 1), ("Ann Archer_1", "team40.py", "b", 1)]
    (tmp_path / "export.zip").write_bytes(uploads(*files))
    found = {each.name: each for each in submissions(tmp_path / "export.zip", roster=roster)}
    assert "2 Python files" in found["team1"].reason
    rule = NameRule("team{number}.py")
    found = {each.name: each for each in submissions(tmp_path / "export.zip", roster=roster, rule=rule)}
    assert (found["team1"].file, found["team1"].source.text) == ("team40.py", "b")


# Marks go to the same students.


ROWS = [
    # What it shows, the full name, the email, and whose marks the row gets.
    ("the whole name", "Ann Archer", "", "100231"),
    ("the email", "A. Archer", "ann@example.org", "100231"),
    ("a double first name, whose second half is a student", "Anna-B C", "", ""),
    ("one shared word", "Bo Archer", "", ""),
    ("two students of one name", "Jan Kim", "", ""),
    ("two students of one name, and the email", "Jan Kim", "kim@example.org", "100235"),
    ("the name of one and the email of another", "Ann Archer", "bc@example.org", ""),
    ("without accents, last word first", "Cruz, Jose De La", "", "100236"),
    ("without accents, last names first", "De La Cruz, Jose", "", "100236"),
]


@pytest.mark.parametrize(("what", "name", "email", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_marks_go_to_the_student_who_earned_them_or_to_nobody(tmp_path, roster, what, name, email, expected):
    path = tmp_path / "worksheet.csv"
    heads = "Identifier,Full name,Email address,Grade,Last modified (grade)\n"
    path.write_text(f'{heads}Participant 100233,"{name}",{email},,\n', encoding="utf-8")
    found = fill_in(path, roster, lambda student: student.id)
    (row,) = csv.DictReader(io.StringIO(found.text))
    assert row["Grade"] == expected
    assert (name in found.unknown) == (expected == "")


def test_a_row_that_fits_two_students_names_the_option_that_settles_it(tmp_path, roster):
    path = tmp_path / "worksheet.csv"
    heads = "Identifier,Full name,Email address,Grade,Last modified (grade)\n"
    path.write_text(f"{heads}Participant 7,Jan Kim,,,\nParticipant 8,Ann Archer,,,\nParticipant 9,Ann Archer,,,\n")
    found = fill_in(path, roster, lambda student: student.id)
    assert [row["Grade"] for row in csv.DictReader(io.StringIO(found.text))] == ["", "", ""]
    assert "pass --assign 'Participant 7=100234' if it is Jan Kim (team3)" in found.reasons[0]
    assert "2 people of the export fit the same student" in found.reasons[1]
    settled = read_assigned(["Participant 7=100235", "Participant 9=100231"])
    found = fill_in(path, roster, lambda student: student.id, assigned=settled)
    assert [row["Grade"] for row in csv.DictReader(io.StringIO(found.text))] == ["100235", "", "100231"]
    found = fill_in(path, roster, lambda student: student.id, assigned={"Participant 7": "team1"})
    assert "must name one student" in found.reasons[0]


@pytest.mark.parametrize("name", [row.split(",")[1] for row in ROSTER.splitlines()[1:] if row.split(",")[1]])
def test_a_name_is_the_same_from_any_of_its_words_on(name):
    words = name.split()
    for place in range(len(words)):
        turned = [*words[place:], *words[:place]]
        assert is_same_name(name, " ".join(turned))
        assert is_same_name("".join(turned), name)
        assert not is_same_name(" ".join([*turned, "Xu"]), name)
    assert not is_same_name("", name)


def test_a_team_without_letters_is_nobodys(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("team,name\n!!!,Ann Archer\n", encoding="utf-8")
    for name in ("anon_1a2b", "?_77"):
        (found,) = collected(tmp_path, {f"{name}_900_bot.py": BOT}, read_roster(path)).values()
        assert found.reason == UNKNOWN


def test_names_of_any_length_are_compared(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text(f"team,name\nteam1,{'a ' * 60_000}\nteam2,Ann Archer\n")
    found = collected(tmp_path, entry("moodle", ("Ann Archer", "7")), read_roster(path))
    assert found["team2"].source is not None


def test_teams_that_look_alike_keep_their_marks_apart():
    students = [Student("teamO", "Ann"), Student("team0", "Bo"), Student("Team7", "Cem"), Student("team9", "Di")]
    marks = [Mark(name, (Part("league", points, 50, "played"),)) for name, points in (("team0", 40), ("team7", 30))]
    by_name = {mark.student.name: mark.marks for mark in by_student(marks, Roster(students))}
    assert by_name == {"Ann": 0, "Bo": 40, "Cem": 30, "Di": 0}


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ("id,report\n,5\n", "line 2: there is no id; write whose marks these are"),
        ("team,report\n,5\n", "line 2: there is no team"),
        ("id,report\n7,5\n", "the roster has the id '7' in 2 rows"),
    ],
)
def test_marks_by_hand_are_for_one_student(tmp_path, extra, why):
    path = tmp_path / "extra.csv"
    path.write_text(extra)
    students = [Student("team1", "Ann", "7"), Student("team2", "Bo", "7"), Student("team3", "Cem")]
    marks = by_student([Mark(each.team, ()) for each in students], Roster(students))
    with pytest.raises(ValueError, match=why):
        merged(marks, read_extra(path))


def test_collect_takes_the_options_from_the_command_line(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    (tmp_path / "export.zip").write_bytes(
        uploads(
            ("Lab 3-Ann Archer_1", "a.py", "a", 1),
            ("Lab 3-Bo Berg_2", "b.py", "b", 2),
            ("Lab 3-Jan Kim_3", "c.py", "c", 3),
        )
    )
    words = ("collect", str(tmp_path / "export.zip"), "--out", str(tmp_path / "BOTS"))
    more = (
        "--roster",
        str(tmp_path / "roster.csv"),
        "--group",
        "Lab 3",
        "--newest",
        "--assign",
        "Lab 3-Jan Kim_3=team4",
    )
    assert run_command(capsys, *words, *more)[0] == 0
    assert {path.name: path.read_text() for path in (tmp_path / "BOTS").glob("*.py")} == {
        "team1.py": "b",
        "team4.py": "c",
    }
    code, _, error = run_command(capsys, *words, "--assign", "Jan Kim=team4")
    assert code == 2
    assert "need --roster" in error
