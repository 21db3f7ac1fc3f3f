"""Exports of a store for people and other programs: a transcript, or a folder of replays.

A transcript has one JSON object per line, appended as the run proceeds and never changed:

    {"kind": "run", "version": 2, "plan": {...}}
    {"kind": "exchange", "game": 3, "ply": 2, "player": 0, "messages": [...], "reply": "I take [X 4]", ...}
    {"kind": "game", "exchanges": [0, 1], "replay": {...}}

The plan is everything that the games depend on. Exchanges are with text players (`Exchange`). A game is a replay as in
`replays`, with its exchanges by their index among the lines of kind "exchange" of that game.

Older versions stored runs only in such files. They are still read, and such a run can continue.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from typing import Any

from noughts.errors import NoughtsError
from noughts.files import open_our_file, slug, write_whole
from noughts.matches.log import game_log
from noughts.matches.record import GameRecord
from noughts.matches.replays import LARGEST_COUNT, ReplayError, exchange_from, from_data, to_data, to_json
from noughts.players.text_seat import Exchange
from noughts.printable import one_line
from noughts.rules.spec import short_repr
from noughts.untrusted import MALFORMED, FileKind, parse_json

TRANSCRIPT = "transcript.jsonl"
"""The transcript of an evaluation, in its folder."""
VERSION = 2
"""Version of a transcript."""
LINE = FileKind("a line of a run", 64 << 20, nodes=1 << 18)
LONGEST_FILE_NAME = 200
"""Bytes; file systems allow 255."""
_RUN = b'{"kind":"run",'

Line = tuple[str, Any]
"""A kind and its content: "run" and a plan; "exchange" and a game's number with an exchange; "game" and a record with
the indices of its exchanges."""
Exchanges = Mapping[int, Sequence[Exchange]]
"""Exchanges by the number of their game."""


class PlanDiffers(NoughtsError, ValueError):  # noqa: N818 - it says what is the matter
    """The files contain another run."""

    def __init__(self, path: Path, name: str, stored: object, planned: object) -> None:
        what = "folder" if path.is_dir() else "file"
        super().__init__(
            f"{path} contains a run with {one_line(name)} {short_repr(stored)}, not {short_repr(planned)}; "
            f"name another {what}"
        )
        self.name: str = name
        self.stored: object = stored
        self.planned: object = planned


def check_plan(
    path: Path, stored: Mapping[str, object], plan: Mapping[str, object], may_differ: frozenset[str] = frozenset()
) -> None:
    """Raises PlanDiffers unless a run has this plan."""
    for name in sorted({*stored, *plan} - may_differ):
        if stored.get(name) != plan.get(name):
            raise PlanDiffers(path, name, stored.get(name), plan.get(name))


class Export:
    """Files that follow a store: none."""

    def former(self, plan: Mapping[str, object] | None, lines: int) -> Iterator[Line] | None:
        """Yields the run in the files if it has more lines than the store, which has `lines`; 0 for a new store.

        Raises PlanDiffers if it is not a run with this plan.
        """
        return None

    def begin(self, plan: Mapping[str, object], records: Sequence[GameRecord], exchanges: Exchanges) -> None:
        """Brings the files up to date with the store."""

    def add(self, record: GameRecord, places: Sequence[int]) -> None:
        """Adds a finished game. places: indices of its exchanges among those that were noted."""

    def note(self, number: int, exchange: Exchange) -> None:
        """Adds an exchange of a game in progress."""

    def close(self) -> None:
        """Closes the files; everything is on disk when this returns."""


class Replays(Export):
    """A folder of games, each as a replay and as text. Games without a store are not mixed with others."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def former(self, plan: Mapping[str, object] | None, lines: int) -> None:
        if not lines and any(self.path.glob("game-*.json")):
            raise ValueError(
                f"{self.path} already contains games, which would be mixed with new ones; name another folder"
            )

    def begin(self, plan: Mapping[str, object], records: Sequence[GameRecord], exchanges: Exchanges) -> None:
        for record in records:
            if not replay_path(self.path, record).exists():
                self.add(record, ())

    def add(self, record: GameRecord, places: Sequence[int]) -> None:
        for ending, content in game_files(record).items():
            write_whole(replay_path(self.path, record).with_suffix(ending), content)


def game_files(record: GameRecord, *, prints_of: int | None = None) -> dict[str, bytes]:
    """Returns a game as a replay and as text, by the endings of their files. prints_of: see `game_log`."""
    log = game_log(record, prints_of=prints_of)
    return {".json": to_json(record).encode(), ".log": log.encode(errors="replace")}


def replay_path(folder: Path, record: GameRecord) -> Path:
    """Returns the path of a game's replay in a folder of replays."""
    first, second = record.players
    return folder / f"{slug(f'game-{record.number + 1:04}-{first}-{second}', LONGEST_FILE_NAME)}.json"


class Transcript(Export):
    """A transcript that grows with a store."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: FileIO | None = None

    def former(self, plan: Mapping[str, object] | None, lines: int) -> Iterator[Line] | None:
        """Yields the run if it has no store, as in older versions, or if the store lost changes in a power cut."""
        count, _ = self._measure()
        if count == 0:
            return None
        _, head = next(read_lines(self.path))
        if plan is not None:
            check_plan(self.path, head, plan)
        return read_lines(self.path) if count > lines else None

    def begin(self, plan: Mapping[str, object], records: Sequence[GameRecord], exchanges: Exchanges) -> None:
        count, size = self._measure()
        whole = count == 1 + len(records) + sum(map(len, exchanges.values()))
        if not whole:
            write_whole(self.path, b"".join(_lines(plan, records, exchanges)))
        self._file = FileIO(self._open(os.O_WRONLY | os.O_APPEND), "a")
        if whole:
            self._file.truncate(size)

    def _open(self, flags: int) -> int:
        mode = os.lstat(self.path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):  # a device may be endless
            raise ValueError(f"{self.path} is not an ordinary file; name another file")
        return open_our_file(self.path, flags)

    def _measure(self) -> tuple[int, int]:
        """Returns the number of complete lines of the file, and their bytes. Raises ValueError if it is not a
        transcript."""
        if not os.path.lexists(self.path):
            return 0, 0
        with open(self._open(os.O_RDONLY), "rb") as file:
            head = file.read(len(_RUN))
            if head != _RUN[: len(head)]:
                raise ValueError(f"{self.path} does not begin with the plan of a run; name another file")
            file.seek(0)
            count = read = size = 0
            while part := file.read(1 << 20):
                if b"\n" in part:
                    count, size = count + part.count(b"\n"), read + part.rindex(b"\n") + 1
                read += len(part)
        return count, size

    def add(self, record: GameRecord, places: Sequence[int]) -> None:
        self._write(_game_line(record, places))

    def note(self, number: int, exchange: Exchange) -> None:
        self._write(_exchange_line(number, exchange))

    def close(self) -> None:
        if self._file is not None:
            try:
                os.fsync(self._file.fileno())
            finally:
                self._file.close()
                self._file = None

    def _write(self, data: bytes) -> None:
        assert self._file is not None
        size = self._file.seek(0, os.SEEK_END)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            # When the disk is full, the partial line is removed so that the file stays valid.
            os.ftruncate(self._file.fileno(), size)
            error.filename = str(self.path)
            raise


def _line(data: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # lone surrogates, which JSON can escape but UTF-8 cannot encode
        return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def _game_line(record: GameRecord, places: Sequence[int]) -> bytes:
    return _line({"kind": "game", "exchanges": list(places), "replay": to_data(record, exchanges=False)})


def _exchange_line(number: int, exchange: Exchange) -> bytes:
    return _line({"kind": "exchange", "game": number, **asdict(exchange)})


def _lines(plan: Mapping[str, object], records: Iterable[GameRecord], exchanges: Exchanges) -> Iterator[bytes]:
    yield _line({"kind": "run", "version": VERSION, "plan": plan})
    left = dict(exchanges)
    for record in records:
        noted = left.pop(record.number, ())
        yield from (_exchange_line(record.number, exchange) for exchange in noted)
        yield _game_line(record, places_of(record, noted))
    yield from (_exchange_line(number, exchange) for number, noted in left.items() for exchange in noted)


def places_of(record: GameRecord, noted: Sequence[Exchange]) -> list[int]:
    """Returns the indices of a game's exchanges among all noted ones."""
    return [next(place for place, each in enumerate(noted) if each is used) for used in record.exchanges]


def is_transcript(path: Path) -> bool:
    """Returns whether a file begins like a transcript."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(_RUN)) == _RUN


def read_lines(path: Path) -> Iterator[Line]:
    """Yields the kind and content of each complete line, the plan first; an incomplete last line is left out."""
    number = 0
    with open(path, "rb") as file:
        while (text := file.readline(LINE.size)).endswith(b"\n"):
            number += 1
            try:
                found = _parsed(parse_json(text, LINE))
            except MALFORMED as error:
                why = f": {error}" if isinstance(error, ValueError) else ""
                raise ValueError(
                    f"line {number} of {path} is not a valid line of a run{why}; "
                    "remove that line to continue without it, or name another file"
                ) from None
            if number == 1 and found[0] != "run":
                break
            yield found
    if len(text) == LINE.size and not text.endswith(b"\n"):
        raise ValueError(f"line {number + 1} of {path} is longer than {LINE.size >> 20} MB; name another file")
    if number == 0 or text.endswith(b"\n"):
        raise ValueError(f"{path} does not begin with the plan of a run; name another file")


def _parsed(line: Any) -> Line:
    kind = line["kind"]
    if kind == "exchange" and type(line["game"]) is int and 0 <= line["game"] <= LARGEST_COUNT:
        return kind, (line["game"], exchange_from(line))
    if kind == "game" and all(type(place) is int and place >= 0 for place in line["exchanges"]):
        return kind, (from_data(line["replay"]), tuple(line["exchanges"]))
    if kind == "run" and isinstance(line["plan"], dict):
        if line["version"] != VERSION:
            raise ReplayError(f"it has version {short_repr(line['version'])}; this program reads version {VERSION}")
        return kind, line["plan"]
    raise TypeError
