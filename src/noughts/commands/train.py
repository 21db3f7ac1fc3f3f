"""Train a player for a small game by Q-learning, and watch it converge to the
exact values.

Presets (options override their settings):
  published  the published experiment on numerical: every position separate,
             rate 0.2, discount 0.8, 5 million episodes against a random player
  fast       merges symmetric positions and averages updates: reaches the
             exact optimum at discount 1
  self       self-play in both seats, for games where a random opponent
             teaches too little: ends unbeatable
The default is published for numerical, and self for other games.

The run folder contains model.q (the player `q:FOLDER`), metrics.csv, and two
pictures, convergence.png and learning.png, if matplotlib is installed. Ctrl-C
saves the run and reports; --resume continues it with identical results. You
can write numbers as 5000000, 5_000_000 or 5e6.

examples:
  noughts train numerical
  noughts train numerical --preset fast --out runs/best
  noughts train numerical --episodes 2e7 --track "1-x-x-x-x-x-x-x-8 5@4"
  noughts train wild
  noughts train --resume runs/numerical-1 --episodes 1e7
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from noughts import learn
from noughts.commands._options import add_json, whole_number
from noughts.commands._training_view import greedy_lines, pair_table, training_view
from noughts.commands.output import Report, note
from noughts.files import make_folder
from noughts.library import game_from_command_line
from noughts.printable import one_line, shell_quote

RUNS = "runs"
SAVE_SECONDS = 60.0
"""Maximum seconds between two saves, so that a crash costs little."""

FAR_AWAY = 1.0
FAR = """\
Values far from the exact ones belong to moves that are rarely tried; the
learned policy can still be good. docs/q-learning.md, section 5, explains this.
--preset fast finds the exact values."""

OPTIONS: dict[str, tuple[Callable[[str], Any], str, str]] = {
    "episodes": (whole_number, "N", "number of games (default: 5000000)"),
    "alpha": (float, "A", "learning rate (default: 0.2)"),
    "alpha_power": (float, "P", "learning rate n**-P for the n-th update of a value, instead of --alpha"),
    "gamma": (float, "G", "discount per step (default: 0.8)"),
    "epsilon": (float, "E", "initial exploration rate (default: 1)"),
    "epsilon_min": (float, "E", "final exploration rate (default: 0.001)"),
    "epsilon_decay": (float, "D", "decay of the exploration rate, exp(-D * episode) (default: 1e-6)"),
    "seat": (int, "0|1", "learner's seat against the random opponent (default: 0)"),
    "seed": (int, "N", "seed of the training (default: 0)"),
    "every": (whole_number, "N", "episodes between checkpoints (default: a hundredth of all)"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", help="small game of `noughts games`, or FILE.py:RECORD")
    add_json(parser)
    add = parser.add_argument_group(
        "settings of the learner; the defaults are those of the preset published"
    ).add_argument
    add("--preset", help="published, fast or self (default: published for numerical, else self)")
    for name, (kind, metavar, text) in OPTIONS.items():
        add(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=text)
    add("--rewards", help="published, per_move or outcome (default: published)")
    add("--opponent", help="random or self (default: random)")
    add("--symmetry", action=argparse.BooleanOptionalAction, help="merge symmetric positions (default: no)")
    add = parser.add_argument_group("the run").add_argument
    add("--out", metavar="DIR", help=f"folder of the run (default: a new one in {RUNS}/)")
    add("--resume", metavar="DIR", help="continue this run; only --episodes can be changed")
    add("--track", action="append", metavar="PAIR", help="position and move whose value to follow; repeatable")
    add("--no-plots", action="store_true", help="draw no pictures")


def run(args: argparse.Namespace) -> Report | int:
    training, folder = _resumed_run(args) if args.resume else _new_run(args)
    started = time.perf_counter()
    before = training.episode
    is_whole = _learn(training, folder, quiet=args.json)
    seconds = time.perf_counter() - started
    files = _save(training, folder)
    folder = files[0].parent
    if training.rows and not args.no_plots:
        files += _pictures(training, folder)
    if not is_whole:
        note(
            f"stopped after {training.episode:,} episodes, all saved; continue with\n  noughts train --resume "
            f"{shell_quote(folder)}",
            interrupted=True,
        )
    code = 0 if is_whole else 130
    if not training.rows:
        return code
    text = _text(training, files, training.episode - before, seconds)
    return Report(_facts(training, files, seconds), text, code)


def _pictures(training: learn.Training, folder: Path) -> list[Path]:
    """Draws the pictures of the run. Without matplotlib, draws none and says so."""
    if find_spec("matplotlib") is None:
        note(
            "no pictures: matplotlib is not installed; after `pip install matplotlib`, draw them with\n  noughts "
            f"train --resume {shell_quote(folder)}"
        )
        return []
    return learn.save_plots(training, folder)


def _save(training: learn.Training, folder: Path) -> list[Path]:
    """Saves the run and returns its files. If that fails in a terminal, asks for another folder."""
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return training.save(folder)
        except OSError as error:
            why = f"the run cannot be saved in {folder}: {error.strerror or error}"
            if not sys.stdin.isatty():
                raise ValueError(f"{why}; free some space, or pass another folder with --out") from None
            note(f"{why}. The run is still in memory.")
            other = input("Press Enter to try again, or type another folder > ").strip()
            folder = Path(other) if other else folder


def _given_settings(args: argparse.Namespace) -> dict[str, Any]:
    names = [*OPTIONS, "rewards", "opponent", "symmetry"]
    chosen = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    return chosen | ({"track": tuple(args.track)} if args.track else {})


def _new_run(args: argparse.Namespace) -> tuple[learn.Training, Path]:
    if not args.game:
        raise ValueError("name a game to learn, such as numerical, or pass --resume DIR to continue a run")
    game = game_from_command_line(args.game)
    rules = game.rules
    if rules.nested:
        raise ValueError(
            f"{rules.name} is too large for a table of values; choose a small game (numerical, wild, classic, "
            "misere), or train a network on the environments (docs/environments.md)"
        )
    name = args.preset or ("published" if game.data.published_pairs and args.opponent != "self" else "self")
    if args.preset is None and args.opponent == "random":
        name = "published"
    training = learn.Training(learn.preset(name, rules, _given_settings(args)))
    if args.out:
        folder = Path(args.out)
        if folder.is_dir() and learn.model_path(folder).exists():
            raise ValueError(f"{args.out!r} already contains a run; continue it with --resume, or pass another folder")
        make_folder(folder)
        return training, folder
    number = 1
    while True:
        folder = Path(RUNS, f"{rules.name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return training, folder


def _resumed_run(args: argparse.Namespace) -> tuple[learn.Training, Path]:
    extra = sorted(set(_given_settings(args)) - {"episodes"})
    if extra or args.game or args.preset or args.out:
        what = extra[0].replace("_", "-") if extra else "the rest"
        raise ValueError(f"a run keeps its settings; with --resume you can pass only --episodes, not {what}")
    return learn.resume(args.resume, args.episodes), learn.model_path(args.resume).parent


def _learn(training: learn.Training, folder: Path, *, quiet: bool) -> bool:
    """Trains until the end or Ctrl-C. Returns whether the end was reached."""
    stopped = False

    def stop(_number: int, _frame: object) -> None:
        nonlocal stopped
        stopped = True
        signal.signal(signal.SIGINT, previous)  # a second Ctrl-C does not wait

    previous = signal.signal(signal.SIGINT, stop)
    saved = time.monotonic()
    try:
        with training_view(training, quiet=quiet) as show:
            for _ in training.run():
                show()
                if time.monotonic() - saved > SAVE_SECONDS:
                    with suppress(OSError):  # reported at the end, when the user can act on it
                        training.save(folder)
                    saved = time.monotonic()
                if stopped:
                    return training.episode >= training.settings.episodes
        return True
    finally:
        signal.signal(signal.SIGINT, previous)


def _are_far(training: learn.Training) -> bool:
    pairs = zip(training.tracked_values(), training.exact_values(), strict=True)
    return any(abs(value - exact) > FAR_AWAY for value, exact in pairs)


def _facts(training: learn.Training, files: list[Path], seconds: float) -> dict[str, object]:
    return {
        "settings": training.settings.record(),
        "last": dict(zip(training.columns, training.rows[-1], strict=True)),
        "exact": training.exact_values(),
        "optimum": training.optima(),
        "seconds": round(seconds, 3),
        "files": list(map(str, files)),
    }


def _text(training: learn.Training, files: list[Path], episodes: int, seconds: float) -> str:
    settings = training.settings
    lines = ["", pair_table(training, training.exact_values()), ""]
    if settings.opponent == "random" and not settings.alpha_power and _are_far(training):
        lines += [FAR, ""]
    lines += greedy_lines(training)
    size = sum(array.nbytes for array in training.table.arrays().values())
    room = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    lines.append(f"{episodes:,} episodes in {seconds:.1f} s; the table holds {room}.")
    return "\n".join([*lines, *(f"  {one_line(path)}" for path in files)])
