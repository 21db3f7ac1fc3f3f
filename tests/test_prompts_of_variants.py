"""A reader of the prompt of an unusual game plays the same game as the kernel."""

import random
from dataclasses import replace
from itertools import islice

import pytest
from prompt_reader import ReadGame

import noughts
from noughts.rules import columns, k_in_a_row, rows
from noughts.rules.geometry import placement
from noughts.rules.shapes import SHAPE_NAMES, SHAPES, WRAPPED, shape_lines
from noughts.suites.generator import draw_variants
from noughts.text import TextEnv, prompt
from noughts.text.prompts import is_usual

CLASSIC = noughts.load_game("classic").rules
VARIANTS = list(islice(draw_variants(19), 200))


def play_both(rules, seed):
    """One random game, by the kernel and by the reader of the prompt; how the kernel says it ended."""
    read, game = ReadGame(prompt(rules, 0)), noughts.Game(rules)
    state, (board, player), draw = game.new_initial_state(), read.start(), random.Random(seed)
    while not state.is_terminal():
        legal = {action: placement(rules, player, action) for action in state.legal_actions()}
        named = {(cell, rules.marks[mark]) for cell, mark in legal.values()}
        assert named == read.moves(board, player)
        action = draw.choice(sorted(legal))
        cell, mark = legal[action]
        board[cell] = rules.marks[mark]
        state.apply_action(action)
        outcome, winner = state.outcome(), read.winner(board, player)
        assert (outcome.winner if outcome else None) == winner
        player = 1 - player
    if state.outcome().reason != "line":
        assert not read.moves(board, player)
        assert len(board) == read.cells or read.stops
    return state.outcome().reason


def test_200_generated_games_are_played_from_their_prompts():
    endings = {play_both(variant.rules, seed) for seed, variant in enumerate(VARIANTS) if not is_usual(variant.rules)}
    assert endings >= {"line", "full"}
    assert len({variant.family for variant in VARIANTS}) == 13


@pytest.mark.parametrize(
    "facts",
    [
        {"marks": "12", "places": ("1", "2"), "line_sum": 4, "lines": rows(3) + columns(3)},
        {"marks": "ABC", "places": ("ABC", "ABC"), "line_sum": 6, "lines": rows(3)},
        {"marks": "123456", "places": ("135", "246"), "once": True, "line_sum": 6, "lines": rows(3)},
        {"places": ("XO", "O")},
        {"lines": rows(3)},
        {"lines": (*rows(3)[:2], (0, 2, 6))},
        {"side": 4, "lines": k_in_a_row(4, 3)[:-1]},
        {"side": 4, "lines": shape_lines(WRAPPED, 4)},
        {"marks": "X", "places": ("X", "X"), "lines": columns(3)},
        {"name": "wild", "lines": rows(3), "places": ("XO", "XO")},
        {"side": 2, "lines": ((0, 1), (0, 2))},
    ],
)
def test_other_unusual_games_are_too(facts):
    rules = replace(CLASSIC, **facts)
    for seed in range(20):
        play_both(rules, seed)
    assert "draw" in prompt(rules, 1)


def test_both_players_read_whose_marks_are_whose():
    half = replace(CLASSIC, places=("XO", "O"))
    assert "You place X or O; your opponent places O." in prompt(half, 0)
    assert "You place O; your opponent places X or O." in prompt(half, 1)


def test_a_game_that_only_calls_itself_wild_shows_its_board():
    env = TextEnv(noughts.Game(replace(CLASSIC, name="wild", lines=rows(3), places=("XO", "XO"))))
    env.reset()
    assert "Current Board:" in env.get_observation()[1]


def test_shapes_have_the_lines_of_their_pictures():
    assert len(SHAPE_NAMES) == 21
    assert set(shape_lines("row of 3", 3)) == set(rows(3))
    assert len(shape_lines("T", 4)) == 24
    assert shape_lines("row of 4", 3) == ()
    every = [line for name in SHAPES for line in shape_lines(name, 4)]
    assert len(every) == len(set(every))  # no line is of two shapes


def test_no_prompt_of_a_generated_game_is_long():
    longest = max(len(prompt(variant.rules, 0)) for variant in VARIANTS)
    assert longest < 1800
