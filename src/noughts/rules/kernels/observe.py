"""Fills the observation planes of zeros and ones that a player sees. `State.observation_tensor` lists the planes."""

from __future__ import annotations

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Bytes, Ints
from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.core import playable_blocks
from noughts.rules.kernels.jit import embedded, entry, inlined, int64


@inlined
def _show_cells(rules: Ints, block: int, cells: int, out: Bytes, start: int) -> None:
    """Sets the bytes of some cells of a block in the planes at out[start:]."""
    while cells != 0:
        out[start + rules[at.INDEX_OF + ((block << 4) | lowest_bit(cells))]] = 1
        cells &= cells - 1


@inlined
def _show_blocks(rules: Ints, blocks: int, out: Bytes, start: int) -> None:
    while blocks != 0:
        _show_cells(rules, lowest_bit(blocks), rules[at.ALL_CELLS], out, start)
        blocks &= blocks - 1


@inlined
def _fill_plane(plane: Bytes, value: int) -> None:
    """Sets all of a slice. Such a loop becomes a few vector instructions; one from a computed index on does not."""
    for i in range(len(plane)):
        plane[i] = value


@embedded
def fill_observation(rules: Ints, row: Ints, player: int, out: Bytes) -> None:
    """Writes the observation of `player` to all of `out`, plane after plane."""
    for i in range(len(out)):
        out[i] = 0
    size = rules[at.BLOCKS] * rules[at.CELLS]
    end = 0
    for number in range(rules[at.MARKS]):
        mark = number
        if rules[at.CHOICES] == 1:
            mark = lowest_bit(rules[at.PLACES + (player ^ number)])
        for block in range(rules[at.BLOCKS]):
            _show_cells(rules, block, row[rules[at.PLANES] + mark * rules[at.BLOCKS] + block], out, end)
        end += size
    if row[at.STATUS] == at.IN_PLAY:
        blocks = playable_blocks(rules, row)
        while blocks != 0:
            block = lowest_bit(blocks)
            _show_cells(rules, block, rules[at.ALL_CELLS] & ~row[at.TAKEN + block], out, end)
            blocks &= blocks - 1
    end += size
    if rules[at.NESTED] != 0:
        _show_blocks(rules, row[at.WON + player], out, end)
        _show_blocks(rules, row[at.WON + 1 - player], out, end + size)
        end += 2 * size
    plane = size // (rules[at.BLOCKS] // rules[at.CELLS]) if rules[at.NESTED] != 0 else size
    if row[at.STATUS] == at.IN_PLAY and row[at.PLAYER] == player:
        _fill_plane(out[end : end + plane], int64(1))
    end += plane
    if rules[at.EXTRA_MOVE] != 0 and row[at.BONUS] != 0:
        _fill_plane(out[end : end + plane], int64(1))


@inlined
def _shown_cells(rules: Ints, row: Ints, player: int, plane: int, block: int, playable: int) -> int:
    """Returns the cells of a block that are 1 in a plane: of a mark, of the legal moves, of won blocks."""
    if plane < rules[at.MARKS]:
        mark = plane
        if rules[at.CHOICES] == 1:
            mark = lowest_bit(rules[at.PLACES + (player ^ plane)])
        return row[rules[at.PLANES] + mark * rules[at.BLOCKS] + block]
    if plane == rules[at.MARKS]:
        return (rules[at.ALL_CELLS] & ~row[at.TAKEN + block]) * ((playable >> block) & 1)
    owner = player ^ (plane - rules[at.MARKS] - 1)
    return rules[at.ALL_CELLS] * ((row[at.WON + owner] >> block) & 1)


@inlined
def _playable(rules: Ints, row: Ints) -> int:
    """Returns the blocks that take the next mark; none when the game is over."""
    playable: int = int64(0)
    if row[at.STATUS] == at.IN_PLAY:
        playable = playable_blocks(rules, row)
    return playable


@inlined
def _touched(rules: Ints, shown: Ints, row: Ints) -> int:
    """Returns the blocks whose marks differ. In nested games, taken cells and one mark determine the other mark."""
    blocks: int = int64(1 - rules[at.NESTED])
    for block in range(rules[at.BLOCKS]):
        first = rules[at.PLANES] + block
        if shown[at.TAKEN + block] != row[at.TAKEN + block] or shown[first] != row[first]:
            blocks |= 1 << block
    return blocks


@inlined
def _flag(rules: Ints, row: Ints, player: int, number: int) -> int:
    """Returns the value of a whole plane. Plane 0: the player is to move; plane 1: the move is a bonus move."""
    flag: int = int64(row[at.STATUS] == at.IN_PLAY and row[at.PLAYER] == player)
    if number != 0:
        flag = int64(row[at.BONUS] != 0)
    return flag


@embedded
def update_observation(rules: Ints, shown: Ints, row: Ints, player: int, out: Bytes) -> None:
    """Turns `out` from the observation of the row `shown` into that of `row`, for `player`; copies `row` to `shown`.

    Writes only the cells that changed, which takes a fraction of the time of `fill_observation` in nested games.
    """
    size = rules[at.BLOCKS] * rules[at.CELLS]
    before = _playable(rules, shown)
    now = _playable(rules, row)
    touched = _touched(rules, shown, row)
    planes = rules[at.MARKS] + 1 + 2 * rules[at.NESTED]
    for plane in range(planes):
        blocks = touched
        if plane == rules[at.MARKS]:
            blocks = before | now
        elif plane > rules[at.MARKS]:
            owner = player ^ (plane - rules[at.MARKS] - 1)
            blocks = shown[at.WON + owner] ^ row[at.WON + owner]
        while blocks != 0:
            block = lowest_bit(blocks)
            blocks &= blocks - 1
            cells = _shown_cells(rules, row, player, plane, block, now)
            changed = cells ^ _shown_cells(rules, shown, player, plane, block, before)
            while changed != 0:
                cell = lowest_bit(changed)
                out[plane * size + rules[at.INDEX_OF + ((block << 4) | cell)]] = (cells >> cell) & 1
                changed &= changed - 1
    board = size // (rules[at.BLOCKS] // rules[at.CELLS]) if rules[at.NESTED] != 0 else size
    for number in range(1 + rules[at.EXTRA_MOVE]):
        value = _flag(rules, row, player, number)
        if value != _flag(rules, shown, player, number):
            first = planes * size + number * board
            _fill_plane(out[first : first + board], value)
    for i in range(rules[at.ROW_WORDS]):
        shown[i] = row[i]


@entry(atomic=True)
def observe(rules: Ints, row: Ints, player: int, out: Bytes) -> None:
    """Writes the observation of `player` to `out`, which has one byte per cell of each plane."""
    fill_observation(rules, row, player, out)
