"""The MCP server, called as a client calls it: play a game to its end, analyse a position."""

import asyncio
import json
import re
import subprocess
import sys
from threading import Timer

import pytest
from scripted import Scripted

pytest.importorskip("mcp.server", reason="mcp is not installed: see .ci/adapters")


def call(server, tool, **arguments):
    result = asyncio.run(server.call_tool(tool, arguments))
    return "\n".join(part.text for part in result.content)


@pytest.fixture
def server():
    from noughts.envs.mcp import make_server

    return make_server()


def test_the_tools_are_there(server):
    names = {tool.name for tool in asyncio.run(server.list_tools())}
    assert names == {"games", "rules", "new_game", "play", "analyse"}
    assert "wild: Both players place X or O" in call(server, "games")
    assert "You are Player 0 in Misère" in call(server, "rules", game="misere")


def test_a_game_is_played_to_its_end(server):
    text = call(server, "new_game", game="numerical", opponent="perfect", seat=1)
    number, policy = re.match(r"game (\d+)", text)[1], Scripted(3)
    while "Available Moves" in text:
        text = call(server, "play", game_id=number, move=policy.reply(text))
    assert "[GAME]" in text
    assert "The game is over." in call(server, "play", game_id=number, move="[1@1]")


def test_positions_are_analysed_exactly(server):
    text = call(server, "analyse", game="classic", position="XX./OO./... p0")
    assert "[2]: wins in 1" in text
    assert "loses" in text
    assert len(call(server, "analyse", game="xtreme").split("\n[")) > 80  # not solved: values by search


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("new_game", {"game": "evil.py:GAME"}),
        ("new_game", {"opponent": "llm:x"}),
        ("play", {"game_id": "99", "move": "[4]"}),
        ("analyse", {"game": "classic", "position": "nonsense"}),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(server, tool, arguments):
    with pytest.raises(Exception, match=r"there is no|is no|position|9 cells"):
        call(server, tool, **arguments)


def test_half_a_character_gets_an_answer():
    """A client's text may be cut in the middle of a character: the request is answered like any other."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = {"name": "rules", "arguments": {"game": "\ud800"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked},
    ]
    command = [sys.executable, "-m", "noughts.cli", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        Timer(100, server.kill).start()  # which has to answer before
        for line in lines:
            server.stdin.write(json.dumps(line) + "\n")
            server.stdin.flush()
        replies = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
    assert "there is no game" in replies[1]["result"]["content"][0]["text"]
