"""Steps many games of an agent against an opponent at once: the compiled core of the vectorised environment.

The opponent is random, or a table of its choices in a game of one block. The key of a position is its planes one after
the other, CELLS bits for each mark. table[key] to table[key + 1] - 1 are the places in the same table of the actions
that it chooses from. A table that begins with 0 stands for the random opponent.

A step of one game is the agent's move and all moves of the opponent until the agent is to move again or the game is
over. Shapes: rows int64[n, ROW_WORDS], streams uint64[n], actions int64[n], payoffs float64[PAYOFF_WORDS], rewards
float64[n], ends int8[n], seen int8[n, planes], masks int8[n, ACTIONS], last_seen as seen, scratch int64[ACTIONS],
table int64[].
"""

from __future__ import annotations

from typing import Final

import numpy as np

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import ByteRows, Bytes, Ints, Reals, Rows, Streams
from noughts.rules.kernels.core import apply_move, fill_legal, is_legal, move_of, points, reset
from noughts.rules.kernels.jit import entry, inlined
from noughts.rules.kernels.observe import fill_observation, update_observation
from noughts.rules.kernels.playout import next_random, random_move, scale

# Rewards at the end: see `Rewards`. SCALE turns a difference of points into a margin inside (-1, 1).
WIN: Final = 0
DRAW: Final = 1
LOSS: Final = 2
STEP: Final = 3
LAST_STEP: Final = 4
ILLEGAL: Final = 5
SCALE: Final = 6
PAYOFF_WORDS: Final = 7

# State of an episode after a step.
GOES_ON: Final = 0
OVER: Final = 1
BROKEN_OFF: Final = 2  # ended by an illegal action

NO_MOVE: Final = -1


@inlined
def _margin(rules: Ints, row: Ints, seat: int, scale: float) -> float:
    """Returns the agent's result of a finished game, -1 to 1, as in `State.returns`."""
    if row[at.WINNER] >= 0:
        return 1.0 if row[at.WINNER] == seat else -1.0
    return (points(rules, row, seat) - points(rules, row, 1 - seat)) / scale


@inlined
def _reply(rules: Ints, row: Ints, stream: np.uint64, table: Ints) -> int:
    """Returns the opponent's move: one from the table for the position; without a table any legal one."""
    if table[0] == 0:
        return random_move(rules, row, stream)
    key = 0
    for mark in range(rules[at.MARKS]):
        key |= row[rules[at.PLANES] + mark] << (mark * rules[at.CELLS])
    first, past = table[key], table[key + 1]
    return move_of(rules, row, table[first + scale(stream >> np.uint64(32), past - first)])


@inlined
def _play(rules: Ints, row: Ints, streams: Streams, i: int, move: int, seat: int, table: Ints) -> None:
    """Plays a move, if it is not NO_MOVE, and the opponent's until the agent is to move or the game is over."""
    while row[at.STATUS] == at.IN_PLAY and (move != NO_MOVE or row[at.PLAYER] != seat):
        if move == NO_MOVE:
            streams[i] = next_random(streams[i])
            move = _reply(rules, row, streams[i], table)
        apply_move(rules, row, move)
        move = NO_MOVE


@inlined
def _pay(rules: Ints, row: Ints, seat: int, payoffs: Reals) -> float:
    """Returns the reward of the step that led to this row."""
    if row[at.STATUS] == at.IN_PLAY:
        return payoffs[STEP]
    margin = _margin(rules, row, seat, payoffs[SCALE])
    whole = payoffs[WIN] if margin > 0 else payoffs[LOSS]
    return payoffs[DRAW] + abs(margin) * (whole - payoffs[DRAW]) + payoffs[LAST_STEP]


@inlined
def _show_legal(rules: Ints, row: Ints, mask: Bytes, seen: Bytes, scratch: Ints, broken_off: bool) -> None:
    if rules[at.CHOICES] == 1 and not broken_off:  # an action is then a cell, and a plane shows the legal ones
        legal = seen[rules[at.MARKS] * rules[at.ACTIONS] :]
        for action in range(len(mask)):
            mask[action] = legal[action]
        return
    for action in range(rules[at.ACTIONS]):
        mask[action] = 0
    if broken_off:
        return
    for n in range(fill_legal(rules, row, scratch, 0)):
        mask[scratch[n]] = 1


# Each helper is called in one place only: all are inlined here, and compile time grows with the number of calls.
@entry
def step_all_games(
    rules: Ints,
    rows: Rows,
    streams: Streams,
    actions: Ints,
    seat: int,
    payoffs: Reals,
    at_once: int,
    rewards: Reals,
    ends: Bytes,
    last_seen: ByteRows,
    seen: ByteRows,
    shown: Rows,
    masks: ByteRows,
    scratch: Ints,
    table: Ints,
) -> None:
    """Makes one step of every game; `ends` is the state of each episode, before and after it.

    at_once 0: a finished game restarts instead of a step, whatever its action. at_once 1: it restarts in the step that
    ends it, and last_seen[i] is the agent's last observation. Where the agent moves second, a new game starts with the
    opponent's move. shown[i] is the row that seen[i] shows; without such rows seen[i] is written whole.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        rewards[i] = 0.0
        anew = at_once == 0 and ends[i] != GOES_ON
        move = NO_MOVE
        if not anew:
            ends[i] = GOES_ON
            if is_legal(rules, row, actions[i]):
                move = move_of(rules, row, actions[i])
            else:
                ends[i] = BROKEN_OFF
                rewards[i] = payoffs[ILLEGAL]
        while True:  # twice if the game ends and restarts at once
            if anew:
                reset(rules, row)
            if anew or ends[i] == GOES_ON:
                _play(rules, row, streams, i, move, seat, table)
            if not anew and ends[i] == GOES_ON:
                rewards[i] = _pay(rules, row, seat, payoffs)
                ends[i] = GOES_ON if row[at.STATUS] == at.IN_PLAY else OVER
            again = at_once != 0 and not anew and ends[i] != GOES_ON
            if again or shown.shape[0] == 0:
                fill_observation(rules, row, seat, last_seen[i] if again else seen[i])
            else:
                update_observation(rules, shown[i], row, seat, seen[i])
            if not again:
                break
            anew = True
            move = NO_MOVE
        if at_once == 0 and anew:
            ends[i] = GOES_ON
        _show_legal(rules, row, masks[i], seen[i], scratch, at_once == 0 and ends[i] == BROKEN_OFF)
