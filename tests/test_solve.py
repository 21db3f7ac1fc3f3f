"""Exact solutions: what is known about the games, and agreement with a slow solver that has rules of its own."""

import random
from dataclasses import replace
from importlib.util import find_spec
from itertools import permutations

import numpy as np
import pytest
from conftest import NESTED, SMALL, random_states
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_solver import SlowSolver

import noughts
from noughts.games.classic import RULES as CLASSIC
from noughts.games.numerical import RULES as NUMERICAL
from noughts.games.wild import RULES as WILD
from noughts.rules.geometry import columns, diagonals, rows
from noughts.rules.shapes import shape_lines
from noughts.solving import solution
from noughts.solving.codes import most_positions

TINY = ["classic", "misere", "wild", "wild-misere"]

TWO = replace(CLASSIC, name="two", side=2, lines=rows(2) + columns(2))
ROWS = replace(CLASSIC, name="rows", lines=rows(3))
THREE_MARKS = replace(WILD, name="three-marks", marks="XOZ", places=("XOZ", "XOZ"))
MIXED = replace(WILD, name="mixed", side=2, lines=rows(2) + diagonals(2), marks="ABC", places=("AB", "BC"))
SHORT = replace(
    NUMERICAL, name="short", side=2, lines=rows(2), marks="12345", places=("15", "2345"), line_sum=6, misere=True
)
OTHERS = [TWO, ROWS, MIXED, SHORT]


def solved(name):
    game = noughts.load_game(name)
    return game, noughts.solve(game), game.new_initial_state()


def agree(solution, slow, cells):
    state = solution.game.from_string(slow.text(cells))
    assert (solution.value(state), solution.distance(state)) == slow.result(cells), state
    if not state.is_terminal():
        assert solution.action_values(state) == slow.values(cells), state


# What is known.


def test_classic_is_a_draw_whatever_the_opening():
    _, solution, start = solved("classic")
    assert solution.value(start) == 0
    assert solution.distance(start) == 9
    assert set(solution.action_values(start).values()) == {0}


def test_misere_is_drawn_from_the_centre_only():
    _, solution, start = solved("misere")
    assert solution.action_values(start) == {cell: 0 if cell == 4 else -1 for cell in range(9)}


def test_the_centre_is_the_only_winning_opening_of_wild():
    _, solution, start = solved("wild")
    assert [start.action_to_string(action) for action in solution.best_actions(start)] == ["X4", "O4"]
    assert solution.value(start) == 1
    assert sorted(set(solution.action_values(start).values())) == [0, 1]


def test_wild_misere_is_drawn_from_the_centre_only():
    _, solution, start = solved("wild-misere")
    best = [action for action, value in solution.action_values(start).items() if value == 0]
    assert [start.action_to_string(action) for action in best] == ["X4", "O4"]
    assert solution.value(start) == 0


def test_numerical_is_won_by_the_first_player_with_any_number_but_5_on_the_middle_of_a_side():
    _, solution, start = solved("numerical")
    winning = {start.action_to_string(action) for action, value in solution.action_values(start).items() if value == 1}
    assert winning == {f"{number}@{cell}" for number in (1, 3, 7, 9) for cell in (1, 3, 5, 7)}
    assert min(solution.action_values(start).values()) == 0


def test_classic_has_5478_positions_and_765_up_to_symmetry():
    _, solution, _ = solved("classic")
    assert solution.counts.total == 5478
    assert solution.counts.different == 765
    assert solution.counts.won == (626, 316)
    assert solution.counts.drawn == 16


def test_numerical_has_nine_million_positions():
    """All of them as a breadth-first search over plain base-10 numbers, without symmetry, counted them."""
    _, solution, _ = solved("numerical")
    assert solution.counts.total == 9_003_966
    assert solution.counts.not_over == 6_763_766
    assert solution.counts.won == (1_106_856, 964_576)


def test_the_drawn_positions_of_numerical_are_the_full_boards_without_a_line():
    _, solution, _ = solved("numerical")
    boards = np.array(list(permutations(range(1, 10))), np.int8)
    lineless = np.all([boards[:, line].sum(axis=1) != 15 for line in map(list, NUMERICAL.lines)], axis=0)
    assert solution.counts.drawn == lineless.sum()


def test_the_larger_boards_can_be_solved_too(tmp_path, monkeypatch):
    monkeypatch.setenv("NOUGHTS_CACHE_DIR", str(tmp_path))
    four = replace(CLASSIC, name="four", side=4, lines=rows(4) + columns(4) + diagonals(4))
    game = noughts.Game(four)
    solution = noughts.solve(game)
    assert solution.value(game.new_initial_state()) == 0
    assert solution.counts.total == 9_722_011


# Agreement with the slow solver.


@pytest.mark.parametrize("name", TINY)
def test_every_position_of_the_tiny_games_agrees_with_the_slow_solver(name):
    game, solution, _ = solved(name)
    slow = SlowSolver(game.rules)
    slow.result(slow.start)
    for cells in list(slow.results):
        agree(solution, slow, cells)
    ends = [(slow.end(cells), slow.mover(cells)) for cells in slow.results]
    counts = solution.counts
    assert counts.total == len(slow.results)
    assert counts.not_over == sum(end is None for end, _ in ends)
    assert counts.drawn == sum(end == 0 for end, _ in ends)
    assert counts.won[0] == sum((end == 1 and mover == 0) or (end == -1 and mover == 1) for end, mover in ends)


def test_numerical_agrees_with_the_slow_solver_on_a_large_sample():
    game, solution, _ = solved("numerical")
    slow = SlowSolver(game.rules)
    choose = random.Random(4)
    for marks in [3] * 3 + [4] * 40 + [5] * 100:
        cells = slow.start
        while sum(mark is not None for mark in cells) < marks and slow.end(cells) is None:
            cells = choose.choice(list(slow.moves(cells)))[1]
        slow.result(cells)
    assert len(slow.results) > 40_000
    for cells in choose.sample(sorted(slow.results, key=str), 6_000):
        agree(solution, slow, cells)


@pytest.mark.parametrize("rules", OTHERS, ids=lambda rules: rules.name)
def test_games_of_others_agree_with_the_slow_solver(rules):
    solution = noughts.solve(noughts.Game(rules))
    slow = SlowSolver(rules)
    slow.result(slow.start)
    assert solution.counts.total == len(slow.results)
    for cells in slow.results:
        agree(solution, slow, cells)


def test_three_marks_in_wild_style_agree_on_a_sample():
    game = noughts.Game(THREE_MARKS)
    solution = noughts.solve(game)
    slow = SlowSolver(THREE_MARKS)
    choose = random.Random(2)
    for _ in range(60):
        cells = slow.start
        while sum(mark is not None for mark in cells) < 5 and slow.end(cells) is None:
            cells = choose.choice(list(slow.moves(cells)))[1]
        slow.result(cells)
        agree(solution, slow, cells)


@st.composite
def flat_games(draw):
    """Records of all kinds on boards of 2x2, and of 3x3 with few positions."""
    side = draw(st.sampled_from([2, 2, 3]))
    cells = st.integers(0, side * side - 1)
    lines = draw(st.lists(st.frozensets(cells, min_size=2, max_size=3), min_size=1, max_size=5, unique=True))
    marks = "1234567"[: draw(st.integers(2, 5))]
    places = [
        "".join(sorted(draw(st.frozensets(st.sampled_from(marks), min_size=1)))) for _ in range(2)
    ]  # fmt: skip
    line_sum = draw(st.none() | st.integers(3, 12))
    try:
        rules = noughts.Rules(
            name="drawn", title="Drawn", side=side, lines=tuple(tuple(sorted(line)) for line in lines),
            marks=marks, places=(places[0], places[1]), once=line_sum is not None and draw(st.booleans()),
            line_sum=line_sum, misere=draw(st.booleans()),
        )  # fmt: skip
    except noughts.RulesError:
        return TWO
    return rules if sum(most_positions(rules)) < 6_000 else TWO


@settings(max_examples=40, deadline=None)
@given(flat_games())
def test_any_flat_game_agrees_with_the_slow_solver(rules):
    solution = noughts.solve(noughts.Game(rules))
    slow = SlowSolver(rules)
    slow.result(slow.start)
    assert solution.counts.total == len(slow.results)
    for cells in random.Random(1).sample(sorted(slow.results, key=str), min(40, len(slow.results))):
        agree(solution, slow, cells)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([noughts.load_game(name).rules for name in SMALL] + OTHERS), st.data())
def test_every_position_that_can_be_set_up_has_a_value(rules, data):
    game = noughts.Game(rules)
    cells = data.draw(st.lists(st.sampled_from("." + rules.marks), min_size=rules.cells, max_size=rules.cells))
    board = "/".join("".join(cells[i : i + rules.side]) for i in range(0, rules.cells, rules.side))
    for turn in ("p0", "p1", "end"):
        try:
            state = game.from_string(f"{board} {turn}")
        except ValueError:
            continue
        assert noughts.solve(game).value(state) in (-1, 0, 1)


# Identities.


@pytest.mark.parametrize("name", SMALL)
def test_a_position_is_worth_its_best_child_negated_and_the_winner_hurries(name):
    game, solution, _ = solved(name)
    for state in random_states(game, seed=5, games=30):
        if state.is_terminal():
            mine = state.returns()[len(state.history()) % 2]
            assert solution.value(state) == mine
            assert solution.distance(state) == 0
            assert solution.best_actions(state) == solution.rated_moves(state) == []
            continue
        value, distance = solution.value(state), solution.distance(state)
        children = [state.child(action) for action in state.legal_actions()]
        assert value == max(-solution.value(child) for child in children)
        lengths = [1 + solution.distance(child) for child in children if -solution.value(child) == value]
        assert distance == (min(lengths) if value > 0 else max(lengths))
        best = solution.best_actions(state)
        assert best
        for action in best:
            child = state.child(action)
            assert (-solution.value(child), 1 + solution.distance(child)) == (value, distance)


def test_symmetric_positions_have_the_same_value():
    game, solution, _ = solved("numerical")
    for state in random_states(game, seed=8):
        values = {solution.value(state.transformed(symmetry)) for symmetry in game.symmetries()}
        assert len(values) == 1


@pytest.mark.parametrize("name", SMALL)
def test_moves_are_rated_best_first_and_the_errors_of_replies_are_counted(name):
    game, solution, _ = solved(name)
    for state in random_states(game, seed=6, games=4):
        moves = solution.rated_moves(state)
        assert sorted(move.action for move in moves) == state.legal_actions()
        assert [move.value for move in moves] == sorted((move.value for move in moves), reverse=True)
        for move in moves:
            child = state.child(move.action)
            replies = solution.action_values(child)
            errors = sum(value < solution.value(child) for value in replies.values())
            assert move.errors == (errors / len(replies) if replies else 0)
        preferred = solution.preferred_actions(state)
        assert set(preferred) <= set(solution.best_actions(state))
        assert preferred == [m.action for m in moves if (m.value, m.distance, m.errors) == _merit(moves[0])]


def _merit(move):
    return move.value, move.distance, move.errors


# Refusals.


@pytest.mark.parametrize("name", NESTED)
def test_nested_games_are_refused_with_what_they_need(name):
    with pytest.raises(noughts.TooLarge, match="Search it instead"):
        noughts.solve(noughts.load_game(name))


def test_a_flat_game_that_is_too_large_is_refused_before_any_work():
    large = replace(THREE_MARKS, name="large", side=4, lines=rows(4))
    with pytest.raises(noughts.TooLarge, match=r"large has up to [0-9,]+ positions .*; the maximum is 10,500,000"):
        noughts.solve(noughts.Game(large))


def test_a_state_of_another_game_is_refused():
    _, solution, _ = solved("classic")
    with pytest.raises(ValueError, match="solution is for classic, but the state is of misere"):
        solution.value(noughts.load_game("misere").new_initial_state())


@pytest.mark.parametrize("name", ["classic", "misere", "wild", "wild-misere"])
def test_positions_of_two_marks_are_counted_before_they_are_made(name):
    game = noughts.load_game(name)
    assert sum(most_positions(game.rules)) == noughts.solve(game).counts.total


@pytest.mark.parametrize("facts", [{}, {"marks": "1234", "places": ("13", "24"), "line_sum": 9}])
def test_a_game_of_more_than_32_lines_ends_by_exactly_these(facts):
    lines = tuple(line for shape in ("T", "knight's L") for line in shape_lines(shape, 4))
    game, draw = noughts.Game(replace(CLASSIC, name="many", side=4, lines=lines, **facts)), random.Random(1)
    assert len(lines) == 72
    for _ in range(40):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
            cells = state.view().cells
            full = [marks for line in lines if -1 not in (marks := [cells[cell] for cell in line])]
            made = any(sum(marks) + 4 == 9 if facts else len(set(marks)) == 1 for marks in full)
            assert made == (state.is_terminal() and state.outcome().reason == "line")


def test_solutions_in_memory_are_bounded(monkeypatch):
    monkeypatch.setattr(solution, "_SOLVED", {})
    monkeypatch.setattr(solution, "MOST_IN_MEMORY", 150_000)
    for name in ("classic", "misere", "classic"):
        noughts.solve(noughts.load_game(name))
    assert [rules.name for rules in solution._SOLVED] == ["misere", "classic"]
    noughts.solve(noughts.load_game("wild"))
    assert [rules.name for rules in solution._SOLVED] == ["wild"]
    noughts.solve(noughts.load_game("misere"), keep=False)
    assert [rules.name for rules in solution._SOLVED] == ["wild"]


def test_best_play_goes_on_to_the_end():
    game = noughts.load_game("wild")
    solution, state = noughts.solve("wild"), game.new_initial_state()
    line = solution.line(state)
    assert len(line) == solution.distance(state)
    for action in line:
        state.apply_action(action)
    assert state.returns()[0] == 1


@pytest.mark.parametrize("name", ["classic", "misere", "wild"])
def test_the_table_of_positions_is_what_the_solution_says_of_each(name):
    game, solution = noughts.load_game(name), noughts.solve(name)
    rows = list(solution.positions())
    assert len(rows) == len({row.position for row in rows}) == solution.counts.different
    assert sum(row.symmetric for row in rows) == solution.counts.total
    for row in rows[:: len(rows) // 100]:
        state = game.from_string(row.position)
        assert state.to_string() == row.position
        assert (state.current_player(), row.marks) == (row.player, 9 - state.cells.count(-1))
        assert (solution.value(state), solution.distance(state)) == (row.value, row.distance)


def test_the_table_is_a_data_frame_where_a_library_has_them():
    solution = noughts.solve("classic")
    columns = solution.to_frame("numpy")
    assert columns["value"].tolist() == [row.value for row in solution.positions()]
    for library in ("pandas", "polars"):
        if find_spec(library):
            assert list(solution.to_frame(library).columns) == list(columns)
    with pytest.raises(ValueError, match="pandas, polars or numpy"):
        solution.to_frame("excel")
