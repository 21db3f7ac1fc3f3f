"""Steps many states at once: one row per state in a two-dimensional array, without Python per state.

Shapes: rows int64[n, ROW_WORDS], actions int64[n], streams uint64[n], masks int8[n, ACTIONS].
"""

from __future__ import annotations

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import ByteRows, Ints, Rows, Streams
from noughts.rules.kernels.core import action_of, apply_move, fill_legal, is_legal, move_of, reset
from noughts.rules.kernels.jit import entry
from noughts.rules.kernels.playout import next_random, random_move

ILLEGAL = -1
"""Result of a step whose action was not legal; its state is unchanged."""
NO_ACTION = -1
"""The random action of a state whose game is over."""


@entry
def reset_all(rules: Ints, rows: Rows) -> None:
    """Makes every row the initial state."""
    for i in range(rows.shape[0]):
        reset(rules, rows[i])


@entry
def step_all(rules: Ints, rows: Rows, actions: Ints, results: Ints) -> None:
    """Plays actions[i] in rows[i]; results[i] becomes the new status, or ILLEGAL."""
    for i in range(rows.shape[0]):
        row = rows[i]
        if is_legal(rules, row, actions[i]):
            apply_move(rules, row, move_of(rules, row, actions[i]))
            results[i] = row[at.STATUS]
        else:
            results[i] = ILLEGAL


@entry
def choose_all(rules: Ints, rows: Rows, streams: Streams, actions: Ints) -> None:
    """Chooses a uniformly random legal action for every state, each from its own random stream."""
    for i in range(rows.shape[0]):
        actions[i] = NO_ACTION
        if rows[i][at.STATUS] == at.IN_PLAY:
            streams[i] = next_random(streams[i])
            actions[i] = action_of(rules, random_move(rules, rows[i], streams[i]))


@entry
def mask_all(rules: Ints, rows: Rows, masks: ByteRows, scratch: Ints) -> None:
    """Sets masks[i, a] to 1 where action a is legal in rows[i], else to 0. `scratch` holds ACTIONS words."""
    for i in range(rows.shape[0]):
        mask = masks[i]
        for action in range(rules[at.ACTIONS]):
            mask[action] = 0
        for n in range(fill_legal(rules, rows[i], scratch, 0)):
            mask[scratch[n]] = 1
