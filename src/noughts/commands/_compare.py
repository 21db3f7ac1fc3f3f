"""`noughts evaluate --compare RUN RUN ...`: runs of before in one table and one picture."""

from __future__ import annotations

import argparse

from noughts.commands.output import print_result, progress, table, write_file
from noughts.evaluation.compare import (
    REFERENCE,
    compare_page,
    game_tables,
    read_runs,
    results_text,
    run_path,
    suite_tables,
    with_reference,
)
from noughts.evaluation.reference import GAMES, reference_results
from noughts.suites.suite import SIZES, make_suite


def run_compare(args: argparse.Namespace) -> int:
    if args.player is not None:
        raise ValueError("--compare reads runs of before and plays nothing, so it takes no player")
    paths = [run_path(text) for text in args.compare if text != REFERENCE]
    with progress("grading") as tick:
        found = read_runs(paths, args.nodes, tick)
    if REFERENCE in args.compare:
        found = with_reference(found)
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
    suites = [make_suite("variants", size) for size in SIZES]
    with progress("playing the reference players") as tick:
        data = reference_results(suites, args.games or GAMES, tick)
    write_file(args.reference, results_text(data))
    return 0
