"""Captures a bot's output: the beginning of what it prints in one move is kept for its owner."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

KEPT = 4000
"""Maximum characters kept per move; bots may print whole boards at every node."""


class Prints(io.TextIOBase):
    """A bot's sys.stdout and sys.stderr."""

    def __init__(self) -> None:
        self.buffer: _Bytes = _Bytes(self)
        self._parts: list[str] = []
        self.written: int = 0

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def write(self, text: str, /) -> int:
        if self.written < KEPT:
            self._parts.append(str(text)[: KEPT - self.written])
        self.written += len(text)
        return len(text)

    def reconfigure(self, **_: object) -> None:
        """Does nothing: bots may set the encoding or the buffering of a terminal, and have none."""

    def take(self) -> tuple[str, int]:
        """Returns the output kept since the last call, and the number of characters printed in all."""
        taken = "".join(self._parts), self.written
        self._parts, self.written = [], 0
        return taken


class _Bytes(io.RawIOBase):
    """sys.stdout.buffer: what is written to it is printed too. It is never closed."""

    def __init__(self, prints: Prints) -> None:
        self._prints = prints

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        written = bytes(data)
        self._prints.write(written.decode("utf-8", "replace"))
        return len(written)

    def close(self) -> None:
        pass
