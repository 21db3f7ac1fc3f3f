"""Derives seeds: a run has one secret number, and every random choice in it has its own seed.

    run -> game -> seat

A bot knows its own seed, and may know how seeds are computed. So each seed is a keyed hash (BLAKE2b), which reveals
nothing about other seeds unless the run's seed can be guessed. By default the run's seed comes from the operating
system; a small number chosen by a person can be guessed, and is for repeating a run.
"""

from __future__ import annotations

import hashlib
import secrets

SEED_BITS = 128
"""Size of the seeds of runs and of games."""
BOT_BITS = 32
"""Size of bots' seeds: what NumPy's old generator, which bots may use, accepts."""
PLAYER_BITS = 63
"""Size of the seeds of built-in players: more than an opponent can try in a game."""


def draw_seed() -> int:
    """Returns an unpredictable seed for a run."""
    return secrets.randbits(SEED_BITS)


def checked_seed(seed: int) -> int:
    """Returns the seed. Raises ValueError if it is invalid."""
    if type(seed) is not int or not 0 <= seed < 1 << SEED_BITS:
        raise ValueError(f"the seed must be a whole number from 0 to 2**{SEED_BITS} - 1")
    return seed


def derive_seed(seed: int, *use: object, bits: int = BOT_BITS) -> int:
    """Returns the seed for one use, derived from its parent's. use: numbers and strings that are unique to this use."""
    key = checked_seed(seed).to_bytes(SEED_BITS // 8, "big")
    digest = hashlib.blake2b(repr(use).encode(), key=key, digest_size=SEED_BITS // 8, person=b"noughts seed").digest()
    return int.from_bytes(digest, "big") >> (SEED_BITS - bits)
