"""The games by text: what players are shown, what they are paid, and what the environment promises."""

import copy
import pickle
import random
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from conftest import NESTED, golden
from text_play import TEXTS, random_game, started

import noughts
from noughts.envs import text
from noughts.rules.geometry import k_in_a_row
from noughts.text.boards import board_text
from noughts.text.env import TextEnv

NESTED_IDS = [env_id for env_id, game in text.ENV_GAMES.items() if game in NESTED]

WILD_OPENING = """\
You are Player 0 in Wild Tic Tac Toe.
On your turn, you can place either an 'X' or an 'O' in an empty square.
You win by aligning three of the same mark (X or O) in a row.
Choose your move using the format '[X 4]' to place X in the center."""

WILD_AFTER_A_MOVE = """\
[Player 0] [X 4]
[GAME] Player 0 placed an 'X' in cell 4.
Current Board:

  0 | 1 | 2
 ---+---+---
  3 | X | 5
 ---+---+---
  6 | 7 | 8

Available Moves: [X 0], [O 0], [X 1], [O 1], [X 2], [O 2], [X 3], [O 3], [X 5], [O 5], [X 6], [O 6], [X 7], [O 7], \
[X 8], [O 8]"""


@pytest.fixture(params=text.ENV_GAMES)
def env_id(request):
    return request.param


def test_wild_opens_with_its_four_lines_for_each_player():
    env = started("WildTicTacToe-v0")
    assert env.get_observation() == (0, WILD_OPENING)
    env.step("[O 0]")
    player, shown = env.get_observation()
    assert player == 1
    assert shown.startswith(WILD_OPENING.replace("Player 0", "Player 1") + "\n\n[Player 0] [O 0]\n")


def test_wild_shows_the_move_the_board_and_the_available_moves():
    assert started("WildTicTacToe-v0", "[X 4]").get_observation()[1].endswith("\n\n" + WILD_AFTER_A_MOVE)


@pytest.mark.parametrize("observation", ["history", "board"])
def test_the_texts_have_not_changed(env_id, observation):
    env = text.make(env_id, observation=observation)
    list(random_game(env, seed=5, moves=4))
    assert env.get_observation()[1] + "\n" == golden(TEXTS / f"{env_id}-{observation}.txt")


def test_only_the_moves_that_are_available_now_are_listed():
    shown = started("WildTicTacToe-v0", "[X 4]", "[O 0]", "[X 2]", "[O 6]").get_observation()[1]
    assert shown.count("Available Moves") == 1
    assert shown.endswith("Available Moves: [X 1], [O 1], [X 3], [O 3], [X 5], [O 5], [X 7], [O 7], [X 8], [O 8]")


def test_wild_has_all_its_rules_where_they_are_asked_for():
    env = started("WildTicTacToe-v0", full_rules=True)
    shown = env.get_observation()[1]
    for words in ("numbered 0 to 8", "is a draw", "whoever placed the others", "Current Board:", "Available Moves:"):
        assert words in shown
    assert started("TicTacToe-v0", full_rules=True).get_observation() == started("TicTacToe-v0").get_observation()


def test_a_reply_that_was_cut_off_is_refused_whatever_it_says():
    env = started("WildTicTacToe-v0", error_allowance=1)
    done, info = env.step("I take [X 4]", cut_off=True)
    assert (done, info["valid"], info["reason"], info["again"]) == (False, False, "cut_off", True)
    assert "reached the limit of tokens" in env.get_observation()[1]
    assert env.step("[X 4]")[1]["valid"]
    assert env.step("[X 0]", cut_off=True)[1]["again"]
    assert env.step("[X 0]", cut_off=True)[0]
    assert env.close()[0] == {1: -1, 0: 0}


def test_rewards_are_one_and_minus_one_for_a_line_with_marks_of_either_player():
    env = started("WildTicTacToe-v0", "[X 0]", "[X 4]")
    assert env.close()[0] is None
    done, _ = env.step("[X 8]")
    rewards, info = env.close()
    assert done
    assert rewards == {0: 1, 1: -1}
    assert info[0]["ended_by"] == "line"
    assert (info[0]["turn_count"], info[1]["turn_count"]) == (2, 1)
    assert env.get_observation()[1].endswith("[GAME] Player 0 completed a line of three cells. Player 0 wins!")


def test_a_full_wild_board_is_a_draw():
    moves = ["[X 0]", "[O 1]", "[X 2]", "[O 4]", "[X 3]", "[O 5]", "[X 7]", "[O 6]", "[X 8]"]
    env = started("WildTicTacToe-v0", *moves)
    assert env.close()[0] == {0: 0, 1: 0}


def test_an_invalid_move_costs_the_offender_and_gives_the_other_nothing():
    env = started("WildTicTacToe-v0", "[X 4]")
    done, info = env.step("[O 4]")
    rewards, infos = env.close()
    assert done
    assert (info["valid"], info["reason"], info["player"], info["again"]) == (False, "occupied", 1, False)
    assert rewards == {1: -1, 0: 0}
    assert (infos[1]["invalid_move"], infos[1]["fault"], infos[0]["invalid_move"]) == (True, "occupied", False)
    assert infos[0]["ended_by"] == "invalid"


def test_with_an_allowance_the_player_reads_exactly_why_and_is_asked_again():
    env = started("WildTicTacToe-v0", "[X 4]", error_allowance=2)
    done, info = env.step("[O 4]")
    assert (done, info["again"], info["reason"]) == (False, True, "occupied")
    player, shown = env.get_observation()
    assert player == 1
    said, _, listed = shown.rpartition("\n\nAvailable Moves: ")
    assert said.endswith(
        "\n\n[GAME] Invalid move: cell 4 is already occupied by X. Choose again; invalid moves still forgiven: 1."
    )
    assert listed.startswith("[X 0], [O 0]")
    env.step("nonsense")
    assert env.step("[X 0]")[1]["valid"]
    assert "Invalid move" not in env.get_observation()[1], "the other player is not bothered with it"


def test_the_allowance_is_for_errors_in_a_row():
    env = started("WildTicTacToe-v0", "bad", "[X 0]", "bad", "[X 1]", "bad", error_allowance=1)
    assert not env.ending
    assert env.step("bad again")[0]
    assert env.close()[0] == {0: -1, 1: 0}


def test_the_reason_is_shown_with_the_short_observation_too():
    env = started("WildTicTacToe-v0", "[X 4]", "[X 4]", error_allowance=1, observation="board")
    assert "cell 4 is already occupied by X" in env.get_observation()[1]


@pytest.mark.parametrize("env_id", ["TicTacToe-v0", "MisereTicTacToe-v0", "WildTicTacToe-v0", "NumericalTicTacToe-v0"])
def test_positions_that_were_seen_before_are_shown_as_they_are(env_id):
    env = text.make(env_id)
    for seed in range(200):
        for _ in random_game(env, seed):
            assert env.board == board_text(env.state)
        assert env.board == board_text(env.state)
        assert env.close()[0] == dict(enumerate(env.state.returns()))


# What TextArena gets wrong today.


def test_reset_forgets_the_game_before():
    env = started("WildTicTacToe-v0", "[X 4]", "[O 0]")
    env.reset(num_players=2)
    assert env.get_observation() == (0, WILD_OPENING)


def test_step_after_the_end_changes_nothing():
    env = started("WildTicTacToe-v0", "[X 0]", "[X 1]", "[X 2]")
    before = (env.state.to_string(), env.get_observation(), env.close())
    done, info = env.step("[X 8]")
    assert (done, info["valid"], info["reason"]) == (True, False, "game_over")
    assert (env.state.to_string(), env.get_observation(), env.close()) == before


def test_seeding_leaves_the_global_random_state_alone(env_id):
    before = random.getstate()
    env = text.make(env_id)
    env.reset(num_players=2, seed=7)
    env.get_observation()
    env.step("[X 4]")
    assert random.getstate() == before


# The nested games, to be played from the text alone.


def starred(board):
    """The cells that a board shows as playable, in the notation of moves."""
    moves, number = [], None
    for line in board.splitlines():
        if found := re.match(r"Board (\d+):", line):
            number = found[1]
        if found := re.match(r" +(\d+) \|(.*)\|$", line):
            for col, cell in enumerate(re.findall(r" (\S)[ <]", found[2].replace("|", ""))):
                if cell == "*":
                    moves.append(f"[{number}:{found[1]},{col}]" if number else f"[{found[1]},{col}]")
    return moves


@pytest.mark.parametrize("env_id", NESTED_IDS)
def test_the_stars_on_the_board_are_the_available_moves(env_id):
    env = text.make(env_id)
    for _ in random_game(env, seed=3):
        assert starred(env.board) == env.board.rpartition("Available Moves: ")[2].split(", ")


@pytest.mark.parametrize("env_id", NESTED_IDS)
def test_players_read_where_to_play_and_why(env_id):
    env, said = text.make(env_id), set()
    for seed in range(6):
        for shown in random_game(env, seed):
            view = env.state.view()
            destined = view.sent is not None and any(b % view.rules.cells == view.sent for b in view.playable)
            assert ("You must play in" in shown) == (destined and len(view.playable) <= view.rules.boards)
            assert (". Open move: " in shown) == (not destined)
            assert (". Bonus move: " in shown) == view.bonus
            said |= {("open", not destined), ("bonus", view.bonus)}
    assert ("open", True) in said
    assert (("bonus", True) in said) == env.game.rules.bonus


def test_rewards_of_a_game_without_a_line_are_the_margin_of_points():
    env = text.make("ExtremeTicTacToe-v0")
    for seed in range(60):
        list(random_game(env, seed))
        rewards, info = env.close()
        if info[0]["ended_by"] == "full" and info[0]["points"] != info[1]["points"]:
            assert rewards == dict(enumerate(env.state.returns()))
            assert (rewards[0] > rewards[1]) == (info[0]["points"] > info[1]["points"])
            return
    raise AssertionError("no game ended without a line")


def test_texts_are_made_for_games_of_ones_own():
    lines = noughts.load_game("classic").rules.lines
    three = noughts.Rules("three", "Three Marks", 3, lines, marks="ABC", places=("ABC", "ABC"))
    corners = noughts.Rules("corners", "Corners", 4, ((0, 3, 12, 15),), places=("X", "O"))
    small = noughts.Rules(
        "small", "Small", 2, ((0, 1), (2, 3)), nested=True, boards=3, bonus=True, block_points=(1, 2, 3, 4)
    )
    for rules, move in ((three, "[B 4]"), (corners, "[15]"), (small, "[2:3,3]")):
        env = TextEnv(noughts.Game(rules))
        env.reset()
        assert env.step(move)[1]["valid"]
        assert move in env.get_observation()[1]
    assert "0-3-12-15" in TextEnv(noughts.Game(corners)).prompts[0]


@pytest.mark.parametrize("options", [{}, {"observation": "board"}, {"talk": True}, {"take": "last"}])
@pytest.mark.parametrize("env_id", text.ENV_GAMES)
def test_an_action_reads_like_the_move_written(env_id, options):
    written, played = text.make(env_id, **options), text.make(env_id, **options)
    played.reset()
    for _ in random_game(written, seed=4):
        if written.moves:
            action = written.moves[-1]
            done, info = played.play(np.int64(action))
            assert not done
            assert info["action"] == action
        assert played.get_observation() == written.get_observation()
    done, info = played.play(written.moves[-1])
    assert done
    assert info["valid"]
    assert (played.get_observation(), played.close()) == (written.get_observation(), written.close())
    assert played.moves == written.moves
    assert played.state == written.state


@pytest.mark.parametrize("options", [{}, {"observation": "board"}, {"observation": "news"}, {"talk": True}])
@pytest.mark.parametrize("env_id", text.ENV_GAMES)
def test_an_observation_does_not_depend_on_when_it_is_asked_for(env_id, options):
    asked, silent = (text.make(env_id, error_allowance=1, **options) for _ in range(2))
    silent.reset()
    for ply, _ in enumerate(random_game(asked, seed=6)):
        asked.observation_for(ply % 2)
        if asked.moves:
            silent.step(asked.reader.names[asked.moves[-1]])
        if ply % 5 == 3:
            assert asked.step("a bad reply") == silent.step("a bad reply")
    silent.step(asked.reader.names[asked.moves[-1]])
    for player in (0, 1):
        assert asked.observation_for(player) == silent.observation_for(player)
    assert asked.close() == silent.close()


def test_an_invalid_reply_names_no_move_and_nothing_has_changed():
    env = started("WildTicTacToe-v0", error_allowance=1)
    before = env.get_observation()
    assert env.read("no move at all") is None
    assert env.read("[X 9]") is None
    assert env.get_observation() == before
    assert env.step("the centre: [X 4]")[1]["valid"]
    assert env.board in env.observation_for(1)
    assert env.read("[O 4]") is None
    assert env.step("[O 4]")[1]["again"]


@pytest.mark.parametrize("env_id", ["TicTacToe-v0", "ExtremeTicTacToe-v0"])
def test_an_illegal_action_is_refused_and_changes_nothing(env_id):
    env = started(env_id)
    env.play(0)
    before = env.get_observation()
    for wrong in (0, -1, 9999, 10**30, None, "1", 1.0, [1]):
        with pytest.raises(noughts.IllegalMove):
            env.play(wrong)
    assert env.get_observation() == before
    env.step("no move")
    with pytest.raises(noughts.IllegalMove, match="the game is over"):
        env.play(1)
    with pytest.raises(ValueError, match=r"call reset\(\) first"):
        text.make(env_id).play(0)


def test_a_reply_that_is_the_move_itself_is_shown_once():
    assert "\n[Player 0] [X 4]\n" in started("WildTicTacToe-v0", " [X 4]\n", talk=True).get_observation()[1]


def prompt_of(**facts):
    return TextEnv(noughts.Game(replace(noughts.load_game("classic").rules, **facts))).prompts[0]


def test_three_in_a_row_on_a_larger_board_are_said_in_words():
    words = "any three neighbouring cells in a row, column or diagonal, short diagonals included"
    assert f"aligning three 'X' in a row: {words}.\n" in prompt_of(side=4, lines=k_in_a_row(4, 3))
    whole = prompt_of(side=4, lines=k_in_a_row(4, 4))
    assert "aligning four 'X' in a row: a row, a column or a diagonal.\n" in whole


def test_one_number_for_each_player_is_described_as_a_game_of_sums():
    prompt_text = prompt_of(marks="12", places=("1", "2"), line_sum=4)
    assert "You place the number 1; your opponent places 2." in prompt_text
    assert "add up to 4 wins" in prompt_text
    assert "'[4]' to place the number 1 in the center" in prompt_text


@pytest.mark.parametrize(("moves", "length"), [("0 4 1 5 2", "three"), ("0 4 1 5 14 6 15 7", "four")])
def test_the_line_that_was_completed_is_described_by_its_own_length(moves, length):
    lines = ((0, 1, 2), (4, 5, 6, 7))
    env = TextEnv(noughts.Game(replace(noughts.load_game("classic").rules, side=4, lines=lines)))
    env.reset()
    for move in moves.split():
        env.step(f"[{move}]")
    assert f"completed a line of {length} cells." in env.ending


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("env_id", ["WildTicTacToe-v0", "ExtremeTicTacToe-v0"])
def test_a_copy_goes_its_own_way(env_id, duplicate):
    env = text.make(env_id)
    list(random_game(env, seed=1, moves=3))
    before = env.get_observation()
    twin = duplicate(env)
    assert twin.get_observation() == before
    twin.step(twin.board.rpartition("Available Moves: ")[2].split(", ")[0])
    assert env.get_observation() == before
    assert (len(env.moves), len(twin.moves)) == (3, 4)


def test_importing_loads_neither_the_rules_nor_a_compiler():
    code = (
        "import sys; from noughts.envs import text; print([m for m in ('numba', 'numpy', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


# Mistakes of the caller.


def test_wrong_names_options_and_orders_are_explained():
    with pytest.raises(ValueError, match="there is no environment 'Chess-v0'; choose from TicTacToe-v0"):
        text.make("Chess-v0")
    with pytest.raises(ValueError, match="is for 2 players, not 3"):
        text.make("WildTicTacToe-v0").reset(num_players=3)
    with pytest.raises(ValueError, match=r"call reset\(\) first"):
        text.make("WildTicTacToe-v0").get_observation()
    with pytest.raises(ValueError, match="error_allowance must be a whole number"):
        text.make("WildTicTacToe-v0", error_allowance=-1)
    with pytest.raises(ValueError, match="take must be 'first' or 'last', not 'best'"):
        text.make("WildTicTacToe-v0", take="best")


def test_the_state_of_an_environment_is_a_copy():
    env = started("WildTicTacToe-v0", "[X 4]")
    env.state.apply_action(0)
    assert env.state.history() == [8]
    assert env.step("[X 0]")[1]["valid"]
