"""The games for TRL: `GRPOTrainer(environment_factory=NoughtsEnv)`, and single positions of generated games:
`GRPOTrainer(reward_funcs=position_reward)`. It needs only this package.

TRL makes one object for each rollout, calls `reset` with the columns of the dataset's row, offers the public methods as
tools to the model, and asks `get_reward` at the end.
"""

from __future__ import annotations

from typing import Any

from noughts.envs.episode import Episode, generated
from noughts.suites.training import VariantDataset, score_answer

COLUMNS = ("game", "seat", "opponent", "seed", "opening", "error_allowance", "list_moves", "reward", "grade_nodes")
"""Columns of a dataset that `reset` uses, besides `variant`, `difficulty` and `split`; others are ignored."""

PROMPT = "Play the game that follows with the tool `play`, one call for each of your moves, until it is over."


class NoughtsEnv:
    """One rollout. The public methods are TRL's: `play` is the tool; `reset` and `get_reward` are not."""

    def __init__(self) -> None:
        self._episode: Episode | None = None

    def reset(self, **columns: Any) -> str:
        """Starts an episode from the columns of a row; returns the model's first text.

        variant, difficulty, split: a generated game instead of a built-in one, see `episode.generated`.
        """
        settings = {name: value for name, value in columns.items() if name in COLUMNS}
        if columns.get("variant") is not None:
            settings["game"] = generated(
                columns["variant"], columns.get("difficulty", 0), columns.get("split", "train")
            )
        self._episode = Episode(**settings)
        return self._episode.reset()

    def play(self, move: str) -> str:
        """
        Play a move, and see what the opponent answers.

        Args:
            move: The move in square brackets, in the format that the rules ask for, for example [X 4].

        Returns:
            What happened since, and the board.
        """
        episode = self._current_episode()
        if episode.done:
            raise ValueError("the game is over")
        return episode.step(str(move))[0]

    def get_reward(self) -> float:
        """Returns the total reward of the rollout: see `episode.REWARDS`. An unfinished game pays like a forfeited
        one."""
        return self._current_episode().total_reward()

    def _current_episode(self) -> Episode:
        if self._episode is None:
            raise ValueError("there is no episode yet; call reset() first")
        return self._episode


def rows(
    games: int, game: str = "wild", opponent: str = "perfect", opening: int = 1, seed: int = 0
) -> list[dict[str, Any]]:
    """Returns `games` rows for `datasets.Dataset.from_list`, with alternating seats, each with its own opening."""
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


def variant_rows(
    games: int, difficulty: int = 0, split: str = "train", opponent: str = "perfect", seed: int = 0
) -> list[dict[str, Any]]:
    """Returns rows of whole games of generated rules, each game once, with alternating seats."""
    return [
        row | {"variant": number, "difficulty": difficulty, "split": split}
        for number, row in enumerate(rows(games, "classic", opponent, 0, seed))
    ]


def position_rows(data: VariantDataset) -> list[dict[str, Any]]:
    """Returns rows of single positions, for `position_reward`."""
    return [
        {"prompt": [{"role": "user", "content": entry["question"]}], "metadata": entry["metadata"]} for entry in data
    ]


def position_reward(completions: list[Any], metadata: list[dict[str, Any]], **_: Any) -> list[float]:
    """Returns the rewards of completions to `position_rows`, from 0 to 1: a reward function of GRPOTrainer.

    It cannot see that a completion was cut off; set `mask_truncated_completions` of GRPOConfig for that.
    """
    replies = [each if isinstance(each, str) else each[-1]["content"] for each in completions]
    return [score_answer(text, {"metadata": facts}) for text, facts in zip(replies, metadata, strict=True)]
