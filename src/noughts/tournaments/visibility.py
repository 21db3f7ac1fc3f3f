"""Who sees what of a tournament. Every output asks here; nothing else decides.

    fact                                                       public   team NAME       staff
    results, moves, seconds of each move, reviews of games     yes      yes             yes
    kind of a fault (time, crash, ...), in general words       yes      yes             yes
    text, line and traceback of a fault                        no       its own         yes
    prints, warnings, exchanges with a model                   no       its own         yes
    source lines                                               no       its own         yes
    patterns and positions of a team's play, marks             no       its own         yes
    reason why a bot does not play (its gate result)           no       its own         yes
    games of the gate, of former versions, played again        no       its own         yes
    seed of a game, the tournament's secret                    frozen   frozen          frozen
    machine that a game was played on                          no       no              yes

Seeds do not depend on the audience: `TournamentStore` discloses none before it is frozen. `docs/tournament.md` has the
same table for users.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from noughts.matches.record import GameRecord
from noughts.sandbox.faults import GENERAL_TEXT, Fault
from noughts.tournaments._entries import Entry


@dataclass(frozen=True)
class Visibility:
    """The audience of an output: "public", "staff", or "team" with the team's name."""

    audience: str
    team: str | None = None

    def owns(self, name: str) -> bool:
        """Returns whether everything about this contestant is visible."""
        return self.audience == "staff" or (self.team is not None and self.team == name)

    def sees_game(self, row: Mapping[str, Any]) -> bool:
        """Returns whether a game of `TournamentStore.game_rows` is visible at all."""
        return bool(row["counts"]) or self.owns(row["first"]) or self.owns(row["second"])

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a row of `TournamentStore.game_rows` with the hidden facts replaced. It has no replay."""
        shown = {**row, "replay": None}
        if row["fault"] is not None:
            name = row["second" if row["faulty"] else "first"]
            shown["fault"] = self.fault(Fault(row["reason"], row["fault"]), name).text
        if self.audience != "staff":
            shown |= {"machine": None, "speed": None}
        return shown

    def fault(self, fault: Fault, name: str) -> Fault:
        """Returns the fault of this contestant; for others only its kind, in general words."""
        return (
            fault
            if self.owns(name)
            else Fault(fault.kind, GENERAL_TEXT.get(fault.kind, "forfeit"), loading=fault.loading)
        )

    def game(self, record: GameRecord) -> GameRecord:
        """Returns the game without what is hidden. `record.players` must be the contestants' names."""
        if self.audience == "staff":
            return record
        mine = [self.owns(name) for name in record.players]
        own = {seat for seat in (0, 1) if mine[seat]}
        fault = record.fault
        if fault is not None and record.faulty is not None:
            fault = self.fault(fault, record.players[record.faulty])
        return replace(
            record,
            prints={ply: text for seat in own for ply, text in record.prints_of(seat).items()},
            warnings=[text if mine[seat] else None for seat, text in enumerate(record.warnings)],
            exchanges=[exchange for exchange in record.exchanges if exchange.player in own],
            fault=fault,
            machine=None,
            speed=0.0,
        )

    def gate_results(self, entries: Iterable[Entry]) -> list[Entry]:
        """Returns the entries whose latest file does not play and whose reason is visible."""
        return [entry for entry in entries if entry.reason and not entry.removed and self.owns(entry.name)]


PUBLIC, STAFF = Visibility("public"), Visibility("staff")


def team(name: str) -> Visibility:
    """Returns what one team sees."""
    return Visibility("team", name)
