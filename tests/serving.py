"""A server of the page in a process of its own, and talking to it."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from pathlib import Path

import httpx
import processes
from websockets.sync.client import connect


class Server:
    """What `noughts serve` printed, and ways to talk to it. stop(): as Ctrl-C does; kill(): as a power cut does."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = ["serve", "--games", str(folder / "games.sqlite"), "--port", "0", "--workers", "1", *arguments]
        self.process = processes.Command(*command, COLUMNS="80")
        assert self.process.stdout is not None
        self.told = self.process.stdout.readline()
        found = re.search(r"http://\S+?:(\d+)", self.told)
        if not found:
            raise AssertionError(self.told + self.process.communicate()[1])
        self.port = int(found[1])
        if "--host" in arguments:
            self.told += self.process.stdout.readline() + self.process.stdout.readline()
        self.base = f"http://127.0.0.1:{self.port}"
        self.http = httpx.Client(base_url=self.base, timeout=30)

    def new_game(self, game: str, opponent: str = "random", **more: object) -> dict:
        answer = self.http.post("/api/play", json={"game": game, "opponent": opponent, **more})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def live(self, path: str, **more: object):
        # Of a connection that the server has ended nobody waits for the rest.
        return connect(f"ws://127.0.0.1:{self.port}{path}", **{"close_timeout": 1, **more})

    @contextmanager
    def seat(self, game: dict, key: str | None = None):
        """A WebSocket that sits at a game; gives a function that sends, and one that waits for a message."""
        with self.live(f"/live/play/{game['id']}") as socket:
            socket.send(json.dumps({"type": "hello", "key": game["key"] if key is None else key}))
            yield Seat(socket)

    def stop(self) -> tuple[str, str]:
        self.http.close()
        self.process.terminate()
        return self.process.communicate(timeout=20)

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

    def told(self, kind: str, timeout: float = 30) -> dict:
        """The next message of a kind."""
        while True:
            message = json.loads(self.socket.recv(timeout=timeout))
            if message["type"] == "game":
                self.game = message
            if message["type"] == kind:
                return message

    def until(self, wanted, timeout: float = 30) -> dict:
        """The game, once it is as wanted."""
        while not (self.game and wanted(self.game)):
            self.told("game", timeout)
        return self.game

    def my_turn(self) -> dict:
        return self.until(lambda game: game["over"] or game["view"]["player"] in game["you"])
