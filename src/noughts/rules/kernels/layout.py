"""The layout of the state row and of the fact table, both flat arrays of int64.

A state is one row:

    word            meaning
    PLAYER          the player to move, 0 or 1 (0 when the game is over)
    STATUS          IN_PLAY, LINE, FULL or NO_MOVES
    WINNER          0 or 1 if STATUS is LINE, or FULL with a MAJORITY, else -1
    SENT            cell of the last move plus one in nested games: the destined block; 0: any block
    BONUS           1 if the move to make is a bonus move
    PLY             marks on the boards
    LAST            the last move, encoded (see below), or -1
    USED            bit m: mark m has been placed, in games where each is placed once
    CLOSED          bit g: block g is won or full
    WON, WON+1      bit g: block g belongs to player 0, 1
    TAKEN+g         bit c: cell c of block g holds a mark                        (blocks words)
    PLANES + m*blocks + g   bit c: cell c of block g holds mark m                (marks*blocks words)
    SUMS + l        worth of the marks on line l, in games of sums               (lines words)

TAKEN is a constant; PLANES and SUMS depend on the game and are read from the fact table.

A `State` has more words after its row, which kernels over many states do not need:

    STACK + ply     the undo token of the move at that ply                      (cells + 1 words)
    LEGAL + i       the i-th legal action                                        (actions words)

A move is encoded in two ways. An *action* is the public number, row-major over the whole board:
`index * choices + mark`. A *move* is the kernel's form: block, cell and mark in bits,
`block << 8 | cell << 4 | mark`. `INDEX_OF` and `SPOT_OF` translate index <-> spot, spot = move >> 4.
"""

from __future__ import annotations

from typing import Final

# The state row.
PLAYER: Final = 0
STATUS: Final = 1
WINNER: Final = 2
SENT: Final = 3
BONUS: Final = 4
PLY: Final = 5
LAST: Final = 6
USED: Final = 7
CLOSED: Final = 8
WON: Final = 9
TAKEN: Final = 11

# STATUS
IN_PLAY: Final = 0
LINE: Final = 1
FULL: Final = 2
NO_MOVES: Final = 3
REASONS: Final = ("in play", "line", "full", "no_moves")

# The fact table: scalars first.
CELLS: Final = 0  # cells of a block
BLOCKS: Final = 1  # blocks of all boards
NESTED: Final = 2  # 0 or 1
ALL_CELLS: Final = 3  # mask of the cells of a block
ALL_BLOCKS: Final = 4  # mask of all blocks
MARKS: Final = 5
CHOICES: Final = 6  # actions for one cell: 1 if each player has one mark, else MARKS
PLACES: Final = 7  # two words: bit m: player 0, 1 may place mark m
ONCE: Final = 9  # 0 or 1
SUM: Final = 10  # worth of a winning line, or 0: equal marks
MISERE: Final = 11  # 0 or 1
EXTRA_MOVE: Final = 12  # 1 if winning a block gives a bonus move
WIN_POINTS: Final = 13
LOSS_POINTS: Final = 14
ACTIONS: Final = 15
ROW_WORDS: Final = 16  # length of a state row
PLANES: Final = 17  # offsets into the state row
SUMS: Final = 18
STACK: Final = 19
LEGAL: Final = 20
STATE_WORDS: Final = 21  # length of a row with its stack and its legal actions
MAJORITY: Final = 22  # 1 if more points win when there is no line

# Then tables, each at a fixed offset.
SENT_TO: Final = 32  # [17] by SENT: mask of the destined blocks (0: all)
BOARD_SHIFT: Final = SENT_TO + 17  # [64] by block: number of the first block of its board
POINTS: Final = BOARD_SHIFT + 64  # [64] by block: points for its owner in a game without a line
LINES_AT: Final = POINTS + 64  # [16 x CELL_LINE_WORDS] by cell: number of lines, then the lines
CELL_LINE_WORDS: Final = 129
LINE_MASK: Final = LINES_AT + 16 * CELL_LINE_WORDS  # [128] by line: mask of its cells
INDEX_OF: Final = LINE_MASK + 128  # [1024] by spot: row-major cell number over the boards
SPOT_OF: Final = INDEX_OF + 1024  # [1024] by row-major cell number: spot
WINS: Final = SPOT_OF + 1024  # [1024] bit x: the cells of mask x hold a line
FACT_WORDS: Final = WINS + 1024

# The table of one symmetry: where blocks [64], cells [16] and marks [16] go.
BLOCK_TO: Final = 0
CELL_TO: Final = 64
MARK_TO: Final = 80
SYMMETRY_WORDS: Final = 96
