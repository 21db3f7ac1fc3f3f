"""`noughts evaluate --compare RUN RUN ...`: runs of before in one table and one picture."""

from __future__ import annotations

import argparse
import json


def run_compare(args: argparse.Namespace) -> int:
    from noughts.commands.output import progress, table, write_file
    from noughts.evaluation.compare import compare_data, compare_page, game_tables, read_runs, run_path, suite_tables

    if args.player is not None:
        raise ValueError("--compare reads runs of before and plays nothing, so it takes no player")
    paths = [run_path(text) for text in args.compare]
    with progress("grading") as tick:
        games, suites = read_runs(paths, args.nodes, tick)
    if args.html:
        write_file(args.html, compare_page(games, suites))
    if args.json:
        print(json.dumps(compare_data(games, suites), indent=2))
        return 0
    tables = (game_tables(games) if games else []) + (suite_tables(suites) if suites else [])
    print("\n\n".join(f"{title}\n\n{table(heads, rows, range(1, len(heads)))}" for title, (heads, rows) in tables))
    return 0
