"""Measuring strength: Elo from pairs, sequential tests that err as seldom as they promise, games that repeat."""

import math
import random

import pytest
from conftest import needs_two_cores
from playing import played

import noughts
from noughts.matches.openings import BALANCED, balanced_opening
from noughts.matches.schedule import UNTIMED, Match
from noughts.matches.statistics import LARGEST_ELO, Pentanomial, Sprt, elo_difference, expected_score
from noughts.matches.store import open_store
from noughts.matches.tally import paired
from noughts.sandbox import BotLimits
from noughts.search import Engine, Limits


def test_elo_and_score_are_each_other_turned_round():
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    for elo in (-300, -20, 0, 5, 250):
        assert elo_difference(expected_score(elo)) == pytest.approx(elo)
    assert f"{elo_difference(0.5):+g}" == "+0"
    assert elo_difference(1.0) == pytest.approx(LARGEST_ELO)
    assert elo_difference(0.0) == pytest.approx(-LARGEST_ELO)


def test_pairs_count_the_points_of_both_games():
    pairs = Pentanomial().add(1, 1).add(1, 0).add(0.5, 0.5).add(0, 0.5)
    assert pairs.counts == (0, 1, 2, 0, 1)
    assert pairs.total == 4
    assert pairs.score == (2 + 1 + 1 + 0.5) / 8
    with pytest.raises(ValueError, match=r"0, 0\.5 or 1 points"):
        pairs.add(2, 0)
    with pytest.raises(ValueError, match="five counts"):
        Pentanomial((1, 2, 3))


def test_no_games_say_nothing_and_one_pair_next_to_nothing():
    nothing = Pentanomial().elo()
    assert (nothing.elo, nothing.low, nothing.high, Pentanomial().los()) == (0, -LARGEST_ELO, LARGEST_ELO, 0.5)
    one = Pentanomial().add(1, 1).elo()
    assert one.low < 0 < one.high


@pytest.mark.parametrize("pairs", [20, 100])
@pytest.mark.parametrize(
    "chances",
    [
        (0.1, 0.15, 0.4, 0.2, 0.15),
        (0.25, 0, 0.5, 0, 0.25),  # no draws
        (0.09, 0, 0.42, 0, 0.49),
        (0.01, 0, 0.18, 0, 0.81),  # one player far ahead
        (0.02, 0.18, 0.6, 0.18, 0.02),  # mostly draws
    ],
)
def test_the_interval_contains_the_truth_as_often_as_it_says(chances, pairs):
    truth = elo_difference(sum(i / 4 * chance for i, chance in enumerate(chances)))
    choose = random.Random(1)
    inside = 0
    for _ in range(200):
        drawn = choose.choices(range(5), chances, k=pairs)
        found = Pentanomial(tuple(drawn.count(i) for i in range(5))).elo()
        inside += found.low <= truth <= found.high
    assert 0.92 <= inside / 200 <= 0.99


def test_normalized_elo_does_not_care_how_many_draws_there_are():
    """Results of equal mean in standard deviations are equal evidence; in plain Elo many draws make them weaker."""
    few, many = Pentanomial((20, 0, 50, 0, 30)), Pentanomial((2, 18, 50, 24, 6))

    def spread(pairs):
        mean = pairs.score
        return sum(n * (i / 4 - mean) ** 2 for i, n in enumerate(pairs.counts)) / pairs.total

    assert (few.score - 0.5) / spread(few) ** 0.5 == pytest.approx((many.score - 0.5) / spread(many) ** 0.5, rel=0.3)
    plain, normal = Sprt(0, 20), Sprt(0, 20, normalized=True)
    assert abs(normal.llr(few) - normal.llr(many)) < abs(plain.llr(few) - plain.llr(many))
    assert Sprt(-5, 5, normalized=True).llr(Pentanomial((10, 5, 30, 5, 10))) == pytest.approx(0)


def test_paired_results_give_a_narrower_interval_than_the_same_games_unpaired():
    """An opening that always wins for the side to move first: each pair is 1-1, and says that both are equal."""
    same = Pentanomial((0, 0, 100, 0, 0)).elo()
    mixed = Pentanomial((25, 0, 50, 0, 25)).elo()
    assert same.elo == mixed.elo == 0
    assert same.high - same.low < (mixed.high - mixed.low) / 3


@pytest.mark.parametrize(("elo", "verdict"), [(0, "H0"), (30, "H1")])
def test_the_sequential_test_errs_in_about_one_of_twenty(elo, verdict):
    test = Sprt(0, 30)
    score = expected_score(elo)
    spread = (0.25, 0.25)  # of each pair: extra weight of 0-2 and 2-0 besides 1-1
    wrong = 0
    for seed in range(60):
        choose = random.Random(seed)
        pairs, decision = Pentanomial(), None
        while decision is None:
            shift = score - 0.5
            chances = (spread[0] - shift, 0, 0.5, 0, spread[1] + shift)
            at = choose.choices(range(5), chances)[0]
            pairs = pairs.add(*((0, 0), (0.5, 0), (0.5, 0.5), (1, 0.5), (1, 1))[at])
            decision = test.decision(pairs)
        wrong += decision != verdict
    assert wrong <= 7


def test_the_bounds_are_walds():
    lower, upper = Sprt(0, 5, alpha=0.05, beta=0.1).bounds
    assert lower == pytest.approx(math.log(0.1 / 0.95))
    assert upper == pytest.approx(math.log(0.9 / 0.05))
    assert Sprt(0, 5).decision(Pentanomial()) is None
    for wrong in ((5, 5, 0.05, 0.05), (0, 5, 0, 0.05), (0, 5, 0.05, 0.7)):
        with pytest.raises(ValueError, match="must be"):
            Sprt(*wrong)


@pytest.mark.parametrize("name", ["ultimate", "xtreme", "extreme"])
def test_openings_are_even(name):
    game = noughts.load_game(name)
    openings = [balanced_opening(game, 6, seed) for seed in range(4)]
    assert len({tuple(opening) for opening in openings}) == 4
    assert openings[0] == balanced_opening(game, 6, 0)
    for opening in openings:
        state = game.new_initial_state()
        for action in opening:
            state.apply_action(action)
        score = Engine(game, memory=1).search(state, Limits(nodes=20_000)).best.score
        assert abs(score) <= BALANCED


def test_an_opening_as_long_as_the_game_is_refused():
    with pytest.raises(ValueError, match="use fewer"):
        balanced_opening(noughts.load_game("classic"), 9, 1)


def untimed(game, first, second, games, **options):
    return Match(noughts.load_game(game), (first, second), games, UNTIMED, **options)


def actions(match, store=None):
    return [record.moves for record in played(match, store=store)]


def test_a_pair_is_one_opening_from_both_sides_and_repeats():
    plan = untimed("ultimate", "alphabeta?nodes=200&memory=1", "random", 4, seed=3, opening=6)
    records = played(plan)
    assert [record.moves for record in records] == actions(plan)
    openings = [record.moves[:6] for record in records]
    assert openings[0] == openings[1] != openings[2] == openings[3]
    assert [record.winner for record in records] == [0, 1, 0, 1]
    assert paired(records, plan.player_names[0]).counts == (0, 0, 0, 0, 2)


def test_a_game_is_the_same_whichever_others_are_played():
    plan = untimed("ultimate", "alphabeta?nodes=200&memory=1", "random", 4, seed=3, opening=6)
    records = played(plan)
    store = open_store()
    for number in (1, 2):
        store.add(records[number])
    assert actions(plan, store) == [record.moves for record in records]


@needs_two_cores
def test_many_cores_play_the_same_pairs_as_one():
    players = "alphabeta?nodes=300&memory=1", "mcts?games=50&memory=1"
    alone, together = (untimed("xtreme", *players, 4, seed=1, jobs=jobs, opening=6) for jobs in (1, 2))
    assert actions(alone) == actions(together)


def test_without_a_clock_a_search_by_nodes_plays_by_nodes_alone(monkeypatch):
    plan = untimed("xtreme", "alphabeta?nodes=300&memory=1", "random", 2, seed=1)
    seen = []
    search = Engine.search

    def watched(engine, state, limits):
        seen.append(limits)
        return search(engine, state, limits)

    monkeypatch.setattr(Engine, "search", watched)
    actions(plan)
    assert set(seen) == {Limits(nodes=300)}


def test_unknown_players_are_refused_before_anything_starts():
    with pytest.raises(ValueError, match="there is no player 'nobody'"):
        untimed("classic", "random", "nobody", 2)


def test_a_clock_has_time_on_it():
    with pytest.raises(ValueError, match="more than 0 seconds"):
        Match(noughts.load_game("classic"), ("random", "random"), limits=BotLimits(-1.0))


def test_a_bot_file_needs_a_clock():
    with pytest.raises(ValueError, match="need a time limit"):
        untimed("classic", "random", "bot.py", 2)
