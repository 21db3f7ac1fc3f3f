"""One thread at a time for objects whose buffers compiled code writes to."""

from __future__ import annotations

from threading import Lock, get_ident


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
