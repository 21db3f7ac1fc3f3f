"""Reads thresholds against staff bots from a small TOML file.

[[threshold]]
against = "random"    # a contestant's name
score = 0.9           # this share of the games or more, draws counted half
marks = 10
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from noughts.errors import NoughtsError
from noughts.rules.spec import short_repr
from noughts.untrusted import FileKind, read_untrusted

THRESHOLDS = FileKind("a file of thresholds", 64 << 10)
MAX_THRESHOLDS = 100
MAX_NAME = 200
MAX_MARKS = 1000
KEYS = ("against", "score", "marks")


class ThresholdError(NoughtsError, ValueError):
    """A file without valid thresholds; the message says what to fix."""


@dataclass(frozen=True)
class Threshold:
    """Marks for a score against one contestant. score: a share of the games, draws counted half."""

    against: str
    score: float
    marks: float

    @property
    def title(self) -> str:
        return f"{100 * self.score:g}% against {self.against}"


def read_thresholds(path: str | Path) -> tuple[Threshold, ...]:
    """Returns the thresholds in a file. Raises ThresholdError if it cannot be read or contains anything else."""
    try:
        text = read_untrusted(path, THRESHOLDS).decode()
    except OSError as error:
        raise ThresholdError(f"cannot read {path} ({error.strerror}); pass a file of thresholds") from None
    except UnicodeDecodeError:
        raise ThresholdError(f"{path} is not text; thresholds must be a TOML file") from None
    except ValueError as error:
        raise ThresholdError(str(error)) from None
    try:
        return parse_thresholds(text)
    except ThresholdError as error:
        raise ThresholdError(f"{path}: {error}") from None


def parse_thresholds(text: str) -> tuple[Threshold, ...]:
    """Returns the thresholds in a TOML text. Raises ThresholdError if it contains anything else."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        why = f": {error}" if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise ThresholdError(f"this is not TOML{why}") from None
    listed = data.pop("threshold", None)
    if data:
        raise ThresholdError(f"unknown entry {short_repr(next(iter(data)))}; only [[threshold]] tables are allowed")
    if not isinstance(listed, list) or not listed:
        raise ThresholdError("there are no thresholds; each begins with a line [[threshold]]")
    if len(listed) > MAX_THRESHOLDS:
        raise ThresholdError(f"there are {len(listed)} thresholds; the maximum is {MAX_THRESHOLDS}")
    thresholds = tuple(_threshold(table, f"threshold {number}") for number, table in enumerate(listed, 1))
    if len({(threshold.against, threshold.score) for threshold in thresholds}) < len(thresholds):
        raise ThresholdError("two thresholds have the same opponent and the same score; remove one")
    return thresholds


def _threshold(table: object, where: str) -> Threshold:
    if not isinstance(table, dict) or set(table) != set(KEYS):
        has = ", ".join(map(short_repr, table)) if isinstance(table, dict) and table else "none of them"
        raise ThresholdError(f"{where} must have exactly the keys {', '.join(KEYS)}; it has {has}")
    against = table["against"]
    if not isinstance(against, str) or not 0 < len(against) <= MAX_NAME:
        raise ThresholdError(
            f"{where}: against must be the name of a contestant, 1 to {MAX_NAME} characters, not {short_repr(against)}"
        )
    score, marks = _up_to(1, table["score"]), _up_to(MAX_MARKS, table["marks"])
    if score is None:
        text = short_repr(table["score"])
        raise ThresholdError(f"{where}: score must be a share above 0 and up to 1, not {text}; write 0.9 for 90%")
    if marks is None:
        text = short_repr(table["marks"])
        raise ThresholdError(f"{where}: marks must be a number above 0 and up to {MAX_MARKS}, not {text}")
    return Threshold(against, score, marks)


def _up_to(most: int, value: object) -> float | None:
    """Returns the number above 0 and up to `most`; None for anything else, including True."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= most:
        return float(value)
    return None
