"""What the models of an evaluation cost in tokens: an estimate before it starts, a count while it runs, and a limit."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from noughts.matches.runner import QuestionRefused
from noughts.players import TextPlayer, make_player
from noughts.players.llm import LlmPlayer
from noughts.players.text_seat import Exchange
from noughts.rules.spec import shown

if TYPE_CHECKING:
    from noughts.evaluation.plan import Plan

CHARACTERS = 4
"""Length of a token where no server has counted: a rough figure for English."""
SAMPLE = 4
"""Random games that an estimate is made from."""
MOST_TOKENS = 10**15


@dataclass
class Usage:
    """What models were asked so far in a run and what it cost. most: tokens after which nothing is asked any more.

    read, written: tokens, as the servers count them or by their characters. at: the move at which each game is in
    which a model was asked. Threads may share it.
    """

    most: int | None = None
    replies: int = 0
    invalid: int = 0
    read: int = 0
    written: int = 0
    at: dict[int, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        if self.most is not None and not 1 <= self.most <= MOST_TOKENS:
            raise ValueError(
                f"the tokens in all must be 1 or more, and at most {MOST_TOKENS:,}, not {shown(self.most)}"
            )

    @property
    def tokens(self) -> int:
        return self.read + self.written

    def add(self, number: int, exchange: Exchange) -> None:
        """One more question and its reply, in the game of this number."""
        asked = sum(len(message["content"]) for message in exchange.messages)
        with self._lock:
            self.replies += 1
            self.invalid += not exchange.valid
            asked *= len(exchange.votes) or 1
            self.read += asked // CHARACTERS if exchange.prompt_tokens is None else exchange.prompt_tokens
            if exchange.completion_tokens is None:
                self.written += sum(map(len, exchange.votes or [exchange.reply])) // CHARACTERS
            else:
                self.written += exchange.completion_tokens
            self.at[number] = exchange.ply + 1

    def check(self) -> None:
        """QuestionRefused if the tokens are used."""
        if self.most is not None and self.tokens >= self.most:
            raise QuestionRefused(
                f"the limit of {self.most:,} tokens is reached ({self.tokens:,} were used); raise --max-tokens-total"
            )


@dataclass(frozen=True)
class TokenEstimate:
    """replies: of models, in games as long as random ones. read: tokens of the questions. write: of the replies, at
    most.
    """

    replies: int
    read: int
    write: int


def estimate(plan: Plan, games: int) -> TokenEstimate | None:
    """For so many games of a plan; None if no model plays. The longest games and invalid replies can cost more."""
    models = [model for name in (plan.player, plan.against) if (model := _model(name)) is not None]
    if not models:
        return None
    env, rng = plan.text_options.environment(plan.game), random.Random(0)
    questions = characters = 0
    for _ in range(SAMPLE):
        env.reset()
        over = False
        while not over:
            characters += sum(len(message["content"]) for message in env.messages())
            questions += 1
            over, _ = env.play(rng.choice(env.state.legal_actions()))
    # A model is asked for every other move of a game, and two for all of them.
    share = games * len(models) / 2 / SAMPLE
    settings = [model.settings for model in models if isinstance(model, LlmPlayer)]
    votes = sum(each.votes for each in settings) / len(models)
    longest = sum(each.tokens * each.votes for each in settings) / len(models)
    return TokenEstimate(
        round(questions * share), round(characters / CHARACTERS * share * votes), round(questions * share * longest)
    )


def _model(name: str) -> TextPlayer | None:
    """A player who reads text, if it is one."""
    if not name.startswith("llm:"):
        return None
    player = make_player(name, seed=0)
    player.close()
    return player if isinstance(player, TextPlayer) else None
