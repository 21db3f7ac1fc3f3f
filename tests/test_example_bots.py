"""The example bots: one class each and nothing else, legal moves, and each better than the one before."""

import ast
import random
import runpy
import sys
import time
from itertools import count
from pathlib import Path

import pytest

import noughts
from py2bots import which_python

sys.path.insert(0, str(Path(__file__).parent / "python2"))
import constructs

BOTS = Path(__file__).parents[1] / "examples" / "bots"
FILES = sorted(BOTS.glob("*.py"))
PLAYS = {
    "random_bot": ["extreme", "xtreme"],
    "greedy_bot": ["xtreme"],
    "mcts_bot": ["extreme", "xtreme"],
    "minimax_extreme": ["extreme"],
    "minimax_xtreme": ["xtreme"],
}


def bot_of(path, seconds=0.01):
    (kind,) = [item for item in runpy.run_path(str(path)).values() if isinstance(item, type)]
    bot = kind()
    bot.SECONDS = seconds
    return bot


def noughts_board(name):
    boards = pytest.importorskip("noughts.sandbox.worker.board", reason="needs the arena's board object")
    return boards.board_class(noughts.load_game(name).rules)()


def play(name, bots):
    """A game between two bots on the arena's board; the final state."""
    boards = pytest.importorskip("noughts.sandbox.worker.board", reason="needs the arena's board object")
    game = noughts.load_game(name)
    board, state = boards.board_class(game.rules)(), game.new_initial_state()
    last = (-1,) * (2 if game.rules.boards == 1 else 3)
    while not state.is_terminal():
        seat = state.current_player()
        move = bots[seat].move(board, last, "xo"[seat])
        assert board.check_valid_move(last, move)
        board.update(last, move, "xo"[seat])
        which, row, col = move if len(move) == 3 else (0, *move)
        state.apply_action((which * game.rules.width + row) * game.rules.width + col)
        last = move
    return state


@pytest.mark.parametrize("stem", ["mcts_bot", "minimax_extreme", "minimax_xtreme"])
def test_a_bot_takes_its_time_from_the_game(stem, monkeypatch):
    """The arena's board says how long a move may take; on a board that does not, the course's limit holds."""
    ticks = count()
    monkeypatch.setattr(time, "time", lambda: next(ticks) / 100)
    board = noughts_board(PLAYS[stem][0])
    board.seconds = 1.0
    first = (-1,) * (2 if hasattr(board, "board_status") else 3)
    bot_of(BOTS / f"{stem}.py", seconds=1000.0).move(board, first, "x")
    assert next(ticks) < 1000


@pytest.mark.parametrize("path", [path for path in FILES if "extreme" in PLAYS[path.stem]], ids=lambda path: path.stem)
def test_a_bot_plays_on_python_2_too(python2, path, tmp_path):
    """It is given a board whose marks are plain lists, as the course's was."""
    source = path.read_text().replace("SECONDS = 16.0", "SECONDS = 0.01")
    (name,) = [node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    moves = constructs.moves(python2, {name: f"{source}\n\nTeam = {name}\n"}, tmp_path)[name]
    assert isinstance(moves, list), moves
    assert all(0 <= row < 16 and 0 <= col < 16 for row, col in moves)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bot_has_nothing_that_only_python_3_reads(path):
    found = which_python(path.read_text())
    assert found.version is None or found.why == "// divides there"  # which Python 2 reads too


def test_there_is_one_for_each_idea():
    assert sorted(PLAYS) == [path.stem for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bot_is_one_class_of_plain_python(path):
    tree = ast.parse(path.read_text())
    kinds = [type(node) for node in tree.body[1:]]
    assert kinds.count(ast.ClassDef) == 1
    assert set(kinds) <= {ast.Import, ast.ClassDef}
    imported = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= {"copy", "math", "random", "time"}


@pytest.mark.parametrize(("stem", "name"), [(stem, name) for stem, names in PLAYS.items() for name in names])
def test_a_bot_plays_whole_games_against_random_and_loses_none_by_fault(stem, name):
    random.seed(1)
    opponent = bot_of(BOTS / "random_bot.py")
    state = play(name, [bot_of(BOTS / f"{stem}.py"), opponent])
    assert state.outcome() is not None
    if stem.startswith(("minimax", "greedy")):
        assert state.returns()[0] > 0
