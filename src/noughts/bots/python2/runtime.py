"""What Python 2 did and Python 3 does not: functions that `convert` copies into a bot, each only where it is needed.

They are written to be cut out: `prelude` takes single functions and classes of this file with those they call, without
annotations and comments. So each stands alone, what it imports it calls py2_..., and it takes from `py2_builtins` what
`from numpy import *` in a bot would replace.
"""

from __future__ import annotations

import builtins as py2_builtins
import random as py2_random_module
from typing import Any


def py2_cmp(a: Any, b: Any) -> int:
    """-1, 0 or 1: None is below numbers, numbers are below the rest, and the rest goes by the names of its types."""
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
    """The name that a value was ordered by; numbers have none."""
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
    """Sorted, by a comparison function if there is one, and whatever the types."""
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


def py2_div(a: Any, b: Any) -> Any:
    """a / b, rounded down between integers."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    kinds = [getattr(getattr(x, "dtype", None), "kind", "i" if isinstance(x, int) else "") for x in (a, b)]
    return a // b if kinds[0] in ("i", "u") and kinds[1] in ("i", "u") else a / b


def py2_idiv(a: Any, b: Any) -> Any:
    """a /= b"""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    kinds = [getattr(getattr(x, "dtype", None), "kind", "i" if isinstance(x, int) else "") for x in (a, b)]
    if kinds[0] in ("i", "u") and kinds[1] in ("i", "u"):
        a //= b
    else:
        a /= b
    return a


def py2_round(value: Any, digits: int = 0) -> float:
    """Halves go away from zero, and the result is a float."""
    x = float(value)
    if x != x or x in (float("inf"), float("-inf")):
        return x
    if digits == 0:
        whole = float(int(x))
        return whole + (1.0 if x > 0 else -1.0) if not -0.5 < x - whole < 0.5 else whole
    import decimal

    context = decimal.Context(prec=1100, rounding=decimal.ROUND_HALF_UP)
    return float(decimal.Decimal(x).quantize(decimal.Decimal(1).scaleb(-digits), context=context))


def py2_map(function: Any, *rows: Any) -> list[Any]:
    """A list; shorter rows are filled up with None."""
    from itertools import zip_longest

    if len(rows) == 1:
        return list(rows[0]) if function is None else [function(value) for value in rows[0]]
    return [values if function is None else function(*values) for values in zip_longest(*rows)]


def py2_filter(function: Any, values: Any) -> Any:
    """A text from a text, a tuple from a tuple, a list from the rest."""
    kept = [value for value in values if (value if function is None else function(value))]
    return "".join(kept) if isinstance(values, str) else tuple(kept) if isinstance(values, tuple) else kept


def py2_zip(*rows: Any) -> list[Any]:
    """A list."""
    return list(zip(*rows))  # noqa: B905 - as far as the shortest


def py2_range(*bounds: Any) -> list[int]:
    """A list."""
    return list(range(*bounds))


def py2_reduce(function: Any, values: Any, *start: Any) -> Any:
    """functools.reduce"""
    from functools import reduce

    return reduce(function, values, *start)


def py2_apply(function: Any, args: Any = (), named: Any = None) -> Any:
    """function(*args, **named)"""
    return function(*args, **(named or {}))


def py2_coerce(a: Any, b: Any) -> Any:
    """Both numbers in the wider of their types."""
    kind = type(a + b)
    return kind(a), kind(b)


def py2_str(x: Any = "") -> str:
    """str, which showed twelve digits of a float."""
    if type(x) is not float:
        return str(x)
    text = f"{x:.12g}"
    return text if any(c in text for c in ".en") else text + ".0"


def py2_oct(n: int) -> str:
    """oct, which wrote 010 for 8."""
    return f"{'-' if n < 0 else ''}0{-n if n < 0 else n:o}" if n else "0"


def py2_join(words: Any, between: str = " ") -> str:
    """string.join"""
    return between.join(words)


def py2_translate(text: str, table: Any, gone: str) -> str:
    """text.translate(table, gone)"""
    kept = "".join(c for c in text if c not in gone)
    return kept if table is None else kept.translate(table)


def py2_message(error: Any) -> Any:
    """error.message"""
    return getattr(error, "message", error.args[0] if len(error.args) == 1 else "")


def py2_raise(kind: Any, value: Any, trace: Any) -> None:
    """raise kind, value, trace"""
    if not isinstance(kind, type) or isinstance(value, kind):
        error = value if isinstance(kind, type) else kind
    else:
        error = kind() if value is None else kind(*value) if isinstance(value, tuple) else kind(value)
    raise error.with_traceback(trace)


def py2_bytes(text: Any) -> Any:
    """The bytes of a text, one for each character where there are no others."""
    if not isinstance(text, str):
        return text
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8")


class Py2Hash:
    """A hash of hashlib that takes text, and gives text."""

    def __init__(self, name: str, text: Any = "") -> None:
        import hashlib

        self._hash = hashlib.new(name, py2_bytes(text))

    def update(self, text: Any) -> None:
        self._hash.update(py2_bytes(text))

    def digest(self) -> str:
        return self._hash.digest().decode("latin-1")

    def copy(self) -> Py2Hash:
        twin = Py2Hash(self._hash.name)
        twin._hash = self._hash.copy()
        return twin

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hash, name)


def py2_hashing(name: str) -> Any:
    """hashlib.md5 and the like."""
    return lambda text="": Py2Hash(name, text)


def py2_crc32(text: Any, start: int = 0) -> int:
    """zlib.crc32, which had a sign."""
    import zlib

    value = zlib.crc32(py2_bytes(text), start & 0xFFFFFFFF)
    return value - (1 << 32) if value >> 31 else value


def py2_adler32(text: Any, start: int = 1) -> int:
    """zlib.adler32, which had a sign."""
    import zlib

    value = zlib.adler32(py2_bytes(text), start & 0xFFFFFFFF)
    return value - (1 << 32) if value >> 31 else value


def py2_gcd(a: Any, b: Any) -> Any:
    """fractions.gcd, which had the sign of b."""
    while b:
        a, b = b, a % b
    return a


def py2_sample(values: Any, number: int) -> list[Any]:
    """random.sample, also of sets."""
    return py2_random_module.sample(values if hasattr(values, "__getitem__") else tuple(values), number)


class Py2Random(py2_random_module.Random):
    """The numbers of Python 2: the same seed gives the same ones."""

    def seed(self, a: Any = None, version: int = 2) -> None:
        if isinstance(a, str):
            value = ord(a[0]) << 7 if a else 0
            for letter in a:
                value = (1000003 * value ^ ord(letter)) & 0xFFFFFFFFFFFFFFFF
            value ^= len(a)
            a = 0xFFFFFFFFFFFFFFFE if value == 0xFFFFFFFFFFFFFFFF else value
        super().seed(a)

    def randrange(self, start: Any, stop: Any = None, step: Any = 1) -> int:
        numbers = range(int(start)) if stop is None else range(int(start), int(stop), int(step))
        if not numbers:
            raise ValueError("empty range for randrange()")
        return numbers[int(self.random() * len(numbers))]

    def randint(self, a: Any, b: Any) -> int:
        return self.randrange(a, b + 1)

    def choice(self, seq: Any) -> Any:
        return seq[int(self.random() * len(seq))]

    def shuffle(self, x: Any, random: Any = None) -> None:
        for i in range(len(x) - 1, 0, -1):
            j = int((random or self.random)() * (i + 1))
            x[i], x[j] = x[j], x[i]

    def sample(self, population: Any, k: int) -> list[Any]:  # type: ignore[override]
        size = len(population)
        if not 0 <= k <= size:
            raise ValueError("sample larger than population")
        few = 21
        while k > 5 and few - 21 < 3 * k:
            few = 21 + (4 * (few - 21) or 4)
        pool = list(population)
        taken: set[int] = set()
        result = []
        for i in range(k):
            if size <= few:
                j = int(self.random() * (size - i))
                result.append(pool[j])
                pool[j] = pool[size - i - 1]
                continue
            j = int(self.random() * size)
            while j in taken:
                j = int(self.random() * size)
            taken.add(j)
            result.append(pool[j])
        return result


py2_random = Py2Random()
"""What the functions of the module `random` stand for."""
