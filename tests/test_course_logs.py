"""Logs of the course's evaluators are read back: boards without moves, between whatever the bots printed."""

import gzip
import json
import random
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import pytest
from evaluator_log import board_text, log_of, status

import noughts
from noughts.cli import main
from noughts.course.evaluator_log import MOST_LINES, read_evaluator_logs
from noughts.course.game_files import load_any
from noughts.matches.game import play_seats
from noughts.matches.log import game_log
from noughts.matches.replays import from_json, to_json
from noughts.players import make_player

DATA = Path(__file__).parents[2] / "shared" / "data"
LOGS = Path(__file__).parent / "logs"
GAMES = ["xtreme", "extreme"]
SAMPLE = 25
"""Recorded games of each kind; reading all of them takes minutes."""


def random_game(name, seed, moves=None):
    rng = random.Random(seed)
    state = noughts.load_game(name).new_initial_state()
    while not state.is_terminal() and (moves is None or len(state.history()) < moves):
        state.apply_action(rng.choice(state.legal_actions()))
    return state


def read(text):
    [found] = read_evaluator_logs(text)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_recorded_games_come_back_from_their_logs(name):
    source = DATA / f"{name}-games.jsonl.gz"
    if not source.exists():
        pytest.skip(f"there are no recorded games in {DATA}")
    with gzip.open(source, "rt") as file:
        games = [json.loads(line) for line in file]
    for game in random.Random(1).sample(games, SAMPLE):
        width = noughts.load_game(name).rules.width
        moves = [((0, *move)[-3] * width + move[-2]) * width + move[-1] for move in game["moves"]]
        found = read(log_of(name, moves))
        assert found.record.moves == moves, game["id"]
        assert list(found.record.points) == game["points"]
        assert found.notes == []


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_game_comes_back_with_names_and_result(name, seed):
    state = random_game(name, seed)
    found = read(log_of(name, state.history(), header=seed > 0))
    assert found.record.moves == state.history()
    assert found.record.players == ("Team11", "Team42")
    outcome = state.outcome()
    assert (found.record.reason, found.record.points) == (outcome.reason, outcome.points)
    assert found.notes == []
    assert from_json(to_json(found.record)).moves == state.history()


def noise(seed):
    """What real bots print: tuples like status lines, boards of their search, half a row, bytes that are no text."""
    rng = random.Random(seed)

    def prints(number, state):
        said = ["('The Chosen Move = ', (0, 0, 4))\n", "depth 3\n", "- x - o\n", "\udcff\x1b[31mred\n", "x: 3 moves\n"]
        text = "".join(rng.sample(said, rng.randrange(4)))
        if number % 3 == 0:  # a line of play, printed and taken back
            tried = state.clone()
            for _ in range(rng.randrange(1, 5)):
                if tried.is_terminal():
                    break
                tried.apply_action(rng.choice(tried.legal_actions()))
                text += board_text(tried)
        if number % 4 == 1:
            text += f"{status(state)}\n{board_text(state)}"
        return text

    return prints


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_what_bots_print_between_does_not_matter(name, seed):
    state = random_game(name, seed + 10)
    found = read(log_of(name, state.history(), prints=noise(seed)))
    assert found.record.moves == state.history()
    assert found.notes == []
    assert any("The Chosen Move" in text for text in found.record.prints.values())
    assert not any("\x1b" in text for text in found.record.prints.values())


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("message", "kind"), [("TIME OUT", "time"), ("INVALID MOVE", "invalid"), ("THREW AN EXCEPTION", "crash")]
)
def test_a_forfeit_is_read(name, message, kind):
    state = random_game(name, 3, moves=17)
    record = read(log_of(name, state.history(), message=message)).record
    assert record.moves == state.history()
    assert (record.reason, record.faulty) == (kind, state.current_player())
    assert record.points[1 - record.faulty] == state.game.rules.win_points[0]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("plies", [1, 2, 3])
def test_marks_that_a_bot_left_at_a_time_out_are_no_moves(name, plies):
    state = random_game(name, 4, moves=20)
    tried = state.clone()
    for _ in range(plies):
        tried.apply_action(tried.legal_actions()[0])
    left = [(cell, "xo"[mark]) for cell, mark in enumerate(tried.view().cells) if mark != state.view().cells[cell]]
    found = read(log_of(name, state.history(), message="TIME OUT", left=left))
    assert found.record.moves == state.history()
    assert found.record.reason == "time"
    assert f"the last board has {plies} marks that are not moves" in found.notes[0]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("lost", [1, 2, 3])
def test_boards_that_cannot_be_read_are_bridged_by_the_rules(name, lost):
    state = random_game(name, 5)
    parts = log_of(name, state.history()).split("('CONTINUE', '-')\n")
    for number in range(10, 10 + lost):
        parts[number] = parts[number].replace("- -", "garbled", 3)
    found = read("('CONTINUE', '-')\n".join(parts))
    assert found.record.reason == state.outcome().reason
    assert len(found.record.moves) == len(state.history())
    assert found.record.moves[lost + 12 :] == state.history()[lost + 12 :]
    assert f"{lost} of the boards; their moves were recovered" in found.notes[0]


def test_what_cannot_be_recovered_is_said_and_the_rest_is_kept():
    state = random_game("extreme", 6)
    parts = log_of("extreme", state.history()).split("('CONTINUE', '-')\n")
    found = read("('CONTINUE', '-')\n".join([*parts[:20], *parts[30:]]))
    assert found.record.reason == "unfinished"
    assert found.record.moves == state.history()[:19]
    assert any("after move 19 no board is reachable" in note for note in found.notes)
    found = read("('CONTINUE', '-')\n".join(parts[:20]))
    assert found.record.moves == state.history()[:19]
    assert "the log ends after move 19" in found.notes[0]


def test_what_the_log_says_otherwise_than_the_rules_is_named():
    text = log_of("xtreme", random_game("xtreme", 7).history())
    points = [line for line in text.splitlines() if "points" in line]
    wrong = text.replace(points[0], "Player1 (Team11) points: 33").replace("x: ", "x: 1")
    notes = " ".join(read(wrong).notes)
    assert "the log gives the points (33," in notes
    assert "the log counts blocks" in notes
    winner = "P1" if "Winner: P2" in text else "P2"
    assert "the log says that the winner is" in " ".join(read(text.replace("Winner: ", f"Winner: {winner} ")).notes)


@pytest.mark.parametrize("name", ["classic", "wild", "extreme"])
def test_our_own_logs_are_for_people_and_lead_to_the_replay(name, tmp_path, capsys):
    """A text log cannot say all that a replay does: who resigned, or that a bot did not load."""
    players = [make_player("random", seed=seed) for seed in (1, 2)]
    path = tmp_path / "game-0001-random-random.log"
    path.write_text(game_log(play_seats(noughts.load_game(name), players)))
    for command in (
        ["log", str(path)],
        ["replay", str(path)],
        ["convert", str(path), "--replay", str(tmp_path / "new.json")],
    ):
        assert main(command) == 2
        assert "use the replay beside it" in capsys.readouterr().err


def test_a_log_of_boards_that_do_not_follow_each_other_is_given_up(monkeypatch):
    monkeypatch.setattr("noughts.course.evaluator_log._Tries", lambda: SimpleNamespace(left=1000))
    state = random_game("extreme", 6, 40)
    scattered = [board_text(state, [(cell, "xo"[cell % 2]) for cell in cells]) for cells in combinations(range(20), 3)]
    text = log_of("extreme", state.history(), message="TIME OUT") + "".join(
        f"('CONTINUE', '-')\n{board}" for board in scattered
    )
    with pytest.raises(ValueError, match="are out of sequence"):
        read_evaluator_logs(text)


def test_a_log_of_empty_lines_is_refused_before_it_is_split():
    with pytest.raises(ValueError, match="a log must have at most 524,288"):
        read_evaluator_logs("\n" * (MOST_LINES + 1))


# The files in tests/logs and the commands


@pytest.mark.parametrize(
    ("file", "game", "moves", "reason"),
    [("xtreme-prints.log", "xtreme", 24, "time"), ("extreme-garbled.log", "extreme", 14, "crash")],
)
def test_kept_logs_are_read(file, game, moves, reason):
    found = load_any(LOGS / file)
    record = found.record
    assert (record.game.name, len(record.moves), record.reason) == (game, moves, reason)
    assert found.notes


def test_commands_read_logs(tmp_path, capsys):
    source = tmp_path / "game.log"
    state = random_game("xtreme", 8)
    source.write_text(log_of("xtreme", state.history(), prints=lambda number, _: f"thinking {number}\n"))
    assert main(["log", str(source), "--prints", "x"]) == 0
    out = capsys.readouterr().out
    assert "1. x (Team11) plays" in out
    assert "| thinking 0" in out
    assert main(["replay", str(source), "--at", "1"]) == 0
    assert f"move 1 of {len(state.history())}" in capsys.readouterr().out
    assert main(["convert", str(source)]) == 2
    assert "--replay" in capsys.readouterr().err
    assert main(["convert", str(source), "--replay", str(tmp_path / "game.json")]) == 0
    assert main(["log", str(tmp_path / "game.json"), "--prints", "x"]) == 0
    assert capsys.readouterr().out == out


def test_what_does_not_fit_is_said_by_the_commands(capsys):
    assert main(["log", str(LOGS / "xtreme-prints.log")]) == 0
    assert "marks that are not moves" in capsys.readouterr().err


def test_a_game_without_an_end_makes_an_unfinished_replay(tmp_path, capsys):
    state = random_game("xtreme", 9, moves=12)
    text = log_of("xtreme", state.history(), message="TIME OUT")
    (tmp_path / "cut.log").write_text(text[: text.index("Winner")])
    assert main(["convert", str(tmp_path / "cut.log"), "--replay", str(tmp_path / "cut.json")]) == 0
    assert "not over" in capsys.readouterr().err
    assert load_any(tmp_path / "cut.json").record.reason == "unfinished"


def test_one_of_several_games_is_named_by_its_number(tmp_path, capsys):
    states = [random_game("xtreme", seed) for seed in (11, 12)]
    pool = tmp_path / "pool.log"
    pool.write_text("".join(log_of("xtreme", state.history()) for state in states) + "Team60: 1634\nTeam11: 3\n")
    assert main(["log", str(pool)]) == 2
    assert "contains 2 games" in capsys.readouterr().err
    assert load_any(f"{pool}#2").record.moves == states[1].history()
    assert main(["log", f"{pool}#3"]) == 2
    assert "the number must be 1 to 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing\n",
        "================BigBoard State================\n",
        "==============Board State==============\n" + "- " * 5000 + "\n",
        ("==============Board State==============\n" + "\n".join(["x " * 16] * 16) + "\n") * 200,
        "Extreme Tic-Tac-Toe: a (x) against b (o)\n" + "1. x (a) plays (" + "9" * 900 + "), 1 s\n",
    ],
    ids=["empty", "text", "title", "long", "full", "digits"],
)
def test_what_is_no_log_ends_in_a_sentence(tmp_path, capsys, text):
    (tmp_path / "odd.log").write_text(text)
    assert main(["log", str(tmp_path / "odd.log")]) in (0, 2)
    assert "Traceback" not in capsys.readouterr().err
