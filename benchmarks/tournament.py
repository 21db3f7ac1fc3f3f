"""Measures the overhead of a tournament: games a second of trivial bots, and a file of 100,000 games.

python benchmarks/tournament.py [--ray] [--speed | --growth]
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from measure import human

import noughts
from noughts.course.rules import gate_of
from noughts.files import usable_cores
from noughts.matches.game import play_seats
from noughts.matches.pool import play_in_processes
from noughts.matches.record import GameRecord
from noughts.matches.runner import Executor, Referee
from noughts.players import RandomPlayer
from noughts.sandbox.source import BotSource
from noughts.tournaments.organiser import run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.view import TournamentView

TRIVIAL = "import random\ndef choose(state, clock):\n    return random.choice(state.legal_actions())\n# {number}\n"
BOTS = 20
GAME = "ultimate"
GROWN_BOTS, GROWN_ROUNDS = 101, 10
REAL_GAMES = 64
MARKS = (1_000, 10_000, 100_000)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        if "--growth" not in sys.argv:
            speed(Path(folder))
        if "--speed" not in sys.argv:
            growth(Path(folder))


def speed(folder: Path) -> None:
    """Plays a league of trivial bots with each executor, and the same games by the referee alone, without a file."""
    alone, used = referee_alone(opened(folder / "alone.noughts"))
    print(f"{BOTS} trivial bots, {GAME}: games a second; processor time of all processes for a game")
    print(f"  {'the referee alone, one process':<40} {human(alone)}  {used:.1f} ms", flush=True)
    ways: dict[str, Executor | None] = {"a tournament in one process": None}
    for jobs in sorted({1, usable_cores()}):
        ways[f"a tournament, {jobs} games at a time"] = partial(play_in_processes, jobs=jobs)
    if "--ray" in sys.argv:
        from noughts.matches.cluster import play_on_ray

        ways["a tournament on Ray, this machine alone"] = play_on_ray
    for number, (name, executor) in enumerate(ways.items()):
        rate, more = played_rate(opened(folder / f"{number}.noughts"), executor)
        print(f"  {name:<40} {human(rate)}  {more:.1f} ms, {more - used:+.1f} beside the referee", flush=True)


def opened(path: Path) -> TournamentStore:
    """Returns a tournament whose bots have passed the gate."""
    file = TournamentFile(path, write=True)
    tournament = file.create("main", noughts.load_game(GAME), Settings(seconds=5.0), seed=1)
    for number in range(BOTS):
        tournament.entries.enter(f"bot{number}", BotSource(f"bot{number}.py", None, TRIVIAL.format(number=number)))
    for entry in tournament.entries.all():
        tournament.entries.record_gate_result(entry, "")
    return tournament


def referee_alone(tournament: TournamentStore) -> tuple[float, float]:
    """Plays half of the league without a tournament. Returns games per second, and processor milliseconds per game."""
    pairings = [pairing for batch in batches_of(tournament) for pairing in batch][::2]
    used = processor_time()
    with Referee(run_of(tournament, gate_of(tournament)).conditions) as referee:
        referee.play(pairings[0])
        began = time.perf_counter()
        for pairing in pairings:
            referee.play(pairing)
        passed = time.perf_counter() - began
    return len(pairings) / passed, 1000 * (processor_time() - used) / len(pairings)


def processor_time() -> float:
    """Returns the processor seconds of this process and its ended children; a cluster's do not count."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def batches_of(tournament: TournamentStore) -> Iterable[tuple[object, ...]]:
    for batch in run_of(tournament, gate_of(tournament)).schedule.batches(tournament):
        if batch is None:
            return
        yield batch


def played_rate(tournament: TournamentStore, executor: Executor | None) -> tuple[float, float]:
    """Returns games per second from the first game on, which excludes the start of processes, and milliseconds of
    processor time per game, which includes it."""
    began, games, used = 0.0, 0, processor_time()
    for _ in run_of(tournament, gate_of(tournament)).play(executor=executor):
        if not games:
            began = time.perf_counter()
        games += 1
    assert games == BOTS * (BOTS - 1)
    return (games - 1) / (time.perf_counter() - began), 1000 * (processor_time() - used) / games


def growth(folder: Path) -> None:
    """Stores a few real games repeatedly, as the games of all pairings."""
    tournament = grown(folder / "grown.noughts")
    records = [random_game(tournament.game, seed) for seed in range(REAL_GAMES)]
    print(
        f"a file of {GROWN_BOTS} contestants that grows: milliseconds to note a game; processor seconds for standings"
    )
    pairings = (pairing for batch in batches_of(tournament) for pairing in batch)
    noted = 0
    for mark in MARKS:
        began, used, before = time.perf_counter(), time.process_time(), noted
        for pairing in islice(pairings, mark - noted):
            record = records[pairing.seed % REAL_GAMES]
            tournament.add(replace(record, number=pairing.number, seed=pairing.seed))
            noted += 1
        wall, used = (
            1000 * (now - then) / (noted - before)
            for now, then in ((time.perf_counter(), began), (time.process_time(), used))
        )
        times = f"{wall:.2f} ms, {used:.2f} of them by the processor"
        print(f"  {noted:>7} games: {times}; {standings_times(tournament)}", flush=True)
    tournament.file.close()
    print(f"  the file has {(folder / 'grown.noughts').stat().st_size / 1e6:.0f} MB")


def random_game(game: noughts.Game, seed: int) -> GameRecord:
    return play_seats(game, [RandomPlayer(2 * seed + seat) for seat in (0, 1)], seed)


def grown(path: Path) -> TournamentStore:
    file = TournamentFile(path, write=True)
    settings = Settings(seconds=5.0, rounds=GROWN_ROUNDS)
    tournament = file.create("main", noughts.load_game(GAME), settings, seed=1)
    for number in range(GROWN_BOTS):
        tournament.entries.enter(f"random:seed={number}", f"random:seed={number}")
    return tournament


def standings_times(tournament: TournamentStore) -> str:
    """Returns the shortest time of several runs: other load only adds."""
    table, rated, sure = (min(times) for times in zip(*(standings_time(tournament) for _ in range(3)), strict=True))
    return f"table {table:.2f}, with ratings {rated:.2f}, with certainty {sure:.2f}"


def standings_time(tournament: TournamentStore) -> tuple[float, float, float]:
    """Returns the processor seconds for the table, with ratings, and with the certainty of places."""
    began = time.process_time()
    found = TournamentView(tournament).standings
    assert found.order
    table = time.process_time() - began
    assert found.ratings.table
    rated = time.process_time() - began
    assert found.certainty.names
    return table, rated, time.process_time() - began


if __name__ == "__main__":
    main()
