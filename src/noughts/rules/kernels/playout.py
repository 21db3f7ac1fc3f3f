"""Random play: a small generator, uniformly random legal moves, and whole games at machine speed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.bits import count_bits, lowest_bit
from noughts.rules.kernels.core import (
    blocks_open,
    count_empty,
    marks_left,
    nth_cell,
    place_mark,
    playable_blocks,
    playable_marks,
)
from noughts.rules.kernels.jit import embedded, entry, inlined, int64

GAMES_A_STREAM = 1024
"""Number of games that share one random stream. Streams can run in any order, on any core."""


@inlined
def next_random(stream: np.uint64) -> np.uint64:
    """Returns the next state of a xorshift64 generator: uint64 in and out, never 0."""
    stream ^= stream << np.uint64(13)
    stream ^= stream >> np.uint64(7)
    stream ^= stream << np.uint64(17)
    return stream


@inlined
def scale(bits: np.uint64, bound: int) -> int:
    """Returns a number below `bound` from 32 random bits (uint64), with a bias of less than bound / 2**32."""
    number: int = int64((bits * np.uint64(bound)) >> np.uint64(32))
    return number


@inlined
def random_choice(rules: Ints, row: Ints, blocks: int, marks: int, stream: np.uint64) -> tuple[int, int, int]:
    """Returns a uniformly random block, cell and mark of those with one of `marks` in one of `blocks`."""
    block, cell = nth_cell(rules, row, blocks, scale(stream >> np.uint64(32), count_empty(rules, row, blocks)))
    if marks & (marks - 1) != 0:
        skip = scale(stream & np.uint64(0xFFFFFFFF), count_bits(marks))
        while skip > 0:
            marks &= marks - 1
            skip -= 1
    return block, cell, lowest_bit(marks)


@inlined
def random_move(rules: Ints, row: Ints, stream: np.uint64) -> int:
    """Returns a uniformly random legal move, encoded; the game must not be over."""
    block, cell, mark = random_choice(rules, row, playable_blocks(rules, row), playable_marks(rules, row), stream)
    return (block << 8) | (cell << 4) | mark


@embedded
def play_out(rules: Ints, row: Ints, stream: np.uint64) -> np.uint64:
    """Plays random moves until the game is over; returns the random stream. LAST and SENT are not kept up to date."""
    status, winner, player = row[at.STATUS], row[at.WINNER], row[at.PLAYER]
    bonus, sent, closed, used = row[at.BONUS], row[at.SENT], row[at.CLOSED], row[at.USED]
    ply = row[at.PLY]
    while status == at.IN_PLAY:
        stream = next_random(stream)
        blocks = blocks_open(rules, sent, closed)
        block, cell, mark = random_choice(rules, row, blocks, marks_left(rules, player, used), stream)
        status, winner, player, bonus, sent, closed, used = place_mark(
            rules, row, block, cell, mark, player, bonus, closed, used
        )
        ply += 1
    row[at.STATUS] = status
    row[at.WINNER] = winner
    row[at.CLOSED] = closed
    row[at.PLY] = ply
    return stream


@entry
def play_games(rules: Ints, start: Ints, row: Ints, stream: np.uint64, games: int, totals: Ints) -> None:
    """Plays random games from `start`, on `row`; adds plies, wins of player 0, of player 1 and draws to `totals`."""
    for _ in range(games):
        for i in range(rules[at.ROW_WORDS]):
            row[i] = start[i]
        stream = play_out(rules, row, stream)
        totals[0] += row[at.PLY] - start[at.PLY]
        winner = row[at.WINNER]
        totals[1 + (winner if winner >= 0 else 2)] += 1


def streams(seed: int, count: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """Returns the starting points of `count` independent random streams: splitmix64 of the seed and the stream's
    number."""
    start = _mixed(np.array([seed & _MASK], np.uint64))
    return _split(start + np.arange(first + 1, first + count + 1, dtype=np.uint64) * _STEP)


def first_streams(seeds: Sequence[int]) -> npt.NDArray[np.uint64]:
    """Returns the first stream of each seed, as streams(seed, 1) does for one seed."""
    return _split(_mixed(np.array([seed & _MASK for seed in seeds], np.uint64)) + _STEP)


_MASK = (1 << 64) - 1
_STEP = np.uint64(0x9E3779B97F4A7C15)


def _split(z: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.where(z == 0, np.uint64(1), z)


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Mixes the bits of seeds, so that neighbouring seeds have nothing in common."""
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))
