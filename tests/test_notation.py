"""Moves and positions as text: what people type is understood, what is written reads back, nothing crashes."""

import pytest
from conftest import EVERY_GAME, load, random_state
from hypothesis import example, given, settings
from hypothesis import strategies as st

import noughts


@pytest.mark.parametrize(
    ("name", "typed", "canonical"),
    [
        ("classic", "4", "4"),
        ("classic", " [ 4 ] ", "4"),
        ("classic", "X 4", "4"),
        ("classic", "x4", "4"),
        ("misere", "(8)", "8"),
        ("wild", "[X 4]", "X4"),
        ("wild", "x4", "X4"),
        ("wild", "X 4", "X4"),
        ("wild", "[ o  7 ]", "O7"),
        ("wild", "O@7", "O7"),
        ("numerical", "7@4", "7@4"),
        ("numerical", "[7 @ 4]", "7@4"),
        ("numerical", "7 4", "7@4"),
        ("ultimate", "8,0", "8,0"),
        ("extreme", "3,12", "3,12"),
        ("extreme", "( 03 , 12 )", "3,12"),
        ("xtreme", "1:2,3", "1:2,3"),
        ("xtreme", "1,2,3", "1:2,3"),
        ("xtreme", "1 2 3", "1:2,3"),
        ("extreme", "3 12", "3,12"),
        ("xtreme", "[1 : 2 , 3]", "1:2,3"),
    ],
)
def test_what_people_type_is_understood(name, typed, canonical):
    state = noughts.load_game(name).new_initial_state()
    assert state.action_to_string(state.string_to_action(typed)) == canonical


@pytest.mark.parametrize(
    ("name", "typed", "message"),
    [
        ("classic", "9", "a cell, 0 to 8, as in 4"),
        ("classic", "O 4", "a cell"),
        ("classic", "٤", "a cell"),
        ("classic", "9" * 5000, "a cell"),
        ("wild", "4", "a mark (X, O) and a cell, 0 to 8, as in X4"),
        ("wild", "Z4", "a mark"),
        ("wild", "X -1", "a mark"),
        ("wild", "[X 4", "a mark"),
        ("numerical", "74", "a number, @ and a cell"),
        ("numerical", "0@4", "a number"),
        ("extreme", "3,16", "row,column, each 0 to 15"),
        ("extreme", "0:3,1", "row,column"),
        ("xtreme", "3,1", "board:row,column"),
        ("xtreme", "2:0,0", "boards 0 to 1"),
        ("xtreme", "", "board:row,column"),
    ],
)
def test_what_is_no_move_is_refused_with_the_right_form(name, typed, message):
    with pytest.raises(ValueError, match=r"is not a move of") as refusal:
        noughts.load_game(name).new_initial_state().string_to_action(typed)
    assert message in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_every_action_reads_back(game):
    state = game.new_initial_state()
    for action in range(game.num_distinct_actions()):
        assert state.string_to_action(state.action_to_string(action)) == action
    with pytest.raises(ValueError, match="is not an action"):
        state.action_to_string(game.num_distinct_actions())


@given(st.sampled_from(EVERY_GAME), st.text(max_size=30))
@example("wild", "[X " + "9" * 10_000 + "]")
@example("extreme", "1,\x001")
@example("classic", "²")
@settings(deadline=None)
def test_no_string_breaks_the_move_parser(name, text):
    state = load(name).new_initial_state()
    try:
        action = state.string_to_action(text)
    except ValueError:
        return
    assert 0 <= action < state.game.num_distinct_actions()


@given(st.sampled_from(EVERY_GAME), st.integers(0, 10**6))
@settings(deadline=None)
def test_positions_read_back_exactly(name, seed):
    state = random_state(load(name), seed)
    again = state.game.from_string(state.to_string())
    assert again.to_string() == state.to_string()
    assert again.legal_actions() == state.legal_actions()
    assert again.current_player() == state.current_player()
    assert again.outcome() == state.outcome()


@given(st.sampled_from(EVERY_GAME), st.integers(0, 10**6), st.data())
@settings(deadline=None, max_examples=200)
def test_damaged_positions_are_read_as_legal_ones_or_refused(name, seed, data):
    text = random_state(load(name), seed).to_string()
    place = data.draw(st.integers(0, len(text) - 1))
    damage = data.draw(st.text("XO.0123456789/| pblock=endbonus\n\u0664", max_size=3))
    damaged = text[:place] + damage + text[place + 1 :]
    try:
        state = load(name).from_string(damaged)
    except ValueError:
        return
    assert state.game.from_string(state.to_string()) == state


@given(st.sampled_from(EVERY_GAME), st.text())
@example("classic", "." * 100_000)
@settings(deadline=None)
def test_no_string_breaks_the_position_parser(name, text):
    try:
        state = load(name).from_string(text)
    except ValueError:
        return
    assert state.game.from_string(state.to_string()) == state


def test_a_position_says_everything_that_matters():
    extreme = noughts.load_game("extreme")
    state = extreme.new_initial_state()
    empty = "/".join(["16"] * 15)
    assert state.to_string() == f"16/{empty} p0"
    state.apply_action(state.string_to_action("0,5"))
    assert state.to_string() == f"5X10/{empty} p1 block=1"
    # Empty cells may be written as dots too.
    assert extreme.from_string(f"5X..8/{empty} p1 block=1") == state
