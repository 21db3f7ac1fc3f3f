"""The server of the page: games by the rules, from lists, within bounds, and after a restart."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import processes
import pytest

import noughts

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import Server, uploaded
from websockets.exceptions import ConnectionClosed, InvalidStatus

from noughts.web._settings import MESSAGE_BURST


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("served"))
    yield running
    out, err = running.stop()
    assert "Traceback" not in err, err
    assert out == ""


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    """A server for the network that offers a player of the operator's and takes bots."""
    arguments = ["--host", "0.0.0.0", "--player", "random:seed=3", "--allow-uploads"]
    running = Server(tmp_path_factory.mktemp("classroom"), *arguments)
    running.token = running.told.partition("join token: ")[2].split()[0]
    yield running
    out, err = running.stop()
    assert running.token not in out + err
    assert "Traceback" not in err


@pytest.fixture
def joined(classroom):
    """A client that has joined."""
    with httpx.Client(
        base_url=classroom.base, timeout=30, headers={"authorization": f"Bearer {classroom.token}"}
    ) as one:
        yield one


def play_out(server, made, chance):
    """Play to the end at random; the last state. Nobody may send so much at once: others sit down and play on."""
    while True:
        with server.seat(made) as seat:
            for _ in range(int(MESSAGE_BURST) - 5):
                if seat.my_turn()["over"]:
                    return seat.game
                view = seat.game["view"]
                mark = chance.choice(view["marks"])
                seat.say(type="move", cell=int(chance.choice(list(view["moves"]))), mark=mark)
                version = seat.game["version"]
                seat.until(lambda game, version=version: game["version"] > version)


@pytest.mark.parametrize("name", noughts.game_names())
def test_every_game_can_be_played_to_its_end_and_its_replay_is_by_the_rules(server, name):
    from noughts.matches.replays import from_json

    made = server.new_game(name, "random", seat=1)
    end = play_out(server, made, random.Random(4))
    record = from_json(server.http.get(f"/api/replays/play/{made['id']}/json").text)
    assert record.reason in ("line", "full")
    assert [text for _, text in end["moves"]] == [
        state.action_to_string(action) for state, action in record.states() if action is not None
    ]
    assert end["view"]["winner"] == record.winner
    assert record.players == ("random", "you")


def test_an_illegal_move_is_refused_in_a_sentence_and_changes_nothing(server):
    made = server.new_game("classic", "screen")
    with server.seat(made) as seat:
        seat.my_turn()
        seat.say(type="move", text="4")
        seat.until(lambda game: len(game["moves"]) == 1)
        seat.say(type="move", text="4")
        assert seat.told("error")["error"] == "cell 4 is already occupied by X"
        seat.say(type="move", text="nowhere")
        assert "is not a move of classic" in seat.told("error")["error"]
        seat.say(type="move", cell=99)
        assert "not legal" in seat.told("error")["error"]
    assert len(server.http.get(f"/api/play/{made['id']}").json()["moves"]) == 1


def test_nobody_moves_for_another_and_a_watcher_for_nobody(server):
    made = server.new_game("classic", "link")
    with server.seat(made) as first, server.seat(made, made["guest"]) as second, server.seat(made, "guess") as watcher:
        assert first.my_turn()["you"] == [0]
        assert watcher.told("game")["you"] == []
        assert "moves" not in watcher.game["view"]  # who may not move is not told what is legal
        second.say(type="move", text="0")
        assert second.told("error")["error"] == "it is not your move"
        watcher.say(type="move", text="0")
        assert "watching" in watcher.told("error")["error"]
        first.say(type="move", text="0")
        assert second.my_turn()["moves"] == [[0, "0"]]
        assert watcher.until(lambda game: game["moves"])["moves"] == [[0, "0"]]


def test_two_people_take_back_and_play_again_only_if_both_want(server):
    made = server.new_game("classic", "link")
    with server.seat(made) as first, server.seat(made, made["guest"]) as second:
        first.my_turn()
        first.say(type="move", text="0")
        second.my_turn()
        first.say(type="undo")
        assert second.until(lambda game: game["offers"] == {"undo": 0})["moves"] == [[0, "0"]]
        second.say(type="undo")
        assert second.until(lambda game: not game["moves"])["offers"] == {}
        assert second.game["view"]["player"] == 0
        second.say(type="resign")
        assert first.until(lambda game: game["over"])["result"] == "O resigned: X wins"
        first.say(type="rematch", swap=True)
        assert second.until(lambda game: game["offers"] == {"swap": 0})["next"] is None
        second.say(type="rematch", swap=True)
        following = first.until(lambda game: game["next"])["next"]
    told = server.http.get(f"/api/play/{following}", params={"key": made["key"]}).json()
    assert told["you"] == [1]


def test_taking_back_against_the_computer_gives_the_own_move_back(server):
    made = server.new_game("ultimate", "random")
    with server.seat(made) as seat:
        seat.my_turn()
        seat.say(type="move", text="4,4")
        seat.until(lambda game: len(game["moves"]) == 2)
        seat.say(type="undo")
        assert seat.until(lambda game: not game["moves"])["view"]["player"] == 0


def test_a_flag_falls_and_the_replay_says_so(server):
    from noughts.web._table import Table

    state = noughts.load_game("classic").new_initial_state()
    table = Table("t", state, ("a", "b"), ("A", "B"), ("x", "y"), 60, [60.0, 60.0])
    table.play(0, 4)
    assert not table.flag_fallen()
    table.since -= 61
    assert table.flag_fallen()
    record = table.record()
    assert (record.reason, record.winner) == ("time", 0)
    assert table.shown([])["result"] == "B ran out of time: X wins"


def test_a_hint_is_a_winning_move_where_there_is_one(server):
    made = server.new_game("wild", "screen")
    with server.seat(made) as seat:
        for move in ("X0", "O1", "X3"):
            count = len(seat.my_turn()["moves"])
            seat.say(type="move", text=move)
            seat.until(lambda game, count=count: len(game["moves"]) > count)
        seat.say(type="hint")
        assert seat.told("hint")["hint"]["move"] == "X6"


def test_a_game_goes_on_after_the_server_was_killed(tmp_path):
    first = Server(tmp_path)
    try:
        made = first.new_game("extreme", "link", clock=300)
        with first.seat(made) as seat:
            seat.my_turn()
            seat.say(type="move", text="3,7")
            seat.until(lambda game: len(game["moves"]) == 1)
    finally:
        first.kill()
    second = Server(tmp_path)
    try:
        with second.seat(made, made["guest"]) as seat:
            game = seat.my_turn()
            assert game["moves"] == [[0, "3,7"]]
            assert game["clocks"][1] == pytest.approx(300, abs=5)
            seat.say(type="move", text="13,12")
            assert len(seat.until(lambda game: len(game["moves"]) == 2)["moves"]) == 2
    finally:
        second.stop()


def finished(client, game):
    """The game once it is the person's move, or over."""
    for _ in range(600):
        told = client.get(f"/api/play/{game['id']}", params={"key": game["key"]}).json()
        if told["over"] or told["view"]["player"] in told["you"]:
            return told
        time.sleep(0.02)
    raise AssertionError(told)


def test_a_player_of_the_operator_can_be_chosen_by_its_name_only(joined):
    listed = [one["name"] for one in joined.get("/api/games").json()[0]["opponents"]]
    assert "random:seed=3" in listed
    made = joined.post("/api/play", json={"game": "classic", "opponent": "random:seed=3", "seat": 1}).json()
    assert finished(joined, made)["seats"][0]["player"] == "random:seed=3"
    assert joined.post("/api/play", json={"game": "classic", "opponent": "random:seed=4"}).status_code == 400


# Safety.


def test_bots_are_taken_only_where_the_operator_says_so_and_run_in_the_sandbox(server, joined):
    good = (Path(__file__).parents[1] / "examples" / "bots" / "random_bot.py").read_text()
    bad = "class Bot:\n    def move(self, board, old, flag):\n        open('/etc/passwd')\n"
    assert server.http.post("/api/bots", json={"source": good}).status_code == 403
    for source, forfeits in ((good, False), (bad, True)):
        name = joined.post("/api/bots", json={"name": "team 7", "source": source}).json()["opponent"]
        made = joined.post("/api/play", json={"game": "ultimate", "opponent": name, "seat": 1}).json()
        game = finished(joined, made)
        assert game["over"] == forfeits
        assert game["seats"][0]["title"] == "team 7"
        if forfeits:
            assert "team 7" in game["result"]
            assert game["view"]["winner"] == 1
    assert joined.post("/api/bots", json={"source": "x" * (300 << 10)}).status_code == 422


FORBIDDEN_NAMES = [
    "examples/bots/random_bot.py",
    "/etc/passwd",
    "q:/tmp",
    "llm:gpt?base_url=http://127.0.0.1:9/&key_env=HOME",
    "alphabeta:network=/etc/passwd",
    "alphabeta:memory=100000",
    "mcts:memory=4096",
    "human",
    "",
]


@pytest.mark.parametrize("name", FORBIDDEN_NAMES)
def test_no_text_from_outside_becomes_a_player_with_options_a_path_or_an_address(server, name):
    answer = server.http.post("/api/play", json={"game": "classic", "opponent": name})
    assert answer.status_code == 400
    assert "there is no such opponent" in answer.json()["error"]


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
        assert "there is no such game" in analysis.recv(timeout=10)
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
    assert "There is no such page" in answer.text


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
        assert seat.told("error")["error"]
        seat.say(type="move", text="4")
        assert seat.until(lambda game: len(game["moves"]) >= 1)


def test_a_message_that_is_too_large_or_comes_too_often_ends_the_connection(server):
    with server.seat(server.new_game("classic", "random")) as seat:
        seat.my_turn()
        seat.socket.send("x" * 9000)
        with pytest.raises(ConnectionClosed):
            seat.told("nothing")
    with server.seat(server.new_game("classic", "random")) as seat, pytest.raises(ConnectionClosed):
        flood(seat, 400)


def flood(seat, count):
    for _ in range(count):
        seat.say(type="nonsense")
    seat.told("nothing")


def test_a_body_that_is_too_large_is_not_read(server):
    answer = server.http.post("/api/play", content=b"x" * (5 << 20), headers={"content-type": "application/json"})
    assert answer.status_code == 413


def test_who_listens_on_the_network_needs_a_token_and_says_it_nowhere_else(classroom, joined):
    token = classroom.token
    assert len(token) == 14
    assert f"/join#{token}" in classroom.told
    with httpx.Client(base_url=classroom.base) as stranger:
        assert stranger.get("/api/games").status_code == 401
        sent = stranger.get("/watch?file=0", headers={"accept": "text/html"}).headers["location"]
        assert sent == "/join?to=%2Fwatch%3Ffile%3D0"  # and back there, once joined
        assert stranger.get("/join").status_code == 200
        assert stranger.post("/join", json={"token": "wrong"}).status_code == 401
        assert stranger.get("/api/games").status_code == 401
        assert stranger.post("/join", json={"token": token}).status_code == 200
        assert stranger.get("/api/games").status_code == 200  # by the cookie
        answers = [stranger.post("/join", json={"token": f"wrong{i}"}).status_code for i in range(15)]
        assert 429 in answers
    with pytest.raises(InvalidStatus):
        classroom.live("/live/analysis").close()
    assert joined.get("/api/games").status_code == 200


def test_the_hint_for_a_missing_package_is_one_line():
    script = "import sys; sys.modules['uvicorn'] = None; from noughts.cli import main; sys.exit(main(['serve']))"
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install fastapi uvicorn websockets" in done.stderr


def test_a_port_that_is_taken_is_said_in_a_sentence(server):
    done = processes.run("serve", "--port", str(server.port))
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1 port {server.port}" in done.stderr


def test_two_hundred_players_at_once_all_get_their_answers(server):
    """Each in a game of their own, all connected at the same time, one thread here and one process there."""
    import asyncio

    from websockets.asyncio.client import connect

    made = [server.new_game("classic", "random") for _ in range(200)]

    async def one(game):
        async with connect(f"ws://127.0.0.1:{server.port}/live/play/{game['id']}") as link:
            await link.send(json.dumps({"type": "hello", "key": game["key"]}))
            chance = random.Random(game["id"])
            while True:
                told = json.loads(await link.recv())
                assert told["type"] == "game", told
                if told["over"]:
                    return told["result"]
                if told["view"]["player"] in told["you"] and told["view"].get("moves"):
                    cell = int(chance.choice(list(told["view"]["moves"])))
                    await link.send(json.dumps({"type": "move", "cell": cell, "mark": None}))

    async def everybody():
        return await asyncio.gather(*(one(game) for game in made))

    results = asyncio.run(everybody())
    assert len(results) == 200
    assert all(" wins " in result or "Draw" in result for result in results)


def test_answers_are_sent_at_once():
    """Else the second part of each waits 40 ms for the first to be acknowledged."""
    import asyncio

    from noughts.web import Settings
    from noughts.web.server import listening_socket

    async def accepted():
        found = asyncio.get_running_loop().create_future()

        def connected(_, writer):
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening_socket(Settings(port=0)) as bound:
            async with await asyncio.start_server(connected, sock=bound) as server:
                _, writer = await asyncio.open_connection(*bound.getsockname())
                at_once = await found
                writer.close()
                server.close()
        return at_once

    assert asyncio.run(accepted())


# In this process: what needs no network.


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
        told = [kind for kind, text in texts.items() if SECRET in text]
        assert told == (["", "/json"] if local else [])
        assert ('"line":77' in texts["/json"]) == local
        assert ("ZeroDivisionError" in texts[""]) == local
        assert "crashed" in texts[""], "everybody sees how it ended"


def test_rules_that_somebody_sent_are_searched_and_never_solved(inside, monkeypatch):
    from dataclasses import replace

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
        link.recv(timeout=10)


def test_a_replay_with_any_names_is_shown(inside):
    client = inside()
    number = uploaded(client, players=("x\ud800", "y\x1b[2J"))
    shown = client.get(f"/api/replays/upload/{number}")
    assert shown.status_code == 200
    assert shown.json()["players"] == ["x\ufffd", "y\ufffd[2J"]
    assert client.get(f"/api/replays/upload/{number}/json").status_code == 200


def test_a_move_that_cannot_be_kept_is_undone_and_said(inside, monkeypatch):
    import sqlite3

    from noughts.web._tables import GamesFile

    client = inside()
    made = client.post("/api/play", json={"game": "classic", "opponent": "screen"}).json()
    keep = GamesFile.keep

    def full(*asked):
        raise sqlite3.OperationalError("database or disk is full")

    def move(text):
        return client.post(f"/api/play/{made['id']}/moves", json={"key": made["key"], "move": text})

    assert move("4").status_code == 200
    with client.websocket_connect(f"/live/play/{made['id']}", headers={"host": "127.0.0.1"}) as link:
        link.send_json({"type": "hello", "key": made["key"]})
        assert len(link.receive_json()["moves"]) == 1
        monkeypatch.setattr(GamesFile, "keep", full)
        answer = move("0")
        assert (answer.status_code, "try again later" in answer.json()["error"]) == (503, True)
        assert link.receive()["code"] == 1013
    monkeypatch.setattr(GamesFile, "keep", keep)
    assert [text for _, text in client.get(f"/api/play/{made['id']}").json()["moves"]] == ["4"]
    assert len(move("0").json()["moves"]) == 2


def test_a_player_of_the_operator_is_made_once_for_a_new_game(inside, monkeypatch):
    from noughts.web import _engines

    made = []
    make_player = _engines.make_player
    monkeypatch.setattr(_engines, "make_player", lambda text: made.append(text) or make_player(text))
    client = inside(players={"mine": "random:seed=1"})
    assert client.post("/api/play", json={"game": "classic", "opponent": "mine"}).status_code == 201
    assert made == ["random:seed=1"]


def test_no_more_bots_run_than_may_and_none_is_stopped_while_it_thinks(monkeypatch):
    import asyncio
    from threading import Barrier

    from noughts.players.protocol import Answer
    from noughts.web import _engines
    from noughts.web._members import by_address
    from noughts.web._quotas import Quotas

    together, stopped = Barrier(_engines.BOTS_RUNNING), []

    class Bot:
        thinks = False

        def ask(self, state, clock):
            self.thinks = True
            together.wait(30)  # passes only if as many as may run are asked at once
            self.thinks = False
            return Answer(0, 0.0)

        def close(self):
            stopped.append(self.thinks)

    monkeypatch.setattr(_engines, "BotPlayer", lambda source, limits: Bot())
    engines, uploader = _engines.Engines({}, 1, Quotas()), by_address("10.0.0.1")
    bot, state = engines.take_bot("team", "x", uploader), noughts.load_game("classic").new_initial_state()

    async def asked():
        return await asyncio.gather(*(engines.choose(bot, state, 1.0, str(game), uploader) for game in range(8)))

    assert asyncio.run(asked()) == [0] * 8
    assert len(engines._idle) <= _engines.BOTS_RUNNING
    engines.close()
    assert stopped == [False] * 8


def test_errors_of_tournament_files_name_no_folder(inside, tmp_path):
    path = tournament_file(tmp_path)
    client = inside(tournaments=(path,))
    answer = client.get("/api/tournaments/games", params={"file": 0, "name": "nothing"})
    assert (answer.status_code, "in class.noughts" in answer.json()["error"]) == (400, True)
    path.unlink()
    for address in ("/api/tournaments", "/api/replays/file/1?name=t"):
        error = client.get(address).json()["error"]
        assert str(tmp_path) not in error


def test_whoever_has_not_joined_sends_little(inside):
    client = inside(token="abcd-efgh-jkmn")
    answer = client.post("/join", json={"token": "x" * 2000})
    assert (answer.status_code, answer.json()["error"]) == (413, "a request is at most 1 KB here")


def test_a_name_tells_neither_folders_nor_addresses_and_equal_ones_get_a_number(monkeypatch):
    from noughts.commands import serve

    monkeypatch.setenv("CLASS_KEY", "x")
    model = "llm:gpt?base_url=http://10.0.0.7:8000/v1&key_env=CLASS_KEY"
    bot = str(Path(__file__).parents[1] / "examples" / "bots" / "random_bot.py")
    named = serve._named([model, model + "&tokens=9", "random?seed=3", "random:seed=4", bot])
    assert list(named) == ["llm:gpt", "llm:gpt (2)", "random:seed=3", "random:seed=4", "random_bot.py"]
    assert named["llm:gpt (2)"] == model + "&tokens=9"
    assert serve._title("alphabeta:network=/home/me/net.npz,level=4") == "alphabeta:level=4,network=net.npz"


class Late:
    """A transport that only notes what happens, and the timers of its connection."""

    def __init__(self):
        self.aborted, self.timers = False, []

    def abort(self):
        self.aborted = True

    def get_extra_info(self, name):
        return ("10.0.0.9", 1) if name == "peername" else None

    def is_closing(self):
        return self.aborted

    def call_later(self, seconds, work):
        from types import SimpleNamespace

        timer = SimpleNamespace(work=work)
        timer.cancel = lambda: self.timers.remove(timer)
        self.timers.append(timer)
        return timer

    def __getattr__(self, name):
        return lambda *told: None


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nA", "second"])
def test_who_sends_no_whole_request_in_time_is_let_go(monkeypatch, sent):
    import asyncio

    import uvicorn

    from noughts.web import _connections

    late = Late()
    limit = _connections.ConnectionLimit(5000)

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def connect():
        from uvicorn.server import ServerState

        config = uvicorn.Config(app, http=_connections.bounded_protocol(limit), lifespan="off", log_config=None)
        config.load()
        link = config.http_protocol_class(config=config, server_state=ServerState(), app_state={})
        monkeypatch.setattr(link, "_later", late.call_later, raising=False)
        link.connection_made(late)
        assert limit.share.held == {"10.0.0.9": 1}
        if sent == "second":  # a whole one, and a piece of another
            link.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await asyncio.gather(*link.tasks)
            assert not late.timers
            link.data_received(b"GET / HT")
        elif sent:
            link.data_received(sent)
        assert len(late.timers) == 1
        late.timers[0].work()
        assert late.aborted
        link.connection_lost(OSError())
        assert not limit.share.held

    asyncio.run(connect())


def test_a_second_server_does_not_touch_the_games_of_the_first(server, tmp_path_factory):
    path = next(tmp_path_factory.getbasetemp().glob("served*/games.sqlite"))
    done = processes.run("serve", "--port", "0", "--games", str(path))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "--games FILE" in done.stderr
    assert done.stdout == ""


def test_a_page_beside_a_server_takes_a_temporary_file_and_says_so(tmp_path, capsys):
    from contextlib import closing

    from noughts.web import Settings
    from noughts.web._tables import GamesFile
    from noughts.web.server import _games

    settings = Settings(games=tmp_path / "page.sqlite", spare=True)
    with closing(GamesFile(settings.games)), closing(_games(settings)):
        assert f"another server uses {settings.games}" in capsys.readouterr().err
    with closing(_games(settings)):
        assert capsys.readouterr().err == ""
