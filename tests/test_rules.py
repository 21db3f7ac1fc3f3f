"""The rules, against an independent oracle and against known counts."""

import json
import random
from dataclasses import fields, replace
from itertools import combinations, combinations_with_replacement, pairwise
from pathlib import Path

import pytest
from conftest import EVERY_GAME, GAMES, golden, load, random_states
from oracle import LINES, RULES, lines_of, new_oracle, oracle_perft, point_table

import noughts
from noughts.counting import divide
from noughts.games.classic import RULES as CLASSIC
from noughts.games.extreme import RULES as EXTREME
from noughts.games.numerical import RULES as NUMERICAL
from noughts.rules.geometry import diamonds, rows
from noughts.testing import check_game

PERFT = Path(__file__).parent / "perft"
ORACLE_MOVES = 20_000
"""Sequences of moves that the oracle plays in a second or two."""


@pytest.mark.parametrize("name", RULES)
def test_the_records_say_what_the_games_are(name):
    rules = noughts.load_game(name).rules
    assert {fact: getattr(rules, fact) for fact in RULES[name]} == RULES[name]
    assert set(map(frozenset, lines_of(rules))) == set(map(frozenset, LINES[name]))
    assert rules.block_points == point_table(name, rules.side)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_random_games_agree_with_the_oracle_at_every_move(name):
    game = load(name)
    choose = random.Random(name)
    for _ in range(10 if game.rules.nested else 100):
        state, oracle = game.new_initial_state(), new_oracle(game.rules)
        while not state.is_terminal():
            moves = {oracle.number(move): move for move in oracle.moves()}
            assert state.legal_actions() == sorted(moves)
            assert state.current_player() == oracle.turn
            action = choose.choice(sorted(moves))
            state.apply_action(action)
            oracle.play(moves[action])
        end = state.outcome()
        assert (end.reason, end.winner) == oracle.result
        assert end.points == oracle.points()


@pytest.mark.parametrize("name", EVERY_GAME)
def test_perft_agrees_with_the_oracle(name):
    game = load(name)
    depth = next(depth for depth in (2, 3, 4, 5) if game.num_distinct_actions() ** depth > ORACLE_MOVES)
    assert noughts.perft(game, depth) == oracle_perft(new_oracle(game.rules), depth)


@pytest.mark.parametrize("name", GAMES)
def test_perft_counts_have_not_changed(name):
    counts = json.loads(golden(PERFT / f"{name}.json"))
    assert [noughts.perft(noughts.load_game(name), depth) for depth in range(len(counts))] == counts


def test_classic_has_255168_complete_games():
    parts = list(divide(noughts.load_game("classic").new_initial_state(), 10))
    ended = [sum(part.ended[i] for part in parts) for i in range(3)]
    assert ended == [131184, 77904, 46080]
    assert sum(ended) == 255168
    assert sum(part.sequences for part in parts) == 0


def test_ultimate_starts_with_81_720_6336():
    ultimate = noughts.load_game("ultimate")
    assert [noughts.perft(ultimate, depth) for depth in (1, 2, 3)] == [81, 720, 6336]


def test_misere_is_classic_with_the_winner_exchanged():
    won = "XXX/OO./... end"
    assert noughts.load_game("classic").from_string(won).outcome().winner == 0
    assert noughts.load_game("misere").from_string(won).outcome().winner == 1


def test_in_wild_the_player_who_completes_a_line_wins():
    state = noughts.load_game("wild").new_initial_state()
    for text in ("X0", "X1", "O4", "X2"):
        state.apply_action(state.string_to_action(text))
    assert state.outcome() == noughts.Outcome("line", 1, (-1, 1))


def test_numerical_is_won_by_fifteen_even_with_numbers_of_both_players():
    state = noughts.load_game("numerical").new_initial_state()
    for text in ("9@0", "2@1", "1@8", "4@2"):
        state.apply_action(state.string_to_action(text))
    assert state.outcome() == noughts.Outcome("line", 1, (-1, 1))


def test_a_player_without_numbers_draws_by_no_moves():
    # On 4x4 the nine numbers run out before the cells do.
    wide = noughts.Game(replace(NUMERICAL, name="wide", side=4, lines=rows(4), line_sum=20))
    ends = [wide_end(wide, seed) for seed in range(5)]
    assert noughts.Outcome("no_moves", None, (0, 0)) in ends


def wide_end(game, seed):
    choose = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(choose.choice(state.legal_actions()))
    return state.outcome()


def test_winning_a_block_gives_one_more_move_and_no_third():
    state = noughts.load_game("xtreme").new_initial_state()
    for move in ("1:3,6", "1:1,2", "1:3,7", "0:1,5"):
        state.apply_action(state.string_to_action(move))
    state.apply_action(state.string_to_action("1:3,8"))
    assert state.to_string().endswith("p0 block=2 bonus")
    # The bonus move follows the player's own last move, on either board.
    assert {state.action_to_string(action)[2:4] for action in state.legal_actions()} == {"0,", "1,", "2,"}
    state.apply_action(state.string_to_action("0:0,6"))
    assert state.to_string().endswith("p1 block=0")


def test_a_bonus_move_that_wins_a_block_gives_no_further_bonus():
    xtreme = noughts.load_game("xtreme")
    found = 0
    for seed in range(60):
        for before, after in pairwise(state.clone() for state in random_states(xtreme, seed)):
            won = before.view().owners != after.view().owners and after.view().owners.count(
                2
            ) == before.view().owners.count(2)
            if before.view().bonus and won and not after.is_terminal():
                assert not after.view().bonus
                assert after.current_player() != before.current_player()
                found += 1
    assert found > 3


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"side": 1}, "leaves nothing to play"),
        ({"side": 5, "lines": rows(5)}, "more than the kernel can hold"),
        ({"lines": ()}, "no lines"),
        ({"lines": ((0, 9, 1),)}, "leaves the board"),
        ({"lines": ((0, 0, 1),)}, "different cells"),
        ({"lines": ((0,),)}, "two or more"),
        ({"lines": ((0, 1), (1, 0))}, "the same"),
        ({"name": "Bad Name"}, "lower-case"),
        ({"marks": "XX"}, "different capital letters"),
        ({"marks": "X."}, "capital letters or digits"),
        ({"marks": ""}, "0 marks"),
        ({"places": ("X", "Z")}, "player 1 places"),
        ({"places": ("X", "X")}, "no player may place"),
        ({"marks": "XOZ"}, "no player may place"),
        ({"line_sum": 100}, "no line can be worth"),
        ({"once": True}, "equal marks"),
        ({"boards": 2}, "only a nested game"),
        ({"bonus": True}, "only a nested game"),
        ({"block_points": (1,) * 9}, "nested"),
        ({"nested": True, "boards": 7}, "more than the kernel can hold"),
        ({"nested": True, "boards": 0}, "0 boards"),
        ({"nested": True, "places": ("XO", "XO")}, "one mark per player"),
        ({"nested": True, "block_points": (1, 2)}, "2 numbers; a board has 9 blocks"),
        ({"nested": True, "marks": "X0", "places": ("X", "0")}, "letters"),
        ({"nested": True, "block_points": (-1,) * 9}, "negative"),
        ({"win_points": (0, 0)}, "pay more"),
        ({"win_points": (1.5, -1.5)}, "two whole numbers"),
        ({"win_points": (1,)}, "two whole numbers"),
        ({"places": ("X",)}, "two strings"),
        ({"places": ("X", "O", "X")}, "two strings"),
        ({"side": 3.0}, "must be of type int"),
        ({"side": True}, "must be of type int"),
        ({"name": None}, "must be of type str"),
        ({"lines": "rows"}, "tuple of tuples"),
        ({"lines": ((0.0, 1),)}, "tuple of tuples"),
        ({"nested": True, "block_points": (1.0,) * 9}, "one whole number per block"),
        ({"line_sum": 1.5}, "whole number"),
        ({"move_seconds": -1}, "greater than 0"),
        ({"move_seconds": float("nan")}, "greater than 0"),
        ({"move_seconds": "3"}, "must be a number greater than 0"),
        ({"move_seconds": True}, "must be a number greater than 0"),
        ({"move_seconds": float("inf")}, "must be a number greater than 0"),
        ({"move_seconds": [3]}, "must be a number greater than 0"),
        ({"move_seconds": 10**400}, "must be a number greater than 0"),
        ({"win_points": (10**9, 0)}, "exceed 1000000"),
        ({"win_points": (True, False)}, "two whole numbers"),
        ({"win_points": {"win": 1}}, "two whole numbers"),
        ({"name": ["classic"]}, "must be of type str"),
        ({"title": 7}, "must be of type str"),
        ({"summary": None}, "must be of type str"),
        ({"marks": ["X", "O"]}, "must be of type str"),
        ({"places": ({"X"}, {"O"})}, "two strings"),
        ({"places": "XO"}, "two strings"),
        ({"lines": ([0, [1]],)}, "tuple of tuples"),
        ({"lines": ({0, 1, 2},)}, "tuple of tuples"),
        ({"lines": ((True, 2, 3),)}, "tuple of tuples"),
        ({"lines": {(0, 1, 2): 1}}, "tuple of tuples"),
        ({"lines": None}, "tuple of tuples"),
        ({"line_sum": True}, "whole number"),
        ({"line_sum": "15"}, "whole number"),
        ({"nested": 1}, "must be of type bool"),
        ({"once": "no"}, "must be of type bool"),
        ({"boards": 10**5000}, "boards is a value of type int that cannot be shown"),
        ({"lines": ((0, 10**5000),)}, "tuple of tuples"),
        ({"nested": True, "block_points": 4}, "one whole number per block"),
        ({"nested": True, "block_points": {4}}, "one whole number per block"),
        ({"nested": True, "marks": "X", "places": ("X", "X")}, "one mark per player"),
    ],
)
def test_records_that_make_no_sense_are_refused_with_a_reason(facts, why):
    with pytest.raises(noughts.RulesError, match=why):
        replace(CLASSIC, **facts)


@pytest.mark.parametrize("fact", [field.name for field in fields(noughts.Rules)])
@pytest.mark.parametrize("value", [object(), {}, {1}, [[None]], b"X", 1j, (None,), lambda: 3])
def test_a_fact_of_any_wrong_kind_is_refused_with_a_sentence(fact, value):
    with pytest.raises(noughts.RulesError, match=f"{fact} is .*; it must be"):
        replace(CLASSIC, **{fact: value})


LETTERS = "ABCDEFGHIJKLMNOP"


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize(("marks", "length"), [(3, 2), (4, 3), (6, 4), (5, 5), (2, 3)])
def test_a_sum_is_refused_exactly_if_no_marks_make_it(marks, length, once):
    draw = combinations if once else combinations_with_replacement
    possible = {sum(worths) for worths in draw(range(1, marks + 1), length)}
    facts = {"marks": LETTERS[:marks], "places": (LETTERS[:marks],) * 2, "once": once, "lines": ((*range(length),),)}
    for total in range(1, marks * length + 3):
        if total in possible:
            assert replace(CLASSIC, line_sum=total, **facts).line_sum == total
        else:
            with pytest.raises(noughts.RulesError, match="no line can be worth"):
                replace(CLASSIC, line_sum=total, **facts)


def test_sixteen_marks_on_a_line_of_sixteen_cells_are_a_game():
    """There are 300 million ways to fill such a line; they are not gone through."""
    square = replace(EXTREME, nested=False, bonus=False, block_points=None, lines=((*range(16),),))
    game = noughts.Game(replace(square, name="sums", marks=LETTERS, places=(LETTERS, LETTERS), line_sum=136))
    turned = tuple(range(16))[::-1]
    assert {symmetry.mark_to for symmetry in game.symmetries()} == {turned, turned[::-1]}
    lower = noughts.Game(replace(game.rules, line_sum=100))
    assert {symmetry.mark_to for symmetry in lower.symmetries()} == {turned[::-1]}
    check_game(game, games=2)


def test_diamonds_are_the_neighbours_of_inner_cells():
    assert {frozenset(line) for line in diamonds(4)} == {
        frozenset({4, 1, 9, 6}),
        frozenset({5, 2, 10, 7}),
        frozenset({8, 5, 13, 10}),
        frozenset({9, 6, 14, 11}),
    }


def test_points_of_all_blocks_sum_to_those_of_a_win():
    assert sum(EXTREME.block_points) == EXTREME.win_points[0] == 68
    xtreme = noughts.load_game("xtreme").rules
    assert xtreme.boards * sum(xtreme.block_points) == xtreme.win_points[0] == 86


def test_lists_in_a_record_are_as_good_as_tuples():
    listed = replace(CLASSIC, lines=[list(line) for line in CLASSIC.lines], places=["X", "O"], win_points=[1, -1])
    assert listed == CLASSIC
    assert hash(listed) == hash(CLASSIC)


@pytest.mark.parametrize(
    ("name", "text", "action"),
    [
        ("classic", "4", 4),
        ("wild", "X4", 8),
        ("wild", "O4", 9),
        ("numerical", "7@4", 4 * 9 + 6),
        ("ultimate", "3,5", 3 * 9 + 5),
        ("extreme", "3,12", 3 * 16 + 12),
        ("xtreme", "1:2,3", 81 + 2 * 9 + 3),
    ],
)
def test_actions_are_numbered_by_cell_and_then_by_mark(name, text, action):
    assert noughts.load_game(name).new_initial_state().string_to_action(text) == action


def test_most_boards_win_a_full_board_without_a_line():
    game = noughts.load_game("ultimate-boards")
    boards = "2OXXXXOO/1O1O1OOXX/O2XOOOXO/OXX1O1XX1/1XO2OO1X/XOXXXXOOO/XXX2OX1O/1XX1OX1XO/OX1O2O1X end"
    end = game.from_string(boards)
    assert end.outcome() == noughts.Outcome("full", 0, (5, 3))
    assert end.returns() == [1.0, -1.0]
    assert noughts.load_game("ultimate").from_string(boards).returns() == [0.0, 0.0]
