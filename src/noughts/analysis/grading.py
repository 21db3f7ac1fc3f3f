"""What each move gave away, by the exact solution of the game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from noughts.evaluation.transcript import Line, Played
from noughts.game import Game, State
from noughts.solving import Solution, TooLarge, solve


@dataclass(frozen=True)
class Grade:
    """One move and what it was worth to the player who made it: values are 1 (won), 0 (drawn) or -1 (lost).

    position: before the move. best, value: of the best legal moves, and of the one that was played. better: the moves
    of the best value. chosen: whether some legal move was worse than another, so that the choice mattered.
    """

    game: int
    ply: int
    player: int
    position: str
    action: int
    best: int
    value: int
    better: tuple[int, ...]
    chosen: bool

    @property
    def lost(self) -> int:
        """The value given away: 0 for a perfect move, 1 from a win to a draw or from a draw to a loss, 2 for both."""
        return self.best - self.value


def solution_of(game: Game) -> Solution | str:
    """The exact solution of a game, or a sentence that says why there is none."""
    try:
        return solve(game)
    except TooLarge as error:
        return f"Moves of {game.name} are not graded: {error}"


def grades(game: Game, solution: Solution, played: Played, seat: int) -> Iterator[Grade]:
    """The moves that the player of one seat made in a game; invalid replies are not moves."""
    for ply, state, turn in replay(game, played):
        if turn["player"] != seat:
            continue
        values = solution.action_values(state)
        best = max(values.values())
        yield Grade(
            game=played.number,
            ply=ply,
            player=seat,
            position=state.to_string(),
            action=turn["action"],
            best=best,
            value=values[turn["action"]],
            better=tuple(action for action, value in values.items() if value == best),
            chosen=min(values.values()) < best,
        )


def replay(game: Game, played: Played) -> Iterator[tuple[int, State, Line]]:
    """The moves of a game again: how many came before, the state before the move, and its line in the transcript.

    ValueError if the transcript holds a move that the rules do not allow.
    """
    state = game.new_initial_state()
    moves = [turn for turn in played.turns if turn["valid"]]
    for ply, turn in enumerate(moves):
        if state.current_player() != turn["player"]:
            raise ValueError(f"game {played.number} of the transcript is not a game of {game.name}")
        yield ply, state.clone(), turn
        state.apply_action(turn["action"])
