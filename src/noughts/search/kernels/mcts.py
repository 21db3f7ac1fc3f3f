"""Monte Carlo tree search: random games, guided by earlier results (UCT), with proofs (MCTS-Solver).

The tree is an array of int64, NODE_WORDS for each node; a node's number is the index of its first word; the root is 0.

    MOVE     the move that leads here
    MOVER    the player who made it
    CHILD    the first of its consecutive children, or 0
    COUNT    number of children
    VISITS   simulations through this node
    TOTAL    sum of their results for MOVER, in units of 1 / UNIT
    PROOF    1 if MOVER wins by force, -1 if MOVER loses by force, 0 if unknown

Values are for the player who made the move, so selection among children does not depend on bonus moves. Proofs move up:
a winning move proves its parent, and so do moves that all lose.
"""

from __future__ import annotations

import math

import numpy as np

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.core import apply_move, fill_legal, move_of, points, undo_move, undo_token
from noughts.rules.kernels.jit import embedded, entry, int64
from noughts.rules.kernels.playout import next_random, play_out
from noughts.search.kernels.timeman import time_is_up

MOVE, MOVER, CHILD, COUNT, VISITS, TOTAL, PROOF = 0, 1, 2, 3, 4, 5, 6
NODE_WORDS = 8
UNIT = 1 << 20

# The control words of `run_simulations`; PATH + i is the i-th node of the current simulation.
STOP, SIMULATIONS, SIMULATION_LIMIT, USED, END_UNIT, TIME, PATH = 0, 1, 2, 3, 4, 5, 16
PATH_ROOM = 1024
CONTROL_WORDS = PATH + PATH_ROOM

EXPAND_AT = 2
"""Visits at which a node gets children."""
EXPLORATION = 0.9
"""Exploration constant."""
TIME_CHECK_SIMULATIONS = 16
"""Simulations between two reads of the clock."""


@embedded
def select_child(tree: Ints, node: int, start: int) -> int:
    """Returns the child with the highest upper confidence bound; proven losses come last."""
    count = tree[node + COUNT]
    log_visits = math.log(tree[node + VISITS] + 1.0)
    best = -1e18
    chosen = tree[node + CHILD]
    for i in range(count):
        child = tree[node + CHILD] + NODE_WORDS * ((i + start) % count)
        visits = tree[child + VISITS]
        if tree[child + PROOF] != 0:
            bound = 1e12 * tree[child + PROOF]
        elif visits == 0:
            bound = 1e9
        else:
            bound = tree[child + TOTAL] / (visits * float(UNIT)) + EXPLORATION * math.sqrt(log_visits / visits)
        if bound > best:
            best = bound
            chosen = child
    return chosen


@embedded
def expand(rules: Ints, row: Ints, tree: Ints, control: Ints, node: int, scratch: Ints) -> None:
    """Adds the children of a node, if there is room. Children that end the game are proven at once."""
    count = fill_legal(rules, row, scratch, 0)
    first = control[USED]
    if first + count * NODE_WORDS > len(tree):
        return
    control[USED] = first + count * NODE_WORDS
    player = row[rules_at.PLAYER]
    token = undo_token(row)
    for i in range(count):
        child = first + i * NODE_WORDS
        move = move_of(rules, row, scratch[i])
        for word in range(NODE_WORDS):
            tree[child + word] = 0
        tree[child + MOVE] = move
        tree[child + MOVER] = player
        apply_move(rules, row, move)
        if row[rules_at.WINNER] >= 0:
            tree[child + PROOF] = 1 if row[rules_at.WINNER] == player else -1
        undo_move(rules, row, token)
    tree[node + CHILD] = first
    tree[node + COUNT] = count


@embedded
def prove(tree: Ints, node: int) -> bool:
    """Returns whether a node's children prove it, and stores the proof."""
    first = tree[node + CHILD]
    all_lose = True
    for i in range(tree[node + COUNT]):
        proof = tree[first + NODE_WORDS * i + PROOF]
        if proof == 1:
            tree[node + PROOF] = 1 if tree[first + MOVER] == tree[node + MOVER] else -1
            return True
        all_lose = all_lose and proof == -1
    if all_lose:
        tree[node + PROOF] = -1 if tree[first + MOVER] == tree[node + MOVER] else 1
    return all_lose


@embedded
def select_leaf(rules: Ints, row: Ints, tree: Ints, control: Ints, scratch: Ints, stream: np.uint64) -> int:
    """Selects a path down the tree and expands its end. Writes the nodes to PATH; returns their number."""
    node: int = int64(0)  # Numba gives a plain 0 its own type, and would compile everything twice
    length = 1
    control[PATH] = 0
    while row[rules_at.STATUS] == rules_at.IN_PLAY and tree[node + PROOF] == 0 and length < PATH_ROOM:
        if tree[node + COUNT] == 0:
            if tree[node + VISITS] + 1 >= EXPAND_AT or node == 0:
                expand(rules, row, tree, control, node, scratch)
            if tree[node + COUNT] == 0:
                break
            if prove(tree, node):
                break
        start: int = int64(stream >> np.uint64(40))
        node = select_child(tree, node, start)
        control[PATH + length] = node
        length += 1
        apply_move(rules, row, tree[node + MOVE])
    return length


@embedded
def result_of(rules: Ints, row: Ints, end_unit: int) -> int:
    """Returns the result of a finished game for player 0."""
    if row[rules_at.WINNER] >= 0:
        return UNIT if row[rules_at.WINNER] == 0 else -UNIT
    return (points(rules, row, 0) - points(rules, row, 1)) * end_unit


@embedded
def backpropagate(tree: Ints, control: Ints, length: int, result: int) -> None:
    """Adds the result for player 0 to the nodes of PATH, and moves the leaf's proof up as far as possible."""
    proving = tree[control[PATH + length - 1] + PROOF] != 0
    for i in range(length - 1, -1, -1):
        node = control[PATH + i]
        tree[node + VISITS] += 1
        tree[node + TOTAL] += result * (1 - 2 * tree[node + MOVER])
        if proving and i < length - 1:
            proving = prove(tree, node)


@entry
def run_simulations(
    rules: Ints, root: Ints, row: Ints, tree: Ints, control: Ints, scratch: Ints, stream: np.uint64
) -> np.uint64:
    """Runs simulations from the state in `root` until a limit or a proof; at least one if the root is not proven.

    `row` and `scratch` have room for a state row and for the legal actions. Returns the random stream.
    """
    while tree[PROOF] == 0 and control[SIMULATIONS] < control[SIMULATION_LIMIT]:
        control[SIMULATIONS] += 1
        for i in range(rules[rules_at.ROW_WORDS]):
            row[i] = root[i]
        stream = next_random(stream)
        length = select_leaf(rules, row, tree, control, scratch, stream)
        leaf = control[PATH + length - 1]
        if tree[leaf + PROOF] != 0:
            result = UNIT * tree[leaf + PROOF] * (1 - 2 * tree[leaf + MOVER])
        else:
            stream = play_out(rules, row, stream)
            result = result_of(rules, row, control[END_UNIT])
        backpropagate(tree, control, length, result)
        check_time = control[SIMULATIONS] % TIME_CHECK_SIMULATIONS == 0
        if control[STOP] != 0 or (check_time and time_is_up(control, TIME)):
            break
    return stream


@entry
def re_root(tree: Ints, other: Ints, node: int) -> int:
    """Copies the part of a tree below a node to `other`, with the node as the root. Returns the number of words used.

    Nodes are copied in the order of their depth, so a node's new place is known before its children's.
    """
    for word in range(NODE_WORDS):
        other[word] = tree[node + word]
    used = NODE_WORDS
    copied = 0
    while copied < used:
        first = other[copied + CHILD]
        words = other[copied + COUNT] * NODE_WORDS
        if words > 0:
            for i in range(words):
                other[used + i] = tree[first + i]
            other[copied + CHILD] = used
            used += words
        copied += NODE_WORDS
    return used
