"""Decides who sees what of a tournament. Every output for teams or the public asks here, and so does the page for its
own games (`web/_table.py`).

    fact                                                       public   team NAME       staff
    results, moves, seconds of each move, reviews of games     yes      yes             yes
    kind of a fault (time, crash, ...), in general words       yes      yes             yes
    text, line and traceback of a fault                        no       its own         yes
    prints, warnings, exchanges with a model                   no       its own         yes
    source lines                                               no       its own         yes
    patterns and positions of a team's play, marks, lateness   no       its own         yes
    reason why a bot does not play (its gate result)           no       its own         yes
    games of the gate, of former versions, played again        no       its own         yes
    seed of a game, the tournament's secret                    frozen   frozen          frozen
    machine that a game was played on                          no       no              yes
    names of others, on a ladder with pseudonyms               no       no              yes
    versions of others, and whether they wait, on such a one   no       no              yes
    places of others, on such a ladder                         no       its neighbours  yes
    pages of others, on such a ladder                          no       no              yes

Seeds do not depend on the audience: `TournamentStore` discloses none before it is frozen. `docs/tournament.md` has the
same table for users.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from noughts.matches.record import GameRecord
from noughts.sandbox.faults import GENERAL_TEXT, Fault
from noughts.tournaments._entries import Entry
from noughts.tournaments.store import TournamentStore

if TYPE_CHECKING:
    from noughts.tournaments.view import TournamentView

NEIGHBOURS = 2
"""Number of places above and below its own that a team sees if names are hidden."""
HIDDEN_WITH_NAMES: dict[str, object] = {
    "version": None,
    "state": "plays",
    "provisional": False,
    "games": None,
    "willing": False,
}
"""Facts of a leaderboard that would tell who has just uploaded, or changed a setting."""


@dataclass(frozen=True)
class Visibility:
    """The audience of an output: "public", "staff", or "team" with the team's name.

    aliases: names shown instead of hidden ones; see `within`.
    """

    audience: str
    team: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def words(self) -> str:
        """Returns for whom an output is, and what it contains, as a sentence without capital and full stop."""
        if self.audience == "staff":
            return "for staff only: it contains all prints, fault messages and marks"
        if self.team is None:
            return "for everyone: it contains no prints, no fault messages and no marks"
        return f"for {self.team} only: it contains this team's prints, fault messages and marks"

    def within(self, tournament: TournamentStore | TournamentView) -> Visibility:
        """Returns this audience's view of a tournament, which may hide names."""
        return self if self.audience == "staff" else replace(self, aliases=tournament.aliases)

    def name(self, name: str) -> str:
        """Returns a contestant's name for this audience."""
        return name if self.owns(name) else self.aliases.get(name, name)

    def sees_page(self, name: str) -> bool:
        """Returns whether this audience may open a contestant's page: that of a pseudonym would reveal its upload
        times.
        """
        return self.name(name) == name

    def board(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Returns the visible rows of a leaderboard, with visible names."""
        own = next((row["place"] for row in rows if row["team"] == self.team), None)
        return [
            {
                **row,
                "team": self.name(row["team"]),
                "alias": row["alias"] if self.owns(row["team"]) else None,
                "page": self.sees_page(row["team"]),
            }
            | ({} if self.sees_page(row["team"]) else HIDDEN_WITH_NAMES)
            for row in rows
            if self.sees_page(row["team"])
            or (own is not None and row["place"] is not None and abs(row["place"] - own) <= NEIGHBOURS)
        ]

    def owns(self, name: str) -> bool:
        """Returns whether everything about this contestant is visible."""
        return self.audience == "staff" or (self.team is not None and self.team == name)

    def sees_game(self, row: Mapping[str, Any]) -> bool:
        """Returns whether a game of `TournamentStore.game_rows` is visible at all."""
        return bool(row["counts"]) or self.owns(row["first"]) or self.owns(row["second"])

    def named(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a row of a game with the visible names. A hidden name hides the version, too: its number tells who
        has just uploaded.
        """
        named = dict(row)
        for seat in ("first", "second"):
            named[seat] = self.name(row[seat])
            if not self.sees_page(row[seat]):
                named[f"{seat}_version"] = None
        return named

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a row of `TournamentStore.game_rows` with hidden facts replaced, and without a replay."""
        visible = self.named(row) | {"replay": None}
        if row["fault"] is not None:
            name = row["second" if row["faulty"] else "first"]
            visible["fault"] = self.fault(Fault(row["reason"], row["fault"]), name).text
        if self.audience != "staff":
            visible |= {"machine": None, "speed": None}
        return visible

    def fault(self, fault: Fault, name: str) -> Fault:
        """Returns the text of a contestant's fault; for other contestants, only its kind."""
        return (
            fault
            if self.owns(name)
            else Fault(fault.kind, GENERAL_TEXT.get(fault.kind, "forfeit"), loading=fault.loading)
        )

    def game(self, record: GameRecord) -> GameRecord:
        """Returns the game without its hidden parts. `record.players` must be the contestants' names."""
        if self.audience == "staff":
            return record
        mine = [self.owns(name) for name in record.players]
        own = {seat for seat in (0, 1) if mine[seat]}
        fault = record.fault
        if fault is not None and record.faulty is not None:
            fault = self.fault(fault, record.players[record.faulty])
        return replace(
            record,
            players=(self.name(record.players[0]), self.name(record.players[1])),
            prints={ply: text for seat in own for ply, text in record.prints_of(seat).items()},
            warnings=[text if mine[seat] else None for seat, text in enumerate(record.warnings)],
            exchanges=[exchange for exchange in record.exchanges if exchange.player in own],
            fault=fault,
            machine=None,
            speed=0.0,
        )

    def gate_results(self, entries: Iterable[Entry]) -> list[Entry]:
        """Returns the entries whose latest file was refused for a visible reason."""
        return [entry for entry in entries if entry.reason and not entry.removed and self.owns(entry.name)]


BOTH_PLAYERS = "for both players: it contains the prints and fault messages of both"
"""`Visibility.words` of a whole match."""
PUBLIC, STAFF = Visibility("public"), Visibility("staff")


def team(name: str) -> Visibility:
    """Returns the visibility of a team."""
    return Visibility("team", name)
