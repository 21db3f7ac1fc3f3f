"""Names of teams: no two look the same, the team that is known keeps its name, and no name is a formula."""

import csv
import io
import re
import shlex
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tournament_play import play_some, tournament_in

from noughts.cli import main
from noughts.course.roster import Roster, Student
from noughts.course.submissions import submissions, sync_folder
from noughts.matches.store_file import StoreError
from noughts.printable import csv_text
from noughts.tournaments.names import MAX_NAME, name_keys, name_refusal, natural_order
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.store import TournamentFile

BOT = "def choose(state, clock):\n    return state.legal_actions()[{}]\n"


def bots(folder, *names, index=0):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.py").write_text(BOT.format(index))
    return folder


# Which names there are.


@pytest.mark.parametrize(
    "name", ["team7", "Team_7", "Équipe 7", "Łódź", "Işık", "straße", "Nguyễn", "O'Brien", "a - b", "7"]
)
def test_names_of_latin_letters_and_digits_are_allowed_in_every_encoding_of_accents(name):
    assert name_refusal(name) == name_refusal(unicodedata.normalize("NFD", name)) == ""
    assert name_keys(name) == name_keys(unicodedata.normalize("NFD", name))
    assert looks_like(name, name.upper())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("team7 ", ""),
        ("-team7", ""),
        ("te  am7", ""),
        ("x" * (MAX_NAME + 1), ""),
        ("team7\ufe0f", r"U\+FE0F \(VARIATION SELECTOR-16\)"),
        ("team7\u034f", r"U\+034F \(COMBINING GRAPHEME JOINER\)"),
        ("te\u034fam7", r"U\+034F"),
        ("team7\u3164", r"U\+3164 \(HANGUL FILLER\)"),
        ("team7\u2800", r"U\+2800 \(BRAILLE PATTERN BLANK\)"),
        ("te\u0430m7", r"U\+0430 \(CYRILLIC SMALL LETTER A\)"),
        ("\u3164", r"U\+3164"),
        ("te\tam7", r"U\+0009"),
        ("\uff54eam7", r"U\+FF54"),
        ("t\u0251am7", r"U\+0251 \(LATIN SMALL LETTER ALPHA\)"),
        ("x;=1+1", r"U\+003B \(SEMICOLON\)"),
    ],
)
def test_other_names_get_a_sentence_and_an_entry_that_no_team_can_have(tmp_path, name, why):
    assert re.search(
        f"a name must have up to 80 Latin letters and digits.*{why}.*; rename the file", name_refusal(name)
    )
    (found,) = submissions(bots(tmp_path / "bots", name))
    assert found.source is None
    assert found.reason == name_refusal(name)
    assert found.name.startswith("'")
    assert name_refusal(found.name)


@given(st.text(max_size=12))
def test_an_allowed_name_has_no_more_characters_than_are_seen(name):
    if not name_refusal(name):
        seen = unicodedata.normalize("NFC", name)
        assert all(char.isalnum() or char in " ._-'" or unicodedata.combining(char) for char in seen)
        assert seen[0].isalnum()
        assert not seen.endswith(" ")


def looks_like(one, other):
    return not set(name_keys(one)).isdisjoint(name_keys(other))


ALIKE = "team10 teamlO, Modern modem, Ants ANTS, cafe Café, AI Al, AI0 Alo, Søren soren, wow vvow, Ægir aegir"


@pytest.mark.parametrize("pair", [pair.split() for pair in ALIKE.split(", ")])
def test_names_that_look_the_same_are_the_same(pair, tmp_path):
    assert looks_like(*pair)
    known, newcomer = submissions(bots(tmp_path / "bots", *pair), known=pair[:1])
    if known.name != pair[0]:
        known, newcomer = newcomer, known
    assert known.source is not None
    assert newcomer.source is None
    assert f"the existing team '{pair[0]}' looks the same" in newcomer.reason
    assert all("2 submissions" in each.reason for each in submissions(tmp_path / "bots"))


@pytest.mark.parametrize("form", ["group {}", "team{}", "Team {}", "TEAM{}"])
def test_groups_by_letters_or_numbers_are_told_apart(form):
    letters = "abcdefghijklmnopqrstuvwxyz" if form.islower() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for every in (letters, range(200)):
        names = [form.format(each) for each in every]
        assert len({key for name in names for key in name_keys(name)}) == 2 * len(names)


def test_teams_are_in_the_order_in_which_people_count():
    names = ["team10", "team2", "team1", "Team3", "team", "10", "9", "a1b2", "a1b10", "a1"]
    assert sorted(names, key=natural_order) == "9 10 a1 a1b2 a1b10 team team1 team2 Team3 team10".split()


# Whose a name is.


def refused(tournament):
    return {entry.name for entry in tournament.entries.all() if entry.reason}


def test_the_team_that_is_known_keeps_its_name(tmp_path):
    folder = bots(tmp_path / "bots", "team7", "ants")
    tournament = tournament_in(tmp_path / "class.noughts", players=["random"])
    sync_folder(tournament, folder)
    play_some(tournament)
    bots(folder, "TEAM7", "tearn7", index=-1)
    bots(folder, "team7", index=1)
    assert sync_folder(tournament, folder).changed == ["team7"]
    assert refused(tournament) == {"TEAM7", "tearn7"}
    play_some(tournament)
    entries = {entry.name: entry for entry in tournament.entries.all()}
    assert (entries["team7"].version, entries["team7"].reason) == (2, "")
    assert entries["TEAM7"].reason == "the existing team 'team7' looks the same; rename the file"
    assert not entries["TEAM7"].plays
    (folder / "team7.py").unlink()
    sync_folder(tournament, folder)
    assert refused(tournament) == {"TEAM7", "tearn7"}, "also while its own file is gone"
    other = tournament.file.create("week 2", tournament.game, tournament.settings)
    sync_folder(other, folder)
    assert refused(other) == {"TEAM7", "tearn7"}, "and in the next tournament of the season"
    with pytest.raises(StoreError, match="a team already has the name 'team7'; give 'TEAM7' another name"):
        enter_players(tournament, [str(folder / "TEAM7.py")], staff=False)
    with pytest.raises(StoreError, match="a team already has the name 'ants'"):
        enter_players(tournament, [str(folder / "ants.py")], staff=True)
    bots(folder, "te\u0430m9")
    with pytest.raises(StoreError, match=r"cannot enter: a name must have.*CYRILLIC"):
        enter_players(tournament, [str(folder / "te\u0430m9.py")], staff=False)


def test_of_two_new_names_that_look_the_same_both_stay_out_until_the_command_in_the_reason(tmp_path, capsys):
    """Also if one of them was handed in a day earlier, so that nobody takes a name by being first."""
    path, folder = tmp_path / "class.noughts", bots(tmp_path / "bots", "TEAM7", "ants")
    with tournament_in(path, players=["random"]).file as file:
        sync_folder(file.tournament(), folder)
        bots(folder, "team7")
        sync_folder(file.tournament(), folder)
        reasons = {entry.name: entry.reason for entry in file.tournament().entries.all() if entry.reason}
    assert set(reasons) == {"TEAM7", "team7"}
    command = re.search("`noughts (.*) TEAM7` lets it in", reasons["team7"])[1]
    assert main([*shlex.split(command), "TEAM7"]) == 0
    capsys.readouterr()
    with TournamentFile(path, write=True) as file:
        tournament = file.tournament()
        assert sync_folder(tournament, folder).removed == ["TEAM7"]
        play_some(tournament)
        assert tournament.entries.find("team7").plays


def test_a_name_on_the_roster_goes_before_one_that_looks_the_same(tmp_path):
    """Even before one that is known."""
    folder = bots(tmp_path / "bots", "TEAM7", "team7", "ants")
    roster = Roster([Student("team7", "Ann", "1", ""), Student("ants", "Bo", "2", "")])
    found = {each.name: each for each in submissions(folder, ["TEAM7"], roster=roster)}
    assert found["team7"].source is not None
    assert found["team7"].source.path.endswith("team7.py")
    assert {name for name, each in found.items() if each.source is None} <= {"TEAM7"}
    (folder / "_collected.csv").write_text("team,name,id,email,file,late,reason\nteam7,Ann,1,,team7.py,,\n")
    found = {each.name: each for each in submissions(folder, ["TEAM7"])}
    assert found["team7"].source is not None
    assert found["TEAM7"].reason == "the team of the roster 'team7' looks the same; rename the file"


def test_a_player_of_the_staff_keeps_its_name(tmp_path):
    tournament = tournament_in(tmp_path / "class.noughts", players=["greedy"])
    enter_players(tournament, ["random"], staff=True)
    with pytest.raises(StoreError, match="a staff player already has the name 'random'"):
        enter_players(tournament, [str(bots(tmp_path / "bots", "random") / "random.py")], staff=False)
    assert tournament.entries.contestants()[tournament.entries.find("random").version_id].player == "random"


# Spreadsheets.

SEPARATORS = ";,|\t\r\n"


@given(st.lists(st.text(st.sampled_from("ab1 .=+-@;,|'\"\t\r\n")), min_size=1, max_size=3))
def test_no_cell_of_a_csv_begins_a_formula_whatever_separates_cells(cells):
    text = csv_text([cells])
    for part in re.split(f"[{SEPARATORS}]", text):
        started = part.lstrip(" \"'")
        formula = started.startswith(("=", "+", "-", "@"))
        number = re.fullmatch(r"[+-]?\d+(\.\d+)?", part)
        assert not formula or number or part.lstrip(' "').startswith("'"), (cells, text)


def test_a_csv_holds_what_it_was_given():
    rows = [["team", "marks"], ["x;=1+1", "-1.50"], ["=cmd|' /C calc'!A0", -2], ['say "hi"', None], ["a, b", 0.25]]
    (_, one, two, *rest) = csv.reader(io.StringIO(csv_text(rows)))
    assert one == ["x;'=1+1", "-1.50"]
    assert two == ["'=cmd|' /C calc'!A0", "-2"]
    assert rest == [['say "hi"', ""], ["a, b", "0.25"]]


def test_every_csv_is_written_by_one_function():
    found = subprocess.run(["grep", "-rlE", r"csv\.(writer|DictWriter)", "src"], capture_output=True, text=True).stdout
    assert found.split() == ["src/noughts/printable.py"]
