"""The plan of an evaluation, and its store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from noughts.files import slug
from noughts.game import Game
from noughts.library import load_game
from noughts.matches.openings import needed_plies
from noughts.matches.record import GameRecord
from noughts.matches.runner import Conditions, Run, TextOptions, require_able
from noughts.matches.schedule import MOST_GAMES, Match
from noughts.matches.seeds import checked_seed, draw_seed
from noughts.matches.store import Store, open_folder
from noughts.matches.usage import Usage
from noughts.players.bot import default_limits
from noughts.players.llm.settings import require_concurrency, without_transport
from noughts.rules.spec import short_repr
from noughts.text.prompts import prompt_kind, prompt_version

GAMES = 40
"""Default number of games."""
PERFECT, STRONG = "perfect", "alphabeta:level=4"
"""Default opponents: the second is for games too large to solve."""
MAY_DIFFER = frozenset({"games"})
"""Facts that may change when an evaluation continues."""


@dataclass(frozen=True)
class PastPlan:
    """The plan in the file of a run: `games` games of `player` against `against`, names that create no players.

    opening: random moves at the start of each pair of games. text: what models see, and how their replies count.
    prompt: the versions of the prompts that models read; None if no model plays.
    """

    game: Game
    player: str
    against: str = PERFECT
    games: int = GAMES
    seed: int | None = None
    opening: int | None = None
    text: TextOptions = field(default_factory=TextOptions)
    prompt: str | None = None

    def seat(self, record: GameRecord) -> int:
        """Returns the seat of the evaluated player in a game: seats alternate."""
        return record.number % 2

    def title(self) -> str:
        """Returns the names of both players, without their options."""
        return f"{self.player.partition('?')[0]} against {self.against.partition('?')[0]}"


@dataclass(frozen=True)
class Plan(PastPlan):
    """A plan that can be played.

    game: an object, or the name of a built-in one. seed: for randomised players; None for the store's seed, or a random
    one. opening: None for some moves if the players would otherwise repeat games.
    """

    prompt: str | None = field(init=False)
    match: Match = field(init=False, repr=False, compare=False)
    """The games, as a schedule."""

    def __post_init__(self) -> None:
        if isinstance(self.game, str):
            object.__setattr__(self, "game", load_game(self.game))
        if not 1 <= self.games <= MOST_GAMES:
            raise ValueError(
                f"the number of games must be 1 or more, and at most {MOST_GAMES:,}, not {short_repr(self.games)}"
            )
        self.text.environment(self.game)  # raises if an option is invalid
        seed = draw_seed() if self.seed is None else self.seed
        names = (self.player, self.against)
        if self.opening is None:
            object.__setattr__(self, "opening", needed_plies(self.game, names))
        match = Match(self.game, names, self.games, seed=seed, opening=self.opening or 0)
        object.__setattr__(self, "match", match)
        object.__setattr__(self, "prompt", self._prompt_version())

    def _prompt_version(self) -> str | None:
        if not any(name.startswith("llm:") for name in (self.player, self.against)):
            return None
        if self.text.observation == "kaggle":
            return prompt_version("kaggle")
        return prompt_version(prompt_kind(self.game.rules, full=self.text.full_rules), "system")

    def slug(self) -> str:
        """Returns a name for the folder of this evaluation."""
        players = without_transport(self.player), without_transport(self.against)
        text = f"{self.game.name}-{players[0]}-against-{players[1]}".lower()
        return slug(text)

    def facts(self) -> dict[str, Any]:
        """Returns everything that the games depend on, for their file; for games that are not built in, including the
        rules.
        """
        return {
            "rules": None,
            **self.game.to_data(),
            "player": without_transport(self.player),
            "against": without_transport(self.against),
            "games": self.games,
            "seed": self.match.seed,
            "error_allowance": self.text.error_allowance,
            "observation": self.text.observation,
            "take": self.text.take,
            **({"openings": self.opening} if self.opening else {}),
            **({} if self.text.list_moves else {"list_moves": False}),
            **({"prompt": self.prompt} if self.prompt else {}),
        }

    def conditions(self) -> Conditions:
        """Returns the conditions of play: players have the game's usual time; models have their own limit."""
        limits = default_limits(self.game)
        contestants = dict(enumerate(self.match.contestants))
        return Conditions(self.game, contestants, limits, self.game.rules.move_seconds, text=self.text)


class EvaluationRun:
    """A run of a plan into its store. most_tokens: of all models in the whole run; when they are used up, the remaining
    games stay unfinished. usage: tokens so far. run: the run of its games, which knows why some stay unfinished.
    """

    def __init__(self, plan: Plan, store: Store, most_tokens: int | None = None) -> None:
        self.plan: Plan = plan if plan.seed is not None else replace(plan, seed=store.plan["seed"])  # type: ignore[arg-type]
        self.store = store
        self.usage: Usage = Usage.from_exchanges(store.exchanges(), most_tokens)
        self.run: Run = Run(self.plan.match, store, self.plan.conditions())

    def play(self, concurrency: int = 4) -> Iterator[GameRecord]:
        """Plays the missing games, up to `concurrency` games with models at once; yields each game as it ends."""
        require_playable(self.plan, concurrency)
        yield from self.run.play(threads=concurrency, usage=self.usage)

    def finished(self) -> list[GameRecord]:
        """Returns the finished games of the plan, in order."""
        return self.plan.match.games_that_count(self.store)


def require_playable(plan: Plan, concurrency: int) -> None:
    """Raises ValueError if a plan cannot be played, before any game starts."""
    require_concurrency(concurrency)
    require_able(plan.conditions())


def open_run(folder: Path, plan: Plan, *, fresh: bool = False) -> Store:
    """Returns the store of this plan's run in `folder`, creating it if needed. Raises ValueError if it belongs to
    another plan.

    fresh: renames an existing evaluation instead of continuing it.
    """
    may_differ = MAY_DIFFER | ({"seed"} if plan.seed is None else set())
    store = open_folder(folder, plan.facts(), "an evaluation", fresh=fresh, may_differ=may_differ)
    try:
        checked_seed(store.plan.get("seed"))  # type: ignore[arg-type]
    except ValueError as error:
        store.close()
        raise ValueError(f"{store.path} has no valid seed: {error}; name another folder with --out") from None
    return store
