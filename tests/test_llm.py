"""Language models as players, against a real HTTP server that misbehaves in every way."""

import asyncio
import json
import logging
import time

import pytest
from chat_server import always, scripted, serving

import noughts

pytest.importorskip("httpx", reason="httpx is not installed: pip install 'noughts[llm]'")

from noughts.players import Clock, make_player
from noughts.players.llm import ChatClient, LlmPlayer, LlmSettings, ServiceError
from noughts.players.llm.client import _retry_after
from noughts.players.llm.settings import settings_of
from noughts.players.text_seat import TextSeat
from noughts.text.env import TextEnv
from noughts.untrusted import FileKind

KEY = "sk-secret-0123456789"
ASK = [{"role": "user", "content": "Available Moves: [X 4], [O 4]"}]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr("noughts.players.llm.client.FIRST_PAUSE", 0.001)


def settings(server, **changes):
    return LlmSettings("m", server.url, KEY, **({"seconds": 20.0, "timeout": 10.0} | changes))


def complete(server, **changes):
    async def ask():
        client = ChatClient(settings(server, **changes))
        try:
            return await client.complete(ASK)
        finally:
            await client.aclose()

    return asyncio.run(ask())


def test_a_reply_comes_with_what_it_cost():
    with serving() as server:
        reply = complete(server, tokens=50, temperature=0.5)
    assert (reply.text, reply.attempts, reply.failure, reply.finish) == ("[X 4]", 1, None, "stop")
    assert (reply.prompt_tokens, reply.completion_tokens) == (100, 7)
    assert server.requests[0] == {"model": "m", "messages": ASK, "max_tokens": 50, "temperature": 0.5}
    assert (reply.model, reply.max_tokens, reply.reasoning) == ("m-2026", 50, None)
    assert server.headers_seen[0]["Authorization"] == f"Bearer {KEY}"


def test_how_a_model_samples_is_sent_as_its_api_has_it():
    with serving() as server:
        complete(server, top_p=0.9, effort="low", seed=7)
    sent = {name: server.requests[0][name] for name in ("top_p", "reasoning_effort", "seed")}
    assert sent == {"top_p": 0.9, "reasoning_effort": "low", "seed": 7}
    assert "temperature" not in server.requests[0]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_that_comes_apart_is_kept_apart(field):
    usage = {"completion_tokens_details": {"reasoning_tokens": 5}}
    with serving(scripted({"say": "[O 4]", "message": {field: "Perhaps [X 4]?"}, "usage": usage})) as server:
        reply = complete(server)
    assert (reply.text, reply.reasoning, reply.reasoning_tokens) == ("[O 4]", "Perhaps [X 4]?", 5)


@pytest.mark.parametrize(
    "bad_answer",
    [
        {"status": 429, "headers": {"Retry-After": "0"}, "body": '{"error": {"message": "slow down"}}'},
        {"status": 429},
        {"status": 500, "body": "<html>oops</html>"},
        {"status": 503, "headers": {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}},
        {"cut": True},
        {"raw": b"<html>hello</html>"},
        {"raw": b'{"choices": []}'},
        {"raw": b'{"choices": [{"message": null}]}'},
        {"raw": b"[" * 100_000},
        {"raw": b"\xff\xfe\x00"},
    ],
)
def test_what_may_pass_is_tried_again(bad_answer):
    with serving(scripted(bad_answer, bad_answer)) as server:
        reply = complete(server)
    assert (reply.text, reply.attempts) == ("[X 4]", 3)


@pytest.mark.parametrize("bad_answer", [{"hang": True}, {"drip": True}])
def test_an_answer_that_does_not_come_is_asked_for_again(bad_answer):
    with serving(scripted(bad_answer)) as server:
        reply = complete(server, timeout=0.5, retries=20)
    assert reply.text == "[X 4]"
    assert reply.attempts >= 2, "on a busy machine a good answer may be late, too"


@pytest.mark.parametrize("bad_answer", [{"hang": True}, {"drip": True}])
def test_a_model_that_never_answers_runs_out_of_its_time(bad_answer):
    with serving(always(bad_answer)) as server:
        reply = complete(server, timeout=0.1, seconds=0.4)
    assert (reply.text, reply.failure) == ("", "time")


def test_an_endless_answer_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr("noughts.players.llm.client.ANSWER", FileKind("an answer", 10_000, nodes=1000))
    with serving(scripted({"say": "x" * 100_000})) as server:
        assert complete(server).attempts == 2


def test_a_server_without_replies_is_not_the_models_fault():
    with serving(always({"status": 503, "body": "busy"})) as server:
        with pytest.raises(ServiceError, match="no reply after 3 attempts: HTTP 503 busy") as caught:
            complete(server, retries=2)
        assert not caught.value.fatal
        assert len(server.requests) == 3


def test_a_server_that_asks_to_wait_too_long_is_not_waited_for():
    with serving(always({"status": 429, "headers": {"Retry-After": "3600"}})) as server:
        with pytest.raises(ServiceError, match="HTTP 429"):
            complete(server)
        assert len(server.requests) == 1


def test_nobody_at_the_address_is_said_in_words():
    with serving() as server:
        url = server.url
    client = ChatClient(LlmSettings("m", url))
    with pytest.raises(ServiceError, match=rf"no answer from {url} .*; check the address") as caught:
        asyncio.run(client.complete(ASK))
    assert caught.value.fatal, "no need to try for every game"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 307])
def test_a_refusal_is_final_and_never_repeats_the_key(status):
    body = json.dumps({"error": {"message": f"bad key {KEY}\n\x1b[31m"}})
    with serving(always({"status": status, "body": body})) as server:
        with pytest.raises(ServiceError, match=rf"refused: HTTP {status} bad key \*\*\*") as caught:
            complete(server)
        assert len(server.requests) == 1
    assert caught.value.fatal
    assert KEY not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_models_that_call_the_limit_otherwise_are_understood():
    body = json.dumps(
        {"error": {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}
    )
    with serving(scripted({"status": 400, "body": body})) as server:
        assert complete(server, tokens=9, retries=0).text == "[X 4]", "it is no attempt that failed"
    assert "max_tokens" not in server.requests[1]
    assert server.requests[1]["max_completion_tokens"] == 9


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, ""), ([{"type": "text", "text": "[X "}, {"type": "text", "text": "4]"}], "[X 4]"), (7, ""), ("", "")],
)
def test_odd_contents_are_read(content, text):
    with serving(scripted({"content": content, "finish": "length"})) as server:
        reply = complete(server)
    assert (reply.text, reply.finish) == (text, "length")


def test_the_key_is_in_no_log_and_no_description(caplog):
    with caplog.at_level(logging.DEBUG), serving(scripted({"status": 500}, {"cut": True})) as server:
        complete(server)
        shown = repr(settings(server)) + str(settings(server)) + repr(vars(LlmPlayer(settings(server))))
    assert KEY not in caplog.text
    assert KEY not in shown


def test_when_to_return_is_read_as_seconds_or_as_a_date():
    assert _retry_after("1.5") == 1.5
    assert _retry_after("soon") is None
    assert _retry_after(None) is None
    assert _retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    ahead = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 100))
    assert 90 < _retry_after(ahead) <= 100


# As a player like any other.


def test_it_chooses_legal_moves_in_every_game(game):
    with serving() as server:
        player = LlmPlayer(settings(server))
        state = game.new_initial_state()
        for _ in range(3):
            state.apply_action(player.choose(state, Clock()))
    assert len(state.history()) == 3
    assert f"You are Player 0 in {game.rules.title.replace('-', ' ')}." in server.questions()[0]


def test_the_model_reads_why_a_move_was_not_legal():
    state = noughts.load_game("wild").new_initial_state()
    state.apply_action(8)
    with serving(scripted({"say": "[X 4]"}, {"say": "no idea"})) as server:
        action = LlmPlayer(settings(server)).choose(state, Clock())
    assert action == 0
    assert "cell 4 is already occupied by X" in server.questions()[1]
    assert "there is no move in your reply" in server.questions()[2]


def test_most_votes_win_and_all_of_them_are_paid_for():
    state = noughts.load_game("wild").new_initial_state()
    said = [{"say": "[X 4]"}, {"say": "[O 0]"}, {"say": "[O 0]!", "finish": "length"}, {"say": "so [o 0]"}, {}]
    with serving(scripted(*said)) as server:
        player = LlmPlayer(settings(server, votes=4, seed=100))
        env = TextEnv(state.game, take="last")
        env.reset()
        exchange, info = TextSeat(player, env, None).ask_once()
    assert info["action"] == 1
    assert (len(exchange.votes), exchange.prompt_tokens, exchange.completion_tokens) == (4, 400, 28)
    assert sorted(request["seed"] for request in server.requests) == [100, 101, 102, 103]


def test_a_reply_that_was_cut_off_is_no_move():
    state = noughts.load_game("classic").new_initial_state()
    cut = {"say": "<think>Perhaps [4]? Wait, no", "finish": "length"}
    with serving(always(cut)) as server, pytest.raises(ValueError, match="cut_off"):
        LlmPlayer(settings(server)).choose(state, Clock())
    with serving(scripted({"say": "I take [4]", "finish": "length"}, {"say": "<think>[4]?</think> [8]"})) as server:
        assert LlmPlayer(settings(server)).choose(state, Clock()) == 8
    assert "reached the limit of tokens" in server.questions()[1]


def test_it_gives_up_with_a_sentence():
    state = noughts.load_game("wild").new_initial_state()
    with (
        serving(always({"say": "[X 99]"})) as server,
        pytest.raises(ValueError, match="no legal move"),
    ):
        LlmPlayer(settings(server)).choose(state, Clock())
    with serving(always({"hang": True})) as server, pytest.raises(ValueError, match="in its time"):
        LlmPlayer(settings(server, timeout=0.1)).choose(state, Clock(0.2))


# Its name.


def test_the_server_and_the_key_come_from_the_usual_variables():
    environ = {"OPENAI_BASE_URL": "http://here/v1/", "OPENAI_API_KEY": KEY, "OTHER": "k2"}
    found = settings_of("a/b:c", {"tokens": "9", "seconds": "2.5"}, environ)
    assert (found.model, found.url, found.api_key) == ("a/b:c", "http://here/v1/chat/completions", KEY)
    assert (found.tokens, found.seconds) == (9, 2.5)
    assert settings_of("m", {"base_url": "http://x/v1", "key_env": "OTHER"}, environ).api_key == "k2"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("llm:", "needs a model name"),
        ("llm:m", "no key for api.openai.com"),
        ("llm:m?key=abc", "other users can read"),
        ("llm:m?key_env=NOT_SET_ANYWHERE", "NOT_SET_ANYWHERE, named by key_env, is not set"),
        ("llm:m?base_url=ftp://x", "must start with http"),
        ("llm:m?base_url=http://u:p@x", "must not contain a name or password"),
        ("llm:m?base_url=http://x&tokens=0", "tokens must be 1 or more"),
        ("llm:m?base_url=http://x&tokens=many", "tokens must be a whole number, not 'many'"),
        ("llm:m?base_url=http://x&top_p=2", "top_p must be greater than 0"),
        ("llm:m?base_url=http://x&effort=much", "effort must be one of none, minimal"),
        ("llm:m?base_url=http://x&votes=0", "votes must be 1 or more"),
        ("llm:m?base_url=http://x&seed=-1", "seed must be 0 or more"),
        ("llm:m?base_url=http://x&colour=red", "llm has no option 'colour'; its options are base_url=URL"),
    ],
)
def test_wrong_names_are_explained(name, message, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ValueError, match=message):
        make_player(name)


def test_without_the_http_client_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(ValueError, match="pip install httpx"):
        make_player("llm:m?base_url=http://x")
