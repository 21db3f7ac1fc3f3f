"""What a tournament knows of its games: who is to meet whom, and how it ended. Contestants are names."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from noughts.matches.record import score_of


class Fixture(NamedTuple):
    """A game to be played, by its place in the tournament; no two games of a tournament have the same.

    first, second: names in the order of their seats. pool, round: counted from 1.
    """

    first: str
    second: str
    stage: str = "league"
    pool: int = 1
    round: int = 1

    def returned(self) -> Fixture:
        """The other game of the pair, with seats exchanged."""
        return self._replace(first=self.second, second=self.first)


class Result(NamedTuple):
    """A game that was played.

    points: what the game paid each seat. winner, fault_of: a seat (0 or 1), or None. The score goes by the points, also
    in a game that ended without a winner.
    """

    fixture: Fixture
    points: tuple[int, int]
    winner: int | None = None
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
def many_tuples() -> Iterator[None]:
    """While a hundred thousand small objects are made: the garbage collector would look through them again and again,
    which takes most of the time, and finds nothing.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def lot(seed: int, *words: object) -> int:
    """A number drawn for these words: the same in every process, on every machine, whatever else is drawn."""
    return int.from_bytes(hashlib.sha256(repr((seed, *words)).encode()).digest()[:8], "big")


def draw_order(names: Iterable[str], seed: int, *words: object) -> list[str]:
    """Returns the names in an order drawn by lot. It does not depend on the order in which they are given."""
    return sorted(names, key=lambda name: (lot(seed, *words, name), name))


def checked_names(names: Sequence[str], least: int = 2) -> tuple[str, ...]:
    """The names as a tuple; ValueError if there are too few, or two of one name."""
    unique = set(names)
    if len(unique) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise ValueError(f"two contestants are called {twice!r}; give each a name of its own")
    if len(names) < least:
        raise ValueError(f"it takes {least} contestants or more, and there {_are(len(names))}; add some")
    return tuple(names)


def _are(count: int) -> str:
    return {0: "are none", 1: "is 1"}.get(count, f"are {count}")
