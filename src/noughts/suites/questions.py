"""A question of a suite, and a suite: positions with what every legal move of them is worth."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from noughts.game import Game, State
from noughts.rules.spec import Rules, rules_from
from noughts.text.env import TextEnv
from noughts.text.prompts import prompt

FORMAT = 1
"""Of the questions; another one makes another suite of every seed."""
PARTS = ("variant", "clash", "classic", "disguised")


@dataclass(frozen=True)
class Question:
    """A position, and what every legal move of it is worth to the player to move.

    part: one of PARTS. group: questions that stand or fall together: those of one game. family: of the game. depth:
    plies of lookahead that are needed (see `Insight.depth_needed`). before: in a clash, the rules that held until now.
    change: in a clash, what was changed.
    """

    part: str
    group: str
    family: str
    rules: Rules
    position: str
    values: dict[int, int]
    depth: int
    before: Rules | None = None
    change: str = ""

    @property
    def best(self) -> int:
        return max(self.values.values())

    @property
    def chance(self) -> float:
        """The share of legal moves that are best: what a random player has right."""
        return sum(value == self.best for value in self.values.values()) / len(self.values)

    @property
    def random_regret(self) -> float:
        """The value that a random move gives away, on average."""
        return sum(self.best - value for value in self.values.values()) / len(self.values)

    @cached_property
    def state(self) -> State:
        return Game(self.rules).from_string(self.position)

    def text(self, *, list_moves: bool = True) -> str:
        """What a player who reads is asked."""
        env = TextEnv(self.state.game, list_moves=list_moves)
        env.reset(start=self.state)
        player, observation = env.get_observation()
        if self.before is None:
            return observation
        old = prompt(self.before, player).rpartition("\n")[0]  # without how to write a move
        return (
            f"The rules of this game have been changed in the middle of it.\n\nThese rules held until now:\n\n{old}\n\n"
            f"From now on, these rules hold instead:\n\n{observation}"
        )

    def as_data(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "values": [[action, value] for action, value in self.values.items()],
        }


def question_from(data: dict[str, Any]) -> Question:
    before = data["before"]
    return Question(
        **{
            **data,
            "rules": rules_from(data["rules"]),
            "before": None if before is None else rules_from(before),
            "values": dict(data["values"]),
        }
    )


@dataclass(frozen=True)
class Suite:
    """name, size, seed: what it was made from. questions: in the order in which they are asked."""

    name: str
    size: str
    seed: int
    questions: tuple[Question, ...]

    @cached_property
    def hash(self) -> str:
        """Of all that is asked, and of the answers."""
        digest = hashlib.sha256(f"{self.name} {FORMAT}".encode())
        for question in self.questions:
            digest.update(json.dumps(question.as_data(), sort_keys=True).encode())
            digest.update(question.text().encode())
        return digest.hexdigest()[:16]
