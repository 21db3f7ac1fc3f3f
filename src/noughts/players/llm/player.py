"""A language model that plays: it reads the same texts as any player of the text environments."""

from __future__ import annotations

from noughts.clock import Clock
from noughts.game import IllegalMove, State
from noughts.players.llm.client import FIRST_PAUSE, ChatClient, Message, Reply, require_httpx, wait_for
from noughts.players.llm.settings import LlmSettings
from noughts.text.boards import board_text
from noughts.text.replies import explain
from noughts.text.texts import texts_of

SYSTEM = "You are playing a game. Read its rules and the position, and answer with your move in the format it asks for."

TRIES = 3
"""How often `choose` asks for a legal move."""


class LlmPlayer:
    """One model. `reply` answers the texts of the text environments; `choose` plays a state, like any player."""

    def __init__(self, settings: LlmSettings, *, first_pause: float = FIRST_PAUSE) -> None:
        require_httpx()
        self.settings = settings
        self.name = f"llm:{settings.model}"
        self._first_pause = first_pause
        self._client = ChatClient(settings, first_pause=first_pause)

    def messages(self, observation: str) -> list[Message]:
        """What the model is sent for an observation."""
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": observation}]

    async def reply(self, observation: str) -> Reply:
        """What the model answers to an observation; ServiceError if its server does not."""
        return await self._client.complete(self.messages(observation))

    async def aclose(self) -> None:
        """Close the connections; to be awaited in the loop that used them."""
        await self._client.aclose()

    def choose(self, state: State, clock: Clock) -> int:
        """A legal action. The model is told why others were not; ValueError if it names none in TRIES replies."""
        return wait_for(self._choose(state, clock))

    async def _choose(self, state: State, clock: Clock) -> int:
        client = ChatClient(self.settings, first_pause=self._first_pause)
        texts = texts_of(state.game)
        observation = f"{texts.prompts[state.current_player()]}\n\n{board_text(state, texts.reader)}"
        why = ""
        try:
            for _ in range(TRIES):
                reply = await client.complete(self.messages(observation), clock.remaining())
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
        finally:
            await client.aclose()
        raise ValueError(f"{self.name} named no legal move in {TRIES} replies; the last time: {why}")
