"""Learn a small game by Q-learning, and watch it converge to the exact answer.

Presets, each of whose numbers can be replaced by an option:
  published  the numerical game as it was published: every position by itself,
             rate 0.2, discount 0.8, 5 million episodes against a random player
  fast       symmetric positions as one and averaging rates: reaches the exact
             optimum at discount 1
  self       both seats by self-play, for games where a random opponent is no
             teacher: ends unbeatable
The numerical game is learnt as published unless told otherwise, others by self.

The run folder holds model.q (the player `q:FOLDER`), metrics.csv, and two
pictures: convergence.png, learning.png. Ctrl-C saves; --resume goes on exactly
as if it had never stopped.

examples:
  noughts train numerical
  noughts train numerical --preset fast --out runs/best
  noughts train numerical --episodes 20000000 --track "1-x-x-x-x-x-x-x-8 5@4"
  noughts train wild
  noughts train --resume runs/numerical-1 --episodes 10000000
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noughts.printable import one_line

if TYPE_CHECKING:
    from noughts.learn import Training

RUNS = "runs"
SAVE_SECONDS = 60.0
"""A run is saved at least so often, so that a crash costs little."""

OPTIONS = {
    "episodes": (int, "N", "how many games to learn from (5000000)"),
    "alpha": (float, "A", "learning rate (0.2)"),
    "alpha_power": (float, "P", "rate n**-P at the n-th update of a value, instead"),
    "gamma": (float, "G", "discount of a step (0.8)"),
    "epsilon": (float, "E", "share of random choices at the start (1)"),
    "epsilon_min": (float, "E", "and in the end (0.001)"),
    "epsilon_decay": (float, "D", "how fast it falls, exp(-D * episode) (1e-6)"),
    "seat": (int, "0|1", "which player learns against the random one (0)"),
    "seed": (int, "N", "the same seed gives the same table (0)"),
    "every": (int, "N", "episodes between checkpoints (a hundredth of all)"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", help="a small game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument("--preset", help="published, fast or self")
    for name, (kind, metavar, text) in OPTIONS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=text)
    parser.add_argument("--rewards", help="published, per_move or outcome")
    parser.add_argument("--opponent", help="random or self")
    parser.add_argument(
        "--symmetry", action=argparse.BooleanOptionalAction, help="learn symmetric positions as one, or not"
    )
    parser.add_argument("--track", action="append", metavar="PAIR", help="a position and a move to follow; repeatable")
    parser.add_argument("--out", metavar="DIR", help=f"the run folder (a new one in {RUNS}/)")
    parser.add_argument("--resume", metavar="DIR", help="go on with this run; only --episodes can be changed")
    parser.add_argument("--no-plots", action="store_true", help="draw no pictures")
    parser.add_argument("--json", action="store_true", help="machine-readable report")


def run(args: argparse.Namespace) -> int:
    if not args.no_plots:
        _require_matplotlib()
    training, folder = _resumed(args) if args.resume else _new(args)
    started = time.perf_counter()
    before = training.episode
    whole = _learn(training, folder, quiet=args.json)
    seconds = time.perf_counter() - started
    training.save(folder)
    if not whole:
        print(
            f"noughts: stopped after {training.episode:,} episodes, all saved; go on with\n"
            f"  noughts train --resume {one_line(folder)}",
            file=sys.stderr,
        )
        return 130
    pictures = []
    if not args.no_plots:
        from noughts.learn import save_plots

        pictures = save_plots(training, folder)
    _report(training, folder, pictures, (training.episode - before, seconds), as_json=args.json)
    return 0


def _require_matplotlib() -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ValueError("the pictures need matplotlib: pip install 'noughts[rl]', or train with --no-plots")


def _chosen(args: argparse.Namespace) -> dict[str, Any]:
    names = [*OPTIONS, "rewards", "opponent", "symmetry"]
    chosen = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    return chosen | ({"track": tuple(args.track)} if args.track else {})


def _new(args: argparse.Namespace) -> tuple[Training, Path]:
    from noughts.learn import MODEL_FILE, Training, preset
    from noughts.library import game_from_command_line

    if not args.game:
        raise ValueError("name a game to learn, such as numerical, or a run to go on with: --resume DIR")
    rules = game_from_command_line(args.game).rules
    name = args.preset or ("published" if rules.name == "numerical" and args.opponent != "self" else "self")
    if args.preset is None and args.opponent == "random":
        name = "published"
    training = Training(preset(name, rules, _chosen(args)))
    if args.out:
        folder = Path(args.out)
        if (folder / MODEL_FILE).exists():
            raise ValueError(f"{args.out!r} holds a run already; go on with it by --resume, or name another folder")
        folder.mkdir(parents=True, exist_ok=True)
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


def _resumed(args: argparse.Namespace) -> tuple[Training, Path]:
    from noughts.learn import model_path, resume

    extra = sorted(set(_chosen(args)) - {"episodes"})
    if extra or args.game or args.preset or args.out:
        what = extra[0].replace("_", "-") if extra else "the rest"
        raise ValueError(f"a run goes on with its own settings; with --resume only --episodes can be given, not {what}")
    return resume(args.resume, args.episodes), model_path(args.resume).parent


def _learn(training: Training, folder: Path, *, quiet: bool) -> bool:
    """Run until the end or until Ctrl-C; whether it was the end."""
    from noughts.commands._training_view import view

    stopped = False

    def stop(_number: int, _frame: object) -> None:
        nonlocal stopped
        stopped = True
        signal.signal(signal.SIGINT, previous)  # a second Ctrl-C does not wait

    previous = signal.signal(signal.SIGINT, stop)
    saved = time.monotonic()
    try:
        with view(training, quiet=quiet) as show:
            for _ in training.run():
                show()
                if time.monotonic() - saved > SAVE_SECONDS:
                    training.save(folder)
                    saved = time.monotonic()
                if stopped:
                    return training.episode >= training.settings.episodes
        return True
    finally:
        signal.signal(signal.SIGINT, previous)


def _report(training: Training, folder: Path, pictures: list[Path], speed: tuple[int, float], *, as_json: bool) -> None:
    from noughts.commands._training_view import greedy_lines, pair_rows
    from noughts.commands.output import table
    from noughts.learn import METRICS_FILE, MODEL_FILE

    episodes, seconds = speed
    files = [folder / MODEL_FILE, folder / METRICS_FILE, *pictures]
    if as_json:
        last = dict(zip(training.columns, training.rows[-1], strict=True))
        record = {
            "settings": training.settings.record(),
            "last": last,
            "exact": training.exact_values(),
            "optimum": training.optima(),
            "seconds": round(seconds, 3),
            "files": list(map(str, files)),
        }
        print(json.dumps(record, indent=2))
        return
    print()
    print(table(["state, action", "Q", "exact Q*", "difference"], pair_rows(training), right=[1, 2, 3]))
    print()
    print("\n".join(greedy_lines(training)))
    size = sum(array.nbytes for array in training.table.arrays().values())
    print(f"{episodes:,} episodes in {seconds:.1f} s; the table holds {size / 1e6:.1f} MB.")
    print("\n".join(f"  {one_line(path)}" for path in files))
