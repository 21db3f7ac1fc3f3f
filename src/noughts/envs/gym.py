"""The games for Gymnasium: one agent, with the opponent as part of the environment. Importing this module registers
them.

>>> import gymnasium
>>> import noughts.envs.gym
>>> env = gymnasium.make("noughts/Wild-v0", opponent="perfect", seat=1)
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())

A step is the agent's move and the opponent's, until it is the agent's turn again. (In games with a bonus a player may
move twice: then a step can have no reply, or two.)
"""

from __future__ import annotations

from operator import index as as_index
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as _error:
    raise ImportError("noughts.envs.gym needs gymnasium: pip install gymnasium") from _error

from noughts.envs._render import RENDER_MODES, frame, require_mode
from noughts.envs.registration import chosen_game, register
from noughts.game import Game, State
from noughts.players import BasePlayer, Clock, TextPlayer, make_player
from noughts.players.protocol import PlayerLike
from noughts.rules.spec import Rules
from noughts.sandbox.faults import BotFault
from noughts.solving import Rewards, rewards_of

Planes = npt.NDArray[np.int8]

register()


class NoughtsEnv(gymnasium.Env[Planes, np.int64]):
    """One agent against an opponent.

    observation  int8 planes of zeros and ones, those of `State.observation_tensor` for the agent
    action       a number of the game; info["action_mask"] (int8) is 1 where it is legal
    reward       of `rewards`: "outcome" (1, 0, -1; in nested games without a line the margin of points), "published"
                 (10, 0, -10, and -1 for a step that does not end the game), "per_move" (the same, and -1 for the last
                 step too), or a `Rewards` record
    illegal      an illegal action, whatever it is, ends the episode and pays `illegal_reward` (default: as a loss);
                 info["illegal"] is then True. It never raises.

    game: default: classic. registered: set by `gymnasium.make`, the game of its id. opponent: a `Player`, or the name
    of one; a named one draws its seed from that of `reset`. A bot file with a fault loses; info["opponent_fault"]
    describes the fault. seat: 0 to move first, 1 second. flat: observations as one row of numbers instead of planes. A
    step after the end changes nothing and pays 0.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 1}  # noqa: RUF012 - Gymnasium's declaration

    def __init__(
        self,
        game: str | Rules | Game | None = None,
        *,
        opponent: PlayerLike = "random",
        seat: int = 0,
        rewards: str | Rewards = "outcome",
        illegal_reward: float | None = None,
        flat: bool = False,
        render_mode: str | None = None,
        registered: str | Rules | None = None,
    ) -> None:
        require_mode(render_mode)
        if seat not in (0, 1):
            raise ValueError(f"seat is {seat!r}; it must be 0 (moves first) or 1")
        self.game: Game = chosen_game(game, registered)
        self.seat = seat
        self.rewards: Rewards = rewards_of(rewards)
        self.illegal_reward: float = self.rewards.at_end(-1) if illegal_reward is None else illegal_reward
        self.render_mode = render_mode
        self.state: State = self.game.new_initial_state()
        shape = tuple(self.game.observation_tensor_shape())
        self._shape = (int(np.prod(shape)),) if flat else shape
        self.observation_space: spaces.Space[Any] = spaces.Box(0, 1, self._shape, np.int8)
        self.action_space: spaces.Space[Any] = spaces.Discrete(self.game.num_distinct_actions())
        self._over = True
        self._opponent_fault: str | None = None
        self.set_opponent(opponent)

    def set_opponent(self, opponent: PlayerLike) -> None:
        """Changes the opponent; call `reset` afterwards. For self-play, regularly set a copy of the agent, an object
        with choose(state, clock). Raises ValueError if it is not a player, or cannot play this game from its seat.
        """
        player = make_player(opponent)
        if isinstance(player, TextPlayer):
            raise ValueError(f"{player.name} is a language model, which cannot be the opponent of an environment")
        player.prepare(self.game)
        if 1 - self.seat not in player.seats:
            raise ValueError(f"{player.name} cannot play in seat {1 - self.seat}; give the agent seat={1 - self.seat}")
        self._opponent_name = opponent if isinstance(opponent, str) else None
        self.opponent: BasePlayer = player
        self._over = True

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns which actions are legal now, in the form that sb3-contrib's MaskablePPO needs."""
        return self._mask().astype(bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """Starts a game. options: {"position": TEXT} starts from that position, which the agent must not have lost."""
        unknown = sorted(set(options or {}) - {"position"})
        if unknown:
            raise ValueError(f"reset has no option {unknown[0]!r}; its only option is 'position'")
        first = self._np_random is None
        super().reset(seed=seed)
        if self._opponent_name is not None and (first or seed is not None):
            self.opponent.close()
            self.opponent = make_player(self._opponent_name, seed=int(self.np_random.integers(1 << 31)))
            self.opponent.prepare(self.game)
        position = (options or {}).get("position")
        self.state = self.game.from_string(position) if position else self.game.new_initial_state()
        self._opponent_fault = None
        self._reply()
        if self._opponent_fault:
            raise ValueError(f"an episode cannot start: {self.opponent.name} {self._opponent_fault}")
        self._over = self.state.is_terminal()
        if self._over:
            raise ValueError(f"an episode cannot start from {position!r}: the game ends before the agent moves")
        self._show()
        return self._observation(), self._info(illegal=False)

    def step(self, action: Any) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        reward, illegal = 0.0, False
        if not self._over:
            illegal = not self._play(action)
            self._over = illegal or self.state.is_terminal() or self._opponent_fault is not None
            if illegal:
                reward = self.illegal_reward
            elif self._opponent_fault is not None:
                reward = self.rewards.at_end(1)
            elif self._over:
                reward = self.rewards.at_margin(self.state.returns()[self.seat])
            else:
                reward = self.rewards.step
            self._show()
        return self._observation(), float(reward), self._over, False, self._info(illegal)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Returns a frame; with the mode "human" each step prints one."""
        return frame(self.state, self.render_mode)

    def close(self) -> None:
        self.opponent.close()
        super().close()

    def _play(self, action: Any) -> bool:
        """Plays the agent's move and the reply; returns False, without a change, if it is illegal."""
        try:
            self.state.apply_action(as_index(action))
        except (TypeError, ValueError):
            return False
        self._reply()
        return True

    def _reply(self) -> None:
        while not self.state.is_terminal() and self.state.current_player() != self.seat:
            try:
                action = self.opponent.choose(self.state, Clock(self.game.rules.move_seconds))
            except BotFault as error:
                self._opponent_fault = error.fault.text
                return
            self.state.apply_action(action)

    def _observation(self) -> Planes:
        return self.state._observation_planes(self.seat).reshape(self._shape)

    def _mask(self) -> Planes:
        return np.zeros(self.game.num_distinct_actions(), np.int8) if self._over else self.state.legal_actions_mask()

    def _info(self, illegal: bool) -> dict[str, Any]:
        info = {"action_mask": self._mask(), "illegal": illegal}
        return info if self._opponent_fault is None else info | {"opponent_fault": self._opponent_fault}
