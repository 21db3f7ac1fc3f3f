"""OpenEnv's server and client over a real WebSocket: sessions side by side, lists only, bounded input."""

import asyncio
import socket
import threading
import time

import pytest
from scripted import Scripted

pytest.importorskip("openenv", reason="openenv is not installed: see .ci/adapters")


@pytest.fixture(scope="module")
def url():
    import uvicorn

    from noughts.envs.openenv import app

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


async def session(url, number, **settings):
    from noughts.envs.openenv import NoughtsAction, NoughtsClient

    policy, paid = Scripted(number), 0.0
    async with NoughtsClient(base_url=url) as client:
        result = await client.reset(seed=number, seat=number % 2, **settings)
        while not result.done:
            assert result.observation.legal_moves
            result = await client.step(NoughtsAction(message=policy.reply(result.observation.text)))
            paid += result.reward
        state = await client.state()
    assert state.step_count == policy.asked
    return result.observation, paid


def test_sessions_side_by_side_have_their_own_episodes(url):
    async def many():
        return await asyncio.gather(*(session(url, n, game="wild", opponent="perfect", opening=1) for n in range(24)))

    for observation, paid in asyncio.run(many()):
        summary = observation.summary
        game = (observation.outcome + 3) / 4 - summary["given_away"] / 4 - 0.05 * summary["invalid"]
        assert paid == pytest.approx(-0.1 if summary["forfeited"] else max(0, game))
        assert observation.step["exact"] or not observation.step["valid"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"game": "nosuch"}, "there is no game"),
        ({"game": "/tmp/evil.py:GAME"}, "there is no game"),
        ({"opponent": "llm:gpt?base_url=http://evil"}, "there is no opponent"),
        ({"opponent": "/tmp/evil.py"}, "there is no opponent"),
        ({"opponent": "mcts"}, "there is no opponent"),
        ({"opening": 10**9}, "opening is a whole number"),
    ],
)
def test_only_what_is_listed_can_be_asked_for(url, settings, words):
    from noughts.envs.openenv import NoughtsClient

    async def ask():
        async with NoughtsClient(base_url=url) as client:
            await client.reset(**settings)

    with pytest.raises(Exception, match=words):
        asyncio.run(ask())


def test_a_reply_that_was_cut_off_is_no_move(url):
    from noughts.envs.openenv import NoughtsAction, NoughtsClient

    with NoughtsClient(base_url=url).sync() as client:
        result = client.reset(game="classic")
        result = client.step(NoughtsAction(message="Perhaps [4]? Wait, no", cut_off=True))
        assert result.observation.step["reason"] == "cut_off"
        result = client.step(NoughtsAction(message="Perhaps [4]? Yes"))
        assert result.observation.step["move"] == "[4]"


def test_generated_games_are_played_too(url):
    observation, _ = asyncio.run(session(url, 3, game="classic", opponent="perfect", variant=7, difficulty=1))
    assert observation.step["exact"] or not observation.step["valid"]
    with pytest.raises(Exception, match="difficulty must be a whole number from 0 to 2"):
        asyncio.run(session(url, 3, game="classic", variant=7, difficulty=4))
