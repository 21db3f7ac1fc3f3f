"""Starts a process for a bot: in the sandbox, or, with `--unsafe`, a plain process if there is no sandbox.

Both speak the same protocol and find the same faults in a harmless bot. A plain process can do whatever the user can:
it is not confined, its memory is not limited, and only the wall clock ends it.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import NoReturn, Protocol

from noughts import sandbox
from noughts.interpreter import clean_environment, start_interpreter
from noughts.sandbox import faults
from noughts.sandbox._limits import BotLimits
from noughts.sandbox._wire import HEAD, LOAD, MAX_REPLY, Message, body_length, pack_question, unpack
from noughts.sandbox.faults import BotFault, Fault, crash_fault, ending_fault, prints_in
from noughts.sandbox.forkserver import REPRODUCIBLE, ForkServer, NoSandboxError, SandboxError, require_linux
from noughts.sandbox.layers import NONE, Layers

OVERTIME = 0.1
"""Seconds that the referee waits beyond the limit, to report by how much a bot was late."""
BEAT = 0.1
"""Length of one wait in seconds: Windows notices Ctrl-C only between waits."""
START_SECONDS = 60.0
"""Seconds to start an interpreter and load NumPy; a busy disk can be slow."""
FAREWELL = 5.0
"""Seconds between a closed channel and the end of the process."""


class BotProcess(Protocol):
    """The interface of a bot's process for the referee. took: seconds charged for the last answer."""

    layers: Layers
    took: float
    was_starved: bool

    def ask(self, operation: str, limit: float, **fields: object) -> Message:
        """Returns the bot's reply to a question. Raises BotFault, with the process gone, if there is none in time."""
        ...

    def kilobytes(self) -> int: ...
    def close(self) -> None: ...
    def __enter__(self) -> BotProcess: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def start_process(server: ForkServer, limits: BotLimits, *, unsafe: bool = False) -> BotProcess:
    """Starts a process for a bot. Raises NoSandboxError where there is no sandbox, unless `unsafe`."""
    try:
        require_linux()
        return sandbox.SandboxedProcess(server, limits)
    except NoSandboxError:
        if not unsafe:
            raise
        return UnsafeProcess(limits)


def probe(server: ForkServer, *, unsafe: bool = False) -> Layers:
    """Returns the active layers on this system, found by starting a process. Raises NoSandboxError as `start_process`
    does.
    """
    with start_process(server, BotLimits(1.0), unsafe=unsafe) as bot:
        return bot.layers


class UnsafeProcess:
    """A plain process. Use it in a `with`, or close it."""

    def __init__(self, limits: BotLimits) -> None:
        self.limits = limits
        self.layers: Layers = Layers(NONE, 0, False)
        self.took: float = 0.0
        self.was_starved = False
        self._number = 0
        self._loading = False
        self._file = ""
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._process = start_interpreter(
            "noughts.sandbox.worker.plain",
            environment=clean_environment() | REPRODUCIBLE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words.fileno(),
        )
        # Only POSIX can wait for a pipe with a deadline, so a thread waits.
        self._talker = ThreadPoolExecutor(1)
        try:
            self._exchange(b"", START_SECONDS)
        except BotFault as error:  # no bot is loaded yet
            raise SandboxError(f"cannot start a process for a bot: {error.fault.text}") from None
        except BaseException:
            self.close()
            raise

    def ask(self, operation: str, limit: float, **fields: object) -> Message:
        """Returns the bot's reply to a question. Raises BotFault, with the process gone, if there is none in time."""
        self._number += 1
        self.took = 0.0
        self._loading = operation == LOAD
        self._file = str(fields.get("file", self._file))
        reply = self._exchange(pack_question({"id": self._number, "op": operation, "limit": limit, **fields}), limit)
        if self.took > limit:
            self._too_slow(limit, answered=True)
        if "memory" in reply:
            self._fail(Fault(faults.MEMORY, "out of memory: this machine has no memory left"))
        if "crash" in reply:
            self._fail(crash_fault(reply["crash"]), prints_in(reply))
        return reply

    def kilobytes(self) -> int:
        """Returns 0: the memory of a plain process is not counted."""
        return 0

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        self._talker.shutdown()  # the other ends of its pipes are closed, so it no longer waits
        for stream in (self._process.stdin, self._process.stdout, self._words):
            if stream is not None:
                with suppress(OSError):  # unsent data is dropped
                    stream.close()

    def __enter__(self) -> UnsafeProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _exchange(self, question: bytes, limit: float) -> Message:
        started = time.perf_counter()
        talk: Future[bytes] = self._talker.submit(self._talk, question)
        while not talk.done():
            left = started + limit + OVERTIME - time.perf_counter()
            if left <= 0:
                self.took = limit
                self._too_slow(limit, answered=False)
            with suppress(NotYet):
                talk.exception(min(left, BEAT))
        self.took = time.perf_counter() - started
        try:
            message = unpack(talk.result())
        except (OSError, EOFError):
            self._ended()
        except ValueError:
            self._fail(faults.forbidden("wrote to the referee's channel"))
        if message.get("id") != self._number:
            self._fail(faults.forbidden("wrote an answer of its own to the referee's channel"))
        return message

    def _talk(self, question: bytes) -> bytes:
        """Sends a question and returns the reply. Raises OSError or EOFError if the process is gone."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(question)
        stdin.flush()
        length = body_length(self._read(HEAD))
        if length > MAX_REPLY:
            raise ValueError(f"a reply of {length} bytes")
        return self._read(length)

    def _read(self, length: int) -> bytes:
        assert self._process.stdout is not None
        data = self._process.stdout.read(length)
        if len(data) < length:
            raise EOFError
        return data

    def _ended(self) -> NoReturn:
        try:
            status = self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self._fail(faults.forbidden("closed the referee's channel"))
        self._fail(ending_fault(status, self._last_words(), self._file))

    def _too_slow(self, limit: float, *, answered: bool) -> NoReturn:
        self._process.kill()  # before its words are read, which it may still be writing
        self._process.wait()
        place = faults.place_in(self._last_words(), self._file)
        if self._loading:
            self._fail(faults.not_loaded(limit, place))
        self._fail(faults.too_late(limit, self.took, place) if answered else faults.no_answer(limit, place))

    def _last_words(self) -> str:
        self._words.seek(0)
        return faults.printable(self._words.read(faults.DETAIL_KEPT).decode("utf-8", "replace"), faults.DETAIL_KEPT)

    def _fail(self, fault: Fault, prints: str = "") -> NoReturn:
        self.close()
        raise BotFault(replace(fault, loading=self._loading), prints)
