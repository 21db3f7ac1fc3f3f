"""Thread helpers: calls in several threads, a lock for buffers of compiled code, and waits that Ctrl-C interrupts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Lock, Thread, get_ident
from typing import Any, TypeVar

BEAT = 0.1
"""Length of one wait in seconds: Windows notices Ctrl-C only between two waits."""

T = TypeVar("T")
R = TypeVar("R")


def call_in_threads(
    function: Callable[[T], R], tasks: Iterable[T | None], threads: int, *, ahead: int = 1, stop: Callable[[], None]
) -> Generator[tuple[T, R], None, None]:
    """Calls a function for each task in `threads` threads; yields each task with its result as the calls end.

    Takes tasks as needed, `ahead` for each thread. A task of None means: wait until another call ends. Passes on
    exceptions of the function. stop: called at the end, even after an exception; it must end the running calls.

    All waiting is for a `SimpleQueue`: Ctrl-C during another wait can leave a lock taken that the threads need.
    """
    queued, running = iter(tasks), 0
    given: SimpleQueue[T | None] = SimpleQueue()
    ended: SimpleQueue[tuple[T, R, BaseException | None]] = SimpleQueue()
    pool: list[Thread] = []
    try:
        for _ in range(threads):
            thread = Thread(target=_work, args=(function, given, ended))
            thread.start()
            pool.append(thread)
        while True:
            for task in islice(queued, ahead * threads - running):
                if task is None:
                    break
                given.put(task)
                running += 1
            if not running:
                return
            done, result, error = next_of(ended)
            running -= 1
            if error is not None:
                raise error
            yield done, result
    finally:
        with suppress(Empty):
            while True:
                given.get_nowait()
        for _ in pool:
            given.put(None)
        stop()
        for thread in pool:
            thread.join()


def _work(
    function: Callable[[T], R], given: SimpleQueue[T | None], ended: SimpleQueue[tuple[T, Any, BaseException | None]]
) -> None:
    """Calls the function for each task that is given, until None is."""
    while (task := given.get()) is not None:
        try:
            ended.put((task, function(task), None))
        except BaseException as error:
            ended.put((task, None, error))


def next_of(queue: SimpleQueue[T]) -> T:
    """Waits for the next item of a queue and returns it."""
    while True:
        try:
            return queue.get(timeout=BEAT)
        except Empty:
            continue


class OneAtATime:
    """A lock for `with`: a second thread waits. Raises RuntimeError if the same thread asks twice.

    Copies by `pickle` and `copy.deepcopy` are new locks, as the buffers beside them are new buffers.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._holder: int | None = None

    def __enter__(self) -> None:
        if self._holder == get_ident():
            raise RuntimeError("this object is already in use in the same thread; use another one, or return first")
        self._lock.acquire()
        self._holder = get_ident()

    def __exit__(self, *_: object) -> None:
        self._holder = None
        self._lock.release()

    def __reduce__(self) -> tuple[type[OneAtATime], tuple[()]]:
        return OneAtATime, ()
