"""The graph of a game: every position that play can reach, symmetric ones as one, and where each move leads.

The kernel's own moves make it, layer by layer (a layer is the positions with the same number of marks). After that,
solving is arithmetic on arrays.

Every position that a person can set up is in it. The marks on the board fit the players' shares, so they can be dealt
out to the players, and placed in turn; a position without a line had none on the way; and the last move of one with a
line is one whose removal leaves none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.core import apply_move, fill_legal, move_of, undo_move, undo_token
from noughts.rules.kernels.jit import Ints, entry, inlined
from noughts.rules.kernels.layout import IN_PLAY, LINE, ROW_WORDS, STATUS, WINNER
from noughts.rules.kernels.tables import fact_table
from noughts.rules.spec import Rules
from noughts.solving.codes import (
    Table,
    code_after,
    code_of,
    count_fixing,
    image_table,
    least_code,
    mixed,
    used_symmetries,
)
from noughts.solving.size import code_bits, most_positions, require_flat, require_small

if TYPE_CHECKING:
    from noughts.rules.kernels.batch import Rows

Array = npt.NDArray[np.int64]

NOT_OVER, WON, DRAWN = 0, 1, 3
"""Kinds of positions; WON + p is a line that made player p the winner."""

# The notes on a position while its layer is built: its least code, how many symmetries fix it, its kind.
CODE, FIXING, KIND, NOTE_WORDS = 0, 1, 2, 3

ROWS_AT_ONCE = 512
"""Positions expanded by one call, so that a progress bar moves and Ctrl-C is heard."""


@dataclass(frozen=True)
class Graph:
    """The positions of a game in order of their number of marks; position 0 is the start.

    codes   int64[positions]      least codes (see `codes`), each once
    kinds   int8[positions]       NOT_OVER, WON, WON + 1 or DRAWN
    orbits  int32[positions]      how many positions of the game this one stands for
    first   int64[positions + 1]  the moves of position i are numbered first[i] to first[i + 1]
    targets int32[moves]          where a move leads; moves are in rising order of their actions in one of the
                                  symmetric positions, and their number is that of all of them
    layers  int64[cells + 2]      the positions with m marks are layers[m] to layers[m + 1]
    """

    codes: Array
    kinds: npt.NDArray[np.int8]
    orbits: npt.NDArray[np.int32]
    first: Array
    targets: npt.NDArray[np.int32]
    layers: Array

    @cached_property
    def moves(self) -> Array:
        """How many moves each position has: int64[positions]."""
        return np.diff(self.first)

    @cached_property
    def marks(self) -> npt.NDArray[np.int8]:
        """How many marks are on the board: int8[positions]."""
        return np.repeat(np.arange(len(self.layers) - 1, dtype=np.int8), np.diff(self.layers))

    @cached_property
    def _by_code(self) -> Array:
        return np.argsort(self.codes)

    @cached_property
    def _sorted_codes(self) -> Array:
        return self.codes[self._by_code]

    def find(self, codes: Array) -> Array:
        """The positions with these least codes; ValueError if one is of no position of the game."""
        places = np.searchsorted(self._sorted_codes, codes)
        if np.any(self._sorted_codes.take(places, mode="clip") != codes):
            raise ValueError("this is no position that play can lead to")
        return self._by_code[places]

    def open_layer(self, marks: int) -> tuple[Array, slice, Array]:
        """The positions with `marks` marks that are not over: which, their moves, and where each one's moves start.

        The last is counted from the start of the slice, as `ufunc.reduceat` wants it.
        """
        start, end = int(self.layers[marks]), int(self.layers[marks + 1])
        nodes = start + np.flatnonzero(self.kinds[start:end] == NOT_OVER)
        return nodes, slice(int(self.first[start]), int(self.first[end])), self.first[nodes] - self.first[start]


def build_graph(rules: Rules, tick: Callable[[float], None] | None = None) -> Graph:
    """The graph of a flat game; TooLarge if it is too much. `tick` is told the share of the work done, now and then."""
    require_flat(rules)
    require_small(rules, len(used_symmetries(rules)))
    return _Builder(rules, tick).build()


class _Builder:
    """The layers of a graph, one after the other."""

    def __init__(self, rules: Rules, tick: Callable[[float], None] | None) -> None:
        self.tick = tick
        self.expected = np.cumsum([0, *most_positions(rules)]) / sum(most_positions(rules))
        self.facts = fact_table(rules)
        self.images = image_table(rules)
        self.bits = code_bits(rules)
        self.cells = rules.cells
        self.actions = rules.num_actions
        self.words = int(self.facts[at.ROW_WORDS])

    def build(self) -> Graph:
        rows = np.zeros((1, self.words), np.int64)
        rows[0, [at.WINNER, at.LAST]] = -1
        notes = np.array([[0, self.images.shape[1], NOT_OVER]])
        all_notes, all_counts, all_targets = [notes], [], []
        sizes = [1]
        for marks in range(self.cells + 1):
            rows, notes, counts, targets = self._expand_layer(rows, marks)
            all_notes.append(notes)
            all_counts.append(counts)
            all_targets.append((targets + sum(sizes)).astype(np.int32))
            sizes.append(len(notes))
        together = np.concatenate(all_notes)
        return Graph(
            codes=together[:, CODE].copy(),
            kinds=together[:, KIND].astype(np.int8),
            orbits=(self.images.shape[1] // together[:, FIXING]).astype(np.int32),
            first=np.concatenate([[0], np.cumsum(np.concatenate(all_counts))]),
            targets=np.concatenate(all_targets),
            layers=np.concatenate([[0], np.cumsum(sizes[: self.cells + 1])]),
        )

    def _expand_layer(self, rows: Array, marks: int) -> tuple[Array, Array, Array, Array]:
        """The rows and the notes of the next layer; of this one how many moves each position has, and their targets."""
        new = _Layer(self.words)
        counts = np.zeros(len(rows), np.int64)
        room = ROWS_AT_ONCE * self.actions
        targets = np.empty(room, np.int64)
        scratch = np.empty(self.actions, np.int64)
        parts = []
        for start in range(0, len(rows), ROWS_AT_ONCE):
            end = min(start + ROWS_AT_ONCE, len(rows))
            new.make_room(room)
            new.size = expand(
                self.facts, self.images, self.bits, rows[start:end], counts[start:end], targets,
                new.rows, new.notes, new.slots, new.size, scratch,
            )  # fmt: skip
            parts.append(targets[: counts[start:end].sum()].copy())
            if self.tick:
                done, after = self.expected[marks], self.expected[marks + 1]
                self.tick(done + (after - done) * end / len(rows))
        return new.rows[: new.size], new.notes[: new.size], counts, np.concatenate([targets[:0], *parts])


class _Layer:
    """A layer that grows: rows int64[room, words], notes int64[room, NOTE_WORDS], and a hash table of their codes.

    slots: int64[power of 2, at least twice the room], number of a position plus one, or 0.
    """

    def __init__(self, words: int) -> None:
        self.size = 0
        self.rows = np.empty((0, words), np.int64)
        self.notes = np.empty((0, NOTE_WORDS), np.int64)
        self.slots = np.zeros(2, np.int64)

    def make_room(self, more: int) -> None:
        needed = self.size + more
        if needed <= len(self.rows):
            return
        room = 2 * needed
        for name in ("rows", "notes"):
            old = getattr(self, name)
            grown = np.empty((room, old.shape[1]), np.int64)
            grown[: self.size] = old[: self.size]
            setattr(self, name, grown)
        self.slots = np.zeros(1 << (2 * room).bit_length(), np.int64)
        enter_all(self.notes, self.size, self.slots)


@inlined
def slot_of(notes: Table, slots: Ints, code: int) -> int:
    """The slot that holds a code, or the empty one where it belongs."""
    slot = mixed(code) & (len(slots) - 1)
    while slots[slot] != 0 and notes[slots[slot] - 1, CODE] != code:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@entry("void(int64[:, ::1], int64, int64[::1])")
def enter_all(notes: Table, size: int, slots: Ints) -> None:
    """Put the first `size` positions into a hash table that is empty."""
    for i in range(size):
        slots[slot_of(notes, slots, notes[i, CODE])] = i + 1


@inlined
def kind_of(row: Ints) -> int:
    if row[STATUS] == IN_PLAY:
        return NOT_OVER
    return WON + row[WINNER] if row[STATUS] == LINE else DRAWN


@entry(
    "int64(int64[::1], int64[:, ::1], int64, int64[:, ::1], int64[::1], int64[::1],"
    " int64[:, ::1], int64[:, ::1], int64[::1], int64, int64[::1])"
)
def expand(
    rules: Ints,
    images: Table,
    bits: int,
    rows: Rows,
    counts: Ints,
    targets: Ints,
    new_rows: Table,
    notes: Table,
    slots: Ints,
    size: int,
    scratch: Ints,
) -> int:
    """Play all moves of some rows and enter what they lead to in the next layer; return its size then.

    counts[i] becomes how many moves rows[i] has; `targets` gets the number in the next layer of what each leads to,
    one row after the other. The next layer (new_rows, notes, slots) has `size` positions and room for all that may
    come. `scratch` holds as many words as the game has actions. The rows are unchanged in the end.
    """
    move_number = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        code = code_of(rules, row, bits)
        counts[i] = fill_legal(rules, row, scratch, 0)
        for n in range(counts[i]):
            move = move_of(rules, row, scratch[n])
            least = least_code(images, code_after(code, move, bits), bits)
            slot = slot_of(notes, slots, least)
            if slots[slot] == 0:
                token = undo_token(row)
                apply_move(rules, row, move)
                for word in range(rules[ROW_WORDS]):
                    new_rows[size, word] = row[word]
                notes[size, CODE] = least
                notes[size, FIXING] = count_fixing(images, least, bits)
                notes[size, KIND] = kind_of(row)
                undo_move(rules, row, token)
                size += 1
                slots[slot] = size
            targets[move_number] = slots[slot] - 1
            move_number += 1
    return size
