"""Serve the games as tools for MCP clients, over standard input and output.

The tools are games, rules, new_game, play and analyse. They need the package
mcp: in a clone, run pip install ".[mcp]".

examples:
  noughts mcp
  {"mcpServers": {"noughts": {"command": "noughts", "args": ["mcp"]}}}
                              in the settings of a client
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from typing import BinaryIO

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(\\u[dD][c-fC-F][0-9a-fA-F]{2})?|(u[dD][c-fC-F][0-9a-fA-F]{2})|(.))", re.DOTALL
)
"""An escape in JSON: a high surrogate with or without its low one, a low surrogate alone, or any other."""


class WholeCharacters(io.RawIOBase):
    """Lines of JSON without halves of characters (lone surrogates), which the library would drop without an answer."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines, self._rest = lines, b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: memoryview) -> int:  # type: ignore[override]
        if not self._rest:
            self._rest = _ESCAPE.sub(_whole, self._lines.readline())
        part, self._rest = self._rest[: len(target)], self._rest[len(target) :]
        target[: len(part)] = part
        return len(part)


def _whole(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape[1] or escape[3] else rb"\ufffd"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no options."""


def run(args: argparse.Namespace) -> int:
    from noughts.envs.mcp import make_server  # noqa: PLC0415 - needs an extra

    sys.stdin = io.TextIOWrapper(io.BufferedReader(WholeCharacters(sys.stdin.buffer)), encoding="utf-8")
    make_server().run()
    return 0
