"""`noughts evaluate` without new games: compare runs, grade replays, write reference results."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from noughts.commands.output import WIDTH, Report, table, write_file
from noughts.evaluation.compare import (
    REFERENCE,
    Comparison,
    compare_page,
    game_data,
    game_tables,
    read_runs,
    run_path,
    suite_tables,
    with_reference,
)
from noughts.evaluation.plan import GAMES, PastPlan
from noughts.evaluation.reference import reference_results
from noughts.evaluation.report import blunder_words
from noughts.evaluation.results import Results, grade
from noughts.matches.kaggle import read_kaggle
from noughts.matches.record import GameRecord
from noughts.printable import one_line
from noughts.progress import progress
from noughts.suites.suite import SIZES, make_suite

OTHERS = "others"
"""Stands for the opponent of a player who met several."""


def _report(comparison: Comparison, graded: Sequence[Results] = ()) -> Report:
    """Returns the runs side by side, with the mistakes of graded players."""
    tables = [*game_tables(comparison), *suite_tables(comparison)]
    parts = [f"{title}\n\n{table(heads, rows, range(1, len(heads)))}" for title, (heads, rows) in tables]
    return Report(comparison.to_data(), "\n\n".join([*parts, *map(_mistakes, graded)]))


def compare_runs(args: argparse.Namespace) -> Report:
    """`--compare RUN RUN ...`: earlier runs in one table and one picture."""
    if args.player is not None:
        raise ValueError("--compare only reads earlier runs; leave out PLAYER")
    paths = [run_path(text) for text in args.compare if text != REFERENCE]
    with progress("grading") as tick:
        found = read_runs(paths, args.nodes, tick)
    if REFERENCE in args.compare:
        found = with_reference(found)
    if args.html:
        write_file(args.html, compare_page(found))
    return _report(found)


def write_reference(args: argparse.Namespace) -> int:
    """`--reference FILE`: results of known players, in a file for --compare."""
    if args.player is not None:
        raise ValueError("--reference plays its own players; leave out PLAYER")
    suites = [make_suite(size) for size in SIZES]
    with progress("playing the reference players") as tick:
        found = reference_results(suites, args.games or GAMES, tick)
    write_file(args.reference, found.to_text())
    return 0


@dataclass(frozen=True)
class PlayedElsewhere(PastPlan):
    """A player in games played elsewhere."""

    def seat(self, record: GameRecord) -> int:
        return record.seat_of(self.player)


def grade_replays(args: argparse.Namespace) -> Report:
    """`--replays FILE FILE ...`: grades moves of games played elsewhere."""
    if args.player is not None:
        raise ValueError("--replays grades finished games; leave out PLAYER")
    records = [read_kaggle(Path(text), number) for number, text in enumerate(args.replays)]
    graded = grade_players(records, args.nodes)
    found = Comparison([game_data(results, games) for results, games in graded], [], [])
    if args.html:
        write_file(args.html, compare_page(found))
    return _report(found, [results for results, _ in graded])


def grade_players(records: Sequence[GameRecord], nodes: int) -> list[tuple[Results, list[GameRecord]]]:
    """Returns the results of every player in every game, each with its games."""
    played: dict[tuple[str, str], list[GameRecord]] = {}
    for record in records:
        for name in record.players:
            played.setdefault((record.game.name, name), []).append(record)
    graded = []
    for (_, name), games in played.items():
        others = {record.players[1 - record.seat_of(name)] for record in games}
        against = others.pop() if len(others) == 1 else OTHERS
        plan = PlayedElsewhere(games[0].game, name, against, len(games), 0)
        with progress(f"grading {one_line(name, 40)}") as tick:
            graded.append((grade(plan, games, tick, nodes), games))
    return graded


def _mistakes(results: Results) -> str:
    """Returns how a player's moves were graded, and the costliest ones."""
    if results.grades is None:
        return ""
    moves = [choice for _, choice in results.grades.moves]
    costly, proven = sum(choice.costly for choice in moves), sum(choice.exact for choice in moves)
    text = (
        f"{one_line(results.plan.player)}: {costly} of {len(moves)} moves gave value away; {proven} "
        f"{'is' if proven == 1 else 'are'} graded exactly"
    )
    nodes = results.grades.nodes
    text += "." if nodes is None else f", the others by searches of {nodes:,} nodes."
    worst = [textwrap.fill(blunder_words(move)[1], WIDTH, initial_indent="  ") for move in results.grades.blunders]
    return "\n".join([textwrap.fill(text, WIDTH), *worst])
