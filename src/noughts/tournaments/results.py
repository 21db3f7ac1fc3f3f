"""Fixtures and results: games to play, and games played. Contestants are names."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from noughts.matches.record import score_of


class Fixture(NamedTuple):
    """A game to play, by its unique place in the tournament.

    first, second: names in the order of their seats. pool, round: counted from 1.
    """

    first: str
    second: str
    stage: str = "league"
    pool: int = 1
    round: int = 1

    def returned(self) -> Fixture:
        """Returns the other game of the pair, with seats swapped."""
        return self._replace(first=self.second, second=self.first)


class Result(NamedTuple):
    """A finished game.

    points: of each seat. fault_of: the seat that forfeited (0 or 1), or None.
    """

    fixture: Fixture
    points: tuple[int, int]
    fault_of: int | None = None

    @property
    def first(self) -> str:
        return self.fixture.first

    @property
    def second(self) -> str:
        return self.fixture.second

    @property
    def score(self) -> float:
        """The score of the first seat."""
        return score_of(*self.points)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pauses the garbage collector while many small objects are created: it would take most of the time and find
    nothing.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def random_number(seed: int, *words: object) -> int:
    """Returns a random number for these words: the same in every process and on every machine."""
    return int.from_bytes(hashlib.sha256(repr((seed, *words)).encode()).digest()[:8], "big")


def draw_order(names: Iterable[str], seed: int, *words: object) -> list[str]:
    """Returns the names in a random order, independent of the given order."""
    return sorted(names, key=lambda name: (random_number(seed, *words, name), name))


def checked_names(names: Sequence[str], least: int = 2) -> tuple[str, ...]:
    """Returns the names as a tuple. Raises ValueError if there are too few, or duplicates."""
    unique = set(names)
    if len(unique) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise ValueError(f"two contestants have the name {twice!r}; give each its own name")
    if len(names) < least:
        raise ValueError(f"the tournament needs {least} contestants or more, and there {_are(len(names))}; add some")
    return tuple(names)


def _are(count: int) -> str:
    return {0: "are none", 1: "is 1"}.get(count, f"are {count}")
