"""Kaggle's Game Arena: ultimate asked by its conventions, and its replays graded."""

import json
import random

import pytest
from chat_server import serving

import noughts
from noughts.cli import main
from noughts.matches.kaggle import read_kaggle
from noughts.matches.replays import ReplayError
from noughts.text.kaggle import KaggleEnv

DRAWN = [int(digit) for digit in "177151320466100565340302267044374280863525768727838262648508860731475"]
"""Actions of a drawn game in OpenSpiel: a board, or a cell of the board that the last move sends to."""


@pytest.fixture
def env():
    found = KaggleEnv(noughts.load_game("ultimate"))
    found.reset()
    return found


def replay(actions, *, names=("alpha", "beta"), statuses=("DONE", "DONE"), game="ultimate_tic_tac_toe"):
    steps = [[{"action": {"submission": -1}, "reward": None, "info": {}, "observation": {}, "status": "ACTIVE"}] * 2]
    for action in actions:
        applied = {"action": {"submission": action}, "reward": None, "info": {"actionApplied": action}}
        steps.append([applied, {"action": {"submission": -1}, "reward": None, "info": {}, "status": "INACTIVE"}])
    return {
        "name": f"open_spiel_{game}",
        "configuration": {"openSpielGameName": game, "initialActions": None},
        "info": {"TeamNames": list(names)},
        "steps": steps,
        "statuses": list(statuses),
        "rewards": [0, 0],
    }


@pytest.fixture
def written(tmp_path):
    def write(data, name="game.json"):
        path = tmp_path / name
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    return write


def test_a_player_who_may_choose_is_asked_for_the_board_and_then_for_the_cell(env):
    assert env.messages() == [{"role": "user", "content": env.get_observation()[1]}]
    done, info = env.step('I begin in the middle.\n```json\n{\n  "move": "4"\n}\n```')
    assert (done, info["valid"], info["action"], info["again"]) == (False, True, None, True)
    assert "You play in local board 4" in env.get_observation()[1]
    done, info = env.step('{"move": "2,0"}')
    place = noughts.load_game("ultimate").new_initial_state().action_to_string(info["action"])
    assert (info["valid"], info["again"], place) == (True, False, "5,3")
    assert "You are Player 1 and place 'o'. You play in local board 6" in env.get_observation()[1]
    assert "Moves so far: x board 4 cell 2,0." in env.get_observation()[1]
    assert env.step('{"move": 8}')[1]["valid"]  # a cell by its number


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("[4,4]", "no_move"),
        ('{"move": "none"}', "out_of_range"),
        ('<think>{"move": "4"}</think> I resign.', "no_move"),
        ('{"move": "9"}', "out_of_range"),
    ],
)
def test_what_names_no_board_loses(env, reply, reason):
    done, info = env.step(reply)
    assert (done, info["valid"], info["reason"]) == (True, False, reason)


def test_the_last_answer_counts_and_a_reply_that_was_cut_off_does_not(env):
    assert env.read('Perhaps {"move": "1"}? No: {"move": "local board 7"}') == env.read('{"move": 7}')
    assert env.step('{"move": "1"}', cut_off=True)[1]["reason"] == "cut_off"


def test_random_games_by_text_are_games_of_the_rules(env):
    draw = random.Random(1)
    for _ in range(3):
        env.reset()
        while not env.ending:
            view = env.state.view()
            boards = f'{{"move": "{draw.choice(sorted(view.playable))}"}}'
            if env.read(boards) is None or env.read(boards) >= 0:
                cells = [f'{{"move": "{cell // 3},{cell % 3}"}}' for cell in range(9)]
                boards = draw.choice([text for text in cells if env.read(text) is not None])
            assert env.step(boards)[1]["valid"]
        assert env.state.is_terminal()


def test_only_ultimate_is_asked_so():
    with pytest.raises(ValueError, match="for the game ultimate, not 'extreme'"):
        KaggleEnv(noughts.load_game("extreme"))


def answer(_number, question):
    """Board 0 to 8 in turn, then the first empty cell that the drawing shows."""
    if "choose one of" in question:
        first = question.rpartition("choose one of ")[2][0]
        return {"say": f'{{"move": "{first}"}}'}
    board = int(question.rpartition("You play in local board ")[2][0])
    rows = question.split("\n")
    head = next(number for number, row in enumerate(rows) if f"-> board {board}" in row)
    column = rows[head].index(f"-> board {board}")
    cells = "".join(row[column : column + 20].replace(" ", "").ljust(3, "?") for row in rows[head + 1 : head + 4])
    return {"say": f'{{"move": "{cells.index(".")}"}}'}


def test_a_model_plays_whole_games_in_this_way(tmp_path, capsys):
    with serving(answer) as server:
        name = f"llm:m?base_url={server.url}"
        command = ["evaluate", name, "--game", "ultimate", "--against", "random", "--games", "2", "--seed", "1"]
        assert main([*command, "--observation", "kaggle", "--nodes", "0", "--out", str(tmp_path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["prompt"] == "kaggle-1"
    assert data["replies"]["invalid"] == {}
    assert data["games"] == 2
    assert main(["evaluate", "random", "--game", "extreme", "--observation", "kaggle"]) == 2
    assert "for the game ultimate" in capsys.readouterr().err


def test_a_replay_is_the_game_that_was_played(written):
    record = read_kaggle(written(replay(DRAWN)))
    assert record.players == ("alpha", "beta")
    assert (record.reason, record.winner, record.faulty) == ("full", None, None)
    owners = record.states()[-1][0].view().owners
    assert -1 not in owners


def test_openspiel_plays_the_same_games(written):
    pyspiel = pytest.importorskip("pyspiel")
    draw, game = random.Random(2), pyspiel.load_game("ultimate_tic_tac_toe")
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
        record = read_kaggle(written(replay(state.history())))
        assert record.states()[-1][0].returns() == state.returns()


def test_a_forfeit_and_an_unfinished_game_are_told_apart(written):
    lost = read_kaggle(written(replay(DRAWN[:9], statuses=("DONE", "INVALID"))))
    assert (lost.reason, lost.faulty, lost.winner) == ("invalid", 1, 0)
    assert read_kaggle(written(replay(DRAWN[:9]))).reason == "unfinished"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"configuration": {"openSpielGameName": "chess"}}, "the game is 'chess'"),
        ({"steps": [[{"info": {"actionApplied": 10**9}}]]}, "an action must be a whole number"),
        ({"steps": [[{"info": {"actionApplied": 4}}], [{"info": {"actionApplied": 77}}]]}, "action 2 cannot be played"),
        ({"steps": 7}, "missing or has the wrong type"),
        ({"configuration": None}, "missing or has the wrong type"),
    ],
)
def test_what_is_no_replay_gets_a_sentence(written, change, said):
    with pytest.raises(ReplayError, match=said):
        read_kaggle(written(replay(DRAWN) | change))


def test_the_command_grades_both_players(written, capsys):
    files = [str(written(replay(DRAWN), "one.json"))]
    files.append(str(written(replay([4, 0, 8, 2, 6], names=("beta", "alpha"), game="tic_tac_toe"), "two.json")))
    assert main(["evaluate", "--replays", *files, "--nodes", "500"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "ultimate against beta: endings" in shown
    assert "moves gave value away" in shown
    assert "the others by searches of 500 nodes" in " ".join(shown.split())
    assert main(["evaluate", "--replays", *files, "--nodes", "500", "--json"]) == 0
    games = json.loads(capsys.readouterr().out)["games"]
    assert {(run["game"], run["player"]) for run in games} == {
        (game, name) for game in ("ultimate", "classic") for name in ("alpha", "beta")
    }
    exact = next(run for run in games if run["game"] == "classic" and run["player"] == "beta")
    assert exact["grades"]["exact"]
    assert exact["grades"]["given_away"]["value"] == pytest.approx(1 / 3)
