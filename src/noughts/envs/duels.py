"""Many games of an agent against a random opponent at once, compiled: the inside of the vectorised environment.

A step of one game is the agent's move and all moves of the opponent until the agent is to move again or the game is
over. Shapes: rows int64[n, ROW_WORDS], streams uint64[n], actions int64[n], payoffs float64[PAYOFF_WORDS], rewards
float64[n], ends int8[n], seen int8[n, planes], masks int8[n, ACTIONS], last_seen as seen, scratch int64[ACTIONS].
"""

from __future__ import annotations

from typing import Final, Protocol

from noughts.rules.batch import Rows, Streams
from noughts.rules.jit import Ints, entry, inlined
from noughts.rules.kernel import apply_move, fill_legal, is_legal, move_of, points, reset
from noughts.rules.layout import ACTIONS, IN_PLAY, LINE, PLAYER, STATUS, WINNER
from noughts.rules.observe import Bytes, fill_observation
from noughts.rules.playout import next_random, random_move

# What an end pays: see `Rewards`. SCALE turns a difference of points into a margin inside (-1, 1).
WIN: Final = 0
DRAW: Final = 1
LOSS: Final = 2
STEP: Final = 3
LAST_STEP: Final = 4
ILLEGAL: Final = 5
SCALE: Final = 6
PAYOFF_WORDS: Final = 7

# How an episode stands after a step.
GOES_ON: Final = 0
OVER: Final = 1
BROKEN_OFF: Final = 2  # by an illegal action


class Reals(Protocol):
    """A one-dimensional float64 array, as the kernels see it."""

    def __getitem__(self, index: int, /) -> float: ...
    def __setitem__(self, index: int, value: float, /) -> None: ...


@inlined
def _reply(rules: Ints, row: Ints, streams: Streams, i: int, seat: int) -> None:
    """Random moves until the agent in `seat` is to move, or the game is over."""
    while row[STATUS] == IN_PLAY and row[PLAYER] != seat:
        streams[i] = next_random(streams[i])
        apply_move(rules, row, random_move(rules, row, streams[i]))


@inlined
def _margin(rules: Ints, row: Ints, seat: int, scale: float) -> float:
    """What the agent made of a finished game, -1 to 1, as `State.returns` says it."""
    if row[STATUS] == LINE:
        return 1.0 if row[WINNER] == seat else -1.0
    return (points(rules, row, seat) - points(rules, row, 1 - seat)) / scale


@inlined
def _show(rules: Ints, row: Ints, seat: int, seen: Bytes, mask: Bytes, scratch: Ints) -> None:
    fill_observation(rules, row, seat, seen)
    for action in range(rules[ACTIONS]):
        mask[action] = 0
    for n in range(fill_legal(rules, row, scratch, 0)):
        mask[scratch[n]] = 1


@inlined
def _play(
    rules: Ints, row: Ints, streams: Streams, i: int, action: int, seat: int, payoffs: Reals, rewards: Reals
) -> int:
    """One step of game i; return how its episode stands then."""
    if not is_legal(rules, row, action):
        rewards[i] = payoffs[ILLEGAL]
        return BROKEN_OFF
    apply_move(rules, row, move_of(rules, row, action))
    _reply(rules, row, streams, i, seat)
    if row[STATUS] == IN_PLAY:
        rewards[i] = payoffs[STEP]
        return GOES_ON
    margin = _margin(rules, row, seat, payoffs[SCALE])
    whole = payoffs[WIN] if margin > 0 else payoffs[LOSS]
    rewards[i] = payoffs[DRAW] + abs(margin) * (whole - payoffs[DRAW]) + payoffs[LAST_STEP]
    return OVER


@entry("void(int64[::1], int64[:, ::1], uint64[::1], int64, int8[::1], int8[:, ::1], int8[:, ::1], int64[::1])")
def begin_all(
    rules: Ints, rows: Rows, streams: Streams, seat: int, ends: Bytes, seen: Rows, masks: Rows, scratch: Ints
) -> None:
    """Start every game anew; where the agent moves second, the opponent has moved."""
    for i in range(rows.shape[0]):
        reset(rules, rows[i])
        _reply(rules, rows[i], streams, i, seat)
        ends[i] = GOES_ON
        _show(rules, rows[i], seat, seen[i], masks[i], scratch)


@entry(
    "void(int64[::1], int64[:, ::1], uint64[::1], int64[::1], int64, float64[::1], int64,"
    " float64[::1], int8[::1], int8[:, ::1], int8[:, ::1], int8[:, ::1], int64[::1])"
)
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
    last_seen: Rows,
    seen: Rows,
    masks: Rows,
    scratch: Ints,
) -> None:
    """One step of every game; `ends` says before and after it how each episode stands.

    at_once 0: a game that had ended starts anew instead of a step, whatever its action. at_once 1: it starts anew in
    the step that ends it, and last_seen[i] is what the agent saw at the end.
    """
    for i in range(rows.shape[0]):
        row = rows[i]
        rewards[i] = 0.0
        if at_once == 0 and ends[i] != GOES_ON:
            ends[i] = GOES_ON
            reset(rules, row)
            _reply(rules, row, streams, i, seat)
        else:
            ends[i] = _play(rules, row, streams, i, actions[i], seat, payoffs, rewards)
            if at_once != 0 and ends[i] != GOES_ON:
                fill_observation(rules, row, seat, last_seen[i])
                reset(rules, row)
                _reply(rules, row, streams, i, seat)
        _show(rules, row, seat, seen[i], masks[i], scratch)
