"""Describes the faults of a bot in words that its author understands.

Each fault forfeits the game: the opponent gets the points of a win, the bot those of a loss. A bot's last words and its
exit status are interpreted here too. The words may be forged: they are shortened, and never trusted.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from pathlib import PurePosixPath

from noughts.errors import NoughtsError
from noughts.printable import one_line
from noughts.printable import printable as printable
from noughts.sandbox._wire import CHANNEL_LOST, Message

TIME = "time"
CRASH = "crash"
TAMPER = "tamper"
INVALID = "invalid"
FORBIDDEN = "forbidden"
MEMORY = "memory"

DETAIL_KEPT = 2000
PRINTS_KEPT = 4000
MOST_LINES = 1_000_000
WINDOWS_CRASH = 0xC0000000
"""Exit statuses from here on are Windows exceptions, such as 0xC0000005 for an access violation."""

KILLED = "its process was killed from outside, which a bot cannot do; the machine may be out of memory"
BUSY_MACHINE = (
    "waited longer for a processor than it computed, in at least one move: this machine is too busy for a fair "
    "match. Waiting is not charged; still, stop other programs, or play fewer games at a time"
)

GENERAL_TEXT = {
    TIME: "out of time",
    CRASH: "crashed",
    TAMPER: "changed the board it was given",
    INVALID: "invalid move",
    FORBIDDEN: "did something forbidden",
    MEMORY: "out of memory",
}
"""The general description of each kind of fault, without details of the bot's code."""
KINDS = tuple(GENERAL_TEXT)


@dataclass(frozen=True)
class Fault:
    """Why a bot forfeited a game.

    kind: one of KINDS. text: what it did, to follow its name: "crashed: ...". line: in its file, if known. detail: such
    as a traceback, for its owner. loading: whether it happened before the game, when its file was run.
    """

    kind: str
    text: str
    line: int | None = None
    detail: str = ""
    loading: bool = False


@dataclass(frozen=True)
class Place:
    """Where a bot was: the line of its file, and the function that it called there, if it is Python's."""

    line: int | None = None
    through: str = ""


NOWHERE = Place()


class BotFault(NoughtsError):  # noqa: N818 - it is the bot that erred
    """Raised on the referee's side when a player is at fault; the process of a bot is gone by then.

    fault: what happened. prints: its output in that move, as far as known.

    >>> import noughts
    >>> from noughts.sandbox import Fault
    >>> noughts.BotFault(Fault("time", "out of time: 5 s")).fault.kind
    'time'
    """

    def __init__(self, fault: Fault, prints: str = "") -> None:
        super().__init__(fault.text)
        self.fault = fault
        self.prints = prints


def seconds(amount: float) -> str:
    """Formats a time: 16 s, 0.25 s, 24 ms, 0.3 ms."""
    if amount < 0.0995:
        return f"{amount * 1000:.{0 if amount >= 0.00995 else 1}f} ms"
    return f"{amount:.3g} s" if amount < 100 else f"{amount:.0f} s"


def too_late(limit: float, took: float, place: Place = NOWHERE) -> Fault:
    text = f"out of time: answered {seconds(took - limit)} after its limit of {seconds(limit)}"
    return Fault(TIME, text + _at(place.line), place.line)


def no_answer(limit: float, place: Place = NOWHERE) -> Fault:
    return Fault(TIME, f"out of time: no answer within its limit of {seconds(limit)}{_at(place.line)}", place.line)


def not_loaded(limit: float, place: Place = NOWHERE) -> Fault:
    text = f"out of time: it was not loaded within {seconds(limit)} (--load-time)"
    return Fault(TIME, text + _at(place.line), place.line)


def out_of_memory(limit: int) -> Fault:
    return Fault(MEMORY, f"out of memory: it needed more than its limit of {limit >> 20} MB (--memory)")


def changed_board(how: str) -> Fault:
    return Fault(TAMPER, f"changed the board it was given: {how}; search on a copy, or undo the changes")


def forbidden(what: str, place: Place = NOWHERE) -> Fault:
    through = f", through {place.through}" if place.through else ""
    return Fault(FORBIDDEN, f"forbidden: it {what}{through}{_at(place.line)}", place.line)


def prints_in(reply: Message) -> str:
    """Returns the bot's output, as it reports it: shortened, with a note if there was more."""
    prints = reply.get("prints")
    if not isinstance(prints, list) or len(prints) != 2 or not isinstance(prints[0], str) or type(prints[1]) is not int:
        return ""
    text, written = printable(prints[0], PRINTS_KEPT), prints[1]
    return text if written <= len(text) else f"{text}\n[... {written - len(text)} more characters]"


def crash_fault(report: object) -> Fault:
    """Returns the fault from the worker's report of an exception; the bot may have forged it."""
    facts = report if isinstance(report, dict) else {}
    error, line = one_line(facts.get("error", "?")), facts.get("line")
    trace = printable(facts.get("trace", ""), most=DETAIL_KEPT)
    if type(line) is not int or not 0 < line < MOST_LINES:
        line = None
    if facts.get("no_bot"):
        return Fault(CRASH, f"cannot play: {error}")
    what = f"crashed: {error}"
    if isinstance(facts.get("syntax"), str):
        what = f"syntax error: {one_line(facts['syntax'])}"
    hint = "; it looks like Python 2: translate it with `noughts convert`" if facts.get("old_python") else ""
    return Fault(CRASH, f"{what}{_at(line)}{hint}", line, trace)


def place_in(words: str, file: str) -> Place:
    """Returns where the interpreter says it was in the bot's file, innermost frame first."""
    frames = re.findall(r'^  File "([^"\n]*)", line (\d{1,9}) in (\S+)', words, re.MULTILINE)
    name = file.encode("ascii", "backslashreplace").decode()
    for i, (where, line, _) in enumerate(frames):
        if where == name:
            return Place(int(line), _function(*frames[i - 1]) if i else "")
    return NOWHERE


def _function(file: str, _line: str, function: str) -> str:
    """Returns a library function by its file: json.loads, numpy.load."""
    parts = PurePosixPath(file).parts
    homes = [i for i, part in enumerate(parts) if part.startswith(("python3", "site-packages", "dist-packages"))]
    module = parts[homes[-1] + 1] if homes and homes[-1] + 1 < len(parts) else parts[-1]
    module = module.removesuffix(".py").removeprefix("<frozen ").removesuffix(">")
    return module if function.startswith(("_", "<")) else f"{module}.{function}"


def _at(line: int | None) -> str:
    return "" if line is None else f" (line {line})"


def ending_fault(status: int, words: str, file: str, memory: int | None = None) -> Fault:
    """Returns the fault of a process that ended by itself.

    status: as in `subprocess`: below 0 for a signal. words: the interpreter's last. memory: its limit, if reached.
    """
    line = place_in(words, file).line
    where = _at(line)
    if status >= WINDOWS_CRASH:
        return Fault(CRASH, f"crashed the interpreter ({status:#x}){where}", line, words)
    if status >= 0:
        if status == CHANNEL_LOST:
            return forbidden("closed or broke the referee's channel")
        return Fault(CRASH, f"ended its own process (exit status {status}){where}", line, words)
    name = signal_name(-status)
    if name == "SIGSYS":
        return forbidden("made a system call that is not allowed")
    if memory is not None:
        return out_of_memory(memory)
    if name == "SIGXCPU":
        return Fault(TIME, "out of time: it used up its processor time")
    if name == "SIGKILL":
        return Fault(CRASH, KILLED)
    return Fault(CRASH, f"crashed the interpreter ({name}){where}", line, words)


def signal_name(number: int) -> str:
    """Returns the name of a signal, such as SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have no name
        return f"signal {number}"
