"""Games between people: who is who, what takes both of them, and games that outlast the server."""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack, contextmanager

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import Seat, coming_from, table_of

from noughts.sandbox import Fault
from noughts.tournaments.visibility import STAFF, team
from noughts.web._members import Member, token_hash
from noughts.web._table import NotAllowed, table_from

ANN, BOB = (Member(name, team(name), f"member {name}") for name in ("Ann", "Bob"))
CLASS = {token_hash(f"{one.name}-token-{one.name}"): one for one in (ANN, BOB)}


class Link:
    """A WebSocket of the test client, as `Seat` takes it."""

    def __init__(self, socket):
        self.socket = socket

    def send(self, text):
        self.socket.send_text(text)

    def recv(self, timeout):
        return self.socket.receive_text()


@contextmanager
def opponents_playing(client, game, *keys, headers=({}, {}), names=("", "")):
    """People at a game, each with a key."""
    with ExitStack() as stack:
        seats = []
        for key, more, name in zip(keys, headers, names, strict=False):
            headed = {"host": "127.0.0.1", **more}
            socket = stack.enter_context(client.websocket_connect(f"/live/play/{game['id']}", headers=headed))
            seats.append(Seat(Link(socket)))
            seats[-1].say(type="hello", key=key, name=name)
            seats[-1].until(lambda game: game["you"])
        yield seats


def new_game(client, game="classic", opponent="link", headers=None, **more):
    answer = client.post("/api/play", json={"game": game, "opponent": opponent, **more}, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.fixture
def page(inside):
    return inside()


@pytest.fixture
def two(page):
    """Two people at a game of classic, without names."""
    made = new_game(page)
    with opponents_playing(page, made, made["key"], made["guest"]) as seats:
        yield seats


def titles(game):
    return [seat["title"] for seat in game["seats"]]


def test_nobody_is_called_you_but_by_the_page_that_is_meant(two):
    first, second = two
    assert titles(first.game) == titles(second.game) == ["X", "O"]
    second.say(type="resign")
    assert first.until(lambda game: game["over"])["result"] == "O resigned: X wins"
    assert second.until(lambda game: game["over"])["result"] == "You resigned: X wins"


def test_people_have_the_names_that_they_gave_and_their_replay_too(page):
    made = new_game(page, name="  Ann\n ")
    with opponents_playing(page, made, made["guest"], names=["Bob"]) as (guest,):
        assert titles(guest.until(lambda game: "Bob" in titles(game))) == ["Ann", "Bob"]
    assert page.get(f"/api/replays/play/{made['id']}").json()["players"] == ["Ann", "Bob"]


def test_members_have_the_names_of_the_roster(inside):
    page = inside(members=CLASS.get)
    ann, bob = (coming_from("10.0.0.1", f"{name}-token-{name}") for name in ("Ann", "Bob"))
    made = new_game(page, headers=ann, name="Bob")
    with opponents_playing(page, made, made["guest"], headers=[bob], names=["Ann"]) as (guest,):
        assert titles(guest.until(lambda game: "Bob" in titles(game))) == ["Ann", "Bob"]


def test_each_sees_whether_the_other_is_there(page):
    made = new_game(page)
    with opponents_playing(page, made, made["key"]) as (first,):
        assert first.game["present"] == [True, False]
        with opponents_playing(page, made, made["guest"]):
            first.until(lambda game: game["present"] == [True, True])
        first.until(lambda game: game["present"] == [True, False])


def test_a_draw_takes_both_and_an_offer_ends_with_the_answer(two):
    first, second = two
    first.say(type="draw")
    assert second.until(lambda game: game["offers"] == {"draw": 0})["over"] is False
    second.say(type="decline")
    first.until(lambda game: game["offers"] == {})
    first.say(type="draw")
    first.say(type="move", text="4")
    assert second.until(lambda game: game["moves"])["offers"] == {"draw": 0}  # it stands until the other moves
    second.say(type="move", text="0")
    assert first.until(lambda game: len(game["moves"]) == 2)["offers"] == {}
    second.say(type="draw")
    first.until(lambda game: game["offers"])
    first.say(type="draw")
    for seat in two:
        game = seat.until(lambda game: game["over"])
        assert (game["result"], game["view"]["winner"]) == ("Draw by agreement", None)


def test_an_agreed_draw_is_a_replay_like_any_other(page):
    from noughts.matches.replays import from_json

    made = new_game(page)
    with opponents_playing(page, made, made["key"], made["guest"]) as (first, second):
        first.say(type="draw")
        second.until(lambda game: game["offers"])
        second.say(type="draw")
        first.until(lambda game: game["over"])
    record = from_json(page.get(f"/api/replays/play/{made['id']}/json").text)
    assert (record.reason, record.winner, record.score(0)) == ("agreed", None, 0.5)
    assert page.get(f"/api/replays/play/{made['id']}").json()["result"] == "draw by agreement; points 0 : 0"


def test_the_computer_agrees_on_no_draw(page):
    made = new_game(page, opponent="random")
    with opponents_playing(page, made, made["key"]) as (seat,):
        seat.say(type="draw")
        assert seat.message("error")["error"] == "a draw needs another person to agree"


def test_hints_between_people_only_if_both_agree(two):
    first, second = two
    first.say(type="hint")
    assert first.message("error")["error"] == "hints need the agreement of both players"
    first.say(type="hints")
    assert second.until(lambda game: game["offers"] == {"hints": 0})["hints"] is False
    second.say(type="hints")
    assert first.until(lambda game: game["hints"])["offers"] == {}
    first.say(type="hint")
    assert first.message("hint")["hint"]["move"]


@pytest.mark.parametrize("swap", [False, True])
def test_an_accepted_rematch_is_the_one_that_was_offered(page, swap):
    made = new_game(page)
    with opponents_playing(page, made, made["key"], made["guest"]) as (first, second):
        first.say(type="resign")
        second.until(lambda game: game["over"])
        first.say(type="rematch", swap=not swap)
        second.until(lambda game: game["offers"])
        second.say(type="rematch", swap=swap)  # another offer, which takes the place of the first
        first.until(lambda game: game["offers"] == {"swap" if swap else "rematch": 1})
        first.say(type="rematch", swap=swap)
        following = second.until(lambda game: game["next"])["next"]
    reply = page.get(f"/api/play/{following}", params={"key": made["key"]}).json()
    assert reply["you"] == [1 if swap else 0]


def test_a_finished_game_is_not_opened_again(page):
    made = new_game(page, opponent="screen")
    with opponents_playing(page, made, made["key"]) as (seat,):
        for number, move in enumerate("03142"):
            seat.say(type="move", text=move)
            seat.until(lambda game, number=number: len(game["moves"]) > number)
        assert seat.game["over"]
        seat.say(type="undo")
        assert seat.message("error")["error"] == "the game is over"


def test_taking_back_gives_no_time_back():
    one = table_of(("a", None))
    one.play(0, 4)
    one.play(1, 0)
    one.since -= 50  # the person thinks for long, and then takes back
    assert one.undo(0)
    assert one.left == pytest.approx([10, 60], abs=1)
    one.play(0, 8)
    one.since -= 61
    assert one.flag_fallen()
    with pytest.raises(NotAllowed, match="the game is over"):
        one.undo(0)


def test_only_its_opponent_reads_what_a_bot_did_wrong():
    one = table_of(("a", None), None)
    one.forfeit(1, Fault("crash", "crashed: secret"), STAFF)
    assert one.facts_for([0])["result"] == "B crashed: secret: X wins"
    assert one.facts_for([])["result"] == "B crashed: X wins"


def test_the_class_learns_no_crash_text_from_a_replay(page):
    made = new_game(page, opponent="random")
    services = page.app.app._app.state.services
    services.tables.find(made["id"]).forfeit(1, Fault("crash", "crashed: secret"), STAFF)
    for kind in ("", "/json", "/log"):
        assert "secret" not in page.get(f"/api/replays/play/{made['id']}{kind}").text


# Over restarts.


def test_versions_go_on_after_a_restart():
    one = table_of()
    one.play(0, 4)
    one.play(1, 0)
    again = table_from("t", json.loads(json.dumps(one.to_data())))
    assert again.version == one.version == 2
    assert again.to_data()["moves"] == [4, 0]


SPOILED = [
    *(None, 7, "", "{", "[]", "{}", b"\xff\x00", "NULL", '{"game":"classic"}'),
    *(("game", value) for value in ("nosuch", "/etc/x.py:G", 7)),
    *(("moves", value) for value in ([4, 4], [99], ["x"], None)),
    *(("seats", value) for value in ([], [{}, {}])),
    *(("clock", value) for value in ("x", -1)),
    *(("left", value) for value in ([1.0], ["x", 1])),
    *(("seconds", value) for value in ([0.0], [float("nan")])),
    *(("ended", value) for value in (["resigned", 2, ""], ["resigned"], 3)),
    *(("next", value) for value in ("../x", 7)),
    *(("version", value) for value in (-1, 1e99)),
    *(("hints", "maybe"), ("more", 1)),
]


@pytest.mark.parametrize("spoiled", SPOILED, ids=str)
def test_a_row_of_the_file_that_somebody_changed_is_no_game_and_no_failure(inside, tmp_path, caplog, spoiled):
    games = tmp_path / "spoiled.sqlite"
    page = inside(games=games)
    made = new_game(page)
    services = page.app.app._app.state.services
    services.tables._open.clear()
    with sqlite3.connect(games) as base:
        if isinstance(spoiled, tuple):
            data = json.loads(base.execute("SELECT data FROM game").fetchone()[0])
            spoiled = json.dumps({**data, spoiled[0]: spoiled[1]})
        base.execute("UPDATE game SET data = ?", (spoiled,))
    base.close()
    for path in (f"/api/play/{made['id']}", f"/api/replays/play/{made['id']}", f"/api/replays/play/{made['id']}/json"):
        answer = page.get(path)
        assert answer.status_code == 404, answer.text
        assert "there is no such game" in answer.json()["error"]
    with page.websocket_connect(f"/live/play/{made['id']}", headers={"host": "127.0.0.1"}) as socket:
        assert socket.receive_json()["type"] == "gone"
    assert "cannot be read" in caplog.text
    assert "Traceback" not in caplog.text


def test_the_first_who_takes_an_open_challenge_has_the_seat(page):
    made = new_game(page, "wild", "open", name="guest", seat=1)
    assert "guest" not in made  # the free seat's key is nobody's yet
    assert page.get("/api/challenges").json() == []  # its maker does not look at it
    with opponents_playing(page, made, made["key"]) as (maker,):
        assert maker.until(lambda game: game["offered"])
        (offer,) = page.get("/api/challenges").json()
        assert offer | {"id": ""} == {
            "id": "", "game": "wild", "title": "Wild Tic-Tac-Toe", "name": "guest", "seat": 0, "clock": None
        }  # fmt: skip
        taken = page.post(f"/api/challenges/{made['id']}", json={"name": "Bob"}).json()
        assert taken["key"] != made["key"]
        game = maker.until(lambda game: not game["offered"])
        assert [seat["title"] for seat in game["seats"]] == ["Bob", "guest"]
        assert page.get("/api/challenges").json() == []
        answer = page.post(f"/api/challenges/{made['id']}", json={})
        assert (answer.status_code, answer.json()["error"]) == (
            400, "this challenge was taken by someone else, or withdrawn"
        )  # fmt: skip
        with opponents_playing(page, taken, taken["key"]) as (other,):
            other.say(type="move", text="X 4")
            assert maker.until(lambda game: game["moves"])["moves"] == [[0, "X4"]]


def test_a_game_begins_with_given_moves_which_are_nobody_s_and_are_not_taken_back(page):
    made = new_game(page, "classic", "screen", play="4 0")
    with opponents_playing(page, made, made["key"]) as (seat,):
        game = seat.until(lambda game: game["you"])
        assert [text for _, text in game["moves"]] == ["4", "0"]
        seat.say(type="undo")
        assert seat.message("error")["error"] == "there is no move to take back"
        seat.say(type="move", text="8")
        seat.until(lambda game: len(game["moves"]) == 3)
        seat.say(type="undo")
        seat.until(lambda game: len(game["moves"]) == 2)
    assert page.get(f"/api/replays/play/{made['id']}").json()["opening"] == 2
    for play, said in (("4 4", "is not legal"), ("0 3 1 4 2", "the game is over after these moves")):
        answer = page.post("/api/play", json={"game": "classic", "opponent": "screen", "play": play})
        assert answer.status_code == 400
        assert said in answer.json()["error"]


def test_a_file_of_games_that_cannot_be_read_now_closes_a_connection_in_words(page, monkeypatch):
    from noughts.web._tables import GamesFile

    def broken(*asked):
        raise sqlite3.OperationalError("disk I/O error")

    made = new_game(page)
    page.app.app._app.state.services.tables._open.clear()
    monkeypatch.setattr(GamesFile, "find", broken)
    with page.websocket_connect(f"/live/play/{made['id']}", headers={"host": "127.0.0.1"}) as socket:
        closed = socket.receive()
    assert (closed["code"], closed["reason"]) == (1013, "the server cannot read its games now")
    assert page.get(f"/api/play/{made['id']}").status_code == 503
