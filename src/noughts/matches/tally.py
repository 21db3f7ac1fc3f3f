"""Counts the results of one player over many games. Matches, standings, evaluations and the page all use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from noughts.matches.record import DRAW_SCORE, GameRecord
from noughts.matches.statistics import Pentanomial


@dataclass(slots=True)
class Tally:
    """The results of one player over many games.

    won, drawn, lost: games, forfeited ones included; a game without a line counts by its points. points,
    points_against: of the player, and of its opponents. forfeits, opponent_forfeits: games that ended by a fault of the
    player, or of its opponent, by the kind of the fault. seconds: of its moves. place, tie_break: in a table, and the
    reason why it is below the line above with as many points.

    >>> import noughts
    >>> tally = noughts.Tally("ants")
    >>> tally.add(1, -1)
    >>> tally.add(0, 0, games=2)
    >>> tally.won, tally.drawn, tally.lost, tally.score
    (1, 2, 0, 0.6666666666666666)
    """

    name: str = ""
    place: int = 0
    tie_break: str = ""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    points: int = 0
    points_against: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)
    opponent_forfeits: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def total_score(self) -> float:
        """The sum of the scores of all games: 1 for a win, DRAW_SCORE for a draw."""
        return self.won + DRAW_SCORE * self.drawn

    @property
    def score(self) -> float:
        """The mean score of a game, from 0 to 1; 0 without games."""
        return self.total_score / self.games if self.games else 0.0

    @property
    def points_per_game(self) -> float:
        """The mean points per game; 0 without games."""
        return self.points / self.games if self.games else 0.0

    @property
    def won_on_board(self) -> int:
        """The games won other than by a fault of the opponent."""
        return self.won - self.opponent_forfeits.total()

    @property
    def lost_on_board(self) -> int:
        """The games lost other than by a fault of the player."""
        return self.lost - self.forfeits.total()

    @property
    def median_seconds(self) -> float:
        """The median time of a move; 0 if there were none."""
        return median(self.seconds) if self.seconds else 0.0

    @property
    def worst_seconds(self) -> float:
        """The time of the longest move; 0 if there were none."""
        return max(self.seconds, default=0.0)

    def late_moves(self, limit: float) -> int:
        """Returns the number of moves that took longer than the limit. Built-in players are not stopped; a
        bot may take longer only if it waits for a core.
        """
        return sum(taken > limit for taken in self.seconds)

    def add(self, points: int, against: int, *, fault: str | None = None, own: bool = True, games: int = 1) -> None:
        """Counts games that ended with these points. fault: the kind of the deciding fault, if any; own: whether it
        was the player's.
        """
        if points > against:
            self.won += games
        elif points == against:
            self.drawn += games
        else:
            self.lost += games
        self.points += points * games
        self.points_against += against * games
        if fault is not None:
            (self.forfeits if own else self.opponent_forfeits)[fault] += games

    def add_game(self, record: GameRecord, seat: int | None = None, *, fault: str | None = None) -> None:
        """Counts a game. seat: the player's (default: by its name). fault: a name for its fault instead of its kind."""
        seat = record.seat_of(self.name) if seat is None else seat
        kind = None if record.faulty is None else fault or record.reason
        self.add(record.points[seat], record.points[1 - seat], fault=kind, own=record.faulty == seat)
        self.seconds += record.seconds_of(seat)

    def to_data(self) -> dict[str, Any]:
        """Returns the counts as plain data, for `--json` and pages."""
        return {
            "name": self.name,
            "place": self.place,
            "games": self.games,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "points": self.points,
            "points_against": self.points_against,
            "faults": self.forfeits.total(),
            "tie_break": self.tie_break,
        }

    def endings(self) -> dict[str, int]:
        """Returns the counts of endings, with separate forfeits."""
        return {
            "won": self.won_on_board,
            "drawn": self.drawn,
            "lost": self.lost_on_board,
            "forfeited": self.forfeits.total(),
            "opponent_forfeited": self.opponent_forfeits.total(),
        }


def tallies(names: Sequence[str], records: Iterable[GameRecord]) -> list[Tally]:
    """Returns the tally of each of these players over its games."""
    found = {name: Tally(name) for name in names}
    for record in records:
        for seat, name in enumerate(record.players):
            if name in found:
                found[name].add_game(record, seat)
    return list(found.values())


def different_games(records: Iterable[GameRecord]) -> int:
    """Returns the number of different games: repetitions by the same players in the same seats count once."""
    return len({(record.players, tuple(record.moves), record.reason) for record in records})


def paired(records: Iterable[GameRecord], name: str) -> Pentanomial:
    """Returns the results of the pairs of a match, for one player. Games without a partner do not count."""
    pairs = Pentanomial()
    waiting: dict[int, float] = {}
    for record in records:
        score = record.score(record.seat_of(name))
        if record.round in waiting:
            pairs = pairs.add(waiting.pop(record.round), score)
        else:
            waiting[record.round] = score
    return pairs
