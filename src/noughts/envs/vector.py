"""A Gymnasium environment that steps thousands of games at once, in compiled code.

>>> import gymnasium
>>> import noughts.envs.gym
>>> envs = gymnasium.make_vec("noughts/Wild-v0", num_envs=1024)
>>> observations, infos = envs.reset(seed=1)
>>> envs.step(envs.sample_legal())
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as _error:
    raise ImportError("noughts.envs.vector needs gymnasium: pip install gymnasium") from _error

from noughts._threads import OneAtATime
from noughts.envs import kernels as duels
from noughts.envs._opponents import opponent_table
from noughts.envs._render import RENDER_MODES, frame, require_mode
from noughts.envs.registration import chosen_game
from noughts.game import Game, State
from noughts.players.protocol import PlayerLike
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.batch import choose_all
from noughts.rules.kernels.core import state_refresh
from noughts.rules.kernels.playout import first_streams, streams
from noughts.rules.spec import Rules
from noughts.solving import Rewards, rewards_of

Planes = npt.NDArray[np.int8]
Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Actions = npt.NDArray[np.int64]
Result = tuple[Planes, Numbers, Flags, Flags, dict[str, Any]]

MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)


class NoughtsVectorEnv(VectorEnv[Planes, Actions, Any]):
    """Many `NoughtsEnv` in one compiled step; game, seat, rewards and illegal_reward mean the same.

    opponent: "random"; in games on a 3x3 board also "greedy", "perfect", "q:RUN", and any deterministic player
    (`is_deterministic = True`), which is asked in every position beforehand.

    Game i of reset(seed=s) has the seed s + i, and is independent of the others. A list gives each its own.
    infos["action_mask"] is int8[num_envs, actions], infos["illegal"] bool[num_envs].

    autoreset_mode: with NEXT_STEP, the step after an end starts a new game and ignores the action; with SAME_STEP, the
    step that ends a game starts the next one, and infos["final_obs"] and infos["final_info"] hold, where
    infos["_final_obs"] is True, the last observation and info. copy: False overwrites and returns the same arrays at
    every step, which is faster. Only one thread steps at a time; others wait.
    """

    def __init__(
        self,
        game: str | Rules | Game | None = None,
        num_envs: int = 1,
        *,
        opponent: PlayerLike = "random",
        seat: int = 0,
        rewards: str | Rewards = "outcome",
        illegal_reward: float | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        registered: str | Rules | None = None,
    ) -> None:
        require_mode(render_mode)
        if seat not in (0, 1):
            raise ValueError(f"seat is {seat!r}; it must be 0 (moves first) or 1")
        if num_envs < 1:
            raise ValueError(f"num_envs must be 1 or more, not {num_envs}")
        self.game: Game = chosen_game(game, registered)
        self.num_envs = num_envs
        self.seat = seat
        self.render_mode = render_mode
        self.autoreset_mode: AutoresetMode = AutoresetMode(autoreset_mode)
        if self.autoreset_mode not in MODES:
            raise ValueError(f"autoreset_mode must be one of {', '.join(mode.name for mode in MODES)}")
        self.metadata: dict[str, Any] = {
            "render_modes": RENDER_MODES,
            "render_fps": 1,
            "autoreset_mode": self.autoreset_mode,
        }
        shape = tuple(self.game.observation_tensor_shape())
        self.single_observation_space: spaces.Space[Any] = spaces.Box(0, 1, shape, np.int8)
        self.single_action_space: spaces.Space[Any] = spaces.Discrete(self.game.num_distinct_actions())
        self.observation_space: spaces.Space[Any] = batch_space(self.single_observation_space, num_envs)
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, num_envs)
        self._copy = copy
        self.set_opponent(opponent)
        self._payoffs = payoffs(self.game, rewards_of(rewards), illegal_reward)
        self._allocate(shape)

    def set_opponent(self, opponent: PlayerLike) -> None:
        """Changes the opponent, even in the middle of games. For self-play, regularly set a copy of the agent."""
        self._table = opponent_table(self.game, opponent, self.seat)

    def _allocate(self, shape: tuple[int, ...]) -> None:
        n, actions = self.num_envs, self.game.num_distinct_actions()
        self._facts = self.game.facts
        self._rows = np.zeros((n, int(self._facts[at.ROW_WORDS])), np.int64)
        self._streams = np.zeros(n, np.uint64)
        self._choices = np.zeros(n, np.uint64)
        self._rewards = np.zeros(n)
        self._ends = np.zeros(n, np.int8)
        self._seen = np.zeros((n, *shape), np.int8)
        self._last_seen = np.zeros((n, *shape), np.int8)
        # The rows that `_seen` shows; at first empty boards of finished games. Without copies, the caller has `_seen`
        # itself and may write to it, so it is always written whole.
        self._shown = np.zeros((n if self._copy else 0, int(self._facts[at.ROW_WORDS])), np.int64)
        self._shown[:, at.STATUS] = at.FULL
        self._masks = np.zeros((n, actions), np.int8)
        self._scratch = np.zeros(actions, np.int64)
        self._started = False
        self._one_at_a_time = OneAtATime()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Restarts all games. Without a seed the random streams continue; at first they are random.

        Raises ValueError for options: all games start from their beginning.
        """
        if options:
            raise ValueError(f"reset of the compiled environments takes no options; remove {sorted(options)[0]!r}")
        with self._one_at_a_time:
            self._seed(seed)
            self._ends[:] = duels.OVER  # so that the next step restarts them
            self._step(np.zeros(self.num_envs, np.int64), at_once=0)
            self._started = True
            return self._copied(self._seen), self._infos()

    def step(self, actions: Actions) -> Result:
        """Makes a step of every game; an illegal action ends its episode, as in `NoughtsEnv`."""
        if not self._started:
            raise ValueError("call reset() before the first step()")
        chosen = np.array(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"actions must have the shape ({self.num_envs},), one for each game, not {chosen.shape}")
        at_once = int(self.autoreset_mode == AutoresetMode.SAME_STEP)
        with self._one_at_a_time:
            self._step(chosen, at_once)
            over = self._ends != duels.GOES_ON
            infos = self._infos()
            if at_once and over.any():
                infos |= self._final(over)
            return self._copied(self._seen), self._copied(self._rewards), over, np.zeros(self.num_envs, bool), infos

    def _step(self, actions: Actions, at_once: int) -> None:
        n = self.num_envs
        duels.step_all_games(
            self._facts, self._rows, self._streams, actions, self.seat, self._payoffs, at_once, self._rewards,
            self._ends, self._last_seen.reshape(n, -1), self._seen.reshape(n, -1), self._shown, self._masks,
            self._scratch, self._table,
        )  # fmt: skip

    def sample_legal(self) -> Actions:
        """Returns a uniformly random legal action for each game, from separate streams; -1 where a game is over."""
        actions = np.empty(self.num_envs, np.int64)
        with self._one_at_a_time:
            choose_all(self._facts, self._rows, self._choices, actions)
        return actions

    def render(self) -> tuple[Any, ...] | None:
        """Returns a frame of each game."""
        return (
            None
            if self.render_mode is None
            else tuple(frame(self._state(i), self.render_mode) for i in range(self.num_envs))
        )

    def _state(self, i: int) -> State:
        words = np.zeros(int(self._facts[at.STATE_WORDS]), np.int64)
        with self._one_at_a_time:
            words[: self._rows.shape[1]] = self._rows[i]
        return State(self.game, words, state_refresh(self._facts, words))

    def _seed(self, seed: int | Sequence[int | None] | None) -> None:
        n = self.num_envs
        if seed is None and self._started:
            return
        if seed is None:
            self._streams[:] = streams(secrets.randbits(63), n)
        elif isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            self._streams[:] = first_streams(range(int(seed), int(seed) + n))
        else:
            if len(seed) != n:
                raise ValueError(f"pass {n} seeds, one for each game, not {len(seed)}")
            seeded = np.array([one is not None for one in seed])
            fresh = first_streams([secrets.randbits(63) if one is None else one for one in seed])
            self._streams[:] = np.where(seeded | (not self._started), fresh, self._streams)
        self._choices[:] = ~self._streams | np.uint64(1)

    def _infos(self) -> dict[str, Any]:
        all_games = np.ones(self.num_envs, bool)
        return {
            "action_mask": self._copied(self._masks),
            "_action_mask": all_games,
            "illegal": self._ends == duels.BROKEN_OFF,
            "_illegal": all_games,
        }

    def _final(self, over: Flags) -> dict[str, Any]:
        """Returns the last observations and infos of the finished games, in Gymnasium's form."""
        seen = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(over):
            seen[i] = self._last_seen[i].copy()
        infos = {
            "action_mask": np.zeros_like(self._masks),
            "_action_mask": over.copy(),
            "illegal": self._ends == duels.BROKEN_OFF,
            "_illegal": over.copy(),
        }
        return {"final_obs": seen, "_final_obs": over.copy(), "final_info": infos, "_final_info": over.copy()}

    def action_masks(self) -> Flags:
        """Returns which actions are legal now in each game."""
        return self._masks.astype(bool)

    def _copied(self, array: Any) -> Any:
        return array.copy() if self._copy else array


def payoffs(game: Game, rewards: Rewards, illegal_reward: float | None = None) -> Numbers:
    """Returns the rewards of all results, for the kernel."""
    words = np.zeros(duels.PAYOFF_WORDS)
    words[duels.WIN], words[duels.DRAW], words[duels.LOSS] = rewards.win, rewards.draw, rewards.loss
    words[duels.STEP] = rewards.step
    words[duels.LAST_STEP] = rewards.step if rewards.charge_last else 0.0
    words[duels.ILLEGAL] = rewards.at_end(-1) if illegal_reward is None else illegal_reward
    words[duels.SCALE] = game._utility_scale
    return words
