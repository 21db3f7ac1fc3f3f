"""Alpha-beta: principal variation search (PVS) with a transposition table, on a stack of its own.

`alpha_beta` returns the value of a position at a depth, for the player to move, within the window:

    value <= alpha   implies   value <= result <= alpha
    alpha < value < beta   implies   result == value
    beta <= value   implies   beta <= result <= value

(without LMR, FUTILITY, REVERSE_FUTILITY and SINGULAR, which trade this for depth, except in a search to the end of the
game: EXACT_SEARCH). A player with a bonus moves twice; window and value then keep their sign from one ply to the next.

The stack is walked in phases: enter a node; try its next move; a child is done, and its move may need a re-search; a
move has its value; the node is done. Recursion would compile and run more slowly.
"""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints, Ints16
from noughts.rules.kernels.core import may_play, playable_blocks
from noughts.rules.kernels.jit import embedded, entry, inlined, int64
from noughts.search.kernels import layout as at
from noughts.search.kernels.evaluate import end_score, evaluate
from noughts.search.kernels.movegen import (
    TT_MOVE_ORDER,
    add_move,
    drop_excluded,
    generate_moves,
    pick_move,
    update_history,
)
from noughts.search.kernels.position import make_move, undo_move, zobrist_key
from noughts.search.kernels.scored_movegen import generate_scored_moves
from noughts.search.kernels.selective import answer_singular, ask_singular, far_above_beta, late_move_reduction
from noughts.search.kernels.timeman import time_is_up
from noughts.search.kernels.tt import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    tt_cutoff,
    tt_generation,
    tt_move,
    tt_probe,
    tt_store,
    value_from_tt,
    value_to_tt,
)

ENTER_NODE, TRY_MOVE, CHILD_DONE, MOVE_DONE, NODE_DONE = 0, 1, 2, 3, 4
CUTOFF = -2
TIME_CHECK_NODES = 1000
"""Nodes between two looks at the clock: about a tenth of a millisecond."""


@inlined
def check_limits(work: Ints) -> bool:
    """Returns whether to stop; reads the clock at intervals."""
    if work[at.NODES] >= work[at.NEXT_TIME_CHECK]:
        work[at.NEXT_TIME_CHECK] = work[at.NODES] + TIME_CHECK_NODES
        if time_is_up(work, at.TIME):
            work[at.STOP_REQUESTED] = 1
    if work[at.NODES] >= work[at.NODE_LIMIT]:
        work[at.STOP_REQUESTED] = 1
    if work[at.STOP_REQUESTED] != 0 and work[at.STOP_DEFERRED] == 0:
        work[at.STOP] = 1
    return work[at.STOP] != 0


@embedded
def probe_node(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, frame: int, ply: int) -> tuple[int, int]:
    """Returns the table's move for a node, or -1, or CUTOFF if the table's value settles the node; and that value."""
    key = zobrist_key(rules, row, params, work)
    work[frame + at.NODE_KEY] = key
    if work[at.TECHNIQUES] & at.TRANSPOSITION_TABLE == 0:
        return -1, 0
    data = tt_probe(tt, key)
    work[frame + at.TABLE_DATA] = data
    if data == 0:
        return -1, 0
    value = value_from_tt(data, ply)
    # Entries of pruning iterations are not exact; their generations are even, those of exact ones odd.
    trusted = work[at.EXACT_SEARCH] == 0 or tt_generation(data) == work[at.GENERATION] or abs(value) > at.PROVEN
    depth, alpha, beta = work[frame + at.DEPTH], work[frame + at.ALPHA], work[frame + at.BETA]
    if ply > 0 and trusted and tt_cutoff(data, value, depth, alpha, beta):
        return CUTOFF, value
    return tt_move(data), value


@embedded
def enter_node(
    rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints, frame: int, ply: int
) -> tuple[bool, int]:
    """Enters a node. Returns True, with its first move set; or False and its value, which is already known."""
    work[frame + at.OLD_ALPHA] = work[frame + at.ALPHA]
    work[frame + at.TO_MOVE] = row[rules_at.PLAYER]
    work[frame + at.BEST_MOVE] = -1
    work[frame + at.BEST] = -at.INFINITE
    work[frame + at.NEXT] = work[frame + at.FIRST]
    work[frame + at.END] = work[frame + at.FIRST]
    work[frame + at.UNGENERATED] = 1
    work[frame + at.TABLE_DATA] = 0
    work[frame + at.SINGULAR_PHASE] = at.UNASKED
    work[frame + at.EXTENSION] = 0
    if work[frame + at.LEFT_OUT] >= 0:
        first = work[frame + at.FIRST]
        work[frame + at.END] = add_move(work, frame, first, work[frame + at.LEFT_OUT], TT_MOVE_ORDER)
        work[frame + at.NEXT] = work[frame + at.END]
        return True, 0
    if work[frame + at.DEPTH] <= 0:
        stand_pat = evaluate(rules, row, params, work, net)
        if stand_pat >= work[frame + at.BETA] or ply >= at.MAX_PLY:
            return False, stand_pat
        work[frame + at.BEST] = stand_pat
        work[frame + at.ALPHA] = max(work[frame + at.ALPHA], stand_pat)
        return True, 0
    if params[at.EVALUATED] == at.UNEVALUATED or work[frame + at.DEPTH] > 1 or ply == 0:
        move, value = probe_node(rules, row, params, work, tt, frame, ply)
        if move == CUTOFF:
            return False, value
        if move >= 0 and may_play(rules, row, move) and (ply > 0 or work[at.EXCLUDED_COUNT] == 0):
            first = work[frame + at.FIRST]
            work[frame + at.END] = add_move(work, frame, first, move, TT_MOVE_ORDER)
    is_cut, value = far_above_beta(rules, row, params, work, net, frame)
    return not is_cut, value


@inlined
def generate(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints, frame: int) -> None:
    """Generates the moves of a node, after the table's move caused no cutoff."""
    work[frame + at.UNGENERATED] = 0
    if params[at.EVALUATED] != at.UNEVALUATED:
        generate_scored_moves(rules, row, params, work, tt, net, frame)
    else:
        generate_moves(rules, row, work, frame)
    if frame == at.FRAMES:
        drop_excluded(work, frame)


@inlined
def set_child(work: Ints, frame: int, same: bool, depth: int, beta: int) -> None:
    """Sets the frame below: depth, and the window from alpha to `beta`, from the view of its player (same: this
    player).
    """
    child = frame + at.FRAME_WORDS
    alpha = work[frame + at.ALPHA]
    work[frame + at.MOVE_BETA] = beta
    work[child + at.DEPTH] = depth
    work[child + at.ALPHA] = alpha if same else -beta
    work[child + at.BETA] = beta if same else -alpha
    work[child + at.FIRST] = work[frame + at.END]
    work[child + at.LEFT_OUT] = -1


@inlined
def leave_node(work: Ints, tt: Ints, frame: int, ply: int) -> int:
    """Ends a node: stores its value in the table, and returns it."""
    best = work[frame + at.BEST]
    all_moves = work[frame + at.LEFT_OUT] < 0 and (ply > 0 or work[at.EXCLUDED_COUNT] == 0)
    if work[frame + at.DEPTH] > 1 and all_moves and work[at.TECHNIQUES] & at.TRANSPOSITION_TABLE != 0:
        bound = BOUND_EXACT
        if best >= work[frame + at.BETA]:
            bound = BOUND_LOWER
        elif best <= work[frame + at.OLD_ALPHA]:
            bound = BOUND_UPPER
        key, move, depth = work[frame + at.NODE_KEY], work[frame + at.BEST_MOVE], work[frame + at.DEPTH]
        tt_store(work, tt, key, move, bound, depth, value_to_tt(best, ply))
    return best


@embedded
def try_move(
    rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints, frame: int, ply: int
) -> tuple[int, int]:
    """Makes the next move. Returns the next phase and a value: MOVE_DONE and the value of the move; ENTER_NODE if its
    child must be searched; NODE_DONE and the value of the node if there is no move left, or after a beta cutoff.
    """
    cutoff = work[frame + at.ALPHA] >= work[frame + at.BETA]
    if work[frame + at.NEXT] >= work[frame + at.END] and work[frame + at.UNGENERATED] != 0 and not cutoff:
        generate(rules, row, params, work, tt, net, frame)
        cutoff = work[frame + at.ALPHA] >= work[frame + at.BETA]
    if work[frame + at.NEXT] >= work[frame + at.END] or cutoff:
        return NODE_DONE, leave_node(work, tt, frame, ply)
    if ask_singular(params, work, frame, ply):
        return ENTER_NODE, 0
    index = pick_move(work, frame)
    player = work[frame + at.TO_MOVE]
    make_move(rules, row, params, work, net, frame, work[at.MOVES + index])
    if row[rules_at.STATUS] != rules_at.IN_PLAY:
        return MOVE_DONE, end_score(rules, row, params, player, ply + 1)
    same = row[rules_at.PLAYER] == player
    depth = work[frame + at.DEPTH] - 1
    if index == work[frame + at.FIRST]:
        depth += work[frame + at.EXTENSION]
    if depth <= 0:
        hot = playable_blocks(rules, row) & work[at.THREATS + row[rules_at.PLAYER]]
        if hot == 0 or work[at.TECHNIQUES] & at.QUIESCENCE == 0:
            score = evaluate(rules, row, params, work, net)
            return MOVE_DONE, score if same else -score
    less = late_move_reduction(params, work, frame, index)
    work[frame + at.REDUCTION] = less
    beta = work[frame + at.BETA]
    set_child(work, frame, same, depth - less, beta if index == work[frame + at.FIRST] else work[frame + at.ALPHA] + 1)
    return ENTER_NODE, 0


@inlined
def needs_research(work: Ints, frame: int, same: bool, score: int) -> bool:
    """After CHILD_DONE, returns whether the move needs a re-search, and sets it up. `score` is its value for this
    frame's player; same: that player moves again.

    It does if a search with a null window or a reduced depth found it better than alpha.
    """
    beta = work[frame + at.BETA]
    null_window = work[frame + at.MOVE_BETA] != beta and score < beta
    if score <= work[frame + at.ALPHA] or not (null_window or work[frame + at.REDUCTION] > 0):
        return False
    work[frame + at.REDUCTION] = 0
    set_child(work, frame, same, work[frame + at.DEPTH] - 1, beta)
    return True


@inlined
def update_best(work: Ints, frame: int, ply: int, score: int) -> None:
    """Updates the best move with the last move's value."""
    move = work[frame + at.MOVE]
    if ply == 0 and score < -at.PROVEN:
        work[at.LOST + work[at.LOST_COUNT]] = move
        work[at.LOST_COUNT] += 1
    if score <= work[frame + at.BEST]:
        return
    work[frame + at.BEST] = score
    work[frame + at.BEST_MOVE] = move
    if score <= work[frame + at.ALPHA]:
        return
    work[frame + at.ALPHA] = score
    if ply == 0:
        work[at.ROOT_MOVE] = move
        work[at.ROOT_SCORE] = score
    if score >= work[frame + at.BETA] and work[frame + at.DEPTH] > 1:
        update_history(work, frame, work[frame + at.NEXT] - 1, work[frame + at.DEPTH])


@entry
def alpha_beta(
    rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints16, depth: int, alpha: int, beta: int
) -> int:
    """Returns the value of the position in `row`, set by `set_position`, at a depth of 1 or more; see the module.

    ROOT_MOVE and ROOT_SCORE of `work` are the last move that raised alpha, and are valid even after a STOP, when the
    returned value is meaningless. Restores the row.
    """
    frame = at.FRAMES
    work[frame + at.DEPTH] = depth
    work[frame + at.ALPHA] = alpha
    work[frame + at.BETA] = beta
    work[frame + at.FIRST] = 0
    work[frame + at.LEFT_OUT] = -1
    work[at.LOST_COUNT] = 0
    ply: int = int64(0)  # Numba gives a plain 0 its own type, and would compile everything twice
    value: int = int64(0)
    phase = ENTER_NODE
    while True:
        frame = at.FRAMES + at.FRAME_WORDS * ply
        if phase == ENTER_NODE:
            work[at.SELDEPTH] = max(work[at.SELDEPTH], ply)
            going_on = not check_limits(work)
            if going_on:
                going_on, value = enter_node(rules, row, params, work, tt, net, frame, ply)
            phase = TRY_MOVE if going_on else NODE_DONE
        elif phase == TRY_MOVE:
            phase, value = try_move(rules, row, params, work, tt, net, frame, ply)
            if phase == ENTER_NODE:
                ply += 1
        elif phase == CHILD_DONE:
            if work[frame + at.SINGULAR_PHASE] == at.ASKED:
                going_on, value = answer_singular(params, work, frame, ply, value)
                phase = TRY_MOVE if going_on else NODE_DONE
            else:
                same = row[rules_at.PLAYER] == work[frame + at.TO_MOVE]
                value = value if same else -value
                phase = MOVE_DONE
                if work[at.STOP] == 0 and needs_research(work, frame, same, value):
                    ply += 1
                    phase = ENTER_NODE
        elif phase == MOVE_DONE:
            undo_move(rules, row, params, work, net, frame)
            if work[at.STOP] != 0:
                phase = NODE_DONE
            else:
                update_best(work, frame, ply, value)
                phase = TRY_MOVE
        else:
            if ply == 0:
                return value
            ply -= 1
            phase = CHILD_DONE
