"""Games by name: what is typed on a command line may name a file, which runs it; no other text may."""

import ast
import json
from pathlib import Path

import pytest

import noughts
from noughts.cli import main
from noughts.library import game_from_command_line

PACKAGE = Path(noughts.__file__).parent


@pytest.fixture
def evil(tmp_path):
    """The name of a game in a file that leaves a trace when it is run, and the trace."""
    trace = tmp_path / "trace"
    path = tmp_path / "evil.py"
    path.write_text(
        f"open({str(trace)!r}, 'w').close()\n"
        "from noughts.games.classic import RULES as MINE\n"  # a good record, so that only the way here can refuse it
    )
    return f"{path}:MINE", trace


def test_a_file_is_run_for_the_command_line_only(evil, capsys):
    name, trace = evil
    with pytest.raises(ValueError, match=r"only the command line accepts it; in Python, pass the record"):
        noughts.load_game(name)
    assert not trace.exists()
    assert game_from_command_line(name) == noughts.load_game("classic")
    assert trace.exists()
    assert main(["show", name]) == 0
    assert "X to move" in capsys.readouterr().out


def test_a_replay_whose_game_is_a_file_does_not_run_it(evil, tmp_path, capsys):
    name, trace = evil
    assert main(["match", "random", "random", "--game", "classic", "--games", "1", "--log", str(tmp_path / "log")]) == 0
    (replay,) = (tmp_path / "log").glob("*.json")
    assert main(["replay", str(replay), "--json"]) == 0
    data = json.loads(replay.read_text())
    assert data["game"] == "classic"
    replay.write_text(json.dumps({**data, "game": name}))
    capsys.readouterr()
    assert main(["replay", str(replay), "--json"]) != 0
    assert "there is no game" in capsys.readouterr().err
    assert not trace.exists()


def test_environments_and_learners_take_built_in_names_only(evil):
    name, trace = evil
    import gymnasium

    from noughts.envs import zoo
    from noughts.learn.mdp import Mdp

    for make in (
        lambda: gymnasium.make("noughts/Wild-v0", game=name),
        lambda: gymnasium.make_vec("noughts/Wild-v0", num_envs=1, game=name),
        lambda: zoo.env(name),
        lambda: Mdp(name),
    ):
        with pytest.raises(ValueError, match="there is no game"):
            make()
    assert not trace.exists()


@pytest.mark.parametrize(
    "wrong", ["chess", "", "Classical", "x.py", ":", "a:b", "x.py:", None, 7, ["classic"], "n" * 9999]
)
def test_whatever_is_no_name_is_refused_with_the_list_of_games(wrong):
    with pytest.raises(ValueError, match=r"there is no game .* classic, extreme, misere") as refusal:
        noughts.load_game(wrong)
    assert len(str(refusal.value)) < 600


def test_only_the_commands_name_games_by_files():
    callers = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.name] if isinstance(node, ast.alias) else []
            names += [node.attr] if isinstance(node, ast.Attribute) else []
            names += [node.id] if isinstance(node, ast.Name) else []
            names += [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
            if {"game_from_command_line", "run_path", "runpy"} & set(names):
                callers.add(path.relative_to(PACKAGE).as_posix())
    assert callers - {"library.py"} == {name for name in callers if name.startswith("commands/")}
    assert {"commands/play.py", "commands/match.py", "commands/train.py"} <= callers


@pytest.mark.parametrize("text", ["Extreme", "EXTREME", " extreme ", "Wild-Misere", "wild misere", "Misère"])
def test_names_are_taken_in_any_case(text):
    assert noughts.load_game(text) == game_from_command_line(text)
    assert noughts.load_game(text).name in text.lower().replace(" ", "-").replace("è", "e")


def test_a_name_that_is_nearly_right_is_asked_back():
    for load in (noughts.load_game, game_from_command_line):
        with pytest.raises(
            ValueError, match=r"there is no game 'extrem'; did you mean extreme\? The games are classic"
        ):
            load("extrem")
