"""Marks: as computed by hand, from results and nothing else; files that are no thresholds are refused in sentences."""

import csv
import json
import random
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament_play import game, names, play

import noughts.tournaments as tournaments
from noughts.course import (
    Mark,
    Part,
    Threshold,
    ThresholdError,
    course_marks,
    gradescope,
    parse_thresholds,
    read_thresholds,
    threshold_marks,
    to_csv,
)
from noughts.course.marks import ordered_marks
from noughts.tournaments import Course, Gauntlet, League, Swiss, rate, standings
from noughts.tournaments.summary import Standings

PAGE = (Path(__file__).parents[1] / "docs" / "tournament.md").read_text()
POOL = [
    game(first, second, (int(one), int(other)), stage="group", pool=4)
    for first, second, one, other in re.findall(r"\| (\w+) \| (\w+) \| (\d+) : (\d+) \|", PAGE)
]
TEAMS = ["ants", "bees", "cats", "dogs"]
ONE = """[[threshold]]
against = "random"
score = 0.9
marks = 10
"""


def pairs_of(one, other, won, lost):
    return [game(one, other, (68, 0))] * won + [game(other, one, (68, 0))] * lost


def test_the_pool_marked_by_hand_in_the_docs():
    assert len(POOL) == 12
    by_hand = {
        name: (int(points), float(marks))
        for name, points, marks in re.findall(r"\| (\w+) \| (\d+) \| (\d+\.\d\d) \|", PAGE)
    }
    assert by_hand == {"ants": (371, 30), "bees": (238, 19.25), "cats": (173, 13.99), "dogs": (34, 2.75)}
    assert {row.name: row.points for row in standings(POOL)} == {name: points for name, (points, _) in by_hand.items()}
    assert [repr(part.out_of) for part in course_marks(POOL, TEAMS)[0].parts] == ["30", "10", "10"], "so in JSON"
    for mark in course_marks(POOL, TEAMS):
        group, semi_final, final = mark.parts
        assert group.marks == mark.marks == by_hand[mark.name][1]
        assert (group.out_of, semi_final.out_of, final.out_of, mark.out_of) == (30, 10, 10, 50)
        assert semi_final.why == final.why == "not reached"
    assert group.why == "pool 4: 34 points; best of the pool: 371"


def test_stages_add_up_as_in_the_docs():
    later = [game("bees", "eels", (816, 1224), stage="semi-final")]
    (bees,) = course_marks(POOL + later, ["bees"])
    assert [part.marks for part in bees.parts] == [19.25, 6.67, 0]
    assert bees.marks == 25.92
    assert "19.25 + 6.67 + 0 = 25.92 of 50" in PAGE


def test_the_winner_of_everything_has_all_50_and_nobody_more():
    results = play(Course(names(40), seed=1))
    marks = course_marks(results, names(40))
    assert max(mark.marks for mark in marks) <= 50
    assert all(0 <= part.marks <= part.out_of for mark in marks for part in mark.parts)
    in_final = {row.name for row in standings(r for r in results if r.fixture.stage == "final")}
    assert {mark.name for mark in marks if mark.parts[2].marks} <= in_final


def test_staff_get_no_marks_and_are_nobodys_measure():
    results = [*POOL, game("perfect", "ants", (68, 0), stage="group", pool=4)] * 2
    marks = course_marks(results, [*TEAMS, "perfect"], staff={"perfect"})
    assert [mark.name for mark in marks] == TEAMS
    assert marks[0].parts[0].marks == 30


def test_points_below_nothing_count_as_nothing_and_equals_are_equal():
    lost = course_marks([game("a", "b", (1, -1), stage="group")], ["a", "b"])
    assert [mark.marks for mark in lost] == [30, 0]
    drawn = course_marks([game("a", "b", (0, 0), stage="group")], ["a", "b"])
    assert [mark.marks for mark in drawn] == [30, 30]


def test_a_threshold_is_reached_or_not():
    results = pairs_of("good", "random", 9, 1) + pairs_of("bad", "random", 8, 2) + [game("even", "random", (0, 0))]
    good, bad, even, away = threshold_marks(
        results, ["good", "bad", "even", "away", "random"], [Threshold("random", 0.9, 10), Threshold("random", 0.5, 5)]
    )
    assert [part.marks for part in good.parts] == [10, 5]
    assert [part.marks for part in bad.parts] == [0, 5]
    assert bad.parts[0] == Part("90% against random", 0, 10, "80.0% of 10 games")
    assert even.marks == 5
    assert (away.marks, away.out_of, away.parts[0].why) == (0, 15, "no games against random")


def test_a_threshold_against_nobody_is_refused():
    with pytest.raises(ValueError, match="a threshold is against 'randm', which has not played"):
        threshold_marks(pairs_of("a", "random", 1, 1), ["a"], [Threshold("randm", 0.9, 10)])


def test_the_thresholds_of_the_docs_are_thresholds():
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert parse_thresholds(block) == (Threshold("random", 0.9, 10), Threshold("alphabeta:level=3", 0.5, 20))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no thresholds; each begins with a line [[threshold]]"),
        ("threshold = []", "there are no thresholds; each begins with a line [[threshold]]"),
        ("threshold = 3", "there are no thresholds; each begins with a line [[threshold]]"),
        ("[[threshold]", "this is not TOML: "),
        ("x = " + "[" * 20_000, "this is not TOML"),
        (ONE + "[more]", "unknown entry 'more'; only [[threshold]] tables"),
        (ONE + "extra = 1", "threshold 1 must have exactly the keys against, score, marks; it has 'against',"),
        ("threshold = [1]", "threshold 1 must have exactly the keys against, score, marks; it has none of them"),
        (
            ONE.replace('"random"', "7"),
            "threshold 1: against must be the name of a contestant, 1 to 200 characters, not 7",
        ),
        (
            ONE.replace('"random"', '""'),
            "threshold 1: against must be the name of a contestant, 1 to 200 characters, not ''",
        ),
        (ONE.replace("0.9", "90"), "threshold 1: score must be a share above 0 and up to 1, not 90; write 0.9 for 90%"),
        (
            ONE.replace("0.9", "nan"),
            "threshold 1: score must be a share above 0 and up to 1, not nan; write 0.9 for 90%",
        ),
        (
            ONE.replace("0.9", "true"),
            "threshold 1: score must be a share above 0 and up to 1, not True; write 0.9 for 90%",
        ),
        (ONE.replace("10", "inf"), "threshold 1: marks must be a number above 0 and up to 1000, not inf"),
        (ONE.replace("10", "-1"), "threshold 1: marks must be a number above 0 and up to 1000, not -1"),
        (ONE.replace("10", "9" * 400), "threshold 1: marks must be a number above 0 and up to 1000, not 9999"),
        (
            ONE.replace("10", "0x" + "f" * 9000),
            "threshold 1: marks must be a number above 0 and up to 1000, not a value of type int",
        ),
        (ONE + ONE, "two thresholds have the same opponent and the same score; remove one"),
        (ONE * 101, "there are 101 thresholds; the maximum is 100"),
    ],
)
def test_what_is_no_threshold_is_refused_in_a_sentence(text, message, tmp_path):
    file = tmp_path / "marks.toml"
    file.write_text(text)
    with pytest.raises(ThresholdError) as refusal:
        read_thresholds(file)
    assert str(refusal.value).startswith(f"{file}: {message}")
    assert len(str(refusal.value)) < 400


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(ThresholdError, match=r"cannot read .*none\.toml"):
        read_thresholds(tmp_path / "none.toml")
    with pytest.raises(ThresholdError, match="cannot read"):
        read_thresholds(tmp_path)
    (tmp_path / "large.toml").write_bytes(b"#" * (65 << 10))
    with pytest.raises(ThresholdError, match="is too large; the maximum"):
        read_thresholds(tmp_path / "large.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ThresholdError, match="is not text"):
        read_thresholds(tmp_path / "bytes.toml")
    (tmp_path / "good.toml").write_text(ONE)
    assert read_thresholds(tmp_path / "good.toml") == (Threshold("random", 0.9, 10),)


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_text_makes_the_reader_fall_over(text):
    with suppress(ThresholdError):
        assert parse_thresholds(text)


def test_marks_as_csv_can_be_read_back():
    rows = list(csv.DictReader(to_csv(course_marks(POOL, TEAMS)).splitlines()))
    assert rows[1] == {
        "team": "bees",
        "marks": "19.25",
        "out of": "50.00",
        "group": "19.25",
        "semi-final": "0.00",
        "final": "0.00",
        "reason": "semi-final, final: not reached",
    }
    assert to_csv([]) == "team,marks,out of\n"


@pytest.mark.parametrize("name", ["=1+1", "+a", "-a", "@a", "\ta", "a,b", 'a"b', "a\nb"])
def test_no_name_is_a_formula_in_a_spreadsheet(name):
    (_, row) = csv.reader(to_csv([Mark(name, ())]).splitlines(keepends=True))
    assert row[0] in (name, f"'{name}")
    assert row[0][0] not in "=+-@\t"


GAMES_OF = {
    "league": lambda: play(League(names(6), rounds=2)),
    "gauntlet": lambda: play(Gauntlet(names(5), ["bot5", "bot6"], rounds=2)),
    "swiss": lambda: play(Swiss(names(7), rounds=4, seed=3)),
}


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize("form", GAMES_OF)
@given(share=st.floats(0, 1), seed=st.integers(0, 1000), staff=st.sets(st.sampled_from(names(7)), max_size=2))
@settings(max_examples=15, deadline=None)
def test_nobody_has_fewer_marks_than_a_team_further_down_the_table(form, sure, share, seed, staff):
    """Also while it is played, when some have had more games than others, and with a bye."""
    results = GAMES_OF[form]()
    draw = random.Random(seed)
    results = draw.sample(results, round(share * len(results)))
    points = [(68, 0), (0, 68), (34, 34), (-1, 1), (20, 48)]
    results = [result._replace(points=draw.choice(points)) for result in results]
    extra = [game("bot0", "bot1", (68, 0), stage="until-sure")] * 2 if sure else []
    everybody = names(7)
    found = Standings(League(everybody), everybody, results, extra, 1)
    measures, unit = found.measures
    marks = {
        mark.name: mark.marks
        for mark in ordered_marks(measures, everybody, staff=staff, part=form, unit=unit, out_of=50)
    }
    order = [marks[row.name] for row in found.order if row.name not in staff]
    assert order == sorted(order, reverse=True)
    assert max(order) == 50
    assert all(0 <= each <= 50 for each in order)


def test_a_bye_costs_no_marks_and_who_is_above_by_points_a_game_has_more():
    results = [game("a", "c", (30, 0)), game("b", "c", (40, 0)), game("c", "b", (0, 4))]
    found = Standings(League(["a", "b", "c"]), ["a", "b", "c"], results, [], 1)
    assert [row.name for row in found.order] == ["a", "b", "c"]
    marks = ordered_marks(*found.measures[:1], ["a", "b", "c"], part="swiss", unit=found.measures[1], out_of=50)
    assert [mark.marks for mark in marks] == [50, round(50 * 22 / 30, 2), 0]
    assert marks[1].parts[0].why == "22 points per game; best: 30"


def test_gradescope_gets_tests_and_a_leaderboard_of_each_team():
    table = {row.name: row for row in standings(POOL)}
    ratings = {rating.name: rating for rating in rate(POOL).table}
    (bees,) = course_marks(POOL, ["bees"])
    graded = json.loads(json.dumps(gradescope(bees, table["bees"], ratings["bees"])))
    assert graded["score"] == 19.25
    assert graded["tests"][0] == {
        "name": "group",
        "score": 19.25,
        "max_score": 30,
        "output": "pool 4: 238 points; best of the pool: 371",
        "output_format": "text",
    }
    assert [(entry["name"], entry["value"]) for entry in graded["leaderboard"]] == [
        ("Marks", 19.25),
        ("Place", 2),
        ("Points", 238),
        ("Points per game", 39.67),
        ("Games won, %", 58.3),
        ("Elo", round(ratings["bees"].elo)),
    ]
    assert graded["leaderboard"][1]["order"] == "asc"
    assert [entry["name"] for entry in gradescope(bees)["leaderboard"]] == ["Marks"]


def test_the_public_names_are_there():
    assert all(getattr(tournaments, name) is not None for name in tournaments.__all__)
