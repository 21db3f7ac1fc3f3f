"""Settings of a training run: every number that determines its result, with the published values as defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from math import exp, isfinite
from typing import Any

from noughts.game import Game
from noughts.notation import MAX_TEXT
from noughts.rules.spec import Rules, rules_from, short_repr
from noughts.solving import SCHEMES, rewards_of

OPPONENTS = ("random", "self")

MOST_EPISODES = 1 << 53
"""Maximum number of episodes: every number type here is exact up to it."""
LARGEST_NUMBER = 1 << 64
MOST_TRACKED = 1_000
LEAST_EVERY = 100
CHECKPOINTS = 100
"""Default number of checkpoints of a run."""


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of a run. The update is Q += rate * (reward + gamma * max Q' - Q).

    The rate is alpha, or with an alpha_power p (number of updates of this value) ** -p. A choice is random with the
    chance epsilon_min + (epsilon - epsilon_min) * exp(-epsilon_decay * episode). rewards: a name of
    `noughts.solving.SCHEMES`. opponent: "random", or "self" for self-play, which learns both seats. symmetry: whether
    symmetric positions share a value. every: episodes between checkpoints. track: pairs to follow, each a position and
    a move as text.
    """

    rules: Rules
    episodes: int = 5_000_000
    alpha: float = 0.2
    alpha_power: float = 0.0
    gamma: float = 0.8
    epsilon: float = 1.0
    epsilon_min: float = 0.001
    epsilon_decay: float = 1e-6
    rewards: str = "published"
    opponent: str = "random"
    seat: int = 0
    symmetry: bool = False
    seed: int = 0
    every: int = 0
    track: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for refusal in _refusals(self):
            raise ValueError(refusal)
        if not self.every:
            object.__setattr__(self, "every", max(LEAST_EVERY, self.episodes // CHECKPOINTS))

    @cached_property
    def game(self) -> Game:
        return Game(self.rules)

    @property
    def seats(self) -> tuple[int, ...]:
        """The learned seats."""
        return (0, 1) if self.opponent == "self" else (self.seat,)

    def epsilon_at(self, episode: int) -> float:
        """Returns the chance of a random choice in an episode, counted from 0."""
        return self.epsilon_min + (self.epsilon - self.epsilon_min) * exp(-self.epsilon_decay * episode)

    def record(self) -> dict[str, Any]:
        """Returns the settings as plain data, including the rules of the game."""
        return asdict(self)


PRESETS: dict[str, dict[str, Any]] = {
    "published": {},
    "fast": {"episodes": 4_000_000, "alpha_power": 0.8, "gamma": 1.0, "epsilon_min": 0.1, "symmetry": True},
    "self": {
        "episodes": 25_000,
        "alpha": 1.0,
        "gamma": 1.0,
        "epsilon_min": 0.5,
        "rewards": "outcome",
        "opponent": "self",
        "symmetry": True,
        "every": 50,
    },
}
"""TrainingSettings by name.

fast: symmetric positions share a value, which is nearly the average of its samples; reaches the exact optimum. self:
both seats by self-play; only exploration is random there, so the rate is 1. Games of two marks were unbeatable after
1,000 to 8,500 episodes with every seed tried, numerical after a million; most is learned in the first thousand, so its
checkpoints are close together.
"""

SELF_PLAY_WITH_NUMBERS = 2_000_000
"""Episodes of self-play in games with more than two marks."""


def preset(name: str, rules: Rules, chosen: Mapping[str, Any]) -> TrainingSettings:
    """Returns a preset with the user's choices applied."""
    if name not in PRESETS:
        raise ValueError(f"there is no preset {name!r}; presets are {', '.join(PRESETS)}")
    values = dict(PRESETS[name])
    if name == "self" and len(rules.marks) > 2:
        values |= {"episodes": SELF_PLAY_WITH_NUMBERS, "every": 0}
    if "episodes" in chosen:
        values["every"] = 0  # the preset's value fits only the preset's number of episodes
    return TrainingSettings(rules, **{**values, **chosen})


def from_record(record: Mapping[str, Any]) -> TrainingSettings:
    """Returns the settings that `TrainingSettings.record` gave, also after a round trip through JSON. Raises ValueError
    if it is invalid."""
    known = {field.name for field in fields(TrainingSettings)}
    if not isinstance(record, Mapping) or set(record) != known:
        raise ValueError(f"settings must have {', '.join(sorted(known))}, not {short_repr(record)}")
    if not isinstance(record["rules"], Mapping) or not isinstance(record["track"], list | tuple):
        raise ValueError("the rules of settings must be facts by name, and track a list")
    try:
        rules = rules_from(dict(record["rules"]))
    except TypeError as error:
        raise ValueError(f"its rules are invalid: {error}") from None
    return TrainingSettings(**{**record, "rules": rules, "track": tuple(record["track"])})


def _refusals(settings: TrainingSettings) -> list[str]:
    refused = _refused_kinds(settings)
    if refused:
        return refused
    for name in ("alpha", "epsilon", "epsilon_min"):
        value = getattr(settings, name)
        if not 0 <= value <= 1:
            refused.append(f"{name} must be from 0 to 1, not {value}")
    if not 0 < settings.gamma <= 1:
        refused.append(f"gamma must be above 0 and at most 1, not {settings.gamma}")
    if settings.epsilon_min > settings.epsilon:
        refused.append(f"epsilon_min ({settings.epsilon_min}) cannot be above epsilon ({settings.epsilon})")
    if not 0 <= settings.alpha_power <= 1:
        refused.append(f"alpha_power must be from 0 (a constant rate) to 1 (the average), not {settings.alpha_power}")
    if not isfinite(settings.epsilon_decay) or settings.epsilon_decay < 0:
        refused.append(f"epsilon_decay must be 0 or more, not {settings.epsilon_decay}")
    if settings.episodes < 1 or settings.every < 0:
        refused.append("the numbers of episodes, in all and between checkpoints, must be 1 or more")
    if max(settings.episodes, settings.every) > MOST_EPISODES:
        refused.append(f"the maximum is {MOST_EPISODES:,} episodes, not {max(settings.episodes, settings.every):,}")
    if not 0 <= settings.seed < 1 << 64:
        refused.append(f"the seed must be a whole number from 0 to 2**64 - 1, not {settings.seed}")
    return refused + _refused_names(settings)


def _refused_kinds(settings: TrainingSettings) -> list[str]:
    """Returns settings of the wrong type, which may come from a file and cannot be compared."""
    refused = []
    for names, kinds, what in (
        (("episodes", "seat", "seed", "every"), (int,), "a whole number"),
        (("alpha", "alpha_power", "gamma", "epsilon", "epsilon_min", "epsilon_decay"), (int, float), "a number"),
        (("rewards", "opponent"), (str,), "text"),
        (("symmetry",), (bool,), "true or false"),
    ):
        for name in names:
            value = getattr(settings, name)
            number = type(value) in (int, float)
            if type(value) not in kinds or (number and not abs(value) < LARGEST_NUMBER):
                refused.append(f"{name} must be {what}, not {short_repr(value)}")
    track = settings.track
    if len(track) > MOST_TRACKED or not all(isinstance(text, str) and len(text) <= MAX_TEXT for text in track):
        refused.append(f"track must be up to {MOST_TRACKED} texts, each a position and a move")
    return refused


def _refused_names(settings: TrainingSettings) -> list[str]:
    refused = []
    if settings.seat not in (0, 1):
        refused.append(f"seat must be 0 (moves first) or 1, not {settings.seat!r}")
    if settings.opponent not in OPPONENTS:
        refused.append(f"the opponent must be one of {', '.join(OPPONENTS)}, not {settings.opponent!r}")
    if settings.rewards not in SCHEMES:
        refused.append(f"rewards must be one of {', '.join(SCHEMES)}, not {settings.rewards!r}")
    elif settings.opponent == "self" and rewards_of(settings.rewards).step != 0:
        refused.append("self-play learns a zero-sum game, so its rewards must be 'outcome'")
    if settings.opponent == "self" and not settings.symmetry:
        refused.append("self-play needs symmetry; leave it on")
    return refused
