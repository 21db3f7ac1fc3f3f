"""Measures the page: from a click to the opponent's mark, its weight, first paint, games on one core, memory.

    python benchmarks/page.py            all figures; needs Chromium, and two cores for the load
    python benchmarks/page.py --quick    fewer repetitions
    python benchmarks/page.py --load --before OTHER/src     players on one core: this tree and another in turns

The server runs in its own process on one core, browser and clients on another. Opponents are `random`, which answers at
once, so only the page and the server are measured. Players come from several addresses of this machine. The target is
lichess's: answer a move within 100 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
from websockets.asyncio.client import connect

CLICK = """async (cell) => {
  const list = document.querySelector(".moves"), before = list.children.length;
  const answered = new Promise((done) => new MutationObserver((_, me) => {
    if (list.children.length >= before + 2 || document.querySelector(".verdict").textContent.includes("win")) {
      me.disconnect();
      requestAnimationFrame(() => done(performance.now()));
    }
  }).observe(list, { childList: true }));
  const began = performance.now();
  document.querySelector(`[data-cell="${cell}"]`).click();
  return (await answered) - began;
}"""
MARK_MS = 100.0
READY = asyncio.Semaphore(0)
"""Released once by each connected player."""
PLAYERS = (200, 400, 600, 800, 950)
PLAYERS_EACH = 200
"""Players from one address."""


def started(
    folder: str, core: int | None, *arguments: str, src: str | None = None
) -> tuple[subprocess.Popen[str], str]:
    """Starts a server on one core; returns it and its address. src: the sources of another tree."""
    command = [sys.executable, "-m", "noughts.cli", "serve", "--port", "0", "--workers", "1"]
    command += ["--games", str(Path(folder) / "games.sqlite"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(Path(src).resolve())} if src else None

    def pin() -> None:
        if core is not None:
            os.sched_setaffinity(0, {core})

    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=pin, env=environment, cwd=folder)
    assert process.stdout is not None
    return process, process.stdout.readline().split()[4].rstrip("/")


def address_of(number: int) -> str:
    """Returns the address of a client: all of 127.0.0.0/8 is this machine."""
    return f"127.0.1.{number // PLAYERS_EACH + 1}"


def spread(values: list[float]) -> str:
    ordered = sorted(values)
    return f"median {statistics.median(ordered):.0f} ms, 95% {ordered[int(0.95 * (len(ordered) - 1))]:.0f} ms"


def in_the_browser(base: str, moves: int, paints: int) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for game in ("classic", "extreme"):
            taken: list[float] = []
            while len(taken) < moves:
                page = chromium.new_page()
                made = httpx.post(f"{base}/api/play", json={"game": game, "opponent": "random"}).json()
                page.goto(f"{base}/game/{made['id']}#key={made['key']}")
                page.locator(".board-spot.playable").first.wait_for()
                while len(taken) < moves and page.locator(".choices .btn", has_text="Rematch").is_hidden():
                    cells = page.locator(".board-spot.playable").evaluate_all(
                        "(all) => all.map((one) => one.dataset.cell)"
                    )
                    if not cells:
                        page.wait_for_timeout(20)
                        continue
                    if page.locator(".board-note", has_text="bonus").count():
                        page.locator(".board-spot.playable").first.click()
                        page.wait_for_timeout(100)
                        continue
                    left = httpx.get(f"{base}/api/play/{made['id']}").json()["view"]["cells"].count(".")
                    if left < 4:
                        break
                    taken.append(page.evaluate(CLICK, random.choice(cells)))
                page.close()
            print(f"click to the opponent's mark, {game}: {spread(taken)} ({len(taken)} moves)", flush=True)
        first, weights = [], []
        for _ in range(paints):
            context = chromium.new_context()
            page = context.new_page()
            sizes: list[int] = []
            page.on("response", lambda answer, sizes=sizes: sizes.append(int(answer.headers.get("content-length", 0))))
            made = httpx.post(f"{base}/api/play", json={"game": "extreme", "opponent": "random"}).json()
            page.goto(f"{base}/game/{made['id']}#key={made['key']}")
            page.locator(".board-spot").first.wait_for()
            entries = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            first.append(page.evaluate(entries))
            weights.append(sum(sizes))
            context.close()
        print(
            f"first paint with an empty cache: {spread(first)}; page weight {max(weights) / 1000:.0f} kB sent",
            flush=True,
        )
        chromium.close()


async def player(
    client: httpx.AsyncClient, address: str, base: str, begin: asyncio.Event, seconds: float, taken: list[float]
) -> None:
    """Plays as a person who moves about every two seconds and waits for each answer; starts a new game after each."""
    chance, live, end = random.Random(), base.replace("http", "ws"), float("inf")
    while time.monotonic() < end:
        made = (await client.post("/api/play", json={"game": "ultimate", "opponent": "random"})).json()
        async with connect(f"{live}/live/play/{made['id']}", local_addr=(address, 0)) as link:
            await link.send(json.dumps({"type": "hello", "key": made["key"]}))
            game, began = json.loads(await link.recv()), 0.0
            if end == float("inf"):
                READY.release()
                await begin.wait()
                end = time.monotonic() + seconds
            while time.monotonic() < end and not game.get("over"):
                if game["view"]["player"] in game["you"] and game["view"].get("moves"):
                    if began:
                        taken.append(1000 * (time.monotonic() - began))
                    await asyncio.sleep(chance.uniform(1.0, 3.0))
                    cell = int(chance.choice(list(game["view"]["moves"])))
                    began = time.monotonic()
                    await link.send(json.dumps({"type": "move", "cell": cell, "mark": None}))
                game = json.loads(await link.recv())


async def load(base: str, players: int, seconds: float) -> list[float]:
    """Returns the milliseconds from each move to the opponent's. All players connect before the first move."""
    global READY
    READY = asyncio.Semaphore(0)
    taken: list[float] = []
    begin = asyncio.Event()
    async with AsyncExitStack() as stack:
        clients = {}
        for address in {address_of(number) for number in range(players)}:
            transport = httpx.AsyncHTTPTransport(local_address=address, limits=httpx.Limits(max_connections=20))
            client = httpx.AsyncClient(base_url=base, timeout=120, transport=transport)
            clients[address] = await stack.enter_async_context(client)
        tasks = []
        for number in range(players):
            address = address_of(number)
            tasks.append(asyncio.create_task(player(clients[address], address, base, begin, seconds, taken)))
        for _ in range(players):
            await READY.acquire()
        begin.set()
        await asyncio.gather(*tasks)
    return taken


def under_load(bases: dict[str, str], seconds: float) -> None:
    """bases: servers by the names of their trees, which take turns until the median is too long."""
    for players in PLAYERS:
        for name, base in list(bases.items()):
            taken = asyncio.run(load(base, players, seconds))
            print(f"{name}{players} players who move every 2 s: {spread(taken)} ({len(taken)} moves)", flush=True)
            if statistics.median(taken) > MARK_MS:
                del bases[name]


def memory(process: subprocess.Popen[str], base: str, games: int) -> None:
    def resident() -> int:
        status = Path(f"/proc/{process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    with httpx.Client(base_url=base, timeout=60) as client:
        client.post("/api/play", json={"game": "extreme", "opponent": "screen"})
        before = resident()
        for _ in range(games):
            made = client.post("/api/play", json={"game": "extreme", "opponent": "screen"}).json()
            state = client.get(f"/api/play/{made['id']}", params={"key": made["key"]}).json()
            if "view" not in state:
                time.sleep(0.5)
        print(
            f"memory: {resident() / 1024:.0f} MB in all, {(resident() - before) / games:.1f} kB a game ({games} games)"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--load", action="store_true", help="the load alone")
    parser.add_argument(
        "--before", metavar="SRC", help="with --load: the sources of another tree, in turns with this one"
    )
    arguments = parser.parse_args()
    quick = arguments.quick
    cores = sorted(os.sched_getaffinity(0))
    core = cores[-1] if len(cores) > 1 else None
    trees = {"": None} if arguments.before is None else {"before: ": arguments.before, "now:    ": None}
    with tempfile.TemporaryDirectory() as folder:
        servers = {}
        for number, (name, src) in enumerate(trees.items()):
            own = Path(folder) / str(number)
            own.mkdir()
            servers[name] = started(str(own), core, src=src)
        if len(cores) > 1:
            os.sched_setaffinity(0, set(cores[:-1]))
        try:
            if not arguments.load:
                process, base = servers[""]
                in_the_browser(base, 30 if quick else 150, 3 if quick else 9)
                memory(process, base, 200 if quick else 800)
            under_load({name: base for name, (_, base) in servers.items()}, 10 if quick else 20)
        finally:
            for process, _ in servers.values():
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
