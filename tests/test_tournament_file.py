"""A tournament file: nothing is lost or counted twice, and every file that cannot be used gets a sentence."""

import ctypes
import fcntl
import json
import os
import re
import shlex
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest
from spoiling import spoil
from tournament_play import play_some, played_games, tournament_in

import noughts
from noughts.cli import main
from noughts.course.rules import gate_of
from noughts.course.submissions import submissions, sync_folder
from noughts.files import BusyError
from noughts.matches import store_file as schema
from noughts.matches.replays import from_json
from noughts.matches.store_file import StoreError
from noughts.tournaments import store
from noughts.tournaments.organiser import enter_players, run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.standings import standings
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.view import TournamentView
from noughts.web._tables import GamesFile

FORMATS = ["league", "course", "gauntlet", "swiss"]
BOT = "def choose(state, clock):\n    actions = state.legal_actions()\n    return actions[{index} % len(actions)]\n"


GOLDEN = [
    ("last", 10, 0, 2, 860),
    ("middle", 6, 0, 6, 516),
    ("first", 6, 0, 6, 516),
    ("third", 2, 0, 10, 172),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "class.noughts"


def bots(folder, **sources):
    folder.mkdir(exist_ok=True)
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def contestants(tournament, form):
    if form == "gauntlet":
        enter_players(tournament, ["perfect"], staff=True)


# Going on.


@pytest.mark.parametrize("form", FORMATS)
def test_a_tournament_that_was_stopped_often_is_the_same_as_one_that_was_not(tmp_path, form):
    calm = tournament_in(tmp_path / "calm.noughts", format=form)
    contestants(calm, form)
    play_some(calm)
    stopped = tournament_in(tmp_path / "stopped.noughts", format=form)
    contestants(stopped, form)
    stopped.file.close()
    while True:
        with TournamentFile(tmp_path / "stopped.noughts", write=True) as file:
            if play_some(file.tournament(), most=3) < 3:
                again = played_games(file.tournament())
                break
    assert again == played_games(calm)
    assert TournamentView(calm).status.finished
    assert len(again) == TournamentView(calm).status.total
    calm.file.close()


def test_seeds_come_from_the_secret_and_nothing_else_reveals_them(tmp_path):
    first, second, drawn, other = (
        tournament_in(tmp_path / f"{number}.noughts", seed=seed) for number, seed in enumerate([7, 7, None, None])
    )
    for tournament in (first, second, drawn, other):
        play_some(tournament)
    assert played_games(first) == played_games(second)
    seeds = [{seed for *_, seed in played_games(tournament).values()} for tournament in (first, drawn, other)]
    assert not seeds[0] & seeds[1]
    assert not seeds[1] & seeds[2]
    assert all(len(each) == 6 and max(each) < 2**53 for each in seeds)
    drawn.freeze()
    (seed,) = drawn.published_seeds
    assert len(seed) == len("0x") + 128 // 4
    again = tournament_in(tmp_path / "again.noughts", seed=int(seed, 16))
    play_some(again)
    assert played_games(again) == played_games(drawn)


def test_a_changed_bot_is_a_new_version_and_only_its_games_are_played_again(path, tmp_path):
    folder = bots(tmp_path / "bots", ants=BOT.format(index=0), bees=BOT.format(index=-1))
    tournament = tournament_in(path)
    sync_folder(tournament, folder)
    assert play_some(tournament) == 5 * 4 + 2 * 5  # and twice the gate's five
    before = played_games(tournament)
    assert sync_folder(tournament, folder).changed == []
    assert play_some(tournament) == 0
    bots(folder, bees=BOT.format(index=1))
    assert sync_folder(tournament, folder).changed == ["bees"]
    assert play_some(tournament) == 2 * 4 + 5
    after = played_games(tournament)
    assert {place for place in before if before[place] != after[place]} <= {
        place for place in before if "bees" in place
    }
    assert tournament.entries.find("bees").version == 2
    assert all(before[place] == after[place] for place in before if "bees" not in place)
    bots(folder, bees=BOT.format(index=-1))
    sync_folder(tournament, folder)
    assert play_some(tournament) == 0, "the games of the version that is back count again"
    assert played_games(tournament) == before


def test_a_late_bot_catches_up_and_a_removed_one_leaves_nothing_behind(path):
    tournament = tournament_in(path, format="course")
    play_some(tournament)
    before = played_games(tournament)
    enter_players(tournament, ["perfect"], staff=False)
    played = play_some(tournament)
    after = played_games(tournament)
    assert len(after) == len(before) + played
    assert {place: after[place] for place in before} == before
    assert all("perfect" in place for place in set(after) - set(before))
    tournament.entries.remove("perfect")
    assert played_games(tournament) == before
    assert play_some(tournament) == 0


def test_places_are_made_sure_within_the_budget(path):
    tournament = tournament_in(path, players=["random", "perfect"], sure=0.95, places=1, budget=40)
    play_some(tournament)
    found = TournamentView(tournament).standings
    assert found.order[0].name == "perfect"
    assert 0 < len(found.extra) <= 40
    assert found.certainty.sure(1) >= 0.95 or len(found.extra) == 40
    assert TournamentView(tournament).status.finished


def test_a_season_is_many_tournaments_with_the_same_bots(path, tmp_path):
    folder = bots(tmp_path / "bots", ants=BOT.format(index=0))
    first = tournament_in(path)
    sync_folder(first, folder)
    play_some(first)
    bots(folder, ants=BOT.format(index=1))
    second = first.file.create("week 2", noughts.load_game("wild"), Settings(seconds=5.0))
    enter_players(second, ["random"], staff=True)
    sync_folder(second, folder)
    play_some(second)
    assert first.file.names() == ["main", "week 2"]
    assert [first.entries.find("ants").version, second.entries.find("ants").version] == [1, 2]
    assert len(played_games(first)) == 12
    assert len(played_games(second)) == 2


def test_a_long_season_fits_80_columns_and_tells_of_weeks_that_have_not_begun(path, tmp_path, capsys):
    first = tournament_in(path)
    play_some(first)
    for week in range(2, 9):
        other = first.file.create(f"week number {week}", noughts.load_game("wild"), Settings(seconds=5.0))
        sync_folder(other, bots(tmp_path / "bots", ants=BOT.format(index=0)))
    first.file.close()
    assert main(["tournament", "standings", str(path), "--season"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert all(f"week number {week}" in shown for week in range(2, 9))
    assert re.search(r"^greedy +\d\. -?\d\.\d [+-]\d+ +- +-", shown, re.MULTILINE)
    assert main(["tournament", "standings", str(path)]) == 2
    assert "1 new bot waits for its check" in capsys.readouterr().err


def test_everything_can_be_computed_again_from_what_is_kept(path):
    tournament = tournament_in(path)
    play_some(tournament)
    rows = {row.name: row for row in TournamentView(tournament).standings.order}
    records = [from_json(game["replay"]) for game in tournament.game_rows()]
    for name, row in rows.items():
        own = [record for record in records if name in record.players]
        assert row.games == len(own) == 4
        assert row.points == sum(record.points[record.seat_of(name)] for record in own)
    assert [record.number for record in tournament.records()] == sorted(record.number for record in records)
    assert all(record.number in tournament for record in records)
    assert 10**6 not in tournament


def test_golden_standings(path, tmp_path):
    """The bots leave nothing to chance. Changes only on purpose: the draw, the rules, points and ties are in it."""
    folder = bots(
        tmp_path / "bots",
        first=BOT.format(index=0),
        last=BOT.format(index=-1),
        third=BOT.format(index=2),
        middle=BOT.format(index="len(actions) // 2"),
    )
    tournament = tournament_in(path, "xtreme", players=[], rounds=2)
    sync_folder(tournament, folder)
    play_some(tournament)
    found = [(row.name, row.won, row.drawn, row.lost, row.points) for row in TournamentView(tournament).standings.order]
    assert found == GOLDEN


# The gate.


def test_a_bot_that_cannot_play_reads_why_and_the_others_play(path, tmp_path):
    folder = bots(
        tmp_path / "bots",
        ants=BOT.format(index=0),
        crashes="def choose(state, clock):\n    return 1 / 0\n",
        nobot="x = 3\n",
        python2="print 'hello'\n",
        breach="def f():\n    pass\nclass A:\n    def move(self, board, old_move, flag):\n        return 0\n",
        Twin=BOT.format(index=0),
        twin=BOT.format(index=1),
        binary="\0",
        _ignored="nonsense",
    )
    (folder / "many").mkdir()
    bots(folder / "many", a="x = 1\n", b="x = 2\n")
    bots(folder / "team", whatever=BOT.format(index=-1))
    (folder / "away.py").symlink_to("/etc/hostname")
    (folder / "notes.txt").write_text("no bot")
    tournament = tournament_in(path, players=["random"])
    sync_folder(tournament, folder)
    refused = {entry.name for entry in tournament.entries.all() if entry.reason}
    assert refused == {"Twin", "twin", "binary", "many", "away"}
    play_some(tournament)
    entries = {entry.name: entry for entry in tournament.entries.all()}
    assert {name for name, entry in entries.items() if entry.plays} == {"random", "ants", "team"}
    for name, why in {
        "crashes": "against itself: crashed: ZeroDivisionError: division by zero (line 2)",
        "nobot": "cannot play: ",
        "python2": "translate it with `noughts convert`",
        "breach": "against the submission rules: line 1: function f is outside the class; make it a method",
        "twin": "2 submissions have this name or a similar-looking one; give each its own name",
        "binary": "is not a text file",
        "many": "it contains 2 Python files (a.py, b.py); submit only the file of the bot",
        "away": "it is a link; submit the file or folder itself",
    }.items():
        assert why in entries[name].reason
    assert {name for place in played_games(tournament) for name in place[3:]} == {"random", "ants", "team"}
    tournament.change_settings(admit="all")
    sync_folder(tournament, folder)
    play_some(tournament)
    assert tournament.entries.find("crashes").plays
    faults = [game["reason"] for game in tournament.game_rows(name="crashes")]
    assert len(faults) == 2 * 6
    assert faults.count("crash") == 12


def test_a_latest_file_that_fails_lets_the_last_good_one_play_on(path, tmp_path):
    folder = bots(tmp_path / "bots", ants=BOT.format(index=0))
    tournament = tournament_in(path)
    sync_folder(tournament, folder)
    play_some(tournament)
    before = played_games(tournament)
    bots(folder, ants="syntax error")
    sync_folder(tournament, folder)
    assert play_some(tournament) == 0
    entry = tournament.entries.find("ants")
    assert (entry.plays, entry.version) == (True, 1)
    assert entry.reason == "reading: syntax error: invalid syntax (line 1)"
    assert played_games(tournament) == before


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "there is no folder"),
        (lambda path: path.mkdir(), "contains no bots; a bot is a file NAME.py"),
    ],
)
def test_a_folder_without_bots_gets_a_sentence(tmp_path, make, why):
    make(tmp_path / "bots")
    with pytest.raises(StoreError, match=why):
        submissions(tmp_path / "bots")


def test_one_bot_is_no_tournament(path, tmp_path):
    tournament = tournament_in(path, players=["random"])
    with pytest.raises(StoreError, match="the tournament needs 2 contestants or more, and there is 1"):
        play_some(tournament)


# Files that cannot be used.


def test_a_second_process_is_refused_and_readers_are_not(path):
    tournament = tournament_in(path)
    with pytest.raises(BusyError, match="another process is playing"):
        TournamentFile(path, write=True)
    play_some(tournament, most=2)
    with TournamentFile(path) as reader:
        assert len(played_games(reader.tournament())) == 2
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.do("DELETE FROM game")
    tournament.file.close()
    assert sorted(file.name for file in path.parent.iterdir()) == ["class.noughts"], "nothing is left beside it"
    TournamentFile(path, write=True).close()


def test_a_lock_that_a_killed_process_left_behind_holds_nobody_up(path):
    lock = path.with_name(f".{path.name}.lock")
    descriptor = os.open(lock, os.O_CREAT | os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.close(descriptor)
    TournamentFile(path, write=True).close()


def newer(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        database.execute("PRAGMA user_version = 999")
        database.execute("CREATE TABLE other (id)")


def foreign(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE other (id)")


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (newer, r"written by a newer noughts \(its tables have version 999.*update noughts"),
        (foreign, "is a database but not a tournament file"),
        (lambda path: path.write_text("The quick brown fox jumps over the lazy dog." * 50), "is not a tournament file"),
        (lambda path: path.mkdir(), "is a folder|there is no tournament file"),
    ],
)
def test_a_file_that_is_none_gets_a_sentence_and_stays_as_it_is(path, make, why, write):
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StoreError, match=why):
        TournamentFile(path, write=write)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_an_older_file_is_brought_up_to_date_by_a_writer(path, monkeypatch):
    tournament = tournament_in(path)
    play_some(tournament)
    before = played_games(tournament)
    tournament.file.close()
    later = (*schema.MIGRATIONS, "ALTER TABLE bot ADD COLUMN country TEXT; CREATE TABLE extra (id INTEGER)")
    monkeypatch.setattr(schema, "MIGRATIONS", later)
    with pytest.raises(StoreError, match="is from an older noughts"):
        TournamentFile(path)
    with TournamentFile(path, write=True) as file:
        assert file.rows("PRAGMA user_version") == [(len(later),)]
        assert file.rows("SELECT count(country) FROM bot") == [(0,)]
        assert played_games(file.tournament()) == before


def test_a_full_disk_loses_nothing_and_the_tournament_goes_on(path):
    tournament = tournament_in(path, rounds=10)
    play_some(tournament, most=5)
    ((pages,),) = tournament.file.rows("PRAGMA page_count")
    tournament.file.rows(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match=r"is full; all games finished before are safe\. Free some space"):
        play_some(tournament)
    kept = played_games(tournament)
    assert 5 <= len(kept) < 60
    tournament.file.close()
    with TournamentFile(path, write=True) as file:
        play_some(file.tournament())
        after = played_games(file.tournament())
    assert len(after) == 60
    assert {place: after[place] for place in kept} == kept


def test_a_file_cannot_make_this_machine_read_files_or_send_secrets(path):
    tournament = tournament_in(path, players=["random", "greedy"])
    with tournament.file.change():
        tournament.file.do(
            "UPDATE version SET source = 'llm:m?base_url=http://evil&key_env=HOME' WHERE source = 'greedy'"
        )
    with pytest.raises(StoreError, match="to allow that, pass --staff"):
        run_of(tournament, gate_of(tournament))
    with tournament.file.change():
        tournament.file.do("UPDATE tournament SET game = '/tmp/evil.py:GAME'")
    with pytest.raises(StoreError, match="has a game that this version cannot play"):
        tournament.file.tournament()
    with tournament.file.change():
        tournament.file.do("UPDATE tournament SET game = 'wild', settings = ?", json.dumps({"seconds": "1"}))
    with pytest.raises(StoreError, match="settings of this tournament are damaged"):
        tournament.file.tournament()


ENDLESS = "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            ["ALTER TABLE bot RENAME TO hidden", f"CREATE VIEW bot AS {ENDLESS} n AS id, 'x' AS name FROM more"],
            "does not have the tables",
        ),
        (["CREATE TRIGGER more AFTER INSERT ON bot BEGIN DELETE FROM game; END"], r"see its trigger more\b"),
        (['CREATE TABLE "\x1b[2J" (id)'], "does not have the tables"),
        (["DROP TABLE review"], "see its table review"),
        (["ALTER TABLE bot ADD COLUMN more TEXT AS (name || name)"], "see its table bot"),
        (["UPDATE bot SET name = x'ff00' WHERE id = 2"], r"wrong type in bot\.name"),
        (["UPDATE bot SET name = CAST(x'ff3c' AS TEXT) WHERE id = 3"], r"cannot use .* \(Could not decode"),
        (["UPDATE game SET first_points = '<b>' WHERE id = 2"], r"wrong type in game\.first_points"),
        (["UPDATE game SET winner = 7 WHERE id = 2"], r"wrong type in game\.winner"),
        (["UPDATE game SET first_seconds = 'long' WHERE id = 2"], r"wrong type in game\.first_seconds"),
        (["UPDATE fixture SET round = 1.5 WHERE id = 2"], r"wrong type in fixture\.round"),
        (["UPDATE fixture SET stage = 'nonsense' WHERE id = 2"], r"wrong type in fixture\.stage"),
        (["UPDATE entry SET candidate = 999 WHERE id = 1"], r"wrong type in entry\.candidate"),
        (["UPDATE entry SET candidate = version WHERE id = 1"], r"wrong type in entry\.candidate"),
        (["UPDATE entry SET version = 999 WHERE id = 1"], r"wrong type in entry\.version"),
        (
            ["INSERT INTO gate (tournament, version, reason) VALUES (1, 999, '')"],
            "gate, which names a missing version",
        ),
        (["UPDATE tournament SET rules = '\"classic\"'"], "the rules are 'classic'; they must be a record of facts"),
        (["UPDATE tournament SET secret = 'x'"], "secret of the tournament .* is damaged"),
        (["UPDATE tournament SET settings = replace(hex(zeroblob(100000)), '0', '[')"], "settings .* are damaged"),
        (["UPDATE tournament SET rules = replace(hex(zeroblob(100000)), '0', '[')"], "that this version cannot play"),
    ],
)
def test_a_file_that_somebody_changed_gets_a_sentence(path, tmp_path, capsys, changes, why):
    tournament = tournament_in(path)
    play_some(tournament)
    tournament.file.close()
    spoil(path, *changes)
    for command in (["tournament", "standings", str(path)], ["report", str(path), "--no-analysis"]):
        assert main([*command, *(["-o", str(tmp_path / "report.html")] if command[0] == "report" else [])]) != 0
        out, err = capsys.readouterr()
        assert re.search(why, err), err
        assert out == ""
        assert "\x1b" not in err


@pytest.mark.parametrize("replay", ['{"a": 1}', '"text"', "no JSON"])
def test_a_damaged_game_gets_a_sentence(path, capsys, replay):
    tournament = tournament_in(path)
    play_some(tournament)
    with tournament.file.change():
        tournament.file.do("UPDATE game SET replay = ?", replay)
    tournament.file.close()
    for words in ("games --json", "games --staff --json"):
        assert main(["tournament", "games", str(path), *words.split()[1:]]) == 2
        assert re.search(r"noughts: game \d+ is damaged \(.*\); use a copy of the file", capsys.readouterr().err)


def test_a_suggested_command_runs_nothing_of_the_file(path):
    """The name of a player from a file stands in a command that the operator may copy."""
    tournament = tournament_in(path)
    with tournament.file.change():
        tournament.file.do("UPDATE version SET source = ? WHERE id = 3", 'q:$(touch evil)`id`"')
    with pytest.raises(StoreError, match="to allow that, pass --staff") as refused:
        run_of(tournament, gate_of(tournament))
    command = str(refused.value).partition("to allow that, pass --staff ")[2].removesuffix(" again")
    assert shlex.split(command) == ['q:$(touch evil)`id`"']
    assert command.startswith("'")


def test_a_draw_that_is_none_gets_a_sentence(path):
    tournament = tournament_in(path, format="course")
    for groups in ("{}", "[1]", "[[1]]", "[" * 100_000, "no JSON"):
        with tournament.file.change():
            tournament.file.do("INSERT OR REPLACE INTO draw VALUES (?, 'group', ?)", tournament.id, groups)
        with pytest.raises(StoreError, match=r"a draw in .* is damaged"):
            tournament.draws()


def test_what_sqlite_itself_adds_is_no_change(path):
    tournament = tournament_in(path)
    play_some(tournament)
    tournament.file.close()
    with sqlite3.connect(path) as database:
        database.execute("ANALYZE")
    database.close()
    with TournamentFile(path) as file:
        assert len(played_games(file.tournament())) == 6


# Clocks.


def test_a_game_lost_on_time_on_a_slow_machine_is_found(path):
    tournament = tournament_in(path, rounds=2)
    play_some(tournament)
    assert TournamentView(tournament).slow_games is None
    numbers = [game["number"] for game in tournament.game_rows()]
    with tournament.file.change():
        tournament.file.do("UPDATE game SET speed = 20.0")
        tournament.file.do("UPDATE game SET speed = 16.0, reason = 'time' WHERE fixture = ?", numbers[3])
        tournament.file.do("UPDATE game SET speed = 17.5 WHERE fixture = ?", numbers[4])
    slow = TournamentView(tournament).slow_games
    assert (slow.games, slow.usual, slow.worst, slow.lost) == (1, 20.0, 0.8, (numbers[3],))
    before = played_games(tournament)
    assert tournament.void(slow.lost, "slow machine") == 1
    assert play_some(tournament) == 1
    again = played_games(tournament)
    (place,) = (place for place in before if before[place] != again[place])
    assert before[place][-1] != again[place][-1], "with another seed"


def test_standings_of_the_library_and_of_the_file_agree(path):
    tournament = tournament_in(path)
    play_some(tournament)
    assert TournamentView(tournament).standings.order == standings(tournament.results(), seed=tournament.seed)


# What lies beside a file.


def rollback_journal(path, victim):
    """A rollback journal of a file with a super-journal of this name, which SQLite deletes when all is played back."""
    name, magic, page = os.fsencode(victim), bytes.fromhex("d9d505f920a163d7"), 4096
    head = magic + struct.pack(">5I", 0, 0, path.stat().st_size // page, 512, page)
    tail = struct.pack(">I", (1 << 30) // page + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    return head.ljust(512, b"\0") + tail


def test_sqlite_itself_deletes_what_a_journal_names(path, tmp_path):
    """Otherwise the next statement would say nothing."""
    victim = tmp_path / "thesis.txt"
    victim.write_text("years of work")
    tournament_in(path).file.close()
    Path(f"{path}-journal").write_bytes(rollback_journal(path, victim))
    with closing(sqlite3.connect(path)) as database:
        database.execute("SELECT * FROM tournament").fetchall()
    assert not victim.exists()


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("words", ["status", "standings", "games", "marks", "export", "remove", "freeze", "run --file"])
def test_no_command_acts_on_a_journal_beside_a_file(path, tmp_path, capsys, words, linked):
    victim = tmp_path / "thesis.txt"
    victim.write_text("years of work")
    tournament_in(path).file.close()
    journal = Path(f"{path}-journal")
    journal.write_bytes(rollback_journal(path, victim))
    named = path
    if linked:
        named = tmp_path / "elsewhere" / "other.noughts"
        named.parent.mkdir()
        named.symlink_to(path)
    before = path.read_bytes()
    extra = {"remove": ["random"], "export": [str(tmp_path / "results")]}.get(words, [])
    assert main(["tournament", *words.split(), str(named), *extra]) == 2
    assert f"{journal} is not from noughts, and SQLite would replay it" in capsys.readouterr().err
    assert victim.read_text() == "years of work"
    assert (path.read_bytes(), journal.exists()) == (before, True)


@pytest.mark.parametrize("companion", ["-wal", "-shm"])
def test_a_link_in_the_place_of_a_companion_is_refused(path, tmp_path, companion):
    tournament_in(path).file.close()
    Path(f"{path}{companion}").symlink_to(tmp_path / "made")
    for write in (False, True):
        with pytest.raises(StoreError, match=f"{companion} is a link or not an ordinary file; move it elsewhere"):
            TournamentFile(path, write=write)
    assert not (tmp_path / "made").exists()


def test_we_never_make_a_journal_so_a_killed_run_leaves_none(path):
    system = ctypes.CDLL(None, use_errno=True)
    watch = system.inotify_init1(os.O_NONBLOCK)
    created = 0x100
    assert system.inotify_add_watch(watch, os.fsencode(path.parent), created) >= 0
    tournament_in(path).file.close()
    GamesFile(path.with_name("page.sqlite")).close()
    seen = os.read(watch, 1 << 16)
    os.close(watch)
    assert b"class.noughts-wal" in seen
    assert b"page.sqlite-wal" in seen
    assert b"-journal" not in seen


def test_the_page_does_not_act_on_a_journal_beside_its_file_of_games(tmp_path):
    path, victim = tmp_path / "page.sqlite", tmp_path / "thesis.txt"
    victim.write_text("years of work")
    GamesFile(path).close()
    Path(f"{path}-journal").write_bytes(rollback_journal(path, victim))
    with pytest.raises(
        ValueError, match=r"page\.sqlite-journal is not from noughts.*pass another file with --games FILE"
    ):
        GamesFile(path)
    assert victim.exists()


def test_readers_cannot_write_and_leave_nothing_behind(path):
    tournament = tournament_in(path)
    play_some(tournament, most=2)
    tournament.file.close()
    before = path.read_bytes()
    with TournamentFile(path) as one:
        with TournamentFile(path) as other:
            assert played_games(one.tournament()) == played_games(other.tournament())
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            one.do("DELETE FROM game")
        assert played_games(one.tournament())
    assert sorted(file.name for file in path.parent.iterdir()) == ["class.noughts"]
    assert path.read_bytes() == before


def test_a_tournament_keeps_no_more_than_so_much_of_what_a_team_prints(path, monkeypatch):
    add = TournamentStore.add

    def loud(self, record):
        record.prints = dict.fromkeys(range(len(record.moves)), "x" * 100)
        add(self, record)

    monkeypatch.setattr(store, "TEAM_PRINTS", 1000)
    monkeypatch.setattr(TournamentStore, "add", loud)
    tournament = tournament_in(path)
    play_some(tournament)
    kept = dict.fromkeys(["random", "greedy", "random:seed=5"], 0)
    for record in tournament.records():
        for seat in (0, 1):
            kept[record.players[seat]] += sum(len(json.dumps(text)) for text in record.prints_of(seat).values())
    assert sorted(kept.values()) == sorted(
        size for (size,) in tournament.file.rows("SELECT prints FROM entry WHERE hidden = 0")
    )
    assert all(900 < size <= 1000 for size in kept.values())
