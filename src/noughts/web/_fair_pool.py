"""Thread pools that are fair: a client that asks for much waits behind itself, and nobody else waits behind it.

There is one pool for each kind of work, so that a queue of one kind delays no other. What may wait is bounded, for each
client and in all (`Share`): beyond that a client is refused in a sentence.
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
    """A few threads. Work of one client is done in order; of several clients, one piece each in turn.

    waiting: bounds what waits. `run` belongs to the event loop's thread.
    """

    def __init__(self, threads: int, name: str, waiting: Share) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free, self._share = threads, waiting
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def run(self, member: Member, work: Callable[..., T], *arguments: object) -> T:
        """Returns what the work returns, once a thread is free and it is this client's turn; Busy if too much waits."""
        loop = asyncio.get_running_loop()
        if self._free:
            self._free -= 1
        else:
            await self._turn(member)
        running = self._pool.submit(work, *arguments)

        def done(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._pass_on)

        # By the thread's end, not by the waiting task's, which may be cancelled while the thread still works.
        running.add_done_callback(done)
        return await asyncio.wrap_future(running)

    def soon(self, work: Callable[..., object], *arguments: object) -> None:
        """Does something short for nobody in particular."""
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
            elif turn.done() and not turn.cancelled() and turn.exception() is None:  # ours by now, and nobody takes it
                self._pass_on()
            raise
        finally:
            self._share.give(member.key)

    def _refuse_newest(self, key: str) -> None:
        """Takes the last piece of a client's work out of its queue."""
        turn = next((each for each in reversed(self._waiting.get(key, ())) if not each.done()), None)
        if turn is not None:
            self._waiting[key].remove(turn)
            turn.set_exception(Busy("the server has more to do than it can; try again later"))

    def _pass_on(self) -> None:
        """Gives a free thread to the next client, which then goes to the end of the line."""
        while self._waiting:
            key, queue = self._waiting.popitem(last=False)
            turn = queue.popleft() if queue else None
            if queue:
                self._waiting[key] = queue
            if turn is not None and not turn.done():
                turn.set_result(None)
                return
        self._free += 1
