"""Self-play, compiled: whole games of the search against itself, and a record of every position it searched.

A record is uint16[2 * blocks + RECORD_WORDS], as the player to move sees the position:

    g, blocks + g            cells of block g with an own mark, with one of the other
    at 2 * blocks:
    OWNED, OTHERS, CLOSED    masks of blocks, two words each, the lower half first
    SENT, BONUS, MARKS       as in the state row; MARKS is PLY
    SCORE                    32,768 + the search's score / 4, cut off at RESULT_UNIT
    RESULT                   1,024 + the margin of points at the end of the game; LINE_MARGIN for a line
    KIND                     bits ASIDE (not a position of the game, but one random move off it) and PROVEN
    GAME                     number of the game, two words
"""

from __future__ import annotations

import numpy as np

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints, Ints16, Records
from noughts.rules.kernels.bits import count_bits
from noughts.rules.kernels.core import apply_move, points, reset, undo_move, undo_token
from noughts.rules.kernels.jit import embedded, entry, int64
from noughts.rules.kernels.playout import next_random, random_move, scale
from noughts.search.kernels import layout as at
from noughts.search.kernels.alphabeta import alpha_beta
from noughts.search.kernels.marks import cells_of
from noughts.search.kernels.position import set_position

OWNED, OTHERS, CLOSED, SENT, BONUS, MARKS, SCORE, RESULT, KIND, GAME = 0, 2, 4, 6, 7, 8, 9, 10, 11, 12
RECORD_WORDS = 14
ASIDE, PROVEN = 1, 2
LINE_MARGIN = 1000
WINDOW_DEPTH, WIDENING = 4, 8

# The plan of a game.
OPENING_LEAST, OPENING_MOST, RANDOM, LOOKS_ASIDE, NODES, GAME_NUMBER = 0, 1, 2, 3, 4, 5
"""Least and most random moves of the opening; random moves and positions aside, of 1,000; nodes of a search; number."""


@embedded
def search_root(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints, depth: int, before: int) -> None:
    """Runs one iteration as `Engine` does: sets ROOT_MOVE and ROOT_SCORE."""
    width: int = params[at.ASPIRATION_WINDOW]
    alpha: int = int64(-at.INFINITE)
    beta: int = int64(at.INFINITE)
    if depth >= WINDOW_DEPTH and abs(before) < at.PROVEN:
        alpha, beta = before - width, before + width
    work[at.ROOT_MOVE] = -1
    set_position(rules, row, params, work, tt, net)
    while True:
        value = alpha_beta(rules, row, params, work, tt, net, depth, alpha, beta)
        if work[at.STOP] != 0 or (alpha < value and value < beta):
            return
        width *= WIDENING
        if value <= alpha:
            alpha = -at.INFINITE if width > at.RESULT_UNIT else value - width
        else:
            beta = at.INFINITE if width > at.RESULT_UNIT else value + width


@embedded
def search_position(rules: Ints, row: Ints, params: Ints, work: Ints, tt: Ints, net: Ints, nodes: int) -> None:
    """Deepens iteratively up to a number of nodes: best move in ROOT_MOVE, its score in ROOT_SCORE."""
    work[at.STOP] = 0
    work[at.STOP_REQUESTED] = 0
    work[at.NODES] = 0
    work[at.NEXT_TIME_CHECK] = 1 << 62
    work[at.SELDEPTH] = 0
    work[at.EXCLUDED_COUNT] = 0
    work[at.NODE_LIMIT] = nodes
    work[at.EXACT_SEARCH] = 0
    work[at.GENERATION] = (work[at.GENERATION] + 2) & 62
    for slot in range(at.HISTORY, at.FRAMES):
        work[slot] >>= 3
    left: int = int64(0)
    for block in range(rules[rules_at.BLOCKS]):
        if (row[rules_at.CLOSED] >> block) & 1 == 0:
            left += count_bits(rules[rules_at.ALL_CELLS] & ~row[rules_at.TAKEN + block])
    move: int = int64(-1)
    score: int = int64(0)
    depth: int = int64(1)
    while depth <= min(at.MAX_DEPTH, left) and work[at.STOP] == 0 and abs(score) <= at.PROVEN:
        if depth >= left:
            work[at.EXACT_SEARCH] = 1
            work[at.GENERATION] |= 1
        work[at.STOP_DEFERRED] = 1 if depth == 1 else 0
        search_root(rules, row, params, work, tt, net, depth, score)
        lost = work[at.STOP] != 0 and work[at.ROOT_SCORE] < -at.PROVEN
        if work[at.ROOT_MOVE] >= 0 and not (lost and move >= 0):
            move = work[at.ROOT_MOVE]
            score = work[at.ROOT_SCORE]
        depth += 1
    work[at.ROOT_MOVE] = move
    work[at.ROOT_SCORE] = score


@embedded
def write_record(rules: Ints, row: Ints, params: Ints, work: Ints, record: Ints, kind: int, game: int) -> None:
    """Writes the record of the position just searched, without its RESULT."""
    player = row[rules_at.PLAYER] & 1
    blocks = rules[rules_at.BLOCKS]
    for block in range(blocks):
        record[block] = cells_of(row, params, player, block)
        record[blocks + block] = cells_of(row, params, 1 - player, block)
    here = 2 * blocks
    for half in range(2):
        record[here + OWNED + half] = (row[rules_at.WON + player] >> (16 * half)) & 0xFFFF
        record[here + OTHERS + half] = (row[rules_at.WON + 1 - player] >> (16 * half)) & 0xFFFF
        record[here + CLOSED + half] = (row[rules_at.CLOSED] >> (16 * half)) & 0xFFFF
        record[here + GAME + half] = (game >> (16 * half)) & 0xFFFF
    record[here + SENT] = row[rules_at.SENT]
    record[here + BONUS] = row[rules_at.BONUS]
    record[here + MARKS] = row[rules_at.PLY]
    score = max(-at.RESULT_UNIT, min(at.RESULT_UNIT, work[at.ROOT_SCORE]))
    record[here + SCORE] = 32_768 + (score >> 2)
    record[here + RESULT] = player  # for now: who sees it
    record[here + KIND] = kind | (PROVEN if abs(work[at.ROOT_SCORE]) > at.PROVEN else 0)


@entry
def play_game(
    rules: Ints,
    row: Ints,
    params: Ints,
    work: Ints,
    tt: Ints,
    net: Ints16,
    stream: np.uint64,
    plan: Ints,
    records: Records,
) -> int:
    """Plays a game by a plan and writes its records. Returns their number, or 0 if there is no room for all of them.

    Nothing carries over from one game to the next: a stream gives the same records whatever was played before.
    """
    reset(rules, row)
    for i in range(len(tt)):
        tt[i] = 0
    for slot in range(at.HISTORY, at.FRAMES):
        work[slot] = 0
    work[at.GENERATION] = 0
    stream = next_random(stream)
    span = plan[OPENING_MOST] - plan[OPENING_LEAST] + 1
    opening = plan[OPENING_LEAST] + scale(stream >> np.uint64(32), span)
    count: int = int64(0)
    while row[rules_at.STATUS] == rules_at.IN_PLAY:
        if count + 2 > records.shape[0]:
            return 0
        stream = next_random(stream)
        if row[rules_at.PLY] < opening or scale(stream & np.uint64(0xFFFFFFFF), 1000) < plan[RANDOM]:
            stream = next_random(stream)
            apply_move(rules, row, random_move(rules, row, stream))
            continue
        stream = next_random(stream)
        if scale(stream >> np.uint64(32), 1000) < plan[LOOKS_ASIDE]:
            token = undo_token(row)
            stream = next_random(stream)
            apply_move(rules, row, random_move(rules, row, stream))
            if row[rules_at.STATUS] == rules_at.IN_PLAY:
                search_position(rules, row, params, work, tt, net, plan[NODES])
                write_record(rules, row, params, work, records[count], ASIDE, plan[GAME_NUMBER])
                count += 1
            undo_move(rules, row, token)
        search_position(rules, row, params, work, tt, net, plan[NODES])
        move = work[at.ROOT_MOVE]
        write_record(rules, row, params, work, records[count], 0, plan[GAME_NUMBER])
        count += 1
        apply_move(rules, row, move)
    margin = points(rules, row, 0) - points(rules, row, 1)
    if row[rules_at.WINNER] >= 0:
        margin = LINE_MARGIN if row[rules_at.WINNER] == 0 else -LINE_MARGIN
    here = 2 * rules[rules_at.BLOCKS] + RESULT
    for i in range(count):
        records[i, here] = 1_024 + (margin if records[i, here] == 0 else -margin)
    return count
