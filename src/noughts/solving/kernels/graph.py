"""Computes the next layer of a game's graph, and finds positions in it.

A layer is all positions with the same number of marks. While it is being built, it has

    rows   int64[room, ROW_WORDS]    the state row of one of the symmetric positions
    notes  int64[room, NOTE_WORDS]   its least code, the number of symmetries that fix it, its kind
    slots  int64[power of 2, at least twice the room]   hash table by least code: number of a position plus one, or 0
"""

from __future__ import annotations

from typing import Final

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Ints, Matrix, Rows
from noughts.rules.kernels.core import apply_move, fill_legal, move_of, undo_move, undo_token
from noughts.rules.kernels.jit import entry, inlined
from noughts.solving.kernels.codes import code_after, code_of, count_fixing, hash_of, kind_of, least_code

# The notes on a position.
CODE: Final = 0
FIXING: Final = 1
KIND: Final = 2
NOTE_WORDS: Final = 3


@entry(atomic=True)
def position_code(rules: Ints, images: Matrix, bits: int, row: Ints) -> int:
    """Returns the least code of a row."""
    return least_code(images, code_of(rules, row, bits), bits)


@entry(atomic=True)
def child_codes(rules: Ints, images: Matrix, bits: int, row: Ints, actions: Ints, codes: Ints) -> int:
    """Writes the legal actions in rising order and the least code after each; returns their number. Restores the row.

    `actions` and `codes` have a word for each action of the game.
    """
    code = code_of(rules, row, bits)
    count = fill_legal(rules, row, actions, 0)
    for i in range(count):
        codes[i] = least_code(images, code_after(code, move_of(rules, row, actions[i]), bits), bits)
    return count


@inlined
def slot_of(notes: Matrix, slots: Ints, code: int) -> int:
    """Returns the slot of a code, or the empty slot for it."""
    slot = hash_of(code) & (len(slots) - 1)
    while slots[slot] != 0 and notes[slots[slot] - 1, CODE] != code:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@entry
def enter_all(notes: Matrix, size: int, slots: Ints) -> None:
    """Puts the first `size` positions into an empty hash table."""
    for i in range(size):
        slots[slot_of(notes, slots, notes[i, CODE])] = i + 1


@entry
def expand(
    rules: Ints,
    images: Matrix,
    bits: int,
    rows: Rows,
    counts: Ints,
    targets: Ints,
    new_rows: Matrix,
    notes: Matrix,
    slots: Ints,
    size: int,
    scratch: Ints,
) -> int:
    """Plays all moves of some rows and adds the resulting positions to the next layer; returns its new size.

    counts[i] becomes the number of moves of rows[i]; `targets` receives the number of each resulting position in the
    next layer, row by row. The next layer (new_rows, notes, slots) has `size` positions and room for all new ones.
    `scratch` has a word for each action of the game. Restores the rows.
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
                for word in range(rules[at.ROW_WORDS]):
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
