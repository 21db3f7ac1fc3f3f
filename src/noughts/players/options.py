"""Parses the options after a player's name: ``depth=6,memory=256``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from noughts.files import machine_megabytes
from noughts.notation import quoted

LARGEST_NUMBER = (1 << 63) - 1
"""Largest number in an option, the largest for compiled code."""
MOST_DIGITS = 30
"""Maximum digits of a number; longer ones are not parsed."""


class Options(dict[str, str]):
    """Options by name, as text. Each method removes the option that it returns; those that remain at the end are
    unknown.
    """

    @classmethod
    def read(cls, text: str, parts: Iterable[str]) -> Options:
        """Returns the options in parts like ``depth=6``. text: the player's name, for the error."""
        options = cls()
        for part in filter(None, parts):
            key, equals, value = part.partition("=")
            if not equals or not key or not value:
                raise ValueError(f"the options of {quoted(text)} must have the form name:option=value,option=value")
            options[key] = value
        return options

    def spread_seed(self, game: int | None) -> None:
        """Derives a seed for each game of a run from the one in the options."""
        if game is not None and "seed" in self:
            use = repr((_whole_number(self["seed"], "seed"), game)).encode()
            self["seed"] = str(int.from_bytes(hashlib.blake2b(use, digest_size=7).digest(), "big"))

    def seed(self) -> int | None:
        seed = self.pop("seed", None)
        return None if seed is None else _whole_number(seed, "seed")

    def limit(self, option: str) -> int | None:
        """Returns a whole number of 1 or more."""
        text = self.pop(option, None)
        if text is None:
            return None
        number = _whole_number(text, option)
        if number < 1:
            raise ValueError(f"{option} must be 1 or more, not {number}")
        return number

    def has(self, option: str, word: str) -> bool:
        """Returns whether an option is given. It takes only one word."""
        text = self.pop(option, None)
        if text not in (None, word):
            raise ValueError(f"{option} must be {word}, or left out, not {quoted(text)}")
        return text is not None

    def megabytes(self) -> int | None:
        megabytes = self.limit("memory")
        most = machine_megabytes()
        if megabytes is not None and megabytes > most:
            raise ValueError(f"memory must be at most {most} MB, the memory of this machine, not {megabytes} MB")
        return megabytes

    def seconds(self) -> float | None:
        text = self.pop("time", None)
        if text is None:
            return None
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        if not 0 < seconds < float("inf"):
            raise ValueError(f"time must be a number of seconds greater than 0, not {quoted(text)}")
        return seconds


def _whole_number(text: str, option: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"{option} must be a whole number, not {quoted(text)}")
    if len(text) > MOST_DIGITS or abs(int(text)) > LARGEST_NUMBER:
        raise ValueError(f"{option} must be at most {LARGEST_NUMBER}, not {quoted(text)}")
    return int(text)
