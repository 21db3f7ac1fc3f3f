"""What a bot sees is what the kernel says: its state and its board agree with the rules, move by move."""

import contextlib
import copy
import gzip
import io
import json
import operator
from pathlib import Path

import pytest
from conftest import EVERY_GAME, NESTED, load, random_states

import noughts
from noughts.rules.geometry import coordinates
from noughts.rules.reference import Shape, State
from noughts.sandbox.worker import board as course
from noughts.sandbox.worker.board import BotState

DATA = Path(__file__).parents[2] / "shared" / "data"


def agree(state, twin):
    assert twin.current_player() == state.current_player()
    assert twin.legal_actions() == state.legal_actions()
    assert twin.is_terminal() == state.is_terminal()
    assert twin.returns() == state.returns()
    assert twin.history() == state.history()
    if state.is_terminal():
        outcome = state.outcome()
        assert (twin.winner(), twin.points()) == (outcome.winner, outcome.points)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_the_state_of_a_bot_plays_every_game_as_the_kernel_does(name):
    game = load(name)
    twin = State(Shape(game.rules))
    games = 60 if not game.rules.nested else 8
    for state in random_states(game, seed=5, games=games):
        played = state.history()
        if not played:
            twin = State(Shape(game.rules))
        else:
            before = twin.clone()
            twin.apply_action(played[-1])
            back = twin.clone()
            back.undo_action()
            agree_twins(back, before)
        agree(state, twin)


def agree_twins(one, other):
    for name in State.__slots__:
        assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize("name", EVERY_GAME)
def test_the_state_of_a_bot_refuses_what_the_kernel_refuses(name):
    game = load(name)
    for state in random_states(game, seed=11):
        twin = State(Shape(game.rules))
        for action in state.history():
            twin.apply_action(action)
        illegal = set(range(-2, game.num_distinct_actions() + 2)) - set(state.legal_actions())
        for action in sorted(illegal)[:: 1 + len(illegal) // 7]:
            with pytest.raises(ValueError, match="not legal"):
                twin.apply_action(action)
        agree(state, twin)


def test_a_state_of_a_bot_reads_and_writes_moves_as_everyone_does():
    state = BotState(Shape(noughts.load_game("numerical").rules))
    assert state.action_to_string(state.string_to_action("7@4")) == "7@4"
    state.apply_action(state.string_to_action("5@4"))
    assert str(state) == "...\n.5.\n..."
    with pytest.raises(ValueError, match="no move to take back"):
        State(Shape(state.game)).undo_action()


def recorded(name):
    path = DATA / f"{name}-games.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no recorded games at {path.parent.name}/{path.name}")
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", ["extreme", "xtreme"])
def test_the_board_of_a_bot_replays_real_games(name):
    game = noughts.load_game(name)
    for record in recorded(name)[::3]:  # a board in plain Python takes its time
        board = course.board_class(game.rules)()
        old = (-1,) * len(record["moves"][0])
        for move, player, legal in zip(record["moves"], record["players"], record["legal"], strict=True):
            assert board.find_terminal_state() == ("CONTINUE", "-")
            assert len(board.find_valid_move_cells(old)) == legal
            new = tuple(move)
            result, _won = board.update(old, new, player)
            assert result == "SUCCESSFUL"
            old = new
        winner = record["winner"]
        assert board.find_terminal_state() == (("NONE", "DRAW") if winner is None else ("xo"[winner], "WON"))


@pytest.mark.parametrize("name", NESTED)
def test_the_board_of_a_bot_knows_what_the_kernel_allows(name):
    game = noughts.load_game(name)
    twin = old = None
    board = course.board_class(game.rules)()
    for state in random_states(game, seed=3, games=3):
        last = course.old_move(game.rules, state.history()[-1] if state.history() else None)
        if not state.history():
            twin = State(Shape(game.rules))
            played = course.board_class(game.rules)()
        else:
            flag = "xo"[twin.player]
            twin.apply_action(state.history()[-1])
            assert played.update(old, last, flag)[0] == "SUCCESSFUL"
        shown = board.show(twin)
        assert vars(board) == vars(played)
        if not state.is_terminal():
            allowed = [coordinates(game.rules, action) for action in state.legal_actions()]
            assert board.find_valid_move_cells(last) == allowed
        assert course.change(board, shown) is None
        old = last


def test_a_move_on_the_board_is_a_tuple_of_plain_ints():
    board = course.board_class(noughts.load_game("extreme").rules)()
    start = (-1, -1)
    for wrong in (None, 3, [0, 0], (0,), (0, 0, 0), (0.0, 0), (True, 0), (16, 0), (-1, 0), "00"):
        assert not board.check_valid_move(start, wrong)
        assert board.update(start, wrong, "x") == ("UNSUCCESSFUL", False)
    assert board.check_valid_move(start, (15, 15))
    assert board.find_terminal_state() == ("CONTINUE", "-")


def test_winning_a_block_is_reported_and_a_full_block_is_drawn():
    board = course.board_class(noughts.load_game("extreme").rules)()
    for col in range(3):
        board.board_status[0][col] = "x"
    assert copy.deepcopy(board).update((-1, -1), (0, 3), "o") == ("SUCCESSFUL", False)
    assert board.update((-1, -1), (0, 3), "x") == ("SUCCESSFUL", True)
    assert board.block_status[0][0] == "x"
    for row, marks in enumerate(("xxoo", "ooxx", "xxoo", "oox-")):
        board.board_status[row][4:8] = marks
    assert board.update((4, 1), (3, 7), "x") == ("SUCCESSFUL", False)
    assert board.block_status[0][1] == "d"


def test_the_board_can_be_printed():
    board = course.board_class(noughts.load_game("xtreme").rules)()
    board.update((-1, -1, -1), (1, 4, 4), "x")
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        board.print_board()
    assert text.getvalue().count("x") == 1
    assert max(map(len, text.getvalue().splitlines())) <= 80


def test_a_board_that_is_changed_and_restored_is_as_it_was():
    game = noughts.load_game("extreme")
    twin = State(Shape(game.rules))
    twin.apply_action(17)
    board = course.board_class(game.rules)()
    shown = board.show(twin)
    board.board_status[3][4] = "x"
    assert course.change(board, shown) == "cell (3, 4) was '-' and is 'x'"
    board.board_status[3][4] = "-"
    board.block_status = [row[:] for row in board.block_status]
    assert course.change(board, shown) is None
    board.block_status[1][2] = "o"
    assert course.change(board, shown) == "block (1, 2) was '-' and is 'o'"
    board.block_status = None
    assert "no longer hold" in course.change(board, shown)


def lists_of(board):
    return [grid for pair in board._grids() for grid in pair]


@pytest.mark.parametrize("name", NESTED)
def test_the_lists_of_a_board_stay_the_same_objects_during_a_game(name):
    game = noughts.load_game(name)
    board, twin = course.board_class(game.rules)(), State(Shape(game.rules))
    kept = lists_of(board)
    rows = [row for grid in kept for row in grid]
    for action in (5, 40, 77):
        if action in twin.legal_actions():
            twin.apply_action(action)
        shown = board.show(twin)
        assert all(map(operator.is_, lists_of(board), kept))
        assert all(map(operator.is_, [row for grid in lists_of(board) for row in grid], rows))
        assert course.change(board, shown) is None


def test_a_bot_that_put_other_lists_in_their_place_gets_a_right_board_all_the_same():
    game = noughts.load_game("extreme")
    board, twin = course.board_class(game.rules)(), State(Shape(game.rules))
    odd = [["-"] * 16] * 16, tuple(["-"] * 16 for _ in range(16)), ["-" * 16] * 16, None, [["-"]]
    for cells in odd:
        board.board_status = cells
        assert course.change(board, board.show(twin)) is None
    twin.apply_action(3)
    board.board_status = [["-"] * 16] * 16
    assert course.change(board, board.show(twin)) is None
    two = course.board_class(noughts.load_game("xtreme").rules)()
    two.big_boards_status = list(two.big_boards_status)
    two.small_boards_status = two.small_boards_status[:1]
    assert course.change(two, two.show(State(Shape(noughts.load_game("xtreme").rules)))) is None
    assert type(two.big_boards_status) is tuple
