"""The ladder: who plays next, what a version is rated, uploads, tokens, and that nothing is lost."""

import json
import os
import stat
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import islice
from pathlib import Path
from shutil import copyfile
from threading import Thread

import numpy as np
import pytest

import noughts
from noughts.cli import main
from noughts.course.rules import gate_of
from noughts.matches.record import GameRecord
from noughts.matches.replays import from_json
from noughts.matches.store_file import StoreError
from noughts.sandbox import SandboxError
from noughts.tournaments import ladder_team, ladder_view, rate, reviews
from noughts.tournaments._ladder import LADDER, Ladder
from noughts.tournaments._matchmaker import IN_FLIGHT, PLACEMENT, SHARE, Field, next_meeting
from noughts.tournaments._ratings import add_games
from noughts.tournaments.ladder import UploadRefused, create_ladder, ladder_in, set_token, submit, token_owner
from noughts.tournaments.ladder_runner import LadderRunner
from noughts.tournaments.results import Fixture, Result
from noughts.tournaments.reviews import review_task
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.visibility import PUBLIC, STAFF, team

CLASSIC = noughts.load_game("classic")
BOT = b"def choose(state, clock):\n    return state.legal_actions()[0]\n"
RANDOM_BOT = b"import random\ndef choose(state, clock):\n    return random.choice(state.legal_actions())\n"


def field(strengths, *, sure=0.01, games=100, yardsticks=0):
    size = len(strengths)
    return Field(
        np.array(strengths, float),
        np.eye(size) * sure,
        np.full(size, games),
        np.arange(size) >= size - yardsticks,
        np.zeros((size, size), int),
        np.zeros((size, size), bool),
        np.random.default_rng(0),
    )


def results(*games):
    """(first, second, winner) as results of a ladder."""
    points = {0: (1, -1), 1: (-1, 1), None: (0, 0)}
    return [Result(Fixture(first, second, LADDER), points[won]) for first, second, won in games]


@pytest.fixture
def ladder(tmp_path):
    """A ladder of three teams in a new file, open for writing."""
    with TournamentFile(tmp_path / "class.noughts", write=True) as file:
        yield create_ladder(
            file,
            CLASSIC,
            Settings(format=LADDER, seconds=2.0, uploads=3),
            ["ants", "bees", "cats"],
            ["random", "greedy"],
        )


# Who plays next.


def test_the_least_certain_plays_first_against_somebody_close():
    known = field([0.0, 0.1, 3.0, -3.0, 2.9])
    known.covariance[0, 0] = 0.5
    known.weights[:] = 1.0
    assert next_meeting(known) == (0, 1)


def test_a_new_version_is_placed_before_anybody_else_plays_by_yardsticks_and_others_in_turn():
    known = field([0.0] * 10, sure=1.0, yardsticks=3)
    known.games[4] = 0
    met = []
    for _ in range(PLACEMENT):
        one, other = next_meeting(known)
        assert one == 4
        met.append(other)
        known.plan(one, other)
        known.in_flight[:] = 0
    assert len(set(met)) == PLACEMENT
    assert [opponent >= 7 for opponent in met] == [True, False] * 3
    assert next_meeting(known)[0] != 4


def test_nobody_who_is_certain_is_sought_and_nobody_plays_more_than_a_few_meetings_at_once():
    assert next_meeting(field([0.0] * 5, sure=0.001)) is None
    known = field([0.0] * 3, sure=1.0)
    planned = []
    while (pair := next_meeting(known)) is not None:
        known.plan(*pair)
        planned += pair
    assert max(map(planned.count, range(3))) == IN_FLIGHT


def test_no_opponent_is_farmed():
    """The best two are far from all others, and still meet others too."""
    known = field([9.0, 9.0, *[0.0] * 10], sure=0.2)
    for _ in range(300):
        pair = next_meeting(known)
        if pair is None:
            break
        known.plan(*pair)
        known.in_flight[:] = 0
        known.covariance += np.eye(12) * 0.01
    assert 2 * known.met[0, 1] <= SHARE * known.games[0] + 4


def test_a_ladder_goes_on_without_an_end_and_the_same_results_give_the_same_games():
    names, played = [f"team{number}#1" for number in range(6)], results(("team0#1", "team1#1", 0))
    ladder = Ladder(names, ["random#1"], seed=5)
    due = list(islice(ladder.due(played), 8))
    assert len(due) == 8
    assert due == list(islice(Ladder(names, ["random#1"], seed=5).due(played), 8))
    assert all(one.returned() == other for one, other in zip(due[::2], due[1::2], strict=True))


# Ratings.


def test_ratings_are_those_of_tournaments_with_a_yardstick_at_zero():
    played = results(*[("a#1", "b#1", 0)] * 5, *[("b#1", "a#1", 1)] * 2, *[("y#1", "a#1", 0)] * 3, ("a#1", "y#1", 0))
    games = {}
    for result in played:
        add_games(games, result.first, result.second, result.points)
    found = {row.name: row for row in Ladder(["a#1", "b#1"], ["y#1"]).ratings(games).table}
    wanted = rate(played)
    assert found["y#1"].elo == 0
    assert found["a#1"].elo - found["b#1"].elo == pytest.approx(wanted.difference("a#1", "b#1").elo, abs=0.1)
    assert found["a#1"].games == 11


def test_a_former_version_keeps_its_rating_and_its_games_count_for_its_opponents():
    games = {}
    for result in results(*[("a#1", "old#1", 0)] * 6, ("old#1", "a#1", 0)):
        add_games(games, result.first, result.second, result.points)
    weak, strong = (
        {row.name: row.elo for row in Ladder(["a#1"], ["y#1"], {"old#1": elo}).ratings(games).table}
        for elo in (-500.0, 500.0)
    )
    assert strong["a#1"] - strong["y#1"] > weak["a#1"] - weak["y#1"] + 300
    assert set(strong) == {"a#1", "y#1"}


def test_ratings_that_start_from_those_before_are_the_same():
    rng, games = np.random.default_rng(1), {}
    names = [f"t{number}#1" for number in range(8)]
    for _ in range(200):
        first, second = rng.choice(names, 2, replace=False)
        add_games(games, str(first), str(second), [(1, -1), (-1, 1)][int(rng.integers(2))])
    ladder = Ladder(names, ["y#1"])
    cold = ladder.ratings(games)
    add_games(games, "t0#1", "t1#1", (1, -1))
    warm, anew = ladder.ratings(games, cold), ladder.ratings(games)
    assert np.allclose(warm.strengths, anew.strengths, atol=1e-6)


# Uploads.


def test_an_upload_waits_at_the_gate_and_a_newer_one_takes_its_place(ladder):
    assert submit(ladder, "ants", BOT).version == 1
    second = submit(ladder, "ants", RANDOM_BOT)
    assert (second.version, second.replaces) == (2, 1)
    assert ladder_team.gate_view(ladder, "ants", 1, team("ants"))["state"] == "replaced"
    assert ladder_team.gate_view(ladder, "ants", 2, team("ants"))["state"] == "waiting"
    assert ladder_view.queue(ladder)["waiting"][0]["version"] == 2


def test_the_same_text_is_the_same_version(ladder):
    submit(ladder, "ants", BOT)
    again = submit(ladder, "ants", BOT)
    assert (again.version, again.is_new) == (1, False)


def test_the_same_text_under_another_name_is_another_version(ladder):
    submit(ladder, "ants", BOT, "ants.py")
    renamed = submit(ladder, "ants", BOT, "team7.py")
    assert (renamed.version, renamed.is_new, renamed.replaces) == (2, True, 1)
    assert submit(ladder, "ants", BOT, "ants.py").version == 1


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [(b"x" * (1 << 20) + b"x", 413, "1 MB"), (b" \n", 400, "empty"), (b"a\0b", 400, "not a text file")],
)
def test_what_is_no_bot_file_is_refused_in_a_sentence(ladder, data, status, said):
    with pytest.raises(UploadRefused, match=said) as refused:
        submit(ladder, "ants", data)
    assert refused.value.status == status
    assert ladder_view.queue(ladder)["waiting"] == []


def test_uploads_of_a_team_are_limited_and_the_refusal_says_when_the_next_is_taken(ladder):
    for number in range(3):
        submit(ladder, "ants", BOT + b"#" * number)
    with pytest.raises(UploadRefused, match=r"3 versions in the last hour.*try again in \d+ minutes") as refused:
        submit(ladder, "ants", RANDOM_BOT)
    assert refused.value.status == 429
    assert submit(ladder, "bees", RANDOM_BOT).version == 1


def test_no_uploads_of_suspended_teams_nor_after_the_end(ladder):
    ladder.entries.remove("ants")
    with pytest.raises(UploadRefused, match="suspended"):
        submit(ladder, "ants", BOT)
    ladder.freeze()
    with pytest.raises(UploadRefused, match="frozen"):
        submit(ladder, "bees", BOT)


def test_teams_that_look_alike_or_like_a_yardstick_are_refused(tmp_path):
    for number, teams in enumerate((["team1", "teaml"], ["Random", "ants"], ["x\u202ey", "ants"], [])):
        with TournamentFile(tmp_path / f"{number}.noughts", write=True) as file, pytest.raises(StoreError):
            create_ladder(file, CLASSIC, Settings(format=LADDER), teams, ["random"])


def test_a_game_without_a_sandbox_is_refused(ladder):
    entries = {entry.name: entry for entry in ladder.entries.all()}
    one, other = entries["random"], entries["greedy"]
    fixture = Fixture("random", "greedy", LADDER)
    number = ladder.start_game(fixture, one, other).number
    record = GameRecord(CLASSIC, ("random", "greedy"), number=number, unsafe=True)
    with pytest.raises(StoreError, match="without a sandbox"):
        ladder.add(record)
    ladder.add(replace(record, unsafe=False))
    assert len(ladder.results()) == 1


# Tokens.


def test_a_token_is_kept_as_a_hash_and_another_one_ends_it(ladder):
    set_token(ladder, "ants", "a" * 64)
    set_token(ladder, None, "b" * 64)
    assert token_owner(ladder, "a" * 64) == (True, "ants")
    assert token_owner(ladder, "b" * 64) == (True, None)
    set_token(ladder, "ants", "c" * 64)
    assert token_owner(ladder, "a" * 64) == (False, None)
    with pytest.raises(StoreError, match="the teams are ants, bees, cats"):
        set_token(ladder, "random", "d" * 64)


# Played.


def played(path, until, seconds=600):
    """Plays the ladder of a file until something is so."""
    runner = LadderRunner(path, gate_of, reviews=False)
    runner.start()
    try:
        with TournamentFile(path) as file:
            seen, ends = ladder_in(file), time.monotonic() + seconds
            while not until(seen) and time.monotonic() < ends:
                time.sleep(0.1)
            assert until(seen), (runner.failure, ladder_view.queue(seen))
    finally:
        runner.close()


@pytest.fixture(scope="module")
def class_file(tmp_path_factory):
    """A ladder after some games: ants and bees play, cats failed, and ants have a second version."""
    path = tmp_path_factory.mktemp("ladder") / "class.noughts"
    with TournamentFile(path, write=True) as file:
        ladder = create_ladder(
            file, CLASSIC, Settings(format=LADDER, seconds=2.0), ["ants", "bees", "cats"], ["random", "greedy"]
        )
        submit(ladder, "ants", BOT.replace(b"    return", b"    print('mine')\n    return"))
        submit(ladder, "bees", RANDOM_BOT.replace(b"    return", b"    print('secret')\n    return"))
        submit(ladder, "cats", b"def choose(state, clock):\n    return 99\n")

    def rated(ladder):
        return sum(row["games"] >= 12 for row in ladder_view.leaderboard(ladder) if not row["yardstick"]) == 2

    played(path, rated)
    with TournamentFile(path, write=True) as file:
        submit(ladder_in(file), "ants", RANDOM_BOT + b"# better\n")
    played(path, lambda ladder: ladder.entries.find("ants").version == 2 and rated(ladder))
    return path


@pytest.fixture
def seen(class_file):
    with TournamentFile(class_file) as file:
        yield ladder_in(file)


def test_versions_pass_the_gate_are_rated_and_replaced(seen):
    board = {row["team"]: row for row in ladder_view.leaderboard(seen)}
    assert board["ants"]["low"] < board["ants"]["elo"] < board["ants"]["high"]
    assert board["cats"]["state"] == "failed"
    assert board["cats"]["place"] is None
    assert board["greedy"]["elo"] > board["random"]["elo"] == 0
    new, old = ladder_team.team_view(seen, "ants", PUBLIC)["versions"]
    assert (new["version"], new["state"], old["version"], old["state"]) == (2, "plays", 1, "replaced")
    assert old["games"] >= 12
    assert new["change"] == pytest.approx(new["elo"] - old["elo"], abs=0.2)


def test_no_game_of_a_ladder_shares_its_number_with_another(seen):
    numbers = [row["number"] for row in seen.game_rows(everything=True, replays=False)]
    assert len(numbers) == len(set(numbers))
    assert {row["first_version"] for row in seen.game_rows(name="ants", everything=True, replays=False)} == {1, 2}


def test_a_team_reads_of_the_gate_in_the_words_of_the_check(seen):
    view = ladder_team.gate_view(seen, "cats", 1, team("cats"))
    assert view["state"] == "failed"
    assert "99" in view["words"]["findings"][0]["text"]
    assert view["words"]["conclusion"] == "a tournament would not admit this bot"
    assert ladder_team.gate_view(seen, "cats", 1, team("ants")) is None
    assert ladder_team.gate_view(seen, "ants", 2, STAFF)["state"] == "passed"


def test_a_team_sees_its_own_prints_and_games_of_former_versions_and_nobody_elses(seen):
    import io
    import zipfile

    names = zipfile.ZipFile(io.BytesIO(ladder_team.logs_zip(seen, "ants")))
    text = "".join(names.read(name).decode() for name in names.namelist())
    assert "mine" in text
    assert "secret" not in text
    own, others = (len(ladder_team.games(seen, who, "ants", count=1000)) for who in (team("ants"), PUBLIC))
    assert own > others > 0


def test_a_teams_record_and_curve_are_of_its_own_games(seen):
    view = ladder_team.team_view(seen, "bees", team("bees"))
    games = sum(row["won"] + row["drawn"] + row["lost"] for row in view["opponents"])
    assert games == len(ladder_team.games(seen, team("bees"), "bees", count=1000))
    assert [point["games"] for point in view["curve"]] == sorted(point["games"] for point in view["curve"])
    assert view["curve"][-1]["elo"] == next(
        row["elo"] for row in ladder_view.leaderboard(seen) if row["team"] == "bees"
    )


def test_pages_of_games_go_on_where_the_last_one_ended(seen):
    whole = ladder_team.games(seen, STAFF, "bees", count=1000)
    first = ladder_team.games(seen, STAFF, "bees", count=5)
    rest = ladder_team.games(seen, STAFF, "bees", before=first[-1]["number"], count=1000)
    assert first + rest == whole
    lost = ladder_team.games(seen, STAFF, "bees", lost=True, count=1000)
    assert [row["number"] for row in lost] == [
        row["number"]
        for row in whole
        if row["winner"] is not None and row[("first", "second")[row["winner"]]] != "bees"
    ]


def test_a_lost_game_that_was_reviewed_tells_which_move_of_the_loser_turned_it(class_file, tmp_path):
    with TournamentFile(copyfile(class_file, tmp_path / "copy.noughts"), write=True) as file:
        ladder = ladder_in(file)
        game, replay = reviews.next_loss(ladder, set())
        record = from_json(replay)
        with file.change():
            data = review_task((game, replay, 1000))
            file.do("INSERT INTO review VALUES (?, ?, ?, ?, ?)", game, 1000, "1", "2026-01-01", data)
        loser = 1 - record.winner
        lost = ladder_team.games(ladder, STAFF, record.players[loser], lost=True, count=1000)
        (row,) = [row for row in lost if row["reviewed"]]
        assert row["number"] == record.number
        state, _ = record.states()[row["turn"]["move"] - 1]
        assert state.current_player() == loser
        assert all(row["turn"] is None for row in lost if not row["reviewed"])


def test_a_second_server_and_other_commands_say_what_to_do(class_file, capsys):
    with TournamentFile(class_file, write=True):
        with pytest.raises(ValueError, match="another process is playing"):
            LadderRunner(class_file, gate_of)
        assert main(["ladder", "status", str(class_file)]) == 0
        assert main(["ladder", "link", str(class_file), "ants"]) == 0
    assert main(["tournament", "run", "--file", str(class_file)]) == 2
    assert "noughts serve --file" in capsys.readouterr().err


def test_tournament_commands_read_a_ladder(class_file, capsys):
    assert main(["tournament", "standings", str(class_file)]) == 0
    assert main(["tournament", "status", str(class_file)]) == 0
    assert "ants" in capsys.readouterr().out


# Commands.


def test_create_writes_links_that_only_the_owner_can_read_and_keeps_hashes(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text("team,name,id,email\nants,Ann,1,a@example.org\nants,Bo,2,\nbees,Cem,3,\n")
    path = tmp_path / "class.noughts"
    create = [
        "ladder",
        "create",
        str(path),
        "--game",
        "classic",
        "--time",
        "2",
        "--roster",
        str(tmp_path / "roster.csv"),
    ]
    assert main([*create, "--url", "https://class.example"]) == 0
    links = tmp_path / "class-links.csv"
    if os.name == "posix":
        assert stat.S_IMODE(links.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, "it holds the bots of all teams"
    rows = [line.split(",") for line in links.read_text().splitlines()]
    found = {row[1]: row[4] for row in rows[1:]}
    assert found["Ann"] == found["Bo"] != found["Cem"] != found["staff"]
    assert all(link.startswith("https://class.example/join#") for link in found.values())
    tokens = [link.partition("#")[2] for link in found.values()]
    assert not any(token.encode() in path.read_bytes() for token in tokens)
    capsys.readouterr()
    assert main(create) == 2
    assert "already exists" in capsys.readouterr().err
    assert main(["ladder", "status", str(path), "--json"]) == 0
    view = json.loads(capsys.readouterr().out)
    assert {row["team"] for row in view["board"] if not row["yardstick"]} == {"ants", "bees"}
    assert view["running"] is False
    assert main(["ladder", "link", str(path), "ants"]) == 0
    assert capsys.readouterr().out.startswith("https://class.example/join#")  # the address of create


def test_a_ladder_that_cannot_be_made_leaves_nothing_behind(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text("team,name\nteam1,A\nteaml,B\n")
    command = [
        "ladder",
        "create",
        str(tmp_path / "x.noughts"),
        "--game",
        "classic",
        "--roster",
        str(tmp_path / "roster.csv"),
    ]
    assert main(command) == 2
    assert "look the same" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["roster.csv"]


def test_submit_says_how_to_log_in_and_a_link_must_be_one(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: str(tmp_path / "config"))
    bot = tmp_path / "bot.py"
    bot.write_bytes(BOT)
    assert main(["submit", str(bot)]) == 2
    assert "noughts login LINK" in capsys.readouterr().err
    assert main(["login", "https://class.example/"]) == 2
    assert main(["submit", str(bot), "--link", "http://127.0.0.1:9/join#abcd"]) == 2
    assert "cannot be reached" in capsys.readouterr().err
    assert not Path(tmp_path, "config").exists()


@pytest.mark.parametrize(
    "reply",
    [
        b"{}",
        b"[]",
        b"null",
        b'{"you": "team7"}',
        b'{"you": {"audience": "team", "team": "team7"}}',
        b'{"you": {"audience": "admin"}, "board": []}',
        b'{"you": ["team"], "team": 7, "version": "x", "link": "", "check": 3}',
        b'{"team": "ants", "version": null, "link": "/x", "check": "/y"}',
        b"<html>",
    ],
)
def test_a_server_that_is_no_ladder_is_not_saved_and_gets_no_more_than_a_sentence(tmp_path, capsys, monkeypatch, reply):
    class Other(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.do_GET()

        def log_message(self, *_):
            pass

    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: str(tmp_path / "config"))
    (tmp_path / "bot.py").write_bytes(BOT)
    with HTTPServer(("127.0.0.1", 0), Other) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        link = f"http://127.0.0.1:{server.server_port}/join#abcd"
        for command in (["login", link], ["submit", str(tmp_path / "bot.py"), "--link", link]):
            assert main(command) == 2
            assert "is not a ladder; check the link" in capsys.readouterr().err
        server.shutdown()
    assert not Path(tmp_path, "config").exists()


def test_a_full_disk_refuses_uploads_and_pauses_games_until_there_is_room(tmp_path):
    path = tmp_path / "class.noughts"
    with TournamentFile(path, write=True) as file:
        create_ladder(file, CLASSIC, Settings(format=LADDER, seconds=2.0), ["ants"], ["random"])
    runner = LadderRunner(path, gate_of, reviews=False)
    try:
        pages = runner.file.rows("PRAGMA page_count")[0][0]
        runner.file.rows(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="is full"):
            runner.submit("ants", BOT + b"#" * 100_000)
        runner.file.rows("PRAGMA max_page_count = 1000000")
        assert runner.submit("ants", BOT).version == 1
    finally:
        runner.close()


def test_a_lost_game_is_reviewed_while_nobody_waits(class_file, tmp_path):
    path = tmp_path / "class.noughts"
    path.write_bytes(class_file.read_bytes())
    runner = LadderRunner(path, gate_of, lambda _conditions, _batches, _watch, _server: (game for game in ()))
    runner.start()
    try:
        with TournamentFile(path) as file:
            seen, ends = ladder_in(file), time.monotonic() + 600
            while not (reviewed := [row for row in ladder_team.games(seen, PUBLIC) if row["reviewed"]]):
                assert time.monotonic() < ends
                time.sleep(0.2)
            assert ladder_team.visible_review(seen, reviewed[0]["number"], PUBLIC).evaluations
    finally:
        runner.close()


def test_a_review_that_cannot_be_stored_is_logged_in_a_sentence(class_file, tmp_path, caplog):
    path = tmp_path / "class.noughts"
    path.write_bytes(class_file.read_bytes())
    runner = LadderRunner(path, gate_of, lambda _conditions, _batches, _watch, _server: (game for game in ()))
    runner.start()
    try:
        ends = time.monotonic() + 60
        while runner.waiting:
            assert time.monotonic() < ends
            time.sleep(0.01)
        path.unlink()
        while not (records := [record for record in caplog.records if "reviews pause" in record.getMessage()]):
            assert time.monotonic() < ends
            time.sleep(0.2)
    finally:
        runner.close()
    assert "class.noughts was deleted" in records[0].getMessage()
    assert not records[0].exc_info


def test_a_version_that_breaks_the_processes_that_play_is_refused_and_the_others_play_on(tmp_path, monkeypatch):
    path = tmp_path / "class.noughts"
    with TournamentFile(path, write=True) as file:
        submit(create_ladder(file, CLASSIC, Settings(format=LADDER, seconds=2.0), ["ants"], ["random"]), "ants", BOT)
    monkeypatch.setattr("noughts.tournaments.ladder_runner.FAILURE_SECONDS", 0.1)

    def breaking(_conditions, batches, _watch, _server):
        if next(batches) is not None:
            raise SandboxError("a process was killed again and again")
        yield from ()

    runner = LadderRunner(path, gate_of, breaking, reviews=False)
    runner.start()
    try:
        ends = time.monotonic() + 600
        with TournamentFile(path) as file:
            while not (reason := ladder_in(file).entries.find("ants").reason) and time.monotonic() < ends:
                time.sleep(0.1)
        assert "cannot be finished" in reason
    finally:
        runner.close()


@pytest.mark.parametrize(
    "link", ["hello", "http://[::1", "https://class.example:99999/join#abcd", "https://class.example"]
)
def test_a_link_that_is_none_is_refused_by_a_sentence_with_an_example(link, capsys):
    assert main(["login", link]) == 2
    assert "looks like https://class.example/join#abcd-efgh" in capsys.readouterr().err


def test_a_server_refuses_a_file_that_holds_no_tournament(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text("team,name,id,email\nants,Ann,1,\n")
    assert main(["serve", "--file", str(tmp_path / "roster.csv"), "--games", str(tmp_path / "games.sqlite")]) == 2
    assert "roster.csv is not a tournament file" in capsys.readouterr().err
