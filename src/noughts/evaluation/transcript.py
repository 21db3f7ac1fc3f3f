"""The transcript of an evaluation: one JSON object a line, added as things happen, never changed.

    {"kind": "start", "game": 3, "players": ["random", "llm:m"], "env": {...}}
    {"kind": "turn", "game": 3, "player": 1, "by": "llm:m", "messages": [...], "reply": "I take [X 4]", "seconds": 1.2,
     "attempts": 1, "prompt_tokens": 310, "completion_tokens": 7, "finish": "stop", "failure": null,
     "valid": true, "reason": null, "action": 8, "move": "[X 4]"}
    {"kind": "end", "game": 3, "ended_by": "line", "winner": 0, "offender": null, "fault": null, "rewards": [1, -1]}

Turns of players who do not read text have no messages and none of the figures. A second "start" of a game begins it
again; replies from before are used again where the same question comes up.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

Line = dict[str, Any]

TRANSCRIPT_FILE = "transcript.jsonl"
TAIL_BYTES = 1 << 20


@dataclass
class Played:
    """One game as the transcript tells it; `end` is None if it is not finished."""

    number: int
    start: Line
    turns: list[Line] = field(default_factory=list)
    end: Line | None = None


class Transcript:
    """The file, open for more. Only one process at a time may hold it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / TRANSCRIPT_FILE
        self.games: dict[int, Played] = {}
        self._replies: dict[tuple[int, int, str], list[Line]] = {}
        self._file = open(self.path, "a+b")  # noqa: SIM115 - closed by __exit__
        try:
            _lock(self._file.fileno(), self.path)
            self._mend()
            for line in read_lines(self.path):
                self._take(line)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Transcript:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        finally:
            self._file.close()

    def add(self, lines: list[Line]) -> None:
        """Add lines and hand them to the system, so that nothing is lost if this process ends now."""
        self._file.write(_encoded(lines))
        self._file.flush()
        for line in lines:
            self._take(line, fresh=True)

    def finished(self, upto: int) -> list[Played]:
        """The finished games among the first `upto`, in order."""
        return [self.games[n] for n in sorted(self.games) if n < upto and self.games[n].end is not None]

    def recall(self, game: int, player: int, observation: str) -> Line | None:
        """What was replied to the same question when the game was played before; each reply is given once."""
        kept = self._replies.get((game, player, observation))
        return kept.pop(0) if kept else None

    def _take(self, line: Line, *, fresh: bool = False) -> None:
        _gather(self.games, line)
        if not fresh and line["kind"] == "turn" and "messages" in line:
            key = (line["game"], line["player"], line["messages"][-1]["content"])
            self._replies.setdefault(key, []).append(line)

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
            self._file.truncate(start)


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of a transcript; ValueError with the line's number if one is not what it should be."""
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            try:
                line = json.loads(text)
                if not isinstance(line["game"], int) or line["kind"] not in ("start", "turn", "end"):
                    raise TypeError
            except (ValueError, KeyError, TypeError):
                raise ValueError(
                    f"line {number} of {path} is not a line of a transcript; remove that line to go on without it"
                ) from None
            yield line


def read_games(path: Path) -> list[Played]:
    """The games of a transcript file, in order; unfinished ones too."""
    games: dict[int, Played] = {}
    for line in read_lines(path):
        _gather(games, line)
    return [games[number] for number in sorted(games)]


def _gather(games: dict[int, Played], line: Line) -> None:
    """Put a line where it belongs."""
    number = line["game"]
    if line["kind"] == "start":
        games[number] = Played(number, line)
    elif number in games and line["kind"] == "turn":
        games[number].turns.append(line)
    elif number in games:
        games[number].end = line


def _encoded(lines: list[Line]) -> bytes:
    try:
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    except UnicodeEncodeError:  # lone surrogates, which JSON can escape and UTF-8 cannot hold
        return "".join(json.dumps(line) + "\n" for line in lines).encode()


def _lock(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not a POSIX system
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ValueError(
            f"another evaluation is writing {path}; wait for it, or name another folder with --out"
        ) from None
