"""Plays the greedy policy of a training run."""

from __future__ import annotations

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.learn import TrainingSettings, load_model
from noughts.players.protocol import BasePlayer


class LearntPlayer(BasePlayer):
    """Plays the action of greatest learned value, the first among equals; in unknown positions, the first legal action.

    path: a run folder of `noughts train`, or its model file. seats: the learned ones. Refuses other games and seats.
    """

    is_deterministic = True

    def __init__(self, path: str) -> None:
        settings, self._table, _ = load_model(path)
        self.settings: TrainingSettings = settings
        self.name: str = f"q:{path}"
        self.seats: tuple[int, ...] = self.settings.seats

    def prepare(self, game: Game) -> None:
        if game.rules != self.settings.rules:
            raise ValueError(f"{self.name} was trained on {self.settings.rules.name} and cannot play {game.name}")

    def choose(self, state: State, clock: Clock) -> int:
        settings = self.settings
        if state.game.rules != settings.rules:
            self.prepare(state.game)
        if state.current_player() not in self.seats:
            raise ValueError(
                f"{self.name} was trained as player {settings.seat} of {settings.rules.name} "
                f"and cannot play as player {state.current_player()}"
            )
        values = self._table.action_values(state)
        return max(values, key=values.__getitem__)
