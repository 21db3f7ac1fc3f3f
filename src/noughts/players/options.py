"""Declares and parses the options after a player's name: ``depth=6,memory=256``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from noughts.files import machine_megabytes
from noughts.notation import quoted

LARGEST_NUMBER = (1 << 63) - 1
"""Largest number in an option, the largest for compiled code."""
MOST_DIGITS = 30
"""Maximum digits of a number; longer ones are not parsed."""


@dataclass(frozen=True)
class Option:
    """An option of a player, as it is written after the player's name."""

    name: str
    form: str
    """Its value in help texts: the N of seed=N."""
    parse: Callable[[str, str], object]
    """Returns the value of its text. Called with its name and the text; raises ValueError."""
    listed: bool = False
    """Whether text from elsewhere may set it: a page, a model, a file."""
    shown: bool = True
    """Whether help texts list it."""


def forms(options: Iterable[Option]) -> str:
    """Returns the options for help texts: ``games=N, seed=N``."""
    return ", ".join(f"{option.name}={option.form}" for option in options if option.shown)


class Options(dict[str, str]):
    """The options of a player's name, as text."""

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
            use = repr((whole_number("seed", self["seed"]), game)).encode()
            self["seed"] = str(int.from_bytes(hashlib.blake2b(use, digest_size=7).digest(), "big"))

    def values_of(self, options: Iterable[Option]) -> dict[str, Any]:
        """Removes these options; returns the values of those that are given."""
        return {
            option.name: option.parse(option.name, self.pop(option.name)) for option in options if option.name in self
        }

    def refuse_rest(self, name: str, options: Iterable[Option]) -> None:
        """Raises ValueError if an option is left. name: the player's; options: those that it has."""
        if self:
            known = forms(options)
            some = f"its options are {known}" if known else "it has none"
            raise ValueError(f"{name} has no option {quoted(next(iter(self)))}; {some}")


def whole_number(name: str, text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"{name} must be a whole number, not {quoted(text)}")
    if len(text) > MOST_DIGITS or abs(int(text)) > LARGEST_NUMBER:
        raise ValueError(f"{name} must be at most {LARGEST_NUMBER}, not {quoted(text)}")
    return int(text)


def limit(name: str, text: str) -> int:
    """Returns a whole number of 1 or more."""
    number = whole_number(name, text)
    if number < 1:
        raise ValueError(f"{name} must be 1 or more, not {number}")
    return number


def number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, not {quoted(text)}") from None


def seconds(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} must be a number of seconds greater than 0, not {quoted(text)}")
    return value


def megabytes(name: str, text: str) -> int:
    size, most = limit(name, text), machine_megabytes()
    if size > most:
        raise ValueError(f"{name} must be at most {most} MB, the memory of this machine, not {size} MB")
    return size


def words(name: str, text: str) -> str:
    """Returns any text."""
    return text


def only(word: str) -> Callable[[str, str], str]:
    """Returns the parser of an option that takes only one word."""

    def parse(name: str, text: str) -> str:
        if text != word:
            raise ValueError(f"{name} must be {word}, or left out, not {quoted(text)}")
        return text

    return parse


SEED = Option("seed", "N", whole_number, listed=True)
NODES, DEPTH = Option("nodes", "N", limit), Option("depth", "N", limit)
TIME = Option("time", "SECONDS", seconds)
MEMORY = Option("memory", "MB", megabytes)
