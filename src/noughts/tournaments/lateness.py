"""How late a submission is: a whole number of minutes, 0 if only the LMS's word is known, None if it is in time."""

from __future__ import annotations

import math
import re

DAY = 24 * 60
"""Minutes of a day."""
_UNITS = (("d", DAY), ("h", 60), ("min", 1))
_WORDS = re.compile(r"(?:(\d{1,6}) d )?(?:(\d{1,2}) h )?(?:(\d{1,2}) min )?late")


def late_minutes(seconds: float) -> int | None:
    """Returns the lateness of a submission this long after the deadline. A minute that has begun counts."""
    return math.ceil(seconds / 60) if seconds > 0 else None


def late_words(late: int | None) -> str:
    """Returns a lateness in words, exact to the minute: "1 d 3 min late", "late" or ''."""
    if late is None:
        return ""
    parts = []
    for unit, minutes in _UNITS:
        count, late = divmod(late, minutes)
        parts += [f"{count} {unit} "] if count else []
    return f"{''.join(parts)}late"


def parse_late(words: str) -> int | None:
    """Returns the lateness that `late_words` wrote. Any other text than '' is late by an unknown time."""
    if match := _WORDS.fullmatch(words):
        return sum(int(count or 0) * minutes for count, (_, minutes) in zip(match.groups(), _UNITS, strict=True))
    return 0 if words.strip() else None


def days_late(late: int | None) -> int:
    """Returns the days of a lateness. A day that has begun counts, and so does an unknown time."""
    return 0 if late is None else max(1, math.ceil(late / DAY))
