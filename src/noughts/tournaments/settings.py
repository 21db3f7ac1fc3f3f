"""The settings of a tournament: its format and its limits."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from noughts.bots.gate import ADMIT, PASSING, Gate, SubmissionRules
from noughts.database import VALUE
from noughts.game import Game
from noughts.matches.store_file import StoreError
from noughts.printable import listed
from noughts.rules.spec import short_repr
from noughts.sandbox import MEMORY, BotLimits
from noughts.tournaments._formats import Course, Draws, Format, Gauntlet, League
from noughts.tournaments._ladder import Ladder
from noughts.tournaments._swiss import Swiss
from noughts.tournaments._until_sure import UntilSure
from noughts.untrusted import parse_json

FORMATS: Mapping[str, type[Format]] = {
    "league": League,
    "course": Course,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "ladder": Ladder,
}
MAY_CHANGE = frozenset({"rounds", "admit", "sure", "places", "budget"})
"""Settings that may change during a tournament. Leagues and gauntlets can only get more rounds."""

STORAGE = 16 << 20
"""Bytes of all versions of a team on a ladder: about a thousand versions of 16 KB."""
MOST_ROUNDS, MOST_GAMES = 100_000, 1_000_000
"""Maximum games of a tournament, whose results are held in memory."""


@dataclass(frozen=True)
class Settings:
    """The settings of a tournament.

    rounds: None for the format's default. seconds, memory, strict: see `BotLimits` and `noughts match`; so is
    load_seconds, None for the usual limit, which is shorter on a ladder.
    admit: bots that fail at the gate are excluded ("passing"), only if they fail in a game ("playing"), or play and
    forfeit ("all"). name_rule: required names of files and classes; '' for no rule. sure: after the format is done,
    play on until the first `places` places have this certainty, with at most `budget` games. rehearsal: real seconds
    for a move of a bot that uses all its time, since clocks run fast; None for a real tournament.

    For a ladder: uploads: maximum versions of a team per hour. storage: maximum bytes of all versions of a team.
    url: the address that students open, or ''. deadline: end of uploads (UTC, as written by `timestamp`), '' for
    none. friendlies: maximum matches that a team may request per day. faults: consecutive faults after which a
    version is suspended. pseudonyms: whether teams see each other under other names.
    """

    format: str = "league"
    rounds: int | None = None
    group_pools: int = 10
    group_top: int = 3
    semi_pools: int = 3
    semi_top: int = 3
    seconds: float = 10.0
    load_seconds: float | None = None
    memory: int = MEMORY
    strict: bool = False
    admit: str = PASSING
    name_rule: str = ""
    sure: float | None = None
    places: int = 3
    budget: int = 1000
    rehearsal: float | None = None
    uploads: int = 12
    storage: int = STORAGE
    url: str = ""
    deadline: str = ""
    friendlies: int = 10
    faults: int = 5
    pseudonyms: bool = False

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ValueError(f"there is no format {self.format!r}; choose from {', '.join(FORMATS)}")
        if self.load_seconds is None:
            object.__setattr__(self, "load_seconds", self.kind.load_seconds)
        if self.admit not in ADMIT:
            raise ValueError(f"--admit must be {listed(ADMIT)}, not {self.admit!r}")
        if self.rounds is not None and self.rounds > MOST_ROUNDS:
            raise ValueError(f"a tournament can have at most {MOST_ROUNDS:,} rounds, not {short_repr(self.rounds)}")
        if self.budget > MOST_GAMES:
            raise ValueError(f"the budget must be at most {MOST_GAMES:,} games, not {short_repr(self.budget)}")
        if self.rehearsal is not None and not 0 < self.rehearsal < self.seconds:
            allowed = f"above 0 and below the {self.seconds:g} s per move"
            raise ValueError(f"--rehearsal must be {allowed}, in seconds, not {self.rehearsal:g}")
        if self.deadline:
            datetime.fromisoformat(self.deadline)
        self.make_formats(["a", "b", "c"], {"c"}, seed=0)  # refuses numbers that the formats cannot use

    @property
    def kind(self) -> type[Format]:
        return FORMATS[self.format]

    def require_playable(self, teams: int, staff: int) -> None:
        """Raises ValueError if this many contestants would play more games than a tournament can have."""
        names = [str(number) for number in range(teams + staff)]
        try:
            games = self.make_formats(names, set(names[teams:]), seed=0)[0].games
        except ValueError:
            return  # nothing to play yet
        if games > MOST_GAMES:
            raise ValueError(
                f"that would be {games:,} games, and a tournament can have at most {MOST_GAMES:,}; use fewer rounds "
                "or fewer contestants"
            )

    @property
    def limits(self) -> BotLimits:
        return BotLimits(self.seconds, self.load_seconds or self.kind.load_seconds, self.memory)

    def gate(self, game: Game, rules: SubmissionRules | None = None, *, unsafe: bool = False) -> Gate:
        """Returns the gate of a tournament with these settings. rules: for files."""
        return Gate(game, self.limits, self.strict, unsafe, rules, self.speed, self.admit)

    @property
    def of_gate(self) -> dict[str, Any]:
        """Returns the settings that the gate depends on. A final takes them from its ladder, and a student's check from
        the ladder's server."""
        names = ("seconds", "memory", "strict", "name_rule", "admit")
        return {name: getattr(self, name) for name in names} | {"load_seconds": self.limits.load_seconds}

    @property
    def speed(self) -> float:
        """Returns the factor by which the bots' clocks run fast."""
        return 1.0 if self.rehearsal is None else self.seconds / self.rehearsal

    @property
    def notice(self) -> str:
        """Returns the notice shown with everything from a rehearsal; '' for a real tournament."""
        if self.rehearsal is None:
            return ""
        return (
            f"REHEARSAL: the bots' clocks ran {self.speed:.3g} times as fast as in the tournament. Results are not "
            "final, and marks do not count."
        )

    def make_formats(
        self, names: Sequence[str], staff: Collection[str], *, seed: int, kept_draws: Draws | None = None
    ) -> list[Format]:
        """Returns the format for these contestants, then the one that goes on until the places are sure, if wanted.

        staff: those of the names that are staff players.
        """
        options = {**vars(self), "seed": seed, "kept_draws": kept_draws}
        teams, others = ([name for name in names if (name in staff) is side] for side in (False, True))
        following = [] if self.sure is None else [UntilSure.of(names, (), **options)]
        return [self.kind.of(teams, others, **options), *following]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Returns the settings from a file. Raises StoreError if they are damaged."""
        try:
            values = parse_json(text, VALUE)
            return cls(
                **{
                    each.name: _checked_value(values[each.name], each.default)
                    for each in fields(cls)
                    if each.name in values
                }
            )
        except (TypeError, ValueError, OverflowError) as error:
            raise StoreError(
                f"the settings of this tournament are damaged ({error}); use another copy of the file"
            ) from None


def _checked_value(value: Any, default: object) -> Any:
    numbers = (int, float)
    if default is None and (value is None or type(value) in numbers):
        return value
    if type(value) is type(default) or (isinstance(default, float) and type(value) in numbers):
        return value
    raise TypeError(f"{value!r} has the wrong type")
