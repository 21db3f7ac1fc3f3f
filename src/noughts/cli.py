"""The command line: lists the commands, runs one, and reports its errors."""

from __future__ import annotations

import argparse
import atexit
import difflib
import gc
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn

import noughts
from noughts._lazy import defer_imports
from noughts.commands.output import Report, print_report
from noughts.files import describe_os_error
from noughts.interpreter import is_current_folder_in_pythonpath, module_path
from noughts.printable import printable

GROUPS = {
    "Play": {
        "play": "play against the computer in the terminal",
        "serve": "play, analyse, replay and watch in the browser",
        "games": "list the games",
        "rules": "explain a game, with pictures",
        "show": "draw a position, in the terminal or as SVG",
        "players": "list the players and their options",
        "replay": "step through a saved game",
    },
    "Learn and solve": {
        "train": "train a player for a small game by Q-learning",
        "solve": "solve a small game: the winner and the best openings",
        "analyze": "evaluate the moves of a position, exactly or by search",
        "perft": "count move sequences",
    },
    "Bots and tournaments": {
        "check": "check a bot before you submit it",
        "collect": "make one folder of bots from an LMS download",
        "convert": "make a Python 3 copy of a Python 2 bot",
        "match": "play bots and built-in players against each other",
        "tournament": "run a tournament: standings, ratings and marks",
        "ladder": "a class uploads bots all term and sees where it stands",
        "submit": "upload a bot to the ladder of your class",
        "login": "save your team's secret link",
        "report": "write a tournament as a web page, with its mistakes",
        "similarity": "find bots that share code",
        "autograder": "make a Gradescope autograder that checks and ranks bots",
        "log": "print a saved game as text",
    },
    "Language models": {
        "evaluate": "grade a language model, or any player, over many games",
        "dataset": "write every position of a small game with the value of each move",
        "mcp": "serve the games as tools to MCP clients",
    },
    "Tools": {
        "warm": "compile everything now, on all cores",
        "bench": "measure the search and print its signature",
        "doctor": "show what works on this machine, and how to fix the rest",
        "ugi": "run as an engine for other programs, over UGI",
        "completion": "print a completion script for your shell",
    },
}
"""Commands are modules of `noughts.commands` with two functions: add_arguments(parser), run(args).

`run` returns a report, which is printed here, or an exit code if the command has printed everything itself.
"""

COMMANDS = {name: purpose for group in GROUPS.values() for name, purpose in group.items()}

EXAMPLES = """\
examples:
  noughts play extreme                 play Extreme against the computer
  noughts rules extreme                show the rules
  noughts show wild ".../.X./... p1"   draw a position
  noughts COMMAND --help               options and examples of a command
"""


LONGEST_ERROR = 4000
EXPOSED = (
    "PYTHONPATH contains the current folder (or an empty entry, which means the same), so Python programs started "
    "here may run files of this folder; run `unset PYTHONPATH`, or go to another folder"
)


class Parser(argparse.ArgumentParser):
    """A parser whose error messages are safe to print: arguments may be names of other people's files."""

    arguments: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        wrong = re.match(r"argument (COMMAND|ACTION): invalid choice: '(.*?)' ", message)
        if wrong is not None:
            names = [name for action in self._actions for name in action.choices or ()]
            close = difflib.get_close_matches(wrong[2], names, n=1)
            suggestion = f"did you mean {close[0]}? They" if close else "they"
            message = f"there is no command {wrong[2]!r}; {suggestion} are {', '.join(names)}"
        like_options = [name for name in Parser.arguments if name.startswith("-") and os.path.lexists(name)]
        hint = f"; for the file {like_options[0]}, write ./{like_options[0]}" if like_options else ""
        super().error(printable(message, LONGEST_ERROR) + printable(hint))


def build_parser(commands: Iterable[str] = COMMANDS) -> Parser:
    """Returns the parser of the command line. Only the named commands are imported and have their arguments."""
    width = max(map(len, COMMANDS)) + 2
    groups = [
        "\n".join([title, *(f"  {name:{width}}{purpose}" for name, purpose in group.items())])
        for title, group in GROUPS.items()
    ]
    parser = Parser(
        prog="noughts",
        usage="noughts [-h] [--version] COMMAND ...",
        description="\n\n".join(["The tic-tac-toe family: play, learn, solve, and let bots compete.", *groups]),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"noughts {noughts.__version__}")
    # Help is printed in groups above; argparse knows only one list.
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True, prog="noughts", help=argparse.SUPPRESS)
    for name, purpose in COMMANDS.items():
        if name in commands:
            module = import_module(f"noughts.commands.{name}")
            command = subparsers.add_parser(
                name,
                help=purpose,
                description=module.__doc__,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            module.add_arguments(command)
            command.set_defaults(run=module.run)
        else:
            subparsers.add_parser(name, help=purpose)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0 on success, 2 after an error that the user can fix, 130 after Ctrl-C."""
    if argv is None:
        _prepare_process()
    for stream in (sys.stdout, sys.stderr):
        # When piped on Windows, text uses an old code page that lacks some of our characters.
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")
    # Otherwise Numba loads colorama if it is installed, and the program ends with an escape sequence.
    os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
    # With more threads, small matrices take 60 times as long on busy cores, because the threads wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        if not getattr(sys, "_is_gil_enabled", lambda: True)():
            raise ValueError(
                "noughts does not support free-threaded Python; set PYTHON_GIL=1, or use a regular build of Python"
            )
        Parser.arguments = sys.argv[1:] if argv is None else argv
        named = next((word for word in Parser.arguments if not word.startswith("-")), None)
        parser = build_parser([named] if named else [])
        if not Parser.arguments:
            chosen = import_module("noughts.commands.menu").main_menu()
            if chosen:
                return main(chosen)
            parser.print_help()
            return 2
        args = parser.parse_args(argv, argparse.Namespace(build_parser=build_parser))
        found: int | Report = args.run(args)
        code = found if isinstance(found, int) else print_report(found, as_json=getattr(args, "json", False))
        sys.stdout.flush()
        _leave_the_terminal_alone()
    except (ValueError, noughts.NoughtsError, ImportError) as error:  # an ImportError names the package to install
        print(f"noughts: {printable(error, LONGEST_ERROR)}", file=sys.stderr)
        return 2
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # the reader of our output is gone (`| head`), so there is nothing left to print
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"noughts: {printable(describe_os_error(error), LONGEST_ERROR)}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, EOFError):
        print("\nnoughts: stopped", file=sys.stderr)
        return 130
    return code


def _prepare_process() -> None:
    """Keeps files of the current folder out of this process, lets it end quickly, and defers imports if only help is
    needed."""
    if is_current_folder_in_pythonpath():
        print(f"noughts: {EXPOSED}", file=sys.stderr)
    sys.path[:] = module_path()
    atexit.register(gc.freeze)  # collecting garbage at exit takes 0.1 s among Numba's many objects
    if sys.argv[1:2] == ["completion"] or {"-h", "--help"} & set(sys.argv):
        defer_imports("noughts.commands")


def _leave_the_terminal_alone() -> None:
    """Keeps Numba from starting colorama, which would send the terminal an escape sequence at the end."""
    colorama = sys.modules.get("colorama")
    if colorama is not None:
        atexit.unregister(colorama.initialise.reset_all)


if __name__ == "__main__":
    sys.exit(main())
