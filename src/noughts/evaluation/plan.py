"""What an evaluation plays, and where it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from noughts.evaluation.tokens import Usage
from noughts.files import make_folder, slug
from noughts.game import Game
from noughts.library import load_game
from noughts.matches.exports import TRANSCRIPT, PlanDiffers
from noughts.matches.openings import needed_plies
from noughts.matches.record import GameRecord
from noughts.matches.runner import Conditions, QuestionHooks, Run, TextOptions, require_able
from noughts.matches.schedule import MOST_GAMES, Match
from noughts.matches.seeds import checked_seed, draw_seed
from noughts.matches.store import Store, open_store, set_aside
from noughts.players.bot import default_limits
from noughts.players.llm.settings import require_concurrency, without_transport
from noughts.printable import one_line
from noughts.rules.spec import shown
from noughts.text.prompts import prompt_kind, prompt_version

MAY_DIFFER = frozenset({"games"})
"""What may change when an evaluation goes on."""


@dataclass(frozen=True)
class Plan:
    """`games` games of `player` against `against`, who take turns in moving first.

    game: itself, or the name of a built-in one. error_allowance, observation, take, list_moves, full_rules: as for
    `TextEnv`.
    seed: gives the same choices to randomised players; None for that of the store, or one that is drawn. opening:
    random moves that begin each pair of games; None for some if the players would else repeat the same games.
    """

    game: Game
    player: str
    against: str = "perfect"
    games: int = 40
    seed: int | None = None
    error_allowance: int = 0
    observation: str = "history"
    take: str = "last"
    opening: int | None = None
    list_moves: bool = True
    full_rules: bool = False
    match: Match = field(init=False, repr=False, compare=False)
    """The games, as a schedule."""

    def __post_init__(self) -> None:
        if isinstance(self.game, str):
            object.__setattr__(self, "game", load_game(self.game))
        if not 1 <= self.games <= MOST_GAMES:
            raise ValueError(
                f"the number of games must be 1 or more, and at most {MOST_GAMES:,}, not {shown(self.games)}"
            )
        self.text_options.environment(self.game)  # refuses what makes no sense
        seed = draw_seed() if self.seed is None else self.seed
        names = (self.player, self.against)
        if self.opening is None:
            object.__setattr__(self, "opening", needed_plies(self.game, names))
        match = Match(self.game, names, self.games, seed=seed, opening=self.opening or 0)
        object.__setattr__(self, "match", match)

    @property
    def text_options(self) -> TextOptions:
        return TextOptions(
            self.error_allowance,
            self.observation,
            self.take,
            list_moves=self.list_moves,
            full_rules=self.full_rules,
        )

    @property
    def prompt(self) -> str | None:
        """The versions of the prompts that models are shown; None if no model plays."""
        if not any(name.startswith("llm:") for name in (self.player, self.against)):
            return None
        if self.observation == "kaggle":
            return prompt_version("kaggle")
        return prompt_version(prompt_kind(self.game.rules, full=self.full_rules), "system")

    @property
    def name(self) -> str:
        """The evaluated player, as the records call it."""
        return self.match.player_names[0]

    def seat(self, record: GameRecord) -> int:
        """Where the evaluated player sat in a game."""
        return record.seat_of(self.name)

    def title(self) -> str:
        """Who plays whom, without the options after their names."""
        return f"{self.player.partition('?')[0]} against {self.against.partition('?')[0]}"

    def slug(self) -> str:
        """A name for the folder of this evaluation."""
        players = without_transport(self.player), without_transport(self.against)
        text = f"{self.game.name}-{players[0]}-against-{players[1]}".lower()
        return slug(text)

    def facts(self) -> dict[str, Any]:
        """What the games depend on, for the file that keeps them: of a game that is not built in, the rules too."""
        return {
            "rules": None,
            **self.game.to_data(),
            "player": without_transport(self.player),
            "against": without_transport(self.against),
            "games": self.games,
            "seed": self.match.seed,
            "error_allowance": self.error_allowance,
            "observation": self.observation,
            "take": self.take,
            **({"openings": self.opening} if self.opening else {}),
            **({} if self.list_moves else {"list_moves": False}),
            **({"prompt": self.prompt} if self.prompt else {}),
        }

    def conditions(self) -> Conditions:
        """Everybody has the time that is the custom of the game; models have their own."""
        limits = default_limits(self.game)
        contestants = dict(enumerate(self.match.contestants))
        return Conditions(self.game, contestants, limits, self.game.rules.move_seconds, text=self.text_options)


@dataclass(frozen=True)
class PastPlan:
    """What the file of a run says of its plan: players are names, and nothing is made of them."""

    game: Game
    player: str
    against: str
    games: int
    seed: int
    error_allowance: int = 0
    opening: int | None = None
    prompt: str | None = None

    def seat(self, record: GameRecord) -> int:
        """Where the evaluated player sat in a game: they take turns."""
        return record.number % 2

    def title(self) -> str:
        """Who plays whom, without the options after their names."""
        return f"{self.player.partition('?')[0]} against {self.against.partition('?')[0]}"


class EvaluationRun:
    """A plan being played into its store. most_tokens: of all models in the whole run; when they are used, the games
    that are left stay unfinished. usage: what was asked so far.
    """

    def __init__(self, plan: Plan, store: Store, most_tokens: int | None = None) -> None:
        self.plan: Plan = plan if plan.seed is not None else replace(plan, seed=store.plan["seed"])  # type: ignore[arg-type]
        self.store = store
        self.usage: Usage = Usage(most_tokens)
        for number, noted in store.exchanges().items():
            for exchange in noted:
                self.usage.add(number, exchange)
        self._run = Run(self.plan.match, store, self.plan.conditions())

    @property
    def unanswered(self) -> int:
        """Games left unfinished because a server gave no reply, for the reason in `trouble`."""
        return self._run.unanswered

    @property
    def trouble(self) -> str:
        return self._run.trouble

    def play(self, concurrency: int = 4) -> Iterator[GameRecord]:
        """Play what is missing, so many games with models at once; each game as it ends."""
        require_playable(self.plan, concurrency)
        yield from self._run.play(threads=concurrency, hooks=QuestionHooks(self.usage.check, self.usage.add))

    def finished(self) -> list[GameRecord]:
        """The finished games of the plan, in order."""
        return self.plan.match.counted(self.store)


def require_playable(plan: Plan, concurrency: int) -> None:
    """ValueError if a plan cannot be played, before anything is."""
    require_concurrency(concurrency)
    require_able(plan.conditions())


def open_run(folder: Path, plan: Plan, *, fresh: bool = False) -> Store:
    """Returns the store of this plan's run in `folder`, made if need be; ValueError if it is of another plan.

    fresh: an evaluation that is there is set aside under another name, not deleted.
    """
    path = folder / TRANSCRIPT
    if fresh:
        set_aside(folder)
    make_folder(folder)
    try:
        store = open_store(path, plan.facts(), may_differ=MAY_DIFFER | ({"seed"} if plan.seed is None else set()))
    except PlanDiffers as error:
        raise ValueError(
            f"{folder} holds an evaluation with {one_line(error.name)} {shown(error.kept)}, not {shown(error.wanted)}; "
            "name another folder with --out, or set that one aside with --fresh"
        ) from None
    try:
        checked_seed(store.plan.get("seed"))  # type: ignore[arg-type]
    except ValueError as error:
        store.close()
        raise ValueError(f"{path} has no seed that can be used: {error}; name another folder with --out") from None
    return store
