"""The games for TRL: `GRPOTrainer(environment_factory=NoughtsEnv)`. It needs nothing but this package.

TRL makes one object for each rollout, calls `reset` with the columns of the dataset's row, offers the public methods as
tools to the model, and asks `get_reward` at the end.
"""

from __future__ import annotations

from typing import Any

from noughts.envs.episode import Episode

COLUMNS = ("game", "seat", "opponent", "seed", "opening", "error_allowance", "list_moves", "reward", "grade_nodes")
"""Columns of a dataset that `reset` takes; others are left alone."""

PROMPT = "Play the game that follows with the tool `play`, one call for each of your moves, until it is over."


class NoughtsEnv:
    """One rollout. The public methods are TRL's: `play` is the tool; `reset` and `get_reward` are not."""

    def __init__(self) -> None:
        self._episode: Episode | None = None

    def reset(self, **columns: Any) -> str:
        """Begin an episode from the columns of a row; what the model reads first."""
        self._episode = Episode(**{name: value for name, value in columns.items() if name in COLUMNS})
        return self._episode.reset()

    def play(self, move: str) -> str:
        """
        Play a move, and see what the opponent answers.

        Args:
            move: The move in square brackets, in the format that the rules ask for, for example [X 4].

        Returns:
            What happened since, and the board.
        """
        episode = self._begun()
        if episode.done:
            raise ValueError("the game is over")
        return episode.step(str(move))[0]

    def get_reward(self) -> float:
        """Returns what the rollout pays in all: see `episode.REWARDS`. An unfinished game pays like a forfeited one."""
        return self._begun().total_reward()

    def _begun(self) -> Episode:
        if self._episode is None:
            raise ValueError("there is no episode yet; call reset() first")
        return self._episode


def rows(
    games: int, game: str = "wild", opponent: str = "perfect", opening: int = 1, seed: int = 0
) -> list[dict[str, Any]]:
    """Rows for `datasets.Dataset.from_list`: so many tasks, the seats in turn, each with its own opening."""
    return [
        {
            "prompt": [{"role": "user", "content": PROMPT}],
            "game": game,
            "opponent": opponent,
            "opening": opening,
            "seat": number % 2,
            "seed": seed + number,
        }
        for number in range(games)
    ]
