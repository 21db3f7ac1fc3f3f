"""Worker time: how long each team's bots have kept the processes that play a ladder busy, lately.

Work is shared by this time, not by games: a bot that sleeps keeps a process busy for its whole limit. Waiting for a
processor is the machine's fault and does not count. Old time counts less and less (`HALF_LIFE`), so nobody pays for
ever, and nobody saves up.
"""

from __future__ import annotations

import math
import time
from datetime import datetime

from noughts.tournaments._entries import GATE
from noughts.tournaments.store import TournamentStore

HALF_LIFE = 600.0
"""Seconds after which used time counts half."""
EQUAL_SECONDS = 2.0
"""Teams that used less than this are equal, and so are those whose times differ by less than a factor of two."""
LATEST_GAMES = 5_000
"""Number of latest games that are read when a ladder starts."""
LONGEST_SECONDS = 1e6
"""Maximum seconds of a game: the file may come from elsewhere."""


class WorkerTime:
    """The worker time of each entry of a ladder, from the games in its file. at_the_gate, elsewhere: of all entries, by
    the kind of the game.
    """

    def __init__(self, tournament: TournamentStore) -> None:
        self.at_the_gate: float = 0.0
        self.elsewhere: float = 0.0
        self._tournament = tournament
        self._used: dict[int, float] = {}
        """Seconds by entry, as much as they counted at `_counted_at`."""
        self._counted_at = time.monotonic()
        ((latest,),) = tournament.file.rows("SELECT coalesce(max(id), 0) FROM game")
        self._last_game = max(0, latest - LATEST_GAMES)
        self.update(started=True)

    def update(self, *, started: bool = False) -> None:
        """Adds the games that were finished since the last call. started: whether they may be old."""
        now, clock = time.monotonic(), self._tournament.file.clock()
        faded = 0.5 ** ((now - self._counted_at) / HALF_LIFE)
        self._used = {entry: seconds * faded for entry, seconds in self._used.items()}
        self.at_the_gate, self.elsewhere = self.at_the_gate * faded, self.elsewhere * faded
        self._counted_at = now
        rows = self._tournament.file.rows(
            "SELECT game.id, stage, finished, first, second, first_used, second_used FROM game CROSS JOIN fixture "
            "ON fixture.id = game.fixture WHERE game.id > ? AND tournament = ? ORDER BY game.id",
            *(self._last_game, self._tournament.id),
        )
        for number, stage, finished, first, second, first_used, second_used in rows:
            self._last_game = number
            age = (clock - datetime.fromisoformat(finished)).total_seconds() if started else 0.0
            weight = 0.5 ** (max(0.0, age) / HALF_LIFE)
            for entry, seconds in ((first, first_used), (second, second_used)):
                used = weight * max(0.0, min(seconds, LONGEST_SECONDS))
                self._used[entry] = self._used.get(entry, 0.0) + used
                if stage == GATE:
                    self.at_the_gate += used
                else:
                    self.elsewhere += used

    def of(self, entry: int) -> float:
        """Returns the seconds that an entry has used lately."""
        return self._used.get(entry, 0.0)

    def level(self, entry: int, more: float = 0.0) -> int:
        """Returns the level of an entry's time: 0, and one more for each doubling of `EQUAL_SECONDS`. Those with the
        lowest level play next. more: seconds that are not in the file yet.
        """
        used = self.of(entry) + more
        return 0 if used < EQUAL_SECONDS else 1 + int(math.log2(used / EQUAL_SECONDS))
