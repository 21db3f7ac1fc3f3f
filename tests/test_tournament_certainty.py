"""Certainty: few games decide little, many decide much, and more are played where the order is open."""

import numpy as np
import pytest
from tournament_play import game, names, play, result_of

from noughts.tournaments._certainty import Certainty, by_points, by_rating
from noughts.tournaments._formats import League
from noughts.tournaments._ratings import rate
from noughts.tournaments._until_sure import UNTIL_SURE, UntilSure
from noughts.tournaments.results import Fixture, Result


def rounds_won(first, second, rounds):
    """Pairs of games that the first wins from both seats."""
    for number in range(1, rounds + 1):
        yield game(first, second, (68, 0), round=number)
        yield game(second, first, (0, 68), round=number)


def noisy_league(strengths, rounds, seed):
    random = np.random.default_rng(seed)
    form = League(names(len(strengths)), rounds, seed)
    return [noisy(fixture, strengths, random) for fixture in form.due([])]


def noisy(fixture, strengths, random):
    gap = strengths[int(fixture.first[3:])] - strengths[int(fixture.second[3:])]
    return Result(fixture, (68, 0) if gap + random.logistic() > 0 else (0, 68))


@pytest.mark.parametrize("method", [by_points, lambda results: by_rating(rate(results))])
def test_two_games_decide_little_and_two_hundred_much(method):
    few, many = method(list(rounds_won("a", "b", 1))), method(list(rounds_won("a", "b", 100)))
    assert few.names == many.names == ("a", "b")
    assert 0.6 < few.sure(1) < 0.95
    assert many.sure(1) > 0.99


@pytest.mark.parametrize("method", [by_points, lambda results: by_rating(rate(results))])
def test_equals_are_each_first_about_half_the_time(method):
    certainty = method([game("a", "b", (68, 0)), game("b", "a", (68, 0))] * 10)
    assert certainty.top("a", 1) == pytest.approx(0.5, abs=0.06)
    assert certainty.above("a", "b") + certainty.above("b", "a") == pytest.approx(1)


def test_two_games_of_a_pair_are_drawn_together():
    """Each pair is shared, so no draw parts the two; with the same games in pairs that one side wins, draws differ."""
    shared = [game(*seats, (68, 0), round=n) for n in range(1, 31) for seats in (("a", "b"), ("b", "a"))]
    swept = [
        game(*seats, (68, 0) if (seats[0] == "a") == (n % 2 == 0) else (0, 68), round=n)
        for n in range(1, 31)
        for seats in (("a", "b"), ("b", "a"))
    ]

    def spread(results):
        extra = [game("c", "a", (0, 68), round=n) for n in range(1, 31)] + [
            game("c", "b", (4, 64), round=n) for n in range(1, 31)
        ]
        return by_points(results + extra).above("a", "b")

    assert spread(shared) > spread(swept) + 0.1


def test_the_bootstrap_says_what_happens_when_all_is_played_again():
    strengths = [1.2, 0.9, 0.3, 0.0, -0.4, -0.8]
    claimed = np.mean(
        [by_points(noisy_league(strengths, 3, seed), samples=300, seed=seed).sure(1) for seed in range(30)]
    )
    right = np.mean([by_points(noisy_league(strengths, 3, seed), samples=1).names[0] == "bot0" for seed in range(200)])
    assert claimed == pytest.approx(right, abs=0.15)


def test_certainty_depends_on_its_seed_and_not_on_the_order_of_the_results():
    results = play(League(names(8)))
    for method in (by_points, lambda results, seed: by_rating(rate(results), seed=seed)):
        one, other, backwards = method(results, seed=1), method(results, seed=2), method(results[::-1], seed=1)
        assert (one.places == backwards.places).all()
        assert (one.places != other.places).any()


def test_every_draw_gives_each_place_once():
    results = play(League(names(8)))
    for certainty in (by_points(results, ["lone"]), by_rating(rate(results, ["lone"]))):
        assert (np.sort(certainty.places, axis=1) == np.arange(1, 10)).all()
        assert certainty.top("lone", 9) == 1
        assert certainty.sure(9) == 1


def test_draws_made_in_parts_are_draws_like_others(monkeypatch):
    results = play(League(names(8)))
    whole = by_points(results)
    monkeypatch.setattr("noughts.tournaments._certainty.CHUNK", 500)
    parts = by_points(results)
    assert [parts.top(name, 3) for name in names(8)] == pytest.approx(
        [whole.top(name, 3) for name in names(8)], abs=0.1
    )


def test_places_have_an_interval():
    certainty = Certainty(("a", "b"), np.array([[1, 2]] * 99 + [[2, 1]], np.int32))
    assert certainty.interval("a") == (1, 1)
    assert certainty.top("a", 1) == 0.99
    assert by_points([], ["a", "b"]).interval("a") == (1, 2)


def test_more_games_are_played_until_the_first_places_are_sure():
    random = np.random.default_rng(1)
    strengths = [3.0, 1.5, 0.2, 0.0, -1.0, -2.0]
    results = noisy_league(strengths, 1, 5)
    form = UntilSure(names(6), places=2, sure=0.9, budget=2000, pairs=3)
    assert form.certainty(results).sure(2) < 0.9
    while due := list(form.due(results)):
        assert len(due) <= 6
        results += [noisy(fixture, strengths, random) for fixture in due]
    extra = [result.fixture for result in results if result.fixture.stage == UNTIL_SURE]
    assert 0 < len(extra) < 2000
    certainty = form.certainty(results, extra[-1].round + 1)
    assert min(certainty.sure(1), certainty.sure(2)) >= 0.9
    assert certainty.names[:2] == ("bot0", "bot1")


def test_between_equals_the_budget_ends_it():
    results = [Result(fixture, (34, 34)) for fixture in League(names(4)).due([])]
    form = UntilSure(names(4), budget=31, pairs=4)
    while due := list(form.due(results)):
        results += [Result(fixture, (34, 34)) for fixture in due]
    assert len(results) == 12 + form.games == 12 + 30


def test_who_is_far_behind_plays_no_more():
    strong = [game(one, other, (34, 34), round=n) for n in range(1, 9) for one, other in (("a", "b"), ("b", "a"))]
    weak = [result for one in "ab" for other in "xyz" for result in rounds_won(one, other, 8)]
    due = list(UntilSure(["a", "b", "x", "y", "z"], places=1, pairs=1).due(strong + weak))
    assert {frozenset(fixture[:2]) for fixture in due} == {frozenset("ab")}
    assert len(due) == 2


@pytest.mark.parametrize("cut", [0, 1, 7, 30, 61])
def test_until_sure_goes_on_where_it_was_stopped(cut):
    base = play(League(names(6), seed=2))
    form = UntilSure(names(6), sure=0.97, budget=80, pairs=4)
    whole = play(form, base)
    assert len(whole) > len(base) + 10
    stopped = play(form, base, most=len(base) + cut)
    assert {result.fixture for result in play(form, stopped[::-1])} == {result.fixture for result in whole}


def test_half_a_batch_leaves_the_other_half_due():
    base = play(League(names(6), seed=2))
    form = UntilSure(names(6), sure=0.97)
    due = list(form.due(base))
    assert list(form.due(base + [result_of(fixture) for fixture in due[1::2]])) == due[::2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sure": 1.0}, "the certainty must be at least 50% and less than 100%, not 100.0000%"),
        ({"sure": 0.2}, "the certainty must be at least 50% and less than 100%, not 20.0000%"),
        ({"budget": -1}, "the budget must be 0 games or more, not -1"),
        ({"places": 0}, "the number of places must be 1 or more, not 0"),
        ({"pairs": 0}, "the number of pairs must be 1 or more, not 0"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        UntilSure(["a", "b"], **options)


def test_fixtures_of_batches_do_not_clash():
    form = UntilSure(names(4), budget=100, pairs=2)
    results = play(form, play(League(names(4))))
    fixtures = [result.fixture for result in results]
    assert len(set(fixtures)) == len(fixtures)
    assert all(isinstance(fixture, Fixture) for fixture in fixtures)
