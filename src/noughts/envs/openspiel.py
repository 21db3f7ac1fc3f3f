"""Registers the games with OpenSpiel, as `pyspiel` Python games.

>>> import pyspiel
>>> import noughts.envs.openspiel
>>> game = pyspiel.load_game("noughts_wild")

OpenSpiel's algorithms then run on them. Needs `open_spiel`, which comes with `noughts[openspiel]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

try:
    import pyspiel
except ImportError as _error:
    raise ImportError("noughts.envs.openspiel needs open_spiel: pip install open_spiel") from _error

from noughts.game import TERMINAL, Game
from noughts.games import VARIANTS
from noughts.library import load_game, on_registration
from noughts.rules.spec import Rules

if TYPE_CHECKING:
    from noughts.envs._untyped import Untyped as _State
else:
    _State = pyspiel.State


def spiel_name(game: Game) -> str:
    """Returns OpenSpiel's name of a game."""
    return f"noughts_{game.name.replace('-', '_')}"


def register(game: Game) -> str:
    """Registers a game, which may be your own, with OpenSpiel; returns its name there. Calling it again changes
    nothing.
    """
    name = spiel_name(game)
    if name in pyspiel.registered_names():
        return name
    zero_sum, deterministic = pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.ChanceMode.DETERMINISTIC
    kind = pyspiel.GameType(
        short_name=name,
        long_name=f"{game.rules.title} (noughts)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=deterministic,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=zero_sum,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )

    class SpielGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            self.noughts_game = game
            info = pyspiel.GameInfo(
                num_distinct_actions=game.num_distinct_actions(),
                max_chance_outcomes=0,
                num_players=2,
                min_utility=game.min_utility(),
                max_utility=game.max_utility(),
                utility_sum=0.0,
                max_game_length=game.max_game_length(),
            )
            super().__init__(kind, info, params or {})

        def new_initial_state(self) -> SpielState:
            return SpielState(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
            return SpielObserver(game, iig_obs_type)

    pyspiel.register_game(kind, SpielGame)
    return name


class SpielState(_State):
    """A state with OpenSpiel's interface; it delegates to ours."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.position: Any = game.noughts_game.new_initial_state()

    def current_player(self) -> int:
        player: int = self.position.current_player()
        return pyspiel.PlayerId.TERMINAL if player == TERMINAL else player

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions() if player == self.position.current_player() else []

    def _apply_action(self, action: int) -> None:
        self.position.apply_action(action)

    def undo_action(self, player: int, action: int) -> None:
        self.position.undo_action()

    def _action_to_string(self, player: int, action: int) -> str:
        text: str = self.position.action_to_string(action)
        return text

    def is_terminal(self) -> bool:
        over: bool = self.position.is_terminal()
        return over

    def returns(self) -> list[float]:
        utilities: list[float] = self.position.returns()
        return utilities

    def __str__(self) -> str:
        text: str = self.position.to_string()
        return text


class SpielObserver:
    """A player's observation: the planes of `State.observation_tensor`, and the position in one line.

    All information is public, so observations of private information are empty. With perfect recall, the string is the
    history of moves.
    """

    def __init__(self, game: Game, kind: Any = None) -> None:
        self._public = kind is None or kind.public_info
        self._recall = kind is not None and kind.perfect_recall
        shape = game.observation_tensor_shape()
        self.tensor: npt.NDArray[np.float32] = np.zeros(int(np.prod(shape)) if self._public else 0, np.float32)
        self.dict: dict[str, npt.NDArray[np.float32]] = (
            {"observation": self.tensor.reshape(shape)} if self._public else {}
        )

    def set_from(self, state: SpielState, player: int) -> None:
        if self._public:
            self.dict["observation"][:] = state.position.observation_tensor(player)

    def string_from(self, state: SpielState, player: int) -> str:
        if not self._public:
            return ""
        return _moves(state) if self._recall else str(state)


def _moves(state: SpielState) -> str:
    """Returns the moves so far, in notation."""
    position = state.position
    return " ".join(map(position.action_to_string, position.history()))


def _register_own(rules: Rules) -> None:
    register(load_game(rules))


for _rules in VARIANTS:
    register(load_game(_rules))
on_registration(_register_own)
