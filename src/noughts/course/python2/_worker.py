"""The process in which sources are converted: text that others wrote, so it gets little memory, and can be killed.

standard input      a length of 8 bytes, then a request in JSON: source, name, as_python2
standard output     the same way the reply: text, notes, python3; or error, a sentence
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import IO, Any

MEMORY = 1 << 30
"""Bytes of address space. A file of 1 MB, the most that a bot can have, needs less."""
DEPTH = 8000
"""Calls within calls: enough for what people nest, and short of what the machine's own stack holds."""
HEAD = 8


def main() -> None:
    try:
        import resource
    except ImportError:  # Windows
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setrecursionlimit(DEPTH)
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    while (request := receive(requests)) is not None:
        send(replies, _answer(request))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    from noughts.course.python2.translate import translate

    try:
        return asdict(translate(request["source"], request["name"], as_python2=request["as_python2"]))
    except ValueError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"{request['name']} cannot be converted: that needs more than {MEMORY >> 20} MB of memory"}


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    body = json.dumps(message).encode()
    stream.write(len(body).to_bytes(HEAD, "big") + body)
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None when the other side is gone."""
    head = stream.read(HEAD)
    if len(head) < HEAD:
        return None
    message: dict[str, Any] = json.loads(stream.read(int.from_bytes(head, "big")))
    return message
