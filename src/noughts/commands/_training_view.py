"""The view of a training run: a live table on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.table import Table

from noughts import learn
from noughts.commands._live import live_bar, live_screen, stacked
from noughts.commands.output import table

REFRESH_SECONDS = 0.1
LINES = 10


@contextmanager
def training_view(training: learn.Training, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Shows a run while it trains. Yields a function to call whenever the run pauses."""
    if sys.stderr.isatty():
        with _live(training) as show:
            yield show
    elif quiet:
        yield lambda: None
    else:
        yield _Lines(training).show


@contextmanager
def _live(training: learn.Training) -> Iterator[Callable[[], None]]:
    exact = training.exact_values()
    started, before = time.monotonic(), training.episode
    with live_screen() as live:
        drawn_at = 0.0

        def show() -> None:
            nonlocal drawn_at
            now = time.monotonic()
            if now - drawn_at >= REFRESH_SECONDS:
                drawn_at = now
                speed = (training.episode - before) / max(now - started, 1e-9)
                live.update(_screen(training, exact, speed), refresh=True)

        yield show


def _screen(training: learn.Training, exact: list[float], speed: float) -> Table:
    settings = training.settings
    head = (
        f"{training.episode:,} of {settings.episodes:,} episodes    {speed:,.0f}/s    "
        f"epsilon {settings.epsilon_at(training.episode):.3f}"
    )
    bar = live_bar(training.episode, settings.episodes)
    return stacked(head, bar, _games_line(training), pair_table(training, exact))


def _games_line(training: learn.Training) -> str:
    """Returns the results since the last checkpoint, and the value of the greedy policy."""
    if not training.rows:
        return "no checkpoint yet"
    row = dict(zip(training.columns, training.rows[-1], strict=True))
    returns = "  ".join(f"{row[name]:+.4f}" for name in training.columns if name.startswith("greedy_return"))
    if training.random_columns:
        # self-play is mostly exploration, so its results say little
        random = "  ".join(f"{row[name]:+.4f}" for name in training.random_columns)
        return f"greedy return: random {random}  perfect {returns}"
    games = f"won {row['won']:.1%}  drawn {row['drawn']:.1%}  lost {row['lost']:.1%}"
    return f"{games}  greedy return {returns}"


class _Lines:
    """Progress for files and pipes: the same run prints the same lines.

    One line for every tenth of the run. Self-play learns most early on, so it gets a line whenever the episodes double.
    """

    def __init__(self, training: learn.Training) -> None:
        self._training = training
        self._printed = self._step()

    def _step(self) -> int:
        settings, episode = self._training.settings, self._training.episode
        if settings.opponent == "self":
            return (episode // settings.every).bit_length() + (episode >= settings.episodes)
        return episode * LINES // settings.episodes

    def show(self) -> None:
        if (step := self._step()) > self._printed:
            self._printed = step
            print(f"{self._training.episode:>12,}  {_games_line(self._training)}", flush=True)


def pair_table(training: learn.Training, exact: list[float]) -> str:
    """Returns the tracked pairs with their values, the exact values and the differences."""
    rows = [
        [text, f"{value:.4f}", f"{true:.4f}", f"{value - true:+.4f}"]
        for text, value, true in zip(training.settings.track, training.tracked_values(), exact, strict=True)
    ]
    return table(["state, action", "Q", "exact Q*", "difference"], rows, right=[1, 2, 3])


def greedy_lines(training: learn.Training) -> list[str]:
    """Returns the exact value of the greedy policy beside the optimum."""
    against = "perfect play" if training.settings.opponent == "self" else "the random opponent"
    lines = []
    for seat, optimum, value in zip(
        training.settings.seats, training.optima(), training.table.greedy_policy_values(), strict=True
    ):
        lines.append(f"Greedy play as player {seat} against {against}, exactly:")
        lines.append(
            f"  wins {value.win:.2%}, draws {value.draw:.2%}, loses {value.loss:.2%}; "
            f"return {value.expected_return:.4f}, optimum {optimum:.4f}"
        )
    return lines
