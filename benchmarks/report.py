"""Measures the report of a league of 30 bots, 870 games of extreme: seconds, megabytes, games analysed a second.

python benchmarks/report.py [--bots 30] [--reviewed 60] [--jobs 1]

Built-in players of different strength play the games. The analysis of --reviewed games is timed, in processor time, at
the default budget. For the page with analysis, the other games reuse those reviews, cut or extended to their length, so
that the size is right without the wait.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from pathlib import Path

import noughts
from noughts.analysis.evaluator import NODES, evaluator_for
from noughts.analysis.mistakes import review, to_data
from noughts.course.marks import Mark, marks_of
from noughts.course.rules import gate_of
from noughts.matches.replays import from_json
from noughts.report import gather, write_report
from noughts.tournaments.organiser import run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC, STAFF, Visibility

PLAYERS = ("random", "greedy", "alphabeta?level=1", "alphabeta?level=2", "alphabeta?level=3")
PRINTED = "depth 7, value 0.31, line 3,4 5,5 1,2"
"""Output of every fourth move: many bots print something."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=30)
    parser.add_argument("--game", default="extreme")
    parser.add_argument("--reviewed", type=int, default=60)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, TournamentFile(Path(folder, "t.noughts"), write=True) as file:
        tournament = file.create("league", noughts.load_game(args.game), Settings(seconds=10.0), 7)
        for number in range(args.bots):
            tournament.entries.enter(f"team{number}", PLAYERS[number % len(PLAYERS)])
        games = sum(1 for _ in run_of(tournament, gate_of(tournament), trusted=PLAYERS).play())
        chatty(tournament)
        plies = file.rows("SELECT avg(plies) FROM game")[0][0]
        print(f"{args.bots} bots, {games} games of {args.game}, {plies:.0f} moves on average", flush=True)
        written(tournament, "without analysis", Path(folder, "plain.html"))
        seconds = sorted(analysed(tournament, args.reviewed))
        average = sum(seconds) / len(seconds)
        print(
            f"  analysis at {NODES:,} nodes a position: {average:.2f} s a game on average, "
            f"{seconds[len(seconds) // 2]:.2f} at the median, {seconds[-1]:.2f} at most; all {games * average:.0f} s"
        )
        written(tournament, "with analysis", Path(folder, "full.html"))
        written(tournament, "for one team", Path(folder, "team.html"), Visibility("team", "team3"))
        written(tournament, "public", Path(folder, "public.html"), PUBLIC)


def chatty(tournament: TournamentStore) -> None:
    """Adds output of every player."""
    with tournament.file.change():
        for number, replay in tournament.file.rows("SELECT id, replay FROM game"):
            data = json.loads(replay)
            data["prints"] = {str(ply): PRINTED for ply in range(0, len(data["moves"]), 4)}
            data["seconds"] = [round(0.37 + ply * 0.0173 % 1, 6) for ply in range(len(data["moves"]))]
            tournament.file.do("UPDATE game SET replay = ? WHERE id = ?", json.dumps(data), number)


def analysed(tournament: TournamentStore, count: int) -> list[float]:
    """Reviews some games and copies the reviews to the others. Returns the processor time of each review."""
    rows = tournament.file.rows("SELECT id, replay FROM game ORDER BY id")
    chosen = rows[:: max(1, len(rows) // count)][:count]
    record = from_json(chosen[0][1])
    review(record, 100)  # compiled and loaded
    evaluator = evaluator_for(record.game)
    found, seconds = [], []
    for _, replay in chosen:
        started = time.process_time()
        found.append(to_data(review(from_json(replay), evaluator=evaluator)))
        seconds.append(time.process_time() - started)
    with tournament.file.change():
        for (number, replay), kept in zip(rows, itertools.cycle(found), strict=False):
            tournament.file.do(
                "INSERT INTO review VALUES (?, ?, '', '', ?)", number, NODES, json.dumps(fitted(kept, replay))
            )
    return seconds


def fitted(review: dict, replay: str) -> dict:  # type: ignore[type-arg]
    moves = len(json.loads(replay)["moves"])
    columns = {key: (review[key] * 3)[: moves + 1] for key in ("values", "exact", "distances", "best")}
    return review | columns | {"mistakes": [mistake for mistake in review["mistakes"] if mistake[0] < moves]}


def written(tournament: TournamentStore, what: str, path: Path, visibility: Visibility = STAFF) -> None:
    started = time.process_time()
    files = write_report(
        gather(TournamentView(tournament), visibility, map(Mark.to_data, marks_of(TournamentView(tournament)))), path
    )
    taken = time.process_time() - started
    size = sum(file.stat().st_size for file in files)
    pages = "one file" if len(files) == 1 else f"{len(files)} files"
    print(f"  {what:<18} {taken:6.1f} s  {size / 1e6:5.2f} MB in {pages}", flush=True)


if __name__ == "__main__":
    main()
