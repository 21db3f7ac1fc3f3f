"""The built-in games, each a record of facts. You can define another one the same way, in any file:
see docs/adding-a-game.md.
"""

from __future__ import annotations

from dataclasses import replace

from noughts.rules.geometry import columns, diagonals, diamonds, rows, weights
from noughts.rules.spec import Rules

THREE_IN_LINE = rows(3) + columns(3) + diagonals(3)
NO_DIAGONALS = rows(4) + columns(4) + diamonds(4)

CLASSIC = Rules(
    name="classic",
    title="Tic-Tac-Toe",
    summary="Three of your own marks in a line win.",
    side=3,
    lines=THREE_IN_LINE,
)

MISERE = replace(
    CLASSIC,
    name="misere",
    title="Misère Tic-Tac-Toe",
    summary="Three of your own marks in a line lose.",
    misere=True,
)

WILD = Rules(
    name="wild",
    title="Wild Tic-Tac-Toe",
    summary="Both players place X or O; whoever completes a line of equal marks wins.",
    side=3,
    lines=THREE_IN_LINE,
    places=("XO", "XO"),
)

WILD_MISERE = replace(
    WILD,
    name="wild-misere",
    title="Wild Misère Tic-Tac-Toe",
    summary="Both players place X or O; whoever completes a line of equal marks loses.",
    misere=True,
)

NUMERICAL = Rules(
    name="numerical",
    title="Numerical Tic-Tac-Toe",
    summary="Odd numbers against even ones; whoever fills a line that sums to 15 wins.",
    side=3,
    lines=THREE_IN_LINE,
    marks="123456789",
    places=("13579", "2468"),
    once=True,
    line_sum=15,
)

ULTIMATE = Rules(
    name="ultimate",
    title="Ultimate Tic-Tac-Toe",
    summary="Nine boards in one; the cell you take sends the opponent to that board.",
    side=3,
    lines=THREE_IN_LINE,
    nested=True,
)

ULTIMATE_BOARDS = replace(
    ULTIMATE,
    name="ultimate-boards",
    title="Ultimate Tic-Tac-Toe, most boards",
    summary="As Ultimate; on a full board without a line, more won boards win.",
    win_points=(10, 0),
    block_points=weights(3, corner=1, edge=1, centre=1),
    majority=True,
)

XTREME = Rules(
    name="xtreme",
    title="Xtreme Tic-Tac-Toe",
    summary="Two boards of 3x3x3x3; winning a block gives one more move.",
    side=3,
    lines=THREE_IN_LINE,
    nested=True,
    boards=2,
    bonus=True,
    win_points=(86, 0),
    block_points=weights(3, corner=4, edge=6, centre=3),
    move_seconds=24,
)

EXTREME = Rules(
    name="extreme",
    title="Extreme Tic-Tac-Toe",
    summary="4x4x4x4; rows, columns and diamonds; winning a block gives one more move.",
    side=4,
    lines=NO_DIAGONALS,
    nested=True,
    bonus=True,
    win_points=(68, 0),
    block_points=weights(4, corner=6, edge=4, centre=3),
    move_seconds=16,
)

VARIANTS = (CLASSIC, MISERE, WILD, WILD_MISERE, NUMERICAL, ULTIMATE, ULTIMATE_BOARDS, XTREME, EXTREME)

BUILT_IN = {rules.name: rules for rules in VARIANTS}
"""The same, by name."""
