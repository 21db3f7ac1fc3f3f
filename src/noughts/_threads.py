"""Thread helpers: calls in several threads, a lock for buffers of compiled code, and waits that Ctrl-C interrupts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Lock, get_ident
from typing import TypeVar

BEAT = 0.1
"""Length of one wait in seconds: Windows notices Ctrl-C only between two waits."""

T = TypeVar("T")
R = TypeVar("R")


def wait_for_any(futures: Iterable[Future[T]]) -> set[Future[T]]:
    """Waits until some of the futures are done, and returns them."""
    waiting = list(futures)
    while not (ended := wait(waiting, BEAT, FIRST_COMPLETED).done):
        pass
    return ended


def call_in_threads(
    function: Callable[[T], R], tasks: Iterable[T | None], threads: int, *, ahead: int = 1, stop: Callable[[], None]
) -> Generator[tuple[T, R], None, None]:
    """Calls a function for each task in `threads` threads; yields each task with its result as the calls end.

    Takes tasks as needed, `ahead` for each thread. A task of None means: wait until another call ends. Passes on
    exceptions of the function. stop: called at the end, even after an exception; it must end the running calls.
    """
    queued, running = iter(tasks), dict[Future[R], T]()
    pool = ThreadPoolExecutor(threads)
    try:
        while True:
            for task in islice(queued, ahead * threads - len(running)):
                if task is None:
                    break
                running[pool.submit(function, task)] = task
            if not running:
                return
            for future in wait_for_any(running):
                yield running.pop(future), future.result()
    finally:
        stop()
        pool.shutdown(cancel_futures=True)


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
