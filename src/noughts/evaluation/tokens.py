"""Estimates the tokens of the models in an evaluation before it starts; `Usage` counts while it runs."""

from __future__ import annotations

import random
from dataclasses import dataclass

from noughts.evaluation.plan import Plan
from noughts.matches.usage import CHARACTERS
from noughts.players import make_player
from noughts.players.llm import LlmPlayer

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
    names = [name for name in (plan.player, plan.against) if name.startswith("llm:")]
    settings = [player.settings for player in map(make_player, names) if isinstance(player, LlmPlayer)]
    if not settings:
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
    share = games * len(settings) / 2 / SAMPLE
    votes = sum(each.votes for each in settings) / len(settings)
    longest = sum(each.tokens * each.votes for each in settings) / len(settings)
    return TokenEstimate(
        round(questions * share), round(characters / CHARACTERS * share * votes), round(questions * share * longest)
    )
