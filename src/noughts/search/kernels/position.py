"""The position that a search stands on: its key and its evaluation, kept in step with the row of the kernel."""

from __future__ import annotations

from noughts.rules.kernels.core import action_of, apply_move, is_legal, undo_move, undo_token
from noughts.rules.kernels.jit import Ints, embedded, entry
from noughts.rules.kernels.layout import ALL_BLOCKS, BLOCKS, BONUS, CLOSED, MARKS, PLANES, PLAYER, SENT
from noughts.search.kernels.evaluate import judge_all, judge_move
from noughts.search.kernels.layout import (
    BONUS_KEY,
    CHANCE_OF,
    JUDGED,
    KEY,
    KEYS,
    MOVE,
    NODES,
    OLD_CHANCES,
    OLD_KEY,
    OLD_SCORE,
    OLD_SUMS,
    OLD_THREATS,
    SCORE,
    SEND,
    SENT_KEYS,
    SUMS_OF,
    THREATS,
    TOKEN,
    TURN_KEY,
    WHO,
)
from noughts.search.kernels.movegen import slot_of
from noughts.search.kernels.tt import remembered


@embedded
def position_key(rules: Ints, row: Ints, know: Ints, work: Ints) -> int:
    """The key of the marks, of where the next one must go, and of whose it is."""
    key = work[KEY]
    sent = row[SENT]
    if sent != 0 and know[SEND + ((sent - 1) & 15)] & rules[ALL_BLOCKS] & ~row[CLOSED] != 0:
        key ^= know[SENT_KEYS + (sent & 31)]
    return key ^ (know[TURN_KEY] * row[PLAYER]) ^ (know[BONUS_KEY] * row[BONUS])


@entry("int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def set_up(rules: Ints, row: Ints, know: Ints, work: Ints, memory: Ints) -> int:
    """Put key and evaluation of the position in `row` into `work`, for `look_ahead`.

    Returns the action remembered as best for it, or -1.
    """
    judge_all(rules, row, know, work)
    key = 0
    for mark in range(rules[MARKS]):
        for block in range(rules[BLOCKS]):
            cells = row[rules[PLANES] + mark * rules[BLOCKS] + block]
            for cell in range(16):
                if (cells >> cell) & 1 != 0:
                    key ^= know[KEYS + ((mark << 10) | (block << 4) | cell)]
    work[KEY] = key
    move = (remembered(memory, position_key(rules, row, know, work)) & 0xFFFF) - 1
    if move < 0:
        return -1
    action = action_of(rules, move)
    return action if is_legal(rules, row, action) else -1


@embedded
def make_move(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int, move: int) -> None:
    """Play a move, and keep in the frame what taking it back needs."""
    block = (move >> 8) & 63
    work[frame + MOVE] = move
    work[frame + TOKEN] = undo_token(row)
    work[frame + OLD_KEY] = work[KEY]
    work[KEY] ^= know[KEYS + slot_of(move)]
    work[NODES] += 1
    apply_move(rules, row, move)
    if know[JUDGED] == 0:
        return
    work[frame + OLD_SCORE] = work[SCORE]
    for player in range(2):
        work[frame + OLD_THREATS + player] = work[THREATS + player]
        work[frame + OLD_SUMS + player] = work[SUMS_OF + 64 * player + block]
        work[frame + OLD_CHANCES + player] = work[CHANCE_OF + 64 * player + block]
    judge_move(rules, row, know, work, work[frame + WHO] & 1, block, (move >> 4) & 15)


@embedded
def take_back(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int) -> None:
    """Undo what `make_move` did."""
    block = (work[frame + MOVE] >> 8) & 63
    undo_move(rules, row, work[frame + TOKEN])
    work[KEY] = work[frame + OLD_KEY]
    if know[JUDGED] == 0:
        return
    work[SCORE] = work[frame + OLD_SCORE]
    for player in range(2):
        work[THREATS + player] = work[frame + OLD_THREATS + player]
        work[SUMS_OF + 64 * player + block] = work[frame + OLD_SUMS + player]
        work[CHANCE_OF + 64 * player + block] = work[frame + OLD_CHANCES + player]
