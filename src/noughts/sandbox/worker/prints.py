"""Where a bot's prints go: the beginning of what it printed in one move is kept for its owner."""

from __future__ import annotations

import io

KEPT = 4000
"""Characters of one move; bots print whole boards at every node, and nobody reads that."""


class Prints(io.TextIOBase):
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def write(self, text: str, /) -> int:
        if self._written < KEPT:
            self._parts.append(str(text)[: KEPT - self._written])
        self._written += len(text)
        return len(text)

    def take(self) -> tuple[str, int]:
        """What was kept since the last time, and how many characters were printed in all."""
        taken = "".join(self._parts), self._written
        self._parts, self._written = [], 0
        return taken
