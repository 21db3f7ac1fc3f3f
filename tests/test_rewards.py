"""Rewards of episodes: nobody gains by giving up, and of two games with one result the better played one pays more."""

import random
from functools import cache
from itertools import pairwise

import pytest
from conftest import SMALL

from noughts.clock import Clock
from noughts.envs.text import Episode
from noughts.envs.trl import NoughtsEnv
from noughts.players import make_player

OPPONENTS = {"ultimate": ("random", "greedy")}
"""The players of games that cannot be solved."""
ALL = ("random", "greedy", "perfect")
GAMES = (*SMALL, "ultimate")
PAIRINGS = [(game, opponent) for game in GAMES for opponent in OPPONENTS.get(game, ALL)]
QUITTERS = {"silence": "", "rubbish": "[99] it is, or rather [banana]"}
KINDS = ("graded", "per-move")


def rollout(game, opponent, policy, seed):
    """An episode to its end, its rewards step by step, and what it would have paid had it stopped before each step."""
    episode = Episode(game, opponent=opponent, seat=seed % 2, seed=seed, opening=seed % 3, grade_nodes=50)
    episode.reset()
    player = None if policy in QUITTERS else make_player(policy, seed=seed)
    draw, paid, unfinished = random.Random(seed), [], [episode.total_reward("graded")]
    while not episode.done:
        if player is None or (policy == "random" and draw.random() < 0.1):
            reply = QUITTERS.get(policy, "I pass")
        else:
            reply = episode.env.reader.names[player.choose(episode.env.state, Clock(None))]
        episode.step(reply)
        paid.append(episode.reward("per-move"))
        if not episode.done:
            unfinished += [sum(paid), episode.total_reward("graded")]
    return episode, paid, unfinished


@cache
def rollouts(game, opponent):
    policies = [*QUITTERS, *OPPONENTS.get(game, ALL)]
    return {policy: [rollout(game, opponent, policy, seed) for seed in range(12)] for policy in policies}


def abandoned(episode):
    return episode.env.forfeited == episode.seat


@pytest.mark.parametrize(("game", "opponent"), PAIRINGS)
def test_every_finished_game_pays_more_than_every_abandoned_one(game, opponent):
    found = [each for some in rollouts(game, opponent).values() for each in some]
    for kind in (*KINDS, "outcome"):
        finished = [episode.total_reward(kind) for episode, *_ in found if not abandoned(episode)]
        abandoned_rewards = [episode.total_reward(kind) for episode, *_ in found if abandoned(episode)]
        assert min(finished) > max(abandoned_rewards)
        if kind in KINDS:
            assert min(finished) > max(max(unfinished) for *_, unfinished in found)
            assert 0 <= min(finished) <= max(finished) <= 1


@pytest.mark.parametrize(("game", "opponent"), PAIRINGS)
def test_rewards_per_move_add_up_to_that_of_the_game(game, opponent):
    for some in rollouts(game, opponent).values():
        for episode, paid, _ in some:
            assert sum(paid) == pytest.approx(episode.total_reward("graded"))
            assert episode.total_reward("per-move") == episode.total_reward("graded")


@pytest.mark.parametrize(("game", "opponent"), PAIRINGS)
def test_of_games_with_one_result_the_one_that_gave_away_less_never_pays_less(game, opponent):
    alike = {}
    for some in rollouts(game, opponent).values():
        for episode, *_ in some:
            if not abandoned(episode):
                facts = episode.summary()
                result = (facts["won"], facts["drawn"], facts["invalid"])
                alike.setdefault(result, []).append((facts["given_away"], episode.total_reward("graded")))
    assert max(map(len, alike.values())) > 1
    for games in alike.values():
        for (_, less), (_, more) in pairwise(sorted(games, reverse=True)):
            assert more >= less - 1e-9


@pytest.mark.parametrize(("game", "opponent"), PAIRINGS)
def test_policies_are_paid_in_the_order_of_their_strength(game, opponent):
    paid = {
        policy: sum(episode.total_reward("graded") for episode, *_ in some) / len(some)
        for policy, some in rollouts(game, opponent).items()
    }
    best = OPPONENTS.get(game, ALL)[-1]
    assert paid["silence"] == paid["rubbish"] == pytest.approx(-0.1)
    assert paid["silence"] < paid["random"] < paid[best]


def test_an_unfinished_rollout_pays_as_little_as_a_forfeited_one_in_trl():
    env = NoughtsEnv()
    env.reset(game="wild", opponent="perfect", reward="graded")
    assert env.get_reward() == pytest.approx(-0.1)
    env.play("[X 4]")
    assert env.get_reward() == pytest.approx(-0.1)
    env.reset(game="wild", opponent="perfect", reward="outcome")
    assert env.get_reward() == pytest.approx(-1.1)
