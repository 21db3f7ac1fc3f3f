"""Training: the same seed gives the same data, and a toy network is trained, exported and played with."""

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import processes
import pytest

import noughts
from noughts.search import Engine, Limits
from noughts.search.network import load_network
from noughts.search.weights import TUNED

TRAINING = Path(__file__).parents[1] / "training"
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch: pip install noughts[train]")


def run(script, *words):
    done = processes.run_script(TRAINING / script, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def records(folder):
    return np.concatenate([np.load(path) for path in sorted(folder.glob("*.npy"))])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """200 games of ultimate, by two processes."""
    folder = tmp_path_factory.mktemp("training") / "data"
    run("generate.py", "ultimate", folder, "--games", 200, "--nodes", 30, "--seed", 5, "--jobs", 2)
    return folder


def test_the_same_seed_gives_the_same_data_on_any_number_of_cores(data, tmp_path):
    run("generate.py", "ultimate", tmp_path / "again", "--games", 100, "--nodes", 30, "--seed", 5, "--jobs", 1)
    run("generate.py", "ultimate", tmp_path / "other", "--games", 100, "--nodes", 30, "--seed", 6, "--jobs", 1)
    first = np.load(data / "games-00000000.npy")
    assert np.array_equal(records(tmp_path / "again"), first)
    assert not np.array_equal(records(tmp_path / "other")[: len(first)], first[: len(records(tmp_path / "other"))])


def test_records_say_what_the_rules_say(data):
    """No cell has two marks, closed blocks are won or full, and a game has one result but for its sign."""
    found = records(data).astype(int)
    own, other, words = found[:, :9], found[:, 9:18], found[:, 18:]
    assert not (own & other).any()
    marks = sum((own >> cell & 1) + (other >> cell & 1) for cell in range(9)).sum(1)
    assert np.array_equal(marks, words[:, 8])
    owned, others, closed = words[:, 0], words[:, 2], words[:, 4]
    assert not (owned & others).any()
    assert not ((owned | others) & ~closed).any()
    results = words[:, 10] - 1024
    assert set(np.abs(results)) <= {0, 1000}  # ultimate pays no points
    games = words[:, 12] + (words[:, 13] << 16)
    for game in range(20):
        assert len(set(np.abs(results[games == game]))) == 1
    assert 0.15 < (words[:, 11] & 1).mean() < 0.3  # positions aside


def test_each_shipped_network_has_a_recipe(monkeypatch):
    monkeypatch.syspath_prepend(TRAINING)
    recipes = importlib.import_module("run")
    assert set(recipes.RECIPES) == {name for name in noughts.game_names() if noughts.load_game(name).data.network}


def test_a_match_says_who_is_stronger():
    said = run("match.py", "ultimate", "shipped,nodes=300", "none,nodes=20", "--pairs", 4, "--jobs", 1, "--nodes", 20)
    assert said.startswith("ultimate shipped,nodes=300 - none,nodes=20 nodes=20: +")
    assert " Elo (" in said
    assert "8 games" in said


@pytest.mark.parametrize(
    ("player", "why"),
    [
        ("shipped,without=luck", "is without 'luck'; techniques are quiescence, "),
        ("shipped,margin=5", "has the option 'margin'; there are aspiration_window, "),
        ("shipped,nodes", "nodes must be a whole number, 1 or more, not ''"),
        ("none,aspiration_window=0", "aspiration_window must be a whole number, 1 or more, not '0'"),
        ("none,singular_depth=4", "singular_depth must be a whole number, 5 or more, not '4'"),
        ("shipped,error=much", "error must be a number, 0 or more, not 'much'"),
        ("no.net", "no.net"),
        ("checkout:nowhere", "'nowhere' is no checkout of noughts"),
    ],
)
def test_a_player_that_cannot_be_made_is_refused_before_the_match(player, why, monkeypatch, capsys):
    """The pool would start its workers again and again."""
    monkeypatch.syspath_prepend(TRAINING)
    match = importlib.import_module("match")
    monkeypatch.setattr(sys, "argv", ["match.py", "ultimate", "shipped", player, "--nodes", "20"])
    with pytest.raises(SystemExit):
        match.main()
    assert why in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("moves", [0, 6])
def test_two_versions_of_the_project_play_each_other(moves):
    """Here twice the same one, so that an opening from both sides is won once by each, or drawn."""
    other, limits = f"checkout:{TRAINING.parent}", ("--nodes", 500, "--memory", 4, "--openings", moves)
    said = run("match.py", "ultimate", "shipped", other, "--pairs", 2, "--jobs", 1, *limits)
    assert said.startswith(f"ultimate shipped - {TRAINING.parent.name} nodes=500: +0 Elo")
    assert "pairs (0, 0, 2, 0, 0)" in said


def test_tuning_proposes_values_for_the_parameters_of_the_search():
    said = run("tune.py", "ultimate", "--seconds", 1, "--nodes", 100, "--jobs", 1, "--memory", 1)
    proposed = dict(part.split("=") for part in said.splitlines()[-1].split(","))
    assert proposed.keys() < TUNED.keys()
    assert any(int(value) != TUNED[name] for name, value in proposed.items())


def test_tuning_never_moves_away_from_the_better_setting_nor_to_values_that_make_no_sense(monkeypatch):
    monkeypatch.syspath_prepend(TRAINING)
    tune = importlib.import_module("tune")
    assert [tune.rate_at(share) for share in (0, 1, 20)] == pytest.approx([0.012, 0.002, 0.002])
    assert [tune.within(name, -3.0) for name in ("futility_step", "aspiration_window")] == [0, 1]


@needs_torch
def test_a_toy_network_is_trained_exported_and_played_with(data, tmp_path):
    path, rules = tmp_path / "toy.net", noughts.load_game("ultimate").rules
    said = run("train.py", "ultimate", path, data, "--epochs", 4, "--batch", 256, "--rank", 8, "--generation", 7)
    losses = [float(line.partition("target ")[2].split(",")[0]) for line in said.splitlines() if "target " in line]
    assert losses[-1] < 0.9 * losses[0]
    network = load_network(path, rules)
    assert network.training["generation"] == 7
    assert network.training["positions"] == len(records(data))
    assert not network.arrays["patterns"][1 + 3 + 9].any()  # three in a row: no open block
    state = noughts.load_game("ultimate").new_initial_state()
    found = Engine(state.game, memory=1, network=network).search(state, Limits(nodes=2000))
    assert found.best.action in state.legal_actions()
    again, wary = tmp_path / "again.net", tmp_path / "wary.net"
    run("train.py", "ultimate", again, data, "--start", path, "--epochs", 1, "--batch", 256, "--first", 0, "--rank", 10)
    weights = (load_network(each, rules).arrays["matrices"].astype(int)[:, :8] for each in (path, again))
    assert np.abs(np.subtract(*weights)).max() <= 1  # from integers to floats and back
    assert not load_network(again, rules).arrays["matrices"][:, 8:].any()
    assert not np.array_equal(*(load_network(each, rules).arrays["output"] for each in (path, again)))
    run(
        "train.py",
        "ultimate",
        wary,
        data,
        "--start",
        path,
        "--epochs",
        4,
        "--batch",
        256,
        "--contempt",
        0.4,
        "--rank",
        12,
    )
    network = load_network(wary, rules)
    assert (network.contempt, network.rank) == (40_000, 12)
    fair, avoiding = (Engine(state.game, memory=1, network=network, contempt=each) for each in (False, True))
    assert avoiding.evaluate(state) < fair.evaluate(state) - 3_000  # many of the games were drawn
