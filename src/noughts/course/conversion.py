"""Converts bots from Python 2 in a separate process with limits, so that any source gets an answer quickly."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from noughts.course._conversion_worker import receive, send
from noughts.interpreter import start_interpreter
from noughts.printable import one_line
from noughts.sandbox.source import BotSource
from py2bots import NotPython2, Translation, Verdict

SECONDS = 30.0
"""Maximum seconds per file. The longest bots take about one."""


class Converter:
    """Converts one source after another, in a process that is started on demand."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def translate(self, source: str, name: str, *, as_python2: bool = False) -> Translation:
        """Runs `py2bots.translate`. Raises NotPython2 also if it takes too long or too much memory."""
        reply = self._ask(source, name, as_python2=as_python2)
        return Translation(**{**reply, "notes": tuple(reply["notes"])})

    def which_python(self, source: str) -> Verdict:
        """Runs `py2bots.which_python`. Raises NotPython2 if it takes too long or too much memory."""
        return Verdict(**self._ask(source, ""))

    def _ask(self, source: str, name: str, *, as_python2: bool = False) -> dict[str, Any]:
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._seconds, stop)
        timer.start()
        try:
            send(process.stdin, {"source": source, "name": name, "as_python2": as_python2})
            reply = receive(process.stdout)
        except OSError:  # the process is gone
            reply = None
        finally:
            timer.cancel()
            timer.join()
        if reply is None or late.is_set():
            self.close()
        if reply is None:
            why = f"it takes more than {self._seconds:g} s" if late.is_set() else "reading it needs too much memory"
            raise NotPython2(f"cannot convert {name or 'the source'}: {why}")
        if "refused" in reply:
            raise NotPython2(reply["refused"])
        return reply

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __enter__(self) -> Converter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        worker, pipe = "noughts.course._conversion_worker", subprocess.PIPE
        return start_interpreter(worker, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)


# For commands


def convert(
    sources: Sequence[BotSource], *, as_python2: bool = False, jobs: int = 1
) -> Iterator[tuple[BotSource, Translation | str]]:
    """Yields each source with its translation, or with the reason why there is none.

    An undecided source is converted if most of the sources are Python 2; these come last.
    """
    idle: SimpleQueue[Converter] = SimpleQueue()
    converters = [Converter() for _ in range(max(1, min(jobs, len(sources))))]
    for converter in converters:
        idle.put(converter)

    def translate(source: BotSource, as_python2: bool) -> Translation | str:
        converter = idle.get()
        try:
            return converter.translate(source.text, one_line(Path(source.path).name), as_python2=as_python2)
        except (ValueError, OSError) as error:
            return str(error)
        finally:
            idle.put(converter)

    pool = ThreadPoolExecutor(len(converters))
    python2 = 0
    undecided: list[tuple[BotSource, Translation | str]] = []
    try:
        results = pool.map(translate, sources, repeat(as_python2))
        for source, result in zip(sources, results, strict=True):
            python2 += isinstance(result, Translation) and result.version == 2
            if isinstance(result, Translation) and result.version is None and not result.converted:
                undecided.append((source, result))
            else:
                yield source, result
        if python2 * 2 > len(sources):
            waiting = [source for source, _ in undecided]
            undecided = list(zip(waiting, pool.map(translate, waiting, repeat(True)), strict=True))
        yield from undecided
    finally:
        pool.shutdown(cancel_futures=True)
        for converter in converters:
            converter.close()


_OLD_CRASHES = re.compile(
    r"""indices\ must\ be\ integers|cannot\ be\ interpreted\ as\ an\ integer|not\ supported\ between\ instances
    |'(?:dict_\w+|map|zip|filter|range)'\ object|object\ has\ no\ attribute\ '(?:has_key|iter\w+|next|sort|message)'
    |module\ '\w+'\ has\ no\ attribute|name\ '(?:xrange|unicode|raw_input|reduce|cmp|long|basestring|unichr|file|apply)'
    |No\ module\ named\ '(?:Queue|cPickle|c?StringIO|sets|md5|commands|urllib2)|encoded\ before\ hashing
    |'cmp'\ is\ an\ invalid|takes\ no\ positional\ arguments|dictionary\ changed\ size|TabError|Missing\ parentheses
    |must\ be\ parenthesized|leading\ zeros|invalid\ decimal\ literal|inconsistent\ use\ of\ tabs|unhashable\ type
    |can't\ multiply\ sequence|slice\ indices""",
    re.VERBOSE,
)


def python2_hint(source: str, crash: str) -> str:
    """Returns advice to convert, after a crash that would not happen in Python 2, if the source may be Python 2; else
    "".
    """
    if "noughts convert" in crash or not _OLD_CRASHES.search(crash):
        return ""
    try:
        with Converter() as converter:
            found = converter.which_python(source)
    except NotPython2:
        return ""
    if found.version == 2:
        return "this looks like Python 2; try `noughts convert`"
    if found.tab:
        return "try `noughts convert`, which turns the tabs into spaces"
    return (
        "" if found.version else "Python 2 allowed this: if the bot is written in it, try `noughts convert --python2`"
    )
