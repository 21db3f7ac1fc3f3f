"""The commands `analyze` for nested games and `bench`."""

import json
import random
import signal
import sys
from pathlib import Path

import pytest
from conftest import NESTED, golden
from test_cli import Terminal

import noughts
from noughts.cli import main
from noughts.commands import bench

SIGNATURES = json.loads(golden(Path(__file__).parent / "signatures.json"))
"""What `noughts bench` prints. It changes when the search does: on purpose, and with a word in the changelog. Then
write it anew: python tests/make_fixtures.py GAME."""


def said(capsys, *words):
    assert main(words) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    return out


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_the_search_is_the_one_we_know(name):
    found = bench.measure(noughts.load_game(name))
    assert [found.nodes, found.signature] == SIGNATURES[name]


def test_every_game_has_a_signature():
    assert sorted(SIGNATURES) == noughts.game_names(), "run python tests/make_fixtures.py"


def test_bench_prints_what_it_measures(capsys):
    assert "Elo" in said(capsys, "bench", "ultimate-boards")  # and fits 80 columns
    out = said(capsys, "bench", "wild")
    nodes, signature = SIGNATURES["wild"]
    assert f"{nodes:,}  {signature}" in out
    (record,) = json.loads(said(capsys, "bench", "wild", "--json"))
    assert record["game"] == "wild"
    assert record["nodes_per_second"] > 0


@pytest.mark.parametrize("name", NESTED)
def test_analyze_shows_the_best_lines_of_nested_games(capsys, name):
    out = said(capsys, "analyze", name, "--depth", "3", "--multi-pv", "2")
    head, *lines = out.partition("move  result")[2].splitlines()
    assert head.endswith("best play")
    assert len([line for line in lines if line.strip()]) == 3  # two lines, and what they cost
    assert "depth 3" in out


def test_lines_for_scripts_are_legal_and_ordered(capsys):
    record = json.loads(said(capsys, "analyze", "xtreme", "--nodes", "20000", "--multi-pv", "4", "--json"))
    results = [move["value"] for move in record["moves"]]
    assert len(results) == 4
    assert results == sorted(results, reverse=True)
    for line in record["moves"]:
        state = noughts.load_game("xtreme").new_initial_state()
        for move in line["line"]:
            state.apply_action(state.string_to_action(move))
        assert line["line"][0] == line["move"]


def test_the_effort_is_that_of_the_whole_search(capsys):
    facts = json.loads(said(capsys, "analyze", "extreme", "--nodes", "30000", "--json"))
    assert facts["nodes"] >= 30_000, "also what was searched after the last depth that was finished"


def test_a_win_is_said_in_words(capsys):
    """X owns two blocks of the top row and can complete the third."""
    state = won_in_one()
    out = said(capsys, "analyze", "ultimate", state.to_string(), "--depth", "4", "--multi-pv", "1")
    assert "wins in 1" in out


def won_in_one():
    game = noughts.load_game("ultimate")
    for seed in range(500):
        state = game.new_initial_state()
        choose = random.Random(seed)
        while not state.is_terminal():
            state.apply_action(choose.choice(state.legal_actions()))
        if state.outcome().reason == "line":
            state.undo_action()
            return state
    raise AssertionError("no random game ends with a line")


def test_a_game_that_is_over_has_nothing_to_evaluate(capsys):
    state = won_in_one()
    action = next(a for a in state.legal_actions() if state.child(a).is_terminal())
    over = state.child(action).to_string()
    assert "nothing to evaluate" in said(capsys, "analyze", "ultimate", over)
    assert main(["analyze", "ultimate", over, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["moves"] == []


@pytest.mark.parametrize("wrong", [("--multi-pv", "0"), ("--depth", "0"), ("--time", "-1"), ("--nodes", "0")])
def test_limits_that_make_no_sense_are_refused(capsys, wrong):
    assert main(["analyze", "extreme", *wrong]) == 2
    said = capsys.readouterr().err
    assert "must be" in said


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are for POSIX systems")
def test_ctrl_c_shows_what_was_found_so_far():
    with Terminal("analyze", "extreme", "--time", "60") as terminal:
        terminal.read_until(b"depth ")
        terminal.process.send_signal(signal.SIGINT)
        seen = terminal.read_all().decode()
        assert terminal.process.returncode == 0
    assert "million a second" in seen.rsplit("best play", 1)[1]
