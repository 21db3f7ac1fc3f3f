"""A player that reads text, asked for a move: the prompt, the reply, what was wrong with it, another try.

Matches, `LlmPlayer.choose` and suites all ask through `TextSeat`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import noughts
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.llm.client import Reply
from noughts.players.protocol import Answer, BasePlayer, TextPlayer
from noughts.printable import one_line
from noughts.sandbox import faults
from noughts.sandbox.faults import BotFault, Fault
from noughts.text.env import Info, TextEnv

CUT_OFF = "length"
"""What servers give as the reason for the end of a reply that reached the limit of tokens."""


@dataclass(frozen=True)
class Exchange:
    """One question to a player that reads text, and the reply.

    ply: how many moves had been made. messages: what was sent. reply: the text, without the reasoning that the server
    sent apart, which is in `reasoning`. failure: "time" if no reply came. valid: whether the reply was a legal move,
    which is then the move at `ply`; reason: if not, why (see `text.REASONS`), or "time". time: when the reply came, in
    UTC. model: as the server calls it. max_tokens: the limit that was sent. votes: all replies where several were asked
    for and the majority counts. noughts: the version that asked.
    """

    ply: int
    player: int
    messages: list[dict[str, str]]
    reply: str
    seconds: float
    attempts: int = 1
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    max_tokens: int | None = None
    finish: str | None = None
    failure: str | None = None
    valid: bool = False
    reason: str | None = None
    time: str | None = None
    model: str | None = None
    reasoning: str | None = None
    noughts: str | None = None
    votes: list[str] = field(default_factory=list)


class TextSeat(BasePlayer):
    """A game of a player that reads texts and writes replies, such as a language model.

    env: its options say what the player is shown, and how many invalid replies are forgiven. move_seconds: for each
    reply, None for the player's own limit. recall: given (player, observation), what was replied to it in an earlier
    attempt at this game, or None. note: is called with each exchange as soon as there is a reply. sample: tells
    repeated questions apart for models that take a seed.
    """

    def __init__(
        self,
        player: TextPlayer,
        env: TextEnv,
        move_seconds: float | None,
        *,
        recall: Callable[[int, str], Exchange | None] | None = None,
        note: Callable[[Exchange], None] | None = None,
        sample: int = 0,
    ) -> None:
        self.name: str = player.name
        self.exchanges: list[Exchange] = []
        self._player, self._env, self._seconds = player, env, move_seconds
        self._recall, self._note, self._sample = recall, note, sample

    def prepare(self, game: Game) -> None:
        self._env.reset(num_players=2)

    def ask(self, state: State, clock: Clock) -> Answer:
        """Returns the move of a game that has been played since `prepare`. Each reply has its own time, not a clock."""
        for action in state.history()[len(self._env.moves) :]:
            self._env.play(action)
        return self.ask_for_move()

    def ask_for_move(self, clock: Clock | None = None) -> Answer:
        """Asks until a reply is a legal move; BotFault if none comes in time, or too many are invalid.

        clock: for all replies together, instead of the time for each.
        """
        seconds = 0.0
        while True:
            exchange, info = self.ask_once(self._seconds if clock is None else clock.remaining())
            seconds += exchange.seconds
            if exchange.failure:
                raise BotFault(Fault(faults.TIME, "over time: no reply within the time for a move"))
            if info["action"] is not None:  # a valid reply without one is the first half of a move
                return Answer(info["action"], seconds)
            if not info["again"]:
                raise BotFault(
                    Fault(faults.INVALID, one_line(f"invalid reply ({exchange.reason}): {info['message']}", 1000))
                )

    def ask_once(self, seconds: float | None = None) -> tuple[Exchange, Info]:
        """Asks once. Returns the exchange and what became of the reply; no question is asked twice in one game."""
        env = self._env
        messages = env.messages()
        exchange = self._recall(env.player, messages[-1]["content"]) if self._recall else None
        asked = exchange is None
        if exchange is None:
            reply = self._player.reply(messages, seconds, read=self._read, sample=self._sample)
            exchange = _exchange_of(reply, ply=len(env.moves), player=env.player, messages=messages)
        info: Info = {"valid": False, "reason": exchange.failure, "again": False}
        if not exchange.failure:
            info = env.step(exchange.reply, cut_off=exchange.finish == CUT_OFF)[1]
        if asked:
            exchange = replace(exchange, valid=info["valid"], reason=info["reason"])
            if self._note:
                self._note(exchange)
        self.exchanges.append(exchange)
        return exchange, info

    def _read(self, reply: Reply) -> int | None:
        """The action that a reply names, for players who take the majority of several."""
        return None if reply.failure or reply.finish == CUT_OFF else self._env.read(reply.text)


def _exchange_of(reply: Reply, *, ply: int, player: int, messages: list[dict[str, str]]) -> Exchange:
    """A question and the reply to it, not yet judged."""
    said = {**vars(reply), "seconds": round(reply.seconds, 3), "votes": list(reply.votes)}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Exchange(ply, player, messages, said.pop("text"), **said, time=now, noughts=noughts.__version__)
