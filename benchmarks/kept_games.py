"""Games that a long measurement has behind it, in a file of JSON lines: it can be stopped at any time, and go on later.

A line is {"played": KEY, "replay": REPLAY}. The key is everything that the game depends on; the replay is the game, as
`noughts.matches.record` writes it. Several processes may add to one file.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

from noughts.matches.record import GameRecord, ReplayError, from_json, to_json

HEAD = b'{"played": '

Key = Mapping[str, object]


class KeptGames:
    """The games in a file; without a file there are none, and none are kept. ValueError if it holds anything else."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._games: dict[str, GameRecord] = {}
        if path is None:
            return
        with self._locked() as file:
            lines = file.read().split(b"\n")
        half_written = lines.pop()  # empty, unless a process ended while it wrote
        if half_written[: len(HEAD)] != HEAD[: len(half_written)]:
            raise ValueError(f"{path} does not end with a game; name another file")
        for number, line in enumerate(lines, 1):
            try:
                kept = json.loads(line)
                self._games[_text(kept["played"])] = from_json(json.dumps(kept["replay"]))
            except (ValueError, TypeError, KeyError) as error:
                why = f": {error}" if isinstance(error, ReplayError) else ""
                raise ValueError(f"line {number} of {path} is no kept game{why}; name another file") from None

    def find(self, key: Key) -> GameRecord | None:
        return self._games.get(_text(key))

    def add(self, key: Key, record: GameRecord) -> None:
        """Keep a game; it is on the disk when this returns."""
        self._games[_text(key)] = record
        if self._path is None:
            return
        line = HEAD + _text(key).encode() + b', "replay": ' + to_json(record).strip().encode() + b"}\n"
        with self._locked() as file:
            file.truncate(file.read().rfind(b"\n") + 1)
            file.seek(0, os.SEEK_END)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """The file, made if it was not there, while nobody else writes to it."""
        assert self._path is not None
        with open(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a device may have no end
                raise ValueError(f"{self._path} is no ordinary file; name another file")
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file


def _text(key: Key) -> str:
    return json.dumps(key, sort_keys=True)
