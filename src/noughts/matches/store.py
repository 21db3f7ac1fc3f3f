"""Where the games of a run go as they end: into memory, a folder of replays, or a file that the run can go on from.

The file holds one JSON object a line, added as things happen, never changed:

    {"kind": "run", "version": 2, "plan": {...}}
    {"kind": "exchange", "game": 3, "ply": 2, "player": 0, "messages": [...], "reply": "I take [X 4]", ...}
    {"kind": "game", "exchanges": [0, 1], "replay": {...}}

The plan is everything that the games depend on. Exchanges are with players who read text (`record.Exchange`); they are
written when the reply comes, before its game is over, since they may have been paid for. A game is a replay as in
`record`, its exchanges by their place among the lines of kind "exchange" of that game.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Protocol

from noughts.errors import NoughtsError
from noughts.files import BusyError, FileLock, make_folder, open_our_file, slug, write_whole
from noughts.matches.course_log import course_log
from noughts.matches.record import GameRecord
from noughts.matches.replays import ReplayError, exchange_from, from_data, to_data, to_json
from noughts.players.text_seat import Exchange
from noughts.printable import one_line
from noughts.rules.spec import shown
from noughts.untrusted import FileKind, parse_json

RUN_FILE = "transcript.jsonl"
"""The file of a run, in its folder."""
VERSION = 2
"""Version of the file of a run."""
TAIL_BYTES = 1 << 20
LINE = FileKind("a line of a run", 64 << 20, nodes=1 << 18)
LONGEST_FILE_NAME = 200
"""Bytes; file systems take 255."""

Plan = Mapping[str, object]


class Store(Protocol):
    """Finished games, by number."""

    def add(self, record: GameRecord) -> None: ...
    def records(self) -> list[GameRecord]:
        """All of them, in the order of their numbers."""
        ...

    def __contains__(self, number: int) -> bool: ...


class MemoryStore:
    """Games that are not kept."""

    def __init__(self) -> None:
        self._records: dict[int, GameRecord] = {}

    def add(self, record: GameRecord) -> None:
        self._records[record.number] = record

    def records(self) -> list[GameRecord]:
        return [self._records[number] for number in sorted(self._records)]

    def __contains__(self, number: int) -> bool:
        return number in self._records


class ReplayFolder(MemoryStore):
    """A new folder of games, each as a replay and as text; ValueError if it holds games already."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        make_folder(folder)
        if any(folder.glob("game-*.json")):
            raise ValueError(f"{folder} already holds games, which would be mixed with new ones; name another folder")
        self._folder = folder

    def add(self, record: GameRecord) -> None:
        super().add(record)
        path = self.path_of(record)
        write_whole(path, to_json(record).encode())
        write_whole(
            path.with_name(path.name.removesuffix(".json") + ".log"), course_log(record).encode(errors="replace")
        )

    def path_of(self, record: GameRecord) -> Path:
        """Where the replay of a game is."""
        first, second = record.players
        name = slug(f"game-{record.number + 1:04}-{first}-{second}", LONGEST_FILE_NAME)
        return self._folder / f"{name}.json"


def open_store(path: str | Path | None = None) -> MemoryStore:
    """Returns a store for the games of a match: a folder of replays that is made if it is missing, or only memory."""
    return MemoryStore() if path is None else ReplayFolder(Path(path))


@dataclass(frozen=True)
class _Line:
    """A line of the file, read and checked. game: the number of the game that an exchange is of."""

    plan: Plan | None = None
    game: int = 0
    exchange: Exchange | None = None
    record: GameRecord | None = None
    places: tuple[int, ...] = ()


class _RunGames(MemoryStore):
    """The games in the file of a run, and the exchanges of those that are not over."""

    def __init__(self) -> None:
        super().__init__()
        self._exchanges: dict[int, list[Exchange]] = {}

    def exchanges(self) -> dict[int, list[Exchange]]:
        """All exchanges so far, by the number of their game, as they were noted."""
        return {number: list(noted) for number, noted in self._exchanges.items()}

    def exchanges_of(self, number: int) -> list[Exchange]:
        return list(self._exchanges.get(number, []))

    def take(self, line: _Line) -> None:
        if line.exchange is not None:
            self._exchanges.setdefault(line.game, []).append(line.exchange)
        elif line.record is not None:
            noted = self._exchanges.get(line.record.number, [])
            line.record.exchanges = [noted[place] for place in line.places if place < len(noted)]
            MemoryStore.add(self, line.record)


class RunFile(_RunGames):
    """The file of a run, open for more. Only one process at a time may hold it; threads may share it.

    plan: ValueError if the file is of another one. `may_differ` names what need not be equal. Afterwards `plan` is that
    of the file.
    """

    def __init__(self, path: Path, plan: Plan, *, may_differ: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.path: Path = path
        self.plan: Plan = plan
        self._recalled: set[int] = set()
        self._holding: FileLock | None = None
        self._lock = Lock()
        self._file = open(open_our_file(path, os.O_RDWR | os.O_CREAT | os.O_APPEND), "a+b", buffering=0)  # noqa: SIM115
        try:
            if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):  # a device may have no end
                raise ValueError(f"{path} is no ordinary file; name another one")
            self._holding = FileLock(
                path, BusyError(f"another process is writing {path}; wait for it, or name another file")
            )
            self._mend()
            lines = read_lines(path)
            first = next(lines, None)
            if first is None:
                self._write({"kind": "run", "version": VERSION, "plan": plan})
            else:
                _check_plan(path, first, plan, may_differ)
                self.plan = _plan_of(path, first)
                for line in lines:
                    self.take(line)
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> RunFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """What was written is on the disk when this returns."""
        try:
            os.fsync(self._file.fileno())
        finally:
            self._release()

    def _release(self) -> None:
        self._file.close()
        if self._holding is not None:
            self._holding.release()
            self._holding = None

    def add(self, record: GameRecord) -> None:
        """Add a game; it is in the hands of the system when this returns."""
        with self._lock:
            noted = self._exchanges.get(record.number, [])
            places = [next(i for i, each in enumerate(noted) if each is used) for used in record.exchanges]
            self._write({"kind": "game", "exchanges": places, "replay": to_data(record, exchanges=False)})
            super().add(record)

    def note(self, number: int, exchange: Exchange) -> None:
        """Add an exchange of a game that is being played."""
        with self._lock:
            self._write({"kind": "exchange", "game": number, **asdict(exchange)})
            self._exchanges.setdefault(number, []).append(exchange)
            self._recalled.add(id(exchange))

    def exchanges(self) -> dict[int, list[Exchange]]:
        with self._lock:
            return super().exchanges()

    def recall(self, number: int, player: int, observation: str) -> Exchange | None:
        """What was replied to the same question when the game was begun before; each reply is given once."""
        with self._lock:
            for exchange in self._exchanges.get(number, []):
                asked = exchange.player == player and exchange.messages[-1]["content"] == observation
                if asked and id(exchange) not in self._recalled:
                    self._recalled.add(id(exchange))
                    return exchange
        return None

    def _write(self, line: Mapping[str, Any]) -> None:
        try:
            data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:  # lone surrogates, which JSON can escape and UTF-8 cannot hold
            data = json.dumps(line, separators=(",", ":")).encode()
        size, data = self._file.seek(0, os.SEEK_END), data + b"\n"
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError:
            # A full disk: what was written of the line goes, so that the file can be read and written to again.
            os.ftruncate(self._file.fileno(), size)
            raise

    def _mend(self) -> None:
        """Cut off a last line that was not written to its end."""
        size = start = self._file.seek(0, os.SEEK_END)
        while start > 0:
            start = max(0, start - TAIL_BYTES)
            self._file.seek(start)
            found = self._file.read(TAIL_BYTES).rfind(b"\n")
            if found >= 0:
                start += found + 1
                break
        if start < size:
            self._file.seek(start)
            half = self._file.read(len(_HEAD))
            if half != _HEAD[: len(half)]:
                raise ValueError(f"{self.path} does not end with a line of a run; name another file")
            self._file.truncate(start)


_HEAD = b'{"kind":"'
_RUN = b'{"kind":"run",'


def set_aside(folder: Path) -> None:
    """Give the folder of a run another name, so that the run can begin anew and nothing is deleted."""
    if not (folder / RUN_FILE).exists():
        return
    number = 1
    while (aside := folder.with_name(f"{folder.name}.old{number}")).exists():
        number += 1
    folder.rename(aside)


def is_run(path: Path) -> bool:
    """Whether a file is that of a run."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(_RUN)) == _RUN


def read_run(path: Path) -> tuple[Plan, list[GameRecord]]:
    """The plan and the finished games of the file of a run, which may still be written to."""
    plan, games = _read(path)
    return plan, games.records()


def read_exchanges(path: Path) -> tuple[Plan, dict[int, list[Exchange]]]:
    """The plan and all exchanges of the file of a run, by the number of their game."""
    plan, games = _read(path)
    return plan, games.exchanges()


def _read(path: Path) -> tuple[Plan, _RunGames]:
    games = _RunGames()
    lines = read_lines(path)
    plan = _plan_of(path, next(lines, None))
    for line in lines:
        games.take(line)
    return plan, games


def read_lines(path: Path) -> Iterator[_Line]:
    """The lines of the file of a run; ValueError with the line's number if one is not what it should be."""
    with open(path, "rb") as file:
        number = 0
        while text := file.readline(LINE.size):
            number += 1
            if not text.endswith(b"\n"):
                if len(text) < LINE.size:
                    return  # not written to its end, or not yet
                raise ValueError(f"line {number} of {path} is longer than {LINE.size >> 20} MB; name another file")
            try:
                yield _parsed(parse_json(text, LINE))
            except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
                why = f": {error}" if isinstance(error, ValueError) else ""
                raise ValueError(
                    f"line {number} of {path} is not a line of a run{why}; "
                    "remove that line to go on without it, or name another file"
                ) from None


def _parsed(line: Any) -> _Line:
    kind = line["kind"]
    if kind == "exchange" and type(line["game"]) is int and line["game"] >= 0:
        return _Line(game=line["game"], exchange=exchange_from(line))
    if kind == "game" and all(type(place) is int and place >= 0 for place in line["exchanges"]):
        return _Line(record=from_data(line["replay"]), places=tuple(line["exchanges"]))
    if kind == "run" and isinstance(line["plan"], dict):
        if line["version"] != VERSION:
            raise ReplayError(f"it has version {shown(line['version'])}, and this program reads version {VERSION}")
        return _Line(plan=line["plan"])
    raise TypeError


def _plan_of(path: Path, line: _Line | None) -> Plan:
    if line is None or line.plan is None:
        raise ValueError(f"{path} does not begin with the plan of a run; name another file")
    return line.plan


def _check_plan(path: Path, line: _Line, plan: Plan, may_differ: frozenset[str]) -> None:
    kept = _plan_of(path, line)
    wanted = json.loads(json.dumps(plan))
    for name in sorted({*kept, *wanted} - may_differ):
        if kept.get(name) != wanted.get(name):
            raise PlanDiffers(path, name, kept.get(name), wanted.get(name))


class PlanDiffers(NoughtsError, ValueError):  # noqa: N818 - it says what is the matter
    """The file is of another run."""

    def __init__(self, path: Path, name: str, kept: object, wanted: object) -> None:
        super().__init__(
            f"{path} holds a run with {one_line(name)} {shown(kept)}, not {shown(wanted)}; name another file"
        )
        self.name: str = name
        self.kept: object = kept
        self.wanted: object = wanted
