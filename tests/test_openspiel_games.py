"""The games inside OpenSpiel: its own random simulation test, and its algorithms at work on them."""

import numpy as np
import processes
import pytest
from conftest import GAMES

import noughts

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import cfr, expected_game_score, mcts  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from noughts.envs import openspiel  # noqa: E402
from noughts.rules.geometry import columns, rows  # noqa: E402
from noughts.rules.spec import Rules  # noqa: E402


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_random_simulation_test_passes(name, capfd):
    game = pyspiel.load_game(openspiel.spiel_name(noughts.load_game(name)))
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


def test_states_say_what_ours_say():
    state = pyspiel.load_game("noughts_numerical").new_initial_state()
    state.apply_action(36)
    assert str(state) == ".../.1./... p1"
    assert state.current_player() == 1
    assert state.action_to_string(state.legal_actions()[0]) == "2@0"
    ours = noughts.load_game("numerical").from_string(str(state))
    assert np.array_equal(np.array(state.observation_tensor(1)), ours.observation_tensor(1).ravel())


def test_openspiels_tree_search_sees_a_win():
    game = pyspiel.load_game("noughts_classic")
    state = game.new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    rng = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 200, mcts.RandomRolloutEvaluator(1, rng), random_state=rng, solve=True)
    assert bot.step(state) == 2


def test_openspiels_regret_minimisation_solves_a_game_of_ones_own():
    """On 2x2 a row or a column wins, so player 0 does."""
    tiny = noughts.Game(Rules(name="tiny", title="Tiny", side=2, lines=rows(2) + columns(2)))
    name = openspiel.register(tiny)
    assert openspiel.register(tiny) == name
    game = pyspiel.load_game(name)
    solver = cfr.CFRSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    value = expected_game_score.policy_value(game.new_initial_state(), [solver.average_policy()] * 2)
    assert value[0] > 0.9


def test_openspiel_s_own_tests_of_its_interface_pass():
    """Those of every registered game, on two of ours: a small one and a nested one."""
    script = (
        "import sys, runpy, noughts.envs.openspiel\n"
        "sys.argv = ['api_test', '--test_only_games=noughts_(wild|xtreme)$']\n"
        "runpy.run_module('open_spiel.integration_tests.api_test', run_name='__main__', alter_sys=True)\n"
    )
    done = processes.run_code(script, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Ran 10 tests" in done.stderr


def test_what_is_remembered_is_the_history_and_what_is_private_is_nothing():
    state = pyspiel.load_game("noughts_classic").new_initial_state()
    for action in (4, 0):
        state.apply_action(action)
    assert state.information_state_string(0) == "4 0"
    assert state.observation_string(0) == "O../.X./... p0"
    private = pyspiel.IIGObservationType(
        public_info=False, perfect_recall=False, private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER
    )
    observation = make_observation(state.get_game(), private)
    assert observation is None or observation.string_from(state, 0) == ""
