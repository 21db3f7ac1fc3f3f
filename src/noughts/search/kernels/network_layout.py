"""The memory layout of a network: its int16 array (`net`), and its additions to the parameters of a search.

Lanes are int16. An accumulator has WIDTH lanes, a block's vector RANK, and a block's row 2 * WIDTH: the first half is
added to an accumulator, the second half too if the player to move is sent to the block.

The array (`net`); `search/network.py` makes it:

    ACCUMULATORS + 2*WIDTH*ply + WIDTH*p   the accumulators of a position, as player p sees it, by ply
    BASE                     scratch: an accumulator without the block of a quiet move, or with a block closed
    NOTHING                  zeros
    FREE_CHOICE              what a free choice of blocks adds for the player to move
    BONUS_MOVE               what a bonus move adds
    BIAS                     an accumulator without any block
    VECTOR_BIAS              a block's vector without any mark (RANK lanes)
    OUTPUT + WIDTH*(PHASES*view + phase)   weights of the output, by view of draws and phase of the game
    CLOSED + 3*WIDTH*g + WIDTH*o   a closed block g: won by the viewer (o = 0), by the other (1), by nobody (2)

and behind these, at places that depend on the game and are words of the parameters:

    patterns                 a vector for each pattern of each part of a block
    matrices                 for each block a matrix from its vector to its row: the weights of lanes 2j and 2j + 1 lie
                             side by side, those to the next lane of the row behind them, for processors that
                             multiply and add in pairs
    row cache                rows of open blocks, made when first needed: CACHE_AT + 2*WIDTH*slot

A *part* is a set of up to nine cells of a block; its pattern is a number in base three, a digit a cell: 0 for none, 1
for a mark of the viewer, 2 for one of the other. PARTS_OF says which: a 3x3 block is one part, a 4x4 block six
overlapping ones. The part tables give, for a mask of eight cells, the sum of the digits 1 of those cells.
"""

from __future__ import annotations

from typing import Final

from noughts.search.kernels.layout import MAX_PLY, PARAM_WORDS

WIDTH: Final = 64
"""Lanes of an accumulator, the hidden units."""
RANK: Final = 32
"""Lanes of a block's vector; networks of lower rank are padded with zeros."""
PHASES: Final = 8
VIEWS: Final = 3
"""Views of a draw, if a network has contempt: neutral, bad for the player to move, bad for the other."""
MOST_PARTS: Final = 6
MOST_BLOCKS: Final = 32
MOST_MARKS: Final = 256
PARTS_OF: Final[dict[int, tuple[tuple[int, ...], ...]]] = {
    3: (tuple(range(9)),),
    4: (
        (0, 1, 2, 3, 4, 5, 6, 7),
        (8, 9, 10, 11, 12, 13, 14, 15),
        (0, 4, 8, 12, 1, 5, 9, 13),
        (2, 6, 10, 14, 3, 7, 11, 15),
        (4, 1, 9, 6, 14, 11),
        (5, 2, 10, 7, 8, 13),
    ),
}
"""By side of a block. 4x4: the upper and the lower rows, the left and the right columns, and two sets that hold the
diamonds: (1, 4, 6, 9) with (11, 14), and (2, 5, 7, 10) with (8, 13)."""

# Quantisation: the integer that represents 1, for each kind.
HIDDEN_ONE: Final = 255
"""Unit of accumulators and rows. A hidden unit is clipped to 0 and this value, so its square fits in 16 bits."""
VECTOR_ONE: Final = 256
ROW_SHIFT: Final = 12
MATRIX_ONE: Final = (HIDDEN_ONE << ROW_SHIFT) // VECTOR_ONE
"""A vector times a matrix, shifted by ROW_SHIFT, gives a row."""
OUTPUT_ONE: Final = 512
SQUARE_SHIFT: Final = 2
"""Bits dropped from squares of hidden units, so that they fit in a signed lane."""

# Limits, enforced when loading, so that no sum can overflow:
LARGEST_PART: Final = 4095
"""Largest lane of a pattern or of VECTOR_BIAS: seven of them fit int16."""
LARGEST_VECTOR: Final = 1024
"""Largest lane of a vector: RANK products with a matrix of int16 fit int32."""
LARGEST_OUTPUT: Final = 2048
"""WIDTH products with squares of hidden units fit int32."""

ACCUMULATORS: Final = 0
BASE: Final = ACCUMULATORS + (MAX_PLY + 2) * 2 * WIDTH
NOTHING: Final = BASE + WIDTH
FREE_CHOICE: Final = NOTHING + WIDTH
BONUS_MOVE: Final = FREE_CHOICE + WIDTH
BIAS: Final = BONUS_MOVE + WIDTH
VECTOR_BIAS: Final = BIAS + WIDTH
OUTPUT: Final = VECTOR_BIAS + WIDTH
CLOSED: Final = OUTPUT + VIEWS * PHASES * WIDTH
BEHIND: Final = CLOSED + MOST_BLOCKS * 3 * WIDTH

SLOT_BITS: Final = 10
"""The row cache has 4 << SLOT_BITS rows for each block: see `slot_of_row`."""

# Words behind the other parameters.
VECTOR_LOW: Final = PARAM_WORDS  # vectors are clipped to this and VECTOR_TOP
VECTOR_TOP: Final = VECTOR_LOW + 1
ROW_LIMIT: Final = VECTOR_TOP + 1  # rows are clipped to this and its opposite, so accumulators fit in int16
MATRICES_AT: Final = ROW_LIMIT + 1
CACHE_AT: Final = MATRICES_AT + 1
PATTERNS_AT: Final = CACHE_AT + 1  # [MOST_PARTS] starts of the vectors of each part; NOTHING for a missing part
PART_LOW: Final = PATTERNS_AT + MOST_PARTS  # [MOST_PARTS x 256] by mask of cells 0 to 7
PART_HIGH: Final = PART_LOW + MOST_PARTS * 256  # [MOST_PARTS x 256] by mask of cells 8 to 15
STAGES: Final = MOST_MARKS + 1
OUTPUT_AT: Final = PART_HIGH + MOST_PARTS * 256  # [2 x STAGES] by player to move, by marks: where the output is
OUTPUT_BIAS: Final = OUTPUT_AT + 2 * STAGES  # [2 x STAGES] the same
SQUASH: Final = OUTPUT_BIAS + 2 * STAGES  # [2 * SQUASH_STEPS + 2] from the output to a score, see `squashed`
SQUASH_SHIFT: Final = 15
SQUASH_STEPS: Final = 2048
NETWORK_PARAM_WORDS: Final = SQUASH + 2 * SQUASH_STEPS + 2
