"""`noughts evaluate --replays FILE FILE ...`: games that were played elsewhere, graded."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from noughts.commands.output import print_result, progress, table, write_file
from noughts.evaluation.compare import Comparison, compare_page, game_data, game_tables
from noughts.evaluation.plan import PastPlan
from noughts.evaluation.report import blunder_words
from noughts.evaluation.results import Results, grade
from noughts.matches.kaggle import read_kaggle
from noughts.matches.record import GameRecord
from noughts.printable import one_line

WIDTH = 80
OTHERS = "others"
"""The opponent of a player in games from several hands."""


@dataclass(frozen=True)
class PlayedElsewhere(PastPlan):
    """One player in games that were played elsewhere."""

    def seat(self, record: GameRecord) -> int:
        return record.seat_of(self.player)


def run_replays(args: argparse.Namespace) -> int:
    if args.player is not None:
        raise ValueError("--replays grades games of before and plays nothing, so it takes no player")
    records = [read_kaggle(Path(text), number) for number, text in enumerate(args.replays)]
    graded = grade_players(records, args.nodes)
    found = Comparison([game_data(results, games) for results, games in graded], [], [])
    if args.html:
        write_file(args.html, compare_page(found))

    def text() -> str:
        tables = [
            f"{title}\n\n{table(heads, rows, range(1, len(heads)))}" for title, (heads, rows) in game_tables(found)
        ]
        return "\n\n".join([*tables, *(_mistakes(results) for results, _ in graded)])

    print_result(args.json, found.to_data, text)
    return 0


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
    """How a player's moves were graded, and the ones that cost most."""
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
