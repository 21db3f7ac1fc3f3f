"""Who a request comes from, and what is left of it: tokens, cookies, links, caches, single sign-on, proxies."""

import asyncio
import gc
import http.client
import json
import socket
import time
from contextlib import ExitStack

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from ladder_world import new_ladder
from serving import Server, ladder_app, unplayed
from starlette.testclient import TestClient

from noughts.cli import main
from noughts.course.roster import Roster, Student
from noughts.database import Database
from noughts.matches.store_file import utc_now
from noughts.tournaments.ladder import set_token
from noughts.tournaments.visibility import PUBLIC
from noughts.web import SignOn, token_hash
from noughts.web._fair_pool import FairThreadPool
from noughts.web._quotas import Share
from noughts.web._watching import LiveFeed

TOKENS = {"ants": "aaaa-" * 5, "bees": "bbbb-" * 5, None: "ssss-" * 5}
PROXY, SITE = "192.0.2.7", "class.example"
SECRET = "only-the-proxy-knows"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    ladder = new_ladder(tmp_path_factory.mktemp("ladder") / "class.noughts", clock=utc_now)
    for name, token in TOKENS.items():
        set_token(ladder, name, token_hash(token))
    ladder.file.close()
    with unplayed(ladder.file.path) as service:
        yield service


@pytest.fixture
def app(service, tmp_path):
    roster = [Student("ants", "Ann", "100", "ann@example.org"), Student("bees", "Bo", "a7", "")]
    twice = [Student("ants", "Cy", "9", ""), Student("bees", "Di", "9", "")]
    member = lambda student: service.member_called(student.team)  # noqa: E731
    sign_on = SignOn.by_roster("x-remote-user", Roster([*roster, *twice]), ["boss@example.org"], member, SECRET)
    more = {"proxies": (PROXY,), "names": (SITE,), "sign_on": sign_on, "games": tmp_path / "games.sqlite"}
    return ladder_app(service, **more)


@pytest.fixture
def client(app):
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def secure(client, app):
    """A client by HTTPS, through the proxy."""
    headers = {"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.5", "host": SITE}
    return TestClient(app, base_url=f"https://{SITE}", client=(PROXY, 5000), headers=headers)


def bearer(team):
    return {"authorization": f"Bearer {TOKENS[team]}"}


def who(answer):
    return answer.json()["you"]["team"] or answer.json()["you"]["audience"]


# Caches.


def test_no_cache_keeps_what_depends_on_a_token(client):
    asked = ["", "/queue", "/teams/ants", "/teams/ants/logs.zip", "/backup.noughts", "/everything.zip"]
    for path in [f"/api/ladder{path}" for path in asked] + ["/", "/ladder", "/ladder/staff", "/favicon.ico", "/api/me"]:
        for headers in (bearer(None), {}, {"accept": "text/html"}, {"authorization": "Bearer wrong"}):
            answer = client.get(path, headers=headers, follow_redirects=False)
            assert answer.headers["cache-control"] == "no-store", (path, headers, answer.status_code)
    assert client.post("/join", json={"token": TOKENS["ants"]}).headers["cache-control"] == "no-store"
    shared = client.get("/static/board.js")
    assert shared.headers["cache-control"] == "no-cache"
    assert client.get("/static/board.js", headers={"if-none-match": shared.headers["etag"]}).status_code == 304


# Cookies and links.


def test_by_https_the_cookie_is_one_that_no_other_host_can_set(secure):
    cookie = secure.post("/join", json={"token": TOKENS["ants"]}).headers["set-cookie"]
    assert cookie.startswith("__Host-noughts_join=")
    assert "Secure" in cookie
    assert "Path=/;" in cookie
    assert "Domain" not in cookie
    assert who(secure.get("/api/ladder")) == "ants"
    secure.cookies.clear()
    set_by_a_sibling = {"cookie": f"noughts_join={TOKENS['bees']}"}
    assert who(secure.get("/api/ladder", headers=set_by_a_sibling)) == "public"


def test_the_link_of_another_team_asks_before_it_ends_a_session(client):
    assert client.post("/join", json={"token": TOKENS["ants"]}).status_code == 200
    assert client.post("/join", json={"token": TOKENS["ants"]}).status_code == 200, "it is the same team"
    for team, name in (("bees", "bees"), (None, "staff")):
        answer = client.post("/join", json={"token": TOKENS[team]})
        assert answer.status_code == 409
        assert (answer.json()["now"], answer.json()["new"]) == ("ants", name)
        assert "set-cookie" not in answer.headers
        assert who(client.get("/api/ladder")) == "ants"
    assert client.post("/join", json={"token": TOKENS["bees"], "replace": True}).json()["home"] == "/ladder/team/bees"
    assert who(client.get("/api/ladder")) == "bees"


def test_a_cookie_whose_token_ended_is_deleted_and_does_not_stand_in_the_way_of_a_new_link(client):
    gone = {"cookie": "noughts_join=gone"}
    answer = client.get("/api/ladder", headers=gone)
    assert who(answer) == "public"
    assert answer.headers["set-cookie"].startswith("noughts_join=; Max-Age=0")
    joined = client.post("/join", json={"token": TOKENS["ants"]}, headers=gone)
    assert joined.status_code == 200
    assert joined.headers.get_list("set-cookie")[-1].startswith(f"noughts_join={TOKENS['ants']}")


@pytest.mark.parametrize("path", ["/api/ladder", "/api/me", "/ladder", "/", "/replay"])
@pytest.mark.parametrize("way", ["authorization", "cookie"])
def test_wrong_tokens_are_counted_on_every_path_and_right_ones_are_always_taken(client, path, way):
    def guess(token):
        said = {"authorization": f"Bearer {token}", "cookie": f"noughts_join={token}"}[way]
        headers = {way: said, "accept": "text/html"}
        return client.get(path, headers=headers, follow_redirects=False).status_code

    answers = [guess(f"wrong{number}") for number in range(100)]
    refused = answers.index(429)
    assert refused <= 11
    assert set(answers[refused:]) <= {429, answers[0]}
    assert answers.count(429) >= 85
    assert guess(TOKENS["ants"]) == 200


@pytest.mark.parametrize("path", ["/join", "/static/join.js"])
def test_paths_that_count_no_tokens_do_not_tell_right_from_wrong_ones(client, path):
    def answer(token):
        reply = client.get(path, headers={"cookie": f"noughts_join={token}", "authorization": f"Bearer {token}"})
        return reply.status_code, reply.headers.items(), reply.content

    assert answer("wrong") == answer(TOKENS["ants"])


@pytest.mark.parametrize(("path", "lookups"), [("/static/board.js", 0), ("/join", 0), ("/api/ladder", 1)])
@pytest.mark.parametrize("way", ["authorization", "cookie"])
def test_a_token_is_looked_up_by_one_statement_and_not_for_files_that_all_may_see(
    client, path, lookups, way, monkeypatch
):
    statements = []
    execute = Database.execute

    def counted(self, sql, *values):
        statements.append(sql)
        return execute(self, sql, *values)

    monkeypatch.setattr(Database, "execute", counted)
    said = {"authorization": f"Bearer {TOKENS['ants']}", "cookie": f"noughts_join={TOKENS['ants']}"}[way]
    assert client.get(path, headers={way: said}).status_code == 200
    assert sum("FROM token" in sql for sql in statements) == lookups
    if not lookups:
        assert statements == []


# Single sign-on.


def signed_on(app, user, peer=PROXY, secret=SECRET, headers=()):
    client = TestClient(app, base_url="http://127.0.0.1", client=(peer, 5000), raise_server_exceptions=False)
    return client.get("/api/ladder", headers=[("x-remote-user", user), ("x-sign-on-secret", secret), *headers])


def test_who_signed_on_is_exactly_who_the_roster_names(client, app):
    for user, team in (("100", "ants"), ("a7", "bees"), ("Ann@Example.org", "ants"), ("BOSS@example.org", "staff")):
        assert who(signed_on(app, user)) == team
    for user in ("participant 100", "Participant100", "A7", "１００", "100 ", "9", "Ann", "ann@example.orɡ", ""):
        assert who(signed_on(app, user.encode())) == ("ants" if user == "100 " else "public"), user


def test_other_users_of_the_proxys_machine_cannot_pass_for_it(client, app):
    for secret in ("", "wrong", f"{SECRET}x"):
        answer = signed_on(app, "100", secret=secret)
        assert answer.status_code == 403
        assert "its secret" in answer.json()["error"]
    assert signed_on(app, "100", headers=[("x-sign-on-secret", SECRET)]).status_code == 400
    assert who(signed_on(app, "100")) == "ants"


def test_serve_needs_the_proxys_secret_and_keeps_it_for_its_owner_alone(tmp_path, capsys):
    from noughts import web

    (tmp_path / "roster.csv").write_text("team,name,id,email\nants,Ann,100,\n")
    command = ["serve", "--proxy", PROXY, "--name", SITE, "--members", str(tmp_path / "roster.csv")]
    assert main([*command, "--sign-on", "X-Remote-User"]) == 2
    assert "--sign-on-secret FILE" in capsys.readouterr().err
    assert main([*command, "--sign-on", "X-Sign-On-Secret", "--sign-on-secret", str(tmp_path / "secret")]) == 2
    assert "header of your proxy" in capsys.readouterr().err
    web.kept_token(tmp_path / "secret", web.MEMBER_GROUPS)
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0
    assert len((tmp_path / "secret").read_text().strip()) == 24


def test_a_proxy_of_ipv4_is_recognised_through_a_socket_of_ipv6(client, app):
    assert who(signed_on(app, "100", f"::ffff:{PROXY}")) == "ants"
    assert signed_on(app, "100", "::ffff:192.0.2.8").status_code == 403


def test_a_server_on_every_address_trusts_its_proxy_of_ipv4(tmp_path):
    try:
        with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True):
            pass
    except (OSError, ValueError):
        pytest.skip("this machine has no IPv6")
    (tmp_path / "token").write_text("abcd-efgh-jkmn\n")
    served = Server(
        tmp_path, "--host", "::", "--proxy", "127.0.0.1", "--name", SITE, "--token", str(tmp_path / "token")
    )
    headers = {"host": SITE, "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.5"}
    answer = served.http.post("/join", json={"token": "abcd-efgh-jkmn"}, headers=headers)
    served.stop()
    assert answer.status_code == 200
    assert "Secure" in answer.headers["set-cookie"]


# What is left of requests.


def feeds():
    return [thing for thing in gc.get_objects() if type(thing) is LiveFeed]  # a weak proxy may be dead


def test_numbers_of_files_that_do_not_exist_make_no_feeds_and_feeds_end_with_their_watchers(client, caplog):
    head = {"host": "127.0.0.1", **bearer(None)}
    with ExitStack() as stack:
        sockets = [
            stack.enter_context(client.websocket_connect(f"/live/watch/{number}?name=ladder", headers=head))
            for number in (*range(-3, 25), 10**30)
        ]
        kinds = [json.loads(one.receive_text())["type"] for one in sockets]
        assert kinds.count("watch") == 2, "the ladder by its number, and by that which stands for it"
        assert kinds.count("gone") == len(kinds) - 2
        assert len(feeds()) == 1
    ends = time.monotonic() + 60
    while feeds() and time.monotonic() < ends:
        time.sleep(0.01)
    assert not feeds()
    assert not [record for record in caplog.records if record.exc_info]


def test_a_client_that_leaves_in_the_middle_of_a_body_leaves_no_traceback(tmp_path):
    served = Server(tmp_path)
    for path in ("/api/replays", "/join", "/api/play", "/api/ladder/versions"):
        leaving = http.client.HTTPConnection("127.0.0.1", served.port)
        leaving.putrequest("POST", path)
        leaving.putheader("content-type", "application/json")
        leaving.putheader("content-length", "1000")
        leaving.endheaders(b'{"token": ')
        time.sleep(0.1)
        leaving.close()
    assert served.http.get("/api/me").status_code == 200
    _, err = served.stop()
    assert "Traceback" not in err


def test_feeds_that_have_to_wait_log_no_error_and_go_on(caplog):
    class Source:
        reads = 0

        def snapshot(self, visibility):
            time.sleep(0.01)
            self.reads += 1
            return {"reads": self.reads}

    async def watched():
        pool = FairThreadPool(1, "test", Share("reads", 1, 2))
        sources = [Source() for _ in range(8)]
        feeds = [LiveFeed(source, PUBLIC, pool, 0.001) for source in sources]
        events = [feed.watch() for feed in feeds]
        while min(source.reads for source in sources) < 2:
            await asyncio.sleep(0.01)
        for feed, event in zip(feeds, events, strict=True):
            feed.unwatch(event)
        pool.close()
        return [json.loads(feed.message) for feed in feeds]

    assert all("error" not in message for message in asyncio.run(watched()))
    assert not caplog.records
