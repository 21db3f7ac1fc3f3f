"""Servers of the page, in a process of their own or in this one, and talking to them."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import processes
from websockets.sync.client import connect

import noughts


class Server:
    """What `noughts serve` printed, and ways to talk to it. stop(): as Ctrl-C does; kill(): as a power cut does."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.games = folder / "games.sqlite"
        command = ["serve", "--games", str(self.games), "--port", "0", "--workers", "1", *arguments]
        self.process = processes.Command(*command, COLUMNS="80")
        assert self.process.stdout is not None
        self.output = self.process.stdout.readline()
        found = re.search(r"http://\S+?:(\d+)", self.output)
        if not found:
            raise AssertionError(self.output + self.process.communicate()[1])
        self.port = int(found[1])
        if {"--host", "--proxy"} & set(arguments):
            self.output += self.process.stdout.readline() + self.process.stdout.readline()
        self.base = f"http://127.0.0.1:{self.port}"
        self.http = httpx.Client(base_url=self.base, timeout=240)

    def new_game(self, game: str, opponent: str = "random", **more: object) -> dict:
        answer = self.http.post("/api/play", json={"game": game, "opponent": opponent, **more})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def live(self, path: str, **more: object):
        # Of a connection that the server has ended nobody waits for the rest.
        return connect(f"ws://127.0.0.1:{self.port}{path}", **{"open_timeout": 240, "close_timeout": 1, **more})

    @contextmanager
    def seat(self, game: dict, key: str | None = None):
        """A WebSocket that sits at a game; gives a function that sends, and one that waits for a message."""
        with self.live(f"/live/play/{game['id']}") as socket:
            socket.send(json.dumps({"type": "hello", "key": game["key"] if key is None else key}))
            yield Seat(socket)

    def stop(self) -> tuple[str, str]:
        self.http.close()
        self.process.terminate()
        return self.process.communicate(timeout=240)

    def kill(self) -> None:
        self.http.close()
        self.process.kill()
        self.process.communicate()


class Seat:
    def __init__(self, socket) -> None:
        self.socket = socket
        self.game: dict = {}

    def say(self, **message: object) -> None:
        self.socket.send(json.dumps(message))

    def message(self, kind: str, timeout: float = 240) -> dict:
        """The next message of a kind."""
        while True:
            message = json.loads(self.socket.recv(timeout=timeout))
            if message["type"] == "game":
                self.game = message
            if message["type"] == kind:
                return message

    def until(self, wanted, timeout: float = 240) -> dict:
        """The game, once it is as wanted."""
        while not (self.game and wanted(self.game)):
            self.message("game", timeout)
        return self.game

    def my_turn(self) -> dict:
        return self.until(lambda game: game["over"] or game["view"]["player"] in game["you"])


# In this process: what needs no network.


@contextmanager
def servers_inside(folder):
    """Makes clients of servers for the network. A header of a request says from which address it comes."""
    from starlette.testclient import TestClient

    from noughts.web import Settings
    from noughts.web._app import make_app

    with ExitStack() as stack:

        def make(watched=None, **more):
            games = folder / f"games{len(list(folder.iterdir()))}.sqlite"
            settings = Settings(**{"host": "0.0.0.0", "games": games, "workers": 1, **more})
            app = FromAddresses(make_app(settings, watched))
            return stack.enter_context(TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False))

        yield make


@contextmanager
def unplayed(path):
    """The service of a ladder that is served and not played, so that versions stay at the gate."""
    from noughts.web import LadderService

    service = LadderService(path)
    service.runner.start = lambda: None
    yield service
    service.close()


def ladder_app(service, **more):
    """The application that serves a ladder on the network."""
    from noughts.web import Settings
    from noughts.web._app import make_app
    from noughts.web.server import behind_proxies

    usual = {"host": "0.0.0.0", "games": service.path.with_name("games.sqlite"), "workers": 1}
    settings = Settings(**{**usual, "tournaments": (service.path,), **more})
    return behind_proxies(make_app(service.settings(settings), ladder=service), settings.proxies)


class FromAddresses:
    """An application whose requests come from the address in a header, if there is one."""

    def __init__(self, app):
        self.app = app

    @property
    def quotas(self):
        return self.app._quotas

    async def __call__(self, scope, receive, send):
        for name, value in scope.get("headers", ()):
            if name == b"x-from":
                scope["client"] = (value.decode(), 1)
        await self.app(scope, receive, send)


def table_of(keys=("a", "b"), clock=60):
    """A game of classic between A and B; who has no key is the computer."""
    from noughts.web._table import Seat, Table

    seats = [Seat(player=name.lower(), title=name, key=key) for name, key in zip("AB", keys, strict=True)]
    return Table("t", noughts.load_game("classic").new_initial_state(), seats, clock)


def coming_from(address, token=None):
    """Headers of somebody: where they are, and who."""
    headers = {"x-from": address, "host": "127.0.0.1"}
    return headers if token is None else {**headers, "authorization": f"Bearer {token}"}


def replay(moves=(4, 0), players=("a", "b"), game="classic", **more):
    """A replay as a text."""
    from noughts.matches.record import GameRecord
    from noughts.matches.replays import to_json

    record = GameRecord(noughts.load_game(game), players, moves=list(moves), seconds=[0.0] * len(moves), **more)
    record.reason = "unfinished"
    return to_json(record)


def uploaded(client, *arguments, headers=None, **more):
    """The number of a replay that a client has sent."""
    return client.post("/api/replays", content=replay(*arguments, **more), headers=headers).json()["id"]
