"""Runs our functions in other processes of this machine, one at a time or many at once.

    this process -> worker   standard input: the function to run, then the messages of `send`
    worker -> this process   standard output: the messages of the function

Each message is a length of 8 bytes and a pickle; both sides are ours. A worker ends as soon as its standard input
closes: when it is no longer needed, or when its parent was killed.
"""

from __future__ import annotations

import gc
import math
import os
import pickle
import subprocess
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from typing import IO, Any, TypeVar

from noughts._threads import BEAT, call_in_threads
from noughts.interpreter import start_interpreter

HEAD = 8
LEFT = 3
"""Exit status of a worker that is no longer needed."""
AHEAD = 2
"""Calls queued per worker: one running and one to start next."""

T = TypeVar("T")
R = TypeVar("R")


class WorkerGoneError(ValueError):
    """A worker process ended in the middle of its work."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process was killed; if the machine is out of memory, run fewer games at a time (--jobs)"
        )


class Channel:
    """One end of the pipes between two of our processes."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self._incoming, self._outgoing = incoming, outgoing

    def send(self, message: object) -> None:
        """Sends a message. Raises OSError if the other side is gone."""
        body = pickle.dumps(message)
        self._outgoing.write(len(body).to_bytes(HEAD, "big") + body)
        self._outgoing.flush()

    def receive(self) -> Any:
        """Waits for the next message and returns it. Raises EOFError if the other side is gone."""
        return pickle.loads(self._body())

    def _body(self) -> bytes:
        return self._read(int.from_bytes(self._read(HEAD), "big"))

    def _read(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            some = self._incoming.read(length - len(found))
            if not some:
                raise EOFError
            found += some
        return bytes(found)


class Worker(Channel):
    """A process that runs `function(channel, *arguments)`. Close it after use.

    descriptors: file descriptors that it inherits.
    """

    def __init__(self, function: Callable[..., None], *arguments: object, descriptors: Sequence[int] = ()) -> None:
        pipe = subprocess.PIPE
        self._process = start_interpreter(__name__, stdin=pipe, stdout=pipe, descriptors=descriptors)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        super().__init__(self._process.stdout, self._process.stdin)
        self.pid: int = self._process.pid
        with suppress(OSError):  # it has ended, which `receive` will report
            self.send((function, arguments))

    @property
    def exitcode(self) -> int | None:
        """The exit status; None while the process runs."""
        return self._process.poll()

    def wait(self, seconds: float | None = None) -> None:
        """Waits for the end of the process, at most `seconds`."""
        until = math.inf if seconds is None else time.monotonic() + seconds
        while self._process.poll() is None and (left := until - time.monotonic()) > 0:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(min(left, BEAT))

    def kill(self) -> None:
        """Ends the process at once. A thread that is receiving from it gets EOFError."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Ends the process at once. No other thread may be receiving from it."""
        self.kill()
        for stream in (self._incoming, self._outgoing):
            with suppress(OSError):  # unsent messages are dropped
                stream.close()


def call_in_workers(function: Callable[[T], R], tasks: Iterable[T], jobs: int) -> Iterator[tuple[T, R]]:
    """Calls a function for each task in `jobs` workers; yields each task with its result, in order of completion.

    Takes tasks as needed. Passes on exceptions of the function. Raises WorkerGoneError if a worker is killed.
    """
    workers = _CallWorkers(jobs)
    try:
        yield from call_in_threads(partial(workers.call, function), tasks, jobs, ahead=AHEAD, stop=workers.kill)
    finally:
        workers.close()


class _CallWorkers:
    """Workers that answer calls, one per thread; each is started at its first use."""

    def __init__(self, jobs: int) -> None:
        self._workers: list[Worker] = []
        self._idle: SimpleQueue[Worker | None] = SimpleQueue()
        self._killed = Event()
        for _ in range(jobs):
            self._idle.put(None)

    def call(self, function: Callable[[T], R], task: T) -> R:
        worker = self._idle.get() or self._start()
        try:
            worker.send((function, task))
            result, error = worker.receive()
        except (EOFError, OSError):
            raise WorkerGoneError from None
        finally:
            self._idle.put(worker)
        if error is not None:
            raise error
        found: R = result
        return found

    def kill(self) -> None:
        """Ends all workers at once, including those that are being started."""
        self._killed.set()
        for worker in list(self._workers):
            worker.kill()

    def close(self) -> None:
        for worker in self._workers:
            worker.close()

    def _start(self) -> Worker:
        worker = Worker(_answer_calls)
        self._workers.append(worker)
        if self._killed.is_set():
            worker.kill()
        return worker


def _answer_calls(channel: Channel) -> None:
    while True:
        function, task = channel.receive()
        try:
            channel.send((function(task), None))
        except Exception as error:
            error.add_note(traceback.format_exc())
            channel.send((None, error))


class _Inside(Channel):
    """The worker's end of the pipes. A thread reads it, and notices at once when the parent is gone."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        super().__init__(incoming, outgoing)
        self._bodies: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=self._listen, daemon=True).start()

    def receive(self) -> Any:
        return pickle.loads(self._bodies.get())

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._bodies.put(self._body())
        os._exit(LEFT)


def main() -> None:
    """Runs the function that this process was started for."""
    # Unbuffered: at exit Python would wait for a thread that holds a buffer.
    incoming, outgoing = os.fdopen(0, "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    with suppress(OSError):  # there may be no standard error
        os.dup2(2, 1)  # what a library prints is not a message
    channel = _Inside(incoming, outgoing)
    function, arguments = channel.receive()
    with suppress(BrokenPipeError):
        function(channel, *arguments)
    gc.freeze()  # collecting garbage at exit takes 0.1 s among Numba's many objects
