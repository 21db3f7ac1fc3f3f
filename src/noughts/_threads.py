"""Threads: one at a time for objects whose buffers compiled code writes to, and waits that Ctrl-C ends."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from queue import Empty, SimpleQueue
from threading import Lock, get_ident
from typing import TypeVar

BEAT = 0.1
"""Seconds of one wait: on Windows Ctrl-C is noticed only between two waits."""

T = TypeVar("T")


def wait_for_any(futures: Iterable[Future[T]]) -> set[Future[T]]:
    """Waits until some of the futures are done, and returns these."""
    waiting = list(futures)
    while not (ended := wait(waiting, BEAT, FIRST_COMPLETED).done):
        pass
    return ended


def next_of(queue: SimpleQueue[T]) -> T:
    """Waits for the next item of a queue."""
    while True:
        try:
            return queue.get(timeout=BEAT)
        except Empty:
            continue


class OneAtATime:
    """A lock for `with`: a second thread waits. RuntimeError if the thread that holds it asks again.

    Copies by `pickle` and `copy.deepcopy` are new locks, as the buffers beside them are new buffers.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._holder: int | None = None

    def __enter__(self) -> None:
        if self._holder == get_ident():
            raise RuntimeError("this object is in use further up in the same thread; use another one, or return first")
        self._lock.acquire()
        self._holder = get_ident()

    def __exit__(self, *_: object) -> None:
        self._holder = None
        self._lock.release()

    def __reduce__(self) -> tuple[type[OneAtATime], tuple[()]]:
        return OneAtATime, ()
