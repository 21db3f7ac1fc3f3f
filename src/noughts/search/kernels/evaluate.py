"""Static evaluation: one interface to the handmade and the learned evaluation.

The parameter EVALUATED selects one of them, or none. Both are updated move by move, and their score does not depend on
the moves that led to a position. Both score a quiet move without making it.
"""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.core import apply_move, points, undo_move, undo_token
from noughts.rules.kernels.jit import called, embedded, inlined
from noughts.search.kernels import layout as at
from noughts.search.kernels.handmade import (
    begin_quiet_chances,
    chances_score,
    refresh_chances,
    save_chances,
    score_quiet_chances,
    undo_chances,
    update_chances,
)
from noughts.search.kernels.marks import update_threats
from noughts.search.kernels.network import (
    accumulator_seen,
    begin_quiet_network,
    network_score,
    refresh_accumulators,
    score_closed_network,
    score_quiet_network,
    squashed,
    undo_accumulators,
    update_accumulators,
)


@inlined
def refresh_evaluation(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints) -> None:
    """Computes the evaluation from scratch."""
    work[at.THREATS] = 0
    work[at.THREATS + 1] = 0
    if params[at.EVALUATED] == at.UNEVALUATED:
        return
    for block in range(rules[rules_at.BLOCKS]):
        update_threats(rules, row, params, work, block)
    if params[at.EVALUATED] == at.LEARNED:
        refresh_accumulators(rules, row, params, work, net)
    else:
        refresh_chances(rules, row, params, work)


@inlined
def update_evaluation(
    rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, frame: int, block: int, cell: int
) -> None:
    """Updates the evaluation after a mark of the frame's player; the frame keeps the previous values."""
    work[frame + at.UNDO_THREATS] = work[at.THREATS]
    work[frame + at.UNDO_THREATS + 1] = work[at.THREATS + 1]
    update_threats(rules, row, params, work, block)
    if params[at.EVALUATED] == at.LEARNED:
        update_accumulators(row, params, work, net, frame, block)
    else:
        save_chances(work, frame, block)
        update_chances(rules, row, params, work, work[frame + at.TO_MOVE], block, cell)


@inlined
def undo_evaluation(row: Ints, params: Ints, work: Ints, net: Ints, frame: int, block: int) -> None:
    """Undoes `update_evaluation`, after the mark itself was taken back."""
    work[at.THREATS] = work[frame + at.UNDO_THREATS]
    work[at.THREATS + 1] = work[frame + at.UNDO_THREATS + 1]
    if params[at.EVALUATED] == at.LEARNED:
        undo_accumulators(row, params, work, net, frame, block)
    else:
        undo_chances(work, frame, block)


@inlined
def evaluate(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints) -> int:
    """Returns the static evaluation of a position in play, for the player to move."""
    if params[at.EVALUATED] == at.UNEVALUATED:
        return 0
    if params[at.EVALUATED] == at.LEARNED:
        return network_score(rules, row, params, work, net, accumulator_seen(row, work))
    return chances_score(rules, row, params, work)


@inlined
def begin_quiet(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, block: int) -> None:
    """Computes the common part of all quiet moves in a block, for `score_quiet`."""
    if params[at.EVALUATED] == at.LEARNED:
        begin_quiet_network(row, params, work, net, block)
    else:
        begin_quiet_chances(rules, row, params, work, block)


@inlined
def score_quiet(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, block: int, cells: int) -> None:
    """Writes to QUIET_SUMS what `quiet_score` needs for quiet moves in some cells of a block."""
    if params[at.EVALUATED] == at.LEARNED:
        score_quiet_network(rules, row, params, work, net, block, cells)
    else:
        score_quiet_chances(rules, row, params, work, block, cells)


@inlined
def quiet_score(params: Ints, quiet_sum: int) -> int:
    """Returns the score, for the player to move, of a quiet move. A larger sum never has a smaller score."""
    return -squashed(params, -quiet_sum) if params[at.EVALUATED] == at.LEARNED else quiet_sum


@embedded
def end_score(rules: Ints, row: Ints, params: Ints, player: int, ply: int) -> int:
    """Returns the score of a finished game for a player, `ply` moves after the root."""
    if row[rules_at.WINNER] >= 0:
        return at.WIN - ply if row[rules_at.WINNER] == player else ply - at.WIN
    margin = points(rules, row, player) - points(rules, row, 1 - player)
    if margin == 0:
        return params[at.DRAW_SCORES + player]
    won = (margin > 0) - (margin < 0)
    return margin * params[at.END_UNIT] + won * params[at.END_WIN]


@called
def score_closing(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, move: int) -> int:
    """Returns the score by the network, for the player to move, of a move that wins or fills its block.

    Only the rules play the move, so this takes a fraction of the time of making it.
    """
    player = row[rules_at.PLAYER]
    token = undo_token(row)
    apply_move(rules, row, move)
    if row[rules_at.STATUS] != rules_at.IN_PLAY:
        score = end_score(rules, row, params, player, 0)
    else:
        score = score_closed_network(rules, row, params, work, net, move >> 8)
        if row[rules_at.PLAYER] != player:
            score = -score
    undo_move(rules, row, token)
    return score
