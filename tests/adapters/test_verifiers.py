"""The package for verifiers, run by its own command with a scripted model: rewards and metrics are in its traces."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from chat import chat_server

pytest.importorskip("verifiers", reason="verifiers is not installed: see .ci/adapters")


def test_games_are_played_and_paid_exactly(tmp_path):
    pytest.importorskip("noughts_v1", reason="integrations/verifiers is not installed: see .ci/adapters")
    command = [str(Path(sys.executable).with_name("vf-eval")), "noughts-v1", "-m", "scripted", "--no-push"]
    command += ["--env.taskset.num-tasks", "4", "-o", str(tmp_path), "--no-rich"]
    with chat_server() as (url, policy):
        command += ["--client.base-url", url, "--client.api-key-var", "OPENAI_API_KEY"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, env={**os.environ, "OPENAI_API_KEY": "none"}
        )
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.rglob("traces.jsonl")
    traces = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    games = [trace if "rewards" in trace else trace["traces"][0] for trace in traces]
    assert len(games) == 4
    assert policy.asked == sum(len(game["calls"]) for game in games)
    for game in games:
        grades = [grade for grade in game["info"]["grades"] if grade["lost"] is not None]
        mean = sum(grade["lost"] for grade in grades) / len(grades)
        assert game["rewards"]["given_away"]["score"] == pytest.approx(-mean)
        metrics = game["metrics"]
        assert metrics["won"] + metrics["drawn"] + metrics["lost"] + metrics["forfeited"] == 1
        assert all(grade["exact"] for grade in grades)
