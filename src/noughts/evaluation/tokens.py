"""Estimates the tokens of the models in an evaluation before it starts; `Usage` counts while it runs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noughts.matches.usage import CHARACTERS
from noughts.players import TextPlayer, make_player
from noughts.players.llm import LlmPlayer

if TYPE_CHECKING:
    from noughts.evaluation.plan import Plan

SAMPLE = 4
"""Number of random games that an estimate is based on."""


@dataclass(frozen=True)
class TokenEstimate:
    """An estimate of tokens. replies: of models, in games as long as random ones. read: tokens of the questions. write:
    of the replies, at most."""

    replies: int
    read: int
    write: int


def estimate(plan: Plan, games: int) -> TokenEstimate | None:
    """Returns the estimate for `games` games of a plan; None if no model plays. Long games and invalid replies can cost
    more."""
    models = [model for name in (plan.player, plan.against) if (model := _model(name)) is not None]
    if not models:
        return None
    env, rng = plan.text.environment(plan.game), random.Random(0)
    questions = characters = 0
    for _ in range(SAMPLE):
        env.reset()
        over = False
        while not over:
            characters += sum(len(message["content"]) for message in env.messages())
            questions += 1
            over, _ = env.play(rng.choice(env.state.legal_actions()))
    # One model makes every other move, two models make all moves.
    share = games * len(models) / 2 / SAMPLE
    settings = [model.settings for model in models if isinstance(model, LlmPlayer)]
    votes = sum(each.votes for each in settings) / len(models)
    longest = sum(each.tokens * each.votes for each in settings) / len(models)
    return TokenEstimate(
        round(questions * share), round(characters / CHARACTERS * share * votes), round(questions * share * longest)
    )


def _model(name: str) -> TextPlayer | None:
    """Returns a text player; None if the name is of another kind."""
    if not name.startswith("llm:"):
        return None
    player = make_player(name, seed=0)
    player.close()
    return player if isinstance(player, TextPlayer) else None
