"""Every number of docs/solved.md is the one that the program finds."""

import re

import pytest
from pages import DOCS, blocks, run_program

import noughts
from noughts.library import game_from_command_line
from noughts.solving import PUBLISHED, PUBLISHED_EVERY_STEP

PAGE = (DOCS / "solved.md").read_text()
BLOCKS = blocks(DOCS / "solved.md", "python")


def rows(columns):
    """The rows of all tables with this number of columns, without their heads, the cells stripped."""
    found = [
        [cell.strip(" `") for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:2] == "| "
    ]
    return [row for row in found if len(row) == columns and row[0] not in ("game", "state")]


@pytest.mark.parametrize("row", rows(5), ids=lambda row: row[0])
def test_results_and_counts(row):
    name, result, openings, positions, different = row
    game = noughts.load_game(name)
    solution = noughts.solve(game)
    start = game.new_initial_state()
    value = solution.value(start)
    assert result == ("draw" if value == 0 else f"the first player wins, in {solution.distance(start)} moves")
    keep = [start.action_to_string(action) for action, v in solution.action_values(start).items() if v == value]
    centre = {4} if game.rules.own_marks else {"X4", "O4"}
    said = {
        "all": {str(cell) for cell in range(9)},
        "the centre": {str(cell) for cell in centre},
        "the centre, with X or O": centre,
        "1, 3, 7 or 9 in the middle of a side": {f"{n}@{cell}" for n in (1, 3, 7, 9) for cell in (1, 3, 5, 7)},
    }[openings]
    assert set(keep) == said
    assert positions == f"{solution.counts.total:,}"
    assert different == f"{solution.counts.different:,}"


def test_the_table_against_random_is_what_its_code_prints(capsys):
    (code,) = [block for block in BLOCKS if "evaluate_policy" in block]
    printed = run_program(code, capsys)
    assert len(printed.splitlines()) == 10
    assert printed in PAGE


def test_the_gains_of_perfect_play():
    gains = {tuple(row[:2]): float(row[3]) - float(row[2]) for row in rows(8)}
    low, high = min(gains, key=gains.get), max(gains, key=gains.get)
    assert (low, high) == (("classic", "0"), ("classic", "1"))
    assert f"between {gains[low]:.2f} (`classic`, first) and {gains[high]:.2f} (`classic`, second)" in PAGE


def test_the_decision_process():
    game = noughts.load_game("numerical")
    exact = noughts.best_response(game, "random", 0, rewards=PUBLISHED, discount=0.8)
    every = noughts.best_response(game, "random", 0, rewards=PUBLISHED_EVERY_STEP, discount=0.8)
    said = re.sub(r"\s+", " ", PAGE)
    assert f"the start is worth {exact.expected_return():.4f}, or {every.expected_return():.4f} with" in said
    start = game.new_initial_state()
    assert exact.best_actions(start) == every.best_actions(start) == noughts.solve(game).best_actions(start)
    assert len(rows(3)) == 4
    for text, pair, value in rows(3):
        cells = text.replace("x", ".").split("-")
        state = game.from_string("/".join("".join(cells[i : i + 3]) for i in (0, 3, 6)) + " p0")
        cell, number = map(int, pair.split(","))
        assert f"{exact.action_values(state)[cell * 9 + number - 1]:.4f}" == value


def test_the_code_for_the_decision_process_prints_its_numbers(capsys):
    (code,) = [block for block in BLOCKS if "PUBLISHED" in block]
    assert run_program(code, capsys) == "4.3066\n6.8178\n"


def test_games_of_your_own(tmp_path, monkeypatch):
    monkeypatch.setenv("NOUGHTS_CACHE_DIR", str(tmp_path))
    (code,) = [block for block in BLOCKS if "solved_games.py" in block]
    path = tmp_path / "solved_games.py"
    path.write_text(code)
    misere = game_from_command_line(f"{path}:NUMERICAL_MISERE")
    assert set(noughts.solve(misere).action_values(misere.new_initial_state()).values()) == {0}
    for name in ("FOUR", "WILD_FOUR"):
        game = game_from_command_line(f"{path}:{name}")
        solution = noughts.solve(game)
        assert solution.value(game.new_initial_state()) == 0
    assert f"{solution.counts.total:,} positions" in re.sub(r"\s+", " ", PAGE)


def test_the_graph_of_numerical():
    graph = noughts.solve(noughts.load_game("numerical")).graph
    assert f"{len(graph.codes):,} positions and {len(graph.targets):,} moves" in re.sub(r"\s+", " ", PAGE)
