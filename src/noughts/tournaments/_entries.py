"""Stores the entries of a tournament, and the versions of their bots."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from noughts.bots.gate import ALL, ITSELF, OPPONENTS, GateReport, is_admitted
from noughts.database import VALUE
from noughts.matches.schedule import Contestant
from noughts.matches.store_file import StoreError
from noughts.players.llm.settings import without_transport
from noughts.sandbox.source import BotSource
from noughts.untrusted import parse_json

if TYPE_CHECKING:
    from noughts.tournaments.store import TournamentStore

GATE = "gate"
"""Stage of the games at the gate."""
GATE_OPPONENTS = {f"_{name}": name for name in OPPONENTS if name != ITSELF}
"""The gate's opponents by their names in the file. Submissions cannot have these names."""

NEWEST_PASSED = (
    "(SELECT max(gate.version) FROM gate JOIN version ON version.id = gate.version "
    "WHERE gate.tournament = entry.tournament AND version.bot = entry.bot AND gate.reason = '')"
)
"""SQL: the newest version of an entry that passed the gate."""


_COUNTED_GAME = (
    "game JOIN fixture ON fixture.id = game.fixture WHERE void IS NULL AND stage NOT IN ('gate', 'friendly')"
)


@dataclass(frozen=True)
class Entry:
    """A contestant of a tournament. version: the number of the version that plays, or None. reason: why the latest
    file does not play. alias: its pseudonym, or None. willing: whether it plays friendly matches that other teams
    request. late: by how many minutes the version that plays or waits is late, as in `lateness`.
    """

    id: int
    name: str
    staff: bool
    version_id: int | None
    version: int | None
    candidate_id: int | None
    removed: bool
    reason: str
    alias: str | None = None
    willing: bool = False
    late: int | None = None

    @property
    def plays(self) -> bool:
        return self.version_id is not None and not self.removed

    @property
    def waits(self) -> bool:
        """Whether a version waits at the gate."""
        return self.candidate_id is not None and not self.removed


class Entered(NamedTuple):
    """The version that `Entries.enter` entered.

    version: its id. number: among the bot's versions, from 1. is_new: whether anything changed.
    """

    version: int
    number: int
    is_new: bool


_ENTRY_AND_VERSION = (
    "SELECT bot.id, entry.id, entry.version, candidate, removed, hidden, same.id, same.number, gate.reason "
    "FROM bot JOIN entry ON entry.bot = bot.id AND entry.tournament = ?1 "
    "LEFT JOIN version AS same ON same.bot = bot.id AND same.hash = ?3 "
    "LEFT JOIN gate ON gate.version = same.id AND gate.tournament = ?1 WHERE bot.name = ?2"
)
"""SQL: the entry with a name, the version with a hash if the bot has it, and its gate result."""


def version_hash(player: BotSource | str, model: str | None = None) -> str:
    """Returns the hash by which versions of a bot are compared. model: the hash of the player's learned file, if there
    is one.

    The same text under another file name is another version, since rules for names may refuse one of them.
    """
    facts: list[str | None] = (
        ["file", Path(player.path).name, player.wanted, player.text]
        if isinstance(player, BotSource)
        else ["player", "", None, without_transport(player)]
    )
    return hashlib.sha256(json.dumps([*facts, *filter(None, [model])]).encode()).hexdigest()


def named_entry(entries: Iterable[Entry], name: str) -> Entry:
    """Returns the entry with a name. Raises StoreError if there is none."""
    by_name = {entry.name: entry for entry in entries}
    if name not in by_name:
        are, known = "is" if len(by_name) <= 1 else "are", ", ".join(by_name) or "nobody"
        raise StoreError(f"there is no contestant {name!r} in this tournament; there {are} {known}")
    return by_name[name]


class Entries:
    """The entries of one tournament in a file."""

    def __init__(self, tournament: TournamentStore) -> None:
        self._store, self._file, self._tournament = tournament, tournament.file, tournament.id
        self._change = tournament.change

    def admits(self, reason: str) -> bool:
        """Returns whether a bot with this gate result plays."""
        return is_admitted(self._store.settings.admit, reason)

    def all(self) -> list[Entry]:
        """Returns all entries, in order of entry."""
        rows = self._file.rows(
            "SELECT entry.id, bot.name, staff, entry.version, version.number, candidate, removed, reason, alias, "
            "willing, late.minutes FROM entry JOIN bot ON bot.id = entry.bot "
            "LEFT JOIN version ON version.id = entry.version "
            "LEFT JOIN late ON late.version = coalesce(entry.version, candidate) "
            "AND late.tournament = entry.tournament "
            "WHERE entry.tournament = ? AND NOT hidden ORDER BY entry.id",
            self._tournament,
        )
        return [
            Entry(
                *(entry, name, bool(staff), playing, version, candidate),
                *(bool(removed), reason, alias, bool(willing), late),
            )
            for entry, name, staff, playing, version, candidate, removed, reason, alias, willing, late in rows
        ]

    def teams(self) -> list[Entry]:
        """Returns the entries of teams, without staff players, in order of entry."""
        return [entry for entry in self.all() if not entry.staff]

    def counts(self) -> tuple[int, int]:
        """Returns the numbers of teams and of staff players, without removed ones."""
        staff = [entry.staff for entry in self.all() if not entry.removed]
        return staff.count(False), staff.count(True)

    def known_names(self) -> list[str]:
        """Returns the names whose bots have played a game that counts in any tournament of the file, without those that
        were removed from this one. A bot that was only submitted does not keep its name from others.
        """
        return [
            name
            for (name,) in self._file.rows(
                "SELECT name FROM bot WHERE id IN (SELECT bot FROM version WHERE kind = 'file' AND ("
                f"EXISTS (SELECT 1 FROM {_COUNTED_GAME} AND first_version = version.id) "
                f"OR EXISTS (SELECT 1 FROM {_COUNTED_GAME} AND second_version = version.id))) "
                "AND NOT EXISTS (SELECT 1 FROM entry WHERE tournament = ? AND entry.bot = bot.id AND removed)",
                self._tournament,
            )
        ]

    def find(self, name: str) -> Entry:
        """Returns the entry with a name. Raises StoreError if there is none."""
        return named_entry(self.all(), name)

    def gate_opponents(self) -> dict[str, Entry]:
        """Returns the opponents at the gate, by the names of their players."""
        query = "SELECT entry.id, name, version FROM entry JOIN bot ON bot.id = bot WHERE tournament = ? AND hidden"
        rows = self._file.rows(query, self._tournament)
        return {
            GATE_OPPONENTS[name]: Entry(entry, name, True, version, 1, None, False, "") for entry, name, version in rows
        }

    def enter_gate_opponents(self) -> None:
        """Enters the missing opponents at the gate."""
        with self._file.change():
            for name, player in GATE_OPPONENTS.items():
                bot, digest = self._file.bot(name), version_hash(player)
                if not self._file.rows("SELECT 1 FROM version WHERE bot = ? AND hash = ?", bot, digest):
                    self._insert_version(bot, player, digest)
                self._file.do(
                    "INSERT OR IGNORE INTO entry (tournament, bot, staff, hidden, version) "
                    "SELECT ?, bot, 1, 1, id FROM version WHERE bot = ? AND hash = ?",
                    *(self._tournament, bot, digest),
                )

    def _insert_version(
        self, bot: int, player: BotSource | str, digest: str, report: GateReport | None = None
    ) -> tuple[int, int]:
        """Stores a new version of a bot. Returns its id and its number. Call it in a transaction."""
        kind, path, wanted, source = "player", "", None, player
        if isinstance(player, BotSource):
            kind, path, wanted, source = "file", player.path, player.wanted, player.text
        findings = None if report is None else json.dumps(report.findings())
        ((version, number),) = self._file.rows(
            "INSERT INTO version (bot, number, kind, path, wanted, source, hash, added, findings) VALUES "
            "(?1, (SELECT count(*) + 1 FROM version WHERE bot = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id, number",
            *(bot, kind, path, wanted, source, digest, self._file.now(), findings),
        )
        return version, number

    def enter(
        self,
        name: str,
        player: BotSource | str,
        *,
        staff: bool = False,
        model: str | None = None,
        late: Mapping[str, int | None] | None = None,
        report: GateReport | None = None,
    ) -> Entered:
        """Enters a contestant, or a new version of one.

        A bot file then waits at the gate. A removed contestant is readmitted. model: the hash of the player's learned
        file. late: minutes by name, as in `lateness`; what is known of other names stays. report: what the gate found
        by reading the file, if it is known.
        """
        digest = version_hash(player, model)
        with self._change():
            rows = self._file.rows(_ENTRY_AND_VERSION, self._tournament, name, digest)
            if not rows:
                self._file.do(
                    "INSERT INTO entry (tournament, bot, staff) VALUES (?, ?, ?)",
                    *(self._tournament, self._file.bot(name), staff),
                )
                rows = self._file.rows(_ENTRY_AND_VERSION, self._tournament, name, digest)
            ((bot, entry, playing, candidate, removed, hidden, version, number, failed),) = rows
            if hidden:
                raise StoreError(f"{name!r} is the name of an opponent in the check; choose another name")
            if version is None:
                version, number = self._insert_version(bot, player, digest, report)
            elif isinstance(player, str):  # the address of a model's server may have changed
                self._file.do("UPDATE version SET source = ? WHERE id = ?", player, version)
            elif report is not None:
                self._file.do("UPDATE version SET findings = ? WHERE id = ?", json.dumps(report.findings()), version)
            is_new = version != (playing if candidate is None else candidate)
            change = "removed = 0"
            values: list[object] = []
            if is_new and failed and not self.admits(failed):
                change, values, is_new = "removed = 0, candidate = NULL, reason = ?", [failed], False
            elif is_new:
                column = "candidate" if isinstance(player, BotSource) and version != playing else "version"
                change, values = f"removed = 0, candidate = NULL, {column} = ?, reason = ''", [version]
            self._file.do(f"UPDATE entry SET {change} WHERE id = ?", *values, entry)
            if late is not None and name in late:
                self._file.do("DELETE FROM late WHERE tournament = ? AND version = ?", self._tournament, version)
                if (minutes := late[name]) is not None:
                    self._file.do("INSERT INTO late VALUES (?, ?, ?)", self._tournament, version, minutes)
        return Entered(version, number, is_new or bool(removed))

    def enter_team(self, name: str) -> None:
        """Enters a team that has no bot yet."""
        with self._change():
            bot = self._file.bot(name)
            self._file.do("INSERT OR IGNORE INTO entry (tournament, bot) VALUES (?, ?)", self._tournament, bot)

    def enter_versions(self, tournament: int, *, checked: bool) -> list[str]:
        """Enters the current versions of all teams of another tournament in the file. Returns the teams' names.

        checked: whether the other gate was the same, so that they need no check.
        """
        with self._change():
            teams = "FROM entry WHERE tournament = ? AND version IS NOT NULL AND NOT (staff OR removed OR hidden)"
            self._file.do(
                f"INSERT INTO entry (tournament, bot, candidate) SELECT ?, bot, version {teams} ORDER BY id",
                *(self._tournament, tournament),
            )
            if checked:
                self._file.do(
                    f"INSERT INTO gate (tournament, version, reason, decided) SELECT ?, version, '', ? {teams}",
                    *(self._tournament, self._file.now(), tournament),
                )
        return [entry.name for entry in self.teams()]

    def refuse(self, name: str, reason: str) -> None:
        """Stores the reason why a submission contains no bot. An earlier version keeps playing."""
        with self._change():
            self._file.do(
                "INSERT INTO entry (tournament, bot, reason) VALUES (?, ?, ?) "
                "ON CONFLICT (tournament, bot) DO UPDATE SET reason = excluded.reason, candidate = NULL",
                *(self._tournament, self._file.bot(name), reason),
            )

    def findings(self, version: int) -> GateReport:
        """Returns what the gate found by reading a version, as a report without games."""
        ((text,),) = self._file.rows("SELECT findings FROM version WHERE id = ?", version)
        try:
            return GateReport() if text is None else GateReport.of_findings(parse_json(text, VALUE))
        except ValueError:
            raise StoreError(f"the check of a version in {self._file.path} is damaged; use another copy") from None

    def record_gate_result(self, entry: Entry, reason: str, report: str | None = None, *, checked: bool = True) -> None:
        """Stores the gate's result for the candidate of an entry, which then plays if admitted.

        report: the whole check, for the team. checked: whether the candidate played the gate's games; if not, the
        result only counts while all are admitted. Does nothing if the entry has another candidate by now.
        """
        admitted = self.admits(reason)
        with self._change():
            if checked:
                self._file.do(
                    "INSERT OR REPLACE INTO gate (tournament, version, reason, decided, report) VALUES (?, ?, ?, ?, ?)",
                    *(self._tournament, entry.candidate_id, reason, self._file.now(), report),
                )
            self._file.do(
                "UPDATE entry SET version = CASE WHEN ?1 THEN candidate ELSE version END, candidate = NULL, "
                "reason = CASE WHEN ?2 = '' THEN reason ELSE ?2 END WHERE id = ?3 AND candidate = ?4",
                *(admitted, reason, entry.id, entry.candidate_id),
            )

    def recall_unadmitted(self) -> None:
        """Sends bots back to the gate that play only because the tournament admitted more bots than it does now."""
        results = self._file.rows(
            "SELECT entry.id, gate.reason FROM entry JOIN version ON version.id = entry.version "
            "LEFT JOIN gate ON gate.version = entry.version AND gate.tournament = entry.tournament "
            "WHERE entry.tournament = ? AND kind = 'file' AND candidate IS NULL",
            self._tournament,
        )
        recalled = [
            entry
            for entry, reason in results
            if not (self._store.settings.admit == ALL if reason is None else self.admits(reason))
        ]
        if recalled:
            with self._change():
                for entry in recalled:
                    self._file.do(
                        f"UPDATE entry SET candidate = version, version = {NEWEST_PASSED}, reason = '' WHERE id = ?",
                        entry,
                    )

    def wait_again(self, entry: Entry) -> None:
        """Lets the newest version that was replaced at the gate by one that failed wait there again, unless another one
        waits or a newer one plays. The reason why the latest version does not play stays.
        """
        with self._change():
            self._file.do(
                "UPDATE entry SET candidate = (SELECT max(id) FROM version WHERE version.bot = entry.bot "
                "AND kind = 'file' AND version.id > coalesce(entry.version, 0) AND NOT EXISTS (SELECT 1 FROM gate "
                "WHERE gate.tournament = entry.tournament AND gate.version = version.id)) "
                "WHERE id = ? AND candidate IS NULL",
                entry.id,
            )

    def gate_result(self, version: int) -> str | None:
        """Returns why a version failed at the gate; '' if it passed, None if it was not checked."""
        query = "SELECT reason FROM gate WHERE tournament = ? AND version = ?"
        rows = self._file.rows(query, self._tournament, version)
        return str(rows[0][0]) if rows else None

    def remove(self, name: str, reason: str = "") -> None:
        """Removes a contestant; its games no longer count. reason: shown to the team."""
        entry = self.find(name)
        with self._change():
            self._file.do(
                "UPDATE entry SET removed = 1, reason = CASE WHEN ?1 = '' THEN reason ELSE ?1 END WHERE id = ?2",
                *(reason, entry.id),
            )

    def readmit(self, name: str) -> None:
        """Readmits a removed contestant."""
        entry = self.find(name)
        with self._change():
            self._file.do("UPDATE entry SET removed = 0, reason = '' WHERE id = ? AND removed", entry.id)

    def suspend_version(self, entry: Entry, reason: str) -> None:
        """Suspends the version that plays for an entry. The newest other version that passed the gate then plays, if
        there is one.
        """
        with self._change():
            self._file.do(
                "UPDATE gate SET reason = ? WHERE tournament = ? AND version = ?",
                *(reason, self._tournament, entry.version_id),
            )
            self._file.do(
                f"UPDATE entry SET reason = ?, version = {NEWEST_PASSED} WHERE id = ? AND version = ?",
                *(reason, entry.id, entry.version_id),
            )

    def set_willing(self, name: str, willing: bool) -> None:
        """Sets whether a contestant plays friendly matches that other teams request."""
        entry = self.find(name)
        with self._change():
            self._file.do("UPDATE entry SET willing = ? WHERE id = ?", willing, entry.id)

    def contestants(self) -> dict[int, Contestant]:
        """Returns all versions that may have to play, by id."""
        rows = self._file.rows(
            "SELECT version.id, bot.name, kind, path, wanted, source FROM entry JOIN bot ON bot.id = entry.bot "
            "JOIN version ON version.id IN (entry.version, entry.candidate) "
            "WHERE tournament = ? AND NOT removed ORDER BY version.id",
            self._tournament,
        )
        return {
            number: Contestant(name, BotSource(path, wanted, source) if kind == "file" else source)
            for number, name, kind, path, wanted, source in rows
        }

    def check_again(self, name: str) -> None:
        """Sends the latest version that failed at the gate back to it. Earlier versions keep their results. Raises
        StoreError if there is no such contestant.
        """
        entry = self.find(name)
        with self._change():
            [(latest,)] = self._file.rows(
                "SELECT max(gate.version) FROM gate JOIN version ON version.id = gate.version "
                "JOIN entry ON entry.bot = version.bot "
                "WHERE entry.id = ? AND gate.reason <> '' AND gate.tournament = ?",
                *(entry.id, self._tournament),
            )
            self._file.do(
                "UPDATE game SET void = 'to be checked again' WHERE void IS NULL "
                "AND ? IN (first_version, second_version) AND fixture IN "
                "(SELECT id FROM fixture WHERE stage = 'gate' AND tournament = ?)",
                *(latest, self._tournament),
            )
            self._file.do("UPDATE entry SET candidate = ?, reason = '' WHERE id = ? AND reason <> ''", latest, entry.id)
            self._file.do("DELETE FROM gate WHERE version = ? AND tournament = ?", latest, self._tournament)

    def source(self, name: str, version: int) -> str:
        """Returns the text of a version."""
        query = "SELECT source FROM version JOIN bot ON bot.id = version.bot WHERE bot.name = ? AND version.number = ?"
        return str(self._file.rows(query, name, version)[0][0])
