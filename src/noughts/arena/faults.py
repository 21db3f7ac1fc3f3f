"""Faults of a bot, in words that the person who wrote it understands.

Each ends the game: the opponent gets the points of a win, the bot those of a loss.
"""

from __future__ import annotations

from dataclasses import dataclass

TIME = "time"
CRASH = "crash"
TAMPER = "tamper"
INVALID = "invalid"
FORBIDDEN = "forbidden"
MEMORY = "memory"

TEXT_KEPT = 300
DETAIL_KEPT = 2000

KINDS = (TIME, CRASH, TAMPER, INVALID, FORBIDDEN, MEMORY)


@dataclass(frozen=True)
class Fault:
    """Why a bot lost without losing on the board.

    kind: one of KINDS. text: what it did, after its name: "crashed: ...". line: where in its file, if known.
    detail: a traceback or the like, for its owner.
    """

    kind: str
    text: str
    line: int | None = None
    detail: str = ""


class BotFault(Exception):  # noqa: N818 - it is the bot that erred
    """Raised by the referee's side when a bot is at fault; the bot's process is gone by then.

    prints: what it printed in that move, if it lived to tell.
    """

    def __init__(self, fault: Fault, prints: str = "") -> None:
        super().__init__(fault.text)
        self.fault = fault
        self.prints = prints


def printable(said: object, most: int = TEXT_KEPT) -> str:
    """What a bot said, for a terminal: cut, and without characters that would command it."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in str(said)[:most])


def seconds(amount: float) -> str:
    """A time for people: 16 s, 0.25 s, 24 ms, 0.3 ms."""
    if amount < 0.0995:
        return f"{amount * 1000:.{0 if amount >= 0.00995 else 1}f} ms"
    return f"{amount:.3g} s" if amount < 100 else f"{amount:.0f} s"


def too_late(limit: float, took: float) -> Fault:
    return Fault(TIME, f"over time: answered {seconds(took - limit)} after its limit of {seconds(limit)}")


def no_answer(limit: float, waited: float) -> Fault:
    return Fault(TIME, f"over time: no answer {seconds(waited - limit)} after its limit of {seconds(limit)}")


def out_of_memory(limit: int) -> Fault:
    return Fault(MEMORY, f"out of memory: it wanted more than its limit of {limit >> 20} MB")


def changed_board(how: str) -> Fault:
    return Fault(TAMPER, f"changed the board it was given: {how}; search on a copy, or undo what you did")


def forbidden(what: str) -> Fault:
    return Fault(FORBIDDEN, f"forbidden: it {what}")
