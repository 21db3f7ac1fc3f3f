"""Builds state rows from positions set up by hand, and refuses positions that play cannot reach.

The checks cover what a person can get wrong: the number of marks, the player to move, play after the end of a block or
of the game, a destined block or a bonus move that no last move explains. In nested games they do not prove that some
game reaches the position: they do not check that each earlier move was made where the move before it sent, so that
positions can be set up for study without playing a game to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from noughts.errors import NoughtsError
from noughts.rules.geometry import block_on, board_and_block
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.tables import Array
from noughts.rules.spec import Line, Rules

EMPTY = -1


class PositionError(NoughtsError, ValueError):
    """A position that play cannot lead to; the message says why.

    >>> import noughts
    >>> noughts.load_game("classic").from_string("XXX/.../... p1")
    Traceback (most recent call last):
    noughts.rules.position.PositionError: ...
    """


@dataclass(frozen=True)
class Setup:
    """A position as a person gives it.

    cells: a mark's number or EMPTY for each cell, row-major over the boards. player: who is to move, None
    if the game is over. sent: the cell of the last move, hence the destined block, in nested games once
    a move was made, else None. bonus: whether the move to make is a bonus move.
    """

    cells: Sequence[int]
    player: int | None
    sent: int | None = None
    bonus: bool = False


def build_row(rules: Rules, facts: Array, setup: Setup) -> Array:
    """Returns the state row of a position. Raises PositionError if play cannot lead to it."""
    row = _placed(rules, facts, setup)
    why = next(_refusals(rules, row, facts, setup), None)
    if why is not None:
        raise PositionError(why)
    return row


# The row: the marks are placed, whether or not play can lead to them.


def _placed(rules: Rules, facts: Array, setup: Setup) -> Array:
    row = np.zeros(facts[at.ROW_WORDS], np.int64)
    row[at.WINNER] = row[at.LAST] = -1
    for index, mark in enumerate(setup.cells):
        if mark != EMPTY:
            _put(rules, facts, row, index, mark)
    row[at.STATUS], row[at.WINNER] = (_end_of_nested if rules.nested else _end_of_flat)(rules, facts, row, setup)
    if row[at.STATUS] == at.IN_PLAY:
        row[at.PLAYER] = setup.player or 0
        row[at.SENT] = 0 if setup.sent is None else setup.sent + 1
        row[at.BONUS] = setup.bonus
    return row


def _put(rules: Rules, facts: Array, row: Array, index: int, mark: int) -> None:
    block, cell = divmod(int(facts[at.SPOT_OF + index]), 16)
    row[at.USED] |= int(rules.once) << mark
    row[at.TAKEN + block] |= 1 << cell
    row[facts[at.PLANES] + mark * rules.blocks + block] |= 1 << cell
    row[at.PLY] += 1
    if rules.line_sum is not None:
        for number, line in enumerate(rules.lines):
            if cell in line:
                row[facts[at.SUMS] + number] += mark + 1


def _end_of_flat(rules: Rules, facts: Array, row: Array, setup: Setup) -> tuple[int, int]:
    """Sets whether the board is closed and by whom; returns the status and the winner."""
    placed = int(row[at.PLY])
    if complete_lines(rules, setup.cells):
        last = (placed - 1) % 2
        row[at.WON + last] = row[at.CLOSED] = 1
        return at.LINE, last ^ rules.misere
    if placed == rules.cells:
        row[at.CLOSED] = 1
        return at.FULL, -1
    return (at.IN_PLAY if facts[at.PLACES + placed % 2] & ~row[at.USED] else at.NO_MOVES), -1


def _end_of_nested(rules: Rules, facts: Array, row: Array, setup: Setup) -> tuple[int, int]:
    """Sets the owners of blocks and which are closed; returns the status and the winner."""
    for block in range(rules.blocks):
        owners = _owners(rules, facts, row, block)
        for player in owners:
            row[at.WON + player] |= 1 << block
        if owners or row[at.TAKEN + block] == facts[at.ALL_CELLS]:
            row[at.CLOSED] |= 1 << block
    winners = _winners(rules, facts, row)
    if winners:
        return at.LINE, winners[0] ^ rules.misere
    if row[at.CLOSED] != facts[at.ALL_BLOCKS]:
        return at.IN_PLAY, -1
    first, second = (
        sum(int(facts[at.POINTS + block]) for block in range(rules.blocks) if row[at.WON + player] >> block & 1)
        for player in (0, 1)
    )
    return at.FULL, int(second > first) if rules.majority and first != second else -1


def complete_lines(rules: Rules, cells: Sequence[int]) -> list[Line]:
    """Returns the lines of a flat board that are full of equal marks, or have the right sum."""
    complete = []
    for line in rules.lines:
        marks = [cells[cell] for cell in line]
        if EMPTY in marks:
            continue
        if len(set(marks)) == 1 if rules.line_sum is None else sum(marks) + len(marks) == rules.line_sum:
            complete.append(line)
    return complete


# The judgement: why play cannot lead to the position.


def _refusals(rules: Rules, row: Array, facts: Array, setup: Setup) -> Iterator[str]:
    """Yields the reasons, the first of which counts: later ones may assume that earlier ones do not hold."""
    if rules.nested:
        yield from _nested_refusals(rules, row, facts, setup)
    else:
        yield from _flat_refusals(rules, row, setup)


def _turn_refusals(row: Array, setup: Setup, players: set[int]) -> Iterator[str]:
    """Yields why the given player cannot be to move. players: those who can, while the game is in play."""
    if row[at.STATUS] != at.IN_PLAY:
        if setup.player is not None:
            reason = at.REASONS[row[at.STATUS]]
            yield f"the game is over ({reason}), so player {setup.player} cannot be to move; write 'end'"
    elif setup.player is None:
        yield "the game is not over: there is no line, and there are moves left"
    elif setup.player not in players:
        yield (
            f"player {setup.player} cannot be to move with this number of marks ({row[at.PLY]}); "
            f"player {1 - setup.player} is"
        )


# Flat games: turns alternate, so the number of marks determines the player to move.


def _flat_refusals(rules: Rules, row: Array, setup: Setup) -> Iterator[str]:
    placed, marks = int(row[at.PLY]), [mark for mark in setup.cells if mark != EMPTY]
    for number, mark in enumerate(marks if rules.once else ()):
        if mark in marks[:number]:
            yield f"the mark {rules.marks[mark]} is on the board twice; each mark can be placed only once"
    if setup.sent is not None or setup.bonus:
        yield f"{rules.name} has no destined block and no bonus move"
    if not _shares_fit(rules, setup.cells, placed):
        counts = ", ".join(
            f"{sum(rules.marks[mark] in only for mark in marks)} that only the {player} player places"
            for player, only in zip(("first", "second"), _exclusive(rules), strict=True)
        )
        yield f"wrong number of marks: {placed} on the board, {counts}; the first player moves first"
    last = (placed - 1) % 2
    if row[at.STATUS] == at.LINE and not any(
        _ended_by(rules, setup.cells, index, last) for index in range(rules.cells)
    ):
        yield "play continued after a line: the lines cannot all come from one last move"
    yield from _turn_refusals(row, setup, {placed % 2})


def _exclusive(rules: Rules) -> tuple[set[str], set[str]]:
    first, second = map(set, rules.places)
    return first - second, second - first


def _shares_fit(rules: Rules, cells: Sequence[int], placed: int) -> bool:
    moves = ((placed + 1) // 2, placed // 2)
    return all(
        sum(mark != EMPTY and rules.marks[mark] in only for mark in cells) <= made
        for only, made in zip(_exclusive(rules), moves, strict=True)
    )


def _ended_by(rules: Rules, cells: Sequence[int], index: int, last: int) -> bool:
    """Returns whether the mark at `index` can have been the move by which `last` ended the game."""
    if cells[index] == EMPTY or rules.marks[cells[index]] not in rules.places[last]:
        return False
    before = [*cells]
    before[index] = EMPTY
    placed = sum(mark != EMPTY for mark in before)
    return not complete_lines(rules, before) and _shares_fit(rules, before, placed)


# Nested games: the marks belong to players; bonus moves make their numbers inexact.


def _has_line(facts: Array, mask: int) -> bool:
    return bool(facts[at.WINS + (mask >> 6)] >> (mask & 63) & 1)


def _owners(rules: Rules, facts: Array, row: Array, block: int) -> list[int]:
    """Returns the players who have a line in a block."""
    return [player for player in (0, 1) if _has_line(facts, _own_cells(rules, facts, row, player, block))]


def _winners(rules: Rules, facts: Array, row: Array) -> list[int]:
    """Returns the players who have a line of blocks."""
    return [player for player in (0, 1) if _won_boards(rules, facts, int(row[at.WON + player]))]


def _nested_refusals(rules: Rules, row: Array, facts: Array, setup: Setup) -> Iterator[str]:
    for block in range(rules.blocks):
        yield from _block_refusals(rules, row, facts, block)
    winners = _winners(rules, facts, row)
    if len(winners) == 2:
        yield "both players have a line of blocks; the game ends with the first"
    if winners:
        won = int(row[at.WON + winners[0]])
        if all(_won_boards(rules, facts, won & ~(1 << block)) for block in range(rules.blocks)):
            yield "play continued after a line of blocks: the lines cannot all come from one last block"
    over = row[at.STATUS] != at.IN_PLAY
    # Without a bonus the last mover was the opponent; a bonus move follows a move of the same player.
    yield from _turn_refusals(row, setup, {0, 1})
    if over:
        if setup.sent is not None or setup.bonus:
            yield "the game is over, so there is no destined block and no bonus move"
        movers = winners or [0, 1]
    else:
        assert setup.player is not None
        movers = [setup.player if setup.bonus else 1 - setup.player]
        if setup.bonus and not rules.bonus:
            yield f"{rules.name} has no bonus moves"
    if not any(True for mover in movers for _ in _turn_counts(rules, row, facts, mover, setup.bonus, bool(over))):
        yield _count_refusal(rules, row, facts, setup)
    if not over:
        yield from _sent_refusals(rules, row, facts, setup, movers[0])


def _block_refusals(rules: Rules, row: Array, facts: Array, block: int) -> Iterator[str]:
    owners = _owners(rules, facts, row, block)
    if len(owners) == 2:
        yield f"{_block_name(rules, block)} has lines of both players; a won block takes no more marks"
    if owners:
        cells = _own_cells(rules, facts, row, owners[0], block)
        if all(_has_line(facts, cells & ~(1 << cell)) for cell in range(rules.cells)):
            where = _block_name(rules, block)
            yield f"play continued in {where} after it was won: its lines cannot all come from one last mark"


def _block_name(rules: Rules, block: int) -> str:
    board, number = board_and_block(rules, block)
    return f"block {number}" if rules.boards == 1 else f"board {board} block {number}"


def _own_cells(rules: Rules, facts: Array, row: Array, player: int, block: int) -> int:
    """Returns the cells of a block that hold the player's mark, as bits."""
    mark = rules.marks.index(rules.places[player])
    return int(row[facts[at.PLANES] + mark * rules.blocks + block])


def _won_boards(rules: Rules, facts: Array, won: int) -> bool:
    full = (1 << rules.cells) - 1
    return any(_has_line(facts, won >> block_on(rules, board, 0) & full) for board in range(rules.boards))


def _marks_of(rules: Rules, row: Array, facts: Array, player: int) -> int:
    return sum(_own_cells(rules, facts, row, player, block).bit_count() for block in range(rules.blocks))


def _count_refusal(rules: Rules, row: Array, facts: Array, setup: Setup) -> str:
    counts = [_marks_of(rules, row, facts, player) for player in (0, 1)]
    blocks = [int(row[at.WON + player]).bit_count() for player in (0, 1)]
    turn = "the game over" if setup.player is None else f"player {setup.player} to move"
    return (
        f"wrong number of marks: {counts[0]} {rules.places[0]} and {counts[1]} {rules.places[1]} cannot occur "
        f"with {blocks[0]} and {blocks[1]} blocks won and {turn}{' for a bonus move' if setup.bonus else ''}"
    )


def _turn_counts(
    rules: Rules, row: Array, facts: Array, mover: int, pending: bool, over: bool
) -> Iterator[tuple[int, int]]:
    """Yields the numbers of bonus moves (of player 0, of player 1) that explain the number of marks.

    A player who won w blocks made between half of them (rounded up) and w bonus moves: a win by an ordinary move gives
    one, a win by a bonus move none. A pending bonus has not been made; a win that ended the game gave none. Turns
    alternate: player 0 has had one more if they moved last.
    """
    marks = [_marks_of(rules, row, facts, player) for player in (0, 1)]
    ranges = []
    for player in (0, 1):
        wins = int(row[at.WON + player]).bit_count()
        unpaid = [int(pending and player == mover)]
        if over and player == mover and wins:
            unpaid.append(1)
        made = {n for less in unpaid for n in range(max(0, (wins - less + 1) // 2), wins - less + 1)}
        if over and player == mover and row[at.STATUS] == at.LINE:
            made.discard(wins)
        ranges.append(sorted(made) if rules.bonus else [0])
    for bonus_0 in ranges[0]:
        for bonus_1 in ranges[1]:
            turns = (marks[0] - bonus_0, marks[1] - bonus_1)
            if turns[0] - turns[1] == 1 - mover and bonus_0 <= turns[0] and bonus_1 <= turns[1]:
                yield bonus_0, bonus_1


def _sent_refusals(rules: Rules, row: Array, facts: Array, setup: Setup, mover: int) -> Iterator[str]:
    """Yields why no mark of the last mover sends to the destined block."""
    if row[at.PLY] == 0:
        if setup.sent is not None:
            yield "no move has been made, so there is no destined block; the first move can go anywhere"
        return
    if setup.sent is None:
        yield "the last move sends the opponent to a block; give the block's number"
        return
    if not 0 <= setup.sent < rules.cells:
        yield f"there is no block {setup.sent}; blocks are 0 to {rules.cells - 1}"
        return
    # A block won by the last move without a pending bonus was won by a bonus move, so there were fewer bonus moves than
    # blocks won.
    wins = int(row[at.WON + mover]).bit_count()
    won_by_bonus = any(0 < made[mover] < wins for made in _turn_counts(rules, row, facts, mover, setup.bonus, False))
    for block in range(rules.blocks):
        cells = _own_cells(rules, facts, row, mover, block)
        if not cells >> setup.sent & 1 or row[at.WON + 1 - mover] >> block & 1:
            continue
        won_by_it = _has_line(facts, cells)
        if won_by_it and _has_line(facts, cells & ~(1 << setup.sent)):
            continue  # the block was won before, so this mark was not the last one
        if not rules.bonus or (won_by_it if setup.bonus else not won_by_it or won_by_bonus):
            return
    what = "won a block from" if setup.bonus else "was in"
    yield f"block {setup.sent} cannot be destined: no last move of player {mover} {what} cell {setup.sent}"
