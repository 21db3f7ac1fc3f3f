"""Q-learning over state-action pairs, as published, without symmetry.

The agent plays against a uniformly random opponent. A step is its move and the reply; after each step

    Q(s, a) += rate * (reward + gamma * max Q(s', .) - Q(s, a)),    with max Q(s', .) = 0 if the game is over.

Values are in one array, with the actions of a position in rising order; a position gets its place when the agent first
meets it. Positions are found by their code (see `noughts.solving.kernels.codes`) in a hash table:

    slots  int64[2 * power of two]   by slot: code + 1, or 0 if it is free; then where the values of its actions start
"""

from __future__ import annotations

from noughts.learn.kernels import qlearning as q
from noughts.learn.kernels.qlearning import epsilon_greedy, epsilon_threshold, result_of, update
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Ints, Ints32, Reals, Streams
from noughts.rules.kernels.bits import count_bits, nth_bit
from noughts.rules.kernels.core import apply_move, count_actions, nth_cell, playable_blocks, playable_marks, reset
from noughts.rules.kernels.jit import entry, inlined, int64
from noughts.rules.kernels.playout import next_random, random_move
from noughts.solving.kernels.codes import code_after, code_of, hash_of, kind_of

NO_MOVE = -1


@inlined
def _slot(slots: Ints, code: int) -> int:
    """Returns the slot of a code, or the empty slot for it."""
    mask = len(slots) // 2 - 1
    slot = hash_of(code) & mask
    while slots[2 * slot] != 0 and slots[2 * slot] != code + 1:
        slot = (slot + 1) & mask
    return 2 * slot


@inlined
def _values_at(slots: Ints, counts: Ints, code: int, actions: int) -> int:
    """Returns the start of a position's values. A new position gets the next free place, with room for `actions`
    values.
    """
    slot = _slot(slots, code)
    if slots[slot] == 0:
        slots[slot] = code + 1
        slots[slot + 1] = counts[q.PAIRS]
        counts[q.PAIRS] += actions
        counts[q.POSITIONS] += 1
    return slots[slot + 1]


@inlined
def _best(values: Reals, start: int, actions: int) -> int:
    """Returns the index of the greatest of `actions` values, the first among equals."""
    best = 0
    top = values[start]
    for i in range(1, actions):
        if values[start + i] > top:
            top = values[start + i]
            best = i
    return best


@inlined
def greedy_choice(slots: Ints, values: Reals, code: int, actions: int) -> int:
    """Returns the best action of a position, the first among equals; for unknown positions the first action."""
    slot = _slot(slots, code)
    return _best(values, slots[slot + 1], actions) if slots[slot] != 0 else 0


@inlined
def nth_move(rules: Ints, row: Ints, n: int) -> int:
    """Returns the n-th legal move of a flat game, in the order of actions."""
    marks = playable_marks(rules, row)
    each = count_bits(marks)
    block, cell = nth_cell(rules, row, playable_blocks(rules, row), n // each)
    return (block << 8) | (cell << 4) | nth_bit(marks, n % each)


@entry
def learn_pairs(
    rules: Ints,
    row: Ints,
    bits: int,
    seat: int,
    params: Reals,
    counts: Ints,
    stream: Streams,
    slots: Ints,
    values: Reals,
    visits: Ints32,
    episodes: int,
) -> None:
    """Plays and learns from episodes. `row` is scratch. Slots and values must have room for all additions."""
    rng = stream[0]
    for _ in range(episodes):
        threshold = epsilon_threshold(params, counts[q.EPISODE])
        counts[q.EPISODE] += 1
        reset(rules, row)
        code = int64(0)
        pair = -1
        move = NO_MOVE
        while True:
            while row[at.STATUS] == at.IN_PLAY and (move != NO_MOVE or row[at.PLAYER] != seat):
                if move == NO_MOVE:
                    rng = next_random(rng)
                    move = random_move(rules, row, rng)
                apply_move(rules, row, move)
                code = code_after(code, move, bits)
                move = NO_MOVE
            if row[at.STATUS] != at.IN_PLAY:
                result = result_of(kind_of(row), seat)
                counts[q.TALLY + result] += 1
                if pair >= 0:  # otherwise the opponent's first move ended the game
                    update(params, values, visits, pair, params[q.WIN + result])
                break
            actions = count_actions(rules, row)
            start = _values_at(slots, counts, code, actions)
            best = _best(values, start, actions)
            if pair >= 0:
                update(params, values, visits, pair, params[q.STEP] + params[q.GAMMA] * values[start + best])
            choice, rng = epsilon_greedy(rng, threshold, actions, best)
            pair = start + choice
            move = nth_move(rules, row, choice)
    stream[0] = rng


@entry
def rehash(old: Ints, new: Ints) -> None:
    """Copies all positions of a hash table to an empty one."""
    for slot in range(0, len(old), 2):
        if old[slot] != 0:
            place = _slot(new, old[slot] - 1)
            new[place] = old[slot]
            new[place + 1] = old[slot + 1]


@entry(atomic=True)
def find_values(rules: Ints, row: Ints, bits: int, slots: Ints) -> int:
    """Returns where the values of a row's position start, or -1 if the position is unknown."""
    slot = _slot(slots, code_of(rules, row, bits))
    return slots[slot + 1] if slots[slot] != 0 else -1
