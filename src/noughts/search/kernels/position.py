"""The current position of a search: Zobrist key and evaluation, updated together with the rules' row."""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints, Ints16
from noughts.rules.kernels.core import action_of, apply_move, is_legal, move_of, undo_token
from noughts.rules.kernels.core import undo_move as undo_on_row
from noughts.rules.kernels.jit import embedded, entry, inlined
from noughts.search.kernels import layout as at
from noughts.search.kernels.evaluate import evaluate, refresh_evaluation, undo_evaluation, update_evaluation
from noughts.search.kernels.movegen import slot_of
from noughts.search.kernels.tt import tt_move, tt_probe


@embedded
def zobrist_key(rules: Ints, row: Ints, params: Ints, work: Ints) -> int:
    """Returns the key of the marks, the open destined block, and the player to move."""
    key = work[at.KEY]
    sent = row[rules_at.SENT]
    if sent != 0 and params[at.SEND + sent - 1] & rules[rules_at.ALL_BLOCKS] & ~row[rules_at.CLOSED] != 0:
        key ^= params[at.ZOBRIST_SENT + sent]
    return key ^ (params[at.ZOBRIST_TURN] * row[rules_at.PLAYER]) ^ (params[at.ZOBRIST_BONUS] * row[rules_at.BONUS])


@inlined
def likely_key(row: Ints, params: Ints, work: Ints, move: int, destined: int) -> int:
    """Returns the expected `zobrist_key` after a quiet move that sends to `destined`, without a bonus.

    Used only for prefetching, so it may be wrong. Without it, a quarter of the search time is spent waiting for the
    table.
    """
    key = work[at.KEY] ^ params[at.ZOBRIST + slot_of(move)]
    if destined != 0:
        key ^= params[at.ZOBRIST_SENT + ((move >> 4) & 15) + 1]
    return key ^ (params[at.ZOBRIST_TURN] * (1 - row[rules_at.PLAYER]))


@inlined
def key_of_marks(rules: Ints, row: Ints, params: Ints) -> int:
    """Returns the key of the marks, from scratch."""
    key = params[at.FIRST_KEY]
    for mark in range(rules[rules_at.MARKS]):
        for block in range(rules[rules_at.BLOCKS]):
            cells = row[rules[rules_at.PLANES] + mark * rules[rules_at.BLOCKS] + block]
            for cell in range(16):
                if (cells >> cell) & 1 != 0:
                    key ^= params[at.ZOBRIST + ((mark << 10) | (block << 4) | cell)]
    return key


@inlined
def stored_action(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints) -> int:
    """Returns the transposition table's action for the position, or -1."""
    move = tt_move(tt_probe(tt, zobrist_key(rules, row, params, work)))
    if move < 0:
        return -1
    action = action_of(rules, move)
    return action if is_legal(rules, row, action) else -1


@entry
def set_position(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints16) -> tuple[int, int]:
    """Puts the key and evaluation of the position in `row` into `work`, for `alpha_beta`.

    Returns the transposition table's action for the position, or -1, and the static evaluation.
    """
    refresh_evaluation(rules, row, params, work, net)
    evaluation = evaluate(rules, row, params, work, net)
    work[at.KEY] = key_of_marks(rules, row, params)
    return stored_action(rules, row, params, work, tt), evaluation


@entry
def read_line(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, action: int, line: Ints) -> int:
    """Plays an action on `row`, then the actions of the transposition table as far as it has them.

    Writes them to `line`, and returns their number. Changes the key of the position in `work`.
    """
    work[at.KEY] = key_of_marks(rules, row, params)
    count = 0
    while action >= 0:
        line[count] = action
        count += 1
        move = move_of(rules, row, action)
        work[at.KEY] ^= params[at.ZOBRIST + slot_of(move)]
        apply_move(rules, row, move)
        action = -1
        if row[rules_at.STATUS] == rules_at.IN_PLAY:
            action = stored_action(rules, row, params, work, tt)
    return count


@embedded
def make_move(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, frame: int, move: int) -> None:
    """Plays a move, and saves in the frame what undoing it needs."""
    work[frame + at.MOVE] = move
    work[frame + at.TOKEN] = undo_token(row)
    work[frame + at.UNDO_KEY] = work[at.KEY]
    work[at.KEY] ^= params[at.ZOBRIST + slot_of(move)]
    work[at.NODES] += 1
    apply_move(rules, row, move)
    if params[at.EVALUATED] != at.UNEVALUATED:
        update_evaluation(rules, row, params, work, net, frame, move >> 8, (move >> 4) & 15)


@embedded
def undo_move(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, frame: int) -> None:
    """Undoes `make_move`."""
    undo_on_row(rules, row, work[frame + at.TOKEN])
    work[at.KEY] = work[frame + at.UNDO_KEY]
    if params[at.EVALUATED] != at.UNEVALUATED:
        undo_evaluation(row, params, work, net, frame, work[frame + at.MOVE] >> 8)
