"""A small mutation fuzzer for everything that parses what others wrote.

A target takes bytes and may refuse them with the exception that it documents; anything else is a find. Inputs are made
of the files in `corpus/TARGET` by cutting, copying, flipping and joining, by words that parsers dislike, and in JSON by
values of any kind in any place. The same seed gives the same inputs.

By hand, for as long as you like (a find is kept in the corpus, where the suite tries it again):

    python tests/fuzz/fuzzing.py replay --seconds 3600 --seed 7
    python tests/fuzz/fuzzing.py            # all targets, a minute each
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import noughts
from noughts.analysis.puzzles import PositionsError, positions_in
from noughts.course.evaluator_log import read_evaluator_logs
from noughts.course.game_files import load_any
from noughts.course.handed_in import handed_in, one_submission
from noughts.course.thresholds import ThresholdError, parse_thresholds
from noughts.evaluation import Plan, open_run
from noughts.files import DIGEST_BYTES, seal
from noughts.games.ultimate import RULES as ULTIMATE
from noughts.learn.model import MARK, load_model
from noughts.matches.log import game_log
from noughts.matches.replays import ReplayError, from_json, to_json
from noughts.matches.store import read_run
from noughts.players import listed_player
from noughts.players.bot import action_from
from noughts.players.llm.client import _AttemptFailed, _read_answer, _retry_after, _server_says
from noughts.sandbox._wire import MAX_REPLY, unpack
from noughts.sandbox.faults import crash_fault, place_in, prints_in
from noughts.sandbox.source import decode
from noughts.search.network import MARK as NETWORK_MARK
from noughts.search.network import load_network
from noughts.similarity import Code, compare, tokens_of
from noughts.text.env import TextEnv
from noughts.text.replies import reader_of
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.view import TournamentView

CORPUS = Path(__file__).parent / "corpus"
LONGEST = 1 << 16
SECONDS_FOR_ONE = 20
"""By hand, an input that takes longer is a find."""
GAMES = [noughts.load_game(name) for name in noughts.game_names()]
WORDS = [
    *(
        b"\x00",
        b"\xff\xfe",
        b"\x1b[2J",
        b"\r\n",
        b"\n",
        b"\t",
        b"\xed\xa0\x80",
        "\u202e".encode(),
        b"\xc2\xa0",
        b"\x0c",
    ),
    *(b"[" * 1500, b"{" * 200, b'{"a":' * 1500, b'"', b"\\u0000", b"\\ud800", b"\\", b",", b":", b"null", b"true"),
    *(b"-1", b"0", b"1e999", b"-1e999", b"NaN", b"Infinity", b"9" * 400, b"9" * 4299, b"9" * 5000, b"-0.0", b"1e-400"),
    *(b"18446744073709551616", b"9223372036854775807", b"-9223372036854775808", b"4294967296", b"0x10", b"1_0"),
    *(
        b"noughts-replay",
        b"classic",
        b"extreme",
        b"evil.py:X",
        b"../../x",
        b"rules",
        b"p0",
        b"end",
        b"block=",
        b"bonus",
    ),
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 9, 2**31, 2**53, 2**63, 2**64, 10**23, 10**400, 0.5, 1e308, float("inf")),
    *("", "x", "X", "classic", "extreme", "\x1b[2J", "\ud800", "x" * 5000, "0", "line", "crash"),
    *([], {}, [[]], [0], ["x"], [None], [[[[[[]]]]]], {"a": 1}, {"": []}),
]


def wire(data: bytes) -> None:
    """A reply of a bot, as the referee reads it."""
    message = unpack(data[:MAX_REPLY])
    prints_in(message)
    fault = crash_fault(message.get("crash", message))
    assert len(fault.text) < 2000
    for game in GAMES:
        for course in (False, True):
            action = action_from(game.rules, message.get("answer"), course=course)
            assert action is None or 0 <= action < game.num_distinct_actions()
    place_in(data.decode("utf-8", "replace"), "<bot.py>")


def replay(data: bytes) -> None:
    record = from_json(data.decode())
    game_log(record, prints_of=0)
    assert from_json(to_json(record)).moves == record.moves


def log(data: bytes) -> None:
    for found in read_evaluator_logs(data.decode("utf-8", "replace")):
        text = game_log(found.record, prints_of=1)
        assert len(text) < 100 * LONGEST


def any_game(data: bytes) -> None:
    """A replay or a log, as commands open it."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(data)
        load_any(file.name)


def run(data: bytes) -> None:
    """The file of a run, to be read and to be gone on with."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "transcript.jsonl"
        path.write_bytes(data)
        for seed in (None, 1):
            try:
                open_run(Path(folder), Plan("classic", "random", "random", games=2, seed=seed)).close()
            except ValueError:
                path.write_bytes(data)
        read_run(path)


def model(data: bytes) -> None:
    """A model; its checksum is made right, as whoever forges one would."""
    payload = data[len(MARK) + DIGEST_BYTES :]
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(MARK + hashlib.sha256(payload).digest() + payload)
        settings, table, _ = load_model(file.name)
    state = settings.game.new_initial_state()
    if settings.seats[0] == 0:
        table.action_values(state)
    table.learn(20)
    table.greedy_policy_values()


def network(data: bytes) -> None:
    """A network; its checksum is made right."""
    with tempfile.NamedTemporaryFile() as file:
        seal(Path(file.name), NETWORK_MARK, data[len(NETWORK_MARK) + DIGEST_BYTES :])
        load_network(file.name, ULTIMATE)


def position(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for game in GAMES:
        try:
            state = game.from_string(text)
        except ValueError:
            continue
        assert game.from_string(state.to_string()).to_string() == state.to_string()


def move(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for game in GAMES:
        state = game.new_initial_state()
        try:
            action = state.string_to_action(text)
        except ValueError:
            continue
        assert 0 <= action < game.num_distinct_actions()


def reply(data: bytes) -> None:
    """What a language model says."""
    text = data.decode("utf-8", "replace")
    for game in GAMES:
        for last in (False, True):
            reader_of(game.rules).read(text, last=last)
        env = TextEnv(game, error_allowance=1, talk=True)
        env.reset()
        env.step(text)
        env.get_observation()


def answer(data: bytes) -> None:
    """What a model's server says."""
    _server_says(data)
    wait = _retry_after(data.decode("latin-1"))
    assert wait is None or 0 <= wait <= 3600
    reply = _read_answer(data)
    assert isinstance(reply.text, str)
    counts = (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens)
    assert all(count is None or 0 <= count <= 1 << 53 for count in counts)


def toml(data: bytes) -> None:
    parse_thresholds(data.decode())


def puzzles(data: bytes) -> None:
    """A file of positions to try a bot on."""
    game, found = positions_in(data, "puzzles.json")
    for puzzle in found:
        assert puzzle.best in puzzle.state(game).legal_actions()


def code(data: bytes) -> None:
    """Bots that are compared: any text is code, and every token is somewhere in it."""
    text = data.decode("utf-8", "replace")
    tokens = tokens_of(text)
    assert all(0 <= start < end <= len(text) for start, end in zip(tokens.starts, tokens.ends, strict=True))
    compare([Code("one", text), Code("other", f"{text}\n{text}")])


def player(data: bytes) -> None:
    """The name of a player from a page or a file."""
    listed_player(data.decode("utf-8", "replace"))


def store(data: bytes) -> None:
    """A tournament file, to be shown and to be gone on with."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "class.noughts"
        path.write_bytes(data)
        with TournamentFile(path) as file:
            tournament = file.tournament()
            list(TournamentView(tournament).standings)
            for record in tournament.records():
                from_json(to_json(record))
        with TournamentFile(path, write=True) as file, file.change():
            file.do("DELETE FROM review")
            file.do("DELETE FROM game WHERE fixture % 2 = 0")
            file.bot("another")


def submission(data: bytes) -> None:
    """A zip that a student submitted, and an export of a whole class."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "team.zip"
        path.write_bytes(data)
        student = one_submission(folder)
        assert (student.source is None) == bool(student.reason)
        for each in handed_in(path):
            assert (each.source is None) == bool(each.reason)


def source(data: bytes) -> None:
    decode(data, "bot.py")


TARGETS: dict[str, tuple[Callable[[bytes], None], tuple[type[Exception], ...]]] = {
    "wire": (wire, (ValueError,)),
    "puzzles": (puzzles, (PositionsError,)),
    "code": (code, ()),
    "replay": (replay, (ReplayError, UnicodeDecodeError)),
    "log": (log, (ValueError,)),
    "any_game": (any_game, (ReplayError,)),
    "run": (run, (ValueError,)),
    "model": (model, (ValueError,)),
    "network": (network, (ValueError,)),
    "position": (position, ()),
    "move": (move, ()),
    "reply": (reply, ()),
    "answer": (answer, (_AttemptFailed,)),
    "toml": (toml, (ThresholdError, UnicodeDecodeError)),
    "player": (player, (ValueError,)),
    "store": (store, (ValueError,)),
    "submission": (submission, (ValueError,)),
    "source": (source, (ValueError,)),
}
"""Each with the exceptions that it documents."""


def seeds_of(target: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / target).iterdir())]


def inputs(target: str, seed: int) -> Iterator[bytes]:
    """The corpus itself, and then changes of it without end."""
    corpus = seeds_of(target)
    yield from corpus
    choose = random.Random(f"{target} {seed}")
    while True:
        data = choose.choice(corpus)
        if choose.random() < 0.5:
            data = _other_value(choose, data)
        for _ in range(choose.choice((0, 1, 1, 2, 4, 8))):
            data = _changed(choose, data, corpus)
        yield data[:LONGEST]


def _changed(choose: random.Random, data: bytes, corpus: list[bytes]) -> bytes:
    at, length = choose.randrange(len(data) + 1), choose.choice((1, 1, 2, 4, 16, 64, 1000))
    kind = choose.randrange(6)
    if kind == 0:
        return data[:at] + data[at + length :]
    if kind == 1:
        return data[:at] + choose.choice(WORDS) + data[at + choose.choice((0, length)) :]
    if kind == 2:
        return data[:at] + data[at : at + length] * choose.choice((2, 3, 50)) + data[at + length :]
    if kind == 3 and data:
        flipped = bytearray(data)
        flipped[at % len(data)] ^= 1 << choose.randrange(8)
        return bytes(flipped)
    if kind == 4:
        other = choose.choice(corpus)
        return data[:at] + other[choose.randrange(len(other) + 1) :]
    return data[:at] + choose.randbytes(length) + data[at + length :]


def _other_value(choose: random.Random, data: bytes) -> bytes:
    """If some line of it is JSON, another value somewhere in it."""
    lines = data.split(b"\n")
    number = choose.randrange(len(lines))
    try:
        value = json.loads(lines[number])
    except (ValueError, RecursionError):
        return data
    lines[number] = json.dumps(_replaced(choose, value)).encode()
    return b"\n".join(lines)


def _replaced(choose: random.Random, value: Any) -> Any:
    if isinstance(value, dict | list) and value and choose.random() < 0.85:
        key = choose.choice(list(value)) if isinstance(value, dict) else choose.randrange(len(value))
        if choose.random() < 0.1:
            return {k: v for k, v in value.items() if k != key} if isinstance(value, dict) else value[:key]
        changed = dict(value) if isinstance(value, dict) else list(value)
        changed[key] = _replaced(choose, value[key])
        return changed
    return choose.choice(VALUES)


def attempt(target: str, data: bytes) -> str | None:
    """The traceback of a find; None if the input was taken, or refused as documented."""
    act, documented = TARGETS[target]
    try:
        act(data)
    except documented:
        return None
    except Exception:
        return traceback.format_exc()
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="?", choices=TARGETS, help="all, if none is given")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    found = 0
    for target in [args.target] if args.target else TARGETS:
        end, count = time.monotonic() + args.seconds, 0
        for data in inputs(target, args.seed):
            signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(RuntimeError("no answer")))
            signal.alarm(SECONDS_FOR_ONE)
            trace = attempt(target, data)
            signal.alarm(0)
            count += 1
            if trace:
                found += 1
                path = CORPUS / target / f"found-{hashlib.sha256(data).hexdigest()[:12]}"
                path.write_bytes(data)
                print(f"{path}\n{trace}", flush=True)
            if time.monotonic() > end:
                break
        print(f"{target}: {count} inputs, seed {args.seed}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
