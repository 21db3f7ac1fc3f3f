"""Exports in the format of Every Eval Ever 0.3.0.

The facts below are those of its two schemas; its package, which wants Python 3.12, validates the files too where it is
installed.
"""

import hashlib
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from chat_server import serving

from noughts.cli import main
from noughts.suites import make_suite

AGGREGATE = {
    "schema_version": str,
    "evaluation_id": str,
    "retrieved_timestamp": str,
    "source_metadata": dict,
    "eval_library": dict,
    "model_info": dict,
    "evaluation_results": list,
}
SAMPLE = {
    "schema_version": str,
    "evaluation_id": str,
    "model_id": str,
    "evaluation_name": str,
    "sample_id": str,
    "interaction_type": str,
    "input": dict,
    "answer_attribution": list,
    "evaluation": dict,
}
OTHERS = {"evaluation_result_id", "output", "messages", "token_usage", "performance", "error", "metadata"}
PLACE = r"data/[^/]+/[^/]+/[^/]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json"


def exported(folder):
    """The results and the samples below a folder, checked as far as the facts go."""
    (path,) = folder.rglob("eee/data/*/*/*/*-*.json")
    root = next(parent for parent in path.parents if parent.name == "eee")
    place = path.relative_to(root).as_posix()
    assert re.fullmatch(PLACE, place)
    data = json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert all(isinstance(data[name], kind) for name, kind in AGGREGATE.items())
    assert set(data) <= {*AGGREGATE, "evaluation_timestamp", "detailed_evaluation_results"}
    assert data["schema_version"] == "0.3.0"
    assert data["source_metadata"]["source_type"] == "evaluation_run"
    details = data["model_info"]["additional_details"]
    assert details["deployment_type"] in ("self_deployed", "externally_managed", "unknown")
    assert details["model_availability"] in ("open_weights", "closed_weights", "unknown")
    results = {one["evaluation_result_id"]: one for one in data["evaluation_results"]}
    assert len(results) == len(data["evaluation_results"])
    for one in results.values():
        metric, score = one["metric_config"], one["score_details"]["score"]
        assert math.isfinite(score)
        assert metric["min_score"] <= score <= metric["max_score"]
        assert one["source_data"]["source_type"] == "other"
        assert all(isinstance(value, str) for value in one["source_data"]["additional_details"].values())
        interval = one["score_details"]["uncertainty"]["confidence_interval"]
        assert interval["lower"] <= score <= interval["upper"]
    samples = data["detailed_evaluation_results"]
    assert samples["file_path"] == place.replace(".json", "_samples.jsonl")
    raw = (root / samples["file_path"]).read_bytes()
    assert samples["checksum"] == hashlib.sha256(raw).hexdigest()
    rows = [json.loads(line, parse_constant=pytest.fail) for line in raw.splitlines()]
    assert samples["total_rows"] == len(rows) == len({row["sample_id"] for row in rows})
    for row in rows:
        assert all(isinstance(row[name], kind) for name, kind in SAMPLE.items())
        assert set(row) <= {*SAMPLE, *OTHERS}
        assert (row["evaluation_id"], row["model_id"]) == (data["evaluation_id"], data["model_info"]["id"])
        assert row["evaluation_name"] == results[row["evaluation_result_id"]]["evaluation_name"]
        assert (row["output"] is None) == (row["interaction_type"] != "single_turn") == (row["messages"] is not None)
        assert all(isinstance(value, str) for value in row["metadata"].values())
    _validated_by_its_package(path, raw)
    return data, results, rows


def _validated_by_its_package(path, raw):
    try:
        from every_eval_ever.eval_types import EvaluationLog
        from every_eval_ever.instance_level_types import InstanceLevelEvaluationLog
    except ImportError:
        return
    EvaluationLog.model_validate_json(path.read_text(encoding="utf-8"))
    for line in raw.decode().splitlines():
        InstanceLevelEvaluationLog.model_validate_json(line)


def test_answers_to_a_suite_are_samples_of_one_turn(tmp_path, monkeypatch, capsys):
    suite = make_suite()
    some = replace(suite, questions=suite.questions[::11])
    monkeypatch.setattr("noughts.commands._suite.make_suite", lambda *_: some)
    command = ["evaluate", "random", "--suite", "variants", "--out", str(tmp_path), "--export", "eee"]
    assert main(command) == 0
    data, results, rows = exported(tmp_path)
    assert len(rows) == 60
    right = [row["evaluation"]["score"] for row in rows if row["evaluation_result_id"] == "variant.accuracy"]
    assert results["variant.accuracy"]["score_details"]["score"] == pytest.approx(sum(right) / len(right))
    assert results["variant.regret"]["metric_config"]["lower_is_better"]
    for row in rows[::7]:
        assert set(row["input"]["reference"]) < set(row["input"]["choices"])
        assert row["evaluation"]["is_correct"] == (row["output"]["raw"][0] in row["input"]["reference"])
    assert main(command) == 0  # the same results have the same name
    assert (
        exported(tmp_path)[0]["detailed_evaluation_results"]["file_path"]
        == (data["detailed_evaluation_results"]["file_path"])
    )


def test_games_of_a_model_are_chats(tmp_path, capsys):
    with serving() as server:
        name = f"llm:some-lab/some-model?base_url={server.url}&temperature=0.5&tokens=64"
        command = ["evaluate", name, "--game", "classic", "--games", "4", "--seed", "1", "--out", str(tmp_path)]
        command += ["--export", "eee", "--export-facts", "deployment=self_deployed", "organization=A School"]
        assert main(command) == 0
    data, results, rows = exported(tmp_path)
    assert data["source_metadata"]["source_organization_name"] == "A School"
    assert data["model_info"]["additional_details"]["deployment_type"] == "self_deployed"
    assert server.url not in json.dumps(data)
    scores = [row["evaluation"]["score"] for row in rows]
    assert results["score"]["score_details"]["score"] == pytest.approx(sum(scores) / 4)
    assert results["score"]["generation_config"]["generation_args"] == {"temperature": 0.5, "max_tokens": 64}
    assert {message["role"] for row in rows for message in row["messages"]} == {"user", "assistant"}


@pytest.mark.parametrize("fact", ["deployment=cloud", "colour=red", "organization"])
def test_a_fact_that_the_format_does_not_know_is_refused_before_anything_is_played(fact, tmp_path, capsys):
    command = ["evaluate", "random", "--game", "classic", "--out", str(tmp_path / "run")]
    assert main([*command, "--export", "eee", "--export-facts", fact]) == 2
    assert "must be one of" in capsys.readouterr().err
    assert not Path(tmp_path / "run").exists()
