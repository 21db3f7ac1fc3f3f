"""Write every position of a small game with the exact worth of every move, as
texts for players who read: one JSON object a line, gzipped, and a datasheet
beside it. Symmetric positions stand for each other.

examples:
  noughts dataset wild --out wild.jsonl.gz
  noughts dataset numerical --sample 10000 --seed 1 --out numerical.jsonl.gz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from noughts.commands._numbers import whole_number
from noughts.commands.output import progress
from noughts.library import game_from_command_line
from noughts.printable import one_line
from noughts.rules.spec import shown
from noughts.suites.dataset import write_dataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="a game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument("--out", required=True, metavar="FILE", help="where it goes, FILE.jsonl.gz")
    parser.add_argument("--sample", type=whole_number, metavar="N", help="so many positions, drawn by the seed (all)")
    parser.add_argument("--seed", type=whole_number, default=0, metavar="N", help="of the sample (0)")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    parser.add_argument("--hide-moves", action="store_true", help="do not list the available moves in the texts")


def run(args: argparse.Namespace) -> int:
    if not args.out.endswith(".jsonl.gz"):
        raise ValueError(f"--out is a file of gzipped JSON lines, so its name ends in .jsonl.gz, not {shown(args.out)}")
    if args.sample is not None and args.sample < 1:
        raise ValueError(f"--sample is 1 or more, not {shown(args.sample)}")
    path = Path(args.out)
    if not path.absolute().parent.is_dir():
        raise ValueError(f"cannot write {shown(args.out)}: there is no folder {shown(str(path.parent))}")
    if path.exists() and not args.force:
        raise ValueError(f"{shown(args.out)} exists already; name another file, or replace it with --force")
    game = game_from_command_line(args.game)
    with progress(f"writing {one_line(args.out)}") as tick:
        written = write_dataset(
            path, game, sample=args.sample, seed=args.seed, list_moves=not args.hide_moves, tick=tick
        )
    print(
        f"{written.rows:,} of {written.of:,} positions of {game.name} in {one_line(args.out)}, "
        f"{written.bytes:,} bytes\n"
        f"SHA-256 of the rows {written.sha256}\n"
        f"datasheet in {one_line(written.datasheet)}"
    )
    return 0
