"""The commands `solve` and `analyze`."""

import json
import re

import pytest
from conftest import NESTED, SMALL

import noughts
from noughts.analysis import Evaluation
from noughts.cli import main
from noughts.commands._evaluations import labels

RECORDS = """
from dataclasses import replace
from noughts.rules.geometry import columns, rows
from noughts.games.classic import RULES as CLASSIC
TWO = replace(CLASSIC, name="two", title="Two by Two", side=2, lines=rows(2) + columns(2))
"""


def said(capsys, *words):
    assert main(words) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    return out


def test_solve_says_who_wins_draws_the_openings_and_counts(capsys):
    out = said(capsys, "solve", "wild")
    assert "Wild Tic-Tac-Toe: the first player wins with best play, in 7 moves." in out
    assert re.search(r"\|  D  \| W7  \|  D  \|", out)
    assert re.search(r"wins in 7 +X4  O4\n", out)
    assert re.search(r"not over +11,093\n", out)
    assert re.search(r"(Solved|Read from disk) in [0-9.]+ s\.", out)


def test_where_marks_differ_the_best_one_is_drawn_with_its_result(capsys):
    out = said(capsys, "solve", "numerical")
    assert "| 1W9 |  D  | 1W9 |" in out
    assert "A leading mark is the best one for that cell" in out


def test_labels_fit_a_cell_and_never_cut_a_number():
    start = noughts.load_game("wild").new_initial_state()
    results = [(1.0, 3), (-1.0, 12), (-1.0, 12), (-1.0, 14), (-1.0, 10), (-1.0, 10), (0.0, 9)]
    moves = {action: Evaluation(value, True, distance, (action,)) for action, (value, distance) in enumerate(results)}
    assert labels(start, moves) == {0: "XW3", 1: "XL", 2: "L10", 3: "D"}


@pytest.mark.parametrize("name", SMALL)
def test_solve_for_scripts(capsys, name):
    facts = json.loads(said(capsys, "solve", name, "--json"))
    game = noughts.load_game(name)
    solution = noughts.solve(game)
    assert facts["game"] == name
    assert facts["value"] == solution.value(game.new_initial_state())
    assert facts["positions"]["total"] == solution.counts.total
    values = {opening["action"]: opening["value"] for opening in facts["openings"]}
    assert values == solution.action_values(game.new_initial_state())


def test_analyze_lists_every_legal_move_best_first(capsys):
    out = said(capsys, "analyze", "classic", "XX./OO./... p0")
    assert out.startswith("X wins in 1 with best play.")
    moves = re.findall(r"^ +(\d)  (wins|draws|loses)(?: in (\d))? +(\d+)%$", out, re.MULTILINE)
    assert [move[0] for move in moves] == ["2", "5", "6", "7", "8"]
    assert moves[0] == ("2", "wins", "1", "0")
    assert moves[2] == ("6", "loses", "2", "75")
    assert re.search(r"\| +X +\| +X +\| W1 +\|", out)


def test_analyze_for_scripts(capsys):
    facts = json.loads(said(capsys, "analyze", "classic", "XX./OO./... p0", "--json"))
    assert facts["player"] == 0
    assert (facts["value"], facts["distance"]) == (1, 1)
    first = {"move": "2", "action": 2, "value": 1, "exact": True, "distance": 1, "line": ["2"], "at_most": False}
    first["reply_errors"] = 0.0
    assert facts["moves"][0] == first


def test_analyze_of_a_finished_game_says_so(capsys):
    assert "The game is over" in said(capsys, "analyze", "classic", "XXX/OO./... end")
    facts = json.loads(said(capsys, "analyze", "classic", "XXX/OO./... end", "--json"))
    assert facts["outcome"] == {"reason": "line", "winner": 0}
    assert facts["moves"] == []
    assert facts["value"] is None


def test_a_game_of_ones_own_is_solved_like_the_others(capsys, tmp_path):
    (tmp_path / "mine.py").write_text(RECORDS)
    out = said(capsys, "solve", f"{tmp_path}/mine.py:TWO")
    assert "Two by Two: the first player wins with best play, in 3 moves." in out


@pytest.mark.parametrize("name", NESTED)
def test_nested_games_cannot_be_solved_and_that_is_one_line(capsys, name):
    assert main(["solve", name]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(r"noughts: .* Search it instead: .*\n", captured.err)


@pytest.mark.parametrize(
    "words", [["analyze", "wild", "XX/"], ["analyze", "wild", "XXX/XXX/... p0"], ["solve", "chess"]]
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, words):
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1
