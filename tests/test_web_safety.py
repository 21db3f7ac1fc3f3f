"""What anybody may send to the page's server: odd hosts, foreign pages, misshapen messages, rules and names."""

from __future__ import annotations

import json
import socket
from dataclasses import replace

import pytest

import noughts

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import uploaded
from websockets.exceptions import ConnectionClosed, InvalidStatus


def test_no_text_from_outside_names_a_file_with_a_game(server, tmp_path):
    trap = tmp_path / "trap.py"
    mark = tmp_path / "was-run"
    trap.write_text(f"open({str(mark)!r}, 'w')\nG = 1\n")
    for path in ("/api/play", "/api/positions", "/api/analysis"):
        body = {"game": f"{trap}:G"[:40] if path != "/api/play" else f"{trap}:G"[-40:]}
        if path == "/api/play":
            body["opponent"] = "random"
        answer = server.http.post(path, json=body)
        assert answer.status_code in (400, 422)
    with server.live("/live/analysis") as analysis:
        analysis.send(json.dumps({"type": "analyse", "number": 1, "game": f"{trap}:G"[-40:]}))
        assert "there is no such game" in analysis.recv(timeout=240)
    assert not mark.exists()


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "127.0.0.1@evil.example"]
)
def test_a_foreign_host_name_is_refused(server, host):
    with socket.create_connection(("127.0.0.1", server.port)) as plain:
        plain.sendall(f"GET /api/games HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert b" 421 " in plain.makefile("rb").readline() or not host


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_another_page_changes_nothing_and_opens_no_socket(server, headers):
    answer = server.http.post("/api/play", json={"game": "classic", "opponent": "random"}, headers=headers)
    assert answer.status_code == 403
    with pytest.raises(InvalidStatus):
        server.live("/live/analysis", additional_headers=headers).close()


def test_every_answer_forbids_what_the_page_does_not_need(server):
    for path in ("/", "/api/games", "/static/board.js", "/nothing", "/embed"):
        headers = server.http.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        framed = path == "/embed"
        assert ("frame-ancestors *" in policy) == framed
        assert ("x-frame-options" in headers) != framed


def test_people_get_a_page_where_there_is_none_and_programs_a_sentence(server):
    browsers = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    for path, headers in (("/nosuch", {}), ("/api/nosuch", browsers), ("/static/nosuch.js", browsers)):
        answer = server.http.get(path, headers=headers)
        assert answer.status_code == 404
        assert answer.json()["error"].startswith("there is no")
    answer = server.http.get("/nosuch", headers=browsers)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "Page not found" in answer.text


def test_files_outside_the_list_are_not_served(server):
    for path in ("/static/../_app.py", "/static/%2e%2e%2f_app.py", "/static/_app.py", "/static//etc/passwd"):
        assert server.http.get(path).status_code in (404, 405)


@pytest.mark.parametrize(
    "message",
    [
        "", "x", "[]", "null", "{}", '{"type":"move"}', '{"type":"nothing"}', '{"type":"move","cell":"4"}',
        '{"type":"move","cell":-1}', '{"type":"move","cell":1e99}', '{"type":"move","cell":4,"path":"/etc/passwd"}',
        '{"type":"move","text":"' + "9" * 41 + '"}', '{"type":"move","cell":true}', "[" * 500,
        '{"type":"hello","key":5}',
    ],
)  # fmt: skip
def test_a_misshapen_message_is_refused_and_the_game_goes_on(server, message):
    with server.seat(server.new_game("classic", "random")) as seat:
        seat.my_turn()
        seat.socket.send(message)
        assert seat.message("error")["error"]
        seat.say(type="move", text="4")
        assert seat.until(lambda game: len(game["moves"]) >= 1)


def test_a_message_that_is_too_large_or_comes_too_often_ends_the_connection(server):
    with server.seat(server.new_game("classic", "random")) as seat:
        seat.my_turn()
        seat.socket.send("x" * 9000)
        with pytest.raises(ConnectionClosed):
            seat.message("nothing")
    with server.seat(server.new_game("classic", "random")) as seat, pytest.raises(ConnectionClosed):
        flood(seat, 400)


def flood(seat, count):
    for _ in range(count):
        seat.say(type="nonsense")
    seat.message("nothing")


def test_a_body_that_is_too_large_is_not_read(server):
    for path in ("/api/play", "/api/replays"):
        for body in (b"x" * (5 << 20), (b"x" * (1 << 16) for _ in range(80))):  # the second tells no size
            answer = server.http.post(path, content=body, headers={"content-type": "application/json"})
            assert (answer.status_code, answer.json()) == (413, {"error": "a request here must have at most 4096 KB"})


SECRET = "minimax of depth 3"


def telling_record():
    """A game that a bot lost by a fault, after it had said too much everywhere."""
    from noughts.matches.record import Exchange, GameRecord
    from noughts.sandbox import Fault

    record = GameRecord(noughts.load_game("classic"), ("team 1", "team 2"), moves=[4, 0], seconds=[0.1, 0.2])
    record.prints, record.warnings = {0: SECRET, 2: SECRET}, [SECRET, None]
    record.exchanges = [Exchange(0, 0, [{"role": "user", "content": SECRET}], SECRET, 0.1)]
    record.end_by_fault(0, Fault("crash", "crashed: ZeroDivisionError", 77, SECRET))
    return record


def test_no_way_to_take_a_game_of_a_match_along_tells_a_class_what_the_bots_said(inside):
    from noughts.web._watching import MatchSource

    record = telling_record()
    source = MatchSource(record.game, record.players, 1)
    source.ended(record)
    for local in (False, True):
        client = inside(source, host="127.0.0.1" if local else "0.0.0.0")
        texts = {}
        for kind in ("", "/json", "/log", "/svg", "/gif"):
            answer = client.get(f"/api/replays/file/0{kind}", params={"file": -1})
            assert answer.status_code == 200
            texts[kind] = answer.content.decode("latin-1")
        kinds = [kind for kind, text in texts.items() if SECRET in text]
        assert kinds == (["", "/json"] if local else [])
        assert ('"line":77' in texts["/json"]) == local
        assert ("ZeroDivisionError" in texts[""]) == local
        assert "crashed" in texts[""], "everybody sees how it ended"


def test_rules_that_somebody_sent_are_searched_and_never_solved(inside, monkeypatch):

    import noughts.solving
    from noughts.game import Game
    from noughts.matches.record import GameRecord
    from noughts.matches.replays import to_json

    solved = []
    solve = noughts.solving.solve
    monkeypatch.setattr(noughts.solving, "solve", lambda game, **more: solved.append(game) or solve(game, **more))
    classic = noughts.load_game("classic")
    own = Game(replace(classic.rules, name="classic", title="Classic of my own"))
    client = inside()
    for game, exact in ((own, False), (classic, True)):
        record = GameRecord(game, ("a", "b"), moves=[0, 4], seconds=[0, 0])
        record.reason = "unfinished"
        number = client.post("/api/replays", content=to_json(record)).json()["id"]
        with client.websocket_connect(f"/live/review/upload/{number}", headers={"host": "127.0.0.1"}) as curve:
            while curve.receive_json()["type"] != "done":
                pass
        assert set(solved) == ({classic} if exact else set())
        # Analysis knows listed games alone: of others it would show another game's board.
        assert client.get(f"/api/replays/upload/{number}").json()["built_in"] is exact


@pytest.mark.parametrize("others", ["a[b]=1; ", 'x="; ', "é=ü; ", "; ;=; ", '{"json":1}; '])
def test_cookies_of_others_do_not_keep_anybody_out(inside, others):
    client = inside(token="abcd-efgh-jkmn")
    cookie = f"{others}noughts_join=abcd-efgh-jkmn; {others}".encode("latin-1")
    assert client.get("/api/games", headers={"cookie": cookie}).status_code == 200
    assert client.get("/api/games", headers={"cookie": others.encode("latin-1")}).status_code == 401


def test_odd_hosts_and_huge_numbers_are_refused_in_a_sentence(inside, tmp_path):
    client = inside()
    for host in ("[", "[::1", "]", "a[b]"):
        answer = client.get("/api/games", headers={"host": host})
        assert (answer.status_code, "another name" in answer.text) == (421, True)
    client = inside(tournaments=(tournament_file(tmp_path),))
    for kept in ("play", "upload", "file"):
        assert client.get(f"/api/replays/{kept}/{'9' * 40}", params={"name": "t"}).status_code == 404


def tournament_file(folder):
    """A tournament "t" in which nobody has played."""
    from noughts.tournaments.settings import Settings
    from noughts.tournaments.store import TournamentFile

    with TournamentFile(folder / "class.noughts", write=True) as file:
        file.create("t", noughts.load_game("classic"), Settings())
    return folder / "class.noughts"


@pytest.mark.parametrize("path", ["/live/play/{id}", "/live/analysis"])
def test_a_binary_message_ends_the_connection_and_nothing_else(server, path):
    with server.live(path.format(**server.new_game("classic", "random"))) as link:
        link.send(b"\x00\x01")
        with pytest.raises(ConnectionClosed) as closed:
            read_on(link)
    assert closed.value.rcvd.code == 1003


def read_on(link):
    while True:
        link.recv(timeout=240)


def test_a_replay_with_any_names_is_shown(inside):
    client = inside()
    number = uploaded(client, players=("x\ud800", "y\x1b[2J"))
    reply = client.get(f"/api/replays/upload/{number}")
    assert reply.status_code == 200
    assert reply.json()["players"] == ["x\ufffd", "y\ufffd[2J"]
    assert client.get(f"/api/replays/upload/{number}/json").status_code == 200


def test_errors_of_tournament_files_name_no_folder(inside, tmp_path):
    path = tournament_file(tmp_path)
    client = inside(tournaments=(path,))
    answer = client.get("/api/tournaments/games", params={"file": 0, "name": "nothing"})
    assert (answer.status_code, "in class.noughts" in answer.json()["error"]) == (400, True)
    path.unlink()
    for address in ("/api/tournaments", "/api/replays/file/1?name=t"):
        error = client.get(address).json()["error"]
        assert str(tmp_path) not in error


def test_a_client_that_has_not_joined_sends_little(inside):
    client = inside(token="abcd-efgh-jkmn")
    answer = client.post("/join", json={"token": "x" * 2000})
    assert (answer.status_code, answer.json()["error"]) == (413, "a request here must have at most 1 KB")
