"""Who plays next on a ladder, if bots keep the processes that play busy for very different times; and what an upload
costs whom.
"""

import pytest
from ladder_world import Clock, bot, new_ladder, play, reopened, schedule_of, upload_all

from noughts.cli import main
from noughts.course.rules import gate_of
from noughts.sandbox import SandboxError
from noughts.tournaments import ladder_team, ladder_view
from noughts.tournaments._ladder import LADDER
from noughts.tournaments._worker_time import EQUAL_SECONDS, HALF_LIFE, WorkerTime
from noughts.tournaments.ladder import UploadRefused, ask_for_friendly, submit
from noughts.tournaments.ladder_runner import LadderRunner
from noughts.tournaments.visibility import team

TEAMS = [f"team{number}" for number in range(8)]
NAP, QUICK = 7.0, 0.02


def sleeps(name):
    """The seconds of a game of team0, which sleeps, and of the others."""
    return NAP if name == "team0" else QUICK


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ladder(tmp_path, clock):
    ladder = new_ladder(tmp_path / "class.noughts", TEAMS, clock=clock)
    yield ladder
    ladder.file.close()


# Worker time.


def test_a_bot_that_sleeps_uses_no_more_worker_time_than_the_others(ladder):
    upload_all(ladder)
    play(ladder, 40, seconds=sleeps)
    fixtures = play(ladder, 200, seconds=sleeps)
    slept = [fixture for fixture in fixtures if "team0" in fixture[:2]]
    assert NAP * len(slept) <= 2 * NAP, "it has used more at the gate than the others in all of these games"
    assert len(fixtures) == 200


def test_a_bot_that_sleeps_plays_on_when_the_others_rest(ladder):
    upload_all(ladder)
    fixtures = play(ladder, 6000, seconds=sleeps)
    assert sum("team0" in fixture[:2] for fixture in fixtures if fixture.stage == LADDER) > 20


def test_a_meeting_charges_each_side_for_its_own_time(ladder):
    upload_all(ladder, "team0", "team1")
    play(ladder, 40, seconds=sleeps)
    used, entries = WorkerTime(ladder), {entry.name: entry.id for entry in ladder.entries.all()}
    assert used.of(entries["team0"]) >= 2 * NAP, "against itself, it has both seats"
    assert used.of(entries["team1"]) < 1.0
    assert used.level(entries["team1"]) == 0 < used.level(entries["team0"])


def test_old_time_counts_less_and_a_new_process_knows_the_time_that_was_used(ladder, clock):
    upload_all(ladder, "team0")
    play(ladder, 10, seconds=sleeps)
    entry = ladder.entries.find("team0").id
    used = WorkerTime(ladder).of(entry)
    again = reopened(ladder)
    assert WorkerTime(again).of(entry) == pytest.approx(used)
    clock.jump(seconds=3 * HALF_LIFE)
    assert WorkerTime(again).of(entry) == pytest.approx(used / 8)
    clock.jump(days=-365 * 60)
    assert WorkerTime(again).of(entry) == pytest.approx(used), "a clock that jumps back harms nobody"
    clock.jump(days=365 * 120)
    assert WorkerTime(again).of(entry) < EQUAL_SECONDS
    again.file.close()


# The gate.


@pytest.mark.parametrize("begun", [1, 15])
def test_an_honest_version_behind_sleepers_waits_for_no_game_but_the_one_in_play(ladder, begun):
    sleepers = TEAMS[1:]
    upload_all(ladder, *sleepers)
    schedule = schedule_of(ladder)
    assert len(play(ladder, begun, schedule=schedule, seconds=lambda _: NAP)) == begun
    submit(ladder, "team0", bot("honest"))
    schedule.poll_soon()
    fixtures = play(ladder, 5, schedule=schedule, seconds=lambda name: NAP if name in sleepers else QUICK)
    assert all("team0" in fixture[:2] for fixture in fixtures)
    next(schedule.batches(ladder))
    assert ladder.entries.find("team0").plays


def test_teams_at_the_gate_take_turns_by_time_and_not_by_games(ladder):
    upload_all(ladder, "team0", "team1")
    fixtures = play(ladder, 6, seconds=sleeps)
    assert sum("team0" in fixture[:2] for fixture in fixtures) <= 1


def test_gates_of_sleepers_take_no_more_than_half_of_the_time_while_others_have_games(ladder):
    upload_all(ladder)
    fixtures = play(ladder, 1000, seconds=sleeps)
    gate = sum(sleeps(name) for fixture in fixtures if fixture.stage == "gate" for name in fixture[:2] if name in TEAMS)
    others = sum(sleeps(name) for fixture in fixtures if fixture.stage != "gate" for name in fixture[:2])
    assert ladder.entries.find("team0").plays, "and still it gets its verdict"
    assert gate <= 2 * others + 2 * NAP


def test_friendly_matches_of_a_sleeper_wait_too(ladder):
    upload_all(ladder)
    play(ladder, 50)
    entry = ladder.entries.find("team0").id
    play(ladder, seconds=sleeps, until=lambda: WorkerTime(ladder).of(entry) >= NAP)
    ask_for_friendly(ladder, "team0", "random")
    ask_for_friendly(ladder, "team1", "random")
    fixtures = [fixture[:2] for fixture in play(ladder, 20, seconds=sleeps) if fixture.stage == "friendly"]
    assert sorted(fixtures) == [("random", "team1"), ("team1", "random")]


# What is refused at the upload.


@pytest.fixture
def runner(tmp_path):
    """A ladder with a rule for names, which is not played."""
    new_ladder(tmp_path / "named.noughts", ["ants", "team7"], name_rule="team{number}.py").file.close()
    runner = LadderRunner(tmp_path / "named.noughts", gate_of, reviews=False)
    yield runner
    runner.close()


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("ants.py", bot("well"), "the file is called ants.py; the assignment requires team[{]number[}].py"),
        ("team7.py", b"def choose(state, clock)\n    return 0\n", "syntax error: expected ':' [(]line 1"),
        ("team7.py", b"x = " + b"(" * 5000, "syntax error|memory|nested"),
        (
            "team7.py",
            b"LIMIT = 3\nclass Team7:\n    def move(self, board, old_move, flag):\n        return (0, 0)\n",
            "against the submission rules: line 1: LIMIT = 3 is outside the class",
        ),
        ("team7.py", b"class Team7:\n    def move(self, board):\n        return (0, 0)\n", "signature does not fit"),
    ],
)
def test_what_needs_no_playing_is_refused_at_once_and_replaces_nothing(runner, file, text, why):
    waiting = runner.submit("ants", bot("first"), "team1.py")
    with pytest.raises(UploadRefused, match=f"was not stored: .*({why})") as refused:
        runner.submit("ants", text, file)
    assert refused.value.status == 422
    view = ladder_team.team_view(runner.ladder, "ants", team("ants"))
    assert [(row["version"], row["state"]) for row in view["versions"]] == [(waiting.version, "at the gate")]


def test_the_process_of_the_server_parses_no_upload(runner, monkeypatch):
    def parsed(*_, **__):
        raise AssertionError("parsed here")

    for parser in ("ast.parse", "builtins.compile", "tokenize.tokenize", "py2bots.reading.tokens"):
        monkeypatch.setattr(parser, parsed)
    assert runner.submit("ants", bot("well"), "team1.py").version == 1
    with pytest.raises(UploadRefused, match="syntax error"):
        runner.submit("team7", b"x = (", "team7.py")


def test_the_same_text_under_the_right_name_is_taken(runner):
    with pytest.raises(UploadRefused):
        runner.submit("team7", bot("well"), "ants.py")
    upload = runner.submit("team7", bot("well"), "team7.py")
    assert (upload.version, upload.is_new) == (1, True)


def test_a_paste_has_the_name_of_its_team(runner):
    assert runner.submit("team7", bot("pasted")).version == 1


def test_remarks_from_reading_are_in_the_words_of_the_check(tmp_path):
    ladder = new_ladder(tmp_path / "class.noughts", ["ants"])
    ladder.file.close()
    runner = LadderRunner(tmp_path / "class.noughts", gate_of, reviews=False)
    try:
        text = bot("remark") + b"def odd(x):\n    return x is 3\n"
        runner.submit("ants", text)
        play(runner.ladder, 6)
        words = ladder_team.gate_view(runner.ladder, "ants", 1, team("ants"))["words"]
        assert "compares identity" in str(words["findings"])
    finally:
        runner.close()


def test_uploads_are_refused_while_nothing_can_be_read(runner, monkeypatch):
    def gone(*_, **__):
        raise SandboxError("this system cannot confine a bot")

    monkeypatch.setattr("noughts.bots.gate.start_process", gone)
    with pytest.raises(UploadRefused, match="nothing was stored; try again later") as refused:
        runner.submit("ants", bot("well"), "team1.py")
    assert refused.value.status == 507


# A version that fails gives its place back.


def test_a_version_that_fails_gives_its_place_back_to_the_one_that_waited(ladder):
    """Two in a row, as of a student in a hurry."""
    submit(ladder, "team0", bot("well"))
    first = ladder.entries.find("team0").candidate_id
    for text in ("fails", "fails too"):
        submit(ladder, "team0", bot(text))

    def crashes(name, stage):
        return name == "team0" and ladder.entries.find("team0").candidate_id != first

    for number, waits in ((3, 2), (2, 1)):
        version = ladder.entries.find("team0").candidate_id
        play(ladder, 6, crashes)
        ladder.in_flight.clear()
        assert ladder.entries.gate_result(version)
        entry = ladder.entries.find("team0")
        states = {row["version"]: row["state"] for row in ladder_team.versions(ladder, entry, team("team0"))}
        assert (states[number], states[waits]) == ("failed", "at the gate")
    play(ladder, 6, crashes)
    entry = ladder.entries.find("team0")
    assert entry.version == 1
    (notice,) = ladder_team.notices(entry, is_open=True)
    assert notice.startswith("Your latest version does not play. Version 1 keeps playing.")


def test_a_version_that_fails_brings_back_none_from_before_the_one_that_plays(ladder):
    submit(ladder, "team0", bot("never checked"))
    submit(ladder, "team0", bot("well"))
    play(ladder, 6)
    submit(ladder, "team0", bot("fails"))
    play(ladder, 10, lambda name, stage: name == "team0" and stage == "gate")
    entry = ladder.entries.find("team0")
    assert (entry.version, entry.candidate_id) == (2, None)


def test_no_message_promises_a_version_to_a_team_that_has_none(ladder):
    submit(ladder, "team0", bot("fails"))
    play(ladder, 10, lambda name, stage: name == "team0")
    view = ladder_team.gate_view(ladder, "team0", 1, team("team0"))
    assert (view["state"], view["plays"]) == ("failed", None)
    (notice,) = ladder_team.notices(ladder.entries.find("team0"), is_open=True)
    assert "Your team has no version that plays." in notice


# Limits that staff sets.


def test_the_versions_of_a_team_have_room_for_so_many_bytes(tmp_path, capsys):
    ladder = new_ladder(tmp_path / "class.noughts", ["ants", "bees"], storage=1 << 20)
    big = bot("x" * 600_000)
    assert submit(ladder, "ants", big).version == 1
    with pytest.raises(UploadRefused, match=r"take 0.6 MB of 1 MB.*ask the staff for more room") as refused:
        submit(ladder, "ants", big + b"#")
    assert refused.value.status == 413
    assert submit(ladder, "ants", big).is_new is False, "the same file takes no more room"
    assert submit(ladder, "ants", bot("small")).version == 2
    assert submit(ladder, "bees", big).version == 1
    assert main(["ladder", "change", str(ladder.file.path), "--storage", "2"]) == 0
    assert "storage: 2 MB" in capsys.readouterr().out
    assert submit(ladder, "ants", big + b"#").version == 3
    ladder.file.close()


def test_a_bot_loads_within_two_seconds_on_a_ladder_unless_staff_says_otherwise(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text("team,name,id,email\nants,Ann,1,\n")
    path = str(tmp_path / "class.noughts")
    create = ["ladder", "create", path, "--game", "classic", "--roster", str(tmp_path / "roster.csv")]
    assert main(create) == 0
    runner = LadderRunner(path, gate_of, reviews=False)
    try:
        assert gate_of(runner.ladder).limits.load_seconds == 2.0
        schedule = schedule_of(runner.ladder)
        assert not schedule.is_outdated
        assert main(["ladder", "change", path, "--load-time", "5"]) == 0
        assert schedule.is_outdated, "the games that follow have the new limit"
        assert gate_of(runner.ladder).limits.load_seconds == 5.0
    finally:
        runner.close()
    assert main(["ladder", "change", path, "--load-time", "0"]) == 2
    assert "--load-time" in capsys.readouterr().err


def test_the_queue_of_a_version_is_the_number_of_others_that_wait(ladder):
    upload_all(ladder, "team0", "team1", "team2")
    assert ladder_team.gate_view(ladder, "team1", 1, team("team1"))["others"] == 2
    assert len(ladder_view.queue(ladder)["waiting"]) == 3
