"""A month of a ladder in fast motion: 100 teams, 5,000 versions, 200,000 games.

Results come from a model of strengths, and moves are random. The file, the schedule, the matchmaker, the ratings and
the pages are the real ones; no bot runs. The file's clock advances by a month. The script measures memory and the time
of each game and page, and copies the file at the end. To exclude disk time, put the file in memory (--file
/dev/shm/month.noughts).

python benchmarks/ladder_month.py [--teams 100] [--versions 5000] [--games 200000] [--file KEEP.noughts]
"""

from __future__ import annotations

import argparse
import math
import os
import random
import resource
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does

from starlette.testclient import TestClient

import noughts
from noughts.bots.gate import Gate
from noughts.game import Game
from noughts.matches.machine import Machine
from noughts.matches.record import GameRecord
from noughts.tournaments._ladder_schedule import LadderSchedule
from noughts.tournaments.ladder import LADDER, create_ladder, ladder_in, set_token, submit
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.web import LadderService, token_hash
from noughts.web import Settings as ServerSettings
from noughts.web._app import make_app

ELO = 400 / math.log(10)
SPREAD, BETTER, CHANGE, FIRST_MOVE = 250.0, 10.0, 40.0, 30.0
"""Strengths of the first versions, how much later ones differ, and what moving first is worth, in Elo."""
YARDSTICKS = {"random": -600.0, "greedy": -300.0, "alphabeta:level=1": 0.0, "alphabeta:level=3": 300.0}
POOL = 3000
"""Random games for each result, from which one is drawn."""
STAFF, TEAM = "s" * 20, "t" * 20
PAGES = {
    "leaderboard": "/api/ladder",
    "a team": "/api/ladder/teams/team7",
    "its games": "/api/ladder/games?team=team7",
    "its losses": "/api/ladder/games?team=team7&lost=true",
    "latest games": "/api/ladder/games",
    "staff": "/api/ladder/queue",
}
LOOKS = 20
STEPS = 10
"""Number of measurements."""


def bot(team: str, version: int) -> bytes:
    """The text of a bot of the usual size."""
    lines = "".join(f"WEIGHT_{number} = {number * version}\n" for number in range(150))
    return f"# {team} {version}\n{lines}\ndef choose(state, clock):\n    return state.legal_actions()[0]\n".encode()


def games_by_result(game: Game, luck: random.Random) -> dict[int, list[GameRecord]]:
    """Returns random games by the sign of the first player's result."""
    found: dict[int, list[GameRecord]] = {-1: [], 0: [], 1: []}
    while sum(map(len, found.values())) < POOL:
        record, state = GameRecord(game, ("", "")), game.new_initial_state()
        while not state.is_terminal():
            record.moves.append(luck.choice(state.legal_actions()))
            record.seconds.append(round(luck.uniform(0.1, 1.9), 6))
            state.apply_action(record.moves[-1])
        record.end_by_rules(state)
        found[(record.points[0] > record.points[1]) - (record.points[0] < record.points[1])].append(record)
    return found


class World:
    """True strengths, uploads and results."""

    def __init__(self, ladder: TournamentStore, teams: int, versions: int, games: int) -> None:
        self.ladder, self.luck = ladder, random.Random(1)
        self.teams = [f"team{number}" for number in range(teams)]
        self.true = {name: self.luck.gauss(0, SPREAD) for name in self.teams} | YARDSTICKS
        self.pool = games_by_result(ladder.game, self.luck)
        self.machine = Machine("ladder", "a processor", 8)
        # The first of each team, then one by one over the first nine tenths of the month.
        later = [self.luck.choice(self.teams) for _ in range(versions - teams)]
        self.uploads = [(0, name) for name in self.teams]
        self.uploads += [(round(0.9 * games * at / len(later)), name) for at, name in enumerate(later)]
        self.uploads.reverse()
        self.versions = dict.fromkeys(self.teams, 0)

    def upload(self, played: int) -> bool:
        """Uploads the versions that are due after a number of games. Returns whether there were any."""
        before = len(self.uploads)
        while self.uploads and self.uploads[-1][0] <= played:
            _, name = self.uploads.pop()
            if self.versions[name]:
                self.true[name] += self.luck.gauss(BETTER, CHANGE)
            self.versions[name] += 1
            submit(self.ladder, name, bot(name, self.versions[name]))
        return len(self.uploads) < before

    def play(self, number: int, names: tuple[str, str], seed: int) -> GameRecord:
        """Returns a game whose result is drawn by the strengths; those of the gate end anyhow."""
        gap = self.true.get(names[0], 0.0) - self.true.get(names[1], 0.0) + FIRST_MOVE
        drawn, won = self.luck.random(), 1 / (1 + math.exp(-gap / ELO))
        sign = 0 if abs(drawn - won) < 0.03 and self.pool[0] else 1 if drawn < won else -1
        record = self.luck.choice(self.pool[sign])
        return GameRecord(
            record.game, names, seed, record.moves, 0, record.seconds, reason=record.reason, winner=record.winner,
            points=record.points, number=number, machine=self.machine, speed=21.0,
        )  # fmt: skip


class NamesByVersion(dict[int, str]):
    """Returns the names of contestants by version; reads each from the file once."""

    def __init__(self, ladder: TournamentStore) -> None:
        super().__init__()
        self._ladder = ladder

    def __missing__(self, version: int) -> str:
        query = "SELECT name FROM version JOIN bot ON bot.id = bot WHERE version.id = ?"
        self[version] = str(self._ladder.file.rows(query, version)[0][0])
        return self[version]


def memory() -> float:
    """Returns the memory that this process uses now, in MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def look(path: Path) -> tuple[float, dict[str, tuple[float, float]]]:
    """Returns how long a server takes to open the file, in seconds, and the median and the slowest answer of each page,
    in milliseconds.
    """
    began = time.perf_counter()
    service = LadderService(path)
    opened = time.perf_counter() - began
    service.runner.start = lambda: None  # type: ignore[method-assign]
    settings = ServerSettings(
        host="0.0.0.0",
        games=path.with_suffix(".sqlite"),
        tournaments=(path,),
        workers=1,
    )
    found = {}
    with (
        closing(service),
        TestClient(make_app(service.settings(settings), ladder=service), base_url="http://127.0.0.1") as client,
    ):
        for name, place in PAGES.items():
            headers = {"authorization": f"Bearer {STAFF if name == 'staff' else TEAM}"}
            taken = []
            for _ in range(LOOKS):
                began = time.perf_counter()
                answer = client.get(place, headers=headers)
                taken.append(1000 * (time.perf_counter() - began))
                assert answer.status_code == 200, (place, answer.text)
                service._board = (-60.0, [])  # it is read each time, not once a second
            found[name] = (sorted(taken)[LOOKS // 2], max(taken))
    return opened, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teams", type=int, default=100)
    parser.add_argument("--versions", type=int, default=5000)
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--game", default="extreme")
    parser.add_argument("--file", type=Path, help="keep it here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(args.file or Path(folder, "month.noughts"), args)


def run(path: Path, args: argparse.Namespace) -> None:
    month, start, played = timedelta(days=30), datetime.now(UTC) - timedelta(days=30), 0

    def clock() -> datetime:
        return start + month * min(1.0, played / args.games)

    file = TournamentFile(path, write=True, clock=clock)
    teams = [f"team{number}" for number in range(args.teams)]
    settings = Settings(format=LADDER, seconds=2.0, uploads=1000)
    ladder = create_ladder(file, noughts.load_game(args.game), settings, teams, list(YARDSTICKS))
    set_token(ladder, None, token_hash(STAFF))
    set_token(ladder, "team7", token_hash(TEAM))
    world = World(ladder, args.teams, args.versions, args.games)
    print("games  versions  MB memory  MB file  CPU ms a game  server opens")
    for step in range(1, STEPS + 1):
        goal, began, before = args.games * step // STEPS, time.process_time(), played
        gate = Gate(ladder.game, settings.limits)
        plan = LadderSchedule(ladder, gate, ladder.entries.contestants())
        batches = plan.batches(ladder)
        names_by = NamesByVersion(ladder)
        while played < goal:
            if world.upload(played):
                plan.poll_soon()
            batch = next(batches)
            if batch is None:  # everybody is certain: time goes on to the next upload
                if not world.uploads:
                    break
                played = max(played + 1, world.uploads[-1][0])
                continue
            for pairing in batch:
                first, second = (names_by[version] for version in pairing.players)
                record = world.play(pairing.number, (first, second), pairing.seed)
                ladder.add(record)
                played += 1
        took = 1000 * (time.process_time() - began) / max(1, played - before)
        count, versions = ladder.count(), sum(world.versions.values())
        file.close()
        opened, pages = look(path)
        size = path.stat().st_size / 1e6
        print(f"{count:7,} {versions:6,} {memory():8.0f} {size:10.0f} {took:10.2f} {opened:12.1f} s", flush=True)
        file = TournamentFile(path, write=True, clock=clock)
        ladder = world.ladder = ladder_in(file)
    for name, (median, most) in pages.items():
        print(f"{name:14} {median:7.1f} ms, slowest {most:7.1f} ms")
    began = time.perf_counter()
    file.backup(path.with_suffix(".copy.noughts"))
    print(f"backup in {time.perf_counter() - began:.1f} s")
    assert file.rows("PRAGMA integrity_check") == [("ok",)]
    twice = "GROUP BY fixture, first_version, second_version HAVING count(*) > 1"
    doubles = file.rows(f"SELECT 1 FROM game WHERE void IS NULL {twice}")
    assert not doubles, "no game is there twice"
    file.close()


if __name__ == "__main__":
    main()
