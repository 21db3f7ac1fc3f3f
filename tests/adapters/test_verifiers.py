"""The package for verifiers, run by its own command with a scripted model: rewards and metrics are in its traces."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from chat import chat_server

pytest.importorskip("verifiers", reason="verifiers is not installed: see .ci/adapters")


def evaluated(folder, tasks, *options, finish="stop"):
    """The traces of an evaluation by the library's own command, and how often the model was asked."""
    pytest.importorskip("noughts_v1", reason="integrations/verifiers is not installed: see .ci/adapters")
    command = [str(Path(sys.executable).with_name("vf-eval")), "noughts-v1", "-m", "scripted", "--no-push"]
    command += ["--env.taskset.num-tasks", str(tasks), "-o", str(folder), "--no-rich", *options]
    with chat_server(finish=finish) as (url, policy):
        command += ["--client.base-url", url, "--client.api-key-var", "OPENAI_API_KEY"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, env={**os.environ, "OPENAI_API_KEY": "none"}
        )
    assert done.returncode == 0, done.stderr
    (path,) = folder.rglob("traces.jsonl")
    traces = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [trace if "rewards" in trace else trace["traces"][0] for trace in traces], policy.asked


def test_games_are_played_and_paid_exactly(tmp_path):
    games, asked = evaluated(tmp_path, 4)
    assert len(games) == 4
    assert asked == sum(len(game["calls"]) for game in games)
    for game in games:
        steps = [step for step in game["info"]["steps"] if step["lost"] is not None]
        mean = sum(step["lost"] for step in steps) / len(steps)
        metrics = game["metrics"]
        paid = (metrics["outcome"] + 3) / 4 - mean / 4 - 0.05 * metrics["invalid"]
        assert game["rewards"]["graded"]["score"] == pytest.approx(-0.1 if metrics["forfeited"] else max(0, paid))
        assert metrics["won"] + metrics["drawn"] + metrics["lost"] + metrics["forfeited"] == 1
        assert all(step["exact"] for step in steps)


def test_replies_that_were_cut_off_are_no_moves(tmp_path):
    games, asked = evaluated(tmp_path, 2, finish="length")
    assert asked == 4  # one reply of each game is forgiven
    for game in games:
        assert [step["reason"] for step in game["info"]["steps"]] == ["cut_off", "cut_off"]
        assert game["rewards"]["graded"]["score"] == -0.1


def test_generated_games_are_played_too(tmp_path):
    games, _ = evaluated(tmp_path, 2, "--env.taskset.variants", "--env.taskset.difficulty", "1")
    assert all(step["exact"] for game in games for step in game["info"]["steps"] if step["valid"])
    assert len({json.dumps(game["info"]["steps"]) for game in games}) == 2
