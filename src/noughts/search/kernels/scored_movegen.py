"""Move generation in games with a static evaluation: quiet moves get scores without being made.

A *tactical* move wins or fills its block; it must be made to be evaluated, though a network scores it for its order. A
*quiet* move, any other, changes only its block, and most of the work is the same for all cells of the block, so scoring
all quiet moves costs little more than scoring one. The scores equal those of making the move and calling `evaluate`.

The scores are used for move ordering, and near the leaves for futility pruning. At frontier nodes, one ply before the
leaves, where a search does most of its work, they are the values of the moves: no move is made there unless quiescence
must follow.
"""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.bits import count_bits, lowest_bit
from noughts.rules.kernels.core import playable_blocks, playable_marks
from noughts.rules.kernels.jit import embedded, inlined
from noughts.search.kernels import layout as at
from noughts.search.kernels.evaluate import begin_quiet, quiet_score, score_closing, score_quiet
from noughts.search.kernels.marks import cells_of, completing_cells
from noughts.search.kernels.movegen import add_move, history_of, tried_move
from noughts.search.kernels.position import likely_key
from noughts.search.kernels.tt import tt_prefetch

GIVES_FREE_MOVE_ORDER = 1 << 33
GIVES_BLOCK_ORDER = 1 << 32
SCORED_TOGETHER = 4
"""How many quiet moves a frontier node scores by a network before it uses their scores. The processor works on several
at once as long as no branch depends on a score; but after a cutoff the rest was for nothing."""
HOT_PENALTY = 20_000
"""Penalty in the order, in score, of a quiet move that lets the opponent win a block at once."""


@inlined
def may_prune(work: Ints, frame: int, technique: int) -> bool:
    """Returns whether a technique may prune in a frame: not at the root, nor in a search to the end of the game."""
    return frame != at.FRAMES and work[at.EXACT_SEARCH] == 0 and work[at.TECHNIQUES] & technique != 0


@inlined
def danger(rules: Ints, row: Ints, params: Ints, work: Ints, cell: int) -> int:
    """Returns the danger, in steps of the order, of sending the opponent to the block of `cell`."""
    destined = params[at.SEND + cell] & rules[rules_at.ALL_BLOCKS] & ~row[rules_at.CLOSED]
    threats = work[at.THREATS + 1 - row[rules_at.PLAYER]]
    if work[at.TECHNIQUES] & at.DANGER == 0:
        return 0
    if destined == 0:
        return GIVES_FREE_MOVE_ORDER + (GIVES_BLOCK_ORDER if threats != 0 else 0)
    return GIVES_BLOCK_ORDER if destined & threats != 0 else 0


@inlined
def add_tactical(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, frame: int, moves: int, win: int) -> None:
    """Lists tactical moves, given as `block << 16 | cells`: by their score if a network gives it, else wins first."""
    mark = lowest_bit(playable_marks(rules, row))
    tried = tried_move(work, frame)
    end = work[frame + at.END]
    cells = moves & 0xFFFF
    while cells != 0:
        cell = lowest_bit(cells)
        cells &= cells - 1
        move = ((moves >> 16) << 8) | (cell << 4) | mark
        if move != tried:
            if params[at.EVALUATED] == at.LEARNED:
                order = params[at.TACTICAL_BONUS] + score_closing(rules, row, params, work, net, move)
            else:
                order = win - danger(rules, row, params, work, cell)
            end = add_move(work, frame, end, move, order)
    work[frame + at.END] = end


@inlined
def largest_sum(work: Ints, cells: int) -> int:
    """Returns the largest of the QUIET_SUMS of some cells."""
    largest = work[at.QUIET_SUMS + lowest_bit(cells)]
    cells &= cells - 1
    while cells != 0:
        largest = max(largest, work[at.QUIET_SUMS + lowest_bit(cells)])
        cells &= cells - 1
    return largest


@embedded
def add_quiet(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints, frame: int, moves: int) -> None:
    """Scores quiet moves, given as `block << 16 | cells`, and uses the scores, until one causes a beta cutoff."""
    player = row[rules_at.PLAYER]
    block = moves >> 16
    cells = moves & 0xFFFF
    mark = lowest_bit(playable_marks(rules, row))
    unclosed = rules[rules_at.ALL_BLOCKS] & ~row[rules_at.CLOSED]
    threats = work[at.THREATS + 1 - player] & ~(1 << block)
    threatened = completing_cells(params, cells_of(row, params, 1 - player, block)) & ~row[rules_at.TAKEN + block]
    begin_quiet(rules, row, params, work, net, block)
    while cells != 0 and work[frame + at.ALPHA] < work[frame + at.BETA]:
        later = 0
        if work[frame + at.DEPTH] <= 1:  # a cutoff may come soon
            later = cells
            for _ in range(SCORED_TOGETHER if params[at.EVALUATED] == at.LEARNED else 1):
                later &= later - 1
        scored = cells ^ later
        cells = later
        score_quiet(rules, row, params, work, net, block, scored)
        if work[frame + at.DEPTH] <= 1 and frame != at.FRAMES:
            score = quiet_score(params, largest_sum(work, scored))
            if score <= work[frame + at.ALPHA]:  # as at most nodes: none of these moves needs a look of its own
                work[at.NODES] += count_bits(scored)
                work[frame + at.BEST] = max(work[frame + at.BEST], score)
                continue
        while scored != 0 and work[frame + at.ALPHA] < work[frame + at.BETA]:
            cell = lowest_bit(scored)
            scored &= scored - 1
            move = (block << 8) | (cell << 4) | mark
            destined = params[at.SEND + cell] & unclosed
            if work[frame + at.DEPTH] > 2:  # the table is probed from depth 2 on
                tt_prefetch(tt, likely_key(row, params, work, move, destined))
            if destined == 0:
                destined = unclosed
            still = (1 << block) if threatened & ~(1 << cell) != 0 else 0
            score = quiet_score(params, work[at.QUIET_SUMS + cell])
            use_score(params, work, frame, move, score, destined & (threats | still) != 0)


@inlined
def use_score(params: Ints, work: Ints, frame: int, move: int, score: int, hot: bool) -> None:
    """Lists, prunes or counts a quiet move by its score. hot: whether it lets the opponent win a block at once.

    A hot move is worth at most its score: at a frontier node it is searched only if that is above alpha.
    """
    depth = work[frame + at.DEPTH]
    if frame == at.FRAMES or depth > 1:
        most = score + params[at.FUTILITY_MARGIN] + (depth - 2) * params[at.FUTILITY_STEP]
        if (
            depth <= params[at.FUTILITY_DEPTH]
            and most <= work[frame + at.ALPHA]
            and may_prune(work, frame, at.FUTILITY)
        ):
            work[frame + at.BEST] = max(work[frame + at.BEST], most)
        elif move != tried_move(work, frame):
            order = score + params[at.HISTORY_WEIGHT] * history_of(work, move)
            if hot and work[at.TECHNIQUES] & at.DANGER != 0:
                order -= HOT_PENALTY
            work[frame + at.END] = add_move(work, frame, work[frame + at.END], move, order)
    elif score > work[frame + at.ALPHA] and hot and work[at.TECHNIQUES] & at.QUIESCENCE != 0:
        work[frame + at.END] = add_move(work, frame, work[frame + at.END], move, score)
    else:
        work[at.NODES] += 1
        if score > work[frame + at.BEST]:
            work[frame + at.BEST] = score
            work[frame + at.BEST_MOVE] = move
            work[frame + at.ALPHA] = max(work[frame + at.ALPHA], score)


@embedded
def generate_scored_moves(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints, frame: int) -> None:
    """Generates the ordered moves of a node, except the one already tried; in quiescence only block wins."""
    player = row[rules_at.PLAYER]
    blocks = playable_blocks(rules, row)
    quiescence = work[frame + at.DEPTH] <= 0
    if quiescence:
        blocks &= work[at.THREATS + player]
    while blocks != 0 and work[frame + at.ALPHA] < work[frame + at.BETA]:
        block = lowest_bit(blocks)
        blocks &= blocks - 1
        empty = rules[rules_at.ALL_CELLS] & ~row[rules_at.TAKEN + block]
        winning = completing_cells(params, cells_of(row, params, player, block)) & empty
        tactical = winning if quiescence or empty & (empty - 1) != 0 else empty
        if tactical != 0:
            win = params[at.WIN_ORDER] if winning != 0 else 0
            add_tactical(rules, row, params, work, net, frame, (block << 16) | tactical, win)
        if empty != tactical and not quiescence:
            add_quiet(rules, row, params, work, tt, net, frame, (block << 16) | (empty & ~tactical))
