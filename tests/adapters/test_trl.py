"""TRL's class: a tool, a reward, nothing imported. The schema is that of transformers, where it is installed."""

import inspect
import json

import pytest
from scripted import Scripted

from noughts.envs.trl import NoughtsEnv, position_reward, position_rows, rows, variant_rows
from noughts.suites import create_dataset


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


def test_generated_games_are_played_too():
    env = NoughtsEnv()
    texts = set()
    for row in variant_rows(6, difficulty=1):
        texts.add(env.reset(**row))
        assert 0 <= played(env, 1, row) <= 1
    assert len(texts) == 6
    assert all("in a generated game" in text for text in texts)


def test_single_positions_have_a_reward_function():
    table = position_rows(create_dataset(size=8, seed=1))
    facts = [row["metadata"] for row in table]
    best, silent = [[{"role": "assistant", "content": each["moves"][0]["move"]}] for each in facts], ["..."] * 8
    assert position_reward(best, facts, prompts=None, trainer_state=None) == [1.0] * 8
    assert position_reward(silent, facts) == [0.0] * 8
    worst = position_reward([each["moves"][-1]["move"] for each in facts], facts)
    assert all(0 < reward < 1 for reward in worst)


def test_only_play_is_a_tool():
    names = [name for name, _ in inspect.getmembers(NoughtsEnv, inspect.isfunction) if not name.startswith("_")]
    assert sorted(set(names) - {"reset", "get_reward"}) == ["play"]


def test_transformers_makes_a_schema_of_the_tool():
    utils = pytest.importorskip("transformers.utils", reason="transformers is not installed: see .ci/adapters")
    schema = utils.get_json_schema(NoughtsEnv().play)
    assert schema["function"]["name"] == "play"
    assert schema["function"]["parameters"]["required"] == ["move"]
    assert "square brackets" in json.dumps(schema)
