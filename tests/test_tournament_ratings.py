"""Ratings: as an independent library has them, with intervals that hold the truth as often as they say."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament_play import game, names, play

from noughts.tournaments._formats import League
from noughts.tournaments._ratings import ELO, PRIOR_ELO, rate
from noughts.tournaments.results import Result

POINTS = {0.0: (0, 68), 0.5: (34, 34), 1.0: (68, 0)}


def simulated(strengths, fixtures, random, first_move=0.0, draw_width=0.0):
    """Results of contestants whose strengths are known; natural units."""
    number = {name: at for at, name in enumerate(names(len(strengths)))}
    results = []
    for fixture in fixtures:
        gap = strengths[number[fixture.first]] - strengths[number[fixture.second]] + first_move
        noise = gap + random.logistic()
        results.append(Result(fixture, POINTS[0.5 if abs(noise) < draw_width else float(noise > 0)]))
    return results


def by_statsmodels(results, count):
    """Strengths less their mean, the errors of the strengths less the first one's, first move and width of draws."""
    number = {name: at for at, name in enumerate(names(count))}
    design = np.zeros((len(results), count))
    for row, result in zip(design, results, strict=True):
        row[number[result.first]] += 1
        row[number[result.second]] -= 1
    scores = np.array([result.score for result in results])
    from statsmodels.miscmodels.ordinal_model import OrderedModel  # which takes long to load

    model = OrderedModel(np.unique(scores, return_inverse=True)[1], design[:, 1:], distr="logit")
    fitted = model.fit(method="newton", disp=False, maxiter=100)
    strengths = np.concatenate([[0.0], fitted.params[: count - 1]])
    thresholds = model.transform_threshold_params(fitted.params)[1:-1]
    errors = np.sqrt(np.diag(fitted.cov_params()))[: count - 1]
    return strengths - strengths.mean(), errors, -thresholds.mean(), np.ptp(thresholds) / 2


def test_ratings_agree_with_statsmodels_ordered_logit():
    random = np.random.default_rng(7)
    strengths = random.normal(0, 1, 8)
    results = simulated(strengths, League(names(8), rounds=8).due([]), random, first_move=0.4, draw_width=0.6)
    theirs, errors, first_move, draw_width = by_statsmodels(results, 8)
    ours = rate(results, names(8), prior_elo=1e6)
    assert ours.strengths == pytest.approx(theirs, abs=1e-4)
    assert ours.first_move.elo / ELO == pytest.approx(first_move, abs=1e-4)
    assert ours.draw_width.elo / ELO == pytest.approx(draw_width, abs=1e-4)
    for name, error in zip(names(8)[1:], errors, strict=True):
        gap = ours.difference(name, "bot0")
        assert (gap.high - gap.low) / ELO / 2 / 1.96 == pytest.approx(error, rel=1e-3)


def test_without_draws_it_is_the_model_of_bradley_and_terry():
    won, lost = [game("a", "b", (1, 0)), game("b", "a", (0, 1))], [game("a", "b", (0, 1)), game("b", "a", (1, 0))]
    ratings = rate(won * 3 + lost, prior_elo=1e6)
    assert ratings.draw_width.elo == ratings.draw_width.low == ratings.draw_width.high == 0
    assert ratings.difference("a", "b").elo == pytest.approx(400 * math.log10(3), abs=0.01)
    assert ratings.first_move.elo == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(("count", "rounds"), [(6, 3), (30, 1)])
def test_intervals_hold_the_truth_about_95_times_in_100(count, rounds):
    random = np.random.default_rng(11)
    held = []
    for _ in range(60):
        strengths = random.normal(0, 0.8, count)
        strengths -= strengths.mean()
        fixtures = League(names(count), rounds=rounds).due([])
        ratings = rate(simulated(strengths, fixtures, random, 0.3, 0.3), names(count))
        held.append(ratings.first_move.low <= 0.3 * ELO <= ratings.first_move.high)
        held += [rating.low <= strengths[int(rating.name[3:])] * ELO <= rating.high for rating in ratings.table]
    assert 0.92 < np.mean(held) < 0.98


def test_a_perfect_score_stays_finite_and_more_of_it_counts_more():
    few, many = (rate([game("a", "b", (68, 0)), game("b", "a", (0, 68))] * times) for times in (1, 20))
    assert 0 < few.table[0].elo < many.table[0].elo < 1500
    assert few.difference("a", "b").low < 0 < many.difference("a", "b").low


def test_a_lone_contestant_has_the_rating_of_the_prior():
    ratings = rate([game("a", "b", (68, 0))], ["lone"])
    (lone,) = (rating for rating in ratings.table if rating.name == "lone")
    assert (lone.elo, lone.games, lone.component) == (0, 0, 2)
    assert lone.high == pytest.approx(1.96 * PRIOR_ELO, rel=1e-3)


def test_only_draws_make_equals_with_a_finite_width():
    ratings = rate([game("a", "b", (34, 34)), game("b", "a", (34, 34))] * 10)
    assert ratings.difference("a", "b").elo == pytest.approx(0, abs=1e-6)
    assert 0 < ratings.draw_width.elo < 2000
    assert 0 < rate([game("a", "b", (34, 34))] * 500, prior_elo=1e9).draw_width.elo < 20_000


def test_components_are_told_apart_and_not_compared():
    met = [("a", "b"), ("b", "c"), ("c", "a"), ("x", "y")]
    ratings = rate([game(*pair, points) for pair in met for points in ((68, 0), (0, 68))] * 10)
    assert {rating.name: rating.component for rating in ratings.table} == {"a": 1, "b": 1, "c": 1, "x": 2, "y": 2}
    assert ratings.strengths[:3].sum() == pytest.approx(0, abs=1e-6)
    assert ratings.strengths[3:].sum() == pytest.approx(0, abs=1e-6)
    inside, across = ratings.difference("a", "b"), ratings.difference("a", "x")
    assert across.high - across.low > 3 * (inside.high - inside.low)


def test_moving_first_is_told_from_being_strong():
    fixtures = list(League(names(10), rounds=10).due([]))
    results = simulated(np.zeros(10), fixtures, np.random.default_rng(3), first_move=1.0)
    ratings = rate(results)
    assert ratings.first_move.low > 100
    assert max(rating.elo for rating in ratings.table) < 100


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0])), max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_results_have_finite_ratings_in_any_order(games):
    results = [game(f"bot{one}", f"bot{other}", POINTS[score]) for one, other, score in games if one != other]
    ratings, again = rate(results, names(6)), rate(results[::-1], names(6))
    assert np.isfinite(ratings.strengths).all()
    assert np.abs(ratings.strengths).max() < 3000 / ELO
    assert (np.diag(ratings.covariance) > -1e-9).all()
    assert again.strengths == pytest.approx(ratings.strengths, abs=1e-6)
    assert all(rating.low <= rating.elo <= rating.high for rating in ratings.table)


def test_a_prior_without_width_is_refused():
    with pytest.raises(ValueError, match="the prior needs a standard deviation of more than 0 Elo points, not 0"):
        rate([], ["a"], prior_elo=0)


def test_expected_scores_are_those_of_the_model_and_follow_the_ratings():
    ratings = rate(play(League(names(5), rounds=3)))
    scores = ratings.expected_scores
    assert sum(scores.values()) == pytest.approx(5 / 2)
    order = [rating.name for rating in ratings.table]
    assert order == sorted(scores, key=lambda name: -scores[name])
    alone = rate([], ["a"]).expected_scores
    assert alone == {"a": 0.5}
    strong = rate([game("a", "b", (1, 0)), game("b", "a", (0, 1))] * 20).expected_scores
    assert strong["a"] > 0.95
