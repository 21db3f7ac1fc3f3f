"""What belongs to one game beside its rules, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from noughts.rules.spec import Rules

NUMBERED_LEVELS = 9
"""Levels of the player alphabeta that are weaker than the search itself."""


@dataclass(frozen=True)
class EvalWeights:
    """Weights of the handmade evaluation.

    missing: worth of a line by its number of missing cells, from 1. draw: tendency of a block to stay without an owner.
    line: worth of a certain line of blocks. points: worth of all blocks, divided by their points (or evenly). tempo:
    worth of the move. free: worth of a free choice of blocks. sent: weight of the line sums of the destined blocks, per
    256.
    """

    missing: tuple[int, ...]
    draw: int
    line: int
    points: int
    tempo: int
    free: int
    sent: int


@dataclass(frozen=True)
class GameData:
    """What belongs to one game beside its rules. All of it is optional, and a game without any has usual values.

    A game with the same rules under another name shares what depends on the rules. Only a listed record has a name in
    other libraries and a place on the page.
    """

    rules: Rules
    folder: Path | None = None
    """A folder with files of this game: `network.net`, `openings.txt` and `puzzles.json`; each may be missing."""

    levels: tuple[tuple[int, float], ...] = ()
    """For levels 1 to 9 of the player alphabeta: depth of the search, and standard deviation of the error that is added
    to scores."""
    weights: EvalWeights | None = None
    """Weights of the handmade evaluation. None: those of the most similar game."""
    search_parameters: Mapping[str, int] = field(default_factory=dict)
    """Tunable parameters of the search by name, where they differ from `search.weights.TUNED`."""
    curve: tuple[float, float] | None = None
    """Shift and scale of the curve from the engine's score to an expected result, see `analysis.curve`."""
    published_pairs: tuple[str, ...] = ()
    """Positions and moves whose values in Q-learning were published. Training has the published rewards by default,
    and follows these pairs."""
    block_and_cell: bool = False
    """Whether a reply may name a block and its cell by two numbers, as in TextArena."""

    environment: str = ""
    """Name of a listed game's text environment, without its version (default: WildMisereTicTacToe for wild-misere)."""
    openspiel: str = ""
    """A listed game's name in OpenSpiel, under which Kaggle's replays have it."""
    page_order: int = 1000
    """A listed game's place on the page; small numbers come first."""
    sample: str = ""
    """A position for the game's card on the page; empty: a few random moves."""

    def __post_init__(self) -> None:
        if len(self.levels) not in (0, NUMBERED_LEVELS):
            raise ValueError(
                f"{self.rules.name} has {len(self.levels)} levels; it must have {NUMBERED_LEVELS}, or none"
            )

    @property
    def environment_id(self) -> str:
        """The id of a listed game's text environment."""
        words = self.rules.name.split("-")
        return f"{self.environment or ''.join(map(str.capitalize, words)) + 'TicTacToe'}-v0"

    @cached_property
    def network(self) -> Path | None:
        """The file of the network."""
        return self._file("network.net")

    @cached_property
    def openings(self) -> Path | None:
        """The file of balanced openings."""
        return self._file("openings.txt")

    @cached_property
    def puzzles(self) -> Path | None:
        """The file of puzzles."""
        return self._file("puzzles.json")

    def _file(self, name: str) -> Path | None:
        path = None if self.folder is None else self.folder / name
        return path if path is not None and path.is_file() else None
