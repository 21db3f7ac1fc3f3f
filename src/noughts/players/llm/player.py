"""A language model that plays: it reads the same texts as any player of the text environments."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from threading import Lock, Thread
from typing import Any, TypeVar

from noughts._threads import wait_for_any
from noughts.clock import Clock
from noughts.game import IllegalMove, State
from noughts.players.llm.client import FIRST_PAUSE, ChatClient, Message, Reply, require_httpx
from noughts.players.llm.settings import LlmSettings
from noughts.players.protocol import BasePlayer
from noughts.text.boards import board_text
from noughts.text.replies import explain
from noughts.text.texts import texts_of

SYSTEM = "You are playing a game. Read its rules and the position, and answer with your move in the format it asks for."

TRIES = 3
"""How often `choose` asks for a legal move."""

T = TypeVar("T")

_one_loop = Lock()


class LlmPlayer(BasePlayer):
    """One model. `reply` answers the texts of the text environments; `choose` plays a state, like any player.

    Many threads may ask at once: their questions wait together in the event loop of one thread for all models.
    """

    def __init__(self, settings: LlmSettings, *, first_pause: float = FIRST_PAUSE) -> None:
        require_httpx()
        self.settings = settings
        self.name = f"llm:{settings.model}"
        self._client = ChatClient(settings, first_pause=first_pause)
        self._waiting: set[Future[Any]] = set()
        weakref.finalize(self, _close_later, self._client)  # whoever forgets to close it leaves no connection open

    def messages(self, observation: str) -> list[Message]:
        """What the model is sent for an observation."""
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": observation}]

    def reply(self, observation: str, seconds: float | None = None) -> Reply:
        """What the model answers to an observation; ServiceError if its server does not.

        CancelledError if the player is closed meanwhile.
        """
        return self._wait_for(self._client.complete(self.messages(observation), seconds))

    def choose(self, state: State, clock: Clock) -> int:
        """A legal action. The model is told why others were not; ValueError if it names none in TRIES replies."""
        texts = texts_of(state.game)
        observation = f"{texts.prompts[state.current_player()]}\n\n{board_text(state, texts.reader)}"
        why = ""
        for _ in range(TRIES):
            reply = self.reply(observation, clock.remaining())
            if reply.failure:
                raise ValueError(f"{self.name} did not answer in its time for a move")
            action, shown = texts.reader.read(reply.text, last=True)
            if action is not None:
                try:
                    state.child(action)
                except IllegalMove:
                    shown = texts.reader.names[action]
                else:
                    return action
            why = explain(state, action, shown, texts.reader.names).message
            observation += f"\n\n[GAME] Invalid move: {why} Choose again."
        raise ValueError(f"{self.name} named no legal move in {TRIES} replies; the last time: {why}")

    def close(self) -> None:
        """Give up what is being waited for, and close the connections."""
        for waiting in list(self._waiting):
            waiting.cancel()
        if self._client.is_open:
            self._wait_for(self._client.aclose())

    def _wait_for(self, work: Coroutine[object, object, T]) -> T:
        with _one_loop:
            future = asyncio.run_coroutine_threadsafe(work, _event_loop())
        self._waiting.add(future)
        try:
            wait_for_any([future])
            return future.result()
        finally:
            future.cancel()  # if whoever asked was interrupted
            self._waiting.discard(future)


def _close_later(client: ChatClient) -> None:
    if client.is_open:
        asyncio.run_coroutine_threadsafe(client.aclose(), _event_loop())


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """A loop in a thread of its own, for all models of this process: so it works in a notebook too, which has one."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="noughts-llm", daemon=True).start()
    return loop
