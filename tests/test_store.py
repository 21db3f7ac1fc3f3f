"""What was played is kept and not played again: after a stop, a crash, on a full disk. Files may come from anywhere."""

import json
import os
from pathlib import Path

import processes
import pytest
from playing import played
from spoiling import spoil

import noughts
from noughts.cli import main
from noughts.matches.schedule import Match
from noughts.matches.store import open_store, read_run
from noughts.matches.store_file import StoreError
from noughts.players.text_seat import Exchange

resource = pytest.importorskip("resource")  # and with it fcntl: files are locked where the system can

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PLAN = {"seed": 1}
NAMES = ["run.jsonl", "run.noughts", "run"]


def against_bots(*args):
    return processes.run_script(BENCHMARKS / "against_bots.py", *args, "--time", "0.002", "--bot-time", "0.005")


@pytest.fixture(scope="module")
def records():
    return played(Match(noughts.load_game("classic"), ("random", "random"), 4, seed=1))


def keep(path, *records, plan=PLAN):
    with open_store(path, plan) as store:
        for record in records:
            store.add(record)


def numbers(path):
    return [record.number for record in read_run(path).records()]


def exchange(text, reply="[4]"):
    return Exchange(0, 0, [{"role": "user", "content": text}], reply, 0.5, valid=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_game_is_found_and_only_with_the_plan_it_depends_on(tmp_path, records, name):
    path = tmp_path / name
    keep(path, records[0])
    with open_store(path, PLAN) as again:
        assert [record.moves for record in again.records()] == [records[0].moves]
        assert again.records()[0].seed == records[0].seed
        assert 0 in again
        assert 1 not in again
    with pytest.raises(ValueError, match="contains a run with seed 1, not 2; name another f"):
        open_store(path, {"seed": 2})
    open_store(path, {"seed": 2}, may_differ=frozenset({"seed"})).close()


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_goes_on_plays_only_what_is_missing(tmp_path, records, name):
    path = tmp_path / name
    keep(path, records[1], records[2])
    match = Match(noughts.load_game("classic"), ("random", "random"), 4, seed=1)
    with open_store(path, PLAN) as store:
        assert [record.moves for record in played(match, store=store)] == [record.moves for record in records]
    kept = path / "games.noughts" if path.is_dir() else path
    assert numbers(kept) == [0, 1, 2, 3]


def test_replies_are_kept_before_their_game_is_over_and_given_once(tmp_path, records):
    path = tmp_path / "run.jsonl"
    with open_store(path, PLAN) as store:
        store.note(0, exchange("first"))
        store.note(0, exchange("of a game that was broken off"))
        store.note(7, exchange("another"))
    with open_store(path, PLAN) as store:
        assert store.recall(0, 1, "first") is None, "the other player asked nothing"
        found = store.recall(0, 0, "first")
        assert found is not None
        assert store.recall(0, 0, "first") is None
        record = noughts.matches.GameRecord(**{**vars(records[0]), "exchanges": [found]})
        store.add(record)
    for kept in (path, path.with_suffix(".noughts")):
        run = read_run(kept)
        assert [each.messages[0]["content"] for each in run.records()[0].exchanges] == ["first"]
        assert {number: len(noted) for number, noted in run.exchanges().items()} == {0: 2, 7: 1}


def test_a_transcript_is_made_again_from_the_store(tmp_path, records):
    """As after a crash between the two, or if somebody removed it; also what a crash left half-written goes."""
    path = tmp_path / "run.jsonl"
    with open_store(path, PLAN) as store:
        store.note(1, exchange("asked"))
        for record in records[:2]:
            store.add(record)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert [json.loads(line)["kind"] for line in lines] == ["run", "exchange", "game", "game"]
    for damaged in (b"".join(lines[:3]), whole + lines[3][:30], whole[:-1], b""):
        path.write_bytes(damaged)
        open_store(path, PLAN).close()
        assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())
        assert len(read_run(path).records()) == 2
    path.unlink()
    keep(path, records[2])
    assert numbers(path) == [0, 1, 2]


def test_replays_are_made_again_from_the_store(tmp_path, records):
    folder = tmp_path / "games"
    keep(folder, records[0], records[1])
    (lost,) = folder.glob("game-0002-*.json")
    text = lost.read_text()
    lost.unlink()
    keep(folder, records[2])
    assert lost.read_text() == text
    assert len(list(folder.glob("game-*.json"))) == len(list(folder.glob("game-*.log"))) == 3


def test_a_transcript_of_an_older_version_is_read_and_goes_on(tmp_path, records):
    path, file = tmp_path / "run.jsonl", tmp_path / "run.noughts"
    with open_store(path, PLAN) as store:
        store.note(1, exchange("asked"))
        store.add(records[0])
    file.unlink()
    half = path.read_bytes()
    path.write_bytes(half + b'{"kind":"game","exch')
    assert numbers(path) == [0]
    with pytest.raises(ValueError, match="contains a run with seed 1, not 2"):
        open_store(path, {"seed": 2})
    assert not file.exists()
    with open_store(path, PLAN) as store:
        assert store.recall(1, 0, "asked") is not None
        store.add(records[1])
    assert numbers(path) == numbers(file) == [0, 1]
    assert path.read_bytes().startswith(half)


def test_a_second_writer_is_refused(tmp_path, records):
    path = tmp_path / "run.noughts"
    with open_store(path, PLAN) as one:
        with pytest.raises(ValueError, match="another process is writing"):
            open_store(path, PLAN)
        one.add(records[0])
        assert numbers(path) == [0], "and readers are not"


@pytest.mark.parametrize("name", ["diary.jsonl", "diary.noughts"])
@pytest.mark.parametrize(
    "text", ["a diary", "a diary\n", "{}\n", "[1]\n", '{"kind": "game", "replay": {}}\n', "[" * 9999]
)
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, text, name):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match="name another file"):
        open_store(path, PLAN)
    assert path.read_text() == text


def test_a_device_is_refused(tmp_path):
    os.mkfifo(tmp_path / "run.jsonl")
    with pytest.raises(ValueError, match="not an ordinary file"):
        open_store(tmp_path / "run.jsonl", PLAN)


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_costs_no_game_that_was_kept(tmp_path, records, name):
    """A limit on the size of files stands for the disk."""
    path = tmp_path / name
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_store(path, PLAN) as store:
        store.add(records[0])
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
        try:
            with pytest.raises((OSError, StoreError), match=r"too large|disk"):
                store.add(records[1])
            assert 1 not in store
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        store.add(records[2])
    assert numbers(path / "games.noughts" if path.is_dir() else path) == [0, 2]


KILLED = """
import os, signal, sys
from noughts.matches.runner import match_games
from noughts.matches.schedule import Match
from noughts.matches.store import open_store
import noughts

match = Match(noughts.load_game("classic"), ("random", "random"), 9, seed=1)
store = open_store(sys.argv[1], {"seed": 1})
for record in match_games(match, store):
    if record.number == 6:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_no_game(tmp_path):
    script, path = tmp_path / "killed.py", tmp_path / "run.jsonl"
    script.write_text(KILLED)
    assert processes.run_script(script, str(path)).returncode == -9
    assert numbers(path) == numbers(path.with_suffix(".noughts")) == list(range(7))
    with open_store(path, PLAN) as store:
        assert 6 in store


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON game BEGIN DELETE FROM game; END", "does not have the tables"),
        ("UPDATE game SET replay = 5", "a value of the wrong type in game.replay|damaged game"),
        ("UPDATE game SET replay = '{}'", "contains a damaged game"),
        ("UPDATE game SET replay = replace(replay, '\"moves\":[', '\"moves\":[0,0,')", "contains a damaged game"),
        ("UPDATE tournament SET plan = '[]'", "plan in .* is damaged"),
        ("UPDATE tournament SET plan = '{'", "plan in .* is damaged"),
        ("UPDATE exchange SET data = '{}'", "contains a damaged game"),
        ("UPDATE exchange SET data = '" + "[" * 9999 + "'", "contains a damaged game"),
        ("UPDATE exchange SET game = 'x'", "a value of the wrong type in exchange.game"),
    ],
)
def test_a_store_that_somebody_changed_gets_a_sentence(tmp_path, records, statement, why, capsys):
    path = tmp_path / "run.noughts"
    with open_store(path, PLAN) as store:
        store.note(0, exchange("asked"))
        store.add(records[0])
    spoil(path, statement)
    with pytest.raises(StoreError, match=why):
        open_store(path, PLAN)
    with pytest.raises(StoreError, match=why):
        read_run(path)
    assert main(["replay", f"{path}#1"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_journal_beside_a_store_is_not_acted_on(tmp_path, records):
    path = tmp_path / "run.noughts"
    keep(path, records[0])
    Path(f"{path}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
    for use in (lambda: open_store(path, PLAN), lambda: read_run(path)):
        with pytest.raises(StoreError, match="is not from noughts"):
            use()


def test_a_tournament_and_a_match_are_not_mixed(tmp_path, records, capsys):
    path = tmp_path / "run.noughts"
    keep(path, records[0])
    for words in (
        ["standings", str(path)],
        ["run", "--file", str(path), "--game", "classic", "--staff", "random", "greedy"],
    ):
        assert main(["tournament", *words]) == 2
        assert "contains the games of a match or an evaluation" in capsys.readouterr().err
    with noughts.Tournament("classic", ["random", "greedy"], file=tmp_path / "class.noughts"):
        pass
    with pytest.raises(StoreError, match="contains a tournament"):
        open_store(tmp_path / "class.noughts", PLAN)


def test_a_match_goes_on_where_it_was_stopped(tmp_path, capsys):
    games = tmp_path / "games"
    words = ["match", "random", "greedy", "--game", "classic", "--log", str(games), "--games"]
    assert main([*words, "2"]) == 0
    first = capsys.readouterr().out
    assert main([*words, "6", "--json"]) == 0
    output = capsys.readouterr()
    assert "already contains 2 of 6 games" in output.err
    assert f"seed {json.loads(output.out)['seed']}\n" in first
    assert len(list(games.glob("game-*.json"))) == 6
    whole = noughts.play_match("classic", ("random", "greedy"), games=6, opening=0, seed=json.loads(output.out)["seed"])
    assert [record.moves for record in read_run(games / "games.noughts").records()] == [
        record.moves for record in whole.records
    ]
    assert main(["match", "random", "perfect", "--game", "classic", "--log", str(games)]) == 2
    assert "contains a run with players" in capsys.readouterr().err
    assert main(["replay", f"{games / 'games.noughts'}#3"]) == 0


def test_games_against_a_bot_go_on_where_they_stopped(tmp_path):
    log = str(tmp_path / "log")
    first = against_bots("xtreme", "--games", "1", "--log", log)
    assert first.stdout.startswith("xtreme game 1 of 1: "), first.stderr
    second = against_bots("xtreme", "--games", "2", "--log", log)
    assert second.stdout.startswith("xtreme: 1 of 2 games were kept\nxtreme game 2 of 2: ")
    assert "against the minimax bot at 5.0 ms, 2 games:" in second.stdout
    games = read_run(Path(log, "xtreme.jsonl")).records()
    assert [game.players for game in games] == [("alphabeta", "minimax"), ("minimax", "alphabeta")]
    assert games[0].moves[:6] == games[1].moves[:6]


def test_a_game_without_a_minimax_bot_is_refused():
    done = against_bots("classic")
    assert done.returncode == 2
    assert "there is no minimax bot for classic; games are extreme, xtreme" in done.stderr
