"""Symmetric positions have symmetric moves and outcomes, and one canonical form."""

from dataclasses import replace

import pytest
from conftest import EVERY_GAME, load, random_state
from hypothesis import given, settings
from hypothesis import strategies as st

import noughts
from noughts.games.classic import RULES as CLASSIC
from noughts.games.numerical import RULES as NUMERICAL
from noughts.games.wild import RULES as WILD
from noughts.games.xtreme import RULES as XTREME
from noughts.rules.geometry import rows
from noughts.rules.symmetry import symmetries


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("classic", 8),
        ("misere", 8),
        ("wild", 16),  # 8, and X and O exchanged
        ("wild-misere", 16),
        ("numerical", 64),  # 8, and the 8 of the magic square for the numbers
        ("ultimate", 8),
        ("xtreme", 16),  # 8, and the boards exchanged
        ("extreme", 8),
    ],
)
def test_each_game_has_its_symmetries(name, count):
    found = noughts.load_game(name).symmetries()
    assert len(found) == len({symmetry.action_to for symmetry in found}) == count
    assert found[0].action_to == tuple(range(noughts.load_game(name).num_distinct_actions()))


def test_numerical_can_exchange_n_and_ten_minus_n():
    marks = {symmetry.mark_to for symmetry in noughts.load_game("numerical").symmetries()}
    assert tuple(reversed(range(9))) in marks
    for mark_to in marks:
        assert all(mark % 2 == image % 2 for mark, image in enumerate(mark_to))


@given(st.sampled_from(EVERY_GAME), st.integers(0, 10**6), st.data())
@settings(deadline=None, max_examples=200)
def test_symmetric_positions_have_symmetric_moves_and_outcomes(name, seed, data):
    game = load(name)
    state = random_state(game, seed)
    symmetry = data.draw(st.sampled_from(game.symmetries()))
    image = state.transformed(symmetry)
    assert image.legal_actions() == sorted(symmetry.action_to[a] for a in state.legal_actions())
    assert image.outcome() == state.outcome()
    assert image.canonical() == state.canonical()
    # The image is a position of the game in its own right.
    assert game.from_string(image.to_string()).legal_actions() == image.legal_actions()
    if not state.is_terminal():
        action = data.draw(st.sampled_from(state.legal_actions()))
        assert image.child(symmetry.action_to[action]) == state.child(action).transformed(symmetry)


def test_the_nine_openings_of_classic_are_three():
    start = noughts.load_game("classic").new_initial_state()
    assert len({start.child(action).canonical().to_string() for action in start.legal_actions()}) == 3


def test_three_marks_in_wild_style_can_all_be_exchanged():
    three = replace(WILD, name="three", marks="XOZ", places=("XOZ", "XOZ"))
    assert len(noughts.Game(three).symmetries()) == 8 * 6


def test_other_games_find_their_own_symmetries():
    assert len(noughts.Game(replace(CLASSIC, name="rows", lines=rows(3))).symmetries()) == 6 * 6**3
    assert len(noughts.Game(replace(NUMERICAL, name="other", line_sum=14)).symmetries()) < 64
    assert len(noughts.Game(replace(XTREME, name="three", boards=3)).symmetries()) == 8 * 6


def test_of_millions_of_symmetries_only_those_of_the_square_are_kept():
    rows_of_four = noughts.Game(replace(CLASSIC, name="rows-of-four", side=4, lines=rows(4)))
    turns = {symmetry.cell_to for symmetry in rows_of_four.symmetries()}
    assert len(turns) == 4  # none, half a turn, and the two reflections that keep rows rows
    assert rows_of_four.symmetries()[0].cell_to == tuple(range(16))


def test_the_symmetries_of_lines_that_wrap_around_are_found():
    # Eight diagonals of a 4x4 board whose edges are joined, each meeting four others: every cell looks like any other.
    wrapped = tuple(
        tuple(4 * row + (start + step * row) % 4 for row in range(4)) for step in (1, -1) for start in range(4)
    )
    game = noughts.Game(replace(CLASSIC, name="wrapped", side=4, lines=wrapped))
    assert len(game.symmetries()) == 8  # of more than 2000 only turns and reflections are kept
    state = random_state(game, 3)
    assert len({state.transformed(symmetry).canonical().to_string() for symmetry in game.symmetries()}) == 1


def test_symmetries_are_counted_before_they_are_built():
    rules = replace(CLASSIC, marks="ABCDEF", places=("ABCDEF", "ABCDEF"), lines=((0, 1, 2), (3, 4, 5), (6, 7, 8)))
    built = symmetries(rules, 1500)
    assert len(built) == 1296  # those that keep the marks, of 1296 * 720
    assert {symmetry.mark_to for symmetry in built} == {tuple(range(6))}
    assert len(symmetries(rules, 1000)) == 1
    assert len(symmetries(CLASSIC, 1500)) == len(symmetries(CLASSIC)) == 8
