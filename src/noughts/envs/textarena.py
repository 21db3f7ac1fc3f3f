"""The environments inside TextArena: the same games behind its own base class, wrappers and registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noughts.envs.text import ENV_GAMES
from noughts.library import load_game
from noughts.text import Info, TextEnv, harmless
from noughts.text.texts import announce

try:
    import textarena
    from textarena.envs.registration import ENV_REGISTRY
    from textarena.wrappers import (
        ActionFormattingWrapper,
        GameMessagesAndCurrentBoardObservationWrapper,
        LLMObservationWrapper,
    )
except ImportError as _error:
    raise ImportError("noughts.envs.textarena needs textarena: pip install textarena") from _error

if TYPE_CHECKING:
    from noughts.envs._untyped import Untyped as _BoardWrapper
    from noughts.envs._untyped import Untyped as _Env
    from noughts.envs._untyped import Untyped as _HistoryWrapper
else:
    _Env = textarena.Env
    _HistoryWrapper = LLMObservationWrapper
    _BoardWrapper = GameMessagesAndCurrentBoardObservationWrapper

Kind: Any = textarena.ObservationType
PREFIX = "noughts/"


class ArenaEnv(_Env):
    """One of our environments with TextArena's interface: observations are its messages, with our rules and texts.

    `state` is TextArena's record of all messages; it never gets a seed, which would reseed Python's global random
    state.
    """

    def __init__(self, game: str, **options: Any) -> None:
        self.game_env: TextEnv = TextEnv(load_game(game), **options)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        self.game_env.reset(num_players=num_players, seed=seed)
        roles = {player: f"Player {player}" for player in range(num_players)}
        self.state: Any = textarena.TwoPlayerState(num_players=num_players)
        self.state.reset(game_state={}, player_prompt_function=self._prompt, role_mapping=roles)
        self._show_board()

    def step(self, action: str) -> tuple[bool, Info]:
        env = self.game_env
        done, info = env.step(action)
        if info["valid"]:
            player = info["player"]
            text = harmless(action, info["move"]) if env.talk else info["move"]
            self.state.add_observation(text, Kind.PLAYER_ACTION, from_id=player)
            text = announce(env.current_state(), player, info["action"])
            self.state.add_observation(text, Kind.GAME_ACTION_DESCRIPTION)
            self._show_board()
        elif info["again"]:
            # In the same message as the board: wrappers that show only the board must not hide the reason.
            self._show_board(f"Invalid move: {info['message']} Choose again.\n", to=info["player"])
        self.state.current_player_id = env.player
        if done and not self.state.done:
            self.state.done = True
            self.state.rewards, self.state.game_info = env.close()
            self.state.add_observation(env.ending, Kind.GAME_ADMIN)
        self.state.turn = len(env.moves)
        return done, info

    def get_board_str(self) -> str:
        """Returns the board for TextArena's renderer."""
        text: str = self.game_env.board
        return text

    def _prompt(self, player_id: int, game_state: dict[str, Any]) -> str:
        return self.game_env.prompts[player_id]

    def _show_board(self, notice: str = "", to: int = textarena.GAME_ID) -> None:
        self.state.add_observation(notice + self.game_env.board, Kind.GAME_BOARD, to_id=to)


class HistoryWrapper(_HistoryWrapper):
    """TextArena's history of a game, without games before `reset`."""

    def reset(self, num_players: int, seed: int | None = None) -> None:
        self.full_observations.clear()
        super().reset(num_players=num_players, seed=seed)


class BoardWrapper(_BoardWrapper):
    """TextArena's rules, messages and current board, without games before `reset`."""

    def reset(self, num_players: int, seed: int | None = None) -> None:
        self.full_observations.clear()
        super().reset(num_players=num_players, seed=seed)


def register() -> list[str]:
    """Registers all environments that are not yet registered; returns the ids of all."""
    wrappers = {
        "": [HistoryWrapper, ActionFormattingWrapper],
        "-train": [BoardWrapper, ActionFormattingWrapper],
        "-raw": [],
    }
    ids = []
    for env_id, game in ENV_GAMES.items():
        for suffix, chosen in wrappers.items():
            full = f"{PREFIX}{env_id}{suffix}"
            ids.append(full)
            if full not in ENV_REGISTRY:
                textarena.register(full, ArenaEnv, default_wrappers=chosen, game=game)
    return ids
