"""Who sees what: bots that print, crash and answer with secrets, and every output for every audience."""

import io
import json
import zipfile
from contextlib import suppress

import pytest
from test_cli import run_command
from test_report import packed
from tournament_play import tournament_in

import noughts
from noughts.course.export import export
from noughts.course.marks import Mark, marks_of
from noughts.course.rules import gate_of
from noughts.matches.machine import Machine
from noughts.matches.record import Exchange, GameRecord
from noughts.matches.store_file import StoreError
from noughts.report import gather, write_report
from noughts.sandbox import Fault
from noughts.sandbox.source import BotSource
from noughts.tournaments.organiser import run_of
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC, STAFF, team

BOTS = {
    "printer": "    print('{secret} printed')\n    return state.legal_actions()[0]",
    "crasher": "    if len(state.history()) > 2:\n        raise KeyError('{secret} raised')  # {secret} in the source\n"
    "    return state.legal_actions()[0]",
    "babbler": "    print('{secret} printed')\n    return '{secret} returned' if state.history() else 0",
    "unready": "    return 0\nraise ValueError('{secret} at loading')",
}
AUDIENCES = {"public": PUBLIC, "staff": STAFF, **{name: team(name) for name in BOTS}}


def secret(name):
    return f"secret-of-{name}"


def told_in(text):
    """Whose secrets are in a text."""
    return {name for name in BOTS if secret(name) in text}


def expected(audience):
    return set(BOTS) if audience == "staff" else {audience} & set(BOTS)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A tournament that all of them play in, though three of them fail at the gate."""
    path = tmp_path_factory.mktemp("class") / "class.noughts"
    tournament = tournament_in(path, players=())
    games = []
    for admit in ("passing", "all"):
        tournament.change_settings(admit=admit)
        for name, body in BOTS.items():
            text = f"def choose(state, clock):\n{body.format(secret=secret(name))}\n"
            tournament.entries.enter(name, BotSource("bot.py", None, text))
        with suppress(StoreError):  # at first only one passes
            games += run_of(tournament, gate_of(tournament)).play()
    assert len(games) > 12
    tournament.file.close()
    return path


@pytest.fixture(scope="module")
def tournament(file):
    with TournamentFile(file) as opened:
        yield opened.tournament()


def seeds_in(text, tournament):
    """The secret seeds in a text; those of the gate's games are the same for everybody."""
    query = "SELECT seed FROM game JOIN fixture ON fixture.id = fixture WHERE stage <> 'gate'"
    return [seed for (seed,) in tournament.file.rows(query) if str(seed) in text]


def option(audience):
    return {"public": [], "staff": ["--staff"]}.get(audience, ["--for", audience])


@pytest.mark.parametrize("audience", AUDIENCES)
def test_the_report_tells_an_audience_its_own_secrets(tournament, audience, tmp_path):
    (page,) = write_report(
        gather(
            TournamentView(tournament), AUDIENCES[audience], map(Mark.to_data, marks_of(TournamentView(tournament)))
        ),
        tmp_path / "report.html",
    )
    head, data = packed(page.read_text())
    text = page.read_text() + json.dumps([head, data])
    assert told_in(text) == expected(audience)
    assert seeds_in(text, tournament) == []
    assert "crashed" in json.dumps(head["faults"]), "everybody sees that it crashed"


@pytest.mark.parametrize("audience", AUDIENCES)
def test_the_list_of_games_tells_an_audience_its_own_secrets(file, tournament, audience, capsys):
    for words in ([], ["--json"], ["--json", "--all"] if audience != "public" else ["--json", "--public"]):
        code, out, err = run_command(capsys, "tournament", "games", str(file), *words, *option(audience))
        assert code == 0, err
        assert told_in(out) <= expected(audience)
        assert seeds_in(out, tournament) == []
    found = {name for name in expected(audience) if name != "printer"}  # prints are in no list
    assert told_in(out) == found
    stages = {game["stage"] for game in json.loads(out) if audience not in ("staff", *game["players"])}
    assert stages <= {"league"}, "the gate's games are nobody else's business"


def test_the_export_gives_a_team_its_own_secrets(tournament, tmp_path, capsys):
    export(TournamentView(tournament), tmp_path)
    for name in BOTS:
        texts = {}
        with zipfile.ZipFile(io.BytesIO((tmp_path / "teams" / f"{name}.zip").read_bytes())) as file:
            file.extractall(tmp_path / name)
            texts = {member: file.read(member).decode() for member in file.namelist()}
        texts["results"] = (tmp_path / "gradescope" / name / "results.json").read_text()
        replays = [member for member in texts if member.endswith(".json")]
        assert any(member.startswith("check/") for member in replays)
        for member in replays[:3]:
            for words in (["log", "--prints", "x"], ["log", "--prints", "o"], ["replay", "--json"]):
                texts[f"{words}{member}"] = run_command(capsys, words[0], str(tmp_path / name / member), *words[1:])[1]
        assert told_in(" ".join(texts.values())) == {name}
        assert seeds_in(" ".join(texts.values()), tournament) == []
    assert "(line 3)" in (tmp_path / "crasher" / "faults.txt").read_text()


def test_the_page_of_a_class_tells_nobodys_secrets_and_that_of_this_machine_all(file, tournament, tmp_path):
    pytest.importorskip("fastapi")
    from starlette.testclient import TestClient

    from noughts.web import Settings
    from noughts.web._app import make_app

    for host, audience in (("0.0.0.0", "public"), ("127.0.0.1", "staff")):
        settings = Settings(host=host, games=tmp_path / f"{host}.sqlite", workers=1, tournaments=(file,))
        with TestClient(make_app(settings), base_url="http://127.0.0.1") as client:
            texts = [client.get(path).text for path in ("/", "/api/tournaments", "/api/tournaments/games?name=main")]
            visible = set()
            for game in tournament.game_rows(everything=True):
                for kind in ("", "/json", "/log"):
                    answer = client.get(f"/api/replays/file/{game['number']}{kind}", params={"name": "main"})
                    if answer.status_code == 200:
                        visible.add(game["stage"])
                        texts.append(answer.text)
            with client.websocket_connect("/live/watch/0?name=main", headers={"host": "127.0.0.1"}) as socket:
                texts.append(json.dumps(socket.receive_json()))
        assert "crashed" in texts[-1], "Watch shows that somebody crashed"
        assert visible == ({"league", "gate"} if audience == "staff" else {"league"})
        assert told_in(" ".join(texts)) == expected(audience)
        assert seeds_in(" ".join(texts), tournament) == []


@pytest.mark.parametrize("audience", AUDIENCES)
def test_watch_and_replays_tell_an_audience_its_own_secrets(file, tournament, audience):
    pytest.importorskip("fastapi")
    from noughts.matches.runner import Moved
    from noughts.tournaments.live import LiveGames
    from noughts.web._archive import GameArchive, record_data
    from noughts.web._quotas import Quotas
    from noughts.web._watching import TournamentSource

    archive, seen_by = GameArchive([file], Quotas().upload_bytes), AUDIENCES[audience]
    records = [archive.game(0, "main", game["number"], seen_by) for game in tournament.game_rows(everything=True)]
    texts = [json.dumps(record_data(record)) for record in records if record is not None]
    with TournamentFile(file, write=True) as playing, LiveGames(playing.tournament()) as live:
        live.moved(Moved(98, ("printer", "_random"), (4,), 0.1))
        live._next = float("-inf")
        live.moved(Moved(99, ("printer", "crasher"), (4,), 0.1))
        seen = TournamentSource(file, "main").snapshot(AUDIENCES[audience])
    texts += [json.dumps(seen), json.dumps(archive.games(0, "main", None, -1, seen_by))]
    assert told_in(" ".join(texts)) == expected(audience)
    numbers = [one["number"] for one in seen["playing"]]
    assert numbers == ([98, 99] if audience in ("staff", "printer") else [99])


def test_what_the_words_of_a_fault_are_replaced_by_says_its_kind():
    assert PUBLIC.fault(Fault("memory", "out of memory: secret", 7, "trace"), "a") == Fault("memory", "out of memory")
    assert team("a").fault(Fault("crash", "secret", 7, "trace"), "a").line == 7


def test_of_a_game_a_team_sees_its_own_side():
    record = GameRecord(noughts.load_game("classic"), ("a", "b"), 77, moves=[4, 0], seconds=[0.1, 0.2])
    record.prints, record.warnings = {0: "of a", 1: "of b", 2: "of a"}, ["warned a", "warned b"]
    record.exchanges = [Exchange(n, n, [{"role": "user", "content": "asked"}], "said", 0.1) for n in (0, 1)]
    record.machine, record.speed = Machine("host", "cpu", 1), 2.0
    record.end_by_fault(0, Fault("crash", "crashed: of a", 3, "trace"))
    assert STAFF.game(record) == record
    seen = team("b").game(record)
    assert (seen.prints, seen.warnings, [each.player for each in seen.exchanges]) == (
        {1: "of b"},
        [None, "warned b"],
        [1],
    )
    assert (seen.fault, seen.machine, seen.seed) == (Fault("crash", "crashed"), None, 77)
    assert team("a").game(record).prints == {0: "of a", 2: "of a"}
    assert PUBLIC.game(record).prints == {}
    assert noughts.matches.replays.from_json(noughts.matches.replays.to_json(seen)) == seen
