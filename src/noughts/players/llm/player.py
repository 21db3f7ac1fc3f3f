"""A language model as a player: it reads the same texts as any player of the text environments."""

from __future__ import annotations

import asyncio
import weakref
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from dataclasses import replace
from functools import cache
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from noughts._threads import next_of
from noughts.clock import Clock
from noughts.game import State
from noughts.players.llm.client import ChatClient, Message, require_httpx
from noughts.players.llm.reply import Reply
from noughts.players.llm.settings import LlmSettings
from noughts.players.protocol import Answer, BasePlayer
from noughts.players.text_seat import TextSeat
from noughts.sandbox import faults
from noughts.sandbox.faults import BotFault
from noughts.text.env import TextEnv

TRIES = 3
"""Number of replies in which `choose` needs a legal move."""

T = TypeVar("T")

_one_loop = Lock()


class LlmPlayer(BasePlayer):
    """One model. `reply` answers the texts of the text environments; `choose` plays a state, like any player.

    Many threads may ask at once: their questions share the event loop of one thread for all models.
    """

    def __init__(self, settings: LlmSettings) -> None:
        require_httpx()
        self.settings = settings
        self.name: str = f"llm:{settings.model}"
        self._client = ChatClient(settings)
        self._waiting: set[Future[Any]] = set()
        weakref.finalize(self, _close_later, self._client)  # closes the connections of a player that was not closed

    def reply(
        self,
        messages: list[Message],
        seconds: float | None = None,
        *,
        read: Callable[[Reply], int | None] | None = None,
        sample: int = 0,
    ) -> Reply:
        """Returns the model's reply. Raises ServiceError if its server gives none, CancelledError if the player is
        closed.

        With `votes`, asks that many times at once and returns the first reply that names the move of the majority.
        read, sample: as for `TextPlayer`.
        """
        votes = self.settings.votes
        if votes == 1 or read is None:
            return self._wait_for(self._client.complete(messages, seconds, sample))
        replies = self._wait_for(self._ask_all(messages, seconds, range(sample * votes, (sample + 1) * votes)))
        return majority(replies, read)

    async def _ask_all(self, messages: list[Message], seconds: float | None, samples: Iterable[int]) -> list[Reply]:
        return await asyncio.gather(*(self._client.complete(messages, seconds, sample) for sample in samples))

    def ask(self, state: State, clock: Clock) -> Answer:
        """Returns the model's move. Raises BotFault if it names none in TRIES replies or in time."""
        env = TextEnv(state.game, error_allowance=TRIES - 1, observation="board", take="last")
        env.reset(start=state)
        return TextSeat(self, env, None).ask_for_move(clock)

    def choose(self, state: State, clock: Clock) -> int:
        """Returns a legal action. Raises ValueError where `ask` raises BotFault."""
        try:
            return self.ask(state, clock).action
        except BotFault as error:
            if error.fault.kind == faults.TIME:
                raise ValueError(f"{self.name} did not answer within its time limit") from None
            raise ValueError(
                f"{self.name} named no legal move in {TRIES} replies; the last one: {error.fault.text}"
            ) from None

    def close(self) -> None:
        """Cancels pending questions and closes the connections."""
        for waiting in list(self._waiting):
            waiting.cancel()
        if self._client.is_open:
            self._wait_for(self._client.aclose())

    def _wait_for(self, work: Coroutine[object, object, T]) -> T:
        with _one_loop:
            future = asyncio.run_coroutine_threadsafe(work, _event_loop())
        self._waiting.add(future)
        try:
            ended: SimpleQueue[Future[T]] = SimpleQueue()
            future.add_done_callback(ended.put)
            return next_of(ended).result()
        finally:
            future.cancel()  # if the caller was interrupted
            self._waiting.discard(future)


def majority(replies: list[Reply], read: Callable[[Reply], int | None]) -> Reply:
    """Returns the first reply that names the most frequent move, with the cost of all replies."""
    named = [read(reply) for reply in replies]
    counts = Counter(action for action in named if action is not None)
    winner = counts.most_common(1)[0][0] if counts else None
    chosen = replies[named.index(winner)] if counts else replies[0]
    return replace(
        chosen,
        seconds=max(reply.seconds for reply in replies),
        attempts=sum(reply.attempts for reply in replies),
        prompt_tokens=_total(reply.prompt_tokens for reply in replies),
        completion_tokens=_total(reply.completion_tokens for reply in replies),
        reasoning_tokens=_total(reply.reasoning_tokens for reply in replies),
        votes=tuple(reply.text for reply in replies),
    )


def _total(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _close_later(client: ChatClient) -> None:
    if client.is_open:
        asyncio.run_coroutine_threadsafe(client.aclose(), _event_loop())


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """Returns an event loop in its own thread, for all models of this process. Works in notebooks too, which have
    their own loop.
    """
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="noughts-llm", daemon=True).start()
    return loop
