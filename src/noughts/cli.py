"""The command line: which commands there are, and how their errors are said."""

from __future__ import annotations

import argparse
import atexit
import difflib
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import noughts
from noughts.files import trouble
from noughts.printable import printable

COMMANDS = {
    "games": "list the games",
    "players": "list the players, with their options",
    "rules": "the rules of a game, with pictures",
    "show": "draw a position, in the terminal or as SVG",
    "play": "play against the computer in the terminal",
    "serve": "play, analyse, replay and watch in the browser",
    "solve": "solve a small game: who wins, and with which openings",
    "analyze": "judge the moves of a position, exactly or by search",
    "evaluate": "grade a player, or a language model, over many games",
    "dataset": "every position of a small game with the worth of each move, as text",
    "train": "learn a small game by Q-learning, and watch it converge",
    "perft": "count move sequences",
    "check": "check a bot file before it is submitted",
    "convert": "make a Python 3 copy of an old bot",
    "match": "play bots and built-in players against each other",
    "tournament": "from a folder of bots to standings, ratings and marks",
    "report": "a tournament as a web page: why bots lost, and what to mend",
    "similarity": "which bots of a folder look alike, for a person to look at",
    "replay": "step through a kept game",
    "log": "print a kept game as text",
    "bench": "how fast the search is, and a signature of it",
    "warm": "compile everything now, on all cores",
    "doctor": "what works on this machine, and what to do about the rest",
    "completion": "complete commands, options and games in your shell",
}
"""Each command is the module of `noughts.commands` with its name: add_arguments(parser), run(args) -> exit code."""

EXAMPLES = """\
examples:
  noughts play extreme                 play Extreme Tic-Tac-Toe against the computer
  noughts rules extreme                how it is played
  noughts show wild ".../.X./... p1"   draw a position
  noughts COMMAND --help               what a command takes, with examples
"""


LONGEST_ERROR = 4000


class Parser(argparse.ArgumentParser):
    """Shows what is wrong with the arguments, some of which may be names of files that somebody else made."""

    given: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        wrong = re.match(r"argument (COMMAND|ACTION): invalid choice: '(.*?)' ", message)
        if wrong is not None:
            names = [name for action in self._actions for name in action.choices or ()]
            close = difflib.get_close_matches(wrong[2], names, n=1)
            meant = f"did you mean {close[0]}? They" if close else "they"
            message = f"there is no command {wrong[2]!r}; {meant} are {', '.join(names)}"
        like_options = [name for name in Parser.given if name.startswith("-") and os.path.lexists(name)]
        hint = f"; to name the file {like_options[0]}, write ./{like_options[0]}" if like_options else ""
        super().error(printable(message, LONGEST_ERROR) + printable(hint))


def build_parser() -> Parser:
    parser = Parser(
        prog="noughts",
        description="The tic-tac-toe family: play, watch, count, learn.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"noughts {noughts.__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, purpose in COMMANDS.items():
        module = import_module(f"noughts.commands.{name}")
        command = subparsers.add_parser(
            name,
            help=purpose,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 if all went well, 2 for what the user can mend, 130 after Ctrl-C."""
    # Else Numba loads colorama where that is installed, and the program ends with an escape sequence.
    os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
    try:
        Parser.given = sys.argv[1:] if argv is None else argv
        parser = build_parser()
        if not Parser.given:
            parser.print_help()
            return 2
        args = parser.parse_args(argv, argparse.Namespace(parser=parser))
        code: int = args.run(args)
        sys.stdout.flush()
        _leave_the_terminal_alone()
    except ValueError as error:
        print(f"noughts: {printable(error, LONGEST_ERROR)}", file=sys.stderr)
        return 2
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # The reader of our output went away (`| head`): nothing to say, and nobody to say it to.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"noughts: {printable(trouble(error), LONGEST_ERROR)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nnoughts: stopped", file=sys.stderr)
        return 130
    return code


def _leave_the_terminal_alone() -> None:
    """Numba starts colorama where that is installed, which would send a terminal an escape sequence at the end."""
    colorama = sys.modules.get("colorama")
    if colorama is not None:
        atexit.unregister(colorama.initialise.reset_all)


if __name__ == "__main__":
    sys.exit(main())
