"""Runs a training: episodes, checkpoints, tracked state-action pairs, and the files in its folder.

A checkpoint is a row of the history:

    episode, epsilon, won, drawn, lost     shares of the games since the last checkpoint, exploration included
    win, draw, loss, return                for each learned seat: the exact value of the greedy policy, against the
                                           random opponent; after self-play against perfect play
    against random                         after self-play, for each seat: the same return against a random opponent
    q ...                                  the value of each tracked pair

A pair is written as a position and a move of the agent; the position as everywhere in the package, or as fields joined
by hyphens (see `mdp`):

    .3./..6/... p0 1@0          x-3-x-x-x-6-x-x-x 1@0
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noughts.files import write_whole
from noughts.game import Game, State
from noughts.learn.kernels import qlearning as q
from noughts.learn.mdp import state_of
from noughts.learn.model import MODEL_FILE, History, load_model, save_model
from noughts.learn.settings import TrainingSettings
from noughts.learn.tables import AT_ONCE, QTable, make_table
from noughts.printable import csv_text
from noughts.solving import Rewards, rewards_of, solve
from noughts.solving.graph import Graph
from noughts.solving.kernels.codes import NOT_OVER, WON
from noughts.solving.policies import respond

METRICS_FILE = "metrics.csv"
BASIC = ("episode", "epsilon", "won", "drawn", "lost")
EXACT = ("win", "draw", "loss", "return")
AGAINST_RANDOM = "against_random"

EXAMPLE_PAIR = "5-x-x-x-x-6-x-x-x 9@4"
MOST_OPENINGS = 4


def parse_pair(game: Game, text: str, seats: tuple[int, ...]) -> tuple[State, int]:
    """Returns the state and the action of a pair. Raises ValueError unless it is a legal move of a player in one of the
    seats."""
    position, space, move = text.strip().rpartition(" ")
    if not space:
        raise ValueError(f"a pair to track must be a position and a move, such as {EXAMPLE_PAIR!r}, not {text!r}")
    state = state_of(game, position) if "-" in position else game.from_string(position)
    if state.is_terminal() or state.current_player() not in seats:
        raise ValueError(f"in {position!r} it is not the learner's turn, so there is no value to track")
    action = state.string_to_action(move)
    if action not in state.legal_actions():
        raise ValueError(f"{move} is not legal in {position!r}")
    return state, action


def default_pairs(game: Game, seats: tuple[int, ...]) -> tuple[str, ...]:
    """Returns the published pairs of a game; without those, openings that are not symmetric to one another.

    If all openings are equally good, their values hardly change, so replies to the first one are tracked instead.
    """
    if game.data.published_pairs and 0 in seats:
        return game.data.published_pairs
    start = game.new_initial_state()
    if 0 not in seats:
        start.apply_action(start.legal_actions()[0])
    pairs = _different_actions(start)
    if len(seats) > 1 and len(set(solve(game).action_values(start).values())) == 1:
        pairs = pairs[:1] + _different_actions(start.child(pairs[0][1]))
    return tuple(f"{state.to_string()} {state.action_to_string(action)}" for state, action in pairs[:MOST_OPENINGS])


def _different_actions(state: State) -> list[tuple[State, int]]:
    """Returns the state with each of its actions, up to symmetry."""
    actions, nodes = solve(state.game).graph.children(state)
    different = dict(zip(reversed(nodes.tolist()), reversed(actions), strict=True))
    return [(state, action) for action in sorted(different.values())]


class Training:
    """A training run. `run` continues from its current episode."""

    def __init__(self, settings: TrainingSettings, table: QTable | None = None, history: History | None = None) -> None:
        if not settings.track:
            settings = replace(settings, track=default_pairs(settings.game, settings.seats))
        self.settings = settings
        self.pairs: list[tuple[State, int]] = [
            parse_pair(settings.game, text, settings.seats) for text in settings.track
        ]
        self.table: QTable = table or make_table(settings)
        if history is not None and history.shape[1:] != (len(self.columns),):
            raise ValueError(f"its checkpoints have {history.shape[1]} numbers; they must have {len(self.columns)}")
        self.rows: list[list[float]] = [] if history is None else history.tolist()

    @property
    def episode(self) -> int:
        """The number of completed episodes."""
        return int(self.table.counts[q.EPISODE])

    @property
    def columns(self) -> list[str]:
        """The names of a row's columns."""
        several = len(self.settings.seats) > 1
        exact = [
            f"greedy_{name}_{seat}" if several else f"greedy_{name}" for seat in self.settings.seats for name in EXACT
        ]
        return [*BASIC, *exact, *self.random_columns, *(f"Q {text}" for text in self.settings.track)]

    @property
    def random_columns(self) -> list[str]:
        """The columns with returns against a random opponent, where the others are against perfect play."""
        several = self.settings.opponent == "self"
        return [f"greedy_{AGAINST_RANDOM}_{seat}" for seat in self.settings.seats] if several else []

    @property
    def history(self) -> History:
        return np.array(self.rows).reshape(-1, len(self.columns))

    def run(self) -> Iterator[None]:
        """Learns until all episodes are done, pausing every few hundredths of a second.

        At each pause the run is consistent: it can be saved, and continues later as if it had never stopped.
        """
        every, total = self.settings.every, self.settings.episodes
        while self.episode < total:
            to_checkpoint = every - self.episode % every
            self.table.learn(min(AT_ONCE, to_checkpoint, total - self.episode))
            if self.episode % every == 0 or self.episode == total:
                self._checkpoint()
            yield

    def finish(self) -> Training:
        """Learns until all episodes are done; returns the run."""
        for _ in self.run():
            pass
        return self

    def _checkpoint(self) -> None:
        tally = self.table.counts[q.TALLY : q.TALLY + 3]
        shares = (tally / max(1, tally.sum())).tolist()
        exact = [
            number
            for value in self.table.greedy_policy_values()
            for number in (value.win, value.draw, value.loss, value.expected_return)
        ]
        if self.random_columns:
            exact += [value.expected_return for value in self.table.values_against_random()]
        self.rows.append(
            [self.episode, self.settings.epsilon_at(self.episode), *shares, *exact, *self.tracked_values()]
        )
        if self.episode % self.settings.every == 0:
            tally[:] = 0

    def tracked_values(self) -> list[float]:
        """Returns the current value of each tracked pair."""
        return [self.table.action_values(state)[action] for state, action in self.pairs]

    def exact_values(self) -> list[float]:
        """Returns Q* of each tracked pair: the limit of its value."""
        settings = self.settings
        game, rewards = settings.game, rewards_of(settings.rewards)
        if settings.opponent == "self":
            graph = solve(game).graph
            values = _self_play_values(graph, rewards, settings.gamma)
            made = [dict(zip(*graph.children(state), strict=True))[action] for state, action in self.pairs]
            return [float(values[node]) for node in made]
        solution = respond(game, "random", settings.seat, rewards, settings.gamma)
        return [solution.action_values(state)[action] for state, action in self.pairs]

    def optima(self) -> list[float]:
        """Returns for each learned seat the best possible return against the opponent of the checkpoints."""
        settings = self.settings
        game, rewards = settings.game, rewards_of(settings.rewards)
        if settings.opponent == "self":
            value = solve(game).value(game.new_initial_state())
            return [float(value), 0.0 - value]
        return [respond(game, "random", settings.seat, rewards, settings.gamma).expected_return()]

    def metrics(self) -> str:
        """Returns the history as CSV."""
        return csv_text(
            [self.columns, *([int(row[0]), *(f"{number:.10g}" for number in row[1:])] for row in self.rows)]
        )

    def save(self, folder: Path) -> list[Path]:
        """Writes the model and the metrics to a folder. Returns the paths of both files."""
        model, metrics = folder / MODEL_FILE, folder / METRICS_FILE
        save_model(model, self.settings, self.table, self.history)
        write_whole(metrics, self.metrics().encode())
        return [model, metrics]


def _self_play_values(graph: Graph, rewards: Rewards, gamma: float) -> npt.NDArray[np.float64]:
    """Returns the exact limit of self-play: the value of each position to the player who moved there, discounted by
    `gamma`.
    """
    maker = (graph.marks + 1) % 2
    values = np.full(len(graph.codes), rewards.at_end(0))
    decided = (graph.kinds != NOT_OVER) & (graph.kinds < WON + 2)
    values[decided] = np.where(graph.kinds - WON == maker, rewards.at_end(1), rewards.at_end(-1))[decided]
    return graph.fold(values, lambda after, layer: 0.0 - gamma * layer.max(after))


def resume(folder: str | Path, episodes: int | None = None) -> Training:
    """Returns a saved run, ready to continue; `episodes` extends it."""
    settings, table, history = load_model(folder)
    done = int(table.counts[q.EPISODE])
    if episodes is not None:
        if episodes < done:
            raise ValueError(f"the run has already completed {done:,} episodes, more than {episodes:,}")
        settings = replace(settings, episodes=episodes)
    if done < settings.episodes and len(history) and history[-1, 0] % settings.every:
        history = history[:-1]  # the end of a shorter run is not a checkpoint of the longer one
    return Training(settings, table, history)
