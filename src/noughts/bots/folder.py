"""The bots of a whole class: all files of a folder, on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from noughts.bots.check import CheckReport, check_bot
from noughts.game import Game
from noughts.sandbox import BotLimits
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource, read_bot
from noughts.workers import call_in_workers

# Checks: each in a process of its own, with a fork server for its bots, so that nobody's clock waits for another bot.


@dataclass(frozen=True)
class CheckSettings:
    """How all bots of a folder are checked."""

    game: Game
    limits: BotLimits
    rounds: int = 1
    strict: bool = False
    unsafe: bool = False
    quick: bool = False


def check_all(files: Sequence[Path], settings: CheckSettings, jobs: int) -> Iterator[tuple[Path, CheckReport | str]]:
    """Each file with its report, or with a sentence on why there is none; in the order of the files."""

    def tasks() -> Iterator[tuple[int, BotSource | str, CheckSettings]]:
        for number, path in enumerate(files):
            try:
                yield number, read_bot(str(path)), settings
            except (ValueError, OSError) as error:
                yield number, str(error), settings

    ended, shown = dict[int, CheckReport | str](), 0
    for (number, _, _), result in call_in_workers(_check, tasks(), min(jobs, len(files))):
        ended[number] = result
        while shown in ended:
            yield files[shown], ended.pop(shown)
            shown += 1


@cache
def _server() -> ForkServer:
    """The fork server of this process; it ends with it."""
    return ForkServer()


def _check(task: tuple[int, BotSource | str, CheckSettings]) -> CheckReport | str:
    _, bot, settings = task
    if isinstance(bot, str):
        return bot
    try:
        return check_bot(
            bot,
            settings.game,
            _server(),
            settings.limits,
            rounds=settings.rounds,
            strict=settings.strict,
            unsafe=settings.unsafe,
            quick=settings.quick,
        )
    except (ValueError, OSError) as error:
        return str(error)
