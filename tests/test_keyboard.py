"""The terminal: a board with a cursor, drawn in place; menus; small screens."""

import re
import sys
import webbrowser

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

import noughts
from noughts.analysis.evaluator import Evaluation
from noughts.cli import main
from noughts.commands import menu
from noughts.commands._keys import move_at, neighbour
from noughts.commands._saved_games import unfinished_games
from noughts.commands._session import GameSession
from noughts.matches.record import UNFINISHED
from noughts.matches.replays import load

RIGHT, LEFT, UP, DOWN, TAB, ENTER, CTRL_C = "\x1b[C", "\x1b[D", "\x1b[A", "\x1b[B", "\t", "\r", "\x03"
ESCAPES = re.compile(r"\x1b\[[\d;]*m")


def state_of(name, *moves):
    state = noughts.load_game(name).new_initial_state()
    for move in moves:
        state.apply_action(state.string_to_action(move))
    return state


@pytest.fixture
def games(monkeypatch, tmp_path):
    monkeypatch.setenv("NOUGHTS_GAMES_DIR", str(tmp_path / "games"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "40")
    return tmp_path / "games"


@pytest.fixture
def press(monkeypatch, capsys, games):
    """Run a command with keys that a person presses; what is printed beside what is drawn in place."""
    monkeypatch.setattr(menu, "is_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")

    def run(*args, keys, typed=()):
        lines = iter(typed)
        monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))
        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
            pipe.send_text("".join(keys))
            code = main(list(args))
        out, err = capsys.readouterr()
        assert code in (0, 2), err
        return out

    return run


# Keys


def test_arrow_keys_choose_a_cell_and_enter_plays_it(press, games):
    press("play", "classic", "--opponent", "human", keys=[UP, LEFT, ENTER, "4", ENTER, TAB, ENTER, CTRL_C])
    (file,) = games.iterdir()
    record = load(file)
    assert record.reason == UNFINISHED
    assert record.moves == [0, 4, 6]  # from a cell that was taken the cursor goes to the middle of those that are left


def test_a_mark_that_is_typed_goes_to_the_cell_with_the_cursor(press, games):
    press("play", "wild", "--opponent", "human", keys=[ENTER, "o", ENTER, RIGHT, "X", ENTER, "quit", ENTER])
    (file,) = games.iterdir()
    start = noughts.load_game("wild").new_initial_state()
    assert list(map(start.action_to_string, load(file).moves)) == ["O4", "X5"]


def test_commands_are_typed_as_elsewhere(press, games):
    out = press("play", "classic", "--opponent", "human", keys=["help", ENTER, ENTER, "undo", ENTER, "quit", ENTER])
    assert "Use the arrow keys to choose a cell" in out
    assert "suggest a move" in out
    assert not games.exists()  # nothing is left after the undo


def test_the_edge_of_a_board_leads_to_the_next_board_or_nowhere():
    one, two = state_of("ultimate"), state_of("xtreme")
    assert neighbour(one, 0, -1, 0) == neighbour(one, 0, 0, -1) == 0
    assert neighbour(one, 80, 1, 0) == 80
    assert neighbour(two, 8, 0, 1) == 81
    assert neighbour(two, 81, 0, -1) == 8
    assert neighbour(two, 80, 1, 0) == 89


def test_a_cell_and_a_mark_make_a_move():
    assert move_at(state_of("extreme"), 17, "") == "1,1"
    assert move_at(state_of("wild"), 4, "") is None
    assert move_at(state_of("wild"), 4, "x") == "X4"
    assert move_at(state_of("numerical"), 4, "7") == "7@4"
    assert move_at(state_of("numerical"), 4, "8") is None  # the first player has odd numbers
    assert move_at(state_of("classic"), 4, "7") is None  # a cell that was typed


def test_the_cursor_points_at_a_cell_whatever_stands_in_it():
    state = state_of("ultimate", "4,4")
    view = state.view()
    for width in (80, 30):
        pictures = {noughts.draw.text(view, cursor=cell, width=width) for cell in range(81)}
        assert len(pictures) == 81
        assert all(picture.count(">") == 1 for picture in pictures)


# Small screens


class Screen:
    """A standard output that is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


def page(monkeypatch, state, columns, lines, *, news=()):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", str(lines))
    session = GameSession(state, 0, noughts.players.make_player("random"), "level 9", "random", news=list(news))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Screen())
        return ESCAPES.sub("", session._page()).split("\n")


BONUS = "1X2O11/11O2O1/7O8/16/3X10X1/10XO4/12X3/8XO6/16/14X1/16/X1O1X4O6/1O3X10/O1O13/16/4X6X4 p1 block=12"


def test_a_bonus_move_is_explained_beside_the_board_of_80_by_24(monkeypatch):
    state = noughts.load_game("extreme").from_string(BONUS)
    session = GameSession(state, 0, noughts.players.make_player("random"), "level 9", "random")
    for move in ("14,1", "8,4"):
        session._apply(state.string_to_action(move), 0.0)
    news = "Level 9 plays 14,1 and wins block 12, which gives it a bonus move. Level 9 plays 8,4."
    assert " ".join(session.news) == news
    shown = page(monkeypatch, state, 80, 24, news=session.news)
    assert len(shown) == 23  # and the prompt
    assert max(map(len, shown)) <= 80
    assert " ".join(line[58:].strip() for line in shown[:-1]).strip() == news
    assert shown[-1].startswith("X to move: ")


@pytest.mark.parametrize("lines", [24, 40])
@pytest.mark.parametrize("name", ["extreme", "xtreme", "ultimate", "numerical", "wild"])
def test_no_line_is_wider_than_40_columns(monkeypatch, name, lines):
    state = state_of(name)
    for _ in range(9 if state.game.rules.nested else 2):
        state.apply_action(state.legal_actions()[0])
    shown = page(monkeypatch, state, 40, lines, news=["Level 9 plays here and there, at some length."])
    assert max(map(len, shown)) <= 40
    assert any("│" in line for line in shown)


def test_where_no_board_fits_a_sentence_and_the_position_stand(monkeypatch):
    shown = " ".join(page(monkeypatch, state_of("extreme", "0,0"), 30, 24))
    assert "The board needs 40 columns; this terminal has 30." in shown
    assert "Position: X15/" in shown


# Leaving and going on


def test_the_rules_lead_back_to_the_board(press, games):
    out = press("play", "classic", "--opponent", "human", "--typed", keys=[], typed=["rules", "quit"])
    assert out.count("| 6 | 7 | 8 |") == 2
    assert out.index("a diagonal") < out.rindex("| 6 | 7 | 8 |")


def test_ctrl_c_saves_the_game_and_the_menu_offers_it(press, games, monkeypatch):
    press("play", "extreme", "--opponent", "random", "--seed", "1", keys=["1,1", ENTER, CTRL_C])
    (file,) = games.iterdir()
    assert len(load(file).moves) == 2
    assert unfinished_games() == [(str(file), "continue Extreme Tic-Tac-Toe against random, after move 2")]
    press("play", keys=[ENTER, "undo", ENTER, "2,2", ENTER, CTRL_C])  # the first of the menu, which goes on
    assert list(games.iterdir()) == [file]
    start = noughts.load_game("extreme").new_initial_state()
    assert start.action_to_string(load(file).moves[0]) == "2,2"
    press("play", keys=[ENTER, "resign", ENTER], typed=["y", "n"])
    assert unfinished_games() == []


def test_the_menu_asks_for_the_game_the_opponent_and_who_begins(press, games):
    out = press(keys=[ENTER, DOWN, DOWN, ENTER, DOWN, DOWN, DOWN, DOWN, ENTER, "4", ENTER, "quit", ENTER])
    (file,) = games.iterdir()
    record = load(file)
    assert (record.game.name, record.players) == ("misere", ("first player", "second player"))
    assert "noughts play" in out


def test_without_keys_the_menu_is_typed(press, games, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    out = press("play", keys=[], typed=["nonsense", "wild", "2", "", "X4", "quit"])
    assert "Which game?" in out
    assert "level 1" in out
    (file,) = games.iterdir()
    assert load(file).players == ("you", "alphabeta:level=1")


def test_without_a_terminal_nobody_is_asked(capsys):
    assert main(["play"]) == 2
    assert "name a game: classic" in capsys.readouterr().err
    assert main([]) == 2
    assert "Bots and tournaments" in capsys.readouterr().out


# The browser


@pytest.mark.parametrize(("options", "opened"), [([], 1), (["--no-browser"], 0)])
def test_the_browser_is_opened_at_the_game(monkeypatch, capsys, games, options, opened):
    pytest.importorskip("fastapi")
    seen = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", seen.append)
    monkeypatch.setattr("noughts.web.serve", lambda settings, ready, **_: ready(4711))
    assert main(["play", "extreme", "--web", *options]) == 0
    assert seen == ["http://127.0.0.1:4711/?game=extreme&opponent=alphabeta:level=3&seat=0"] * opened
    assert "4711" in capsys.readouterr().out


def test_nothing_is_worth_minus_nothing():
    assert Evaluation(-0.001, False, None, ()).words == "+0.00"
