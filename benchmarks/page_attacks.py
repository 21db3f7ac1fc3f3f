"""Measures what one client can do to the others on the page: a victim plays while each attack runs.

    python benchmarks/page_attacks.py                       this tree
    python benchmarks/page_attacks.py --before OTHER/src    this tree and another in turns
    python benchmarks/page_attacks.py --only table

The server runs on one core, victim and attackers on another, from different addresses of this machine. Each attack gets
a new server. The output has the victim's time from a move to the answer, the server's memory before and after, and what
the attack achieved.

    memory      replays of a game under ever new names, each with its curve
    table       more games in which the computer must move than the table holds; can two other people play on?
    positions   16 connections that ask for positions of a long game
    lines       logs of 4 MB of lines
    replays     101 replays: is the victim's still there?
    bots        as many bots as accepted, each in a game: is the victim's accepted?
    gifs        as many GIFs as accepted: how long does the victim wait for one?
    sockets     WebSockets from three addresses: does the victim get one?
    lines-held  connections that send nothing, from two addresses: is the victim answered?
    cookies     wrong tokens as cookies: how many are answered?
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import httpx
from page import started
from websockets.asyncio.client import connect

import noughts
from noughts.game import Game
from noughts.matches.record import GameRecord
from noughts.matches.replays import to_json

ATTACKS = ("memory", "table", "positions", "lines", "replays", "bots", "gifs", "sockets", "lines-held", "cookies")
SECONDS = {"memory": 20.0, "table": 45.0, "positions": 10.0, "lines": 10.0}
"""Duration of attacks that have no end of their own."""
VICTIM = "127.0.2.1"
MOVE_SECONDS = 0.1


def client(base: str, address: str) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=64)
    transport = httpx.AsyncHTTPTransport(local_address=address, limits=limits)
    return httpx.AsyncClient(base_url=base, timeout=60, transport=transport)


class Plain:
    """A connection that repeats one request with little work on this side, so that the server is the busy one."""

    def __init__(self, base: str, address: str, path: str, body: bytes) -> None:
        self._port, self._address = int(base.rpartition(":")[2]), address
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        self._request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self) -> int:
        """Returns the status of the answer; 0 if the connection broke."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(self._address, 0))
            reader, writer = self._streams
            writer.write(self._request)
            await writer.drain()
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
            return int(head.split()[1])
        except (OSError, asyncio.IncompleteReadError):
            self._streams = None
            return 0


def played(name: str = "extreme", seed: int = 1) -> GameRecord:
    """Returns a complete random game."""
    state, chance = noughts.load_game(name).new_initial_state(), random.Random(seed)
    while not state.is_terminal():
        state.apply_action(chance.choice(state.legal_actions()))
    moves = state.history()
    record = GameRecord(state.game, ("a", "b"), moves=moves, seconds=[0.0] * len(moves))
    record.end_by_rules(state)
    return record


# Attackers, in a process of their own.


async def memory(base: str, until: float) -> str:
    record, taken, refused = played(), 0, 0
    record.moves, record.seconds = record.moves[:6], record.seconds[:6]
    record.reason, record.winner, record.points = "unfinished", None, (0, 0)
    async with client(base, "127.0.3.1") as one:
        while time.monotonic() < until:
            game = Game(replace(record.game.rules, name=f"g{taken}{os.getpid()}", title=f"Game {taken}"))
            answer = await one.post("/api/replays", content=to_json(replace(record, game=game)))
            if answer.status_code != 201:
                refused += 1
                await asyncio.sleep(0.05)
                continue
            live = base.replace("http", "ws") + f"/live/review/upload/{answer.json()['id']}"
            with suppress(Exception):
                async with connect(live, local_addr=("127.0.3.1", 0)) as link:
                    await asyncio.wait_for(link.recv(), 10)
            taken += 1
    return f"{taken} replays reviewed, {refused} refused"


async def table(base: str, until: float) -> str:
    answers: Counter[int] = Counter()

    async def ask(address: str) -> None:
        body = json.dumps({"game": "extreme", "opponent": "mcts", "seat": 1}).encode()
        one = Plain(base, address, "/api/play", body)
        while time.monotonic() < until:
            status = await one.ask()
            answers[status] += 1
            if status != 201:
                await asyncio.sleep(0.05)

    await asyncio.gather(*(ask(f"127.0.3.{1 + number % 3}") for number in range(6)))
    return f"{answers[201]} games made, {answers.total() - answers[201]} refused"


async def positions(base: str, until: float) -> str:
    answers: Counter[int] = Counter()
    moves = played().moves

    async def ask() -> None:
        one = Plain(base, "127.0.3.1", "/api/positions", json.dumps({"game": "extreme", "moves": moves}).encode())
        while time.monotonic() < until:
            answers[await one.ask()] += 1

    await asyncio.gather(*(ask() for _ in range(16)))
    return f"{answers[200]} positions, {answers.total() - answers[200]} refused"


async def lines(base: str, until: float) -> str:
    answers: Counter[int] = Counter()
    text = "x: a line\n" * (4 << 20 >> 3)
    text = text[: 4 << 20][: text.rfind("\n", 0, 4 << 20)]

    async def ask() -> None:
        one = Plain(base, "127.0.3.1", "/api/replays", text.encode())
        while time.monotonic() < until:
            answers[await one.ask()] += 1

    await asyncio.gather(*(ask() for _ in range(4)))
    return f"{answers[400]} logs read, {answers.total() - answers[400]} refused"


async def replays(base: str, until: float) -> str:
    text, answers = to_json(played("classic")), Counter[int]()
    async with client(base, VICTIM) as victim, client(base, "127.0.3.1") as one:
        mine = (await victim.post("/api/replays", content=text)).json()["id"]
        for _ in range(101):
            answers[(await one.post("/api/replays", content=text)).status_code] += 1
        there = (await victim.get(f"/api/replays/upload/{mine}")).status_code == 200
    return f"{answers[201]} sent; the victim's is {'there' if there else 'GONE'}"


async def bots(base: str, until: float) -> str:
    taken = 0
    async with client(base, VICTIM) as victim, client(base, "127.0.3.1") as one:
        for _ in range(45):
            answer = await one.post("/api/bots", json={"name": "bot", "source": "x"})
            if answer.status_code != 201:
                break
            taken += 1
            await one.post("/api/play", json={"game": "ultimate", "opponent": answer.json()["opponent"]})
        answer = await victim.post("/api/bots", json={"name": "mine", "source": "x"})
    return f"{taken} bots; the victim's is {'taken' if answer.status_code == 201 else 'REFUSED'}"


async def gifs(base: str, until: float) -> str:
    async with client(base, VICTIM) as victim, client(base, "127.0.3.1") as one:
        numbers = [
            (await one.post("/api/replays", content=to_json(played(seed=seed)))).json()["id"] for seed in range(12)
        ]
        mine = (await victim.post("/api/replays", content=to_json(played("classic")))).json()["id"]
        asking = [asyncio.create_task(one.get(f"/api/replays/upload/{number}/gif")) for number in numbers]
        await asyncio.sleep(0.5)
        began = time.monotonic()
        answer = await victim.get(f"/api/replays/upload/{mine}/gif")
        waited = time.monotonic() - began
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    return f"the victim's GIF {f'after {waited:.1f} s' if answer.status_code == 200 else 'REFUSED'}"


async def sockets(base: str, until: float) -> str:
    live, held = base.replace("http", "ws") + "/live/analysis", []
    for address in ("127.0.3.1", "127.0.3.2", "127.0.3.3"):
        for _ in range(400):
            try:
                held.append(await connect(live, local_addr=(address, 0)))
            except Exception:
                break
    try:
        async with connect(live, local_addr=(VICTIM, 0)) as link:
            await link.send(json.dumps({"type": "analyse", "number": 1, "game": "classic"}))
            await asyncio.wait_for(link.recv(), 20)
        got = "gets one"
    except Exception:
        got = "is REFUSED"
    return f"{len(held)} held; the victim {got}"


async def lines_held(base: str, until: float) -> str:
    port, held = int(base.rpartition(":")[2]), []
    for number in range(3000):
        one = socket.socket()
        one.bind((f"127.0.3.{1 + number % 2}", 0))
        one.setblocking(False)
        with suppress(BlockingIOError):
            one.connect(("127.0.0.1", port))
        held.append(one)
        if number % 100 == 99:
            await asyncio.sleep(0.02)
    answered = 0
    for _ in range(5):
        with suppress(httpx.TransportError):
            async with client(base, VICTIM) as victim:
                answered += (await victim.get("/join", timeout=3)).status_code == 200
    return f"{len(held)} opened; the victim is answered {answered} times of 5"


async def cookies(base: str, until: float) -> str:
    async with client(base, "127.0.3.1") as one:
        asked = {"cookie": "noughts_join=wrong"}
        answers = Counter([(await one.get("/api/games", headers=asked)).status_code for _ in range(100)])
    return f"of 100, {answers[401]} are answered"


WORK = {name: globals()[name.replace("-", "_")] for name in ATTACKS}


# The victim, and what is measured.


async def victim(base: str, stop: asyncio.Event, taken: list[float]) -> None:
    """The victim, who keeps moving for both sides; an unanswered move counts as 20 s."""
    chance = random.Random(1)
    live = base.replace("http", "ws")
    async with client(base, VICTIM) as one:
        while not stop.is_set():
            made = (await one.post("/api/play", json={"game": "ultimate", "opponent": "screen"})).json()
            async with connect(f"{live}/live/play/{made['id']}", local_addr=(VICTIM, 0)) as link:
                await link.send(json.dumps({"type": "hello", "key": made["key"]}))
                game = json.loads(await link.recv())
                while not stop.is_set() and not game["over"]:
                    await asyncio.sleep(MOVE_SECONDS)
                    cell, began = int(chance.choice(list(game["view"]["moves"]))), time.monotonic()
                    await link.send(json.dumps({"type": "move", "cell": cell, "mark": None}))
                    count = len(game["moves"])
                    while len(game["moves"]) == count:
                        game = json.loads(await asyncio.wait_for(link.recv(), 20))
                    taken.append(1000 * (time.monotonic() - began))


async def two_people(base: str, made: dict[str, str]) -> str:
    """Returns whether two players who met before the attack can go on while the table is full."""
    await asyncio.sleep(0.8 * SECONDS["table"])
    live = f"{base.replace('http', 'ws')}/live/play/{made['id']}"
    try:
        async with connect(live, local_addr=(VICTIM, 0)) as host, connect(live, local_addr=("127.0.2.2", 0)) as guest:
            for link, key in ((host, made["key"]), (guest, made["guest"])):
                await link.send(json.dumps({"type": "hello", "key": key}))
                await asyncio.wait_for(link.recv(), 20)
            await host.send(json.dumps({"type": "move", "text": "4"}))
            async with asyncio.timeout(10):
                while not json.loads(await guest.recv())["moves"]:
                    pass
            return "two people play on"
    except Exception as error:
        return f"two people CANNOT play on ({type(error).__name__})"


def resident(process: subprocess.Popen[str]) -> float:
    return int(Path(f"/proc/{process.pid}/status").read_text().partition("VmRSS:")[2].split()[0]) / 1024


async def attacked(name: str, base: str, process: subprocess.Popen[str]) -> str:
    taken: list[float] = []
    async with client(base, VICTIM) as one:
        made = (await one.post("/api/play", json={"game": "classic", "opponent": "link"})).json()
    stop = asyncio.Event()
    playing = asyncio.create_task(victim(base, stop, taken))
    await asyncio.sleep(3)
    calm, before = list(taken), resident(process)
    taken.clear()
    command = [sys.executable, __file__, "--attack", name, "--base", base]
    running = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    most = before
    said = asyncio.create_task(running.communicate())
    people = asyncio.create_task(two_people(base, made)) if name == "table" else None
    while not said.done():
        await asyncio.wait({said}, timeout=0.5)
        most = max(most, resident(process))
    out = (await said)[0].decode().strip()
    if people is not None:
        out += f"; {await people}"
    stop.set()
    with suppress(Exception):
        await asyncio.wait_for(playing, 25)
    during = sorted(taken) or [float("inf")]
    median, late = statistics.median(during), during[int(0.95 * (len(during) - 1))]
    return (
        f"{out}; a victim's move: median {median:.0f} ms, 95% {late:.0f} ms, at most {during[-1]:.0f} ms "
        f"(calm: {statistics.median(calm or [0]):.0f} ms); memory {before:.0f} to {most:.0f} MB"
    )


def measure(name: str, src: str | None, core: int | None) -> str:
    arguments = ["--allow-uploads"] if name == "bots" else ["--host", "0.0.0.0"] if name == "cookies" else []
    with tempfile.TemporaryDirectory() as folder:
        process, base = started(folder, core, *arguments, src=src)
        try:
            if name == "cookies":
                return asyncio.run(cookies(base, 0.0))
            return asyncio.run(attacked(name, base, process))
        finally:
            process.terminate()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="SRC", help="the sources of another tree, in turns with this one")
    parser.add_argument("--only", choices=ATTACKS, action="append")
    parser.add_argument("--attack", choices=ATTACKS, help=argparse.SUPPRESS)
    parser.add_argument("--base", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.attack:
        until = time.monotonic() + SECONDS.get(arguments.attack, 10.0)
        print(asyncio.run(WORK[arguments.attack](arguments.base, until)), flush=True)
        return
    cores = sorted(os.sched_getaffinity(0))
    core = cores[-1] if len(cores) > 1 else None
    if core is not None:
        os.sched_setaffinity(0, set(cores[:-1]))
    trees = {"now": None} if arguments.before is None else {"before": arguments.before, "now": None}
    for name in arguments.only or ATTACKS:
        for tree, src in trees.items():
            print(f"{name:<10} {tree:<6} {measure(name, src, core)}", flush=True)


if __name__ == "__main__":
    main()
