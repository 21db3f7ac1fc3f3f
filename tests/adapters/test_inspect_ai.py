"""inspect-ai's own evaluation with a scripted model: games are played to their end, and the scores are exact."""

import math

import pytest
from scripted import Scripted

inspect_ai = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed: see .ci/adapters")


@pytest.fixture
def model():
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    policy = Scripted(1, wrong=0.1)

    def outputs(messages, tools, tool_choice, config):
        output = ModelOutput.from_content("mockllm/model", policy.reply(messages[-1].text))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else a tokenizer is fetched
        return output

    return get_model("mockllm/model", custom_outputs=outputs)


def test_a_task_is_evaluated_with_exact_scores(model, tmp_path):
    from noughts.envs.inspect_ai import KEYS, noughts_game

    task = noughts_game(game="wild", opponent="perfect", games=12)
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir=str(tmp_path), max_samples=4)
    assert log.status == "success"
    assert len(log.samples) == 12
    metrics = {score.name: score.metrics for score in log.results.scores}
    assert set(metrics) == set(KEYS)
    assert all(set(found) == {"mean", "stderr"} for found in metrics.values())
    ended = [metrics[key]["mean"].value for key in ("won", "drawn", "lost", "forfeited")]
    assert math.isclose(sum(ended), 1.0)
    assert metrics["given_away"]["mean"].value > 0
    assert metrics["lost"]["mean"].value > 0
    texts = [sample.scores["exact"].explanation for sample in log.samples]
    assert any("gave away" in text for text in texts)
    seats = {sample.metadata["seat"] for sample in log.samples}
    assert seats == {0, 1}


def test_a_model_that_calls_tools_is_not_asked_without_end(tmp_path):
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from noughts.envs.inspect_ai import noughts_game

    asked = []

    def outputs(messages, tools, tool_choice, config):
        asked.append(messages)
        assert not tools
        assert not any(getattr(message, "tool_calls", None) for message in messages)
        output = ModelOutput.for_tool_call("mockllm/model", "bash", {"cmd": "ls"})
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    task = noughts_game(game="wild", opponent="perfect", games=2)
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir=str(tmp_path))
    assert log.status == "success"
    assert len(asked) == 4  # one reply of each game is forgiven
    assert all(sample.scores["exact"].value["forfeited"] == 1 for sample in log.samples)


def test_a_reply_that_was_cut_off_is_no_move(tmp_path):
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from noughts.envs.inspect_ai import noughts_game

    def outputs(messages, tools, tool_choice, config):
        output = ModelOutput.from_content("mockllm/model", "Perhaps [4]? Wait, no", stop_reason="max_tokens")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    task = noughts_game(game="classic", opponent="perfect", games=1, opening=0)
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir=str(tmp_path))
    steps = log.samples[0].store["steps"]
    assert [step["reason"] for step in steps] == ["cut_off", "cut_off"]


def test_the_suite_of_variants_is_a_task_with_exact_scores(model, tmp_path):
    from inspect_ai.log import read_eval_log

    from noughts.envs.inspect_ai import noughts_suite

    (log,) = inspect_ai.eval(noughts_suite(), model=model, display="none", log_dir=str(tmp_path), limit=60)
    assert log.status == "success"
    kept = read_eval_log(log.location)
    assert len(kept.samples) == 60
    assert kept.eval.metadata["hash"]
    for sample in kept.samples:
        value = sample.scores["best_move"].value
        said = sample.output.completion
        assert value["legal"] == (said != "I resign")
        assert value["right"] == any(said.endswith(best) for best in sample.target)
        assert (value["given_away"] == 0) == (value["right"] == 1)
    means = {score.name: score.metrics for score in kept.results.scores}
    right = [sample.scores["best_move"].value["right"] for sample in kept.samples]
    assert means["right"]["grouped_variant"].value == pytest.approx(sum(right) / 60)


def test_the_input_of_a_sample_is_its_prompt():
    from noughts.envs.inspect_ai import noughts_game

    task = noughts_game(game="classic", games=2)
    for sample in task.dataset:
        system, user = sample.input
        assert "the last move in square brackets counts" in system.text
        assert user.text.startswith(f"You are Player {sample.metadata['seat']} in Tic Tac Toe.")


def test_the_task_is_found_by_its_name():
    from importlib.metadata import entry_points

    found = [each for each in entry_points(group="inspect_ai") if each.name == "noughts"]
    if not found:
        pytest.skip("noughts is not installed as a package here")
    assert hasattr(found[0].load(), "noughts_game")
