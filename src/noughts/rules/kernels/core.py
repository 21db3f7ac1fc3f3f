"""The rules, compiled: what is legal, what a move does, how a game ends.

Every function takes the fact table of a game (`rules`) and the row of one state (`row`); both are laid
out in `layout.py`. Nothing here allocates. With NUMBA_DISABLE_JIT=1 the same functions run as Python.

Some indices are masked although they are always in range (`row[PLAYER] & 1`): so the compiler knows that they
are not negative, and does not look whether to count from the end. That makes random play 4% faster.
"""

from __future__ import annotations

from noughts.rules.kernels.bits import count_bits, lowest_bit, nth_bit
from noughts.rules.kernels.jit import Ints, entry, inlined
from noughts.rules.kernels.layout import (
    ACTIONS,
    ALL_BLOCKS,
    ALL_CELLS,
    BLOCKS,
    BOARD_SHIFT,
    BONUS,
    CELLS,
    CHOICES,
    CLOSED,
    EXTRA_MOVE,
    FULL,
    IN_PLAY,
    INDEX_OF,
    LAST,
    LEGAL,
    LINE,
    LINE_MASK,
    LINES_AT,
    LOSS_POINTS,
    MISERE,
    NESTED,
    NO_MOVES,
    ONCE,
    PLACES,
    PLANES,
    PLAYER,
    PLY,
    POINTS,
    ROW_WORDS,
    SENT,
    SENT_TO,
    SPOT_OF,
    STACK,
    STATUS,
    SUM,
    SUMS,
    TAKEN,
    USED,
    WIN_POINTS,
    WINNER,
    WINS,
    WON,
)


@inlined
def has_line(rules: Ints, mask: int) -> bool:
    """Whether the cells (or blocks of one board) in `mask` hold a line."""
    return (rules[WINS + ((mask >> 6) & 1023)] >> (mask & 63)) & 1 != 0


@inlined
def reset(rules: Ints, row: Ints) -> None:
    """Make `row` the initial state."""
    for i in range(rules[ROW_WORDS]):
        row[i] = 0
    row[WINNER] = -1
    row[LAST] = -1


@inlined
def playable_blocks(rules: Ints, row: Ints) -> int:
    """Mask of the blocks that take the next mark: the open destined ones, or else all open ones."""
    unclosed = rules[ALL_BLOCKS] & ~row[CLOSED]
    destined = rules[SENT_TO + (row[SENT] & 31)] & unclosed
    return destined if destined != 0 else unclosed


@inlined
def playable_marks(rules: Ints, row: Ints) -> int:
    """Mask of the marks that the player to move may place."""
    return rules[PLACES + (row[PLAYER] & 1)] & ~row[USED]


@inlined
def count_cells(rules: Ints, row: Ints) -> int:
    """How many cells take the next mark; 0 if the game is over."""
    if row[STATUS] != IN_PLAY:
        return 0
    count = 0
    blocks = playable_blocks(rules, row)
    while blocks != 0:
        count += count_bits(rules[ALL_CELLS] & ~row[TAKEN + lowest_bit(blocks)])
        blocks &= blocks - 1
    return count


@inlined
def count_actions(rules: Ints, row: Ints) -> int:
    """How many actions are legal."""
    return count_cells(rules, row) * count_bits(playable_marks(rules, row))


@inlined
def nth_spot(rules: Ints, row: Ints, n: int) -> int:
    """The n-th (from 0) playable cell in block order, as block << 4 | cell."""
    blocks = playable_blocks(rules, row)
    while True:
        block = lowest_bit(blocks)
        empty = rules[ALL_CELLS] & ~row[TAKEN + block]
        here = count_bits(empty)
        if n < here:
            break
        n -= here
        blocks &= blocks - 1
    return (block << 4) | nth_bit(empty, n)


@inlined
def action_of(rules: Ints, move: int) -> int:
    """The public number of an encoded move."""
    index = rules[INDEX_OF + (move >> 4)]
    return index if rules[CHOICES] == 1 else index * rules[CHOICES] + (move & 15)


@inlined
def move_of(rules: Ints, row: Ints, action: int) -> int:
    """The encoded move of an action number within range."""
    if rules[CHOICES] == 1:
        return (rules[SPOT_OF + action] << 4) | lowest_bit(rules[PLACES + row[PLAYER]])
    return (rules[SPOT_OF + action // rules[CHOICES]] << 4) | (action % rules[CHOICES])


@inlined
def is_legal(rules: Ints, row: Ints, action: int) -> bool:
    """Whether `action`, any integer, may be played now."""
    if row[STATUS] != IN_PLAY or action < 0 or action >= rules[ACTIONS]:
        return False
    return may_play(rules, row, move_of(rules, row, action))


@inlined
def may_play(rules: Ints, row: Ints, move: int) -> bool:
    """Whether an encoded move, of a cell that exists, is legal in a game that is not over."""
    block = (move >> 8) & 63
    return (
        (playable_blocks(rules, row) >> block) & 1 != 0
        and (row[TAKEN + block] >> ((move >> 4) & 15)) & 1 == 0
        and (playable_marks(rules, row) >> (move & 15)) & 1 != 0
    )


@inlined
def fill_legal(rules: Ints, row: Ints, out: Ints, start: int) -> int:
    """Write the legal actions in rising order to out[start:]; return how many there are."""
    if row[STATUS] != IN_PLAY:
        return 0
    blocks = playable_blocks(rules, row)
    marks = playable_marks(rules, row)
    end = start
    if blocks & (blocks - 1) == 0:  # one block: cell order is action order
        block = lowest_bit(blocks)
        empty = rules[ALL_CELLS] & ~row[TAKEN + block]
        while empty != 0:
            index = rules[INDEX_OF + ((block << 4) | lowest_bit(empty))]
            empty &= empty - 1
            end = _fill_cell(rules, marks, index, out, end)
        return end - start
    for index in range(rules[BLOCKS] * rules[CELLS]):
        spot = rules[SPOT_OF + index]
        block = spot >> 4
        if (blocks >> block) & 1 != 0 and (row[TAKEN + block] >> (spot & 15)) & 1 == 0:
            end = _fill_cell(rules, marks, index, out, end)
    return end - start


@inlined
def _fill_cell(rules: Ints, marks: int, index: int, out: Ints, end: int) -> int:
    if rules[CHOICES] == 1:
        out[end] = index
        return end + 1
    while marks != 0:
        out[end] = index * rules[CHOICES] + lowest_bit(marks)
        end += 1
        marks &= marks - 1
    return end


@inlined
def _completes_sum(rules: Ints, row: Ints, cell: int, worth: int, taken: int) -> bool:
    """Add a mark's worth to the lines through its cell; whether one of them is full and right."""
    completed = False
    at = LINES_AT + 33 * cell
    for i in range(rules[at]):
        line = rules[at + 1 + i]
        total = row[rules[SUMS] + line] + worth
        row[rules[SUMS] + line] = total
        mask = rules[LINE_MASK + line]
        if total == rules[SUM] and taken & mask == mask:
            completed = True
    return completed


@inlined
def undo_token(row: Ints) -> int:
    """What `undo_move` needs to take back the next move, in one word.

    Bits: 0 player, 1 bonus, 2-7 sent, 8- last move plus one.
    """
    return row[PLAYER] | (row[BONUS] << 1) | (row[SENT] << 2) | ((row[LAST] + 1) << 8)


@inlined
def apply_move(rules: Ints, row: Ints, move: int) -> None:
    """Play an encoded legal move."""
    block = move >> 8
    cell = (move >> 4) & 15
    mark = move & 15
    player = row[PLAYER] & 1
    taken = row[TAKEN + block] | (1 << cell)
    row[TAKEN + block] = taken
    plane = rules[PLANES] + mark * rules[BLOCKS] + block
    placed = row[plane] | (1 << cell)
    row[plane] = placed
    row[PLY] += 1
    row[LAST] = move
    row[SENT] = (cell + 1) * rules[NESTED]
    if rules[ONCE] != 0:
        row[USED] |= 1 << mark

    if rules[SUM] == 0:
        completed = has_line(rules, placed)
    else:
        completed = _completes_sum(rules, row, cell, mark + 1, taken)
    again = 0
    if completed:
        won = row[WON + player] | (1 << block)
        row[WON + player] = won
        row[CLOSED] |= 1 << block
        first = rules[BOARD_SHIFT + block]
        if rules[NESTED] == 0 or has_line(rules, (won >> first) & rules[ALL_CELLS]):
            _end(row, LINE, player ^ rules[MISERE])
            return
        again = rules[EXTRA_MOVE] & (1 - row[BONUS])
    elif taken == rules[ALL_CELLS]:
        row[CLOSED] |= 1 << block
    if row[CLOSED] == rules[ALL_BLOCKS]:
        _end(row, FULL, -1)
        return
    row[BONUS] = again
    row[PLAYER] = player ^ 1 ^ again
    if rules[ONCE] != 0 and playable_marks(rules, row) == 0:
        _end(row, NO_MOVES, -1)


@inlined
def _end(row: Ints, status: int, winner: int) -> None:
    row[STATUS] = status
    row[WINNER] = winner
    row[PLAYER] = 0
    row[BONUS] = 0
    row[SENT] = 0


@inlined
def undo_move(rules: Ints, row: Ints, token: int) -> None:
    """Take back the last move; `token` is `undo_token` from before it."""
    move = row[LAST]
    block = move >> 8
    cell = (move >> 4) & 15
    mark = move & 15
    row[PLAYER] = token & 1
    row[BONUS] = (token >> 1) & 1
    row[SENT] = (token >> 2) & 63
    row[LAST] = (token >> 8) - 1
    row[STATUS] = IN_PLAY
    row[WINNER] = -1
    row[PLY] -= 1
    row[TAKEN + block] &= ~(1 << cell)
    row[rules[PLANES] + mark * rules[BLOCKS] + block] &= ~(1 << cell)
    # The move was legal, so its block was open before it.
    row[CLOSED] &= ~(1 << block)
    row[WON] &= ~(1 << block)
    row[WON + 1] &= ~(1 << block)
    row[USED] &= ~(rules[ONCE] << mark)
    if rules[SUM] != 0:
        at = LINES_AT + 33 * cell
        for i in range(rules[at]):
            row[rules[SUMS] + rules[at + 1 + i]] -= mark + 1


@inlined
def points(rules: Ints, row: Ints, player: int) -> int:
    """What the finished game pays `player`."""
    if row[STATUS] == LINE:
        return rules[WIN_POINTS] if row[WINNER] == player else rules[LOSS_POINTS]
    total = 0
    won = row[WON + player]
    while won != 0:
        total += rules[POINTS + lowest_bit(won)]
        won &= won - 1
    return total


@entry("int64(int64[::1], int64[::1])")
def state_refresh(rules: Ints, state: Ints) -> int:
    """Write the legal actions of a state (a row with its stack and legal actions); return how many there are."""
    return fill_legal(rules, state, state, rules[LEGAL])


@entry("int64(int64[::1], int64[::1], int64)")
def state_apply(rules: Ints, state: Ints, action: int) -> int:
    """Play `action`; return how many actions are legal then. An illegal one changes nothing: -1."""
    if not is_legal(rules, state, action):
        return -1
    state[rules[STACK] + state[PLY]] = undo_token(state)
    apply_move(rules, state, move_of(rules, state, action))
    return fill_legal(rules, state, state, rules[LEGAL])


@entry("int64(int64[::1], int64[::1])")
def state_undo(rules: Ints, state: Ints) -> int:
    """Take back the last move that `state_apply` played; return how many actions are legal then."""
    undo_move(rules, state, state[rules[STACK] + state[PLY] - 1])
    return fill_legal(rules, state, state, rules[LEGAL])


@entry("int64(int64[::1], int64[::1], int64)")
def state_points(rules: Ints, state: Ints, player: int) -> int:
    """What the finished game pays `player`."""
    return points(rules, state, player)


@entry("int64(int64[::1], int64[::1])")
def state_playable(rules: Ints, state: Ints) -> int:
    """Mask of the blocks that take the next mark; 0 if the game is over."""
    return playable_blocks(rules, state) if state[STATUS] == IN_PLAY else 0
