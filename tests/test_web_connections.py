"""The port, the connections and the file of the page's server."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from contextlib import closing
from types import SimpleNamespace

import processes
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from fastapi import WebSocket

from noughts.web import _live


@pytest.mark.parametrize("command", [["serve"], ["ladder", "demo"]], ids=" ".join)
def test_the_hint_for_a_missing_package_is_one_line(command):
    missing = "import sys; sys.modules.update(uvicorn=None, fastapi=None)"
    script = f"{missing}; from noughts.cli import main; sys.exit(main({command}))"
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, timeout=240)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install fastapi uvicorn websockets" in done.stderr


def test_a_port_that_is_taken_is_said_in_a_sentence(server):
    done = processes.run("serve", "--port", str(server.port))
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1 port {server.port}" in done.stderr


def test_answers_are_sent_at_once():
    """Else the second part of each waits 40 ms for the first to be acknowledged."""

    from noughts.web import Settings
    from noughts.web.server import listening_socket

    async def accepted():
        found = asyncio.get_running_loop().create_future()

        def connected(_, writer):
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening_socket(Settings(port=0)) as bound:
            async with await asyncio.start_server(connected, sock=bound) as server:
                _, writer = await asyncio.open_connection(*bound.getsockname())
                at_once = await found
                writer.close()
                server.close()
        return at_once

    assert asyncio.run(accepted())


class Late:
    """A transport that only notes what happens, and the timers of its connection."""

    def __init__(self):
        self.aborted, self.timers = False, []

    def abort(self):
        self.aborted = True

    def get_extra_info(self, name):
        return ("10.0.0.9", 1) if name == "peername" else None

    def is_closing(self):
        return self.aborted

    def call_later(self, seconds, work):
        timer = SimpleNamespace(work=work)
        timer.cancel = lambda: self.timers.remove(timer)
        self.timers.append(timer)
        return timer

    def __getattr__(self, name):
        return lambda *arguments: None


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nA", "second"])
def test_who_sends_no_whole_request_in_time_is_let_go(monkeypatch, sent):

    import uvicorn

    from noughts.web import _connections

    late = Late()
    limit = _connections.ConnectionLimit(5000)

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def connect():
        from uvicorn.server import ServerState

        config = uvicorn.Config(app, http=_connections.bounded_protocol(limit), lifespan="off", log_config=None)
        config.load()
        link = config.http_protocol_class(config=config, server_state=ServerState(), app_state={})
        monkeypatch.setattr(link, "_call_later", late.call_later)
        link.connection_made(late)
        assert limit.share.held == {"10.0.0.9": 1}
        if sent == "second":  # a whole one, and a piece of another
            link.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await asyncio.gather(*link.tasks)
            assert not late.timers
            link.data_received(b"GET / HT")
        elif sent:
            link.data_received(sent)
        assert len(late.timers) == 1
        late.timers[0].work()
        assert late.aborted
        link.connection_lost(OSError())
        assert not limit.share.held

    asyncio.run(connect())


def test_a_second_server_does_not_touch_the_games_of_the_first(server):
    done = processes.run("serve", "--port", "0", "--games", str(server.games))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "--games FILE" in done.stderr
    assert done.stdout == ""


def test_a_page_beside_a_server_takes_a_temporary_file_and_says_so(tmp_path, capsys):

    from noughts.web import Settings
    from noughts.web._tables import GamesFile
    from noughts.web.server import _games

    settings = Settings(games=tmp_path / "page.sqlite", spare=True)
    with closing(GamesFile(settings.games)), closing(_games(settings)):
        assert f"another server uses {settings.games}" in capsys.readouterr().err
    with closing(_games(settings)):
        assert capsys.readouterr().err == ""


def test_a_visitor_who_leaves_before_the_answer_causes_no_error():
    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        if message["type"] != "websocket.accept":
            raise OSError("the connection is closed")

    scope = {"type": "websocket", "headers": [], "path": "/live/watch"}
    asyncio.run(_live.watch(WebSocket(scope, receive, send), None))
