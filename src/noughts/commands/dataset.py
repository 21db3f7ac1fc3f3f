"""Write a dataset of positions as text, with the exact value of every move:
gzipped JSON lines, with a datasheet beside the file.

For a game, it contains all positions or a sample, one of each symmetric set.
With --suite variants, it contains questions about generated games as training
data (question, answer, metadata), with a task and a scorer for
lm-evaluation-harness; training games and held-out games do not overlap.

examples:
  noughts dataset wild --out wild.jsonl.gz
  noughts dataset numerical --sample 10000 --seed 1 --out numerical.jsonl.gz
  noughts dataset --suite variants --sample 1000 --difficulty 1 \\
      --split held-out --out variants.jsonl.gz
  lm_eval run --include_path . --tasks noughts_variants --model hf ...
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from noughts.commands._options import GAME_HELP, whole_number
from noughts.commands.output import Report
from noughts.library import game_from_command_line
from noughts.printable import one_line
from noughts.progress import progress
from noughts.rules.spec import short_repr
from noughts.suites.dataset import WrittenDataset, write_dataset
from noughts.suites.harness import write_entries
from noughts.suites.training import create_dataset

ENTRIES = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", help=GAME_HELP)
    parser.add_argument("--suite", choices=("variants",), help="questions about generated games, instead of a game")
    parser.add_argument("--out", required=True, metavar="FILE", help="dataset to write, FILE.jsonl.gz")
    parser.add_argument(
        "--sample", type=whole_number, metavar="N", help=f"number of rows (default: all; with --suite: {ENTRIES:,})"
    )
    parser.add_argument("--seed", type=whole_number, default=0, metavar="N", help="seed of the sample (default: 0)")
    parser.add_argument(
        "--difficulty", type=int, choices=range(5), default=0, help="difficulty of the suite's questions (default: 0)"
    )
    parser.add_argument(
        "--split", choices=("train", "held-out"), default="train", help="games of the suite (default: train)"
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    parser.add_argument("--hide-moves", action="store_true", help="leave the legal moves out of the texts")


def run(args: argparse.Namespace) -> Report:
    if not args.out.endswith(".jsonl.gz"):
        raise ValueError(f"--out must end in .jsonl.gz, not {short_repr(args.out)}")
    if args.sample is not None and args.sample < 1:
        raise ValueError(f"--sample must be 1 or more, not {short_repr(args.sample)}")
    if (args.game is None) == (args.suite is None):
        raise ValueError("pass either a game or --suite variants")
    path = Path(args.out)
    if not path.absolute().parent.is_dir():
        raise ValueError(
            f"cannot write {short_repr(args.out)}: the folder {short_repr(str(path.parent))} does not exist"
        )
    if path.exists() and not args.force:
        raise ValueError(f"{short_repr(args.out)} already exists; name another file, or replace it with --force")
    return _write_suite(args, path) if args.suite else _write_game(args, path)


def _write_suite(args: argparse.Namespace, path: Path) -> Report:
    data = create_dataset(
        size=args.sample or ENTRIES,
        seed=args.seed,
        difficulty=args.difficulty,
        split=args.split,
        list_moves=not args.hide_moves,
    )
    with progress(f"writing {one_line(args.out)}") as tick:
        written, task = write_entries(path, data, tick)
    questions = f"{written.rows:,} questions about {written.total:,} {args.split} games"
    text = f"{_written_text(questions, args.out, written)}\ntask of lm-evaluation-harness in {one_line(task)}"
    return Report(asdict(written), text)


def _write_game(args: argparse.Namespace, path: Path) -> Report:
    game = game_from_command_line(args.game)
    with progress(f"writing {one_line(args.out)}") as tick:
        written = write_dataset(
            path, game, sample=args.sample, seed=args.seed, list_moves=not args.hide_moves, tick=tick
        )
    what = f"{written.rows:,} of {written.total:,} positions of {game.name}"
    return Report(asdict(written), _written_text(what, args.out, written))


def _written_text(what: str, path: str, written: WrittenDataset) -> str:
    return (
        f"{what} in {one_line(path)}, {written.bytes:,} bytes\n"
        f"SHA-256 of the rows {written.sha256}\n"
        f"datasheet in {one_line(written.datasheet)}"
    )
