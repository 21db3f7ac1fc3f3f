"""Servers of models that do what no server should: one sentence, nothing lost, and the same command goes on."""

import json
import tracemalloc

import pytest
from chat_server import always, serving

pytest.importorskip("httpx", reason="httpx is not installed: pip install 'noughts[llm]'")

from noughts.cli import main
from noughts.suites import suite as suites
from noughts.suites.suite import Size

KEY = "sk-secret-0123456789"
GAMES = 4

PAGE = b"<!doctype html><title>Welcome</title>"
ELSEWHERE = {"status": 302, "headers": {"Location": "http://127.0.0.1:1/v1/chat/completions"}}


@pytest.fixture
def hostile(monkeypatch):
    """Runs a script of hostile requests; the key is in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    # Pauses between attempts are for servers that mean well.
    monkeypatch.setattr("noughts.players.llm.client.FIRST_PAUSE", 0.001)
    monkeypatch.setattr("noughts.players.llm.client.LONGEST_PAUSE", 0.002)


def evaluate(server, folder, *more):
    model = f"llm:m?base_url={server.url}&retries=1&seconds=120&timeout=60"
    return main(
        ["evaluate", model, "--game", "classic", "--games", str(GAMES), "--seed", "1", "--out", str(folder), *more]
    )


def no_key_in(folder, *texts):
    found = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert KEY.encode() not in found
    assert all(KEY not in text for text in texts)


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (ELSEWHERE, "redirects to http://127.0.0.1:1/v1/chat/completions; if that is the right server, name it"),
        ({"status": 301}, "refused: HTTP 301"),
        ({"raw": PAGE}, "the answer is a web page, not a chat completion; check the address"),
        ({"cut": True}, "gave no reply after 2 attempts"),
        ({"raw": b'{"choices": [' + b'"x", ' * 2_000_000}, "an answer of more than 8000000 bytes"),
        ({"status": 401, "body": json.dumps({"error": {"message": f"bad key {KEY}"}})}, "refused: HTTP 401"),
    ],
    ids=["redirect", "redirect-nowhere", "html", "closes", "large", "repeats-the-key"],
)
def test_one_sentence_nothing_lost_and_the_same_command_goes_on(hostile, behaviour, words, tmp_path, capsys):
    rude = {"after": 2}
    script = lambda number, _question: {} if number < rude["after"] else behaviour  # noqa: E731
    with serving(script) as server:
        code = evaluate(server, tmp_path / "run", "--concurrency", "1")
        first = capsys.readouterr()
        assert code in (1, 2)
        assert words in first.err
        assert "Traceback" not in first.err
        assert max(map(len, first.err.splitlines())) < 600
        kept = (tmp_path / "run" / "transcript.jsonl").read_text(encoding="utf-8").count('"kind":"exchange"')
        assert kept == 2  # what was answered before is there
        rude["after"] = 10**9
        assert evaluate(server, tmp_path / "run") == 0
        second = capsys.readouterr()
        assert f"{GAMES} games" in second.out
    no_key_in(tmp_path, first.err, first.out, second.out, second.err)


def test_a_key_goes_only_to_the_server_that_was_named(hostile, tmp_path, capsys):
    with serving() as thief:
        location = {"status": 307, "headers": {"Location": f"{thief.url}/chat/completions"}}
        with serving(always(location)) as server:
            assert evaluate(server, tmp_path / "run") == 2
        assert thief.requests == []
    assert "redirects to" in capsys.readouterr().err


def test_100_megabytes_are_not_read(hostile, tmp_path, capsys, monkeypatch):
    def flood(handler, plan, question):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000000")
        handler.end_headers()
        part = b'{"choices": [' + b" " * 65_000
        try:
            for _ in range(1600):
                handler.wfile.write(part)
        except OSError:
            handler.close_connection = True

    monkeypatch.setattr("chat_server.Handler.answer", flood)
    tracemalloc.start()
    with serving() as server:
        assert evaluate(server, tmp_path / "run", "--concurrency", "1") == 1
    assert tracemalloc.get_traced_memory()[1] < 60_000_000
    tracemalloc.stop()
    assert "an answer of more than 8000000 bytes" in capsys.readouterr().err


def test_a_suite_goes_on_after_a_server_that_misbehaved(hostile, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(suites.SIZES, "small", Size(variants=2, positions=2, clashes=0, classic=2))
    monkeypatch.setattr(suites, "STRATA", {"own": (("own",), 3), "wild": (("wild",), 3)})
    monkeypatch.setattr(suites, "cache_folder", lambda kind, version: tmp_path / "cache" / version)
    monkeypatch.setattr(suites, "SHIPPED", tmp_path)
    rude = {"after": 3}
    script = lambda number, _question: {} if number < rude["after"] else {"raw": PAGE}  # noqa: E731
    with serving(script) as server:
        model = f"llm:m?base_url={server.url}&retries=0&seconds=120"
        command = ["evaluate", model, "--suite", "variants", "--out", str(tmp_path / "run"), "--concurrency", "1"]
        assert main(command) == 1
        shown = capsys.readouterr()
        assert "5 of 8 questions have no answer" in shown.err
        assert "a web page, not a chat completion" in shown.err
        assert "3 of 8 questions answered" in shown.out
        asked = set(server.questions()[:3])
        rude["after"] = 10**9
        before = len(server.requests)
        assert main(command) == 0
        assert "8 of 8 questions answered" in capsys.readouterr().out
        assert not asked & set(server.questions()[before:])
    no_key_in(tmp_path, shown.err, shown.out)
