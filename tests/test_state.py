"""Game and State: the promises of the API, and that nothing breaks them."""

import copy
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from conftest import EVERY_GAME, GAMES, golden, load, random_state, random_states
from hypothesis import given, settings
from hypothesis import strategies as st

import noughts
from noughts.testing import CheckFailed, check_game, playthrough

PLAYTHROUGHS = Path(__file__).parent / "playthroughs"

any_action = st.one_of(
    st.integers(-5, 300),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.none(),
    st.sampled_from([np.int64(3), np.int8(2), np.uint64(7), True, 10**5000, -(2**63), 2**64]),
)


def test_every_game_keeps_every_promise(game):
    check_game(game, games=2 if game.rules.nested else 20)


@pytest.mark.parametrize("name", GAMES)
def test_playthroughs_have_not_changed(name):
    assert playthrough(noughts.load_game(name), seed=1) == golden(PLAYTHROUGHS / f"{name}.txt")


def fail(self, *args, **kwargs):
    raise KeyError("broken")


BREAKS = {
    "undo_action": lambda self: None,
    "history": lambda self: [],
    "clone": lambda self: self,
    "legal_actions_mask": lambda self: np.zeros(9, np.int8),
    "to_string": fail,
    "action_to_string": lambda self, action: "4",
    "string_to_action": fail,
    "returns": lambda self: [1.0, 1.0],
    "outcome": lambda self: None,
    "current_player": lambda self: 0,
    "is_terminal": lambda self: False,
    "observation_tensor": lambda self, player: np.zeros((4, 3, 3), np.float32),
    "canonical": lambda self: self,
    "to_svg": lambda self, **options: "",
    "__str__": fail,
}


@pytest.mark.parametrize("method", BREAKS)
def test_a_broken_game_is_found_out(method, monkeypatch):
    monkeypatch.setattr(noughts.State, method, BREAKS[method])
    with pytest.raises(CheckFailed, match="classic, random game"):
        check_game(noughts.load_game("classic"))


@given(st.sampled_from(EVERY_GAME), st.lists(any_action, max_size=40), st.integers(0, 1000))
@settings(deadline=None, max_examples=150)
def test_no_sequence_of_actions_corrupts_a_state(name, actions, seed):
    state = random_state(load(name), seed)
    for action in actions:
        before, history, legal = state.to_string(), state.history(), state.legal_actions()
        try:
            state.apply_action(action)
        except noughts.IllegalMove as error:
            refusal = str(error)
        else:
            assert int(action) in legal
            continue
        assert "over" in refusal if not legal else all(str(a) in refusal for a in legal[:10])
        assert (state.to_string(), state.history(), state.legal_actions()) == (before, history, legal)
    while state.history():
        state.undo_action()
    assert state.to_string() == state.game.from_string(state.to_string()).to_string()


def test_undo_takes_a_whole_game_back(game):
    state = game.new_initial_state()
    trail = []
    choose = random.Random(5)
    while not state.is_terminal():
        trail.append(state.to_string())
        state.apply_action(choose.choice(state.legal_actions()))
    for before in reversed(trail):
        state.undo_action()
        assert state.to_string() == before
    with pytest.raises(ValueError, match="no move to take back"):
        state.undo_action()
    assert state == game.new_initial_state()


def test_a_state_tells_the_actions_since_an_earlier_one_and_whether_that_was_earlier(game):
    earlier = [game.new_initial_state()]
    while not earlier[-1].is_terminal():
        earlier.append(earlier[-1].child(random.Random(len(earlier)).choice(earlier[-1].legal_actions())))
    for state in earlier[:: len(earlier) // 8 + 1] + earlier[-1:]:
        for before in earlier[: len(state.history()) + 1]:
            assert state.actions_since(before) == state.history()[len(before.history()) :]
        assert state.clone().actions_since(state) == []
    middle = earlier[len(earlier) // 2]
    assert middle.actions_since(earlier[-1]) is None, "a later one"
    assert middle.actions_since(game.from_string(earlier[1].to_string())) is None, "a position has no history"
    for other in earlier[0].legal_actions():
        if other != middle.history()[0]:
            assert middle.actions_since(earlier[0].child(other)) is None, "another beginning"


def test_a_state_survives_pickling_and_deep_copies(game):
    state = random_state(game, 7)
    for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert twin == state
        assert twin.history() == state.history()
        assert twin.legal_actions() == state.legal_actions()


def test_states_compare_by_position_not_by_the_way_there():
    classic = noughts.load_game("classic")
    one, other = classic.new_initial_state(), classic.new_initial_state()
    for action in (0, 1, 2):
        one.apply_action(action)
    for action in (2, 1, 0):
        other.apply_action(action)
    assert one == other
    assert one.history() != other.history()
    assert one != noughts.load_game("misere").from_string(one.to_string())


def test_a_nested_game_without_a_line_is_graded_by_its_points():
    extreme = noughts.load_game("extreme")
    margins = set()
    for seed in range(20):
        *_, state = random_states(extreme, seed)
        end = state.outcome()
        if end.winner is None:
            assert np.sign(state.returns()[0]) == np.sign(end.points[0] - end.points[1])
            assert -1 < state.returns()[0] < 1
            margins.add(state.returns()[0])
    assert len(margins) > 3


def test_the_observation_shows_the_board_from_the_players_side():
    classic = noughts.load_game("classic")
    state = classic.from_string("XO./.../... p0")
    mine, theirs, playable, to_move = state.observation_tensor(0)
    assert mine.ravel().tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert theirs.ravel().tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert playable.ravel().tolist() == [0, 0, 1, 1, 1, 1, 1, 1, 1]
    assert to_move.all()
    assert np.array_equal(state.observation_tensor(1)[0], theirs)
    assert not state.observation_tensor(1)[3].any()


def test_observations_of_nested_games_put_each_cell_where_it_is(game):
    for state in random_states(game, 3):
        rules, view = game.rules, state.view()
        tensor = state.observation_tensor(0)
        shown = tensor[: len(rules.marks) * rules.boards].reshape(len(rules.marks), -1)
        for index, mark in enumerate(view.cells):
            assert shown[:, index].tolist() == [float(m == mark) for m in range(len(rules.marks))]
        legal_cells = {action // rules.choices for action in state.legal_actions()}
        playable = tensor[len(rules.marks) * rules.boards :][: rules.boards].ravel()
        assert set(np.flatnonzero(playable)) == legal_cells


@pytest.mark.parametrize("player", [2, -1, "x"])
def test_only_the_two_players_observe(player):
    with pytest.raises(ValueError, match="it must be 0 or 1"):
        noughts.load_game("classic").new_initial_state().observation_tensor(player)


def test_unknown_games_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="classic, extreme, misere"):
        noughts.load_game("chess")


def test_playouts_are_reproducible_and_add_up(game):
    one = noughts.playouts(game, 3000, seed=4)
    assert one == noughts.playouts(game, 3000, seed=4)
    assert one != noughts.playouts(game, 3000, seed=5)
    assert sum(one.wins) + one.draws == one.games == 3000
    # The games of a seed do not depend on how many are played: one more adds one result and its plies.
    more, fewer = noughts.playouts(game, 2049, seed=4), noughts.playouts(game, 2048, seed=4)
    added = [b - a for a, b in zip((*fewer.wins, fewer.draws), (*more.wins, more.draws), strict=True)]
    assert sorted(added) == [0, 0, 1]
    assert 0 < more.plies - fewer.plies <= game.max_game_length()


def test_random_games_of_classic_come_out_as_theory_says():
    """A uniformly random game of classic: 737/1260 for the first player, 121/420 for the second, 8/63 drawn."""
    n = 200_000
    played = noughts.playouts(noughts.load_game("classic"), n, seed=1)
    for count, share in zip((*played.wins, played.draws), (737 / 1260, 121 / 420, 8 / 63), strict=True):
        assert abs(count / n - share) < 5 * (share * (1 - share) / n) ** 0.5
