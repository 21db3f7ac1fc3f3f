"""The game in a file of any kind: a replay, a transcript, a store, or a log of the course's evaluator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from noughts.course.evaluator_log import read_evaluator_logs
from noughts.matches.course_log import is_course_log
from noughts.matches.record import GameRecord
from noughts.matches.replays import MAX_BYTES, ReplayError, load
from noughts.matches.store import is_run, read_run
from noughts.untrusted import FileKind, read_untrusted

GAME = FileKind("a replay or a log", MAX_BYTES)


def load_any(path: str | Path, tell: Callable[[str], None] | None = None) -> GameRecord:
    """Returns the game in a file: a replay, an evaluator's log, a transcript, or the file of a run or a tournament.

    tell: is called with what in a log does not fit the rules, or was recovered.

    A file with several games is named with a number: pool.log#3. ReplayError if there is no such game in the file.
    """
    name, _, number = str(path).rpartition("#")
    source = Path(path)
    if not source.exists() and number.isdecimal() and len(number) < 6:
        source = Path(name)
    else:
        number = ""
    if is_run(source):
        return _game_of_run(source, int(number) if number else None)
    try:
        text = read_untrusted(source, GAME).decode("utf-8", errors="replace")
        found = read_evaluator_logs(text)
    except ValueError as error:
        raise ReplayError(str(error)) from None
    if not found:
        if is_course_log(text):
            raise ReplayError(f"{path} is a log for people; open the replay beside it, whose name ends in .json")
        return load(source)
    if len(found) > 1 and not number:
        raise ReplayError(f"{path} holds {len(found)} games; say which one, as in {path}#1")
    wanted = int(number or 1)
    if not 1 <= wanted <= len(found):
        raise ReplayError(f"{path}: the file holds {len(found)} games, so the number is 1 to {len(found)}")
    chosen = found[wanted - 1]
    if tell is not None:
        for note in chosen.notes:
            tell(note)
    return chosen.record


def _game_of_run(path: Path, number: int | None) -> GameRecord:
    """Returns a finished game of a run by its number from 1; without one there must be only one."""
    try:
        games = read_run(path).records()
    except ValueError as error:
        raise ReplayError(str(error)) from None
    if not games:
        raise ReplayError(f"{path} holds no finished game yet")
    if number is None and len(games) == 1:
        return games[0]
    chosen = next((record for record in games if record.number + 1 == number), None)
    if chosen is None:
        numbers = f"{games[0].number + 1} to {games[-1].number + 1}"
        raise ReplayError(f"{path} holds games {numbers}; say which one, as in {path}#{games[0].number + 1}")
    return chosen
