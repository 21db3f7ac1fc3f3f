"""Whom the page offers as an opponent: players from a list, those of the operator, bots; and who may join."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from threading import Barrier

import httpx
import pytest

import noughts
from noughts.cli import build_parser
from noughts.commands.serve import settings_from

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import Server
from websockets.exceptions import InvalidStatus


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    """A server for the network that offers a player of the operator's and takes bots."""
    arguments = ["--host", "0.0.0.0", "--player", "random:seed=3", "--allow-uploads"]
    running = Server(tmp_path_factory.mktemp("classroom"), *arguments)
    running.token = running.output.partition("join token: ")[2].split()[0]
    yield running
    out, err = running.stop()
    assert running.token not in out + err
    assert "Traceback" not in err


@pytest.fixture
def joined(classroom):
    """A client that has joined."""
    with httpx.Client(
        base_url=classroom.base, timeout=240, headers={"authorization": f"Bearer {classroom.token}"}
    ) as one:
        yield one


def finished(client, game):
    """The game once it is the person's move, or over."""
    for _ in range(6000):
        reply = client.get(f"/api/play/{game['id']}", params={"key": game["key"]}).json()
        if reply["over"] or reply["view"]["player"] in reply["you"]:
            return reply
        time.sleep(0.02)
    raise AssertionError(reply)


def test_a_player_of_the_operator_can_be_chosen_by_its_name_only(joined):
    listed = [one["name"] for one in joined.get("/api/games").json()[0]["opponents"]]
    assert "random:seed=3" in listed
    made = joined.post("/api/play", json={"game": "classic", "opponent": "random:seed=3", "seat": 1}).json()
    assert finished(joined, made)["seats"][0]["player"] == "random:seed=3"
    assert joined.post("/api/play", json={"game": "classic", "opponent": "random:seed=4"}).status_code == 400


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


def test_who_listens_on_the_network_needs_a_token_and_says_it_nowhere_else(classroom, joined):
    token = classroom.token
    assert len(token) == 14
    assert f"/join#{token}" in classroom.output
    with httpx.Client(base_url=classroom.base, timeout=240) as stranger:
        assert stranger.get("/api/games").status_code == 401
        sent = stranger.get("/watch?file=0", headers={"accept": "text/html"}).headers["location"]
        assert sent == "/join?to=%2Fwatch%3Ffile%3D0"  # and back there, once joined
        assert stranger.get("/join").status_code == 200
        assert stranger.post("/join", json={"token": "wrong"}).status_code == 401
        assert "a join token is needed" in stranger.get("/api/games").json()["error"]
        wrong = stranger.get("/api/games", headers={"authorization": "Bearer wrong"})
        assert (wrong.status_code, "does not know that token" in wrong.json()["error"]) == (401, True)
        assert stranger.post("/join", json={"token": token}).status_code == 200
        assert stranger.get("/api/games").status_code == 200  # by the cookie
        answers = [stranger.post("/join", json={"token": f"wrong{i}"}).status_code for i in range(15)]
        assert 429 in answers
    with pytest.raises(InvalidStatus):
        classroom.live("/live/analysis").close()
    assert joined.get("/api/games").status_code == 200


def test_a_player_of_the_operator_is_made_once_for_a_new_game(inside, monkeypatch):
    from noughts.web import _engines

    made = []
    make_player = _engines.make_player
    monkeypatch.setattr(_engines, "make_player", lambda text: made.append(text) or make_player(text))
    client = inside(players={"mine": "random:seed=1"})
    assert client.post("/api/play", json={"game": "classic", "opponent": "mine"}).status_code == 201
    assert made == ["random:seed=1"]


def test_no_more_bots_run_than_may_and_none_is_stopped_while_it_thinks(monkeypatch):

    from noughts.players.protocol import Answer
    from noughts.web import _engines
    from noughts.web._members import by_address
    from noughts.web._quotas import Quotas

    together, stopped = Barrier(_engines.BOTS_RUNNING), []

    class Bot:
        thinks = False

        def ask(self, state, clock):
            self.thinks = True
            together.wait(240)  # passes only if as many as may run are asked at once
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


def test_a_name_tells_neither_folders_nor_addresses_and_equal_ones_get_a_number(monkeypatch):
    monkeypatch.setenv("CLASS_KEY", "x")
    model = "llm:gpt?base_url=http://10.0.0.7:8000/v1&key_env=CLASS_KEY"
    bot = str(Path(__file__).parents[1] / "examples" / "bots" / "random_bot.py")
    net = "alphabeta:network=/home/me/net.npz,depth=4"
    players = [model, model + "&tokens=9", "random?seed=3", "random:seed=4", bot, net]
    given = [word for player in players for word in ("--player", player)]
    named = settings_from(build_parser().parse_args(["serve", *given])).players
    assert list(named) == [
        *("llm:gpt", "llm:gpt (2)", "random:seed=3", "random:seed=4", "random_bot.py"),
        "alphabeta:depth=4,network=net.npz",
    ]
    assert named["llm:gpt (2)"] == model + "&tokens=9"
