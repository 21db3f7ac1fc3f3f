"""Fair thread pools: clients take turns, so a client with much work delays only itself.

Each kind of work has its own pool, so that kinds do not delay each other. Waiting work is limited for each client and
in total (`Share`); beyond that, clients are refused with the reason.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from noughts.web._members import Member
from noughts.web._quotas import Busy, Share

T = TypeVar("T")


class FairThreadPool:
    """A few threads that work through each client's tasks in order, one task per client in turn.

    waiting: limits the waiting tasks. Call `run` in the event loop's thread only.
    """

    def __init__(self, threads: int, name: str, waiting: Share) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free, self._share = threads, waiting
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def run(self, member: Member, work: Callable[..., T], *arguments: object) -> T:
        """Runs the work once a thread is free and it is this client's turn; returns its result. Raises Busy if too
        much is waiting.
        """
        loop = asyncio.get_running_loop()
        if self._free:
            self._free -= 1
        else:
            await self._turn(member)
        running = self._pool.submit(work, *arguments)

        def done(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._pass_on)

        # Released when the thread ends: the waiting task may be cancelled while the thread still works.
        running.add_done_callback(done)
        return await asyncio.wrap_future(running)

    def run_without_member(self, work: Callable[..., object], *arguments: object) -> None:
        """Runs a short task without a client."""
        self._pool.submit(work, *arguments)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _turn(self, member: Member) -> None:
        giver = self._share.take(member)
        if giver is not None:
            self._refuse_newest(giver)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue = self._waiting.setdefault(member.key, deque())
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in queue:
                queue.remove(turn)
            elif turn.done() and not turn.cancelled() and turn.exception() is None:
                self._pass_on()  # the turn is the thread's by now, and nothing else takes it
            raise
        finally:
            self._share.give(member.key)

    def _refuse_newest(self, key: str) -> None:
        """Removes the last task of a client from its queue."""
        turn = next((each for each in reversed(self._waiting.get(key, ())) if not each.done()), None)
        if turn is not None:
            self._waiting[key].remove(turn)
            turn.set_exception(Busy("the server is overloaded; try again later"))

    def _pass_on(self) -> None:
        """Gives a free thread to the next client, which then goes to the end of the queue."""
        while self._waiting:
            key, queue = self._waiting.popitem(last=False)
            turn = queue.popleft() if queue else None
            if queue:
                self._waiting[key] = queue
            if turn is not None and not turn.done():
                turn.set_result(None)
                return
        self._free += 1
