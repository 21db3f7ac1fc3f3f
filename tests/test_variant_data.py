"""Variants as training data: exact scores, a curriculum, and splits that share no game."""

import gzip
import json
import random
import runpy
from dataclasses import replace
from itertools import islice

import pytest

import noughts
from noughts.cli import main
from noughts.suites import canonical, create_dataset, draw_variants, make_suite, score_answer, split_of, training_game
from noughts.suites.generator import MARKINGS
from noughts.suites.training import LEVELS, SPLITS

QUICK = range(3)
"""Difficulties whose games are solved in no time."""


def renamed(rules, seed):
    """The same game with its cells called otherwise."""
    cells = list(range(rules.cells))
    random.Random(seed).shuffle(cells)
    return replace(rules, lines=tuple(tuple(cells[cell] for cell in line) for line in rules.lines))


def test_a_game_has_one_split_under_all_its_names():
    splits = []
    for number, variant in enumerate(islice(draw_variants(9, side=3, markings=MARKINGS[:2]), 16)):
        splits.append(split_of(variant.rules))
        assert split_of(renamed(variant.rules, number)) == splits[-1]
    assert set(splits) == set(SPLITS)


def test_no_game_is_in_both_splits():
    for difficulty in QUICK:
        train, held_out = (
            {canonical(training_game(number, difficulty=difficulty, split=split).rules) for number in range(5)}
            for split in SPLITS
        )
        assert not train & held_out


def test_the_games_of_the_suites_are_held_out():
    for size in ("small", "full"):
        rules = {question.rules for question in make_suite(size=size).questions}
        assert {split_of(each) for each in islice(rules, 60)} == {"held-out"}


@pytest.mark.parametrize("difficulty", QUICK)
def test_entries_are_of_their_level_and_their_values_are_exact(difficulty):
    data = create_dataset(size=8, seed=2, difficulty=difficulty)
    level = LEVELS[difficulty]
    for number, entry in enumerate(data):
        facts = entry["metadata"]
        assert entry == data[number] == create_dataset(size=100, seed=2, difficulty=difficulty)[number]
        assert level.depths[0] <= facts["depth"] <= level.depths[1]
        assert facts["family"].rpartition("-")[0] in level.families
        game = training_game(number // 4, difficulty=difficulty, seed=2)
        state = game.from_string(facts["position"])
        values = noughts.solve(game).action_values(state)
        assert sorted(each["value"] for each in facts["moves"]) == sorted(values.values())
        assert entry["answer"] in entry["question"]
    assert list(create_dataset(size=2, seed=3, difficulty=difficulty)) != [data[0], data[1]]


def test_an_answer_is_worth_what_its_move_is():
    data = create_dataset(size=12, seed=1, difficulty=1)
    for entry in data:
        for each in entry["metadata"]["moves"]:
            lost = entry["metadata"]["value"] - each["value"]
            said = f"<think>[0] or {entry['answer']}</think> So: {each['move'].lower()}"
            assert data.score_answer(said, entry) == {0: 1.0, 1: 0.2, 2: 0.1}[lost]
        for nothing in (None, "", "I resign", "[99]", f"<think>Perhaps {entry['answer']}? Wait"):
            assert score_answer(nothing, entry) == 0.0


@pytest.mark.parametrize(
    "wrong", [{"size": 0}, {"difficulty": 5}, {"difficulty": "easy"}, {"split": "test"}, {"seed": -1}]
)
def test_what_cannot_be_made_is_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} (is|must be) "):
        create_dataset(**wrong)


def test_the_command_writes_rows_a_datasheet_and_a_task(tmp_path, capsys):
    path = tmp_path / "variants.jsonl.gz"
    command = ["dataset", "--suite", "variants", "--sample", "8", "--difficulty", "1", "--split", "held-out"]
    assert main([*command, "--out", str(path)]) == 0
    assert "8 questions about 2 held-out games" in capsys.readouterr().out
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert rows == list(create_dataset(size=8, difficulty=1, split="held-out"))
    task = (tmp_path / "variants.yaml").read_text(encoding="utf-8")
    assert "task: noughts_variants\n" in task
    assert json.dumps(str(path)) in task
    assert "process_results: !function variants_scorer.process_results" in task
    score = runpy.run_path(str(tmp_path / "variants_scorer.py"))["process_results"]
    assert score(rows[0], [rows[0]["answer"]]) == {"score": 1.0, "best": 1.0, "legal": 1.0}
    assert score(rows[0], ["no"]) == {"score": 0.0, "best": 0.0, "legal": 0.0}
    assert "--split held-out" in (tmp_path / "variants.datasheet.md").read_text(encoding="utf-8")
    assert main(["dataset", "wild", "--suite", "variants", "--out", str(tmp_path / "x.jsonl.gz")]) == 2
    assert "pass either a game or --suite variants" in capsys.readouterr().err
