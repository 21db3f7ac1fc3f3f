"""The decision process in its plain form, as a course teaches it."""

import doctest
import random

import pytest

import noughts
from noughts.learn import Mdp, mdp, state_of, state_text


def test_the_examples_in_its_docs_are_true():
    assert doctest.testmod(mdp).failed == 0


def test_states_round_trip():
    game = noughts.load_game("numerical")
    choose = random.Random(1)
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            assert state_of(game, state_text(state)) == state
            state.apply_action(choose.choice(state.legal_actions()))
        assert state_of(game, state_text(state)) == state


def test_the_agent_places_odd_numbers_and_the_environment_even_ones():
    process = Mdp(seed=1)
    assert len(process.allowed_actions(process.initial_state())) == 45
    state, reward, over = process.step(process.initial_state(), (4, 5))
    assert (reward, over) == (-1.0, False)
    fields = state.split("-")
    assert fields[4] == "5"
    assert sorted(fields)[0] in "2468"
    assert {number for _, number in process.allowed_actions("5-x-x-x-x-x-x-x-x")} == {2, 4, 6, 8}


def test_ends_pay_what_was_published():
    process = Mdp(seed=1)
    assert process.step("x-5-x-2-x-x-4-7-x", (0, 9))[1:] == (10.0, True)
    losses = {process.step("x-4-x-x-x-x-1-x-x", (8, 3))[1] for _ in range(300)}
    assert losses == {-1.0} or -10.0 in losses
    assert process.is_winning("9-5-x-2-x-x-4-7-x")
    assert process.is_terminal("9-5-x-2-x-x-4-7-x")
    assert not process.is_winning(process.initial_state())
    assert process.allowed_actions("9-5-x-2-x-x-4-7-x") == []
    charged = Mdp(rewards="per_move").step("x-5-x-2-x-x-4-7-x", (0, 9))
    assert charged == ("9-5-x-2-x-x-4-7-x", 9.0, True)


def test_a_reply_can_lose_the_game():
    """4 and 5 are in a row, so the reply 6 beside them loses for the agent."""
    process = Mdp(seed=1)
    ends = {process.step("4-5-x-x-x-x-x-x-x", (8, 1))[1:] for _ in range(300)}
    assert ends == {(-1.0, False), (-10.0, True)}


def test_letters_where_marks_are_letters():
    process = Mdp("wild", rewards="outcome", seed=1)
    assert process.allowed_actions("x-x-x-x-x-x-x-x-x")[:2] == [(0, "X"), (0, "O")]
    assert process.step("X-X-x-x-x-x-x-x-x", (2, "X")) == ("X-X-X-x-x-x-x-x-x", 1.0, True)


def test_the_same_seed_gives_the_same_replies():
    replies = [[Mdp(seed=seed).step("x-x-x-x-x-x-x-x-x", (0, 1)) for _ in range(3)] for seed in (1, 1, 2)]
    assert replies[0] == replies[1] != replies[2]


@pytest.mark.parametrize(
    ("state", "action", "why"),
    [
        ("x-x", (0, 1), "9 fields joined by '-'"),
        ("x-x-x-x-x-x-x-x-10", (0, 1), "9 fields joined by '-'"),
        ("1-1-x-x-x-x-x-x-x", (2, 3), "twice"),
        ("1-3-5-x-x-x-x-x-x", (3, 2), "wrong number of marks"),
        ("1-x-x-x-x-x-x-x-x", (1, 2), "not the agent's turn"),
        ("x-x-x-x-x-x-x-x-x", (0, 2), "not allowed"),
        ("x-x-x-x-x-x-x-x-x", (0, 1, 2), "not allowed"),
        ("9-5-x-2-x-x-4-7-x", (2, 1), "not allowed"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(state, action, why):
    with pytest.raises(ValueError, match=why):
        Mdp().step(state, action)


def test_nested_games_have_no_such_form():
    with pytest.raises(noughts.TooLarge):
        Mdp("extreme")
