"""Selective search: cuts nodes, and reduces or extends moves, by estimates.

None of this applies in a search to the end of the game (EXACT_SEARCH); cuts and extensions do not apply at the root.
The margins are tunable parameters: `layout.py`. Futility pruning, which needs the scores of moves, is in
`scored_movegen.py`.
"""

from __future__ import annotations

from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.jit import embedded, inlined
from noughts.search.kernels import layout as at
from noughts.search.kernels.evaluate import evaluate
from noughts.search.kernels.movegen import PLACE_BITS, TACTICAL_ORDER
from noughts.search.kernels.scored_movegen import may_prune
from noughts.search.kernels.tt import BOUND_UPPER, tt_bound, tt_depth, value_from_tt

LARGEST_GAP = 1 << 16
"""Limit, in score, of the distance to alpha that affects reductions; below alpha it is twice this."""


@embedded
def far_above_beta(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, frame: int) -> tuple[bool, int]:
    """Reverse futility pruning: returns whether a node's evaluation is so far above beta that no search is needed, and
    the value that it then has.
    """
    depth, beta = work[frame + at.DEPTH], work[frame + at.BETA]
    if (
        depth > params[at.REVERSE_DEPTH]
        or beta - work[frame + at.ALPHA] > 1
        or abs(beta) > at.PROVEN
        or not may_prune(work, frame, at.REVERSE_FUTILITY)
        or params[at.EVALUATED] == at.UNEVALUATED
    ):
        return False, 0
    value = evaluate(rules, row, params, work, net) - depth * params[at.REVERSE_MARGIN]
    return value >= beta, value


@inlined
def late_move_reduction(params: Ints, work: Ints, frame: int, index: int) -> int:
    """Returns the initial reduction, in plies, for the move at `index`."""
    tried = index - work[frame + at.FIRST]
    depth = work[frame + at.DEPTH]
    order = work[at.ORDER + index] >> PLACE_BITS
    if (
        depth < 3
        or tried < 1
        or order >= TACTICAL_ORDER
        or work[at.EXACT_SEARCH] != 0
        or work[at.TECHNIQUES] & at.LMR == 0
    ):
        return 0
    gap = max(-LARGEST_GAP, min(2 * LARGEST_GAP, work[frame + at.ALPHA] - order))
    steps = 0 + (tried >= 2) + (tried >= 4) + (tried >= 8) + (tried >= 16)  # without the 0, NumPy's booleans add to one
    less = params[at.REDUCTION_BASE] + steps * params[at.REDUCTION_STEP] + (gap * params[at.REDUCTION_GAP] >> 10)
    return max(0, min(less >> 10, depth - 2))


@inlined
def ask_singular(params: Ints, work: Ints, frame: int, ply: int) -> bool:
    """Returns whether to test if the table's move is singular, before it is tried, and sets up the frame below.

    The move is singular if all others fail low against a bound below its value, in a search of half the depth.
    """
    first, depth, data = work[frame + at.FIRST], work[frame + at.DEPTH], work[frame + at.TABLE_DATA]
    value = value_from_tt(data, ply)
    if (
        depth < params[at.SINGULAR_DEPTH]
        or work[frame + at.SINGULAR_PHASE] != at.UNASKED
        or work[frame + at.NEXT] != first
        or work[frame + at.UNGENERATED] == 0
        or not may_prune(work, frame, at.SINGULAR)
        or ply + depth + 1 >= at.MAX_DEPTH  # only an extension adds to the sum of both, at most two
        or tt_bound(data) == BOUND_UPPER
        or tt_depth(data) < depth - 3
        or abs(value) > at.PROVEN
    ):
        return False
    child = frame + at.FRAME_WORDS
    beta = value - depth * params[at.SINGULAR_MARGIN]
    work[frame + at.SINGULAR_PHASE] = at.ASKED
    work[frame + at.MOVE_BETA] = beta
    work[child + at.DEPTH] = (depth - 1) >> 1
    work[child + at.ALPHA] = beta - 1
    work[child + at.BETA] = beta
    work[child + at.FIRST] = work[frame + at.END]
    work[child + at.LEFT_OUT] = work[at.MOVES + first]
    return True


@inlined
def answer_singular(params: Ints, work: Ints, frame: int, ply: int, value: int) -> tuple[bool, int]:
    """Ends the search that `ask_singular` set up, and extends a singular move: by two plies if the others are far
    worse, but only within the nominal depth, so that extensions cannot add up for ever.

    `value` is that of the search. Returns False and the value of the node if the node is done: by a STOP, or because
    another move also exceeds beta (multi-cut).
    """
    work[frame + at.SINGULAR_PHASE] = at.ANSWERED
    bound = work[frame + at.MOVE_BETA]
    if value < bound:
        double = value < bound - params[at.DOUBLE_MARGIN] and ply < work[at.FRAMES + at.DEPTH]
        work[frame + at.EXTENSION] = 1 + double
    elif bound >= work[frame + at.BETA]:
        return False, bound
    return work[at.STOP] == 0, value
