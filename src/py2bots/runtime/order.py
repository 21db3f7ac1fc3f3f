"""Comparisons and sorts of values of different types, as in Python 2."""

from __future__ import annotations

import builtins as py2_builtins
import queue as py2_queue_module
from typing import Any


def py2_cmp(a: Any, b: Any) -> int:
    """-1, 0 or 1: None is below numbers, numbers are below the rest, and the rest is ordered by type name."""
    try:
        return int(a > b) - int(a < b)
    except TypeError:
        pass
    if (isinstance(a, list) and isinstance(b, list)) or (isinstance(a, tuple) and isinstance(b, tuple)):
        for one, other in zip(a, b):  # noqa: B905 - the shorter one decides only if all is equal so far
            if not (one is other or one == other):
                return py2_cmp(one, other)
        return py2_cmp(len(a), len(b))
    if isinstance(a, dict) and isinstance(b, dict):
        return py2_cmp_dicts(a, b)
    ranks = [(x is not None, py2_type_name(x)) for x in (a, b)]
    if ranks[0] == ranks[1]:
        ranks = [(id(type(x)), id(x)) for x in (a, b)]  # type: ignore[misc]
    return (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])


def py2_type_name(x: Any) -> str:
    """The name of a value's type in the order; numbers have none."""
    kind = type(x)
    if hasattr(kind, "__int__") or hasattr(kind, "__float__"):
        return ""
    return {"method": "instancemethod", "range": "xrange", "bytes": "str"}.get(kind.__name__, kind.__name__)


def py2_cmp_dicts(a: dict[Any, Any], b: dict[Any, Any]) -> int:
    """By length, then by the smallest key whose values differ, then by these values."""
    if len(a) != len(b):
        return py2_cmp(len(a), len(b))
    smallest = []
    for one, other in ((a, b), (b, a)):
        keys = [key for key in one if key not in other or other[key] != one[key]]
        if not keys:
            return 0
        smallest.append(py2_min(keys))
    return py2_cmp(*smallest) or py2_cmp(a[smallest[0]], b[smallest[1]])


def py2_lt(a: Any, b: Any) -> Any:
    """a < b"""
    try:
        return a < b
    except TypeError:
        return py2_cmp(a, b) < 0


def py2_gt(a: Any, b: Any) -> Any:
    """a > b"""
    try:
        return a > b
    except TypeError:
        return py2_cmp(a, b) > 0


def py2_le(a: Any, b: Any) -> Any:
    """a <= b"""
    try:
        return a <= b
    except TypeError:
        return py2_cmp(a, b) <= 0


def py2_ge(a: Any, b: Any) -> Any:
    """a >= b"""
    try:
        return a >= b
    except TypeError:
        return py2_cmp(a, b) >= 0


def py2_is(a: Any, b: Any) -> bool:
    """a is b, for a number b."""
    return type(a) is type(b) and bool(a == b)


def py2_sorted(values: Any, cmp: Any = None, key: Any = None, reverse: Any = False) -> list[Any]:
    """sorted, for any types, with an optional comparison function."""
    values = list(values)
    if cmp is None:
        try:
            return sorted(values, key=key, reverse=bool(reverse))
        except TypeError:
            cmp = py2_cmp
    from functools import cmp_to_key

    rank = cmp_to_key(cmp)
    return sorted(values, key=rank if key is None else lambda value: rank(key(value)), reverse=bool(reverse))


def py2_sort(values: Any, *args: Any, **named: Any) -> Any:
    """values.sort()"""
    if not isinstance(values, list):
        return values.sort(*args, **named)
    values[:] = py2_sorted(values, *args, **named)
    return None


def py2_max(*values: Any, **named: Any) -> Any:
    """max, whatever the types."""
    if len(values) == 2 and not named:
        return values[1] if py2_gt(values[1], values[0]) else values[0]
    values = values if len(values) > 1 else tuple(values[0])
    try:
        return py2_builtins.max(values, **named)
    except TypeError:
        pass
    rank = named.get("key") or (lambda value: value)
    best = values[0]
    for value in values:
        if py2_cmp(rank(value), rank(best)) > 0:
            best = value
    return best


def py2_min(*values: Any, **named: Any) -> Any:
    """min, whatever the types."""
    if len(values) == 2 and not named:
        return values[1] if py2_lt(values[1], values[0]) else values[0]
    values = values if len(values) > 1 else tuple(values[0])
    try:
        return py2_builtins.min(values, **named)
    except TypeError:
        pass
    rank = named.get("key") or (lambda value: value)
    best = values[0]
    for value in values:
        if py2_cmp(rank(value), rank(best)) < 0:
            best = value
    return best


def py2_heappush(heap: list[Any], item: Any) -> None:
    """heapq.heappush, whatever the types."""
    import heapq

    try:
        heapq.heappush(heap, item)
    except TypeError:
        heap[:] = py2_sorted(heap)


def py2_heappop(heap: list[Any]) -> Any:
    """heapq.heappop, whatever the types."""
    import heapq

    first = heap[:1]
    try:
        return heapq.heappop(heap)
    except TypeError:
        heap[:] = py2_sorted(heap)
    return first[0]


def py2_heapify(heap: list[Any]) -> None:
    """heapq.heapify, whatever the types."""
    import heapq

    try:
        heapq.heapify(heap)
    except TypeError:
        heap[:] = py2_sorted(heap)


def py2_heapreplace(heap: list[Any], item: Any) -> Any:
    """heapq.heapreplace, whatever the types."""
    first = py2_heappop(heap)
    py2_heappush(heap, item)
    return first


def py2_heappushpop(heap: list[Any], item: Any) -> Any:
    """heapq.heappushpop, whatever the types."""
    py2_heappush(heap, item)
    return py2_heappop(heap)


def py2_nlargest(number: int, values: Any, key: Any = None) -> list[Any]:
    """heapq.nlargest, whatever the types."""
    return py2_sorted(values, key=key, reverse=True)[:number]


def py2_nsmallest(number: int, values: Any, key: Any = None) -> list[Any]:
    """heapq.nsmallest, whatever the types."""
    return py2_sorted(values, key=key)[:number]


def py2_bisect(values: list[Any], item: Any, low: int = 0, high: int | None = None) -> int:
    """bisect.bisect, whatever the types."""
    high = len(values) if high is None else high
    while low < high:
        middle = (low + high) // 2
        if py2_lt(item, values[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def py2_bisect_left(values: list[Any], item: Any, low: int = 0, high: int | None = None) -> int:
    """bisect.bisect_left, whatever the types."""
    high = len(values) if high is None else high
    while low < high:
        middle = (low + high) // 2
        if py2_lt(values[middle], item):
            low = middle + 1
        else:
            high = middle
    return low


def py2_insort(values: list[Any], item: Any, *bounds: int) -> None:
    """bisect.insort, whatever the types."""
    values.insert(py2_bisect(values, item, *bounds), item)


def py2_insort_left(values: list[Any], item: Any, *bounds: int) -> None:
    """bisect.insort_left, whatever the types."""
    values.insert(py2_bisect_left(values, item, *bounds), item)


class Py2PriorityQueue(py2_queue_module.PriorityQueue["Any"]):
    """A priority queue of values of all types."""

    def _put(self, item: Any) -> None:
        py2_heappush(self.queue, item)

    def _get(self) -> Any:
        return py2_heappop(self.queue)
