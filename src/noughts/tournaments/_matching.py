"""Finds a maximum matching (Edmonds' blossom algorithm)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

NOBODY = -1

Preferences = Callable[[int], Iterator[int]]


def matched(count: int, preferences: Preferences) -> list[int]:
    """Returns the partner of each of 0..count-1, or NOBODY. No matching has more pairs.

    preferences(i): the allowed partners of i, best first; the relation is symmetric. Each in turn gets the first free
    one. Only those who remain unpaired make others change partners, along the shortest chain of changes.
    """
    partner = [NOBODY] * count
    for one in range(count):
        if partner[one] == NOBODY:
            free = next((other for other in preferences(one) if partner[other] == NOBODY), NOBODY)
            if free != NOBODY:
                partner[one], partner[free] = free, one
    for one in range(count):
        if partner[one] == NOBODY:
            _Search(preferences, partner).augment(one)
    return partner


class _Search:
    """A breadth-first search for a chain from one unpaired vertex to another.

    came_from[v]: the vertex before v on the chain, if v was reached by an edge outside the matching. base[v]: the base
    of the blossom (an odd cycle, shrunk to one vertex) that contains v; otherwise v itself.
    """

    def __init__(self, preferences: Preferences, partner: list[int]) -> None:
        self._preferences = preferences
        self._partner = partner
        self._came_from = [NOBODY] * len(partner)
        self._base = list(range(len(partner)))
        self._even = [False] * len(partner)
        self._queue: deque[int] = deque()

    def augment(self, root: int) -> None:
        """Changes partners along a chain from the root, if there is one."""
        end = self._find(root)
        while end != NOBODY:
            before = self._came_from[end]
            following = self._partner[before]
            self._partner[end], self._partner[before] = before, end
            end = following

    def _find(self, root: int) -> int:
        """Returns the end of a shortest chain, or NOBODY."""
        self._visit(root)
        while self._queue:
            here = self._queue.popleft()
            for there in self._preferences(here):
                if self._base[here] == self._base[there] or self._partner[here] == there:
                    continue
                after = self._partner[there]
                if there == root or (after != NOBODY and self._came_from[after] != NOBODY):
                    self._shrink(root, here, there)
                elif self._came_from[there] == NOBODY:
                    self._came_from[there] = here
                    if after == NOBODY:
                        return there
                    self._visit(after)
        return NOBODY

    def _visit(self, vertex: int) -> None:
        if not self._even[vertex]:
            self._even[vertex] = True
            self._queue.append(vertex)

    def _shrink(self, root: int, here: int, there: int) -> None:
        """Shrinks the cycle through two vertices at even distance from the root to one vertex."""
        base = self._common(root, here, there)
        inside = [False] * len(self._partner)
        self._mark(here, base, there, inside)
        self._mark(there, base, here, inside)
        for vertex in range(len(self._partner)):
            if inside[self._base[vertex]]:
                self._base[vertex] = base
                self._visit(vertex)

    def _common(self, root: int, one: int, other: int) -> int:
        """Returns the last common base of the chains to two vertices."""
        seen = [False] * len(self._partner)
        while True:
            one = self._base[one]
            seen[one] = True
            if one == root or self._partner[one] == NOBODY:
                break
            one = self._came_from[self._partner[one]]
        while not seen[self._base[other]]:
            other = self._came_from[self._partner[self._base[other]]]
        return self._base[other]

    def _mark(self, vertex: int, base: int, child: int, inside: list[bool]) -> None:
        while self._base[vertex] != base:
            mate = self._partner[vertex]
            inside[self._base[vertex]] = inside[self._base[mate]] = True
            self._came_from[vertex] = child
            child = mate
            vertex = self._came_from[mate]
