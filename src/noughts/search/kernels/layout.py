"""The memory layout of an alpha-beta search: its parameters for a game, and its workspace, both int64 arrays.

`network_layout.py` has a network's additions to both, and its own int16 array.

The parameters (`params`), constant for a game and its evaluation weights; `weights.py` makes them:

    EVALUATED ... END_WIN     single words
    DRAW_SCORES, FIRST_KEY    of contempt: `set_contempt` sets them before each search
    FUTILITY_MARGIN ...       tunable parameters of the search
    PLANE_OF + p              where the marks of player p begin in a state row (2 words)
    MISSING + n               worth of a line to a player who needs n more cells of it (17 words)
    GAIN_TABLE + i            what one more mark on a line adds to both line sums: see `line_gain` (2048 words)
    CELL_LINES + 33*c + i     the lines through cell c, as many for each cell, if need be NO_LINE (16 x 33 words)
    WORTH + g                 worth of owning block g, in score units (64 words)
    SEND + c                  mask of the blocks that a move in cell c sends to (16 words)
    BLOCK_LINES + 96*g        lines of blocks through block g, as many for each block: for each its three other
                              blocks; SURE_BLOCK where it has fewer, NO_BLOCK for a line too few (64 x 96 words)
    COMPLETES + m             bits of four masks in one word: see `completing_cells` (16384 words)
    CHANCE_TABLE + 128*a + b  chance << 16 | chance: who will own a block, from the line sums a and b (16384 words)
    ZOBRIST + slot            Zobrist key of a mark in a cell (16384 words)
    ZOBRIST_SENT + s          Zobrist key of each value of SENT (17 words)
    ZOBRIST_TURN              Zobrist key of player 1 to move
    ZOBRIST_BONUS             Zobrist key of a bonus move

A *slot* numbers a mark in a cell: `mark << 10 | spot`. History and Zobrist keys are by slot.

The workspace (`work`):

    STOP ... TIME             single words
    EXCLUDED + i              root moves that are left out: the better ones of a MultiPV search
    LOST + i                  root moves that the search at hand has proven to lose
    THREATS, THREATS+1        bit g: player 0, 1 can win the open block g with one mark
    LINE_SUMS + 64*p + g      sum of MISSING over the lines of block g that are still open to player p
    CHANCE + 64*p + g         chance (of CHANCE_ONE) that block g will be player p's; 0 for NO_BLOCK, 1 for SURE_BLOCK
    LINE_GAINS + l            scratch of `handmade.py`: what a mark on line l of a block adds to the line sums
    THROUGH, THROUGH+1        scratch of `handmade.py`: by how much the mover's, the other's chance of a block counts
    QUIET_SUMS + c            scratch of `scored_movegen.py`: a quiet move in cell c of a block; see `quiet_score`
    HISTORY + slot            history heuristic: up where a mark in a cell made a beta cutoff, down where another did
    FRAMES + FRAME_WORDS*ply  the search stack, a frame for each ply
    MOVES + i, ORDER + i      the moves still to be tried of all plies, one after the other, and their move ordering
    ROWS + 32*p + g           where the row of the open block g lies, as player p sees it; only with a network
    ROW_KEYS + slot           the blocks whose rows are in the row cache of `network.py`; only with a network
"""

from __future__ import annotations

from typing import Final

MAX_PLY: Final = 160
"""Maximum plies of the stack. Deeper variations end there with an evaluation."""
MAX_DEPTH: Final = 120
"""Maximum depth of an iteration; quiescence continues beyond it, up to MAX_PLY."""

# Parameters.
EVALUATED: Final = 0  # kind of static evaluation: UNEVALUATED, HANDMADE or LEARNED
LINE_WEIGHT: Final = 1  # score of a certain line of blocks; negative if lines lose
TEMPO: Final = 2  # score of being to move
FREE: Final = 3  # score of a free choice of blocks
SENT_WEIGHT: Final = 4  # score, per 256 of the line sums, of the blocks in which the player to move must play
END_UNIT: Final = 5  # score of one point of margin at an end without a line
MOST_LINES: Final = 32  # of a game with a handmade evaluation
LINES_OF_CELL: Final = 6  # number of lines of CELL_LINES for each cell
LINES_OF_BLOCK: Final = 7  # number of lines of BLOCK_LINES for each block
WIN_ORDER: Final = 8  # move ordering of a move that wins a block
PLANE_OF: Final = 9
END_WIN: Final = 11  # score of more points at an end without a line, in addition to END_UNIT for each
DRAW_SCORES: Final = 23  # [2] score of a drawn end for player 0 and 1; other than 0 with contempt
FIRST_KEY: Final = 25  # Zobrist key of an empty board: with contempt another for each player who may have it
MISSING: Final = 32
GAIN_TABLE: Final = MISSING + 17
CELL_LINES: Final = GAIN_TABLE + 2048
WORTH: Final = CELL_LINES + 16 * 33
SEND: Final = WORTH + 64
BLOCK_LINES: Final = SEND + 16
BLOCK_LINE_WORDS: Final = 96
COMPLETES: Final = BLOCK_LINES + 64 * BLOCK_LINE_WORDS
CHANCE_TABLE: Final = COMPLETES + 16384
ZOBRIST: Final = CHANCE_TABLE + 16384
ZOBRIST_SENT: Final = ZOBRIST + 16384
ZOBRIST_TURN: Final = ZOBRIST_SENT + 17
ZOBRIST_BONUS: Final = ZOBRIST_TURN + 1
PARAM_WORDS: Final = ZOBRIST_BONUS + 1

# Tunable parameters, also words of the parameters. They are scores, except for depths, HISTORY_WEIGHT and values per
# 1024.
FUTILITY_MARGIN: Final = 12  # margin below alpha of quiet moves pruned at depth 2
FUTILITY_STEP: Final = 13  # additional margin for each further ply of depth
FUTILITY_DEPTH: Final = 14  # maximum depth of such pruning
REVERSE_MARGIN: Final = 15  # margin above beta, for each ply of depth, of nodes cut by their evaluation
REVERSE_DEPTH: Final = 16  # maximum depth of such nodes
SINGULAR_MARGIN: Final = 17  # margin, for each ply of depth, of a singular move over all others
SINGULAR_DEPTH: Final = 18  # minimum depth, 5 or more, for singular moves
REDUCTION_BASE: Final = 19  # reduction of the second move, in plies per 1024
REDUCTION_GAP: Final = 20  # additional reduction for each 1024 of score below alpha
HISTORY_WEIGHT: Final = 21  # weight of the history in the order of quiet moves
ASPIRATION_WINDOW: Final = 22  # half of the aspiration window
TACTICAL_BONUS: Final = 26  # added to the score by a network of a move that wins or fills its block, in its order
REDUCTION_STEP: Final = 27  # additional reduction from the third move on, and again from the fifth, ninth and 17th
DOUBLE_MARGIN: Final = 28  # further margin of a singular move that is extended by two plies
TUNABLE: Final = {
    "futility_margin": FUTILITY_MARGIN,
    "futility_step": FUTILITY_STEP,
    "futility_depth": FUTILITY_DEPTH,
    "reverse_margin": REVERSE_MARGIN,
    "reverse_depth": REVERSE_DEPTH,
    "singular_margin": SINGULAR_MARGIN,
    "singular_depth": SINGULAR_DEPTH,
    "double_margin": DOUBLE_MARGIN,
    "reduction_base": REDUCTION_BASE,
    "reduction_step": REDUCTION_STEP,
    "reduction_gap": REDUCTION_GAP,
    "history_weight": HISTORY_WEIGHT,
    "aspiration_window": ASPIRATION_WINDOW,
    "tactical_bonus": TACTICAL_BONUS,
}

# EVALUATED
UNEVALUATED: Final = 0  # all positions in play are even
HANDMADE: Final = 1
LEARNED: Final = 2

LARGEST_SUM: Final = 127
"""Line sums are clipped to this to index CHANCE_TABLE."""
CHANCE_ONE: Final = 1024
"""A chance of 1."""
NO_BLOCK: Final = 62
SURE_BLOCK: Final = 63
"""Stand for the missing blocks of a line: with the same number of factors, no branches are needed."""
NO_LINE: Final = 32
"""Its gain is always 0."""
LONGEST_LINE: Final = 4
"""Lines of more blocks are not evaluated: the product of their chances would not fit in a word."""
EVAL_BITS: Final = 40
"""STATIC_EVAL is kept in units of 2**-40, the product of four chances, so that nothing is ever rounded."""

# The workspace.
STOP: Final = 0  # 1 while the search is ending
NODES: Final = 1  # positions searched
NODE_LIMIT: Final = 2
STOP_REQUESTED: Final = 3  # 1 to stop as soon as STOP_DEFERRED allows; other threads may set it
KEY: Final = 4  # Zobrist key of the marks on the boards; `zobrist_key` adds the rest
STATIC_EVAL: Final = 5  # static evaluation for player 0, without what depends on the turn
ROOT_MOVE: Final = 6  # best move at the root, or -1
ROOT_SCORE: Final = 7
SELDEPTH: Final = 8  # longest variation searched
TECHNIQUES: Final = 9  # enabled techniques
EXCLUDED_COUNT: Final = 10
NEXT_TIME_CHECK: Final = 11  # value of NODES at which to read the clock
EXACT_SEARCH: Final = 12  # 1 if the depth reaches all ends of the game, so that nothing is reduced or pruned
GENERATION: Final = 13  # of the table's entries: 2 more for each search, modulo 64, and odd in an EXACT_SEARCH
STOP_DEFERRED: Final = 14  # 1 until the first iteration is complete, so that there is a move
TIME: Final = 15  # four words of `timeman.py`
EXCLUDED: Final = 20
EXCLUDED_ROOM: Final = 1004
THREATS: Final = EXCLUDED + EXCLUDED_ROOM
LINE_SUMS: Final = THREATS + 2
CHANCE: Final = LINE_SUMS + 128
LINE_GAINS: Final = CHANCE + 128
THROUGH: Final = LINE_GAINS + 33
QUIET_SUMS: Final = THROUGH + 2
ACCUMULATOR: Final = QUIET_SUMS + 16  # place of the position's accumulators in the network's array
LOST_COUNT: Final = ACCUMULATOR + 1  # number of root moves in LOST, which are proven to lose
LOST: Final = LOST_COUNT + 1
HISTORY: Final = LOST + EXCLUDED_ROOM
FRAME_WORDS: Final = 32
FRAMES: Final = HISTORY + 16384
MOVES: Final = FRAMES + FRAME_WORDS * (MAX_PLY + 1)
MOVE_ROOM: Final = 1 << 17
"""Room for the moves of all plies of a variation: MAX_DEPTH plies of the largest game."""
ORDER: Final = MOVES + MOVE_ROOM
ROWS: Final = ORDER + MOVE_ROOM
ROW_KEYS: Final = ROWS + 64
WORK_WORDS: Final = ROW_KEYS
"""Size of the workspace without a row cache, which adds a word for each slot."""

# TECHNIQUES
QUIESCENCE: Final = 1  # at the end of the depth, continue with moves that win a block
LMR: Final = 2  # late move reductions
HISTORY_HEURISTIC: Final = 4
TRANSPOSITION_TABLE: Final = 8
DANGER: Final = 16  # order moves by the block that they send to
FUTILITY: Final = 32  # futility pruning near the leaves
EVALUATION: Final = 64  # static evaluation; without it, all positions in play are even
REVERSE_FUTILITY: Final = 128  # reverse futility pruning near the leaves
SINGULAR: Final = 256  # singular extensions
ALL_TECHNIQUES: Final = 511
TECHNIQUE_NAMES: Final = {
    "quiescence": QUIESCENCE,
    "reductions": LMR,
    "history": HISTORY_HEURISTIC,
    "table": TRANSPOSITION_TABLE,
    "danger": DANGER,
    "futility": FUTILITY,
    "evaluation": EVALUATION,
    "reverse-futility": REVERSE_FUTILITY,
    "singular": SINGULAR,
}
"""Names for the option `without=` of the player alphabeta."""

# Scores: a win (WINNER in the row) is WIN minus the plies until then; all others are smaller.
WIN: Final = 1_000_000
PROVEN: Final = WIN - 2_000
"""Larger scores are forced wins and losses."""
RESULT_UNIT: Final = 100_000
"""The score for a result of 1 without a line; see `State.returns`."""
MAX_EVAL: Final = RESULT_UNIT - 1
"""The largest static evaluation of a position in play."""
INFINITE: Final = 1 << 30

# A frame: a node of the current variation.
DEPTH: Final = 0
ALPHA: Final = 1
BETA: Final = 2
OLD_ALPHA: Final = 3  # alpha when the node was entered
BEST: Final = 4  # best value so far
BEST_MOVE: Final = 5
FIRST: Final = 6  # start of its moves in MOVES
NEXT: Final = 7  # next move to try
END: Final = 8  # end of its moves
TO_MOVE: Final = 9  # player to move
NODE_KEY: Final = 10  # Zobrist key of the position
MOVE: Final = 11  # the move being tried
REDUCTION: Final = 12  # plies by which it is reduced
MOVE_BETA: Final = 13  # beta of its window
TOKEN: Final = 14  # data to undo it: the rules' token, KEY, and words of the evaluation
UNDO_KEY: Final = 15
UNDO_EVAL: Final = 16
UNDO_SUMS: Final = 17  # two words
UNDO_ROWS: Final = 17  # the same two: no search has both evaluations
UNDO_CHANCES: Final = 19  # two words
UNDO_THREATS: Final = 21  # two words
UNGENERATED: Final = 23  # 1 until its moves are generated, while there is only the table's move
TABLE_DATA: Final = 24  # the table's data on the position, or 0
LEFT_OUT: Final = 25  # move left out by the search for a singular move, or -1
SINGULAR_PHASE: Final = 26  # whether the table's move is singular: UNASKED, ASKED (being searched) or ANSWERED
EXTENSION: Final = 27  # extension of the table's move, in plies

# SINGULAR_PHASE
UNASKED: Final = 0
ASKED: Final = 1
ANSWERED: Final = 2
