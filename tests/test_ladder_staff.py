"""The ladder over HTTP for a term: what staff changes, what teams ask for, pseudonyms, single sign-on."""

import io
import json
import zipfile

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from ladder_world import bot, new_ladder, play, upload_all
from serving import ladder_app, unplayed
from starlette.testclient import TestClient

from noughts.course.roster import Roster, Student
from noughts.matches.store_file import timestamp, utc_now
from noughts.tournaments.ladder import ladder_in, set_token
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.visibility import PUBLIC, team
from noughts.web import SignOn, links_path, token_hash, write_links

TEAMS = ("ants", "bees", "cats", "dogs", "eels", "foxes", "gnus")
TOKENS = {name: name * 6 for name in TEAMS} | {None: "s" * 20}
HEADER = "x-remote-user"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A ladder with some games that is served and not played."""
    ladder = new_ladder(tmp_path_factory.mktemp("ladder") / "class.noughts", TEAMS, clock=utc_now, pseudonyms=True)
    upload_all(ladder)
    play(ladder, 160)
    for name, token in TOKENS.items():
        set_token(ladder, name, token_hash(token))
    ladder.file.close()
    with unplayed(ladder.file.path) as service:
        yield service


@pytest.fixture(scope="module")
def app(service):
    roster = Roster([Student("ants", "Ann", "100231", "ann@example.org"), Student("nobody", "Bo", "7", "")])
    sign_on = SignOn.by_roster(HEADER, roster, ["boss"], lambda student: service.member_called(student.team))
    return ladder_app(service, proxies=("192.0.2.7",), names=("class.example",), sign_on=sign_on)


@pytest.fixture(scope="module")
def client(app):
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


def of(name):
    return {"authorization": f"Bearer {TOKENS[name]}"}


def staff(client, action, **data):
    return client.post(f"/api/ladder/staff/{action}", json=data, headers=of(None))


# Staff.


def test_only_staff_changes_a_ladder(client):
    for who in ({}, of("ants")):
        assert client.post("/api/ladder/staff/suspend", json={"team": "bees"}, headers=who).status_code == 403
        for place in ("backup.noughts", "everything.zip", "queue"):
            assert client.get(f"/api/ladder/{place}", headers=who).status_code == 403


def test_staff_suspends_and_resumes_and_the_team_reads_why(client):
    assert staff(client, "suspend", team="bees", reason="see us").json() == {"done": "suspend"}
    answer = client.post("/api/ladder/versions", content=bot("more"), headers=of("bees"))
    assert (answer.status_code, answer.json()["error"]) == (403, "your team is suspended; ask the staff")
    answer = client.post("/api/ladder/friendlies", json={"opponent": "random"}, headers=of("bees"))
    assert (answer.status_code, answer.json()["error"]) == (403, "your team is suspended; ask the staff")
    notices = client.get("/api/ladder/teams/bees", headers=of("bees")).json()["notices"]
    assert notices == ["Your team is suspended: see us. Ask the staff."]
    assert client.get("/api/ladder/queue", headers=of(None)).json()["suspended"] == [
        {"team": "bees", "reason": "see us"}
    ]
    assert staff(client, "resume", team="bees").status_code == 200
    assert client.get("/api/ladder/teams/bees", headers=of("bees")).json()["notices"] == []
    assert staff(client, "suspend", team="random").status_code == 404
    assert staff(client, "suspend").status_code == 422
    assert staff(client, "requeue", team="ants").json()["waits"] is False


def test_staff_sets_the_deadline_and_after_it_uploads_are_refused_everywhere(client):
    reply = client.get("/api/ladder").json()
    assert (reply["deadline"], reply["open"]) == (None, True)
    at = timestamp(utc_now())
    assert staff(client, "deadline", deadline=at).status_code == 200
    reply = client.get("/api/ladder").json()
    assert reply["open"] is False
    assert reply["now"] >= reply["deadline"] == at
    answer = client.post("/api/ladder/versions", content=bot("late"), headers=of("ants"))
    assert answer.status_code == 403
    assert "the deadline was" in answer.json()["error"]
    assert staff(client, "deadline", deadline="2027-02-24T23:55").status_code == 422
    assert staff(client, "deadline", deadline="none").status_code == 200


def test_staff_freezes_and_unfreezes(client):
    assert staff(client, "freeze").status_code == 200
    assert client.post("/api/ladder/versions", content=bot("late"), headers=of("ants")).status_code == 403
    assert staff(client, "suspend", team="ants").status_code == 409
    for path, wish in (("friendlies", {"opponent": "random"}), ("willing", {"willing": True})):
        answer = client.post(f"/api/ladder/{path}", json=wish, headers=of("ants"))
        assert (answer.status_code, answer.json()["error"]) == (403, "this ladder is frozen and plays no games")
    assert staff(client, "unfreeze").status_code == 200
    assert client.get("/api/ladder").json()["frozen"] is None


def test_staff_makes_a_new_link_and_the_old_one_ends(client, service):
    links = links_path(service.path)
    people = [("gnus", "Ann", "1", ""), ("eels", "Bo", "2", "")]
    write_links(links, people, [f"http://localhost/join#{TOKENS[person[0]]}" for person in people])
    reply = staff(client, "link", team="gnus").json()
    link, others = reply["link"], links.read_text().splitlines()[2]
    assert reply["kept"]
    assert links.read_text().splitlines()[1] == f"gnus,Ann,1,,{link}"
    assert TOKENS["eels"] in others
    token = link.partition("/join#")[2]
    assert client.get("/api/ladder", headers=of("gnus")).json()["you"]["audience"] == "public"
    fresh = {"authorization": f"Bearer {token}"}
    assert client.get("/api/ladder", headers=fresh).json()["you"]["team"] == "gnus"
    set_token(service.runner.ladder, "gnus", token_hash(TOKENS["gnus"]))  # for the other tests


def test_staff_downloads_a_backup_and_everything(client, service, tmp_path):
    data = client.get("/api/ladder/backup.noughts", headers=of(None)).content
    (tmp_path / "copy.noughts").write_bytes(data)
    with TournamentFile(tmp_path / "copy.noughts") as file:
        assert ladder_in(file).count() == service.store.count()
    whole = zipfile.ZipFile(io.BytesIO(client.get("/api/ladder/everything.zip", headers=of(None)).content))
    names = set(whole.namelist())
    assert {"class.noughts", "leaderboard.csv", "bots/ants.py"} <= names
    assert whole.read("bots/ants.py") == bot("ants")
    assert whole.read("leaderboard.csv").decode().splitlines()[0].startswith("team,alias")


def test_the_queue_says_how_long_it_takes_until_a_version_is_rated(client):
    reply = client.get("/api/ladder/queue", headers=of(None)).json()
    assert reply["rated_seconds"]["median"] >= reply["gate_seconds"]["median"]
    assert reply["workers"] >= 1


# What teams ask for.


def test_a_team_asks_for_friendly_matches_by_the_names_that_it_sees(client, service):
    assert client.post("/api/ladder/friendlies", json={"opponent": "random"}).status_code == 401
    assert client.post("/api/ladder/friendlies", json={"opponent": "random"}, headers=of("ants")).status_code == 201
    assert client.post("/api/ladder/friendlies", json={"opponent": "bees"}, headers=of("ants")).status_code == 404
    alias = service.store.aliases["bees"]
    assert client.post("/api/ladder/friendlies", json={"opponent": alias}, headers=of("ants")).status_code == 403
    assert client.post("/api/ladder/willing", json={"willing": True}, headers=of("bees")).status_code == 200
    assert client.post("/api/ladder/friendlies", json={"opponent": alias}, headers=of("ants")).status_code == 201
    reply = client.get("/api/ladder/teams/ants", headers=of("ants")).json()["friendlies"]
    assert [match["opponent"] for match in reply["matches"]] == [alias, "random"]
    assert alias in reply["opponents"]
    assert "bees" not in str(reply)


def test_positions_to_try_are_those_of_the_team_alone(client):
    place = "/api/ladder/teams/ants/positions.json"
    assert client.get(place, headers=of("ants")).status_code == 404
    assert "reviewed" in client.get(place, headers=of("ants")).json()["error"]
    assert client.get(place, headers=of("bees")).status_code == 404


# Pseudonyms.


def test_with_pseudonyms_a_team_sees_its_place_and_its_neighbours_and_no_name_of_another_team(client):
    whole = client.get("/api/ladder", headers=of(None)).json()
    teams = [row for row in whole["board"] if not row["yardstick"]]
    assert {row["team"] for row in teams} == set(TEAMS)
    assert all(row["alias"] for row in teams)
    last = max(teams, key=lambda row: row["place"])["team"]
    seen = client.get("/api/ladder", headers=of(last)).json()
    places = [row["place"] for row in seen["board"] if not row["yardstick"]]
    assert places == [5, 6, 7]
    assert seen["teams"] == 7
    public = client.get("/api/ladder").json()
    assert [row["team"] for row in public["board"]] == [row["team"] for row in whole["board"] if row["yardstick"]]


def test_no_answer_to_a_team_or_the_public_has_the_name_of_another_team(client, service):
    number = client.get("/api/ladder/games", headers=of(None)).json()[0]["number"]
    replay = f"/api/replays/file/{number}?file=0&name=ladder"
    places = ["", "/games", "/games?team=bees", "/teams/bees", "/teams/bees/versions/1", "/teams/ants"]
    places = [f"/api/ladder{place}" for place in places] + [replay, "/api/tournaments/games?file=0&name=ladder"]
    others = set(TEAMS) - {"ants"}
    assert [client.get(place, headers=of(None)).status_code for place in places] == [200] * len(places)
    for who in (of("ants"), {}):
        for place in places:
            text = client.get(place, headers=who).text
            assert not [name for name in others if f'"{name}"' in text], (place, who)
    logs = client.get("/api/ladder/teams/ants/logs.zip", headers=of("ants")).content
    whole = zipfile.ZipFile(io.BytesIO(logs))
    again = [client.get("/api/ladder/teams/ants/logs.zip", headers=of("ants")).status_code for _ in range(3)]
    assert again == [200, 200, 429], "they take a core for a while"
    text = "".join(whole.namelist()) + "".join(whole.read(name).decode() for name in whole.namelist())
    assert "ants" in text
    assert not [name for name in others if name in text]
    for who in (team("ants"), PUBLIC):
        assert not [name for name in others if f'"{name}"' in json.dumps(service.snapshot(who))]


def test_a_team_that_is_hidden_and_one_that_does_not_exist_have_the_same_answer(client):
    for place in ("/api/ladder/games?team=", "/api/ladder/teams/"):
        answers = [client.get(place + name, headers=who) for name in ("bees", "nobody") for who in (of("ants"), {})]
        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.text for answer in answers}) == 1
        assert not [name for name in TEAMS if name in answers[0].text]


def test_staff_shows_the_real_names_and_hides_them_again_under_the_same_pseudonyms(client, service):
    aliases = dict(service.store.aliases)
    assert staff(client, "names", pseudonyms=False).status_code == 200
    assert client.get("/api/ladder/teams/bees").json()["team"] == "bees"
    assert staff(client, "names", pseudonyms=True).status_code == 200
    assert client.get("/api/ladder/teams/bees").status_code == 404
    assert service.store.aliases == aliases


def test_the_page_of_another_team_is_not_there(client):
    assert client.get("/api/ladder/teams/bees", headers=of("ants")).status_code == 404
    assert client.get("/api/ladder/teams/random", headers=of("ants")).status_code == 200
    assert client.get("/api/ladder/teams/bees", headers=of(None)).status_code == 200


# Single sign-on.


def signed_on(app, user, peer="192.0.2.7", **more):
    """Who the server takes a request for, that comes from a peer."""
    client = TestClient(app, base_url="http://127.0.0.1", client=(peer, 5000), raise_server_exceptions=False)
    return client.get("/api/ladder", headers={HEADER: user, **more})


def test_the_proxy_says_who_signed_on_by_the_id_or_the_email_of_the_roster(client, app):
    for user in ("100231", "ANN@example.org"):
        assert signed_on(app, user).json()["you"] == {"audience": "team", "team": "ants"}
    assert signed_on(app, "boss").json()["you"]["audience"] == "staff"
    for user in ("stranger", "", "7", "staff"):
        assert signed_on(app, user).json()["you"]["audience"] == "public"


def test_from_any_other_address_the_header_is_refused(client, app):
    for peer in ("192.0.2.8", "127.0.0.1"):
        answer = signed_on(app, "boss", peer)
        assert answer.status_code == 403
        assert "only the proxy" in answer.json()["error"]
    forged = signed_on(app, "boss", "192.0.2.8", **{"x-forwarded-for": "192.0.2.7"})
    assert forged.status_code == 403
    behind = signed_on(app, "boss", **{"x-forwarded-for": "203.0.113.5"})
    assert behind.json()["you"]["audience"] == "staff", "whoever is behind the proxy"


def test_a_header_that_came_twice_is_refused(client, app):
    twice = TestClient(app, base_url="http://127.0.0.1", client=("192.0.2.7", 5000))
    answer = twice.get("/api/ladder", headers=[(HEADER, "boss"), (HEADER, "100231")])
    assert answer.status_code == 400


def test_without_sign_on_the_header_means_nothing(service):
    app = ladder_app(service, games=service.path.with_name("more.sqlite"))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/api/ladder", headers={HEADER: "boss"}).json()["you"]["audience"] == "public"
