"""The moves of a game by what they gave away, for people: after a game, in `replay --grade` and in `analyze FILE`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noughts.analysis.grading import Grade
    from noughts.matches.record import GameRecord

MOVES_SHOWN = 12
BETTER_SHOWN = 4
MATTERS = 0.3
"""Of the expected result: what a player is told of after a game."""


def graded(record: GameRecord, nodes: int | None, seat: int | None = None) -> dict[int, Grade]:
    """The grades of the moves that players chose, or those of one seat, by the number of the move."""
    from noughts.analysis.grading import SEARCH_NODES, grade_game, grader_for
    from noughts.commands.output import progress

    grades = {}
    with progress("grading") as tick:
        for grade in grade_game(record, grader_for(record.game, nodes or SEARCH_NODES), seat):
            grades[grade.ply] = grade
            tick((grade.ply + 1) / len(record.moves))
    return grades


def costly_moves(record: GameRecord, grades: dict[int, Grade]) -> str:
    """The moves that gave something away, the costliest first."""
    from noughts.commands.output import table, width
    from noughts.matches.course_log import result_line

    start = record.game.new_initial_state()
    costly = sorted((grade for grade in grades.values() if grade.costly), key=lambda grade: -grade.lost)
    rows = []
    for grade in costly[:MOVES_SHOWN]:
        better = ", ".join(map(start.action_to_string, grade.better[:BETTER_SHOWN]))
        more = " ..." if len(grade.better) > BETTER_SHOWN else ""
        rows.append(
            [
                str(grade.ply + 1),
                record.players[grade.player],
                start.action_to_string(grade.action),
                f"{grade.best:+z.2f}",
                f"{grade.value:+z.2f}",
                f"{grade.lost:.2f}",
                better + more,
            ]
        )
    first, second = record.players
    lines = [
        f"{record.game.rules.title}: {first} (x) against {second} (o)",
        *textwrap.wrap(result_line(record), width()),
    ]
    exact = all(grade.exact for grade in grades.values())
    how = "exactly" if exact else "by search, so values are estimates unless they are 1 or -1"
    said = f"{len(grades)} moves graded {how}; {len(costly)} gave something away."
    if len(costly) > MOVES_SHOWN:
        said += f" The {MOVES_SHOWN} costliest of {len(costly)} (--json has all):"
    lines += ["", *textwrap.wrap(said, width())]
    if rows:
        heads = ["move", "player", "played", "best", "value", "lost", "better"]
        lines += ["", table(heads, rows, right=[0, 3, 4, 5])]
    return "\n".join(lines)


def _either(moves: list[str]) -> str:
    """`3, 5, 6 or 8`; of many moves the first ones."""
    named = moves if len(moves) <= BETTER_SHOWN else [*moves[:BETTER_SHOWN], f"{len(moves) - BETTER_SHOWN} others"]
    return " or ".join(part for part in (", ".join(named[:-1]), named[-1]) if part)


def turning_point(record: GameRecord, seat: int, nodes: int) -> str:
    """The move by which a player gave away most, in a sentence to that player."""
    grades = graded(record, nodes, seat).values()
    costly = [grade for grade in grades if grade.lost >= (1 if grade.exact else MATTERS)]
    if not costly:
        return "No move of yours gave much away." if grades else ""
    worst = max(costly, key=lambda grade: (grade.lost, grade.ply))
    state = record.states()[worst.ply][0]
    move = f"Your move {state.action_to_string(worst.action)} (move {worst.ply + 1})"
    better = _either(list(map(state.action_to_string, worst.better)))
    if not worst.exact:
        return (
            f"{move} cost most, by a short search: from {worst.best:+z.2f} to {worst.value:+z.2f} "
            f"(1 is a win, -1 a loss). Better was {better}."
        )
    if worst.best == 0:
        return f"{move} gave away the draw: {better} would have kept it."
    return f"{move} gave away {'the game' if worst.value < 0 else 'the win'}: {better} wins."
