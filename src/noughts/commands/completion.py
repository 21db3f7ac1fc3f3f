"""Print a completion script for commands, options and games in your shell.

examples:
  eval "$(noughts completion bash)"      a line for ~/.bashrc
  eval "$(noughts completion zsh)"       a line for ~/.zshrc, after compinit
  noughts completion fish | source       a line for ~/.config/fish/config.fish
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import shtab

from noughts.commands.output import Report
from noughts.games import VARIANTS

SHELLS = ("bash", "zsh", "fish", "powershell")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="shell to write for")


def run(args: argparse.Namespace) -> Report:
    parser = args.build_parser()
    games = [rules.name for rules in VARIANTS]
    for action in _actions(parser):
        if isinstance(action, argparse._SubParsersAction):
            action.help = "command"  # options hidden from help are not completed
        elif action.dest == "game" and action.choices is None:
            action.choices = games  # choices that are only suggestions: other values name a file of your own
    script = shtab.complete(parser, shell=args.shell)
    return Report({"shell": args.shell, "script": script}, script)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yields every argument of a command and of the commands below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
