"""Messages between the referee and a sandboxed bot: four bytes of length, big-endian, then the message.

Replies are JSON, which is harmless whatever a bot writes. Questions come from the referee, which the bot's process can
trust: they use `marshal`, which is faster and the same on both sides.
"""

from __future__ import annotations

import json
import marshal
import struct
from typing import Any

# The only descriptors of a sandboxed process. ERRORS takes the interpreter's last words; STDERR leads nowhere, so that
# writing much to it does no harm. SCHEDULE is the process's own /proc/self/schedstat.
STDIN, STDOUT, STDERR, CONTROL, HANDOVER, ERRORS, SCHEDULE = range(7)

HEAD = 4
"""Bytes of the length."""
MAX_REPLY = 64 << 10
"""Maximum bytes of a reply; more is an attack."""

CHANNEL_LOST = 71
"""Exit status of a worker whose channel to the referee is broken."""

OUTLINE, LOAD, MOVE = "outline", "load", "move"
"""Questions to a bot: what its file defines, to run it, to move."""

Message = dict[str, Any]


_HEAD = struct.Struct(">I")
# json.dumps creates an encoder each time; json.loads also checks for encodings and spaces.
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_decode = json.JSONDecoder().raw_decode


def pack_question(message: Message) -> bytes:
    body = marshal.dumps(message)
    return _HEAD.pack(len(body)) + body


unpack_question = marshal.loads


def pack(message: Message) -> bytes:
    # Half of a surrogate pair, which a bot may print, cannot be encoded.
    body = _encode(message).encode("utf-8", "replace")
    return _HEAD.pack(len(body)) + body


def body_length(data: bytes) -> int:
    """Returns the length of the message that begins here."""
    length: int = _HEAD.unpack_from(data)[0]
    return length


def unpack(body: bytes) -> Message:
    """Returns the message. Raises ValueError if it is invalid, however it was forged."""
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
