"""Measures the OpenEnv server: steps a second in one session and in many at once, over real WebSockets.

    .venv-adapters/openenv/bin/python benchmarks/openenv_sessions.py      (see .ci/adapters)

Server and clients share this machine, so the figures are for both together. The opponent is perfect, moves are graded.
"""

from __future__ import annotations

import asyncio
import random
import socket
import threading
import time

import uvicorn

from noughts.envs.openenv import NoughtsAction, NoughtsClient, app

GAMES = 30


async def session(url: str, number: int, games: int) -> int:
    choose, steps = random.Random(number), 0
    async with NoughtsClient(base_url=url) as client:
        for game in range(games):
            result = await client.reset(seed=1000 * number + game, game="wild", opponent="perfect", opening=1)
            while not result.done:
                move = choose.choice(result.observation.legal_moves)
                result = await client.step(NoughtsAction(message=f"I play {move}"))
                steps += 1
    return steps


async def together(url: str, sessions: int, games: int) -> tuple[int, float, int]:
    started = time.perf_counter()
    found = await asyncio.gather(*(session(url, n, games) for n in range(sessions)), return_exceptions=True)
    failed = [each for each in found if isinstance(each, BaseException)]
    return sum(each for each in found if isinstance(each, int)), time.perf_counter() - started, len(failed)


def main() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.02)
    url = f"http://127.0.0.1:{port}"
    asyncio.run(together(url, 1, 2))  # loads what is compiled
    for sessions, games in ((1, GAMES), (16, 8), (60, 3)):
        steps, seconds, failed = asyncio.run(together(url, sessions, games))
        print(f"{sessions:>3} sessions: {steps / seconds:6.0f} steps/s, {failed} failed", flush=True)
    server.should_exit = True


if __name__ == "__main__":
    main()
