"""The page behind the real nginx and the real Caddy, with the settings that docs/page.md advises."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import httpx
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import Server
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

PAGE = (Path(__file__).parents[1] / "docs" / "page.md").read_text(encoding="utf-8")
SITE = "class.example"
NGINX = """\
{user}worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {site}
}}
"""
CADDY = "{{\n admin off\n skip_install_trust\n auto_https disable_redirects\n}}\n{site}"


def advised(language):
    """A block of the docs."""
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[1]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxy:
    """A proxy in front of a server. All addresses of 127.0.0.0/8 are this machine's, so people come from several."""

    def __init__(self, kind, folder, server, change=lambda text: text):
        program = shutil.which(kind, path=f"{os.environ['PATH']}:/usr/sbin")
        if program is None:
            pytest.skip(f"{kind} is not installed")
        self.port = free_port()
        self.guesser, self.other = (f"127.0.{1 + (kind == 'caddy')}.{number}" for number in (3, 4))
        site = advised(kind).replace("127.0.0.1:8765", f"127.0.0.1:{server.port}")
        getattr(self, f"_start_{kind}")(program, folder, change(site))
        self._until_it_answers()

    def _start_nginx(self, program, folder, site):
        self._certificate(folder)
        site = site.replace("listen 443", f"listen {self.port}").replace("/etc/ssl", str(folder))
        user = "user root; " if os.geteuid() == 0 else ""
        (folder / "conf").write_text(NGINX.format(folder=folder, site=site, user=user))
        self._run(program, "-p", str(folder), "-c", str(folder / "conf"), "-e", str(folder / "log"))

    def _start_caddy(self, program, folder, site):
        site = site.replace(SITE, f"{SITE}:{self.port}").replace("{\n", "{\n    tls internal\n", 1)
        (folder / "Caddyfile").write_text(CADDY.format(site=site))
        environment = {**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        command = ["run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
        self._run(program, *command, env=environment)

    def _run(self, *command, **more):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, **quiet, **more)

    def _certificate(self, folder):
        openssl = shutil.which("openssl")
        if openssl is None:
            pytest.skip("there is no openssl to make a certificate")
        key, file = folder / f"{SITE}.key", folder / f"{SITE}.pem"
        command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        command += ["-subj", f"/CN={SITE}", "-keyout", str(key), "-out", str(file)]
        subprocess.run(command, check=True, capture_output=True)

    def _until_it_answers(self):
        for _ in range(4000):
            try:
                self.get("/join")
            except httpx.TransportError:
                assert self._process.poll() is None
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the proxy does not answer")

    def request(self, method, path, address="127.0.0.2", **more):
        headers = {"host": f"{SITE}:{self.port}", **more.pop("headers", {})}
        asked = {"headers": headers, "extensions": {"sni_hostname": SITE}, **more}
        transport = httpx.HTTPTransport(verify=False, local_address=address)
        with httpx.Client(transport=transport, timeout=240) as client:
            return client.request(method, f"https://127.0.0.1:{self.port}{path}", **asked)

    def get(self, path, *arguments, **more):
        return self.request("GET", path, *arguments, **more)

    def post(self, path, *arguments, **more):
        origin = {"origin": f"https://{SITE}:{self.port}", **more.pop("headers", {})}
        return self.request("POST", path, *arguments, headers=origin, **more)

    def answer(self, path, token, message):
        """Returns the first message that the page sends after a message.

        In one thread: in Python 3.11, two threads that use one encrypted connection at a time may wait for ever.
        """
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        headers = {"authorization": f"Bearer {token}"}
        more = {"origin": f"https://{SITE}:{self.port}", "additional_headers": headers}
        more |= {"host": "127.0.0.1", "ssl": context, "server_hostname": SITE, "open_timeout": 240}

        async def ask():
            async with connect(f"wss://{SITE}:{self.port}{path}", **more) as link:
                await link.send(json.dumps(message))
                return json.loads(await asyncio.wait_for(link.recv(), 240))

        return asyncio.run(ask())

    def stop(self):
        self._process.terminate()
        self._process.wait(timeout=240)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("behind")
    running = Server(folder, "--proxy", "127.0.0.1", "--name", SITE, "--token", str(folder / "token"))
    running.token = (folder / "token").read_text().strip()
    yield running
    _, err = running.stop()
    assert "Traceback" not in err, err


@pytest.fixture(params=["nginx", "caddy"])
def proxy(request, server, tmp_path):
    running = Proxy(request.param, tmp_path, server)
    yield running
    running.stop()


def assert_refused(guesses):
    """Ten guesses have an answer, then most have none: every six seconds another one has."""
    assert guesses[:10] == [401] * 10
    assert 429 in guesses[10:]


def test_people_behind_a_proxy_join_play_and_are_told_apart(proxy, server):
    answer = proxy.post("/join", json={"token": server.token})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert "Secure" in cookie
    joined = {"cookie": cookie.partition(";")[0]}
    made = proxy.post("/api/play", json={"game": "classic", "opponent": "screen"}, headers=joined)
    assert made.status_code == 201
    hello = {"type": "hello", "key": made.json()["key"]}
    assert proxy.answer(f"/live/play/{made.json()['id']}", server.token, hello)["you"] == [0, 1]
    evil = proxy.post("/api/play", json={}, headers={**joined, "origin": "https://evil.example"})
    assert evil.status_code == 403
    guesses = [proxy.post("/join", proxy.guesser, json={"token": f"wrong-{i}"}).status_code for i in range(12)]
    assert_refused(guesses)
    lies = {"x-forwarded-for": "10.1.2.3"}
    lying = [proxy.post("/join", proxy.guesser, json={"token": "wrong"}, headers=lies).status_code for _ in range(3)]
    assert 429 in lying
    assert proxy.post("/join", proxy.other, json={"token": "wrong"}).status_code == 401


def test_with_the_host_that_nginx_sends_by_default_everything_works_too(server, tmp_path):
    proxy = Proxy("nginx", tmp_path, server, lambda site: site.replace("proxy_set_header Host $http_host;", ""))
    try:
        joined = {"authorization": f"Bearer {server.token}", "origin": f"https://{SITE}"}
        made = proxy.post("/api/play", json={"game": "classic", "opponent": "screen"}, headers=joined)
        assert made.status_code == 201
    finally:
        proxy.stop()


def test_nobody_but_the_proxy_is_believed(server):
    """Somebody who reaches the server past the proxy stays who they are."""
    with httpx.Client(
        base_url=server.base,
        transport=httpx.HTTPTransport(local_address="127.0.0.9"),
        headers={"host": SITE},
        timeout=240,
    ) as direct:
        answers = []
        for number in range(12):
            lies = {"x-forwarded-for": f"10.0.0.{number}", "x-forwarded-proto": "https"}
            answers.append(direct.post("/join", json={"token": "wrong"}, headers=lies).status_code)
        assert_refused(answers)
        assert "Secure" not in direct.post("/join", json={"token": server.token}, headers=lies).headers["set-cookie"]
    with pytest.raises(InvalidStatus):
        server.live("/live/analysis").close()  # a token is needed, though this machine is where it listens
