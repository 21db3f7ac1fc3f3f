"""What a move in a reply was worth: the grade of an episode's step, and the exact grades of a solved game."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from noughts.game import State
from noughts.solving import Solution


@dataclass(frozen=True, slots=True)
class MoveGrade:
    """What became of a reply, and what the move in it was worth to the policy: 1 wins, 0 draws, -1 loses.

    valid, reason, message: as for `TextEnv.step`. move: as it was read. best, value: of the best legal moves, and of
    this one. lost: the value given away, best - value. mattered: whether some legal move was worse than another.
    distance: moves that the game then has under best play, this one included. better: the moves of the best value, as
    far as known. exact: whether all that is proven; else it is the estimate of a search, and there is no distance.
    None where a reply was invalid or nothing was graded.
    """

    valid: bool
    reason: str | None = None
    message: str | None = None
    move: str | None = None
    best: float | None = None
    value: float | None = None
    lost: float | None = None
    mattered: bool | None = None
    distance: int | None = None
    better: tuple[str, ...] = ()
    exact: bool | None = None

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def exact_grades(
    solution: Solution, state: State, names: list[str], kept: dict[Any, Any] | None = None
) -> dict[int, MoveGrade]:
    """The grades of all legal moves of a position, best first.

    names: of the actions. kept: grades that were made before, since equal ones are made once.
    """
    moves = solution.rated_moves(state)
    best, mattered = moves[0].value, moves[-1].value < moves[0].value
    better = tuple(sorted([names[move.action] for move in moves if move.value == best]))
    kept, grades = {} if kept is None else kept, {}
    better = kept.setdefault(better, better)
    for move in moves:
        key = (move.action, best, move.value, mattered, move.distance, better)
        grades[move.action] = kept.get(key) or kept.setdefault(
            key,
            MoveGrade(
                True,
                move=names[move.action],
                best=best,
                value=move.value,
                lost=best - move.value,
                mattered=mattered,
                distance=move.distance,
                better=better,
                exact=True,
            ),
        )
    return grades
