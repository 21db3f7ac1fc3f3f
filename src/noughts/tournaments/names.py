"""Names of teams: which are allowed, which look the same, and their order in a list.

A name consists of Latin letters, with or without accents, digits, and . _ - ' or single spaces between them. Other
scripts have letters that look like Latin ones, are invisible or change the direction of a line; detecting them takes
Unicode's tables of confusable characters (TR39), which Python does not have.
"""

from __future__ import annotations

import re
import secrets
import unicodedata

MAX_NAME = 80
"""Maximum characters of a team's name, which must fit in a table."""
LETTERS = "a-z0-9ßæœøđłþðı"
"""In lower case and without accents; Unicode does not decompose the last eight."""
LOOKALIKES = str.maketrans({"0": "o", "1": "l", "ı": "i", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "æ": "ae", "œ": "oe"})

_COLOURS = "Amber Azure Black Blue Bronze Coral Crimson Golden Green Grey Indigo Ivory Jade Lilac Orange Pink".split()
_ANIMALS = "Badger Bear Crane Deer Eagle Falcon Fox Hare Heron Ibis Lynx Marten Otter Owl Raven Seal Stork Swan".split()

_NAME = re.compile(f"[{LETTERS}]+((?: ?[._'-]+ ?| )[{LETTERS}]+)*[._'-]*")
_ACCENTS = re.compile("(?<=[A-Za-z])[\u0300-\u034e\u0350-\u036f]{1,2}")
"""Accents: up to two after their letter; without U+034F, which is invisible."""


def name_refusal(name: str) -> str:
    """Returns why a name is not allowed, in a sentence; '' if it is allowed."""
    if len(name) <= MAX_NAME and _NAME.fullmatch(_plain(name)):
        return ""
    odd = next((char for char in name if not re.fullmatch(f"[{LETTERS} ._'-]", _plain(char))), None)
    found = "" if odd is None else f", and this one has U+{ord(odd):04X} ({unicodedata.name(odd, 'no character')})"
    return (
        f"a name must have up to {MAX_NAME} Latin letters and digits, with . _ - ' or single spaces between "
        f"them{found}; rename the file"
    )


def name_key(name: str) -> str:
    """Returns the same text for names that differ only in capitals, accents, 0 and o, 1 and l, rn and m, vv and w."""
    return _skeleton(_plain(name).casefold())


def name_keys(name: str) -> tuple[str, str]:
    """Returns two keys. Names that people or file systems may confuse have one of them in common.

    The second is for capital I and small l, which look the same: I and i share the first key, I and l the second.
    """
    return name_key(name), f"={_skeleton(_without_accents(name).replace('I', 'l'))}"


def _skeleton(name: str) -> str:
    return name.translate(LOOKALIKES).replace("rn", "m").replace("vv", "w")


def new_aliases(count: int) -> list[str]:
    """Returns different random names, which reveal nothing about the teams."""
    aliases = [f"{colour} {animal}" for colour in _COLOURS for animal in _ANIMALS]
    secrets.SystemRandom().shuffle(aliases)
    rounds = -(-count // len(aliases))
    return [alias if not turn else f"{alias} {turn + 1}" for turn in range(rounds) for alias in aliases][:count]


def natural_order(name: str) -> tuple[object, ...]:
    """Returns a key to sort names by, in which team2 comes before team10."""
    parts = re.split("([0-9]+)", name.casefold())  # every second part is a number
    return tuple(int(part) if number % 2 else part for number, part in enumerate(parts)), name


def _plain(name: str) -> str:
    """Returns a name in lower case without accents."""
    return _without_accents(name).lower()


def _without_accents(name: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFD", name))
