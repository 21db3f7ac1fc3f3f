"""The display of a running tournament: a live table on a terminal, lines in a log."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Any

from rich.live import Live
from rich.table import Table
from rich.text import Text

from noughts.commands._live import live_bar, live_screen, stacked
from noughts.commands.output import WIDTH, table
from noughts.commands.tournament._status import draw_remarks
from noughts.matches.record import GameRecord
from noughts.matches.runner import Moved
from noughts.matches.tally import Tally
from noughts.printable import counted, duration
from noughts.tournaments import StoreError
from noughts.tournaments.results import Result
from noughts.tournaments.standings import standings
from noughts.tournaments.store import TournamentStore
from noughts.tournaments.view import TournamentView

REFRESH_SECONDS = 0.5
LINE_SECONDS = 60.0
LINES = 10
"""A log gets a line every minute, or after each tenth of the games if that is sooner."""
SHARE_OF_TIME = 0.05
"""Maximum share of the time spent on making tables."""
ROWS, FAULTS = 12, 3
CLOCK_SECONDS = 10.0
"""A jump of the clock by more seconds than this means that it was set."""
RATE_GAMES = 200
"""Number of last games used to compute games per second."""


class RunView:
    """Shows each game as it ends, and moves if requested. played: games of this run; checks: games of the gate."""

    def __init__(self, tournament: TournamentStore) -> None:
        self.played = self.checks = 0
        self._tournament = tournament
        self._results: list[Result] = tournament.results()
        self._ends: deque[float] = deque([time.monotonic()], RATE_GAMES)
        self._faults: deque[str] = deque(maxlen=FAULTS)
        self._live: Live | None = None
        self._place: tuple[str, int] | None = None
        self._games = self._of = self._tenth = 0
        self._rows: list[Tally] = []
        self._printed: set[str] = set()
        self._next = self._next_line = 0.0
        self._clock = _clock()

    def __enter__(self) -> RunView:
        self._count()
        if sys.stderr.isatty():
            self._live = live_screen()
            self._live.__enter__()
        self._show()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._live is not None:
            self._live.__exit__(*error)

    def moved(self, moved: Moved) -> None:
        """Shows a move as a line."""
        names, ply = " - ".join(moved.players), len(moved.moves)
        move = self._tournament.game.new_initial_state().action_to_string(moved.moves[-1])
        self._print(f"game {moved.number}, {names}: {ply}. {move} ({moved.seconds:.2f} s)")

    def ended(self, record: GameRecord) -> None:
        result = self._tournament.latest
        assert result is not None
        self._ends.append(time.monotonic())
        place = (result.fixture.stage, result.fixture.round)
        gate = result.fixture.stage == "gate"
        if gate:
            self.checks += 1
        else:
            self.played += 1
            self._results.append(result)
            self._games += 1
        if abs(_clock() - self._clock) > CLOCK_SECONDS:
            self._clock = _clock()
            self._print(
                "the clock of this machine was set, or the machine slept; this affects the dates of games but not "
                "thinking times"
            )
        if record.fault is not None and record.faulty is not None:
            where = "the check" if gate else f"game {record.number}"
            self._faults.append(f"{record.players[record.faulty]}, {where}: {record.fault.text}")
        if place != self._place:
            self._place = place
            self._count()
        self._show()

    def _count(self) -> None:
        """Counts all games, now that the players are known."""
        try:
            status = TournamentView(self._tournament).status
        except StoreError:  # no bot has passed the gate yet
            return
        self._games, self._of = status.games, status.total
        for line in draw_remarks({"fewer_pools": [stage._asdict() for stage in status.fewer_pools]}):
            if line not in self._printed:
                self._printed.add(line)
                self._print(line)

    def _show(self) -> None:
        now = time.monotonic()
        if self._live is None:
            tenth = self._games * LINES // self._of if self._of else 0
            if now >= self._next_line or tenth > self._tenth:
                self._tenth, self._next_line = tenth, now + LINE_SECONDS
                self._table()
                self._print(self._line())
        elif now >= self._next:
            self._table()
            self._live.update(self._screen(), refresh=True)
            self._next = time.monotonic() + max(REFRESH_SECONDS, (time.monotonic() - now) / SHARE_OF_TIME)

    def _table(self) -> None:
        """Makes the table of the current stage, by points per game, since the numbers of games differ."""
        stage = self._results[-1].fixture.stage if self._results else ""
        part = [result for result in self._results if result.fixture.stage == stage]
        self._rows = standings(part, by="rate", seed=self._tournament.seed)

    def _speed(self) -> float:
        passed = time.monotonic() - self._ends[0]
        return (len(self._ends) - 1) / passed if passed > 0 else 0.0

    def _head(self) -> str:
        if self._place is None or self._place[0] == "gate":
            played = counted(self._games, "game")
            return f"checking the bots: {counted(self.checks, 'game')}" if self._place else f"{played} so far"
        rehearsal = "rehearsal, " if self._tournament.settings.rehearsal is not None else ""
        left = max(0, self._of - self._games)
        speed = self._speed()
        when = f", {duration(left / speed)} left" if speed > 0 and left else ""
        return f"{rehearsal}{self._place[0]}: {self._games} of {self._of} games, {speed:.3g}/s{when}"

    def _line(self) -> str:
        """Returns the news since the last line of the log, on one line."""
        line = self._head()
        if self._rows:
            line += f"; {self._rows[0].name} leads, {self._rows[0].points_per_game:+z.2f} points per game"
        if self._faults:
            line += f"; last fault: {self._faults[-1]}"
            self._faults.clear()
        return line

    def _screen(self) -> Table:
        rows = [
            [
                *(str(row.place), row.name[:30], str(row.games), str(row.won), str(row.points)),
                *(f"{row.points_per_game:.2f}", str(row.forfeits.total())),
            ]
            for row in self._rows[:ROWS]
        ]
        heads = ["", "name", "games", "won", "points", "per game", "faults"]
        standings = [table(heads, rows, right=[0, 2, 3, 4, 5, 6])] if rows else []
        faults = (Text(fault[: WIDTH - 1], style="yellow") for fault in self._faults)
        return stacked(self._head(), live_bar(self._games, self._of), *standings, *faults)

    def _print(self, line: str) -> None:
        if self._live is not None:
            self._live.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=sys.stderr, flush=True)


def _clock() -> float:
    """Returns the wall clock minus the running time: constant unless the clock is set."""
    return time.time() - time.monotonic()
