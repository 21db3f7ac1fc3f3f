"""Checks the bots of a whole class, on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from noughts.bots.gate import Gate, GateReport
from noughts.progress import Tick
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource
from noughts.workers import call_in_workers

Task = tuple[int, BotSource | str, Gate, int, bool]
"""The number of a bot; the bot, or why it is missing; the gate; the rounds; whether the check is quick."""

# Each check runs in its own process, with a fork server for its bots, so that bots do not slow each other's clocks.


def check_all(
    bots: Sequence[BotSource | str],
    gate: Gate,
    jobs: int,
    *,
    rounds: int = 1,
    quick: bool = False,
    tick: Tick,
) -> list[GateReport | str]:
    """Returns the report on each bot, or the reason why there is none.

    bots: each a bot, or the reason why it is missing. tick: called with the share done.
    """
    tasks = ((number, bot, gate, rounds, quick) for number, bot in enumerate(bots))
    found: dict[int, GateReport | str] = {}
    for (number, *_), result in call_in_workers(_check, tasks, min(jobs, len(bots))):
        found[number] = result
        tick(len(found) / len(bots))
    return [found[number] for number in range(len(bots))]


@cache
def _server() -> ForkServer:
    """Returns the fork server of this process, which ends with it."""
    return ForkServer()


def _check(task: Task) -> GateReport | str:
    _, bot, gate, rounds, quick = task
    if isinstance(bot, str):
        return bot
    try:
        return gate.check(bot, _server(), rounds=rounds, quick=quick)
    except (ValueError, OSError) as error:
        return str(error)
