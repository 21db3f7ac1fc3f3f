"""What comes with the package: the suites of seed 1, and the results of the reference players beside a model's."""

import json
import re
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

import noughts
from noughts.cli import main
from noughts.evaluation.compare import SHIPPED
from noughts.evaluation.reference import SUITE_PLAYERS, answer_all, play_games, players_of_game
from noughts.suites.scores import results_data
from noughts.suites.suite import SIZES, question_streams
from noughts.suites.suite import make_suite as made_anew

ROOT = Path(__file__).parent.parent
make_suite = cache(made_anew)


@pytest.fixture(scope="module")
def shipped():
    return json.loads(SHIPPED.read_text(encoding="utf-8"))


def stream_of(question):
    return {"unchanged": "clash", "disguised": "classic"}.get(question.part, question.group.rpartition("-")[0])


def test_the_suites_of_the_package_are_those_that_their_seed_makes():
    kept = {size: make_suite(size=size) for size in SIZES}
    for name, stream in question_streams(SIZES["full"], 1).items():
        made = list(islice(stream, 4))
        for suite in kept.values():
            assert [question for question in suite.questions if stream_of(question) == name][:4] == made
    for size, suite in kept.items():
        assert len(suite.questions) == SIZES[size].questions


def test_the_docs_name_the_hash_of_the_small_suite():
    assert make_suite(size="small").hash in (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")


def test_every_reference_player_has_results_in_every_game_and_on_every_suite(shipped):
    in_games = {(run["game"], run["player"]) for run in shipped["games"]}
    expected = {(game, name) for game in noughts.game_names() for name in players_of_game(noughts.load_game(game))}
    assert in_games == expected, "run python tests/make_fixtures.py"
    answered = {(run["size"], run["player"]) for run in shipped["suites"]}
    assert answered == {(size, name) for size in SIZES for name in SUITE_PLAYERS} | {("small", "q-learning")}
    assert {run["hash"] for run in shipped["suites"] if run["size"] == "small"} == {make_suite(size="small").hash}


def test_the_results_are_those_that_the_command_makes(shipped):
    game = noughts.load_game("classic")
    for name in ("random", "memoriser"):
        kept = next(run for run in shipped["games"] if (run["game"], run["player"]) == ("classic", name))
        assert json.loads(json.dumps(play_games(game, name, players_of_game(game)[name], kept["games"]))) == kept
    kept = next(run for run in shipped["suites"] if (run["size"], run["player"]) == ("small", "copier"))
    assert (
        json.loads(json.dumps(results_data(answer_all(make_suite(size="small"), "copier", SUITE_PLAYERS["copier"]))))
        == kept
    )


def test_the_reference_players_stand_beside_a_run_in_80_columns(shipped, tmp_path, capsys):
    assert main(["evaluate", "--compare", "reference"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "extreme against alphabeta:level=4: endings" in shown
    model = shipped["games"][0] | {"player": "llm:a-provider/a-model-with-a-very-long-name-of-70B?seconds=60"}
    own = tmp_path / "own.json"
    own.write_text(json.dumps({"format": "noughts-results", "version": 1, "games": [model], "suites": []}))
    assert main(["evaluate", "--compare", "reference", str(own)]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert set(re.findall(r"^(\S+) against", shown, re.MULTILINE)) == {model["game"]}
    assert "llm:a-prov...ame-of-70B" in shown


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "NaN", "1e999"])
def test_a_number_that_is_not_finite_gets_a_sentence(shipped, tmp_path, capsys, number):
    run = json.loads(json.dumps(shipped["games"][0]))
    run["grades"]["given_away"]["value"] = "HERE"
    bad = tmp_path / "bad.json"
    data = {"format": "noughts-results", "version": 1, "games": [run], "suites": []}
    bad.write_text(json.dumps(data).replace('"HERE"', number))
    assert main(["evaluate", "--compare", str(bad)]) == 2
    said = capsys.readouterr().err
    assert "every number of a result must be finite" in said
    assert "Traceback" not in said
