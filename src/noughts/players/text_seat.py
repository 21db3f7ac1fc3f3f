"""Asks a player that reads text for a move: the prompt, the reply, feedback on an invalid reply, and another try.

Matches, `LlmPlayer.choose` and suites all ask through `TextSeat`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import noughts
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.llm.reply import Reply
from noughts.players.protocol import Answer, BasePlayer, TextPlayer
from noughts.printable import one_line
from noughts.sandbox import faults
from noughts.sandbox.faults import BotFault, Fault
from noughts.text.env import Info, TextEnv

CUT_OFF = "length"
"""Servers' reason for the end of a reply that reached the limit of tokens."""


@dataclass(frozen=True)
class Exchange:
    """One question to a player that reads text, and the reply.

    ply: number of moves before the question. messages: as sent. reply: the text; separate reasoning from the server is
    in `reasoning`. failure: "time" if no reply came. valid: whether the reply was a legal move, which is then the move
    at `ply`; reason: why not (see `text.REASONS`), or "time". time: when the reply came, in UTC. model: the server's
    name for it. max_tokens: the limit that was sent. votes: all replies, if several were requested for a majority.
    noughts: the version that asked.
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

    env: its options set what the player sees, and how many invalid replies are allowed. move_seconds: for each reply,
    None for the player's own limit. recall: given (player, observation), returns the reply of an earlier attempt at
    this game, or None. note: called with each exchange as soon as there is a reply. sample: distinguishes repeated
    questions for models that take a seed.
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
        """Returns the move in a game played since `prepare`. Each reply has its own time limit, not a clock."""
        for action in state.history()[len(self._env.moves) :]:
            self._env.play(action)
        return self.ask_for_move()

    def ask_for_move(self, clock: Clock | None = None) -> Answer:
        """Asks until a reply is a legal move. Raises BotFault if none comes in time, or too many are invalid.

        clock: for all replies together, instead of the time for each.
        """
        seconds = 0.0
        while True:
            exchange, info = self.ask_once(self._seconds if clock is None else clock.remaining())
            seconds += exchange.seconds
            if exchange.failure:
                raise BotFault(Fault(faults.TIME, "out of time: no reply within the time limit"))
            if info["action"] is not None:  # a valid reply without an action is the first half of a move
                return Answer(info["action"], seconds)
            if not info["again"]:
                raise BotFault(
                    Fault(faults.INVALID, one_line(f"invalid reply ({exchange.reason}): {info['message']}", 1000))
                )

    def ask_once(self, seconds: float | None = None) -> tuple[Exchange, Info]:
        """Asks once. Returns the exchange and the result of the reply; no question is asked twice in one game."""
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
        """Returns the action that a reply names, for players that take a majority vote."""
        return None if reply.failure or reply.finish == CUT_OFF else self._env.read(reply.text)


def _exchange_of(reply: Reply, *, ply: int, player: int, messages: list[dict[str, str]]) -> Exchange:
    """Returns a question and its reply, before the reply is checked."""
    facts = {**vars(reply), "seconds": round(reply.seconds, 3), "votes": list(reply.votes)}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Exchange(ply, player, messages, facts.pop("text"), **facts, time=now, noughts=noughts.__version__)
