"""The games as an OpenEnv environment: a server of sessions, and a client for it.

    uvicorn --app-dir / noughts.envs.openenv:app --port 8000

Use the WebSocket (`NoughtsClient`): each connection is a session with its own episode; over plain HTTP every request
gets a fresh environment. Clients are not trusted: games and opponents are chosen from lists, and replies are bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from noughts.envs.episode import Episode, offered

try:
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import Field
except ImportError as _error:
    raise ImportError("noughts.envs.openenv needs openenv: pip install openenv") from _error

if TYPE_CHECKING:
    from noughts.envs._untyped import Untyped as _Action
    from noughts.envs._untyped import Untyped as _Observation
    from noughts.envs._untyped import Untyped as _State
else:
    _Action = Action
    _Observation = Observation
    _State = State

LONGEST_REPLY = 100_000
SESSIONS = 64


class NoughtsAction(_Action):
    """A player's reply. cut_off: whether it reached a limit of tokens; such a reply is always refused."""

    message: str = Field(..., max_length=LONGEST_REPLY, description="the reply; a move stands in square brackets")
    cut_off: bool = Field(False, description="whether the reply ended at a limit of tokens (finish reason length)")


class NoughtsObservation(_Observation):
    """The news for the player. text: the news since the last reply. step: the result of the last reply, see
    `StepInfo`.
    """

    text: str = ""
    legal_moves: list[str] = Field(default_factory=list)
    outcome: float | None = None
    step: dict[str, Any] = Field(default_factory=dict)
    summary: dict[str, float] = Field(default_factory=dict)


class NoughtsState(_State):
    """The state of a session."""

    game: str = ""
    seat: int = 0
    opponent: str = ""
    position: str = ""
    moves: list[int] = Field(default_factory=list)


if TYPE_CHECKING:
    from noughts.envs._untyped import Untyped as _Client
    from noughts.envs._untyped import Untyped as _Environment
else:
    _Environment = Environment[NoughtsAction, NoughtsObservation, NoughtsState]
    _Client = EnvClient[NoughtsAction, NoughtsObservation, NoughtsState]


class NoughtsEnvironment(_Environment):
    """A session. `reset` takes the settings of an `Episode`."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._episode: Episode | None = None
        self._id = ""

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        game: str = "wild",
        seat: int = 0,
        opponent: str = "random",
        opening: int = 0,
        error_allowance: int = 1,
        list_moves: bool = True,
        reward: str = "per-move",
        variant: int | None = None,
        difficulty: int = 0,
        split: str = "train",
        **_: Any,
    ) -> NoughtsObservation:
        self._episode = offered(
            game,
            seat=seat,
            opponent=opponent,
            seed=seed or 0,
            opening=opening,
            error_allowance=error_allowance,
            list_moves=list_moves,
            reward=reward,
            variant=variant,
            difficulty=difficulty,
            split=split,
        )
        self._id = str(episode_id or uuid4())[:100]
        text = self._episode.reset()
        return NoughtsObservation(text=text, legal_moves=self._episode.legal_moves(), done=False, reward=0.0)

    def step(self, action: NoughtsAction, timeout_s: float | None = None, **_: Any) -> NoughtsObservation:
        episode = self._episode
        if episode is None:
            raise ValueError("there is no episode yet; call reset first")
        if episode.done:
            raise ValueError("the game is over; call reset for another")
        text, done, step = episode.step(action.message, cut_off=action.cut_off)
        return NoughtsObservation(
            text=text,
            legal_moves=episode.legal_moves(),
            done=done,
            reward=episode.reward(),
            outcome=episode.outcome() if done else None,
            step=step.as_data(),
            summary=episode.summary() if done else {},
        )

    @property
    def state(self) -> NoughtsState:
        episode = self._episode
        if episode is None:
            return NoughtsState(episode_id=self._id, step_count=0)
        return NoughtsState(
            episode_id=self._id,
            step_count=len(episode.steps),
            game=episode.game.name,
            seat=episode.seat,
            opponent=str(episode.opponent),
            position=episode.env.state.to_string(),
            moves=episode.env.moves,
        )


class NoughtsClient(_Client):
    """A session with a server: `async with NoughtsClient(base_url=...) as session`, or `.sync()`."""

    def _step_payload(self, action: NoughtsAction) -> dict[str, Any]:
        return {"message": action.message, "cut_off": action.cut_off}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[NoughtsObservation]:
        done, reward = payload.get("done", False), payload.get("reward")
        facts = payload.get("observation", {}) | {"done": done, "reward": reward}
        return StepResult(observation=NoughtsObservation.model_validate(facts), reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> NoughtsState:
        found: NoughtsState = NoughtsState.model_validate(payload)
        return found


app: Any = create_app(
    NoughtsEnvironment,
    NoughtsAction,
    NoughtsObservation,
    env_name="noughts",
    max_concurrent_envs=SESSIONS,
    state_cls=NoughtsState,
)
