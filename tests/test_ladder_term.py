"""A ladder for a whole term: deadline, suspension, freezing, backups, friendly matches, clocks that jump."""

import io
import json
import random
import re
import shlex
import stat
import time
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from ladder_world import Clock, bot, new_ladder, play, rate, reopened, schedule_of, upload_all
from ladder_world import played as made

from noughts.cli import main
from noughts.course.rules import gate_of
from noughts.matches.store_file import StoreError, timestamp, utc_now
from noughts.tournaments import ladder_team, ladder_view
from noughts.tournaments._ladder import FRIENDLY, LADDER
from noughts.tournaments.ladder import (
    UploadRefused,
    ask_for_friendly,
    enter_final_versions,
    ladder_in,
    submit,
)
from noughts.tournaments.ladder_runner import LadderRunner
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.visibility import PUBLIC, STAFF, team

DEADLINE = datetime(2027, 2, 24, 23, 55, tzinfo=UTC)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ladder(tmp_path, clock):
    ladder = new_ladder(tmp_path / "class.noughts", clock=clock, deadline=timestamp(DEADLINE), friendlies=3, faults=3)
    yield ladder
    ladder.file.close()


# The deadline.


def test_after_the_deadline_uploads_are_refused_in_a_sentence_with_the_servers_time(ladder, clock):
    clock.at = DEADLINE - timedelta(seconds=1)
    assert submit(ladder, "ants", bot("in time")).version == 1
    clock.jump(seconds=1)
    with pytest.raises(
        UploadRefused, match=r"deadline was 2027-02-24 23:55:00 UTC.*it is 2027-02-24 23:55:00 UTC now"
    ) as no:
        submit(ladder, "ants", bot("late"))
    assert no.value.status == 403
    assert not ladder_view.clock(ladder)["open"]


def test_a_deadline_is_a_moment_wherever_the_clocks_of_people_are_turned(tmp_path, capsys):
    """On the night that summer time ends, 02:30 comes twice; the offset says which one is meant."""
    ladder = new_ladder(tmp_path / "class.noughts")
    ladder.file.close()
    change = ["ladder", "change", str(ladder.file.path), "--json", "--deadline"]
    deadlines = []
    for text in ("2027-10-31T02:30+02:00", "2027-10-31T02:30+01:00"):
        assert main([*change, text]) == 0
        deadlines.append(json.loads(capsys.readouterr().out)["deadline"])
    assert deadlines == ["2027-10-31T00:30:00.000+00:00", "2027-10-31T01:30:00.000+00:00"]
    assert main([*change, "none"]) == 0
    assert json.loads(capsys.readouterr().out)["deadline"] == ""
    assert main(["ladder", "change", str(ladder.file.path), "--deadline", "2020-01-01"]) == 0
    assert "it has passed, and uploads are refused" in capsys.readouterr().out
    assert main([*change, "tomorrow"]) == 2


def test_a_server_sees_a_deadline_that_another_process_changes(ladder, clock):
    with TournamentFile(ladder.file.path, write=True, alone=False) as file:
        ladder_in(file).change_settings(deadline=timestamp(clock.at))
    with pytest.raises(UploadRefused, match="deadline"):
        submit(ladder, "ants", bot("late"))


def test_the_versions_of_the_deadline_are_what_the_final_tournament_plays(ladder, clock):
    upload_all(ladder, "ants", "bees")
    play(ladder, 30)
    submit(ladder, "bees", bot("waits"))
    settings = Settings(format="course", seconds=2.0, load_seconds=2.0, uploads=100)
    with pytest.raises(StoreError, match="may still change"):
        enter_final_versions(ladder.file.create("early", ladder.game, settings), ladder)
    clock.at = DEADLINE
    with pytest.raises(StoreError, match="versions of bees wait at the gate"):
        enter_final_versions(ladder.file.create("soon", ladder.game, settings), ladder)
    ladder.freeze()
    final = ladder.file.create("final", ladder.game, settings)
    assert enter_final_versions(final, ladder) == ["ants", "bees"]
    waiting = [(entry.candidate_id, final.entries.gate_result(entry.candidate_id)) for entry in final.entries.all()]
    passed = [entry.version_id for entry in ladder.entries.all() if not entry.staff and entry.plays]
    assert waiting == [(version, "") for version in passed], "they passed the same gate, and are not checked again"


def test_the_command_plays_the_final_of_a_frozen_ladder_and_gives_marks(tmp_path, capsys):
    ladder = new_ladder(tmp_path / "class.noughts")
    upload_all(ladder, "ants", "bees")
    play(ladder, 30)
    rate(ladder)
    ladder.file.close()
    run = ["tournament", "run", "--file", str(ladder.file.path), "--name", "final", "--format", "course", "--json"]
    run += ["--group-pools", "1", "--semi-pools", "1", "--jobs", "1"]
    assert main(run) == 2
    assert "noughts ladder freeze" in capsys.readouterr().err
    with TournamentFile(ladder.file.path) as file:
        assert file.names() == ["ladder"], "nothing was made"
    assert main(["ladder", "freeze", str(ladder.file.path), "--json"]) == 0
    assert main(run) == 0
    capsys.readouterr()
    marks = ["tournament", "marks", str(ladder.file.path), "--json"]
    assert main(marks) == 0
    assert {"ants", "bees"} <= set(json.dumps(json.loads(capsys.readouterr().out)).split('"'))
    with TournamentFile(ladder.file.path) as file:
        games = ladder_view.queue(ladder_in(file))["games"]
        rated = {row["team"]: row["elo"] for row in ladder_view.leaderboard(ladder_in(file)) if row["games"]}
        ((every,),) = file.rows("SELECT count(*) FROM game")
        assert games < every, "without those of the final"
    assert main(["tournament", "standings", str(ladder.file.path), "--name", "ladder", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["standings"]
    assert {row["name"]: row["elo"] for row in rows} == pytest.approx(rated, abs=0.2)


# Versions that fail after the gate, teams that are suspended.


def test_after_faults_in_a_row_a_version_is_suspended_with_the_reason_and_the_one_before_plays_on(ladder):
    submit(ladder, "ants", bot("well"))
    upload_all(ladder, "bees")
    play(ladder, 20)
    submit(ladder, "ants", bot("fails later"))

    def crashes(name, stage):
        return name == "ants" and stage == LADDER and ladder.entries.find("ants").version == 2

    play(ladder, 1000, crashes, until=lambda: ladder.entries.find("ants").reason)
    entry = ladder.entries.find("ants")
    assert entry.version == 1
    assert "version 2 is suspended: 3 faults in a row, the latest in game" in entry.reason
    assert "IndexError" in entry.reason
    (notice,) = ladder_team.team_view(ladder, "ants", team("ants"))["notices"]
    assert "Version 1 keeps playing." in notice
    assert ladder_team.team_view(ladder, "ants", team("bees"))["notices"] == []
    assert "upload it again" in notice
    assert "upload" not in ladder_team.notices(entry, is_open=False)[0]
    again = submit(ladder, "ants", bot("fails later"))
    assert (again.version, ladder.entries.find("ants").candidate_id) == (2, None), "the same text is not tried again"
    ladder.entries.check_again("ants")
    assert ladder.entries.find("ants").candidate_id is not None, "but staff can let it"
    play(ladder, 10)
    with zipfile.ZipFile(io.BytesIO(ladder_team.logs_zip(ladder, "ants"))) as logs:
        assert len(set(logs.namelist())) == len(logs.namelist()), "those of both checks"


def test_only_the_latest_version_that_failed_is_checked_again(ladder):
    upload_all(ladder, "bees")
    for text in ("first", "second"):
        submit(ladder, "ants", bot(text))
        play(ladder, 1000, lambda name, stage: name == "ants" and stage == "gate")
    ladder.entries.check_again("ants")
    states = [row["state"] for row in ladder_team.team_view(ladder, "ants", team("ants"))["versions"]]
    assert sorted(states) == ["at the gate", "failed"]


def test_faults_with_games_in_between_suspend_nobody(ladder):
    upload_all(ladder)
    turns = iter([True, True, False] * 1000)
    play(ladder, crashes=lambda name, stage: name == "ants" and stage == LADDER and next(turns), most=60)
    assert ladder.entries.find("ants").version == 1


def test_a_suspended_team_neither_plays_nor_uploads_until_it_is_let_in_again(ladder, capsys):
    upload_all(ladder)
    play(ladder, 40)
    path = str(ladder.file.path)
    assert main(["ladder", "suspend", path, "ants", "--reason", "see us"]) == 0
    with pytest.raises(UploadRefused, match="suspended"):
        submit(ladder, "ants", bot("more"))
    assert not any("ants" in fixture[:2] for fixture in play(ladder, 20))
    assert ladder_team.team_view(ladder, "ants", team("ants"))["notices"][0].startswith(
        "Your team is suspended: see us."
    )
    assert main(["ladder", "resume", path, "ants"]) == 0
    assert submit(ladder, "ants", bot("more")).version == 2
    assert main(["ladder", "requeue", path, "bees", "--json"]) == 0
    assert main(["ladder", "suspend", path, "nobody"]) == 2
    assert "there is no contestant" in capsys.readouterr().err


# Freezing.


def test_a_ladder_is_frozen_while_it_is_played_and_goes_on_afterwards(tmp_path):
    ladder = new_ladder(tmp_path / "class.noughts")
    upload_all(ladder)
    path = ladder.file.path
    schedule = schedule_of(ladder)
    batch = next(schedule.batches(ladder))
    assert main(["ladder", "freeze", str(path)]) == 0
    with pytest.raises(StoreError, match="frozen"):
        play(ladder, schedule=schedule)
    before = ladder.count()
    ladder.file.close()
    runner = LadderRunner(path, gate_of, lambda _conditions, _batches, _watch, _server: iter(()), reviews=False)
    runner.start()
    runner.close()
    assert runner.failure == ""
    assert main(["ladder", "unfreeze", str(path)]) == 0
    with TournamentFile(path, write=True) as file:
        ladder = ladder_in(file)
        assert play(ladder, 20)
        assert ladder.count() > before
    assert batch


# A backup while it is played.


def test_a_backup_has_everything_up_to_one_moment_while_the_ladder_is_played(ladder, tmp_path, capsys):
    upload_all(ladder)
    play(ladder, 20)
    copy = tmp_path / "copy.noughts"
    shares = []

    def meanwhile(share):
        shares.append(share)
        play(ladder, 2)

    count = ladder.count()
    ladder.file.backup(copy, meanwhile)
    assert shares[-1] == 1
    assert ladder.count() > count
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with TournamentFile(copy) as file:
        seen = ladder_in(file)
        assert seen.count() == count
        assert file.rows("PRAGMA integrity_check") == [("ok",)]
        assert [entry.version for entry in seen.entries.all()] == [entry.version for entry in ladder.entries.all()]
    assert main(["ladder", "backup", str(ladder.file.path), str(copy), "--json"]) == 0, "an earlier backup is replaced"
    for missing in (f"{tmp_path}/backups/", f"{tmp_path}/backups/copy.noughts"):
        assert main(["ladder", "backup", str(ladder.file.path), missing]) == 2
        assert "does not exist; create it first" in capsys.readouterr().err
    assert not (tmp_path / "backups").exists()
    (tmp_path / "backups").mkdir()
    assert main(["ladder", "backup", str(ladder.file.path), str(tmp_path / "backups")]) == 0
    assert len(list((tmp_path / "backups").glob("class-*.noughts"))) == 1
    (tmp_path / "thesis.txt").write_text("mine")
    for target in (tmp_path / "thesis.txt", ladder.file.path):
        assert main(["ladder", "backup", str(ladder.file.path), str(target)]) == 2
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    assert "name another file" in capsys.readouterr().err


# Friendly matches.


def test_a_team_plays_a_yardstick_or_a_willing_team_on_demand_and_no_rating_changes(ladder):
    upload_all(ladder)
    play(ladder, 60)
    with pytest.raises(UploadRefused, match="does not play friendly matches"):
        ask_for_friendly(ladder, "ants", "bees")
    ladder.entries.set_willing("bees", willing=True)
    before, rated = ladder.count(), len(ladder.results())
    for opponent in ("bees", "random"):
        ask_for_friendly(ladder, "ants", opponent)
    fixtures = [fixture for fixture in play(ladder, 30) if fixture.stage == FRIENDLY]
    assert sorted(fixture[:2] for fixture in fixtures) == [
        ("ants", "bees"),
        ("ants", "random"),
        ("bees", "ants"),
        ("random", "ants"),
    ]
    assert len(ladder.results()) - rated == ladder.count() - before
    requested = ladder_team.team_view(ladder, "ants", team("ants"))["friendlies"]
    assert [len(match["games"]) for match in requested["matches"]] == [2, 2]
    assert requested["left"] == 1
    theirs = ladder_team.team_view(ladder, "bees", team("bees"))["friendlies"]
    assert [match["opponent"] for match in theirs["matches"]] == ["ants"]
    number = requested["matches"][0]["games"][0]["number"]
    (row,) = ladder.game_rows(number=number, everything=True)
    assert team("ants").sees_game(row)
    assert not PUBLIC.sees_game(row)
    assert not any(game["number"] == number for game in ladder_team.games(ladder, STAFF, "ants", count=1000))


def test_friendly_matches_are_limited_a_day_and_those_that_wait_count(ladder, clock):
    upload_all(ladder)
    play(ladder, 30)
    for _ in range(3):
        ask_for_friendly(ladder, "ants", "random")
    for hours in (0, 25):
        clock.jump(hours=hours)
        with pytest.raises(UploadRefused, match="3 matches within a day"):
            ask_for_friendly(ladder, "ants", "random")
    play(ladder, 40)
    assert ask_for_friendly(ladder, "ants", "random")


def test_every_second_batch_is_rated_whatever_teams_ask_for(ladder):
    upload_all(ladder)
    play(ladder, 20)
    ladder.change_settings(friendlies=100)
    for _ in range(20):
        ask_for_friendly(ladder, "ants", "random")
    stages = [fixture.stage for fixture in play(ladder, 20)]
    assert stages.count(LADDER) >= 10


# Clocks, and machines that sleep.


@pytest.mark.parametrize("hours", [10, -24 * 40])
def test_a_clock_that_jumps_or_a_night_asleep_loses_nothing_and_plays_nothing_twice(ladder, clock, hours):
    upload_all(ladder)
    schedule = schedule_of(ladder)
    batches = schedule.batches(ladder)
    first = next(batches)
    clock.jump(hours=hours)
    ladder = reopened(ladder)
    assert [entry.candidate_id is not None for entry in ladder.entries.all() if not entry.staff] == [True] * 3
    play(ladder, 40)
    clock.jump(hours=-hours / 2)
    play(ladder, 15)
    rows = list(ladder.game_rows(everything=True, replays=False))
    places = [(row["stage"], row["round"], row["first"], row["second"], row["first_version"]) for row in rows]
    assert len(set(places)) == len(places)
    assert len({row["number"] for row in rows}) == len(rows)
    assert first
    for row in ladder_view.leaderboard(ladder):
        curve = ladder_team.curve(ladder, row["team"])
        assert [point["games"] for point in curve] == sorted(point["games"] for point in curve)
    queue = ladder_view.queue(ladder)
    assert queue["gate_seconds"]["median"] >= 0
    assert submit(ladder, "ants", bot("later")).version == 2
    ladder.file.close()


def test_a_check_during_which_the_clock_was_set_ahead_has_no_time(tmp_path, clock):
    ladder = new_ladder(tmp_path / "class.noughts", clock=clock)
    submit(ladder, "ants", bot("ants"))
    clock.jump(days=365 * 80)
    assert [one["seconds"] for one in ladder_view.queue(ladder)["waiting"]] == [None]
    play(ladder, 60)
    queue = ladder_view.queue(ladder)
    assert queue["gate_seconds"] is None
    assert queue["rated_seconds"] is None
    clock.jump(days=-365 * 80)
    submit(ladder, "bees", bot("bees"))
    clock.jump(seconds=20)
    assert [one["seconds"] for one in ladder_view.queue(ladder)["waiting"]] == [20.0]
    play(ladder, 60)
    assert ladder_view.queue(ladder)["gate_seconds"] == {"median": 20.0, "p95": 20.0}
    ladder.file.close()


def test_uploads_in_a_future_that_a_clock_has_left_do_not_count_against_a_team(ladder, clock):
    ladder.change_settings(uploads=2)
    clock.jump(days=1)
    for number in range(2):
        submit(ladder, "ants", bot(number))
    clock.jump(days=-1)
    assert submit(ladder, "ants", bot("now")).version == 3


# A full disk.


def test_games_pause_on_a_full_disk_and_go_on_by_themselves_when_there_is_room(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("noughts.tournaments.ladder_runner.FAILURE_SECONDS", 0.05)
    ladder = new_ladder(tmp_path / "class.noughts", clock=utc_now)
    upload_all(ladder)
    play(ladder, 20)
    path, before = ladder.file.path, ladder.count()
    ladder.file.close()

    def invented(_conditions, batches, _watch, _server):
        """Plays no bots: games by chance."""
        for batch in batches:
            if batch is None:
                return
            for pairing in batch:
                time.sleep(0.001)
                yield made(runner.ladder, pairing)

    runner = LadderRunner(path, gate_of, invented, reviews=False)
    runner.file.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    ((pages,),) = runner.file.rows("PRAGMA page_count")
    runner.file.rows(f"PRAGMA max_page_count = {pages + 5}")
    runner.start()
    try:
        with TournamentFile(path) as file:
            seen, ends = ladder_in(file), time.monotonic() + 600
            while "is full" not in runner.failure and time.monotonic() < ends:
                time.sleep(0.02)
            assert "is full" in runner.failure
            assert main(["ladder", "status", str(path)]) == 0
            assert "paused: the disk of class.noughts is full" in " ".join(capsys.readouterr().out.split())
            assert ladder_view.leaderboard(seen), "the page stays"
            with pytest.raises(StoreError, match="is full"):
                runner.submit("ants", bot("#" * 100_000))
            paused = seen.count()
            runner.file.rows("PRAGMA max_page_count = 1000000")
            while seen.count() < paused + 6 and time.monotonic() < ends:
                time.sleep(0.02)
            assert seen.count() >= paused + 6 > before
            assert runner.failure == ""
            numbers = [row["number"] for row in seen.game_rows(everything=True, replays=False)]
            assert len(numbers) == len(set(numbers))
    finally:
        runner.close()


# Games that tell nothing new.


def test_a_game_that_repeats_an_earlier_one_has_no_weight_and_such_a_pair_does_not_meet_again(ladder):
    class Same:
        """Luck that never changes."""

        def choice(self, moves):
            return moves[0]

    upload_all(ladder, "ants", "bees")
    fixtures = play(ladder, 200, luck=Same())
    meetings = [frozenset(fixture[:2]) for fixture in fixtures if fixture.stage == LADDER]
    assert len(meetings) < 60, "all pairs are certain, and the ladder rests"
    assert max(map(meetings.count, meetings)) == 4, "a second meeting tells that there is nothing new"
    repeated = ladder.file.rows(
        "SELECT count(*), count(repeated) FROM game JOIN fixture ON fixture.id = fixture WHERE stage = ?", LADDER
    )
    assert repeated[0][0] == 2 * repeated[0][1]
    submit(ladder, "ants", bot("by chance"))
    assert len(play(ladder, 60, luck=random.Random(3))) >= 60


# Links.


def test_a_new_link_takes_the_place_of_the_old_one_in_the_file_of_links(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text("team,name,id,email\nants,=1+1,1,\nbees,Cem,3,\n")
    path = tmp_path / "class.noughts"
    create = ["ladder", "create", str(path), "--game", "classic", "--roster", str(tmp_path / "roster.csv")]
    assert main([*create, "--deadline", "2027-02-24T23:55+05:30", "--pseudonyms"]) == 0
    links = tmp_path / "class-links.csv"
    before = links.read_text().splitlines()
    capsys.readouterr()
    assert main(["ladder", "link", str(path), "ants"]) == 0
    said = capsys.readouterr()
    after = links.read_text().splitlines()
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False, True]
    assert said.out.strip() in after[2]
    assert "class-links.csv is updated" in said.err
    assert stat.S_IMODE(links.stat().st_mode) == 0o600
    with TournamentFile(path) as file:
        assert ladder_in(file).settings.deadline == "2027-02-24T18:25:00.000+00:00"


def test_links_that_work_on_this_machine_only_are_named_and_corrected(tmp_path, capsys, monkeypatch):
    (tmp_path / "roster.csv").write_text("team,name,id,email\nants,http://x/join#y,1,\nbees,Cem,3,\n")
    path, links = tmp_path / "class.noughts", tmp_path / "class-links.csv"
    roster = ["--game", "classic", "--roster", str(tmp_path / "roster.csv")]
    assert main(["ladder", "create", str(path), *roster]) == 0
    assert "the links work on this machine only" in capsys.readouterr().out
    before = links.read_text()
    monkeypatch.setattr("noughts.commands.serve.serve_page", lambda *_args, **_options: None)
    network = ["serve", "--file", str(path), "--host", "0.0.0.0", "--games", str(tmp_path / "games.sqlite")]
    proxy = ["serve", "--file", str(path), "--proxy", "127.0.0.1", "--name", "class.example", *network[-2:]]
    assert main(["serve", "--file", str(path), *network[-2:]]) == 0
    assert "ladder change" not in capsys.readouterr().err, "on this machine they work"
    port = ["serve", "--file", str(path), "--port", "8766", *network[-2:]]
    addresses = (port, r"http://\S+:8766"), (network, r"http://\S+:8765"), (proxy, "https://class.example")
    for served, address in addresses:
        assert main(served) == 0
        command = re.search(rf"noughts (ladder change .* --url {address})\n", capsys.readouterr().err)[1]
        assert main(shlex.split(command)) == 0
        assert "send them out again" in capsys.readouterr().err
        assert main(served) == 0
        assert "ladder change" not in capsys.readouterr().err
    assert links.read_text() == before.replace("http://localhost:8765/join", "https://class.example/join")
    assert stat.S_IMODE(links.stat().st_mode) == 0o600
    assert main(["ladder", "link", str(path), "bees"]) == 0
    assert capsys.readouterr().out.startswith("https://class.example/join#")
    links.unlink()
    assert main(["ladder", "change", str(path), "--url", "https://other.example"]) == 0
    assert "noughts ladder link" in capsys.readouterr().err


# Pseudonyms, from the command line.


def test_commands_for_the_public_keep_pseudonyms_and_a_report_is_for_staff(tmp_path, capsys):
    ladder = new_ladder(tmp_path / "class.noughts", pseudonyms=True)
    upload_all(ladder)
    play(ladder, 40)
    path = str(ladder.file.path)
    ladder.file.close()
    assert main(["tournament", "games", path, "--public", "--json"]) == 0
    text = capsys.readouterr().out
    assert not [name for name in ("ants", "bees", "cats") if f'"{name}"' in text]
    assert main(["tournament", "games", path, "--for", "ants", "--json"]) == 0
    text = capsys.readouterr().out
    assert '"ants"' in text
    assert '"bees"' not in text
    assert main(["report", path, "--no-analysis", "--public"]) == 2
    assert "pseudonyms" in capsys.readouterr().err
    assert main(["ladder", "change", path, "--names", "real"]) == 0
    assert main(["tournament", "games", path, "--public", "--json"]) == 0
    assert '"ants"' in capsys.readouterr().out
