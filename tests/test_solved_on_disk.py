"""What is kept on disk: read again, noticed when damaged, never left half-written, never needed."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

import noughts
from noughts.cache import PACKAGE, source_hash
from noughts.solving import _store as store
from noughts.solving import solution
from noughts.solving.graph import build_graph


@pytest.fixture
def game(tmp_path, monkeypatch):
    """Numerical, in a cache folder of its own and with nothing in memory."""
    monkeypatch.setenv("NOUGHTS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(solution, "_SOLVED", {})
    return noughts.load_game("numerical")


def forget():
    solution._SOLVED.clear()


def test_a_large_game_is_solved_once_and_then_read(game):
    first = noughts.solve(game)
    assert not first.from_disk
    assert store.graph_file(game.rules).is_file()
    assert noughts.solve(game) is first
    forget()
    second = noughts.solve(game)
    assert second.from_disk
    assert second.counts == first.counts
    assert np.array_equal(second._scores, first._scores)
    assert not noughts.solve(game, fresh=True).from_disk


def test_small_games_leave_nothing_on_disk(game, tmp_path):
    noughts.solve(noughts.load_game("wild"))
    assert not (tmp_path / "solved").exists()


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "other"])
def test_a_damaged_file_is_noticed_and_made_again(game, damage):
    noughts.solve(game)
    path = store.graph_file(game.rules)
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "cut": whole[:middle],
            "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "empty": b"",
            "other": b"something else" * 100,
        }[damage]
    )
    forget()
    again = noughts.solve(game)
    assert not again.from_disk
    assert again.value(game.new_initial_state()) == 1
    assert store.load_graph(game.rules) is not None


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_an_interrupted_write_leaves_nothing_behind(game, monkeypatch, moment):
    graph = build_graph(game.rules)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, moment, interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.keep_graph(game.rules, graph)
    assert list(store.graph_file(game.rules).parent.iterdir()) == []


def test_a_full_disk_is_no_reason_not_to_solve(game, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert noughts.solve(game).value(game.new_initial_state()) == 1
    assert not store.graph_file(game.rules).exists()


def test_an_interrupted_solve_can_be_started_again(game):
    def interrupt(_share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        noughts.solve(game, tick=interrupt)
    shares = []
    assert noughts.solve(game, tick=shares.append).counts.total == 9_003_966
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_the_file_is_named_by_the_sources_and_by_all_facts_of_the_game(game, tmp_path):
    path = store.graph_file(game.rules)
    assert store.graph_file(replace(game.rules, line_sum=14)) != path
    assert path.parent.name == source_hash([PACKAGE / "rules", PACKAGE / "solving"])
    copy = tmp_path / "copy"
    for name in ("rules", "solving", "learn"):
        shutil.copytree(PACKAGE / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))

    def copied():
        return source_hash([copy / "rules", copy / "solving"], copy)

    assert path.parent.name == copied()
    for name, counts in (("rules/symmetry.py", True), ("solving/graph.py", True), ("learn/plots.py", False)):
        before = copied()
        with open(copy / name, "a") as source:
            source.write("# edited")
        assert (copied() != before) == counts


def test_what_is_kept_is_bounded_and_the_least_used_goes_first(game, monkeypatch):
    graph = build_graph(noughts.load_game("classic").rules)
    records = [replace(graph.rules, name=f"g{number}") for number in range(3)]
    store.keep_graph(records[0], graph)
    size = store.graph_file(records[0]).stat().st_size
    monkeypatch.setattr(store, "MOST_ON_DISK", 2 * size + 100)
    store.keep_graph(records[1], graph)
    os.utime(store.graph_file(records[1]), (1, 1))
    os.utime(store.graph_file(records[0]), (2, 2))
    store.keep_graph(records[2], graph)
    assert [store.graph_file(rules).exists() for rules in records] == [True, False, True]
    assert store.load_graph(records[0]) is not None
    assert store.graph_file(records[0]).stat().st_mtime > 2
