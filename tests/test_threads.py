"""Nothing public can crash the interpreter: objects with buffers of compiled code are used by four threads at once."""

import copy
import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import noughts
from noughts.learn import TrainingSettings, make_table
from noughts.search import Engine, Limits, MonteCarloTreeSearch

THREADS = 4


def hammer(work):
    """Do it in four threads at once; exceptions of any of them are raised."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


def some_states(game, count):
    chance = random.Random(1)
    states = []
    while len(states) < count:
        state = game.new_initial_state()
        for _ in range(chance.randrange(20)):
            if len(state.legal_actions()) > 1:
                state.apply_action(chance.choice(state.legal_actions()))
        if not state.is_terminal():
            states.append(state)
    return states


@pytest.mark.parametrize("name", ["extreme", "classic"])
def test_four_threads_search_with_one_engine(name):
    game = noughts.load_game(name)
    engine, states = Engine(game, memory=1), some_states(game, 30)

    def work(number):
        for state in states:
            assert engine.search(state, Limits(depth=2, nodes=2000)).best.action in state.legal_actions()
            engine.evaluate(state)
        engine.new_game()

    hammer(work)


def test_an_engine_asked_again_from_its_own_report_refuses():
    state = noughts.load_game("classic").new_initial_state()
    engine = Engine(state.game, memory=1)
    with pytest.raises(RuntimeError, match="already in use in the same thread"):
        engine.search(state, Limits(depth=2), on_info=lambda info: engine.evaluate(state))
    assert engine.search(state, Limits(depth=2)).depth == 2  # and is free again


def test_a_copy_of_an_engine_searches_by_itself():
    state = noughts.load_game("classic").new_initial_state()
    engine = Engine(state.game, memory=1)
    for twin in (copy.deepcopy(engine), pickle.loads(pickle.dumps(engine))):
        with engine._one_at_a_time:
            assert twin.search(state, Limits(depth=2)).depth == 2


def test_four_threads_grow_one_tree():
    game = noughts.load_game("ultimate")
    search, states = MonteCarloTreeSearch(game, 1, memory=1), some_states(game, 10)

    def work(number):
        for state in states:
            assert search.search(state, Limits(nodes=200))[0].action in state.legal_actions()
            search.known_moves(state)
            search.re_root(states[number])

    hammer(work)


@pytest.mark.parametrize("name", ["numerical", "ultimate", "extreme"])
def test_four_threads_play_on_one_state(name):
    """They see odd states of each other's, but nothing breaks."""
    state = noughts.load_game(name).new_initial_state()

    def work(number):
        chance = random.Random(number)
        for _ in range(2000):
            try:
                if chance.random() < 0.45:
                    state.undo_action()
                else:
                    state.apply_action(chance.choice(state.legal_actions() or [0]))
                state.clone().observation_tensor(0)
            except ValueError:
                pass

    hammer(work)
    assert len(state.history()) <= state.game.max_game_length()


@pytest.mark.parametrize("symmetry", [False, True])
def test_four_threads_train_one_table(symmetry):
    table = make_table(TrainingSettings(noughts.load_game("classic").rules, episodes=40_000, symmetry=symmetry))
    state = noughts.load_game("classic").new_initial_state()

    def work(number):
        for _ in range(5):
            table.learn(500)
            table.action_values(state)
            table.greedy_policy_values()

    hammer(work)
    assert table.counts[0] == THREADS * 5 * 500


def test_four_threads_step_one_vector_environment():
    pytest.importorskip("gymnasium")
    from noughts.envs.vector import NoughtsVectorEnv

    envs = NoughtsVectorEnv("xtreme", 64)
    envs.reset(seed=1)

    def work(number):
        for _ in range(50):
            envs.step(envs.sample_legal())
        envs.reset()

    hammer(work)
