"""What an evaluation plays."""

from __future__ import annotations

import json
import random
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from noughts.files import write_whole
from noughts.game import Game
from noughts.text.env import TextEnv

PLAN_FILE = "plan.json"
TRANSPORT = {"base_url", "key_env", "retries", "timeout"}
"""Options of a model that may change while an evaluation is interrupted."""


@dataclass(frozen=True)
class Plan:
    """`games` games of `player` against `against`, the player moving first in every other one.

    error_allowance, observation, take: as for `TextEnv`. The same seed gives the same choices to players who draw lots.
    """

    game: str
    player: str
    against: str = "perfect"
    games: int = 40
    seed: int = 0
    error_allowance: int = 0
    observation: str = "history"
    take: str = "first"

    def __post_init__(self) -> None:
        if self.games < 1:
            raise ValueError(f"the number of games must be 1 or more, not {self.games}")

    def seat(self, number: int) -> int:
        """Where the evaluated player sits in a game: first in games 0, 2, 4, ..."""
        return number % 2

    def names(self, number: int) -> tuple[str, str]:
        """The players of a game in the order of their seats."""
        return (self.player, self.against) if self.seat(number) == 0 else (self.against, self.player)

    def player_seed(self, number: int, seat: int) -> int:
        """A seed for the player of one seat in one game, whatever the order in which games are played."""
        return random.Random(f"{self.seed}/{number}/{seat}").getrandbits(31)

    def environment(self, game: Game) -> TextEnv:
        return TextEnv(game, error_allowance=self.error_allowance, observation=self.observation, take=self.take)

    def title(self) -> str:
        """Who plays whom, without the options after their names."""
        return f"{self.player.partition('?')[0]} against {self.against.partition('?')[0]}"

    def slug(self) -> str:
        """A name for the folder of this evaluation."""
        text = f"{self.game}-{_essence(self.player)}-against-{_essence(self.against)}".lower()
        return re.sub(r"[^a-z0-9.]+", "-", text).strip("-.")[:80]


def claim_folder(folder: Path, plan: Plan, *, fresh: bool = False) -> None:
    """Make `folder` hold this plan, or check that it already does; only the number of games may differ, and the server.

    fresh: an evaluation that is there is set aside under another name, not deleted.
    """
    path = folder / PLAN_FILE
    if fresh and path.exists():
        number = 1
        while (aside := folder.with_name(f"{folder.name}.old{number}")).exists():
            number += 1
        folder.rename(aside)
    folder.mkdir(parents=True, exist_ok=True)
    if path.exists():
        kept = _read(path)
        for name, value in asdict(plan).items():
            if name != "games" and _essence(kept.get(name)) != _essence(value):
                raise ValueError(
                    f"{folder} holds an evaluation with {name} {kept.get(name)!r}, not {value!r}; "
                    "name another folder with --out, or set that one aside with --fresh"
                )
    write_whole(path, (json.dumps(asdict(plan), indent=2) + "\n").encode())


def _essence(value: object) -> object:
    """A setting without what does not change the games: where a model is served, and how long it is waited for."""
    if not isinstance(value, str) or not value.startswith("llm:"):
        return value
    name, _, rest = value.partition("?")
    kept = [option for option in rest.split("&") if option and option.partition("=")[0] not in TRANSPORT]
    return "?".join(filter(None, [name, "&".join(sorted(kept))]))


def _read(path: Path) -> dict[str, Any]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        kept = None
    if not isinstance(kept, dict):
        raise ValueError(f"{path} is not the plan of an evaluation; name another folder with --out")
    return kept
