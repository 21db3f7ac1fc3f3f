"""Plots a training run. Needs matplotlib, which comes with `noughts[rl]`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noughts.files import write_whole
from noughts.interpreter import own_folder
from noughts.learn.training import BASIC, EXACT, Training

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONVERGENCE_FILE, LEARNING_FILE = "convergence.png", "learning.png"

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#56b4e9", "#e69f00", "#000000")
"""Distinguishable with any common colour blindness; `noughts.draw` has the same four."""
STYLES = ("-", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
SIZE = (8.0, 5.0)
DPI = 120


def save_plots(training: Training, folder: Path) -> list[Path]:
    """Writes both plots; returns their paths."""
    paths = []
    for name, figure in ((CONVERGENCE_FILE, plot_convergence(training)), (LEARNING_FILE, plot_learning(training))):
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=DPI)
        write_whole(folder / name, picture.getvalue())
        paths.append(folder / name)
    return paths


def plot_convergence(training: Training) -> Figure:
    """Plots the values of the tracked pairs over the episodes, with Q* as dashed lines."""
    figure, (axes,) = _figure(1, training)
    history = training.history
    first = len(training.columns) - len(training.pairs)
    for number, (text, exact) in enumerate(zip(training.settings.track, training.exact_values(), strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(
            history[:, 0], history[:, first + number], color=colour, label=text, linestyle=STYLES[number % len(STYLES)]
        )
        axes.axhline(exact, color=colour, linestyle="--", linewidth=1, alpha=0.7)
        axes.annotate(
            f"Q* {exact:.2f}", (1, exact), (4, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
            color=colour, va="center", fontsize=8,
        )  # fmt: skip
    axes.set_ylabel("Q(state, action)")
    if training.settings.rewards == "outcome":
        axes.set_ylim(-1.1, 1.1)
    axes.set_title(f"{_title(training)}\nConvergence of tracked pairs; dashed: the exact values Q*", fontsize=11)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8, title="state, action", title_fontsize=8)
    return figure


def plot_learning(training: Training) -> Figure:
    """Plots the exact value of the greedy policy over the episodes, with the optimum.

    Below, against the opponent that it learns for: random, or perfect after self-play. Above, the results of the
    training games; for self-play, whose games are mostly exploration, the return against a random opponent.
    """
    figure, (above, below) = _figure(2, training)
    history, columns = training.history, training.columns
    above.set_title(_title(training), fontsize=11)
    where = [len(BASIC) + number * len(EXACT) + EXACT.index("return") for number in range(len(training.settings.seats))]
    if training.settings.opponent == "self":
        _plot_returns(above, training, [columns.index(name) for name in training.random_columns])
        above.set_ylabel("exact return against\na random opponent")
    else:
        for number, name in enumerate(("won", "drawn", "lost")):
            shares = history[:, columns.index(BASIC[2 + number])]
            above.plot(history[:, 0], 100 * shares, color=COLOURS[number], label=name, linestyle=STYLES[number])
        above.set_ylabel("games in training, %")
        above.set_ylim(-2, 102)
    _plot_returns(below, training, where)
    for optimum in sorted(set(training.optima())):
        number = training.optima().index(optimum)
        below.axhline(optimum, color=COLOURS[number], linestyle="--", linewidth=1, label=f"optimum {optimum:.4g}")
    against = "perfect play" if training.settings.opponent == "self" else "the random opponent"
    below.set_ylabel(f"exact return against\n{against}")
    for axes in (above, below):
        axes.legend(fontsize=8)
    return figure


def _plot_returns(axes: Any, training: Training, columns: list[int]) -> None:
    """Draws a line for each seat; the second is drawn so that the first stays visible below it."""
    history = training.history
    for number, (seat, column) in enumerate(zip(training.settings.seats, columns, strict=True)):
        axes.plot(
            history[:, 0], history[:, column], color=COLOURS[number], label=f"greedy, as player {seat}",
            linestyle=STYLES[number], linewidth=2 - number / 2,
        )  # fmt: skip
    if training.settings.rewards == "outcome":
        axes.set_ylim(-1.1, 1.1)


def _figure(rows: int, training: Training) -> tuple[Figure, Any]:
    with own_folder():  # matplotlib reads a `matplotlibrc` of the current folder, which others may have written
        from matplotlib import figure, ticker

    plot = figure.Figure(figsize=(SIZE[0], SIZE[1] + 1.5 * (rows - 1)), layout="constrained")
    axes = np.atleast_1d(plot.subplots(rows, 1, sharex=True))
    beginning = training.settings.opponent == "self"  # most is learned in the first tenth of a run
    for one in axes:
        one.grid(alpha=0.25)
        one.spines[["top", "right"]].set_visible(False)
        one.set_xscale("log" if beginning else "linear")
        one.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))
    axes[-1].set_xlabel("episodes, logarithmic" if beginning else "episodes")
    return plot, axes


def _title(training: Training) -> str:
    settings = training.settings
    rate = f"n^-{settings.alpha_power:g}" if settings.alpha_power else f"{settings.alpha:g}"
    table = "symmetric positions as one" if settings.symmetry else "each position separately"
    return f"{settings.rules.title}: learning rate {rate}, discount {settings.gamma:g}, {table}"
