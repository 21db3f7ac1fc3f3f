"""A game at the keyboard: messages, typed commands, and the files it leaves."""

import json
import re

import pytest

import noughts
from noughts.cli import main
from noughts.commands._evaluations import hint
from noughts.matches.record import RESIGNED, UNFINISHED
from noughts.matches.replays import ReplayError, from_json, load


@pytest.fixture
def play(monkeypatch, capsys, tmp_path):
    """Run `noughts play` with lines that a person types; what was said, on one line."""
    monkeypatch.setenv("NOUGHTS_GAMES_DIR", str(tmp_path / "games"))

    def run(*args, typed):
        lines = iter(typed)

        def answer(prompt=""):
            print(prompt, end="")
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        code = main(["play", *args])
        out, err = capsys.readouterr()
        assert code == 0, err
        return " ".join(out.split())

    return run


def kept(tmp_path):
    return sorted((tmp_path / "games").iterdir())


def state_of(name, position):
    return noughts.load_game(name).from_string(position)


def test_the_opponent_is_a_level_that_a_beginner_can_beat_and_every_level_can_be_had(play):
    assert "Your opponent is level 3." in play("classic", typed=["quit"])
    assert "Your opponent is level 7." in play("classic", "--level", "7", typed=["quit"])
    assert "--opponent easy --from" in play("Classic", "--opponent", "easy", typed=["quit"])


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--level", "11"], "--level must be 1 to 10, not 11"),
        (["--level", "3", "--opponent", "random"], "pass either --level or --opponent"),
        (["--opponent", "alphbeta"], "did you mean alphabeta?"),
    ],
)
def test_a_wrong_opponent_is_a_sentence(capsys, args, why):
    assert main(["play", "classic", *args]) == 2
    assert why in capsys.readouterr().err


def test_the_rules_are_shown_inside_the_game(play):
    assert "a row a column a diagonal" in play("classic", typed=["rules", "quit"])


@pytest.mark.parametrize(
    ("name", "position", "said"),
    [
        ("classic", "XX./OO./... p0", r"2: it wins at once, and no other move wins\."),
        ("classic", "X../.../... p1", r"4: it is the only move that does not lose\."),
        ("classic", "XX./.O./... p1", r"2: it is the only move that does not lose\."),
        ("wild", ".../.../... p0", r"[XO]4: it wins in 7 moves, with best play\."),
        ("misere", ".../.../... p0", r"4: it is the only move that does not lose\."),
    ],
)
def test_a_hint_is_a_move_with_its_reason(name, position, said):
    assert re.fullmatch(said, hint(state_of(name, position)))


def test_a_hint_in_a_nested_game_says_what_one_sees_on_the_board():
    state = noughts.load_game("ultimate").new_initial_state()
    for move in "0,0 1,1 3,4 0,3 1,0 3,0".split():
        state.apply_action(state.string_to_action(move))
    assert re.match(r"2,0: it wins block 0 and sends O to block 6; expected result [+-]", hint(state))
    state.apply_action(state.string_to_action("0,1"))  # not taken: O is sent to block 1
    assert re.match(r"\d,\d: it .*sends X to block \d|\d,\d: it lets X play anywhere", hint(state))


def test_a_hint_keeps_the_opponent_from_winning_a_block():
    state = state_of("ultimate", "O8/O8/9/9/3X5/9/9/9/6X2 p0 block=0")
    assert "2,0: it keeps O from winning block 0 and sends O to block 6" in hint(state)


def test_moves_lists_them_and_an_illegal_move_says_why(play):
    said = play("ultimate", "--opponent", "human", typed=["4,4", "moves", "0,0", "4,4", "quit"])
    assert "Legal moves (8): 3,3 3,4" in said
    assert "[0,0] lies in block 0, but the last move, [4,4], sends you to block 4" in said
    assert "Row 4, column 4 is already occupied by X." in said


def test_a_won_block_a_bonus_move_and_an_open_move_are_announced(play):
    position = "1X2O11/11O2O1/7O8/16/3X10X1/10XO4/12X3/8XO6/16/14X1/16/X1O1X4O6/1O3X10/O1O13/16/4X6X4 p1 block=12"
    state = state_of("extreme", position)
    state.apply_action(state.string_to_action("14,1"))
    said = play("extreme", "--opponent", "human", "--from", position, typed=["14,1", "quit"])
    assert state.view().bonus
    assert "Second player (O) wins block 12, which gives a bonus move." in said
    moves = "0,0 1,1 3,4 0,3 1,0 3,0 2,0 6,0".split()
    said = play("ultimate", "--opponent", "human", typed=[*moves, "quit"])
    assert "First player (X) wins block 0." in said
    assert "Open move: block 0 is closed, so choose any open block." in said


def test_resigning_asks_once(play, tmp_path):
    said = play("classic", "--opponent", "random", typed=["4", "resign", "n", "resign", "y"])
    assert said.count("Resign and lose the game?") == 2
    assert "You (X) resigned; random (O) won." in said
    record = load(kept(tmp_path)[0])
    assert (record.reason, record.winner, record.points) == (RESIGNED, 1, (-1, 1))


def test_a_lost_game_is_kept_and_says_which_move_lost_it(play, tmp_path, capsys):
    typed = ["0", "1", "3"]  # a gift to a perfect player
    said = play("classic", "--opponent", "perfect", "--seed", "1", typed=typed)
    assert "Perfect (O) wins" in said
    found = re.search(r"Your move \d \(move (\d)\) gave away the draw: (.+?) would have kept it\.", said)
    assert found is not None
    file = kept(tmp_path)[0]
    assert f"noughts replay {file}" in said
    for command in (["replay", str(file), "--grade"], ["analyze", str(file)]):
        assert main(command) == 0
        assert f"\n   {found[1]}  you " in capsys.readouterr().out
    assert main(["analyze", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["players"] == ["you", "perfect"]


def test_a_rematch_swaps_the_seats(play, tmp_path):
    typed = ["0", "resign", "y", "y", "resign", "y", "n"]
    said = play("classic", "--opponent", "random", "--seed", "2", typed=typed)
    assert said.count("Tic-Tac-Toe. Three of your own marks") == 2
    assert "You (O) resigned; random (X) won." in said
    assert [load(file).players for file in kept(tmp_path)] == [("you", "random"), ("random", "you")]


def test_a_saved_game_goes_on_with_the_same_opponent(play, tmp_path):
    file = tmp_path / "mine.json"
    said = play("classic", "--level", "2", "--second", "--seed", "5", typed=[f"save {file}", "quit"])
    assert f"noughts play {file}" in said
    record = load(file)
    assert (record.reason, record.players, len(record.moves)) == (UNFINISHED, ("alphabeta:level=2", "you"), 1)
    said = play(str(file), typed=["resign", "y"])
    assert "Your opponent is level 2." in said
    assert "You (O) resigned; level 2 (X) won." in said
    over = kept(tmp_path)[0]
    assert main(["play", str(over)]) == 2


def test_a_saved_game_names_no_file_to_run(play, tmp_path):
    file = tmp_path / "mine.json"
    play("classic", "--level", "2", typed=["4", f"save {file}", "quit"])
    evil = file.read_text().replace("alphabeta:level=2", "/tmp/evil.py")
    file.write_text(evil)
    assert "Your opponent is level 3." in play(str(file), typed=["quit"])


def test_a_game_that_cannot_be_saved_says_so(play):
    said = play("classic", "--opponent", "human", typed=["0", "save /nowhere/at/all.json", "quit"])
    assert "the folder '/nowhere/at' does not exist" in said


def test_a_game_from_a_position_is_saved_with_moves_that_lead_there_and_goes_on(play, tmp_path):
    said = play("classic", "--opponent", "human", "--from", "X../.O./... p0", typed=["1", "quit"])
    (file,) = (tmp_path / "games").glob("*.json")
    assert f"noughts play {file}" in said
    record = load(file)
    assert (record.moves, record.opening, record.reason) == ([0, 4, 1], 2, "unfinished")
    play(str(file), typed=["2", "quit"])
    assert load(file).moves == [0, 4, 1, 2], "it went on where it was"


def test_an_unfinished_replay_claims_no_winner():
    game = noughts.load_game("classic")
    text = json.dumps(
        {
            "format": "noughts-replay", "version": 1, "game": game.name, "players": ["a", "b"], "seed": 0, "moves": [4],
            "seconds": [0], "prints": {}, "warnings": [None, None],
            "result": {"reason": "unfinished", "winner": 0, "points": [1, -1], "fault": None},
        }
    )  # fmt: skip
    with pytest.raises(ReplayError, match="but its moves give"):
        from_json(text)


def test_save_adds_json_and_never_overwrites(play, tmp_path):
    (tmp_path / "notes.json").write_text("important")
    mine, notes = tmp_path / "mine", tmp_path / "notes.json"
    typed = ["4", f"save {mine}", f"save {notes}", f"save {mine}", "quit"]
    said = play("classic", "--opponent", "random", "--seed", "1", typed=typed)
    assert "mine.json" in said
    assert said.count("already exists") == 2
    assert notes.read_text() == "important"
    play(f"{mine}.json", typed=["quit"])


def test_rules_are_those_of_the_seat(play):
    said = play("numerical", "--second", "--opponent", "random", typed=["rules", "quit"])
    assert "You place the numbers 2, 4, 6 and 8" in said


def test_an_opponent_that_cannot_load_gets_a_sentence(tmp_path, capsys):
    (tmp_path / "broken.py").write_text("def choose(:\n")
    assert main(["play", "classic", "--opponent", str(tmp_path / "broken.py")]) == 2
    assert "broken.py: syntax error: invalid syntax (line 1)" in capsys.readouterr().err
    assert main(["play", "classic", "--opponent", ""]) == 2


def test_a_bot_that_fails_has_lost_and_leaves_no_unfinished_game(play, tmp_path):
    (tmp_path / "broken.py").write_text("def choose(state, clock):\n    return 1 // 0\n")
    assert "ZeroDivisionError" in (said := play("classic", "--opponent", str(tmp_path / "broken.py"), typed=["4"]))
    assert "You win." in said
    assert not (tmp_path / "games").exists()


def test_a_command_that_is_not_there_is_guessed(capsys):
    with pytest.raises(SystemExit):
        main(["plya"])
    assert "did you mean play?" in capsys.readouterr().err
    assert main([]) == 2
    assert "tournament" in capsys.readouterr().out
