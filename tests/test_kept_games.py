"""A long measurement can be stopped and go on: what was played is kept, and not played again."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

import noughts
from noughts.matches.match import MatchPlan, pair, play_match

resource = pytest.importorskip("resource")  # and with it fcntl: files are locked where the system can

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SPEC = importlib.util.spec_from_file_location("kept_games", BENCHMARKS / "kept_games.py")
kept_games = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(kept_games)


def against_bots(*args):
    command = [sys.executable, str(BENCHMARKS / "against_bots.py"), *args, "--time", "0.002", "--bot-time", "0.005"]
    return subprocess.run(command, text=True, capture_output=True, timeout=120)


@pytest.fixture(scope="module")
def record():
    plan = MatchPlan(noughts.load_game("classic"), ("random", "random"), 1)
    return next(play_match(plan, pair(plan)))


def test_a_kept_game_is_found_by_everything_that_it_depends_on(tmp_path, record):
    path = str(tmp_path / "log")
    kept_games.KeptGames(path).add({"seed": 1, "number": 0}, record)
    again = kept_games.KeptGames(path)
    assert again.find({"number": 0, "seed": 1}).moves == record.moves
    assert again.find({"number": 0, "seed": 2}) is None


def test_a_half_written_line_is_dropped_and_the_games_before_it_are_not(tmp_path, record):
    path = tmp_path / "log"
    kept_games.KeptGames(str(path)).add({"number": 0}, record)
    whole = path.read_bytes()
    for cut in (1, 5, 30, len(whole) - 1):
        path.write_bytes(whole + whole[:cut])
        kept = kept_games.KeptGames(str(path))
        kept.add({"number": 1}, record)
        lines = path.read_text().splitlines()
        assert [json.loads(line)["played"]["number"] for line in lines] == [0, 1]


def test_two_writers_lose_nothing(tmp_path, record):
    path = str(tmp_path / "log")
    one, two = kept_games.KeptGames(path), kept_games.KeptGames(path)
    for number in range(4):
        (one, two)[number % 2].add({"number": number}, record)
    assert all(kept_games.KeptGames(path).find({"number": number}) for number in range(4))


@pytest.mark.parametrize("text", ["a diary", "a diary\n", "{}\n", "[1]\n", '{"played": {}, "replay": {}}\n'])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "diary"
    path.write_text(text)
    with pytest.raises(ValueError, match="name another file"):
        kept_games.KeptGames(str(path))
    assert path.read_text() == text


def test_a_device_is_refused():
    with pytest.raises(ValueError, match="no ordinary file"):
        kept_games.KeptGames("/dev/null")


def test_a_full_disk_costs_no_game_that_was_kept(tmp_path, record):
    """A limit on the size of files stands for the disk: it lets half of the second game through."""
    path = tmp_path / "log"
    kept = kept_games.KeptGames(str(path))
    kept.add({"number": 0}, record)
    size = path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + size // 2, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            kept.add({"number": 1}, record)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    again = kept_games.KeptGames(str(path))
    assert again.find({"number": 0}).moves == record.moves
    assert again.find({"number": 1}) is None
    again.add({"number": 1}, record)
    assert kept_games.KeptGames(str(path)).find({"number": 1}).moves == record.moves


def test_games_against_a_bot_go_on_where_they_stopped(tmp_path):
    log = str(tmp_path / "log")
    first = against_bots("xtreme", "--games", "1", "--log", log)
    assert first.stdout.startswith("xtreme game 1 of 1: "), first.stderr
    second = against_bots("xtreme", "--games", "2", "--log", log)
    assert second.stdout.startswith("xtreme: 1 of 2 games were kept\nxtreme game 2 of 2: ")
    assert "against the minimax bot at 5.0 ms, 2 games:" in second.stdout
    games = [json.loads(line)["replay"] for line in Path(log).read_text().splitlines()]
    assert [game["players"] for game in games] == [["alphabeta", "minimax"], ["minimax", "alphabeta"]]
    assert games[0]["moves"][:6] == games[1]["moves"][:6]


def test_a_game_without_a_minimax_bot_is_refused():
    done = against_bots("classic")
    assert done.returncode == 2
    assert "there is no minimax bot for classic; games are extreme, xtreme" in done.stderr
