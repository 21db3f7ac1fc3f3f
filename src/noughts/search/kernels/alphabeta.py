"""Alpha-beta: principal variation search with a transposition table, on a stack of its own.

`look_ahead` returns the value of a position at a depth, for the player to move, as far as the window asks:

    value <= alpha   implies   value <= result <= alpha
    alpha < value < beta   implies   result == value
    beta <= value   implies   beta <= result <= value

(without REDUCTIONS and FUTILITY; those trade this for depth, except in a search to the end of the game: that one is
EXACT).
A player who has a bonus moves twice: then window and value keep their sign from one ply to the next.

Indices are masked although they are in range, for the reason that `rules.kernel` gives.

The stack is walked in four phases: ENTER a position; TRY its next move; the position below has RETURNED; and COUNT
what a move came to, after taking it back. Recursion compiles longer, and runs slower.
"""

from __future__ import annotations

from numba import int64

from noughts.rules.kernels.core import may_play, playable_blocks
from noughts.rules.kernels.jit import Ints, embedded, entry, inlined
from noughts.rules.kernels.layout import IN_PLAY, PLAYER, STATUS
from noughts.search.kernels.evaluate import end_score, leaf_score
from noughts.search.kernels.frontier import list_judged
from noughts.search.kernels.layout import (
    AGE,
    ALPHA,
    ASKED,
    BEST,
    BEST_MOVE,
    BETA,
    CEILING,
    CLOCK,
    DEEPEST,
    DEPTH,
    END,
    EXACT,
    FIRST,
    FLOOR,
    FRAME_WORDS,
    FRAMES,
    HASH,
    HELD,
    INFINITE,
    JUDGED,
    MAX_PLY,
    MOVE,
    MOVES,
    NEXT,
    NEXT_LOOK,
    NODE_LIMIT,
    NODES,
    ORDER,
    PROVEN,
    QUIESCENCE,
    REDUCED,
    REDUCTIONS,
    RESULT,
    ROOM_MASK,
    ROOT_MOVE,
    ROOT_SCORE,
    SKIPPED,
    STOP,
    TABLE,
    TECHNIQUES,
    THREATS,
    UNLISTED,
    WHO,
)
from noughts.search.kernels.movegen import (
    LOUD,
    PLACE_BITS,
    REMEMBERED,
    add_move,
    drop_skipped,
    list_unjudged,
    pick_next,
    reward_refutation,
)
from noughts.search.kernels.position import make_move, position_key, take_back
from noughts.search.kernels.timeman import time_is_up
from noughts.search.kernels.tt import (
    AT_LEAST,
    AT_MOST,
    EXACTLY,
    age_of,
    answers,
    from_record,
    remember,
    remembered,
    to_record,
)

ENTER, TRY, RETURNED, COUNT, DONE = 0, 1, 2, 3, 4
SETTLED = -2
LOOK_EVERY = 1000
"""Positions between two looks at the clock: about a tenth of a millisecond."""


@inlined
def watch_limits(work: Ints) -> bool:
    """Whether to stop; looks at the clock now and then."""
    if work[NODES] >= work[NEXT_LOOK]:
        work[NEXT_LOOK] = work[NODES] + LOOK_EVERY
        if time_is_up(work, CLOCK):
            work[ASKED] = 1
    if work[NODES] >= work[NODE_LIMIT]:
        work[ASKED] = 1
    if work[ASKED] != 0 and work[HELD] == 0:
        work[STOP] = 1
    return work[STOP] != 0


@embedded
def look_up(rules: Ints, row: Ints, know: Ints, work: Ints, memory: Ints, frame: int, ply: int) -> int:
    """The move remembered as best, or -1; SETTLED if its value answers what the frame asks, in RESULT."""
    key = position_key(rules, row, know, work)
    work[frame + HASH] = key
    if work[TECHNIQUES] & TABLE == 0:
        return -1
    record = remembered(memory, key)
    if record == 0:
        return -1
    score = from_record(record, ply)
    # What an earlier search found out may rest on reductions, and is not exact.
    trusted = work[EXACT] == 0 or age_of(record) == work[AGE] or abs(score) > PROVEN
    if ply > 0 and trusted and answers(record, score, work[frame + DEPTH], work[frame + ALPHA], work[frame + BETA]):
        work[RESULT] = score
        return SETTLED
    return (record & 0xFFFF) - 1


@embedded
def enter(rules: Ints, row: Ints, know: Ints, work: Ints, memory: Ints, frame: int, ply: int) -> bool:
    """Begin with a position: its first move, and True; or False if its value is already known, in RESULT."""
    work[frame + FLOOR] = work[frame + ALPHA]
    work[frame + WHO] = row[PLAYER]
    work[frame + BEST_MOVE] = -1
    work[frame + BEST] = -INFINITE
    work[frame + NEXT] = work[frame + FIRST]
    work[frame + END] = work[frame + FIRST]
    work[frame + UNLISTED] = 1
    if work[frame + DEPTH] <= 0:
        standing = leaf_score(rules, row, know, work)
        work[RESULT] = standing
        if standing >= work[frame + BETA] or ply >= MAX_PLY:
            return False
        work[frame + BEST] = standing
        work[frame + ALPHA] = max(work[frame + ALPHA], standing)
        return True
    if know[JUDGED] == 0 or work[frame + DEPTH] > 1 or ply == 0:
        best = look_up(rules, row, know, work, memory, frame, ply)
        if best == SETTLED:
            return False
        if best >= 0 and may_play(rules, row, best) and (ply > 0 or work[SKIPPED] == 0):
            work[frame + END] = add_move(work, frame, work[frame + FIRST] & ROOM_MASK, best, REMEMBERED)
    return True


@inlined
def list_rest(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int) -> None:
    """List the moves of a position, when the one remembered as best was not enough."""
    work[frame + UNLISTED] = 0
    if know[JUDGED] != 0:
        list_judged(rules, row, know, work, frame)
    else:
        list_unjudged(rules, row, work, frame)
    if frame == FRAMES:
        drop_skipped(work, frame)


@inlined
def reduction(work: Ints, frame: int, at: int) -> int:
    """By how many plies to look less deeply at a move, at first."""
    tried = at - work[frame + FIRST]
    depth = work[frame + DEPTH]
    if (
        depth < 3
        or tried < 3
        or work[ORDER + (at & ROOM_MASK)] >> PLACE_BITS >= LOUD
        or work[EXACT] != 0
        or work[TECHNIQUES] & REDUCTIONS == 0
    ):
        return 0
    return min(1 + (tried >= 6) + (tried >= 12), depth >> 1)


@inlined
def ask_below(work: Ints, frame: int, same: bool, depth: int, ceiling: int) -> None:
    """Set the frame below: the window from alpha to `ceiling`, as its player sees it."""
    below = frame + FRAME_WORDS
    alpha = work[frame + ALPHA]
    work[frame + CEILING] = ceiling
    work[below + DEPTH] = depth
    work[below + ALPHA] = alpha if same else -ceiling
    work[below + BETA] = ceiling if same else -alpha
    work[below + FIRST] = work[frame + END]


@inlined
def leave(work: Ints, memory: Ints, frame: int, ply: int) -> None:
    """All moves that matter are tried: remember the value and put it into RESULT."""
    best = work[frame + BEST]
    work[RESULT] = best
    whole = ply > 0 or work[SKIPPED] == 0
    if work[frame + DEPTH] > 1 and whole and work[TECHNIQUES] & TABLE != 0:
        bound = EXACTLY
        if best >= work[frame + BETA]:
            bound = AT_LEAST
        elif best <= work[frame + FLOOR]:
            bound = AT_MOST
        depth = work[frame + DEPTH]
        remember(work, memory, work[frame + HASH], work[frame + BEST_MOVE], bound, depth, to_record(best, ply))


@embedded
def try_next(rules: Ints, row: Ints, know: Ints, work: Ints, memory: Ints, frame: int, ply: int) -> int:
    """Play the next move: COUNT if its value is in RESULT, ENTER if one must look further. DONE if there is none."""
    cut = work[frame + ALPHA] >= work[frame + BETA]
    if work[frame + NEXT] >= work[frame + END] and work[frame + UNLISTED] != 0 and not cut:
        list_rest(rules, row, know, work, frame)
        cut = work[frame + ALPHA] >= work[frame + BETA]
    if work[frame + NEXT] >= work[frame + END] or cut:
        leave(work, memory, frame, ply)
        return DONE
    at = pick_next(work, frame)
    player = work[frame + WHO]
    make_move(rules, row, know, work, frame, work[MOVES + (at & ROOM_MASK)])
    if row[STATUS] != IN_PLAY:
        work[RESULT] = end_score(rules, row, know, player, ply + 1)
        return COUNT
    same = row[PLAYER] == player
    depth = work[frame + DEPTH] - 1
    if depth <= 0:
        hot = playable_blocks(rules, row) & work[THREATS + (row[PLAYER] & 1)]
        if hot == 0 or work[TECHNIQUES] & QUIESCENCE == 0:
            score = leaf_score(rules, row, know, work)
            work[RESULT] = score if same else -score
            return COUNT
    less = reduction(work, frame, at)
    work[frame + REDUCED] = less
    beta = work[frame + BETA]
    ask_below(work, frame, same, depth - less, beta if at == work[frame + FIRST] else work[frame + ALPHA] + 1)
    return ENTER


@inlined
def look_again(row: Ints, work: Ints, frame: int) -> bool:
    """After RETURNED: turn the value to this frame's player; whether the move must be looked at more closely."""
    same = row[PLAYER] == work[frame + WHO]
    score = work[RESULT] if same else -work[RESULT]
    work[RESULT] = score
    beta = work[frame + BETA]
    narrow = work[frame + CEILING] != beta and score < beta
    if score <= work[frame + ALPHA] or not (narrow or work[frame + REDUCED] > 0):
        return False
    work[frame + REDUCED] = 0
    ask_below(work, frame, same, work[frame + DEPTH] - 1, beta)
    return True


@inlined
def count_result(work: Ints, frame: int, ply: int) -> None:
    """Take the value of the move just tried, in RESULT, into account."""
    score = work[RESULT]
    if score <= work[frame + BEST]:
        return
    move = work[frame + MOVE]
    work[frame + BEST] = score
    work[frame + BEST_MOVE] = move
    if score <= work[frame + ALPHA]:
        return
    work[frame + ALPHA] = score
    if ply == 0:
        work[ROOT_MOVE] = move
        work[ROOT_SCORE] = score
    if score >= work[frame + BETA] and work[frame + DEPTH] > 1:
        reward_refutation(work, frame, work[frame + NEXT] - 1, work[frame + DEPTH])


@entry("int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64, int64, int64)")
def look_ahead(rules: Ints, row: Ints, know: Ints, work: Ints, memory: Ints, depth: int, alpha: int, beta: int) -> int:
    """The value of the position in `row`, that of `set_up`, `depth` >= 1 moves deep; the module says what it means.

    ROOT_MOVE and ROOT_SCORE of `work` are the last move found that raised alpha; they hold after a STOP too, when the
    value returned means nothing. The row is left as it was.
    """
    frame = FRAMES
    work[frame + DEPTH] = depth
    work[frame + ALPHA] = alpha
    work[frame + BETA] = beta
    work[frame + FIRST] = 0
    ply: int = int64(0)  # a plain 0 is a type of its own for Numba, and everything would be compiled twice
    phase = ENTER
    while True:
        frame = FRAMES + FRAME_WORDS * (ply & 255)
        if phase == ENTER:
            work[DEEPEST] = max(work[DEEPEST], ply)
            going_on = not watch_limits(work) and enter(rules, row, know, work, memory, frame, ply)
            phase = TRY if going_on else DONE
        elif phase == TRY:
            phase = try_next(rules, row, know, work, memory, frame, ply)
            if phase == ENTER:
                ply += 1
        elif phase == RETURNED:
            if work[STOP] == 0 and look_again(row, work, frame):
                ply += 1
                phase = ENTER
            else:
                phase = COUNT
        elif phase == COUNT:
            take_back(rules, row, know, work, frame)
            if work[STOP] != 0:
                phase = DONE
            else:
                count_result(work, frame, ply)
                phase = TRY
        else:
            if ply == 0:
                return work[RESULT]
            ply -= 1
            phase = RETURNED
