"""Messages between the referee and a sandboxed bot: four bytes of length, big end first, then the message.

Replies are JSON, which does no harm whatever a bot writes. Questions come from the referee, whom the bot's process can
trust: they are written by `marshal`, which both sides have alike and which is faster.
"""

from __future__ import annotations

import json
import marshal
import struct
from typing import Any

HEAD = 4
"""Bytes of the length."""
MAX_REPLY = 64 << 10
"""Bytes of a reply that the referee reads; more is an attack."""

CHANNEL_LOST = 71
"""Exit status of a worker whose channel to the referee does not work any more."""

OUTLINE, LOAD, MOVE = "outline", "load", "move"
"""What a bot is asked: what its file defines, to run it, to move."""

Message = dict[str, Any]


_HEAD = struct.Struct(">I")
# json.dumps makes one of them each time; json.loads also looks for encodings and spaces.
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_decode = json.JSONDecoder().raw_decode


def pack_question(message: Message) -> bytes:
    body = marshal.dumps(message)
    return _HEAD.pack(len(body)) + body


unpack_question = marshal.loads


def pack(message: Message) -> bytes:
    # Half of a surrogate pair, which a bot may print, is no text that could be sent.
    body = _encode(message).encode("utf-8", "replace")
    return _HEAD.pack(len(body)) + body


def body_length(data: bytes) -> int:
    """The length of the message that begins here."""
    length: int = _HEAD.unpack_from(data)[0]
    return length


def unpack(body: bytes) -> Message:
    """The message; ValueError if it is none, however it was forged."""
    text = body.decode("utf-8", "surrogatepass")
    try:
        message, end = _decode(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if end != len(text):
        raise ValueError("more than one message")
    if not isinstance(message, dict):
        raise ValueError("not an object")
    return message
