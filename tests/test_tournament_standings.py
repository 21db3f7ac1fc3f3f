"""Tables: points decide, and ties are broken in the documented order."""

import pytest
from tournament_play import game, names, play

from noughts.tournaments._formats import Course, League
from noughts.tournaments.results import Fixture, Result
from noughts.tournaments.standings import standings, tables


def order(results, **options):
    return [row.name for row in standings(results, **options)]


def test_the_score_of_a_game_follows_the_points_also_without_a_winner():
    assert game("a", "b", (36, 32)).score == 1
    assert game("a", "b", (34, 34)).score == 0.5
    assert game("a", "b", (0, 68)).score == 0


def test_points_are_summed_over_both_seats():
    (best, other) = standings([game("a", "b", (68, 0)), game("b", "a", (40, 28))])
    assert (best.name, best.place, best.points, best.points_against, best.won, best.lost) == ("a", 1, 96, 40, 1, 1)
    assert (other.name, other.place, other.points, other.points_against, other.games) == ("b", 2, 40, 96, 2)
    assert best.points_per_game == 48
    assert best.score == 0.5


def test_a_fault_counts_against_the_player_who_made_it():
    (winner, loser) = standings([Result(Fixture("a", "b"), (0, 68), fault_of=0)])
    assert (winner.name, winner.forfeits.total(), loser.forfeits.total()) == ("b", 0, 1)


def test_equal_points_are_parted_by_wins():
    results = [game("a", "x", (68, 0)), game("a", "x", (0, 68)), game("b", "y", (34, 34)), game("b", "y", (34, 34))]
    table = order(results)
    assert table.index("a") < table.index("b")


def test_then_by_the_games_among_the_equal():
    results = [game("a", "b", (40, 28)), game("a", "x", (20, 48)), game("b", "x", (32, 10))]
    best, second, _ = standings(results)
    assert (best.points, best.won) == (second.points, second.won) == (60, 1)
    assert best.points_against > second.points_against
    assert (best.name, second.name) == ("a", "b")


def test_then_by_points_given_up():
    results = [game("a", "x", (60, 8)), game("b", "y", (60, 4))]
    assert order(results)[:2] == ["b", "a"]


def test_then_by_a_lot_that_depends_on_the_seed_only():
    results = [game("a", "b", (34, 34))]
    drawn = [order(results, seed=seed) for seed in range(40)]
    assert drawn == [order(results, seed=seed) for seed in range(40)]
    assert 8 < drawn.count(["a", "b"]) < 32


def test_rates_serve_where_some_have_played_more():
    results = [game("a", "b", (68, 0)), game("b", "c", (68, 0)), game("b", "d", (68, 0))]
    assert order(results)[0] == "b"
    assert order(results, by="rate")[:2] == ["a", "b"]


def test_who_has_not_played_stands_last_without_points():
    table = standings([game("a", "b", (1, 1))], ["lone"])
    assert (table[-1].name, table[-1].games, table[-1].score, table[-1].points_per_game) == ("lone", 0, 0, 0)


def test_each_pool_has_its_table():
    results = play(Course(names(20), seed=2))
    parts = tables(results, seed=2)
    assert [part for part in parts if part[0] == "group"] == [("group", number) for number in range(1, 6)]
    assert sum(row.games for table in parts.values() for row in table) == 2 * len(results)


@pytest.mark.parametrize("by", ["points", "rate"])
def test_points_and_given_up_points_are_the_same_sum(by):
    table = standings(play(League(names(9))), by=by)
    assert sum(row.points for row in table) == sum(row.points_against for row in table)
    assert [row.place for row in table] == list(range(1, 10))


def test_a_golden_table():
    table = standings(play(League(names(6), seed=1)), seed=1)
    assert [(row.name, row.points, row.won, row.drawn, row.lost) for row in table] == [
        ("bot0", 500, 7, 1, 2),
        ("bot4", 408, 6, 0, 4),
        ("bot2", 408, 6, 0, 4),
        ("bot3", 296, 4, 1, 5),
        ("bot5", 272, 4, 0, 6),
        ("bot1", 136, 2, 0, 8),
    ]


@pytest.mark.parametrize(
    ("decided", "games"),
    [
        ("", [("a", "b", (3, 1))]),
        ("won", [("a", "c", (2, 0)), ("a", "c", (2, 4)), ("b", "c", (1, 3)), ("b", "c", (3, 5))]),
        ("among equals", [("a", "b", (2, 0)), ("b", "c", (2, 0))]),
        ("points conceded", [("a", "c", (2, 0)), ("b", "c", (2, 1))]),
        ("lot", [("a", "c", (2, 0)), ("b", "c", (2, 0))]),
    ],
)
def test_a_line_says_which_tie_break_puts_it_below_the_one_above(decided, games):
    table = [row for row in standings([game(*each) for each in games]) if row.name in "ab"]
    assert [row.tie_break for row in table] == ["", decided]
