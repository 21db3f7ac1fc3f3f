"""A question of a suite, and a suite: positions with the value of every legal move."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar

from noughts.game import Game, State
from noughts.rules.spec import Rules, rules_from
from noughts.text.env import TextEnv
from noughts.text.prompts import changed_prompt, prompt, prompt_kind, prompt_version

FORMAT = 2
"""Version of the questions; another version gives another suite for every seed."""
PARTS = ("variant", "unchanged", "clash", "classic", "disguised")
LISTED = ("classic", "disguised")
"""Parts whose lines are listed by their cells, so that only the numbers of the cells differ between them."""


@dataclass(frozen=True)
class Question:
    """A position with the value of every legal move to the player to move.

    part: one of PARTS. group: questions that are not independent: those of one game. family: of the game. depth: plies
    of lookahead needed (see `Insight.depth_needed`). before: in a clash, the rules before the change; the question of
    the part "unchanged" in the same group asks the same position under them. change: in these two parts, what changes.
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
        """The share of legal moves that are best: a random player's accuracy."""
        return sum(value == self.best for value in self.values.values()) / len(self.values)

    @property
    def random_regret(self) -> float:
        """The mean value that a random move gives away."""
        return sum(self.best - value for value in self.values.values()) / len(self.values)

    @cached_property
    def state(self) -> State:
        return Game(self.rules).from_string(self.position)

    @property
    def prompt_kinds(self) -> tuple[str, ...]:
        """The prompts that the question consists of (see `text.prompts.PROMPTS`)."""
        kind = "listed" if self.part in LISTED else prompt_kind(self.rules, full=True)
        return (kind,) if self.before is None else (kind, "changed")

    @property
    def example(self) -> int:
        """The legal move that shows how to write one, chosen by the position: repeating it is as good as chance."""
        digest = hashlib.sha256(f"{self.part} {self.group} {self.position} {self.rules.lines}".encode()).digest()
        legal = sorted(self.values)
        return legal[int.from_bytes(digest[:8], "big") % len(legal)]

    def env(self, *, list_moves: bool = True, take: str = "last") -> TextEnv:
        """Returns an environment that asks a text player the question."""
        env = TextEnv(self.state.game, list_moves=list_moves, take=take)
        player = self.state.current_player()
        text = prompt(self.rules, player, kind=self.prompt_kinds[0], example=self.example)
        if self.before is not None:
            text = changed_prompt(self.before, player, text)
        env.reset(start=self.state, prompts=(text, text))
        return env

    def text(self, *, list_moves: bool = True) -> str:
        """Returns the text of the question."""
        return self.env(list_moves=list_moves).get_observation()[1]

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
    """A suite. size, seed: its origin. questions: in the order of asking."""

    name: ClassVar[str] = "variants"
    size: str
    seed: int
    questions: tuple[Question, ...]

    @property
    def prompt_version(self) -> str:
        """The versions of all prompts of the questions, and of the system prompt."""
        kinds = {kind: None for question in self.questions for kind in question.prompt_kinds}
        return prompt_version(*kinds, "system")

    @cached_property
    def hash(self) -> str:
        """A hash of all questions and answers."""
        digest = hashlib.sha256(f"{self.name} {FORMAT}".encode())
        for question in self.questions:
            digest.update(json.dumps(question.as_data(), sort_keys=True).encode())
            digest.update(question.text().encode())
        return digest.hexdigest()[:16]
