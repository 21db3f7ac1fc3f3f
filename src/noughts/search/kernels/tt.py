"""The transposition table: what the search found out about positions it may meet again.

An array of int64, a power of two of buckets of four words: two entries of a key and a record each. The first entry
keeps the deeper search (of this move's), the second one takes every other record.

    record bits   0-15 move plus one   16-17 bound   18-25 depth   26-31 age   32-63 score
"""

from __future__ import annotations

from noughts.rules.kernels.jit import Ints, inlined
from noughts.search.kernels.layout import AGE, PROVEN

EXACTLY, AT_LEAST, AT_MOST = 0, 1, 2
"""bound: how the score relates to the true value at that depth."""


@inlined
def remembered(memory: Ints, key: int) -> int:
    """The record of a position, or 0."""
    at = (key & ((len(memory) >> 2) - 1)) << 2
    if memory[at] == key:
        return memory[at + 1]
    if memory[at + 2] == key:
        return memory[at + 3]
    return 0


@inlined
def age_of(record: int) -> int:
    """AGE of the search that wrote a record."""
    return (record >> 26) & 63


@inlined
def remember(work: Ints, memory: Ints, key: int, move: int, bound: int, depth: int, score: int) -> None:
    """Write a record; `score` as `to_record` makes it."""
    at = (key & ((len(memory) >> 2) - 1)) << 2
    kept = memory[at + 1]
    if memory[at] != key and age_of(kept) == work[AGE] and (kept >> 18) & 255 > depth:
        at += 2
    memory[at] = key
    memory[at + 1] = (score << 32) | (work[AGE] << 26) | (depth << 18) | (bound << 16) | (move + 1)


@inlined
def to_record(score: int, ply: int) -> int:
    """A score as seen from the position itself: wins are counted from there, not from the root."""
    if score > PROVEN:
        return score + ply
    if score < -PROVEN:
        return score - ply
    return score


@inlined
def from_record(record: int, ply: int) -> int:
    """The score of a record, as seen from the root."""
    score = record >> 32
    if score > PROVEN:
        return score - ply
    if score < -PROVEN:
        return score + ply
    return score


@inlined
def answers(record: int, score: int, depth: int, alpha: int, beta: int) -> bool:
    """Whether a record of enough depth settles what is asked: the value within (alpha, beta)."""
    bound = (record >> 16) & 3
    return ((record >> 18) & 255 >= depth or score > PROVEN or score < -PROVEN) and (
        bound == EXACTLY or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha)
    )
