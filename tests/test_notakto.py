"""Notakto on one board: both players place the same mark, and whoever completes a line loses."""

import random
from dataclasses import replace
from functools import cache

import pytest
from conftest import random_states

import noughts
from noughts.games.classic import RULES as CLASSIC
from noughts.games.ultimate import RULES as ULTIMATE
from noughts.learn.settings import preset
from noughts.learn.tables import make_table
from noughts.rules.geometry import k_in_a_row
from noughts.rules.reference import Shape
from noughts.rules.reference import State as PlainState
from noughts.search import Engine, Limits, MonteCarloTreeSearch
from noughts.testing import check_game
from noughts.text.env import TextEnv

NOTAKTO = replace(CLASSIC, name="notakto", title="Notakto", marks="X", places=("X", "X"), misere=True)
WIDE = replace(NOTAKTO, name="wide-notakto", side=4, lines=k_in_a_row(4, 3))
GAME = noughts.Game(NOTAKTO)
START = GAME.new_initial_state()


@cache
def wins(taken: frozenset) -> bool:
    """By definition: whether the player to move wins, these cells being taken."""
    safe = [
        taken | {cell}
        for cell in set(range(9)) - taken
        if not any(set(line) <= taken | {cell} for line in NOTAKTO.lines)
    ]
    return any(not wins(after) for after in safe)


@pytest.mark.parametrize("rules", [NOTAKTO, WIDE, replace(NOTAKTO, name="first-line", misere=False)])
def test_it_keeps_every_promise_of_the_api(rules):
    check_game(noughts.Game(rules), games=10)


def test_the_first_player_wins_and_only_with_the_centre():
    assert wins(frozenset())
    assert [cell for cell in range(9) if not wins(frozenset({cell}))] == [4]
    solution = noughts.solve(GAME)
    assert solution.value(START) == 1
    assert solution.best_actions(START) == [4]
    assert solution.counts.drawn == 0


def test_every_position_has_the_value_that_it_has_by_definition():
    solution = noughts.solve(GAME)
    for state in random_states(GAME, seed=1, games=30):
        taken = frozenset(cell for cell, mark in enumerate(state.view().cells) if mark >= 0)
        if not state.is_terminal():
            assert solution.value(state) == (1 if wins(taken) else -1)


@pytest.mark.parametrize("rules", [NOTAKTO, WIDE])
def test_the_plain_rules_say_the_same(rules):
    choose = random.Random(2)
    for _ in range(20):
        state, plain = noughts.Game(rules).new_initial_state(), PlainState(Shape(rules))
        while not state.is_terminal():
            assert plain.legal_actions() == state.legal_actions()
            assert plain.current_player() == state.current_player()
            action = choose.choice(state.legal_actions())
            state.apply_action(action)
            plain.apply_action(action)
        assert plain.is_terminal()
        assert plain.returns() == state.returns()


def test_a_move_is_a_cell_and_the_number_of_marks_tells_whose_turn_it_is():
    assert GAME.num_distinct_actions() == 9
    assert START.action_to_string(4) == "4"
    assert [START.string_to_action(text) for text in ("4", "[4]", "X4", "x 4")] == [4] * 4
    with pytest.raises(ValueError, match="as in 4"):
        START.string_to_action("O4")
    assert GAME.from_string("X../.../..X p0").current_player() == 0
    assert GAME.from_string("X../.X./..X end").outcome() == noughts.Outcome("line", 1, (-1, 1))
    with pytest.raises(noughts.PositionError, match="player 1 cannot be to move with this number of marks"):
        GAME.from_string("X../.../..X p1")
    with pytest.raises(noughts.PositionError, match="play continued after a line"):
        GAME.from_string("XXX/.../XXX end")


def test_it_has_the_symmetries_of_the_square():
    assert len(GAME.symmetries()) == 8
    assert GAME.from_string("X../.../... p1").canonical() == GAME.from_string("..X/.../... p1").canonical()


def test_players_have_numbers_since_marks_do_not_tell_them_apart():
    assert str(START).endswith("\n\nfirst player to move")
    lost = GAME.from_string("X../.X./..X end")
    assert str(lost).endswith("second player wins: first player completed the line 0 4 8")
    assert lost.to_svg().startswith("<svg")


def test_the_prompt_says_that_both_place_the_same_mark():
    env = TextEnv(GAME)
    env.reset()
    assert env.get_observation()[1].startswith(
        "You are Player 0 in Notakto.\n"
        "Both players place an 'X' in an empty cell on their turn.\n"
        "You lose by completing three 'X' in a row, whoever placed the others: a row, a column or a diagonal.\n"
    )
    for move in ("[0]", "[1]", "[2]"):
        env.step(move)
    assert env.ending == "Player 0 completed a line of three cells. Player 1 wins!"
    assert env.close()[0] == {0: -1, 1: 1}
    env.reset()
    env.step("[4]")
    assert env.step("[4]")[1]["message"] == "cell 4 is already occupied by X."


def test_search_and_learning_find_the_centre():
    assert Engine(GAME, memory=1).search(START, Limits(depth=9)).best.action == 4
    assert MonteCarloTreeSearch(GAME, 1, memory=4).search(START, Limits(nodes=3000))[0].action == 4
    table = make_table(preset("self", NOTAKTO, {}))
    table.learn(20_000)
    values = table.action_values(START)
    assert max(values, key=values.__getitem__) == 4


def test_in_a_nested_game_blocks_need_owners():
    with pytest.raises(noughts.RulesError, match="one mark per player"):
        replace(ULTIMATE, marks="X", places=("X", "X"))
