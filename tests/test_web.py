"""The server of the page: games by the rules, by one person or two hundred, and after a restart."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3

import pytest

import noughts

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import Server, table_of

AT_ONCE = 50
"""Messages: a connection that sends 60 of them at once is ended."""


def play_out(server, made, chance):
    """Play to the end at random; the last state. Nobody may send so much at once: others sit down and play on."""
    while True:
        with server.seat(made) as seat:
            for _ in range(AT_ONCE):
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
        assert seat.message("error")["error"] == "cell 4 is already occupied by X"
        seat.say(type="move", text="nowhere")
        assert "is not a move of classic" in seat.message("error")["error"]
        seat.say(type="move", cell=99)
        assert "not legal" in seat.message("error")["error"]
    assert len(server.http.get(f"/api/play/{made['id']}").json()["moves"]) == 1


def test_nobody_moves_for_another_and_a_watcher_for_nobody(server):
    made = server.new_game("classic", "link")
    with server.seat(made) as first, server.seat(made, made["guest"]) as second, server.seat(made, "guess") as watcher:
        assert first.my_turn()["you"] == [0]
        assert watcher.message("game")["you"] == []
        assert "moves" not in watcher.game["view"]  # the server sends no legal moves to watchers
        second.say(type="move", text="0")
        assert second.message("error")["error"] == "it is not your move"
        watcher.say(type="move", text="0")
        assert "watching" in watcher.message("error")["error"]
        first.say(type="move", text="0")
        assert second.my_turn()["moves"] == [[0, "0"]]
        assert watcher.until(lambda game: game["moves"])["moves"] == [[0, "0"]]


def test_two_people_take_back_only_if_both_want(server):
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


def test_taking_back_against_the_computer_gives_the_own_move_back(server):
    made = server.new_game("ultimate", "random")
    with server.seat(made) as seat:
        seat.my_turn()
        seat.say(type="move", text="4,4")
        seat.until(lambda game: len(game["moves"]) == 2)
        seat.say(type="undo")
        assert seat.until(lambda game: not game["moves"])["view"]["player"] == 0


def test_a_flag_falls_and_the_replay_says_so(server):
    table = table_of(("x", "y"))
    table.play(0, 4)
    assert not table.flag_fallen()
    table.since -= 61
    assert table.flag_fallen()
    record = table.record()
    assert (record.reason, record.winner) == ("time", 0)
    assert table.facts_for([])["result"] == "B ran out of time: X wins"


def test_a_hint_is_a_winning_move_where_there_is_one(server):
    made = server.new_game("wild", "screen")
    with server.seat(made) as seat:
        for move in ("X0", "O1", "X3"):
            count = len(seat.my_turn()["moves"])
            seat.say(type="move", text=move)
            seat.until(lambda game, count=count: len(game["moves"]) > count)
        seat.say(type="hint")
        assert seat.message("hint")["hint"]["move"] == "X6"


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


def test_two_hundred_players_at_once_all_get_their_answers(server):
    """Each in a game of their own, all connected at the same time, one thread here and one process there."""

    from websockets.asyncio.client import connect

    made = [server.new_game("classic", "random") for _ in range(200)]

    async def one(game):
        async with connect(f"ws://127.0.0.1:{server.port}/live/play/{game['id']}", open_timeout=240) as link:
            await link.send(json.dumps({"type": "hello", "key": game["key"]}))
            chance = random.Random(game["id"])
            while True:
                message = json.loads(await link.recv())
                assert message["type"] == "game", message
                if message["over"]:
                    return message["result"]
                if message["view"]["player"] in message["you"] and message["view"].get("moves"):
                    cell = int(chance.choice(list(message["view"]["moves"])))
                    await link.send(json.dumps({"type": "move", "cell": cell, "mark": None}))

    async def everybody():
        return await asyncio.gather(*(one(game) for game in made))

    results = asyncio.run(everybody())
    assert len(results) == 200
    assert all(" wins " in result or "Draw" in result for result in results)


def test_a_move_that_cannot_be_kept_is_undone_and_said(inside, monkeypatch):

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
