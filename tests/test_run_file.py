"""A long measurement can be stopped and go on: what was played is kept, and not played again."""

from pathlib import Path

import processes
import pytest
from playing import played

import noughts
from noughts.matches.schedule import Match
from noughts.matches.store import RunFile, read_run

resource = pytest.importorskip("resource")  # and with it fcntl: files are locked where the system can

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PLAN = {"seed": 1}


def against_bots(*args):
    return processes.run_script(BENCHMARKS / "against_bots.py", *args, "--time", "0.002", "--bot-time", "0.005")


@pytest.fixture(scope="module")
def records():
    return played(Match(noughts.load_game("classic"), ("random", "random"), 4, seed=1))


def keep(path, *records, plan=PLAN):
    with RunFile(path, plan) as run_file:
        for record in records:
            run_file.add(record)


def test_a_kept_game_is_found_and_only_with_the_plan_it_depends_on(tmp_path, records):
    path = tmp_path / "run"
    keep(path, records[0])
    with RunFile(path, PLAN) as again:
        assert [record.moves for record in again.records()] == [records[0].moves]
        assert 0 in again
        assert 1 not in again
    with pytest.raises(ValueError, match="holds a run with seed 1, not 2; name another file"):
        RunFile(path, {"seed": 2})


def test_a_run_that_goes_on_plays_only_what_is_missing(tmp_path, records):
    path = tmp_path / "run"
    keep(path, records[1], records[2])
    match = Match(noughts.load_game("classic"), ("random", "random"), 4, seed=1)
    with RunFile(path, PLAN) as run_file:
        assert [record.moves for record in played(match, store=run_file)] == [record.moves for record in records]
    assert len(path.read_text().splitlines()) == 5


def test_a_half_written_line_is_dropped_and_the_games_before_it_are_not(tmp_path, records):
    path = tmp_path / "run"
    keep(path, records[0])
    whole = path.read_bytes()
    game = whole.splitlines(keepends=True)[1]
    for cut in (1, 5, 30, len(game) - 1):
        path.write_bytes(whole + game[:cut])
        keep(path, records[1])
        assert [record.number for record in read_run(path)[1]] == [0, 1]


def test_a_second_writer_is_refused(tmp_path, records):
    path = tmp_path / "run"
    with RunFile(path, PLAN) as one:
        with pytest.raises(ValueError, match="another process is writing"):
            RunFile(path, PLAN)
        one.add(records[0])
    assert len(read_run(path)[1]) == 1


@pytest.mark.parametrize(
    "text", ["a diary", "a diary\n", "{}\n", "[1]\n", '{"kind": "game", "replay": {}}\n', "[" * 9999]
)
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "diary"
    path.write_text(text)
    with pytest.raises(ValueError, match="name another file"):
        RunFile(path, PLAN)
    assert path.read_text() == text


def test_a_device_is_refused():
    with pytest.raises(ValueError, match="no ordinary file"):
        RunFile(Path("/dev/null"), PLAN)


def test_a_full_disk_costs_no_game_that_was_kept(tmp_path, records):
    """A limit on the size of files stands for the disk: it lets half of the second game through."""
    path = tmp_path / "run"
    keep(path, records[0])
    size = path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with RunFile(path, PLAN) as run_file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + size // 4, before[1]))
        try:
            with pytest.raises(OSError, match="too large"):
                run_file.add(records[1])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        run_file.add(records[2])
    assert [record.number for record in read_run(path)[1]] == [0, 2]


def test_games_against_a_bot_go_on_where_they_stopped(tmp_path):
    log = str(tmp_path / "log")
    first = against_bots("xtreme", "--games", "1", "--log", log)
    assert first.stdout.startswith("xtreme game 1 of 1: "), first.stderr
    second = against_bots("xtreme", "--games", "2", "--log", log)
    assert second.stdout.startswith("xtreme: 1 of 2 games were kept\nxtreme game 2 of 2: ")
    assert "against the minimax bot at 5.0 ms, 2 games:" in second.stdout
    games = read_run(Path(log, "xtreme.jsonl"))[1]
    assert [game.players for game in games] == [("alphabeta", "minimax"), ("minimax", "alphabeta")]
    assert games[0].moves[:6] == games[1].moves[:6]


def test_a_game_without_a_minimax_bot_is_refused():
    done = against_bots("classic")
    assert done.returncode == 2
    assert "there is no minimax bot for classic; games are extreme, xtreme" in done.stderr
