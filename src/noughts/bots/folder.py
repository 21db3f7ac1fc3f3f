"""The bots of a whole class: all files of a folder, on all cores."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from noughts.bots.check import CheckReport, check_bot
from noughts.game import Game
from noughts.sandbox import BotLimits
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import read_bot

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
    spawned = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(files)), mp_context=spawned, initializer=_leave_ctrl_c_to_the_parent)
    try:
        waiting: list[Future[CheckReport | str]] = [pool.submit(_check, str(path), settings) for path in files]
        for path, result in zip(files, waiting, strict=True):
            yield path, result.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@cache
def _server() -> ForkServer:
    """The fork server of this process; it ends with it."""
    return ForkServer()


def _check(path: str, settings: CheckSettings) -> CheckReport | str:
    try:
        return check_bot(
            read_bot(path),
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
