"""TRL's class: a tool, a reward, nothing imported. The schema is that of transformers, where it is installed."""

import inspect
import json

import pytest
from scripted import Scripted

from noughts.envs.trl import NoughtsEnv, rows


def played(env, script, columns):
    text, policy = env.reset(**columns), Scripted(script)
    while "Available Moves:" in text:
        text = env.play(policy.reply(text))
    return env.get_reward()


def test_a_group_of_rollouts_has_different_rewards():
    env, told_apart = NoughtsEnv(), 0
    for row in rows(40):
        rewards = [played(env, script, row) for script in range(8)]
        assert all(0 <= reward <= 1 for reward in rewards)
        told_apart += len({round(reward, 6) for reward in rewards}) > 1
    assert told_apart >= 30
    with pytest.raises(ValueError, match="the game is over"):
        env.play("[X 4]")


def test_an_unfinished_rollout_pays_less_than_any_finished_one_and_unknown_columns_are_left_alone():
    env = NoughtsEnv()
    env.reset(game="classic", answer="whatever", environment="x")
    assert env.get_reward() == -0.1
    with pytest.raises(ValueError, match="there is no game"):
        env.reset(game="games.py:MINE")


def test_only_play_is_a_tool():
    names = [name for name, _ in inspect.getmembers(NoughtsEnv, inspect.isfunction) if not name.startswith("_")]
    assert sorted(set(names) - {"reset", "get_reward"}) == ["play"]


def test_transformers_makes_a_schema_of_the_tool():
    utils = pytest.importorskip("transformers.utils", reason="transformers is not installed: see .ci/adapters")
    schema = utils.get_json_schema(NoughtsEnv().play)
    assert schema["function"]["name"] == "play"
    assert schema["function"]["parameters"]["required"] == ["move"]
    assert "square brackets" in json.dumps(schema)
