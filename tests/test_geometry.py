"""Where things are on the boards: every way to number a cell says the same, and the kernel agrees."""

import subprocess
import sys

import pytest
from boards import EVERY_GAME, every_game, load

from noughts.rules import geometry
from noughts.rules.geometry import columns, diagonals, k_in_a_row, rows
from noughts.rules.kernels import layout as at


def indices(rules):
    return range(rules.blocks * rules.cells)


@every_game
def test_every_way_to_name_a_cell_leads_back_to_it(name):
    rules = load(name).rules
    for index in indices(rules):
        place = geometry.place_of(rules, index)
        assert geometry.index_at(rules, place.board, place.row, place.col) == index
        assert geometry.index_in(rules, place.block, place.cell) == index
        assert geometry.index_of(rules, geometry.coordinates(rules, index)) == index
        assert geometry.block_of(rules, index) == place.block
        board, number = geometry.board_and_block(rules, place.block)
        assert board == place.board
        assert geometry.block_on(rules, board, number) == place.block
    assert len({geometry.coordinates(rules, index) for index in indices(rules)}) == len(indices(rules))


@every_game
def test_a_cell_lies_in_its_block_and_sends_to_the_block_at_the_same_place(name):
    rules = load(name).rules
    for index in indices(rules):
        place = geometry.place_of(rules, index)
        down, right = geometry.row_and_column(rules, geometry.board_and_block(rules, place.block)[1])
        row, col = geometry.row_and_column(rules, place.cell)
        assert (place.row, place.col) == (down * rules.side + row, right * rules.side + col)
        for board, block in enumerate(geometry.destined_blocks(rules, place.cell)):
            assert geometry.board_and_block(rules, block) == (board, place.cell if rules.nested else 0)


@every_game
def test_the_kernel_has_cells_where_geometry_has_them(name):
    game = load(name)
    for index in indices(game.rules):
        place = geometry.place_of(game.rules, index)
        spot = int(game.facts[at.SPOT_OF + index])
        assert (spot >> 4, spot & 15) == (place.block, place.cell)
        assert game.facts[at.INDEX_OF + spot] == index


@every_game
def test_a_move_of_the_kernel_is_the_action_that_was_played(name):
    game = load(name)
    start = game.new_initial_state()
    for action in start.legal_actions():
        move = int(start.child(action).words[at.LAST])
        assert geometry.action_of(game.rules, move) == action
        index, mark = geometry.placement(game.rules, 0, action)
        assert index == geometry.index_of_move(game.rules, move)
        assert mark == move & 15


@pytest.mark.parametrize("name", [name for name in EVERY_GAME if load(name).rules.nested])
def test_coordinates_outside_the_board_name_no_cell(name):
    rules = load(name).rules
    width, several = rules.width, rules.boards > 1
    wrong = [(0,), (0, 0, 0, 0), (0, 0) if several else (0, 0, 0)]
    front = (0,) if several else ()
    wrong += [(*front, width, 0), (*front, 0, width), (*front, -1, 0), (*front, 0, -1)]
    if several:
        wrong += [(rules.boards, 0, 0), (-1, 0, 0)]
    assert [geometry.index_of(rules, where) for where in wrong] == [None] * len(wrong)


def test_rows_of_cells_and_blocks_are_those_of_the_boards():
    rules = load("xtreme").rules
    cells = geometry.cell_rows(rules, list(indices(rules)))
    assert [cells[board][row][col] for board, row, col in ((0, 0, 0), (0, 1, 2), (1, 8, 8))] == [0, 11, 161]
    blocks = geometry.block_rows(rules, list(range(rules.blocks)))
    assert blocks == [[[0, 1, 2], [3, 4, 5], [6, 7, 8]], [[9, 10, 11], [12, 13, 14], [15, 16, 17]]]


def as_sets(lines):
    return {frozenset(line) for line in lines}


@pytest.mark.parametrize("side", [2, 3, 4])
def test_as_many_in_a_row_as_the_board_is_wide_are_its_rows_columns_and_diagonals(side):
    assert as_sets(k_in_a_row(side, side)) == as_sets(rows(side) + columns(side) + diagonals(side))


def test_three_in_a_row_on_a_board_of_four_are_24_lines():
    lines = k_in_a_row(4, 3)
    assert len(lines) == len(as_sets(lines)) == 24
    assert {(0, 1, 2), (1, 2, 3), (4, 8, 12), (1, 6, 11), (2, 5, 8), (7, 10, 13)} <= {*lines}
    assert (2, 3, 4) not in lines
    assert k_in_a_row(3, 4) == ()


def test_geometry_is_for_the_sandbox_too_and_loads_neither_numpy_nor_numba():
    script = "import noughts.rules.geometry, noughts.rules.reference, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, check=True)
    assert not {"numpy", "numba"} & set(done.stdout.split())
