"""`noughts evaluate --compare RUN RUN ...`: runs of before in one table and one picture."""

from __future__ import annotations

import argparse
import json

from noughts.commands._suite import SEED
from noughts.commands.output import print_result, progress, table, write_file
from noughts.evaluation.compare import compare_page, game_tables, read_runs, run_path, suite_tables
from noughts.evaluation.reference import reference_results
from noughts.suites.suite import make_suite


def run_compare(args: argparse.Namespace) -> int:
    if args.player is not None:
        raise ValueError("--compare reads runs of before and plays nothing, so it takes no player")
    paths = [run_path(text) for text in args.compare]
    with progress("grading") as tick:
        found = read_runs(paths, args.nodes, tick)
    if args.html:
        write_file(args.html, compare_page(found))
    tables = [*game_tables(found), *suite_tables(found)]
    print_result(
        args.json,
        found.to_data,
        lambda: "\n\n".join(
            f"{title}\n\n{table(heads, rows, range(1, len(heads)))}" for title, (heads, rows) in tables
        ),
    )
    return 0


def run_reference(args: argparse.Namespace) -> int:
    """`noughts evaluate --reference FILE`: results of known players, in a file that --compare reads."""
    if args.player is not None:
        raise ValueError("--reference plays its own players, so it takes no player")
    with progress("making the suite, once on this machine") as tick:
        suite = make_suite("variants", args.size, SEED if args.seed is None else args.seed, tick)
    with progress("playing the reference players") as tick:
        data = reference_results(suite, args.games or REFERENCE_GAMES, tick)
    write_file(args.reference, json.dumps(data, indent=1) + "\n")
    return 0


REFERENCE_GAMES = 40
"""Games of each reference player in each game."""
