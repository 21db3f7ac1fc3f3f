"""Seeds: a run has one secret number, and every use of chance in it has a seed of its own.

    run -> game -> seat

A bot knows its own seed, and may know how we compute seeds. So each is a keyed hash (BLAKE2b): from one, nothing can be
said about another, about that of the game, or about the run's, as long as that one cannot be guessed. By default it is
drawn by the operating system; a small number that a person chose can be guessed, and is for repeating a run.
"""

from __future__ import annotations

import hashlib
import secrets

SEED_BITS = 128
"""Size of the seeds of runs and of games."""
BOT_BITS = 32
"""What numpy's old generator takes, which bots may use."""
PLAYER_BITS = 63
"""Size of the seeds of built-in players: more than an opponent can try in a game."""


def draw_seed() -> int:
    """A seed for a run that nobody can guess."""
    return secrets.randbits(SEED_BITS)


def checked_seed(seed: int) -> int:
    """The seed; ValueError if it is none."""
    if type(seed) is not int or not 0 <= seed < 1 << SEED_BITS:
        raise ValueError(f"a seed is a whole number from 0 and below 2 to the power of {SEED_BITS}")
    return seed


def derive_seed(seed: int, *use: object, bits: int = BOT_BITS) -> int:
    """The seed for one use, from that of what it belongs to. use: numbers and texts that no other use has."""
    key = checked_seed(seed).to_bytes(SEED_BITS // 8, "big")
    digest = hashlib.blake2b(repr(use).encode(), key=key, digest_size=SEED_BITS // 8, person=b"noughts seed").digest()
    return int.from_bytes(digest, "big") >> (SEED_BITS - bits)
