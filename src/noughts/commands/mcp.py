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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no options."""


def run(args: argparse.Namespace) -> int:
    from noughts.envs.mcp import make_server  # noqa: PLC0415 - needs an extra

    make_server().run()
    return 0
