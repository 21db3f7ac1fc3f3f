"""Where everything of a search lies: its knowledge of a game, and its workspace, both flat arrays of int64.

Knowledge, constant for a game and its weights:

    JUDGED ... END_UNIT       single words, see `weights.py`
    PLANE_OF + p              where the marks of player p begin in a state row (2 words)
    MISSING + n               worth of a line to a player who needs n more cells of it (17 words)
    GAIN + i                  what one more mark on a line adds to both line sums: see `line_gain` (2048 words)
    CELL_LINES + 33*c + i     the lines through cell c, as many for each cell, if need be NO_LINE (16 x 33 words)
    WORTH + g                 worth of owning block g, in score units (64 words)
    SEND + c                  mask of the blocks that a move in cell c sends to (16 words)
    BLOCK_LINES + 96*g        lines of blocks through block g, as many for each block: for each its three other
                              blocks; SURE_BLOCK where it has fewer, NO_BLOCK for a line too few (64 x 96 words)
    COMPLETES + m             bits of four masks in one word: see `completing_cells` (16384 words)
    CHANCES + 128*a + b       chance << 16 | chance: who will own a block, from the line sums a and b (16384 words)
    KEYS + slot               random number of a mark in a cell (16384 words)
    SENT_KEYS + s             random number of each value of SENT (17 words)
    TURN_KEY, BONUS_KEY       random numbers of player 1 to move, of a bonus move

A *slot* numbers a mark in a cell: `mark << 10 | spot`. History and keys are by slot.

The workspace:

    STOP ... TECHNIQUES       single words
    THREATS, THREATS+1        bit g: player 0, 1 can win the open block g with one mark
    SUMS_OF + 64*p + g        sum of MISSING over the lines of block g that are still open to player p
    CHANCE_OF + 64*p + g      chance (of 1024) that block g will be player p's; of NO_BLOCK it is 0, of SURE_BLOCK 1024
    GAINS + l                 scratch: what a mark on line l of a block adds to the line sums, see `judged.py`
    HISTORY + slot            how well a mark in a cell did: up where it refuted something, down where another did
    FRAMES + FRAME_WORDS*ply  the stack of the search
    MOVES + i, ORDER + i      moves still to be tried, of all plies one after the other, and how soon
"""

from __future__ import annotations

from typing import Final

MAX_PLY: Final = 160
"""Plies that the stack holds. Deeper lines are cut and judged."""
MAX_DEPTH: Final = 120
"""The deepest search; block wins behind it go on up to MAX_PLY."""

# Knowledge.
JUDGED: Final = 0  # 1 if positions are judged by lines, 0 if all of them count as even
LINE_WEIGHT: Final = 1  # score of a line of blocks that is certain
TEMPO: Final = 2  # score of being to move
FREE: Final = 3  # score of being to move anywhere
SENT_WEIGHT: Final = 4  # score, per 256 of the line sums, of the blocks in which the player to move must play
END_UNIT: Final = 5  # score of one point of margin at an end without a line
LINES_OF_CELL: Final = 6  # how many lines of CELL_LINES there are for each cell
LINES_OF_BLOCK: Final = 7  # how many lines of BLOCK_LINES there are for each block
PLANE_OF: Final = 8
MISSING: Final = 16
GAIN: Final = MISSING + 17
CELL_LINES: Final = GAIN + 2048
WORTH: Final = CELL_LINES + 16 * 33
SEND: Final = WORTH + 64
BLOCK_LINES: Final = SEND + 16
BLOCK_LINE_WORDS: Final = 96
COMPLETES: Final = BLOCK_LINES + 64 * BLOCK_LINE_WORDS
CHANCES: Final = COMPLETES + 16384
KEYS: Final = CHANCES + 16384
SENT_KEYS: Final = KEYS + 16384
TURN_KEY: Final = SENT_KEYS + 17
BONUS_KEY: Final = TURN_KEY + 1
KNOWLEDGE_WORDS: Final = BONUS_KEY + 1

LARGEST_SUM: Final = 127
"""Line sums are cut off here to index CHANCES."""
CERTAIN: Final = 1024
"""A chance of 1."""
NO_BLOCK: Final = 62
SURE_BLOCK: Final = 63
"""Stand in for the blocks that a line lacks: the same number of factors for all needs no branches."""
NO_LINE: Final = 32
"""Its gain is always 0."""
LONGEST_LINE: Final = 4
"""Lines of more blocks are not judged: the product of their chances would not fit a word."""
SCORE_BITS: Final = 40
"""SCORE is kept in units of 2**-40, the product of four chances, so that nothing is ever rounded."""

# The workspace.
STOP: Final = 0  # 1: the search is ending
NODES: Final = 1  # positions looked at
NODE_LIMIT: Final = 2
ASKED: Final = 3  # 1: end the search as soon as it is not HELD; another thread may set it
KEY: Final = 4  # of the marks on the boards; whose turn it is comes on top
SCORE: Final = 5  # of the position for player 0, without what depends on the turn
ROOT_MOVE: Final = 6  # best move found at the root, or -1
ROOT_SCORE: Final = 7
DEEPEST: Final = 8  # longest line seen
TECHNIQUES: Final = 9  # which parts of the search are on
SKIPPED: Final = 10  # how many moves to leave out at the root
NEXT_LOOK: Final = 11  # at how many NODES to look at the clock
EXACT: Final = 12  # 1 if the depth reaches the end of every line: then nothing is reduced
AGE: Final = 13  # number of this search, modulo 64
RESULT: Final = 14  # value that the position looked at last returned
HELD: Final = 15  # 1 until the first depth is finished, so that there is a move
CLOCK: Final = 16  # four words of `clock.py`
SKIP_LIST: Final = 20  # the moves to leave out at the root
SKIP_ROOM: Final = 1004
THREATS: Final = SKIP_LIST + SKIP_ROOM
SUMS_OF: Final = THREATS + 2
CHANCE_OF: Final = SUMS_OF + 128
GAINS: Final = CHANCE_OF + 128
HISTORY: Final = GAINS + 33
FRAME_WORDS: Final = 32
FRAMES: Final = HISTORY + 16384
MOVES: Final = FRAMES + FRAME_WORDS * (MAX_PLY + 1)
MOVE_ROOM: Final = 1 << 17
"""Moves of all plies of one line together: MAX_DEPTH plies of the largest game that the kernel holds."""
ROOM_MASK: Final = MOVE_ROOM - 1
ORDER: Final = MOVES + MOVE_ROOM
WORK_WORDS: Final = ORDER + MOVE_ROOM

# TECHNIQUES
QUIESCENCE: Final = 1  # look at block wins where the depth ends
REDUCTIONS: Final = 2  # look at late moves less deeply at first
HISTORY_ORDER: Final = 4
TABLE: Final = 8  # remember positions
DANGER: Final = 16  # order by where a move sends the opponent
FUTILITY: Final = 32  # leave out hopeless moves two plies before the depth ends
ALL_TECHNIQUES: Final = 63
TECHNIQUE_NAMES: Final = {
    "quiescence": QUIESCENCE,
    "reductions": REDUCTIONS,
    "history": HISTORY_ORDER,
    "table": TABLE,
    "danger": DANGER,
    "futility": FUTILITY,
}

# Scores: lines of the game end it at WIN minus the plies until then; everything else is smaller.
WIN: Final = 1_000_000
PROVEN: Final = WIN - 2_000
"""Scores beyond are wins and losses that nothing can avert."""
CERTAIN_SCORE: Final = 100_000
"""The score that stands for a result of 1 without a line; see `State.returns`."""
LARGEST_SCORE: Final = CERTAIN_SCORE - 1
"""What a position in play can be judged to be worth."""
INFINITE: Final = 1 << 30

# A frame: one position on the line that is being looked at.
DEPTH: Final = 0
ALPHA: Final = 1
BETA: Final = 2
FLOOR: Final = 3  # alpha at the start
BEST: Final = 4
BEST_MOVE: Final = 5
FIRST: Final = 6  # where its moves begin in MOVES
NEXT: Final = 7  # the next one to try
END: Final = 8  # behind the last one
WHO: Final = 9  # player to move
HASH: Final = 10  # key of the position with its turn
MOVE: Final = 11  # the move being tried
REDUCED: Final = 12  # plies by which it is reduced
CEILING: Final = 13  # upper bound of the window it was tried with
TOKEN: Final = 14  # what undoing it needs
OLD_KEY: Final = 15  # KEY, SCORE and the block's words before it
OLD_SCORE: Final = 16
OLD_SUMS: Final = 17  # two words
OLD_CHANCES: Final = 19  # two words
OLD_THREATS: Final = 21  # two words
UNLISTED: Final = 23  # 1 until its moves are listed: before that there is only the remembered one
