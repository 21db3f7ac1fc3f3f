"""The games for PettingZoo: two agents that take turns (AEC).

>>> from noughts.envs import zoo
>>> env = zoo.env("extreme")
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     over = termination or truncation
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
"""

from __future__ import annotations

from operator import index as as_index
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as _error:
    raise ImportError("noughts.envs.zoo needs pettingzoo: pip install pettingzoo") from _error

from noughts.envs._render import RENDER_MODES, frame, require_mode
from noughts.game import Game, State
from noughts.library import load_game
from noughts.rules.spec import Rules

if TYPE_CHECKING:
    from noughts.envs._untyped import Untyped as _AECEnv
else:
    _AECEnv = AECEnv

AGENTS = ["player_0", "player_1"]
ILLEGAL_REWARD = -1.0


def env(game: str | Rules | Game = "classic", *, render_mode: str | None = None) -> Any:
    """Returns the environment of a game, given by name or as an object, in PettingZoo's wrapper that requires `reset`
    first."""
    return OrderEnforcingWrapper(NoughtsZooEnv(game, render_mode=render_mode))


def raw_env(game: str | Rules | Game = "classic", *, render_mode: str | None = None) -> NoughtsZooEnv:
    """Returns the same environment without a wrapper, which is faster."""
    return NoughtsZooEnv(game, render_mode=render_mode)


class NoughtsZooEnv(_AECEnv):
    """player_0 moves first. After a move that gives a bonus, the same agent is selected again.

    observation    {"observation": int8 planes, those of `State.observation_tensor`; "action_mask": int8, 1 for each
                   legal action of the agent to move, else all 0}
    rewards        those of `State.returns`, at the end
    illegal        an illegal action ends the game: -1 for the agent, 0 for the other; infos[agent]["illegal"] is True

    Play is not random, so the seed of `reset` changes nothing.
    """

    def __init__(self, game: str | Rules | Game = "classic", *, render_mode: str | None = None) -> None:
        super().__init__()
        require_mode(render_mode)
        self.game: Game = load_game(game)
        self.metadata: dict[str, Any] = {
            "name": f"noughts_{self.game.name.replace('-', '_')}_v0",
            "render_modes": RENDER_MODES,
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents: list[str] = list(AGENTS)
        actions = self.game.num_distinct_actions()
        self._no_actions = np.zeros(actions, np.int8)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, tuple(self.game.observation_tensor_shape()), np.int8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self._start()

    def observation_space(self, agent: str) -> spaces.Space[dict[str, Any]]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._start()

    def _start(self) -> None:
        self.board: State = self.game.new_initial_state()
        self.agents: list[str] = list(AGENTS)
        self.rewards: dict[str, float] = {"player_0": 0.0, "player_1": 0.0}
        self._cumulative_rewards = {"player_0": 0.0, "player_1": 0.0}
        self.terminations: dict[str, bool] = {"player_0": False, "player_1": False}
        self.truncations: dict[str, bool] = {"player_0": False, "player_1": False}
        self.infos: dict[str, dict[str, Any]] = {"player_0": {}, "player_1": {}}
        self.agent_selection: str = AGENTS[0]

    def observe(self, agent: str) -> dict[str, Any]:
        player = 0 if agent == "player_0" else 1
        mask = self._no_actions.copy()
        if agent == self.agent_selection and not self.terminations.get(agent):
            mask[self.board.legal_actions()] = 1
        return {"observation": self.board._observation_planes(player), "action_mask": mask}

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        # Rewards come only at the end, so there is nothing to clear or add up before.
        try:
            self.board.apply_action(as_index(action))
        except (TypeError, ValueError):
            self.infos[agent]["illegal"] = True
            self._end({agent: ILLEGAL_REWARD})
            return
        if self.board.is_terminal():
            self._end(dict(zip(AGENTS, self.board.returns(), strict=True)))
        else:
            self.agent_selection = AGENTS[self.board.current_player()]
        if self.render_mode == "human":
            self.render()

    def _end(self, rewards: dict[str, float]) -> None:
        self.rewards.update(rewards)
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = AGENTS[1 - AGENTS.index(self.agent_selection)]

    def render(self) -> Any:
        """Returns a frame; with the mode "human" each move prints one."""
        return frame(self.board, self.render_mode)

    def close(self) -> None:
        """Does nothing, since nothing needs releasing."""
