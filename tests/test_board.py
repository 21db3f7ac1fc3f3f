"""The data of the board in a browser: exactly what the rules allow, and recorded games in little space."""

from __future__ import annotations

import json
import random
import re

import pytest
from conftest import EVERY_GAME, NESTED, load

import noughts
from noughts import board


def positions(game: noughts.Game, seed: int = 1):
    state, chance = game.new_initial_state(), random.Random(seed)
    yield state
    while not state.is_terminal():
        state.apply_action(chance.choice(state.legal_actions()))
        yield state


@pytest.mark.parametrize("name", EVERY_GAME)
def test_each_mark_in_each_playable_cell_is_a_legal_move_and_there_are_no_others(name):
    game = load(name)
    for state in positions(game):
        said = board.view(state)
        marks = [game.rules.marks.index(mark) for mark in said["marks"]] if game.rules.choices > 1 else [0]
        actions = {int(cell) * game.rules.choices + mark for cell in said["moves"] for mark in marks}
        assert actions == set(state.legal_actions())
        assert (said["player"] is None) == state.is_terminal() == (not said["moves"])
        json.dumps(said)


@pytest.mark.parametrize("name", NESTED)
def test_the_target_of_a_move_is_where_the_next_one_can_be_played(name):
    sentences = set()
    for state in positions(noughts.load_game(name), seed=5):
        said = board.view(state)
        for cell, number in said["moves"].items():
            after, target = board.view(state.child(int(cell)), legal=False), said["targets"][number]
            assert target["blocks"] == after["open"]
            assert after["player"] in (None, target["player"])
            sentences.add(re.sub(r"\d+", "N", target["text"]))
    assert any("sends O to block N" in text for text in sentences)
    assert any("any open block" in text for text in sentences)
    assert any("moves again" in text for text in sentences) == noughts.load_game(name).rules.bonus


def test_a_recorded_game_costs_few_bytes_a_move():
    game, chance = noughts.load_game("extreme"), random.Random(2)
    archive, games = board.Archive(game), []
    for _ in range(40):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
        games.append(archive.add(state.history()))
    size = len(json.dumps({"tables": archive.tables(), "games": games}, separators=(",", ":")))
    assert size / sum(len(one["cells"]) for one in games) < 13


def test_one_script_holds_all_modules_and_needs_no_other_file():
    main = 'import { create } from "./board.js";\nimport { viewAt } from "./frames.js";\ncreate(document.body);\n'
    script = board.script(main)
    assert not re.search(r"^\s*(?:import|export)\b", script, re.M)
    assert "const { create } = module_board;" in script
    assert "http://" not in script.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in script


def test_a_script_that_needs_an_unknown_module_is_refused():
    with pytest.raises(ValueError, match="imports other"):
        board.script('import { x } from "./other.js";\n')
    with pytest.raises(ValueError, match="unsupported form"):
        board.script('import * as b from "./board.js";\n')


def test_files_are_chosen_from_a_list():
    with pytest.raises(KeyError):
        board.source("../__init__.py")
