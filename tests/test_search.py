"""Alpha-beta: the same by every way, within its limits, and never stuck. Its values are in test_search_values.py."""

import doctest
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import NESTED, random_state
from kernel_arrays import compiled

import noughts
import noughts.search
from noughts.players import Clock, make_player
from noughts.rules.spec import MAX_BLOCKS, MAX_SIDE
from noughts.search import Engine, Limits
from noughts.search.engine import RESCUE_NODES
from noughts.search.kernels import layout as at
from noughts.search.kernels.timeman import DEADLINE, NEVER, PAUSE, RESERVE, start_time, time_is_up


def engine(name, **options):
    return Engine(noughts.load_game(name), memory=4, **options)


def test_nodes_and_depth_give_the_same_search_each_time():
    game = noughts.load_game("extreme")
    state = random_state(game, 2)
    one, two = (engine("extreme").search(state, Limits(nodes=20_000)) for _ in range(2))
    assert (one.nodes, one.variations) == (two.nodes, two.variations)
    again = engine("extreme")
    again.search(game.new_initial_state(), Limits(nodes=5000))
    again.new_game()
    third = again.search(state, Limits(nodes=20_000))
    assert (third.nodes, third.variations) == (one.nodes, one.variations)
    assert engine("extreme").search(state, Limits(depth=2)).depth == 2


def test_principal_variations_are_legal_play():
    for name in NESTED:
        for seed in range(5):
            state = random_state(noughts.load_game(name), seed)
            if not state.is_terminal():
                for variation in engine(name).search(state, Limits(nodes=5000), multi_pv=2).variations:
                    walk = state.clone()
                    for action in variation.moves:
                        walk.apply_action(action)
                    assert variation.moves[0] == variation.action


def test_another_thread_can_stop_it():
    search = engine("extreme")
    state = noughts.load_game("extreme").new_initial_state()
    found = []
    thread = threading.Thread(target=lambda: found.append(search.search(state, Limits())))
    thread.start()
    while search.nodes < 10_000:  # this thread runs: the search does not hold the interpreter
        time.sleep(0.001)
    search.stop()
    thread.join(timeout=240)
    assert found
    assert found[0].best.action in state.legal_actions()


def test_time_stops_it():
    """It looks at the clock often: where the time is over at the first look, it has searched little."""
    search, state = engine("extreme"), noughts.load_game("extreme").new_initial_state()
    assert search.search(state, Limits(seconds=1e-9)).nodes < 1_000
    assert search.search(state, Limits(seconds=0.02)).depth < at.MAX_DEPTH


def test_even_without_time_there_is_a_move(game):
    state = game.new_initial_state()
    player = make_player("alphabeta?memory=1")
    assert player.choose(state, Clock(0.0)) in state.legal_actions()


@pytest.mark.parametrize("name", NESTED)
def test_it_beats_random_play_from_both_sides(name):
    game = noughts.load_game(name)
    strong, weak = make_player("alphabeta?nodes=300&memory=1"), make_player("random", seed=4)
    for seat in range(2):
        state = game.new_initial_state()
        while not state.is_terminal():
            player = strong if state.current_player() == seat else weak
            state.apply_action(player.choose(state, Clock()))
        assert state.returns()[seat] > 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("alphabeta?depth=0", "depth must be 1 or more, not 0"),
        ("alphabeta?nodes=x", "nodes must be a whole number, not 'x'"),
        ("alphabeta?time=nan", "time must be a number of seconds greater than 0"),
        ("alphabeta?brain=2", "alphabeta has no option 'brain'"),
        ("alphabeta?without=luck", "without must be one of quiescence, reductions, history, table, danger, futility"),
    ],
)
def test_options_that_make_no_sense_are_refused(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        make_player(text)


def test_limits_that_make_no_sense_are_refused():
    for wrong in ({"depth": 0}, {"nodes": 0}, {"seconds": -1}, {"seconds": float("nan")}):
        with pytest.raises(ValueError, match="must be"):
            Limits(**wrong)
    with pytest.raises(ValueError, match="1 megabyte or more"):
        Engine(noughts.load_game("wild"), memory=0)
    over = noughts.load_game("classic").from_string("XXX/OO./... end")
    with pytest.raises(ValueError, match="the game is over"):
        engine("classic").search(over, Limits())
    with pytest.raises(ValueError, match="the game is over"):
        engine("classic").evaluate(over)
    for wrong in (0, -1):
        with pytest.raises(ValueError, match=f"multi_pv must be 1 or more, or None for all moves, not {wrong}"):
            engine("classic").search(over.game.new_initial_state(), Limits(), multi_pv=wrong)


def test_the_moves_of_the_longest_variation_fit():
    largest = MAX_BLOCKS * MAX_SIDE**2
    assert largest * at.MAX_DEPTH <= at.MOVE_ROOM


def test_a_search_leaves_time_for_a_pause_like_the_longest_one():
    words = np.zeros(4, np.int64)
    words[PAUSE] = 800
    start_time(words, 0, 100.0, 1.0)
    assert words[DEADLINE] == 101_000_000_000
    assert words[PAUSE] == 700  # what was long ago counts less and less
    assert words[RESERVE] == 250_000_000  # most of the time is used, come what may
    start_time(words, 0, 100.0, None)
    assert words[DEADLINE] == NEVER


@compiled
def _time_is_up(words):
    return time_is_up(words, 0)


@pytest.mark.parametrize(
    ("spent", "pause", "stops"),
    [
        (0, 0, False),
        (0, 7200, False),  # three quarters of an hour are used, whatever the pauses were
        (2600, 7200, False),
        (2800, 7200, True),
        (2800, 60, False),
        (3570, 60, True),  # another pause of a minute would be too long
        (3570, 0, False),
    ],
)
def test_of_an_hour_it_uses_all_but_a_pause_and_three_quarters_at_least(spent, pause, stops):
    words = np.zeros(4, np.int64)
    start_time(words, 0, time.monotonic() - spent, 3600.0)
    words[PAUSE] = pause * 10**9
    assert bool(_time_is_up(words)) == stops


def test_a_stop_at_any_moment_leaves_a_move():
    """The first iteration is always finished: there is a legal move, and nothing is called lost that is not."""
    search, state = engine("ultimate"), noughts.load_game("ultimate").new_initial_state()
    over = threading.Event()

    def hammer():
        while not over.is_set():
            search.stop()

    thread = threading.Thread(target=hammer)
    thread.start()
    try:
        for _ in range(300):
            info = search.search(state, Limits(depth=6))
            assert info.depth >= 1
            assert info.best.action in state.legal_actions()
            assert not info.best.proven
    finally:
        over.set()
        thread.join()


def test_the_examples_of_the_package_run():
    assert doctest.testmod(noughts.search).failed == 0


SAVED_BY_ONE_MOVE = (
    "XXO5X/2O1O3X/2OXO3X/3OX1XX1/XOX1X4/X3X2OX/9/1XX5O/3X5|"
    "O4O2O/5OXXX/5O3/1O1XXO1X1/3OOXOOO/7X1/2OX4X/1O1O3XO/O2O1X1OO p1 block=5"
)
SAVING_MOVE = "0:4,7"
"""All other moves lose. The position is one of benchmarks/tactics."""


def test_a_stopped_search_that_has_just_seen_its_best_move_lose_looks_at_the_others(monkeypatch):
    state = noughts.load_game("xtreme").from_string(SAVED_BY_ONE_MOVE)
    search = engine("xtreme")
    rescued = 0
    for nodes in range(1_500, 4_000, 125):
        chosen = []
        for looks in (True, False):
            with monkeypatch.context() as patch:
                if not looks:
                    patch.setattr(Engine, "_rescued", lambda self, latest, *rest: latest)
                search.new_game()
                chosen.append(search.search(state, Limits(nodes=nodes)))
        looked, plain = (state.action_to_string(info.best.action) for info in chosen)
        if looked != plain:
            assert plain != SAVING_MOVE
            assert chosen[0].nodes <= nodes + RESCUE_NODES + 1_000
            rescued += looked == SAVING_MOVE
    assert rescued


def test_the_package_lists_what_it_offers_and_loads_it_late():
    assert all(getattr(noughts.search, name) is not None for name in noughts.search.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Oracle'"):
        _ = noughts.search.Oracle
    script = "import sys, noughts.search; print(sorted({'numpy', 'numba', 'noughts.game'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
