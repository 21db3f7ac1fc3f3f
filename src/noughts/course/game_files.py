"""Opens a game in a file of any kind: a replay, a transcript, a store, or a log of the course's evaluator."""

from __future__ import annotations

from pathlib import Path

from noughts.analysis.puzzles import file_and_number
from noughts.course.evaluator_log import LoggedGame, read_evaluator_logs
from noughts.matches.log import is_game_log
from noughts.matches.record import GameRecord
from noughts.matches.replays import MAX_BYTES, ReplayError, load
from noughts.matches.store import is_run, read_run
from noughts.untrusted import FileKind, read_untrusted

GAME = FileKind("a replay or a log", MAX_BYTES)


def load_any(path: str | Path) -> LoggedGame:
    """Returns the game in a file: a replay, an evaluator's log, a transcript, or the file of a run or a tournament.

    Add a number for a file with several games: pool.log#3. Raises ReplayError if there is no such game in the file.
    """
    name, number = file_and_number(str(path))
    source = Path(name)
    if is_run(source):
        return LoggedGame(_game_of_run(source, number))
    try:
        text = read_untrusted(source, GAME).decode("utf-8", errors="replace")
        found = read_logs(text, str(path))
    except ValueError as error:
        raise ReplayError(str(error)) from None
    if not found:
        return LoggedGame(load(source))
    if len(found) > 1 and number is None:
        raise ReplayError(f"{path} contains {len(found)} games; choose one, as in {path}#1")
    wanted = 1 if number is None else number
    if not 1 <= wanted <= len(found):
        raise ReplayError(f"{path} contains {len(found)} games; the number must be 1 to {len(found)}")
    return found[wanted - 1]


def read_logs(text: str, name: str) -> list[LoggedGame]:
    """Returns the games in a text of evaluators' logs. Raises ReplayError if the text is one of our own logs, for
    people.
    """
    found = read_evaluator_logs(text)
    if not found and is_game_log(text):
        raise ReplayError(f"{name} is a log for people; use the replay beside it, whose name ends in .json")
    return found


def _game_of_run(path: Path, number: int | None) -> GameRecord:
    """Returns a finished game of a run by its number, from 1. The number may be None if there is only one game."""
    try:
        games = read_run(path).records()
    except ValueError as error:
        raise ReplayError(str(error)) from None
    if not games:
        raise ReplayError(f"{path} contains no finished game yet")
    if number is None and len(games) == 1:
        return games[0]
    chosen = next((record for record in games if record.number + 1 == number), None)
    if chosen is None:
        numbers = f"{games[0].number + 1} to {games[-1].number + 1}"
        raise ReplayError(f"{path} contains games {numbers}; choose one, as in {path}#{games[0].number + 1}")
    return chosen
