"""What a bot returned, as plain data for the referee; an object we do not expect is described, never trusted."""

from __future__ import annotations

import operator
import reprlib
from typing import Any

SHOWN = 120


def plain_answer(value: object, *, is_tuple: bool) -> dict[str, Any]:
    """An entry for the reply: {"answer": ints} if the value is a whole number (or a tuple of them), else {"odd": text}.

    Integers of numpy become plain ones, with "numpy": true.
    """
    items = value if is_tuple else (value,)
    if type(items) is not tuple or len(items) > 3:
        return {"odd": describe(value)}
    if all(type(item) is int for item in items):
        numbers, converted = list(items), False
    elif all(type(item) is int or _is_numpy_int(item) for item in items):
        numbers, converted = [operator.index(item) for item in items], True
    else:
        return {"odd": describe(value)}
    if any(abs(number) > 10**6 for number in numbers):
        return {"odd": describe(value)}
    return {"answer": numbers if is_tuple else numbers[0], "numpy": converted}


def _is_numpy_int(value: object) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and ("int" in kind.__name__ or kind.__name__ in ("long", "longlong"))


def describe(value: object) -> str:
    """A value for a person: how it looks, and its type. It may be huge or hostile, so little of it is asked."""
    if value is None:
        return "None"
    kind = type(value).__name__
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    if type(value) in (int, float, str, bool, tuple, list, dict, set):
        limited = reprlib.Repr()
        limited.maxstring = limited.maxother = limited.maxlong = 60
        try:
            shown = f"{limited.repr(value)[:SHOWN]}, "
        except ValueError:  # a number with too many digits to be written
            shown = ""
        return f"{shown}{article} {kind}{_item_kinds(value)}"
    return f"{article} {kind}"


def _item_kinds(value: object) -> str:
    if type(value) in (tuple, list) and 0 < len(value) <= 3:  # type: ignore[arg-type]
        return " of " + ", ".join(type(item).__name__ for item in value)  # type: ignore[attr-defined]
    return ""
