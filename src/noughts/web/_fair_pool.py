"""Threads that serve addresses in turn: many requests of one address delay nobody else."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class Busy(Exception):  # noqa: N818 - it is the server that cannot
    """An address has more requests in its queue than are allowed."""


class FairThreadPool:
    """A few threads. Work of one address runs in order; several addresses get one piece each in turn.

    most: maximum length of the queue of one address. Call `run` in the event loop's thread only.
    """

    def __init__(self, threads: int, name: str, most: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free, self._most = threads, most
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def run(self, address: str, work: Callable[..., T], *arguments: object) -> T:
        """Returns the result of the work once a thread served this address; Busy if its queue is full."""
        loop = asyncio.get_running_loop()
        if self._free:
            self._free -= 1
        else:
            await self._turn(address)
        running = self._pool.submit(work, *arguments)

        def done(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._pass_on)

        # By the thread's end, not by the waiting task's, which may be cancelled while the thread still works.
        running.add_done_callback(done)
        return await asyncio.wrap_future(running)

    def soon(self, work: Callable[..., object], *arguments: object) -> None:
        """Runs short work that no address asked for."""
        self._pool.submit(work, *arguments)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _turn(self, address: str) -> None:
        queue = self._waiting.setdefault(address, deque())
        if self._most is not None and len(queue) >= self._most:
            raise Busy(f"{self._most} analyses of this address are waiting already; try again later")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in queue:
                queue.remove(turn)
            elif not turn.cancelled():  # it was ours by now, and nobody takes it
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """A thread is free: it is the next address's turn, which then goes to the end of the line."""
        while self._waiting:
            address, queue = self._waiting.popitem(last=False)
            turn = queue.popleft() if queue else None
            if queue:
                self._waiting[address] = queue
            if turn is not None and not turn.done():
                turn.set_result(None)
                return
        self._free += 1
