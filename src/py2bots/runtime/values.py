"""Numbers, lists, texts, errors and hashes, as in Python 2."""

from __future__ import annotations

from typing import Any


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
    """Rounds halves away from zero, to a float."""
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
    """A list; shorter arguments are padded with None."""
    from itertools import zip_longest

    if len(rows) == 1:
        return list(rows[0]) if function is None else [function(value) for value in rows[0]]
    return [values if function is None else function(*values) for values in zip_longest(*rows)]


def py2_filter(function: Any, values: Any) -> Any:
    """A string from a string, a tuple from a tuple, else a list."""
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
    """str, with twelve digits of a float."""
    if type(x) is not float:
        return str(x)
    text = f"{x:.12g}"
    return text if any(c in text for c in ".en") else text + ".0"


def py2_oct(n: int) -> str:
    """oct, which returned 010 for 8."""
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
    """The bytes of a string, one for each character if possible."""
    if not isinstance(text, str):
        return text
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8")


class Py2Hash:
    """A hash of hashlib that takes and returns strings."""

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
    """zlib.crc32, which was signed."""
    import zlib

    value = zlib.crc32(py2_bytes(text), start & 0xFFFFFFFF)
    return value - (1 << 32) if value >> 31 else value


def py2_adler32(text: Any, start: int = 1) -> int:
    """zlib.adler32, which was signed."""
    import zlib

    value = zlib.adler32(py2_bytes(text), start & 0xFFFFFFFF)
    return value - (1 << 32) if value >> 31 else value


def py2_gcd(a: Any, b: Any) -> Any:
    """fractions.gcd, with the sign of b."""
    while b:
        a, b = b, a % b
    return a
