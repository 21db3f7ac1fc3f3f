"""The compiled rules: what is legal, what a move does, how a game ends.

Every function takes the fact table of a game (`rules`) and the row of one state (`row`); both are laid
out in `layout.py`. Nothing here allocates. With NOUGHTS_KERNELS=python the same functions run as Python.
"""

from __future__ import annotations

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.bits import count_bits, lowest_bit, nth_bit
from noughts.rules.kernels.jit import embedded, entry, inlined, int64


@inlined
def has_line(rules: Ints, mask: int) -> bool:
    """Returns whether the cells (or blocks of one board) in `mask` hold a line."""
    return (rules[at.WINS + (mask >> 6)] >> (mask & 63)) & 1 != 0


@inlined
def reset(rules: Ints, row: Ints) -> None:
    """Makes `row` the initial state."""
    for i in range(rules[at.ROW_WORDS]):
        row[i] = 0
    row[at.WINNER] = -1
    row[at.LAST] = -1


@inlined
def blocks_open(rules: Ints, sent: int, closed: int) -> int:
    """Returns the mask of the blocks open to a mark: the open destined ones, or else all open ones."""
    unclosed = rules[at.ALL_BLOCKS] & ~closed
    destined = rules[at.SENT_TO + sent] & unclosed
    return destined if destined != 0 else unclosed


@inlined
def playable_blocks(rules: Ints, row: Ints) -> int:
    """Returns the mask of the blocks open to the next mark."""
    return blocks_open(rules, row[at.SENT], row[at.CLOSED])


@inlined
def marks_left(rules: Ints, player: int, used: int) -> int:
    """Returns the mask of the marks that a player may place."""
    return rules[at.PLACES + player] & ~used


@inlined
def playable_marks(rules: Ints, row: Ints) -> int:
    """Returns the mask of the marks that the player to move may place."""
    return marks_left(rules, row[at.PLAYER], row[at.USED])


@inlined
def count_cells(rules: Ints, row: Ints) -> int:
    """Returns the number of cells open to the next mark; 0 if the game is over."""
    return count_empty(rules, row, playable_blocks(rules, row)) if row[at.STATUS] == at.IN_PLAY else 0


@inlined
def count_empty(rules: Ints, row: Ints, blocks: int) -> int:
    """Returns the number of empty cells of some blocks."""
    count = 0
    while blocks != 0:
        count += count_bits(rules[at.ALL_CELLS] & ~row[at.TAKEN + lowest_bit(blocks)])
        blocks &= blocks - 1
    return count


@inlined
def count_actions(rules: Ints, row: Ints) -> int:
    """Returns the number of legal actions."""
    return count_cells(rules, row) * count_bits(playable_marks(rules, row))


@inlined
def nth_cell(rules: Ints, row: Ints, blocks: int, n: int) -> tuple[int, int]:
    """Returns the n-th (from 0) empty cell of some blocks, in block order, as its block and its number there."""
    while True:
        block = lowest_bit(blocks)
        empty = rules[at.ALL_CELLS] & ~row[at.TAKEN + block]
        here = count_bits(empty)
        if n < here:
            break
        n -= here
        blocks &= blocks - 1
    return block, nth_bit(empty, n)


@inlined
def action_of(rules: Ints, move: int) -> int:
    """Returns the public number of an encoded move."""
    index = rules[at.INDEX_OF + (move >> 4)]
    return index if rules[at.CHOICES] == 1 else index * rules[at.CHOICES] + (move & 15)


@inlined
def move_of(rules: Ints, row: Ints, action: int) -> int:
    """Returns the encoded move of an action number within range."""
    if rules[at.CHOICES] == 1:
        return (rules[at.SPOT_OF + action] << 4) | lowest_bit(rules[at.PLACES + row[at.PLAYER]])
    return (rules[at.SPOT_OF + action // rules[at.CHOICES]] << 4) | (action % rules[at.CHOICES])


@embedded
def is_legal(rules: Ints, row: Ints, action: int) -> bool:
    """Returns whether `action`, any integer, may be played now."""
    if row[at.STATUS] != at.IN_PLAY or action < 0 or action >= rules[at.ACTIONS]:
        return False
    return may_play(rules, row, move_of(rules, row, action))


@inlined
def may_play(rules: Ints, row: Ints, move: int) -> bool:
    """Returns whether an encoded move is legal. The cell must exist and the game must not be over."""
    block = (move >> 8) & 63
    return (
        (playable_blocks(rules, row) >> block) & 1 != 0
        and (row[at.TAKEN + block] >> ((move >> 4) & 15)) & 1 == 0
        and (playable_marks(rules, row) >> (move & 15)) & 1 != 0
    )


@inlined
def fill_legal(rules: Ints, row: Ints, out: Ints, start: int) -> int:
    """Writes the legal actions in rising order to out[start:]; returns their number."""
    return _fill_legal(rules, row, out, int64(start))  # a literal would be another type, and another copy


@embedded
def _fill_legal(rules: Ints, row: Ints, out: Ints, start: int) -> int:
    if row[at.STATUS] != at.IN_PLAY:
        return 0
    blocks = playable_blocks(rules, row)
    marks = playable_marks(rules, row)
    end = start
    if blocks & (blocks - 1) == 0:  # one block: cell order is action order
        block = lowest_bit(blocks)
        empty = rules[at.ALL_CELLS] & ~row[at.TAKEN + block]
        while empty != 0:
            index = rules[at.INDEX_OF + ((block << 4) | lowest_bit(empty))]
            empty &= empty - 1
            end = _fill_cell(rules, marks, index, out, end)
        return end - start
    for index in range(rules[at.BLOCKS] * rules[at.CELLS]):
        spot = rules[at.SPOT_OF + index]
        block = spot >> 4
        if (blocks >> block) & 1 != 0 and (row[at.TAKEN + block] >> (spot & 15)) & 1 == 0:
            end = _fill_cell(rules, marks, index, out, end)
    return end - start


@inlined
def _fill_cell(rules: Ints, marks: int, index: int, out: Ints, end: int) -> int:
    if rules[at.CHOICES] == 1:
        out[end] = index
        return end + 1
    while marks != 0:
        out[end] = index * rules[at.CHOICES] + lowest_bit(marks)
        end += 1
        marks &= marks - 1
    return end


@inlined
def _completes_sum(rules: Ints, row: Ints, cell: int, worth: int, taken: int) -> bool:
    """Adds a mark's worth to the lines through its cell; returns whether one of them is full and has the right sum."""
    completed = False
    lines_at = at.LINES_AT + at.CELL_LINE_WORDS * cell
    for i in range(rules[lines_at]):
        line = rules[lines_at + 1 + i]
        total = row[rules[at.SUMS] + line] + worth
        row[rules[at.SUMS] + line] = total
        mask = rules[at.LINE_MASK + line]
        if total == rules[at.SUM] and taken & mask == mask:
            completed = True
    return completed


@inlined
def undo_token(row: Ints) -> int:
    """Returns one word with what `undo_move` needs to take back the next move.

    Bits: 0 player, 1 bonus, 2-7 sent, 8- last move plus one.
    """
    return row[at.PLAYER] | (row[at.BONUS] << 1) | (row[at.SENT] << 2) | ((row[at.LAST] + 1) << 8)


@inlined
def points(rules: Ints, row: Ints, player: int) -> int:
    """Returns the points that the finished game gives `player`."""
    if row[at.STATUS] == at.LINE:
        return rules[at.WIN_POINTS] if row[at.WINNER] == player else rules[at.LOSS_POINTS]
    total = 0
    won = row[at.WON + player]
    while won != 0:
        total += rules[at.POINTS + lowest_bit(won)]
        won &= won - 1
    return total


@inlined
def _majority(rules: Ints, row: Ints) -> int:
    """Returns the player who wins a full board by points, or -1."""
    if rules[at.MAJORITY] == 0:
        return -1
    margin = points(rules, row, 0) - points(rules, row, 1)
    return -1 if margin == 0 else int64(margin < 0)


@inlined
def place_mark(
    rules: Ints, row: Ints, block: int, cell: int, mark: int, player: int, bonus: int, closed: int, used: int
) -> tuple[int, int, int, int, int, int, int]:
    """Plays a legal move on the boards of `row`. PLAYER, BONUS, CLOSED and USED are arguments.

    Returns what STATUS, WINNER, PLAYER, BONUS, SENT, CLOSED and USED are then. Random play keeps these in registers: a
    tenth of its time was waiting for words of the row that it had just written.
    """
    taken = row[at.TAKEN + block] | (1 << cell)
    row[at.TAKEN + block] = taken
    plane = rules[at.PLANES] + mark * rules[at.BLOCKS] + block
    placed = row[plane] | (1 << cell)
    row[plane] = placed
    if rules[at.ONCE] != 0:
        used |= 1 << mark

    if rules[at.SUM] == 0:
        completed = has_line(rules, placed)
    else:
        completed = _completes_sum(rules, row, cell, mark + 1, taken)
    again = 0
    if completed:
        won = row[at.WON + player] | (1 << block)
        row[at.WON + player] = won
        closed |= 1 << block
        first = rules[at.BOARD_SHIFT + block]
        if rules[at.NESTED] == 0 or has_line(rules, (won >> first) & rules[at.ALL_CELLS]):
            return int64(at.LINE), player ^ rules[at.MISERE], 0, 0, 0, closed, used
        again = rules[at.EXTRA_MOVE] & (1 - bonus)
    elif taken == rules[at.ALL_CELLS]:
        closed |= 1 << block
    if closed == rules[at.ALL_BLOCKS]:
        return int64(at.FULL), _majority(rules, row), 0, 0, 0, closed, used
    player ^= 1 ^ again
    if rules[at.ONCE] != 0 and marks_left(rules, player, used) == 0:
        return int64(at.NO_MOVES), -1, 0, 0, 0, closed, used
    return int64(at.IN_PLAY), -1, player, again, (cell + 1) & -rules[at.NESTED], closed, used


@inlined
def apply_move(rules: Ints, row: Ints, move: int) -> None:
    """Plays an encoded legal move."""
    status, winner, player, bonus, sent, closed, used = place_mark(
        rules,
        row,
        move >> 8,
        (move >> 4) & 15,
        move & 15,
        row[at.PLAYER],
        row[at.BONUS],
        row[at.CLOSED],
        row[at.USED],
    )
    row[at.PLAYER] = player
    row[at.BONUS] = bonus
    row[at.SENT] = sent
    row[at.CLOSED] = closed
    if rules[at.ONCE] != 0:
        row[at.USED] = used
    if status != at.IN_PLAY:
        row[at.STATUS] = status
        row[at.WINNER] = winner
    row[at.PLY] += 1
    row[at.LAST] = move


@embedded
def undo_move(rules: Ints, row: Ints, token: int) -> None:
    """Takes back the last move; `token` is `undo_token` from before it."""
    move = row[at.LAST]
    block = move >> 8
    cell = (move >> 4) & 15
    mark = move & 15
    row[at.PLAYER] = token & 1
    row[at.BONUS] = (token >> 1) & 1
    row[at.SENT] = (token >> 2) & 63
    row[at.LAST] = (token >> 8) - 1
    row[at.STATUS] = at.IN_PLAY
    row[at.WINNER] = -1
    row[at.PLY] -= 1
    row[at.TAKEN + block] &= ~(1 << cell)
    row[rules[at.PLANES] + mark * rules[at.BLOCKS] + block] &= ~(1 << cell)
    # The move was legal, so its block was open before it.
    row[at.CLOSED] &= ~(1 << block)
    row[at.WON] &= ~(1 << block)
    row[at.WON + 1] &= ~(1 << block)
    row[at.USED] &= ~(rules[at.ONCE] << mark)
    if rules[at.SUM] != 0:
        lines_at = at.LINES_AT + at.CELL_LINE_WORDS * cell
        for i in range(rules[lines_at]):
            row[rules[at.SUMS] + rules[lines_at + 1 + i]] -= mark + 1


@entry(atomic=True)
def state_refresh(rules: Ints, state: Ints) -> int:
    """Writes the legal actions of a state (a row with its stack and legal actions); returns their number."""
    return fill_legal(rules, state, state, rules[at.LEGAL])


@entry(atomic=True)
def state_apply(rules: Ints, state: Ints, action: int) -> int:
    """Plays `action`; returns the new number of legal actions. An illegal action changes nothing and returns -1."""
    if not is_legal(rules, state, action):
        return -1
    state[rules[at.STACK] + state[at.PLY]] = undo_token(state)
    apply_move(rules, state, move_of(rules, state, action))
    return fill_legal(rules, state, state, rules[at.LEGAL])


@entry(atomic=True)
def state_undo(rules: Ints, state: Ints, first_ply: int) -> int:
    """Takes back the last move; returns the new number of legal actions, or -1 if none was played since `first_ply`."""
    if state[at.PLY] <= first_ply:
        return -1
    undo_move(rules, state, state[rules[at.STACK] + state[at.PLY] - 1])
    return fill_legal(rules, state, state, rules[at.LEGAL])


@entry(atomic=True)
def state_points(rules: Ints, state: Ints, player: int) -> int:
    """Returns the points that the finished game gives `player`."""
    return points(rules, state, player)


@entry(atomic=True)
def state_playable(rules: Ints, state: Ints) -> int:
    """Returns the mask of the blocks open to the next mark; 0 if the game is over."""
    return playable_blocks(rules, state) if state[at.STATUS] == at.IN_PLAY else 0
