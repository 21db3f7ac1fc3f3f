"""The process that parses and converts untrusted sources, with little memory; it can be killed.

standard input      a length of 8 bytes, then a request in JSON: source, name, as_python2; without a name, only the
                    evidence is weighed
standard output     the reply in the same form: the fields of a Translation or a Verdict; or refused, a sentence
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import IO, Any

from noughts import sandbox
from py2bots import translate, which_python

MEMORY = 1 << 30
"""Bytes of address space. A file of 1 MB, the maximum for a bot, needs less."""
DEPTH = 8000
"""Recursion limit: enough for hand-written code, and within the machine's stack."""
HEAD = 8
SAMPLE = "import Queue\nprint 'a', 7 / 2, sorted({}.keys(), cmp=lambda a, b: cmp(a, b))\nexec 'x'\n"
"""A Python 2 program whose conversion loads every part of the converter."""


def main() -> None:
    try:
        import resource
    except ImportError:  # Windows
        pass
    else:
        for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
            with suppress(ValueError, OSError):  # macOS has no limit of address space; time is limited from outside
                resource.setrlimit(limit, (most, most))
    sys.setrecursionlimit(DEPTH)
    _answer({"source": SAMPLE, "name": "sample.py", "as_python2": True})  # loads all needed modules
    if sys.platform == "linux":
        with suppress(ImportError):  # a Python that was built without `resource`
            sandbox.confine_filter()
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    while (request := receive(requests)) is not None:
        send(replies, _answer(request))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        if not request["name"]:
            return asdict(which_python(request["source"]))
        return asdict(translate(request["source"], request["name"], as_python2=request["as_python2"]))
    except ValueError as error:
        return {"refused": str(error)}
    except (KeyError, IndexError, TypeError, AttributeError, AssertionError, RecursionError) as error:
        # The Python 2 parser raises these on characters that Python does not know.
        return {"refused": f"{request['name']} is not valid Python ({type(error).__name__}: {error})"}
    except MemoryError:
        return {"refused": f"cannot convert {request['name']}: it needs more than {MEMORY >> 20} MB of memory"}


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    body = json.dumps(message).encode()
    stream.write(len(body).to_bytes(HEAD, "big") + body)
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any] | None:
    """Returns the next message; None if the other side ends before it is complete."""
    head = stream.read(HEAD)
    length = int.from_bytes(head, "big")
    body = stream.read(length) if len(head) == HEAD else b""
    if not body or len(body) < length:
        return None
    message: dict[str, Any] = json.loads(body)
    return message
