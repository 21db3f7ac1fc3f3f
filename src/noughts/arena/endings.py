"""How a bot's last words and its end read as a fault. Its words may be forged: they are cut, and never trusted."""

from __future__ import annotations

import os
import re
import signal

from noughts.arena import faults
from noughts.arena.faults import Fault
from noughts.arena.wire import CHANNEL_LOST, Message

PRINTS_KEPT = 4000
MOST_LINES = 1_000_000


def prints_in(reply: Message) -> str:
    """What the bot printed, as it says: cut, with a note if there was more."""
    told = reply.get("prints")
    if not isinstance(told, list) or len(told) != 2 or not isinstance(told[0], str) or type(told[1]) is not int:
        return ""
    text, written = faults.printable(told[0], PRINTS_KEPT), told[1]
    return text if written <= len(text) else f"{text}\n[... {written - len(text)} more characters]"


def crash_fault(report: object) -> Fault:
    """The fault from what the worker says of an exception; the bot may have forged it."""
    said = report if isinstance(report, dict) else {}
    error, line = faults.printable(said.get("error", "?")), said.get("line")
    trace = faults.printable(said.get("trace", ""), most=faults.DETAIL_KEPT)
    if type(line) is not int or not 0 < line < MOST_LINES:
        line = None
    if said.get("no_bot"):
        return Fault(faults.CRASH, f"cannot play: {error}")
    where = "" if line is None else f" (line {line})"
    hint = "; it looks like Python 2, which `noughts convert` translates" if said.get("old_python") else ""
    return Fault(faults.CRASH, f"crashed: {error}{where}{hint}", line, trace)


def ending_fault(code: int, stderr: str, memory: int | None) -> Fault:
    """The fault of a process that ended by itself. memory: its limit, if it had reached that."""
    found = re.findall(r'"<[^"\n]*>", line (\d{1,9}) in', stderr)
    line = int(found[0]) if found else None
    where = "" if line is None else f" (line {line})"
    if code < 0 or not os.WIFSIGNALED(code):
        status = os.waitstatus_to_exitcode(code) if code >= 0 else "unknown"
        if status == CHANNEL_LOST:
            return faults.forbidden("closed or broke the referee's channel")
        return Fault(faults.CRASH, f"ended its own process (exit status {status}){where}", line, stderr)
    number = os.WTERMSIG(code)
    if number == signal.SIGSYS:
        return faults.forbidden("made a system call that bots may not make")
    if memory is not None:
        return faults.out_of_memory(memory)
    if number == signal.SIGXCPU:
        return Fault(faults.TIME, "over time: it used up its processor time")
    return Fault(faults.CRASH, f"crashed the interpreter ({_signal_name(number)}){where}", line, stderr)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most of the real-time ones have no name
        return f"signal {number}"
