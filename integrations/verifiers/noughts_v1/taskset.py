"""Games as tasks, and the environment in which our player is the user of the chat."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import verifiers.v1 as vf

from noughts.envs.episode import offered

METRICS = (
    "outcome",
    "given_away",
    "won",
    "drawn",
    "lost",
    "forfeited",
    "perfect",
    "perfect_choices",
    "invalid",
    "moves",
)


class NoughtsConfig(vf.TasksetConfig):
    """variants: play generated games instead, one for each task, of this difficulty and split."""

    game: Literal["classic", "misere", "wild", "wild-misere", "numerical"] = "wild"
    variants: bool = False
    difficulty: int = 0
    split: Literal["train", "held-out"] = "train"
    opponent: Literal["random", "greedy", "perfect"] = "perfect"
    num_tasks: int = 100
    opening: int = 1
    error_allowance: int = 1
    seed: int = 0


class NoughtsData(vf.TaskData):
    episode: dict[str, Any]


class NoughtsTask(vf.Task[NoughtsData, vf.State, vf.TaskConfig]):
    """One game."""


class NoughtsEnvConfig(vf.EnvConfig):
    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class NoughtsEnv(vf.Env[NoughtsEnvConfig]):
    """Plays a game with the agent, and records its reward."""

    async def run(self, task: NoughtsTask, agents: Any) -> None:
        episode = offered(**task.data.episode)
        await asyncio.to_thread(episode.reset)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                cut_off = interaction.trace.is_truncated  # its last reply reached a limit of tokens
                text, done, _ = await asyncio.to_thread(episode.step, segment.last_reply or "", cut_off=cut_off)
                if done:
                    break
                segment = await interaction.turn(text)
        trace, summary = interaction.trace, episode.summary()
        trace.record_reward("graded", episode.total_reward("graded"), 1.0)
        for key in METRICS:
            if key in summary:
                trace.record_metric(key, summary[key])
        trace.info["steps"] = [step.as_data() for step in episode.steps]


class NoughtsTaskset(vf.Taskset[NoughtsTask, NoughtsConfig]):
    """Returns tasks for a number of games: seats alternate, and each has its own opening."""

    def load(self) -> Iterator[NoughtsTask]:
        config = self.config
        for number in range(config.num_tasks):
            settings = {
                "game": config.game,
                "opponent": config.opponent,
                "opening": config.opening,
                "error_allowance": config.error_allowance,
                "seat": number % 2,
                "seed": config.seed + number,
            }
            if config.variants:
                settings |= {"variant": number, "difficulty": config.difficulty, "split": config.split}
            name = "variant" if config.variants else config.game
            data = NoughtsData(name=f"{name}#{number}", prompt=offered(**settings).reset(), episode=settings)
            yield NoughtsTask(data, config.task)
