"""The bots of a whole class: all files of a folder, on all cores."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from noughts.bots.gate import Gate, GateReport
from noughts.course.python2.bounded import Converter
from noughts.course.python2.translate import Translation
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import read_bot

MOST_BOTS = 10_000


def bot_files(folder: Path) -> list[Path]:
    """The bot files of a folder, by name; ValueError if there are none."""
    files = sorted(path for path in folder.glob("*.py") if path.is_file() and not path.name.startswith(("_", ".")))
    if not files:
        raise ValueError(f"there are no bot files (*.py) in {str(folder)!r}")
    if len(files) > MOST_BOTS:
        raise ValueError(f"{str(folder)!r} has {len(files)} files; {MOST_BOTS} at a time is the most")
    return files


def convert_all(
    files: Sequence[Path], *, as_python2: bool = False, jobs: int = 1
) -> Iterator[tuple[Path, Translation | str]]:
    """Each file with its translation, or with a sentence on why there is none; in the order of the files."""
    idle: SimpleQueue[Converter] = SimpleQueue()
    converters = [Converter() for _ in range(min(jobs, len(files)))]
    for converter in converters:
        idle.put(converter)

    def convert(path: Path) -> Translation | str:
        converter = idle.get()
        try:
            return converter.translate(read_bot(str(path)).text, path.name, as_python2=as_python2)
        except (ValueError, OSError) as error:
            return str(error)
        finally:
            idle.put(converter)

    pool = ThreadPoolExecutor(len(converters))
    try:
        yield from zip(files, pool.map(convert, files), strict=True)
    finally:
        pool.shutdown(cancel_futures=True)
        for converter in converters:
            converter.close()


# Checks: each in a process of its own, with a fork server for its bots, so that nobody's clock waits for another bot.


def check_all(
    files: Sequence[Path], gate: Gate, jobs: int, *, rounds: int = 1, quick: bool = False
) -> Iterator[tuple[Path, GateReport | str]]:
    """Yields each file with its report, or with a sentence on why there is none; in the order of the files."""
    spawned = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(files)), mp_context=spawned, initializer=_leave_ctrl_c_to_the_parent)
    try:
        waiting: list[Future[GateReport | str]] = [
            pool.submit(_check, str(path), gate, rounds, quick) for path in files
        ]
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


def _check(path: str, gate: Gate, rounds: int, quick: bool) -> GateReport | str:
    try:
        return gate.check(read_bot(path), _server(), rounds=rounds, quick=quick)
    except (ValueError, OSError) as error:
        return str(error)
