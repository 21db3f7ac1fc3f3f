"""Measures how long users of a ladder wait: teams upload, games are played, people watch.

It starts `noughts serve` on a new ladder in a temporary folder, lets each team upload a bot that answers at once, then
further versions, one after the other, while watchers hold a WebSocket each and open a page now and then. It prints how
long gates took, the intervals of second versions after 60 games, and how fast the page was meanwhile. The clients
run on the server's machine, so they are part of the load.

python benchmarks/ladder_server.py [--teams 100] [--watchers 200] [--minutes 20] [--seconds-between 5] [--game ultimate]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import websockets

from noughts import load_game
from noughts.commands._ladder_demo import DEMO_BOT
from noughts.tournaments._ladder import LADDER
from noughts.tournaments.ladder import create_ladder, ladder_in, set_token
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile
from noughts.web import token_hash

PAUSE = 5.0
"""Seconds between two pages that a watcher opens."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teams", type=int, default=100)
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seconds-between", type=float, default=5.0, help="two uploads")
    parser.add_argument("--game", default="ultimate")
    args = parser.parse_args()
    teams = [f"team{number}" for number in range(1, args.teams + 1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "class.noughts")
        with TournamentFile(path, write=True) as file:
            settings = Settings(format=LADDER, seconds=2.0, uploads=1000)
            ladder = create_ladder(file, load_game(args.game), settings, teams)
            for team in teams:
                set_token(ladder, team, token_hash(_token(team)))
        server, base = start(path)
        try:
            waits, sockets = asyncio.run(_use(base, teams, args))
        finally:
            server.terminate()
            server.wait()
        tell(path, waits, sockets, args)


def _token(team: str) -> str:
    return f"token-of-{team}"


def start(path: Path) -> tuple[subprocess.Popen[str], str]:
    """Starts the server; returns its process and its address."""
    command = [sys.executable, "-m", "noughts.cli", "serve", "--file", str(path), "--port", "0"]
    command += ["--games", str(path.with_name("games.sqlite"))]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    found = re.search(r"http://\S+?:\d+", server.stdout.readline())
    assert found is not None
    return server, found[0]


async def _use(base: str, teams: Sequence[str], args: argparse.Namespace) -> tuple[list[float], int]:
    """Uploads and watches; returns how long each page took, and how many messages came on WebSockets."""
    ends, waits, messages = time.monotonic() + 60 * args.minutes, list[float](), 0
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(base_url=base, timeout=60, limits=limits) as client:

        async def upload() -> None:
            names = [*teams, *random.Random(2).choices(teams, k=10 * len(teams))]
            for number, team in enumerate(names):
                if time.monotonic() > ends:
                    return
                text = DEMO_BOT.format(share=random.Random(number).random()) + f"# {number}\n"
                headers = {"authorization": f"Bearer {_token(team)}"}
                answer = await client.post("/api/ladder/versions", content=text, headers=headers)
                assert answer.status_code == 201, answer.text
                await asyncio.sleep(args.seconds_between)

        async def watch(number: int) -> None:
            nonlocal messages
            await asyncio.sleep(PAUSE * random.random())
            address = base.replace("http", "ws") + "/live/ladder"
            async with websockets.connect(address, max_size=None, open_timeout=60) as socket:

                async def listen() -> None:
                    nonlocal messages
                    with suppress(websockets.ConnectionClosed):
                        async for _ in socket:
                            messages += 1

                listening = asyncio.create_task(listen())
                while time.monotonic() < ends:
                    place = f"/api/ladder/teams/{random.choice(teams)}" if random.random() < 0.3 else "/api/ladder"
                    began = time.monotonic()
                    answer = await client.get(place)
                    waits.append(time.monotonic() - began)
                    assert answer.status_code == 200, answer.text
                    await asyncio.sleep(PAUSE * (0.5 + random.random()))
                listening.cancel()

        await asyncio.gather(upload(), *(watch(number) for number in range(args.watchers)))
    return waits, messages


def tell(path: Path, waits: Sequence[float], messages: int, args: argparse.Namespace) -> None:
    with TournamentFile(path) as file:
        ladder = ladder_in(file)
        gates = [
            seconds
            for (seconds,) in file.rows(
                "SELECT (julianday(decided) - julianday(added)) * 86400 FROM gate JOIN version ON version.id = version "
                "ORDER BY decided"
            )
        ]
        intervals = [
            half
            for half, _ in file.rows(
                "SELECT (high - low) / 2, min(games) FROM rating JOIN version ON version.id = version "
                "WHERE tournament = ? AND games >= 60 AND number > 1 GROUP BY version",
                ladder.id,
            )
        ]
        ((games,),) = file.rows("SELECT count(*) FROM game")
    print(f"{args.teams} teams, {args.watchers} watchers, {args.minutes:g} min: {games:,} games, {messages:,} messages")
    print(f"  gate verdict             {spread_text(gates, 's')}")
    print(f"  interval after 60 games  {spread_text(intervals, 'Elo, one side')}")
    print(f"  a page                   {spread_text([1000 * each for each in waits], 'ms')}")


def spread_text(values: Sequence[float], unit: str) -> str:
    if not values:
        return "none"
    order = sorted(values)
    return f"median {order[len(order) // 2]:.0f}, p95 {order[int(0.95 * len(order))]:.0f} {unit} ({len(order)})"


if __name__ == "__main__":
    main()
