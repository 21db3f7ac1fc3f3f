"""The command line as users meet it: plain output when piped, sentences for mistakes, nothing lost."""

import argparse
import inspect
import json
import os
import signal
import subprocess
import sys

import processes
import pytest

from noughts.cli import COMMANDS, build_parser, main
from noughts.commands.ladder import ACTIONS as LADDER
from noughts.commands.tournament import ACTIONS as TOURNAMENT
from noughts.matches.record import RESIGNED, UNFINISHED
from noughts.matches.replays import load


class Terminal:
    """A command that runs in a pseudo-terminal of 80 columns."""

    def __init__(self, *args, **variables):
        import pty

        self.fd, child_end = pty.openpty()
        variables = {"TERM": "xterm", "COLUMNS": "80", "PYTHONUTF8": "1", **variables}
        self.process = processes.Command(*args, stdin=child_end, stdout=child_end, stderr=child_end, **variables)
        os.close(child_end)
        self.seen = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill() if self.process.poll() is None else None
        self.process.wait()
        os.close(self.fd)

    def read_some(self):
        try:
            part = os.read(self.fd, 65536)
        except OSError:  # how Linux says that the other end is closed
            part = b""
        self.seen += part
        return part

    def read_until(self, text):
        while text not in self.seen:
            assert self.read_some(), self.seen

    def read_all(self):
        while self.read_some():
            pass
        self.process.wait(timeout=240)
        return self.seen


def run_command(capsys, *args):
    """Exit code, standard output and standard error of a command run in this process."""
    code = main(list(args))
    out, err = capsys.readouterr()
    return code, out, err


def test_help_lists_every_command_within_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as leaving:
        main(["--help"])
    assert leaving.value.code == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, *(f"tournament {action}" for action in TOURNAMENT), *(f"ladder {action}" for action in LADDER)],
)
def test_every_command_and_action_teaches_by_examples_within_80_columns(capsys, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    shown = capsys.readouterr().out
    assert f"noughts {command}" in shown.split("examples:")[1]
    assert max(map(len, shown.splitlines())) <= 80


def test_games_lists_them_all(capsys):
    code, out, _ = run_command(capsys, "games")
    assert code == 0
    assert all(name in out for name in ("wild-misere", "2 of 3x3x3x3", "256"))
    assert max(map(len, out.splitlines())) <= 80
    _, out, _ = run_command(capsys, "games", "--json")
    assert {game["name"] for game in json.loads(out)} >= {"classic", "extreme"}


def test_perft_splits_by_the_first_move(capsys):
    code, out, _ = run_command(capsys, "perft", "classic", "3")
    assert code == 0
    assert "504 sequences of 3 moves\n" in out  # no time: piped output is the same each time
    assert "   4         56" in out
    _, out, _ = run_command(capsys, "perft", "classic", "10", "--json")
    report = json.loads(out)
    assert sum(report["ended"].values()) == 255168
    _, out, _ = run_command(capsys, "perft", "classic", "1", "--from", "XO./.../... p0")
    assert "7 sequences" in out


def test_all_players_are_listed_in_80_columns(capsys):
    _, out, _ = run_command(capsys, "players", "--json")
    forms = json.loads(out)
    assert {"random", "alphabeta", "mcts", "perfect", "FILE.py", "llm:MODEL"} <= set(forms)
    code, out, _ = run_command(capsys, "players")
    assert code == 0
    assert all(f"\n{form} " in out for form in forms)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(("name", "meant"), [("alfa", "alphabeta"), ("gready:seed=2", "greedy"), ("MTCS", "mcts")])
def test_an_unknown_player_gets_the_nearest_name_and_where_all_are(capsys, name, meant):
    code, _, err = run_command(capsys, "play", "classic", "--opponent", name)
    assert code == 2
    assert f"there is no player {name!r}; did you mean {meant}" in err
    assert err.endswith("`noughts players` lists all\n")
    assert len(err) < 120


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["show", "chess"], "there is no game 'chess'"),
        (["show", "classic", "nonsense"], "is not a position of classic"),
        (["show", "classic", "XX./.../... p1"], "wrong number of marks"),
        (["perft", "classic", "0"], "the depth must be 1 or more"),
        (["perft", "classic", "-3"], "the depth must be 1 or more"),
        (["perft", "classic", "2", "--from", ""], "is not a position"),
        (["play", "classic", "--from", ""], "is not a position"),
        (["play", "classic", "--opponent", "nobody"], "there is no player 'nobody'"),
        (["play", "classic", "--opponent", "random?seed=x"], "seed must be a whole number"),
        (["play", "classic", "--opponent", "random?depth=3"], "random has no option 'depth'"),
        (["play", "classic", "--opponent", "random?seed"], "name:option=value"),
    ],
)
def test_mistakes_get_one_sentence_and_exit_code_2(capsys, args, why):
    code, out, err = run_command(capsys, *args)
    assert code == 2
    assert why in err
    assert "Traceback" not in err
    assert out == ""


def test_a_count_deeper_than_any_game_is_a_count(capsys):
    code, out, _ = run_command(capsys, "perft", "classic", "100000000000")
    assert code == 0
    assert "255,168 games ended sooner" in out


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def", "SyntaxError"),
        ("import nowhere_to_be_found", "ModuleNotFoundError"),
        ("from noughts import Rules; A = Rules(name='a')", "TypeError"),
        ("A = 3", "has no Rules record called 'A'"),
    ],
)
def test_a_broken_file_of_games_gets_a_sentence(capsys, tmp_path, source, why):
    (tmp_path / "mine.py").write_text(source)
    code, _, err = run_command(capsys, "show", f"{tmp_path / 'mine.py'}:A")
    assert code == 2
    assert why in err


def test_an_opponent_who_cannot_play_the_game_says_so_before_it_begins():
    done = processes.run("play", "extreme", "--opponent", "perfect", typed="0,5\n")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "extreme is a nested game" in done.stderr


def test_a_reader_that_goes_away_is_no_error():
    command = [sys.executable, "-m", "noughts.cli", "perft", "extreme", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert b"Error" not in process.stderr.read()
    assert process.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
def test_a_long_count_shows_its_progress_and_ctrl_c_stops_it():
    with Terminal("perft", "extreme", "12") as terminal:
        terminal.read_until(b"perft extreme 12")
        terminal.process.send_signal(signal.SIGINT)
        rest = terminal.read_all()
    assert terminal.process.returncode == 130
    assert b"noughts: stopped" in rest
    assert b"Traceback" not in rest


def test_the_tests_do_not_wait_for_a_command_that_does_not_end():
    with pytest.raises(subprocess.TimeoutExpired):
        processes.run("perft", "extreme", "12", timeout=0.1)


def test_a_whole_game_from_a_pipe():
    done = processes.run("play", "classic", "--opponent", "human", typed="0\n3\n1\n4\n2\n")
    assert done.returncode == 0
    assert "First player (X) wins; points 1 : -1." in done.stdout
    assert done.stdout.isascii()


def test_bad_input_asks_again_and_says_what_is_accepted():
    done = processes.run(
        "play", "wild", "--opponent", "random", "--seed", "1", typed="banana\nX 4\nX 4\nmoves\nhelp\nresign\ny\n"
    )
    words = " ".join(done.stdout.split())
    assert "'banana' is not a move of wild; write a mark (X, O) and a cell, 0 to 8, as in X4" in words
    assert "Cell 4 is already occupied by X." in done.stdout
    assert "Legal moves (14)" in done.stdout
    assert "take back your last move" in done.stdout
    assert "You (first player) resigned; random (second player) won." in done.stdout
    assert done.returncode == 0


def test_undo_takes_back_your_move_and_the_answer():
    done = processes.run("play", "classic", "--opponent", "random", "--seed", "3", typed="undo\n4\nundo\n0\nquit\n")
    assert "You have no move to take back." in done.stdout
    assert "Took back 4 and " in done.stdout
    record = load(done.stdout.split("noughts play ")[1].strip())
    assert record.moves[0] == 0


def test_a_game_left_behind_is_saved_with_its_moves_and_goes_on():
    for leaving in ("4\n", "4\nquit\n"):
        done = processes.run("play", "classic", "--opponent", "random", "--seed", "3", typed=leaving)
        file = done.stdout.split("The game is saved. To continue:\n  noughts play ")[1].strip()
        assert (load(file).reason, len(load(file).moves)) == (UNFINISHED, 2)
        again = processes.run("play", file, typed="undo\n4\nresign\ny\n")
        assert again.returncode == 0
        assert "You (X) resigned; random (O) won." in again.stdout
        assert load(file).reason == RESIGNED  # the same file: nothing unfinished is left


def test_the_same_seed_gives_the_same_opponent():
    plays = [processes.run("play", "extreme", "--second", "--seed", "9", typed="quit\n").stdout for _ in range(2)]
    assert plays[0] == plays[1]
    assert "Level 3 plays" in plays[0]


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_a_terminal_gets_colours_unless_it_does_not_want_them(variables, coloured):
    with Terminal("show", "extreme", "--moves", "0,5", **variables) as terminal:
        shown = terminal.read_all()
    assert (b"\x1b[" in shown) == coloured
    assert "\N{BOX DRAWINGS LIGHT HORIZONTAL}".encode() in shown


def helps(parser):
    """The help of a parser and of all below it."""
    below = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return parser.format_help() + "".join(helps(each) for choices in below for each in choices.values())


def test_help_of_every_command_needs_nothing_that_the_command_runs(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    script = f"""
import argparse, sys
from noughts._lazy import defer_imports
from noughts.cli import build_parser
{inspect.getsource(helps)}
defer_imports("noughts.commands")
print(end=helps(build_parser()))
assert "numpy" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == helps(build_parser())
