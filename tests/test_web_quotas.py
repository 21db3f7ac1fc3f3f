"""What one member of a class can do to the others: nothing. Quotas are for each member, or for each address."""

from __future__ import annotations

import asyncio
import threading
from threading import Event, Thread

import pytest

import noughts

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import coming_from, replay, uploaded
from starlette.websockets import WebSocketDisconnect

from noughts.tournaments.visibility import team
from noughts.web._members import Member, by_address, token_hash
from noughts.web._quotas import ADDRESS_SHARE, Busy, Quotas, Rate, Share

GREEDY, MODEST = (Member(name, team(name), f"member {name}") for name in ("greedy", "modest"))
TOKENS = {"greedy": "gggg-gggg-gggg", "modest": "mmmm-mmmm-mmmm"}
CLASS = {token_hash(TOKENS[one.name]): one for one in (GREEDY, MODEST)}
HERE = "10.0.0.1"
"""A class behind one router has one address."""
greedy, modest = (coming_from(HERE, TOKENS[name]) for name in ("greedy", "modest"))
NEW_GAME = {"game": "classic", "opponent": "screen"}


@pytest.fixture
def classroom(inside):
    """A client of a server whose members have tokens of their own."""
    return inside(members=CLASS.get, uploads=True)


def statuses(client, count, path, headers, **more):
    method = "POST" if more else "GET"
    return [client.request(method, path, headers=headers, **more).status_code for _ in range(count)]


def beyond(answers):
    """How many were answered before the first refusal; all later ones are refused, too."""
    first = answers.index(429)
    assert set(answers[first:]) == {429}
    assert not {429, 500} & set(answers[:first])
    return first


# Quotas as such.


def test_an_address_gets_what_many_members_get():
    rate, share = Rate(0.0, 3), Share("things", 3, 1000)
    address = by_address(HERE)
    assert [rate.allows(GREEDY) for _ in range(4)] == [True] * 3 + [False]
    assert [rate.allows(address) for _ in range(31)] == [True] * 3 * ADDRESS_SHARE + [False]
    for member in (GREEDY, address):
        for _ in range(share.most(member)):
            assert share.take(member) is None
        with pytest.raises(Busy, match="which is the limit"):
            share.take(member)
    assert rate.allows(MODEST)
    assert share.take(MODEST) is None


def test_of_a_full_share_the_client_with_most_gives_one_to_a_client_with_fewer():
    share = Share("things", 100, 10)
    for _ in range(10):
        share.take(GREEDY)
    with pytest.raises(Busy, match="which is its limit"):
        share.take(GREEDY)
    for _ in range(5):
        assert share.take(MODEST) == GREEDY.key
        share.give(GREEDY.key)
    with pytest.raises(Busy):
        share.take(MODEST)  # they have the same number
    assert share.held == {GREEDY.key: 5, MODEST.key: 5}


def test_one_home_has_one_key_however_many_addresses_it_has():
    assert by_address("2001:db8::1").key == by_address("2001:db8::ffff:2").key
    assert by_address("2001:db8::1").key != by_address("2001:db8:0:1::1").key
    assert by_address("::ffff:10.0.0.1").key == by_address("10.0.0.1").key == "10.0.0.1"


def test_clients_are_served_in_turn_and_a_cancelled_one_leaves_its_place():
    from noughts.web._fair_pool import FairThreadPool

    async def asked():
        pool, going, order = FairThreadPool(1, "test", Share("works", 40, 100)), Event(), []
        one, two = (Member(name, team(name), name) for name in ("one", "two"))

        def work(name):
            going.wait(240)
            order.append(name)

        many = [asyncio.create_task(pool.run(GREEDY, work, f"greedy {i}")) for i in range(41)]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="try again"):
            await pool.run(GREEDY, work, "too much")
        few = [asyncio.create_task(pool.run(member, work, member.name)) for member in (one, two)]
        await asyncio.sleep(0)
        many[5].cancel()
        going.set()
        await asyncio.gather(*many, *few, return_exceptions=True)
        pool.close()
        return order

    order = asyncio.run(asked())
    assert max(order.index("one"), order.index("two")) <= 4
    assert len(order) == 42
    assert "greedy 5" not in order


def test_when_too_much_waits_the_newest_work_of_the_client_with_most_is_refused():
    from noughts.web._fair_pool import FairThreadPool

    async def asked():
        pool, going = FairThreadPool(1, "test", Share("works", 40, 10)), Event()
        many = [asyncio.create_task(pool.run(GREEDY, going.wait, 30)) for _ in range(11)]
        await asyncio.sleep(0)
        few = asyncio.create_task(pool.run(MODEST, going.wait, 30))
        await asyncio.sleep(0)
        going.set()
        done = await asyncio.gather(*many, few, return_exceptions=True)
        again = await pool.run(GREEDY, lambda: "still there")
        pool.close()
        return done, again

    done, again = asyncio.run(asked())
    assert [isinstance(one, Busy) for one in done] == [False] * 10 + [True, False]
    assert again == "still there"


# One member harms nobody.


def test_a_network_is_loaded_once_whatever_a_replay_calls_its_game():
    from dataclasses import replace

    from noughts.search.network import shipped_network

    rules = noughts.load_game("extreme").rules
    assert shipped_network(replace(rules, name="mine", title="Mine")) is shipped_network(rules)


def test_who_asks_too_often_is_refused_and_nobody_else_is(classroom):
    classroom.app.quotas.requests._per_second = 0.0
    answers = statuses(classroom, 420, "/api/me", greedy)
    assert beyond(answers) == 400
    assert classroom.get("/api/me", headers=greedy).json()["error"] == "too many requests; wait a few seconds"
    assert classroom.get("/api/me", headers=modest).json()["name"] == "modest"


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/api/play", {"json": NEW_GAME}),
        ("/api/replays", {"content": replay()}),
        ("/api/bots", {"json": {"source": "x"}}),
    ],
)
def test_what_one_member_may_make_is_bounded_for_that_member(classroom, path, asked):
    for rate in (classroom.app.quotas.new_games, classroom.app.quotas.uploads):
        rate._per_second = 0.0
    count = beyond(statuses(classroom, 110, path, greedy, **asked))
    assert count in (100, 20)
    assert classroom.post(path, headers=modest, **asked).status_code == 201


def test_files_of_games_have_a_rate(classroom):
    classroom.app.quotas.exports._per_second = 0.0
    number = uploaded(classroom, headers=greedy)
    assert beyond(statuses(classroom, 25, f"/api/replays/upload/{number}/svg", greedy)) == 20
    assert classroom.get(f"/api/replays/upload/{number}/svg", headers=modest).status_code == 200


def test_a_member_who_sends_many_replays_pushes_out_their_own():
    from noughts.web._archive import LEAST_BYTES, GameArchive

    archive = GameArchive((), Share("bytes", 5 * LEAST_BYTES, 7 * LEAST_BYTES))
    kept = archive.upload(replay(), MODEST)
    many = [archive.upload(replay(), GREEDY) for _ in range(40)]
    assert [name for name in (kept, *many) if name in archive._uploads] == [kept, *many[-5:]]
    third = [archive.upload(replay(), Member("third", team("third"), "third")) for _ in range(3)]
    assert [name for name in (kept, *many, *third) if name in archive._uploads] == [kept, *many[-3:], *third]
    assert archive.uploaded(kept).moves == [4, 0]
    with pytest.raises(LookupError):
        archive.uploaded(many[0])


def test_a_bot_is_listed_to_nobody_and_kept_while_it_plays_and_others_have_room(classroom):
    def send(who):
        return classroom.post("/api/bots", json={"name": "team", "source": "x"}, headers=who)

    def play(name, who=greedy):
        asked = {"game": "ultimate", "seat": 0, "opponent": name}
        return classroom.post("/api/play", json=asked, headers=who)

    classroom.app.quotas.bots.each, classroom.app.quotas.bots.total = 2, 3
    playing, other = (send(greedy).json()["opponent"] for _ in range(2))
    assert playing not in classroom.get("/api/games", headers=modest).text
    assert playing not in play("?").text
    game = play(playing).json()
    reply = classroom.get(f"/api/play/{game['id']}", headers=modest).text
    assert playing not in reply + classroom.get(f"/api/replays/play/{game['id']}/json", headers=modest).text
    third = send(greedy).json()["opponent"]
    assert play(other).status_code == 400  # the oldest that does not play made room
    assert play(third).status_code == 201
    assert "try again" in send(greedy).json()["error"]
    assert send(modest).status_code == 201


def test_a_gif_is_made_once_and_no_more_of_a_member_wait_than_may(classroom, monkeypatch):
    from noughts.web import _exports

    going, made, answers = Event(), [], []
    numbers = [uploaded(classroom, [cell], headers=greedy) for cell in range(9)]
    monkeypatch.setattr(_exports, "gif", lambda record: (going.wait(240), made.append(record.moves))[0] and b"GIF")

    def ask(number, who):
        answers.append((who, classroom.get(f"/api/replays/upload/{number}/gif", headers=who)))

    asking = [Thread(target=ask, args=(number, greedy)) for number in numbers]
    for one in asking:
        one.start()
    while len(answers) < 6:  # one is made and two wait; the others have been refused
        asking[0].join(0.01)
    assert {answer.status_code for _, answer in answers} == {429}
    assert "try again" in answers[0][1].json()["error"]
    asking.append(Thread(target=ask, args=(uploaded(classroom, [0, 1], headers=modest), modest)))
    asking[-1].start()
    going.set()
    for one in asking:
        one.join()
    assert [answer.status_code for who, answer in answers if who is modest] == [200]
    assert sorted(answer.status_code for _, answer in answers) == [200] * 4 + [429] * 6
    assert len(made) == 4
    taken = next(answer.request.url for _, answer in answers if answer.status_code == 200)
    assert classroom.get(taken, headers=greedy).content == b"GIF"
    assert len(made) == 4


def test_positions_are_computed_beside_the_event_loop_and_few_of_them_wait(classroom, monkeypatch):
    from noughts.web import _api

    going, threads, answers = Event(), set(), []

    def slow(asked):
        threads.add(threading.current_thread().name.partition("_")[0])
        going.wait(240)
        return {}

    monkeypatch.setattr(_api, "_position", slow)

    def ask(who):
        answers.append(classroom.post("/api/positions", json={"game": "classic"}, headers=who).status_code)

    asking = [Thread(target=ask, args=(greedy,)) for _ in range(24)]
    for one in asking:
        one.start()
    while len(answers) < 7:  # one is computed, 16 wait
        asking[0].join(0.01)
    assert classroom.get("/api/me", headers=modest).status_code == 200  # the loop is free
    asking.append(Thread(target=ask, args=(modest,)))
    asking[-1].start()
    going.set()
    for one in asking:
        one.join()
    assert threads == {"positions"}
    assert sorted(answers) == [200] * 18 + [429] * 7


def test_a_log_of_empty_lines_is_not_parsed(classroom, monkeypatch):
    from noughts.web import _archive

    monkeypatch.setattr(_archive, "_read", None)
    answer = classroom.post("/api/replays", content="\n" * (4 << 20), headers=greedy)
    assert answer.status_code == 400
    assert "lines; the page accepts at most" in answer.json()["error"]


def test_a_full_table_drops_nobodys_game(classroom, monkeypatch):
    """Games that nobody looks at go to the file, also where the computer thinks; a player finds theirs in it."""
    from noughts.web import _tables

    monkeypatch.setattr(_tables, "OPEN_GAMES", 5)
    made = classroom.post("/api/play", json={"game": "classic", "opponent": "link"}, headers=modest).json()
    for _ in range(20):
        asked = {"game": "classic", "opponent": "random", "seat": 1}
        assert classroom.post("/api/play", json=asked, headers=greedy).status_code == 201
    with classroom.websocket_connect(f"/live/play/{made['id']}", headers=modest) as guest:
        guest.send_json({"type": "hello", "key": made["guest"]})
        assert guest.receive_json()["you"] == [1]


def test_no_game_begins_while_too_many_wait_for_the_computer(classroom, monkeypatch):
    from noughts.web._engines import Engines

    going = Event()
    monkeypatch.setattr(Engines, "_choose", lambda *_: going.wait(240) and 0)
    classroom.app.quotas.moves.each = 3
    asked = {"game": "classic", "opponent": "random", "seat": 1}
    answers = statuses(classroom, 8, "/api/play", greedy, json=asked)
    assert beyond(answers) == 4  # one is thought about, three wait
    assert classroom.post("/api/play", json=asked, headers=modest).status_code == 201
    assert classroom.post("/api/play", json=NEW_GAME, headers=greedy).status_code == 201  # where it has not to move
    going.set()


def test_one_address_takes_all_computer_moves_that_may_wait_and_eight_others_begin_their_games(inside, monkeypatch):
    from noughts.web._engines import Engines

    going = Event()
    monkeypatch.setattr(Engines, "_choose", lambda *_: going.wait(240) and 0)
    client = inside(token="abcd-efgh-jkmn")
    moves = client.app.quotas.moves
    moves.each, moves.total = 2, 2 * ADDRESS_SHARE
    asked = {"game": "classic", "opponent": "random", "seat": 1}
    assert beyond(statuses(client, 30, "/api/play", coming_from(HERE, "abcd-efgh-jkmn"), json=asked)) < moves.total
    others = [coming_from(f"10.0.2.{number}", "abcd-efgh-jkmn") for number in range(8)]
    assert [client.post("/api/play", json=asked, headers=who).status_code for who in others] == [201] * 8
    going.set()


def test_no_client_may_hold_all_there_is_of_anything():
    from noughts.web._connections import ConnectionLimit

    shares = [ConnectionLimit(10_000).share, *(one for one in vars(Quotas()).values() if isinstance(one, Share))]
    assert len(shares) > 8
    for share in shares:
        assert share.most(GREEDY) < share.total
        assert share.most(by_address(HERE)) < share.total


def test_three_addresses_cannot_hold_all_websockets(inside):
    client = inside()
    sockets = client.app.quotas.sockets
    sockets.each, sockets.total = 4 // 2, 12
    held = [client.websocket_connect("/live/analysis", headers=coming_from(f"10.0.0.{i % 3}")) for i in range(12)]
    for one in held:
        one.__enter__()
    with client.websocket_connect("/live/analysis", headers=coming_from("10.0.0.9")) as fourth:
        fourth.send_json({"type": "analyse", "number": 7, "game": "classic"})
        assert fourth.receive_json()["number"] == 7
        closed = [one for one in held if is_closed(one)]
        assert len(closed) == 1
    for one in held:
        one.__exit__(None, None, None)
    assert not sockets.held


def test_a_browser_that_has_too_many_pages_open_reads_why_it_gets_no_connection(inside):
    client = inside()
    client.app.quotas.sockets.each = 0
    refused = client.websocket_connect("/live/analysis", headers=coming_from("10.0.0.1"))
    with refused, pytest.raises(WebSocketDisconnect) as closed:
        refused.receive_json()
    assert closed.value.code == 1013
    assert "open pages" in closed.value.reason


def is_closed(socket):
    socket.send_json({"type": "analyse", "number": 1, "game": "classic"})
    try:
        socket.receive_json()
    except WebSocketDisconnect:
        return True
    return False


def test_connections_are_bounded_by_address_and_two_addresses_cannot_hold_all():
    from noughts.web._connections import ConnectionLimit

    class Connection:
        is_waiting = True

        def __init__(self, address):
            self.key = limit.enter(self, address)
            self.dropped = False

        def drop(self):
            self.dropped = True
            limit.leave(self, self.key)

    limit = ConnectionLimit(1300, proxies=("10.9.9.9",))  # descriptors for 100 of them
    greedy_ones = [Connection("10.0.0.1") for _ in range(200)]
    assert sum(one.key is not None for one in greedy_ones) == 70
    assert sum(Connection("10.0.0.2").key is not None for _ in range(200)) == 50
    assert sum(one.dropped for one in greedy_ones) == 20  # both have as many
    assert Connection("10.0.0.3").key is not None
    assert limit.share.held.total() == 100
    assert all(Connection("10.9.9.9").key is not None for _ in range(200))  # a proxy speaks for everybody


def test_every_right_token_is_taken_and_wrong_ones_are_counted_however_they_come(inside):
    client = inside(token="abcd-efgh-jkmn")
    assert [client.post("/join", json={"token": "abcd-efgh-jkmn"}).status_code for _ in range(30)] == [200] * 30
    for number, way in enumerate(("authorization", "cookie")):
        client.cookies.clear()
        said = {"authorization": "Bearer wrong", "cookie": "noughts_join=wrong"}[way]
        stranger = {**coming_from(f"10.0.1.{number}"), way: said}
        assert statuses(client, 12, "/api/games", stranger) == [401] * 10 + [429] * 2
        assert client.post("/join", json={"token": "wrong"}, headers=stranger).status_code == 429
        assert client.post("/join", json={"token": "abcd-efgh-jkmn"}, headers=stranger).status_code == 200
    client.cookies.clear()
    assert statuses(client, 30, "/api/games", coming_from("10.0.1.9")) == [401] * 30  # none is not a wrong one


def test_a_member_is_who_the_token_says_and_sees_what_their_team_sees(classroom):
    asked = {"name": "modest", "audience": "team", "team": "modest"}
    assert classroom.get("/api/me", headers=modest).json() == asked
    assert classroom.get("/api/me", headers=coming_from(HERE)).status_code == 401
    cookie = classroom.post("/join", json={"token": TOKENS["modest"]}, headers=coming_from(HERE)).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie  # a link that is clicked in a mail opens the page
    assert "Secure" not in cookie
    assert classroom.get("/api/me", headers=coming_from(HERE)).json() == asked  # by the cookie
