"""Stores the games of a run as they end, so that an interrupted run can continue.

    open_store()                       in memory
    open_store("games")                a folder: the games as replays and logs, beside the file `games.noughts`
    open_store("run/transcript.jsonl") lines of JSON that grow during the run, beside `transcript.noughts`
    open_store("run.noughts")          that file alone

The file is a SQLite database (`store_file`) like a tournament's, and is authoritative. Replays, logs and lines of JSON
are exports (`exports`): missing or incomplete ones are written again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import RLock

from noughts.database import VALUE
from noughts.files import make_folder
from noughts.matches.exports import (
    TRANSCRIPT,
    Export,
    Line,
    PlanDiffers,
    Replays,
    Transcript,
    check_plan,
    is_transcript,
    places_of,
    read_lines,
)
from noughts.matches.machine import Machine
from noughts.matches.record import GameRecord
from noughts.matches.replays import exchange_from, from_data, to_data
from noughts.matches.store_file import StoreError, StoreFile, is_store, now
from noughts.players.text_seat import Exchange
from noughts.printable import one_line
from noughts.rules.spec import short_repr
from noughts.untrusted import MALFORMED, parse_json

SUFFIX = ".noughts"
"""Suffix of files with games: runs and tournaments."""
GAMES_FILE = f"games{SUFFIX}"
"""The file of a run, in a folder of replays."""
STAGE = "match"
"""The stage of a run's games; tournaments have other stages."""

Plan = Mapping[str, object]


@dataclass
class _Reply:
    """An exchange, its row in the file, and whether the game in progress already has it."""

    exchange: Exchange
    row: int = 0
    is_used: bool = False


class Store:
    """Finished games by number, and the replies of models in them and in unfinished ones.

    file: stores everything too; a game is written to the system when `add` returns, a reply when `note` does. run: the
    id of the run there. path: the user's name for the store, None in memory. Thread-safe.
    """

    def __init__(self, file: StoreFile | None = None, run: int = 0) -> None:
        self._file, self._run = file, run
        self._export = Export()
        self.path: Path | None = None if file is None else file.path
        self._records: dict[int, GameRecord] = {}
        self._replies: dict[int, list[_Reply]] = {}
        self._lock = RLock()
        self.plan: Plan = {}

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the store; everything is on disk when this returns."""
        self._export.close()
        if self._file is not None:
            self._file.close()

    # Games.

    def add(self, record: GameRecord) -> None:
        """Adds a finished game."""
        with self._lock:
            replies = self._replies.get(record.number, [])
            places = places_of(record, [reply.exchange for reply in replies])
            if self._file is not None:
                with self._file.change():
                    entries, versions = zip(*map(self._entry, record.players), strict=True)
                    place = (STAGE, 1, record.number + 1)
                    replay = json.dumps(to_data(record, exchanges=False), separators=(",", ":"))
                    self._insert(record, record.number + 1, entries, versions, place, 0, replay)
                    for number, used in enumerate(places):
                        self._file.do("UPDATE exchange SET place = ? WHERE id = ?", number, replies[used].row)
            self._records[record.number] = record
            self._export.add(record, places)

    def records(self) -> list[GameRecord]:
        """Returns the finished games in the order of their numbers."""
        return [self._records[number] for number in sorted(self._records)]

    def __contains__(self, number: int) -> bool:
        return number in self._records

    # Replies of models are stored before their games end, since they may have cost money.

    def note(self, number: int, exchange: Exchange) -> None:
        """Adds an exchange of a game in progress."""
        with self._lock:
            row = 0
            if self._file is not None:
                data = json.dumps(asdict(exchange), separators=(",", ":"))
                with self._file.change():
                    insert = "INSERT INTO exchange (tournament, game, data) VALUES (?, ?, ?)"
                    row = self._file.insert(insert, self._run, number, data)
            self._replies.setdefault(number, []).append(_Reply(exchange, row, is_used=True))
            self._export.note(number, exchange)

    def recall(self, number: int, player: int, observation: str) -> Exchange | None:
        """Returns the reply to the same question from an earlier attempt at the game; each reply once."""
        with self._lock:
            for reply in self._replies.get(number, []):
                asked = reply.exchange
                if not reply.is_used and asked.player == player and asked.messages[-1]["content"] == observation:
                    reply.is_used = True
                    return asked
        return None

    def exchanges(self) -> dict[int, list[Exchange]]:
        """Returns all exchanges so far by the number of their game, in order."""
        with self._lock:
            return {number: [each.exchange for each in replies] for number, replies in self._replies.items()}

    def exchanges_of(self, number: int) -> list[Exchange]:
        with self._lock:
            return [each.exchange for each in self._replies.get(number, [])]

    # The file.

    def _insert(
        self,
        record: GameRecord,
        number: int,
        entries: Iterable[int],
        versions: Iterable[int],
        place: tuple[str, int, int],
        seed: int,
        replay: str,
    ) -> None:
        """Writes a game, within `change`. number: as people count. place: stage, pool and round."""
        assert self._file is not None
        self._file.do(
            "INSERT OR IGNORE INTO fixture (id, tournament, first, second, stage, pool, round) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(number, self._run, *entries, *place),
        )
        self._file.do(
            "INSERT INTO game (fixture, first_version, second_version, finished, seed, winner, reason, "
            "first_points, second_points, faulty, fault, plies, first_seconds, second_seconds, first_used, "
            "second_used, machine, speed, replay) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(
                number,
                *versions,
                self._file.now(),
                seed,
                record.winner,
                record.reason,
                *record.points,
                record.faulty,
                None if record.fault is None else record.fault.text,
                len(record.moves),
                *(sum(record.seconds_of(seat)) for seat in (0, 1)),
                *record.used,
                None if record.machine is None else self._machine(record.machine),
                record.speed,
                replay,
            ),
        )

    def _entry(self, name: str) -> tuple[int, int]:
        """Returns the entry and the version of a player of a run, within `change`. Runs know only names."""
        assert self._file is not None
        name = name.encode(errors="backslashreplace").decode()  # from a file whose name is not valid text
        known = self._file.rows(
            "SELECT entry.id, entry.version FROM entry JOIN bot ON bot.id = bot WHERE tournament = ? AND name = ?",
            *(self._run, name),
        )
        if known:
            return known[0][0], known[0][1]
        bot = self._file.bot(name)
        version = self._file.insert(
            "INSERT INTO version (bot, number, kind, path, source, hash, added) VALUES (?, ?, 'player', '', ?, ?, ?)",
            *(bot, self._run, name, hashlib.sha256(f"{self._run} {name}".encode()).hexdigest(), now()),
        )
        insert = "INSERT INTO entry (tournament, bot, version) VALUES (?, ?, ?)"
        return self._file.insert(insert, self._run, bot, version), version

    def _machine(self, machine: Machine) -> int:
        assert self._file is not None
        key = (machine.name, machine.processor, machine.cores)
        self._file.do("INSERT OR IGNORE INTO machine (name, processor, cores) VALUES (?, ?, ?)", *key)
        query = "SELECT id FROM machine WHERE name = ? AND processor = ? AND cores = ?"
        return int(self._file.rows(query, *key)[0][0])

    @property
    def _lines(self) -> int:
        """Returns the number of lines of the store's transcript."""
        return 1 + len(self._records) + sum(map(len, self._replies.values()))

    def _merge(self, former: Store) -> None:
        """Adds the games and replies of another store of the same run that this one lacks, in one change."""
        assert self._file is not None
        with self._file.change():
            for number, noted in former.exchanges().items():
                for exchange in noted[len(self._replies.get(number, ())) :]:
                    self.note(number, exchange)
            for record in former.records():
                if record.number not in self:
                    places = places_of(record, former.exchanges_of(record.number))
                    record.exchanges = [self._replies[record.number][place].exchange for place in places]
                    self.add(record)

    def _loaded(self) -> Store:
        """Reads the games and replies of the run, from an untrusted file; returns the store."""
        assert self._file is not None
        try:
            used: dict[int, list[tuple[int, Exchange]]] = {}
            for row, number, place, data in self._file.rows(
                "SELECT id, game, place, data FROM exchange WHERE tournament = ? ORDER BY id", self._run
            ):
                exchange = exchange_from(parse_json(data, VALUE))
                self._replies.setdefault(number, []).append(_Reply(exchange, row, is_used=place is not None))
                if place is not None:
                    used.setdefault(number, []).append((place, exchange))
            for number, replay in self._file.rows(
                "SELECT fixture.id - 1, replay FROM game JOIN fixture ON fixture.id = fixture WHERE tournament = ? "
                "AND void IS NULL ORDER BY game.id",
                self._run,
            ):
                record = from_data(parse_json(replay, VALUE))
                if record.number != number:
                    raise ValueError(f"game {number} has the number {record.number}")
                if number in used:
                    record.exchanges = [exchange for _, exchange in sorted(used[number], key=lambda each: each[0])]
                self._records[number] = record
        except MALFORMED as error:
            if isinstance(error, StoreError):
                raise
            why = f" ({error})" if isinstance(error, ValueError) else ""
            raise StoreError(f"{self._file.path} contains a damaged game{why}; use another copy of the file") from None
        return self


def open_store(
    path: str | Path | None = None, plan: Plan | None = None, *, may_differ: frozenset[str] = frozenset()
) -> Store:
    """Returns a store for the games of a run: a folder or a file, as listed at the head of this module, or in memory.

    plan: everything that the games depend on. Raises PlanDiffers if the store contains a run with another one;
    `may_differ` names facts that may differ. Afterwards `Store.plan` is the store's plan. Only one process at a time
    may open it.
    """
    if path is None:
        return Store()
    path, plan = Path(path), None if plan is None else json.loads(json.dumps(plan))
    if path.suffix == ".jsonl":
        return _open(path.with_suffix(SUFFIX), plan, may_differ, Transcript(path), path)
    if path.suffix == SUFFIX:
        return _open(path, plan, may_differ, Export(), path)
    make_folder(path)
    return _open(path / GAMES_FILE, plan, may_differ, Replays(path), path)


def _open(path: Path, plan: Plan | None, may_differ: frozenset[str], export: Export, asked: Path) -> Store:
    """path: of the file. asked: the user's name for the store."""
    former = None if path.exists() else _former(export, None, 0)
    if former is not None and plan is not None:
        check_plan(asked, former.plan, plan, may_differ)
    file = StoreFile(path, write=True, durable=False)
    try:
        run, kept = _run_in(file)
        if run is None and file.rows("SELECT 1 FROM tournament LIMIT 1"):
            raise StoreError(f"{path} contains a tournament, which cannot be mixed with other games; name another file")
        if run is None:
            former = former or _former(export, None, 0)  # in case a process ended before importing them
            kept = plan or {} if former is None else former.plan
            with file.change():
                run = _insert_run(file, kept)
        if plan is not None:
            check_plan(asked, kept, plan, may_differ)
        store = Store(file, run)._loaded()
        if former is None:
            former = _former(export, kept, store._lines)
        if former is not None:
            store._merge(former)
            store = Store(file, run)._loaded()
        store.plan, store.path, store._export = kept, asked, export
        export.begin(kept, list(store._records.values()), store.exchanges())
    except BaseException:
        file.close()
        raise
    return store


def _former(export: Export, plan: Plan | None, lines: int) -> Store | None:
    found = export.former(plan, lines)
    return None if found is None else _from_lines(found)


def _from_lines(lines: Iterable[Line]) -> Store:
    """Returns a store in memory with the contents of a transcript."""
    store = Store()
    for kind, found in lines:
        if kind == "run":
            store.plan = found
        elif kind == "exchange":
            store.note(*found)
        else:
            record, places = found
            noted = store.exchanges_of(record.number)
            record.exchanges = [noted[place] for place in places if place < len(noted)]
            store.add(record)
    return store


def _run_in(file: StoreFile) -> tuple[int | None, Plan]:
    """Returns the id and the plan of the run in a file; None if there is none."""
    for run, text in file.rows("SELECT id, plan FROM tournament WHERE plan IS NOT NULL ORDER BY id LIMIT 1"):
        try:
            plan = parse_json(text, VALUE)
        except ValueError:
            plan = None
        if not isinstance(plan, dict):
            raise StoreError(f"the plan in {file.path} is damaged; use another copy of the file")
        return run, plan
    return None, {}


def _insert_run(file: StoreFile, plan: Plan) -> int:
    rules, seconds = plan.get("rules"), plan.get("move_seconds")
    return file.insert(
        "INSERT INTO tournament (name, created, game, rules, settings, secret, plan) VALUES (?, ?, ?, ?, ?, '0', ?)",
        *("run", now(), str(plan.get("game", "")), None if rules is None else json.dumps(rules)),
        *(json.dumps({} if seconds is None else {"seconds": seconds}), json.dumps(plan)),
    )


def open_folder(
    folder: Path, plan: Plan, kind: str, *, fresh: bool = False, may_differ: frozenset[str] = frozenset()
) -> Store:
    """Returns the store of a run in its own folder, creating it if needed. Raises ValueError if the folder has another
    run.

    kind: name of such runs in messages. fresh: renames an existing run instead of continuing it.
    """
    if fresh:
        _set_aside(folder)
    make_folder(folder)
    try:
        return open_store(folder / TRANSCRIPT, plan, may_differ=may_differ)
    except PlanDiffers as error:
        raise ValueError(
            f"{folder} contains {kind} with {one_line(error.name)} {short_repr(error.stored)}, not "
            f"{short_repr(error.planned)}; name another folder with --out, or pass --fresh to move the existing "
            "folder aside"
        ) from None


def _set_aside(folder: Path) -> None:
    """Renames the folder of a run, so that it can start again without deleting anything."""
    if not run_file(folder).exists():
        return
    number = 1
    while (aside := folder.with_name(f"{folder.name}.old{number}")).exists():
        number += 1
    folder.rename(aside)


def run_file(path: Path) -> Path:
    """Returns the file of a run, given by its folder or file: a store, or a lone transcript."""
    if not path.is_dir():
        return path
    places = (path / TRANSCRIPT).with_suffix(SUFFIX), path / GAMES_FILE
    return next((place for place in places if place.exists()), path / TRANSCRIPT)


def is_run(path: Path) -> bool:
    """Returns whether a file is a store or a transcript."""
    return is_transcript(path) or is_store(path)


def read_run(path: str | Path) -> Store:
    """Returns the plan, the finished games and the exchanges of a run, which may be in progress, as a store in memory.

    path: its transcript, the file of its store, or that of a tournament, whose latest games are read.
    """
    path = Path(path)
    if not is_store(path):
        return _from_lines(read_lines(path))
    with StoreFile(path) as file:
        run, plan = _run_in(file)
        if run is None:
            ((run,),) = file.rows("SELECT coalesce(max(id), 0) FROM tournament")
        store = Store(file, run)._loaded()
    store.plan, store._file = plan, None
    return store
