"""The results of one player over many games: the only count of them. Match, standings, evaluation and page use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from noughts.matches.record import GameRecord


@dataclass(slots=True)
class Tally:
    """The results of one player over many games.

    won, drawn, lost: games, forfeited ones included; a game without a line counts by its points. points,
    points_against: what the games paid the player, and its opponents. forfeits, opponent_forfeits: games that ended by
    a fault of the player, or of its opponent, by the kind of the fault. seconds: of its moves. place, tie_break:
    in a table, and what puts it below the line above with as many points.

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
    def score(self) -> float:
        """Share of the games won, draws counted half; 0 without games."""
        return (self.won + self.drawn / 2) / self.games if self.games else 0.0

    @property
    def points_per_game(self) -> float:
        """0 without games."""
        return self.points / self.games if self.games else 0.0

    @property
    def won_on_board(self) -> int:
        """Games won other than by a fault of the opponent."""
        return self.won - self.opponent_forfeits.total()

    @property
    def lost_on_board(self) -> int:
        """Games lost other than by a fault of the player."""
        return self.lost - self.forfeits.total()

    @property
    def median_seconds(self) -> float:
        """The time of a usual move; 0 if there were none."""
        return median(self.seconds) if self.seconds else 0.0

    @property
    def worst_seconds(self) -> float:
        """The time of the longest move; 0 if there were none."""
        return max(self.seconds, default=0.0)

    def late_moves(self, limit: float) -> int:
        """How many moves took longer. Built-in players are not stopped; a bot that was not stopped lacked a core."""
        return sum(taken > limit for taken in self.seconds)

    def add(self, points: int, against: int, *, fault: str | None = None, own: bool = True, games: int = 1) -> None:
        """Counts games that ended with these points. fault: the kind of the fault that ended them, if one did; own:
        whether it was the player's.
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
        """Counts a game. seat: the player's, by its name if it is not given. fault: another name for its fault."""
        seat = record.seat_of(self.name) if seat is None else seat
        kind = None if record.faulty is None else fault or record.reason
        self.add(record.points[seat], record.points[1 - seat], fault=kind, own=record.faulty == seat)
        self.seconds += seconds_of(record, seat)

    def to_data(self) -> dict[str, Any]:
        """The counts as plain data, for `--json` and pages."""
        return {
            "name": self.name,
            "place": self.place,
            "games": self.games,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "points": self.points,
            "given_up": self.points_against,
            "faults": self.forfeits.total(),
            "tie_break": self.tie_break,
        }

    def endings(self) -> dict[str, int]:
        """The games by how they ended, forfeits apart."""
        return {
            "won": self.won_on_board,
            "drawn": self.drawn,
            "lost": self.lost_on_board,
            "forfeited": self.forfeits.total(),
            "opponent_forfeited": self.opponent_forfeits.total(),
        }


def tallies(names: Sequence[str], records: Iterable[GameRecord]) -> list[Tally]:
    """The tally of each of these players over the games that it took part in."""
    found = {name: Tally(name) for name in names}
    for record in records:
        for seat, name in enumerate(record.players):
            if name in found:
                found[name].add_game(record, seat)
    return list(found.values())


def seconds_of(record: GameRecord, seat: int) -> list[float]:
    """The times of the moves that one player chose."""
    movers = [state.current_player() for state, action in record.states() if action is not None]
    timed = list(zip(movers, record.seconds, strict=True))[record.opening :]
    return [taken for mover, taken in timed if mover == seat]
