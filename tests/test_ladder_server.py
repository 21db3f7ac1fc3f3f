"""The ladder over HTTP: uploads, who sees what, refusals; and a server that is killed while it is used."""

import json
import random
import re
import shutil

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from kill_ladder import disturb, made, require_whole
from serving import ladder_app, unplayed
from starlette.testclient import TestClient

import noughts
from noughts.cli import main
from noughts.matches.store_file import StoreError
from noughts.tournaments._ladder import LADDER
from noughts.tournaments.ladder import create_ladder, ladder_in, set_token
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.visibility import STAFF
from noughts.web import LadderService, token_hash

BOT = b"def choose(state, clock):\n    return state.legal_actions()[0]\n"
TOKENS = {"ants": "a" * 20, "bees": "b" * 20, None: "s" * 20}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    path = tmp_path_factory.mktemp("ladder") / "class.noughts"
    with TournamentFile(path, write=True) as file:
        game = noughts.load_game("classic")
        ladder = create_ladder(
            file, game, Settings(format=LADDER, seconds=2.0, uploads=4), ["ants", "bees"], ["random"]
        )
        for team, token in TOKENS.items():
            set_token(ladder, team, token_hash(token))
    with unplayed(path) as service:
        yield service


@pytest.fixture(scope="module")
def client(service):
    with TestClient(ladder_app(service), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


def of(team):
    return {"authorization": f"Bearer {TOKENS[team]}"}


def test_an_upload_is_answered_with_its_version_and_where_its_gate_is_followed(client):
    answer = client.post("/api/ladder/versions?file=bot.py", content=BOT, headers=of("ants"))
    assert answer.status_code == 201
    reply = answer.json()
    assert (reply["team"], reply["version"]) == ("ants", 1)
    gate = client.get(reply["check"], headers=of("ants")).json()
    assert (gate["state"], gate["of"]) == ("waiting", 5)
    assert client.get(reply["link"]).status_code == 200
    again = client.post("/api/ladder/versions?file=bot.py", content=BOT, headers=of("ants"))
    assert (again.status_code, again.json()["version"]) == (200, 1)


def test_nobody_uploads_for_another_team_or_without_a_token(client):
    assert client.post("/api/ladder/versions", content=BOT).status_code == 401
    stranger = {"authorization": "Bearer cccccccccccc"}
    answer = client.post("/api/ladder/versions", content=BOT, headers=stranger)
    assert answer.status_code == 401
    assert "does not know that token" in answer.json()["error"]
    assert client.post("/api/ladder/versions", content=BOT, headers=of(None)).status_code == 401


def test_each_request_sees_what_its_audience_may_see(client):
    client.post("/api/ladder/versions", content=BOT + b"# bees\n", headers=of("bees"))
    place = "/api/ladder/teams/bees/versions/1"
    assert client.get(place, headers=of("bees")).status_code == 200
    assert client.get(place, headers=of(None)).status_code == 200
    assert client.get(place, headers=of("ants")).status_code == 404
    assert client.get(place).status_code == 404
    logs = "/api/ladder/teams/bees/logs.zip"
    assert [client.get(logs, headers=of(who)).status_code for who in ("bees", None, "ants")] == [200, 200, 403]
    queue = "/api/ladder/queue"
    assert [client.get(queue, headers=of(who)).status_code for who in ("bees", None)] == [403, 200]
    assert client.get("/api/ladder", headers=of("ants")).json()["you"] == {"audience": "team", "team": "ants"}


def test_the_public_sees_the_leaderboard_and_nothing_else_of_the_server(client):
    reply = client.get("/api/ladder").json()
    assert {row["team"] for row in reply["board"]} == {"ants", "bees", "random"}
    assert reply["you"]["audience"] == "public"
    assert client.get("/api/ladder/games").json() == []
    assert client.get("/api/games").status_code == 401
    assert client.post("/api/play", json={"game": "classic", "opponent": "random"}).status_code == 401


def test_a_link_opens_the_page_of_its_team_and_the_public_opens_replays(client):
    homes = [client.post("/join", json={"token": TOKENS[who]}).json()["home"] for who in ("ants", None)]
    client.cookies.clear()
    assert homes == ["/ladder/team/ants", "/ladder"]
    page = client.get("/replay?kept=file&number=1&file=0&name=ladder")
    assert page.status_code == 200
    assert '<a href="/ladder">' in page.text


def test_beyond_this_machine_a_page_without_https_knows_that_it_is_not_secure(client):
    reply = [client.get(f"{base}/api/ladder").json()["secure"] for base in ("http://127.0.0.1", "http://192.0.2.7")]
    assert reply == [True, False]


def test_what_is_not_there_is_said_in_a_sentence(client):
    for place in ("/api/ladder/teams/nobody", "/api/ladder/teams/ants/versions/99", "/api/ladder/games/7/review"):
        answer = client.get(place, headers=of("ants"))
        assert answer.status_code == 404
        assert answer.json()["error"]


def test_uploads_are_limited_in_an_hour_and_in_size(client):
    answer = client.post("/api/ladder/versions", content=b"#" * (2 << 20), headers=of("ants"))
    assert answer.status_code == 413
    for number in range(10):
        answer = client.post("/api/ladder/versions", content=BOT + b"#" * (number + 9), headers=of("ants"))
        if answer.status_code != 201:
            break
    assert answer.status_code == 429
    assert re.search(r"try again in \d+ minute", answer.json()["error"])


def test_a_full_disk_refuses_uploads_in_a_sentence_and_the_page_stays(client, service, monkeypatch):
    def full(*_):
        raise StoreError(f"the disk of {service.path} is full")

    monkeypatch.setattr(service.runner, "submit", full)
    answer = client.post("/api/ladder/versions", content=BOT + b"# full\n", headers=of("bees"))
    assert answer.status_code == 507
    assert "nothing was stored" in answer.json()["error"]
    assert str(service.path) not in answer.text
    assert client.get("/api/ladder").status_code == 200


def test_a_link_that_was_made_anew_ends_the_old_one_at_once(client, service, capsys):
    assert main(["ladder", "link", str(service.path), "bees", "--url", "https://class.example"]) == 0
    token = capsys.readouterr().out.strip().partition("#")[2]
    assert client.get("/api/ladder", headers=of("bees")).json()["you"]["audience"] == "public"
    fresh = {"authorization": f"Bearer {token}"}
    assert client.get("/api/ladder", headers=fresh).json()["you"]["team"] == "bees"


def test_a_check_takes_game_limits_and_rules_from_the_ladder(client, monkeypatch, tmp_path, capsys):
    (tmp_path / "bot.py").write_bytes(BOT)
    command = ["check", str(tmp_path / "bot.py"), "--for", "http://127.0.0.1/join#abcd", "--quick", "--json"]
    monkeypatch.setattr("noughts.commands.check.ask", lambda link, path: client.get(path).json())
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["move_seconds"] == 2.0
    reply = client.get("/api/ladder").json()
    reply["gate"]["settings"]["name_rule"] = "team{number}.py"
    monkeypatch.setattr("noughts.commands.check.ask", lambda link, path: reply)
    assert main(command) == 1
    assert "the file is called bot.py" in json.loads(capsys.readouterr().out)["reason"]
    for gate in (None, [], {"game": "nonsense"}, {"game": "classic", "settings": {"seconds": "2"}}):
        reply["gate"] = gate
        assert main(command) == 2
        assert "describes no ladder" in capsys.readouterr().err
    reply["gate"] = {"game": "classic", "settings": {"seconds": 1e12}}
    assert main(command) == 2
    assert "time limit must be" in capsys.readouterr().err


def test_a_server_that_stops_leaves_one_file_that_has_everything(tmp_path):
    file = made(tmp_path)
    service = LadderService(file)
    team = next(row["team"] for row in service.board(STAFF) if not row["yardstick"])
    assert service.runner.submit(team, BOT).version == 1
    service.close()
    assert not list(tmp_path.glob("*.noughts-*"))
    with TournamentFile(shutil.copy(file, tmp_path / "copy.noughts")) as copy:
        assert any(entry.name == team and entry.candidate_id for entry in ladder_in(copy).entries.all())


def test_a_server_that_is_killed_loses_no_upload_and_no_game(tmp_path):
    """`python tests/kill_ladder.py 50` does it 50 times."""
    file = made(tmp_path)
    accepted = disturb(file, kills=2, random=random.Random(7), longest=2.0)
    assert accepted
    require_whole(file, accepted)
