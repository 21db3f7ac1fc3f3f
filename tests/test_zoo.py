"""The PettingZoo environments: PettingZoo's own tests, bonus moves, and what an illegal action costs."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from conftest import EVERY_GAME, GAMES, load

pytest.importorskip("pettingzoo")
pytest.importorskip("PIL")

from noughts.envs import zoo


# It says so of every environment with a dictionary whose name is not on its list of PettingZoo's own.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
# Where the game is over nothing is legal; PettingZoo's own games show the same.
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
@pytest.mark.parametrize("name", EVERY_GAME)
def test_pettingzoos_own_tests_pass(name, capsys):
    pytest.importorskip("pygame", reason="PettingZoo's tests load games of its own that need pygame")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of those games
        from pettingzoo.test import api_test, render_test, seed_test

    api_test(zoo.env(load(name)), num_cycles=200)
    seed_test(lambda: zoo.env(load(name)), num_cycles=50)
    render_test(lambda render_mode: zoo.env(load(name), render_mode=render_mode))


def random_game(env, seed):
    """The agents in the order they moved, and the rewards from `last`."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    movers, last_rewards = [], {}
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            last_rewards[agent] = reward
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert np.array_equal(observation["action_mask"], env.board.legal_actions_mask())
        movers.append(agent)
        env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
    return movers, last_rewards


@pytest.mark.parametrize("name", GAMES)
def test_both_agents_learn_how_the_game_ended(name):
    env = zoo.env(load(name))
    for seed in range(3):
        movers, last_rewards = random_game(env, seed)
        assert [last_rewards["player_0"], last_rewards["player_1"]] == env.board.returns()
        assert len(movers) == len(env.board.history())


def test_a_bonus_move_is_the_same_agents_turn_again():
    movers, _ = random_game(zoo.env("extreme"), 1)
    assert any(first == second for first, second in pairwise(movers))
    movers, _ = random_game(zoo.env("ultimate"), 1)
    assert all(first != second for first, second in pairwise(movers))


@pytest.mark.parametrize("action", [4, 9, -1, None, "centre"])
def test_an_illegal_action_costs_the_offender_alone(action):
    env = zoo.env("classic")
    env.reset()
    env.step(4)
    env.step(action)
    assert env.rewards == {"player_0": 0.0, "player_1": -1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.infos["player_1"]["illegal"]
    assert env.board.history() == [4]


def test_only_the_agent_to_move_has_actions():
    env = zoo.env("wild")
    env.reset()
    assert env.observe("player_0")["action_mask"].all()
    assert not env.observe("player_1")["action_mask"].any()


def test_an_environment_asks_for_a_reset_first():
    with pytest.raises(AttributeError, match="reset"):
        zoo.env("classic").last()
    with pytest.raises(Exception, match="reset"):
        zoo.env("classic").step(0)
    zoo.raw_env("classic").step(0)
