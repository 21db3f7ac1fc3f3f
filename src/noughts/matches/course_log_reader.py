"""The game in a file of any kind: a replay, a transcript, a log of the course's evaluator, or one of `noughts log`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from noughts.files import read_bounded
from noughts.game import State
from noughts.library import load_game
from noughts.matches.evaluator_log import LoggedGame, read_evaluator_logs
from noughts.matches.record import UNFINISHED, GameRecord
from noughts.matches.replays import MAX_BYTES, ReplayError, load
from noughts.matches.store import is_run, read_run
from noughts.printable import one_line
from noughts.rules.variants import VARIANTS
from noughts.sandbox.faults import CRASH, FORBIDDEN, INVALID, MEMORY, TAMPER, TIME, Fault

LINE_READ = 1000
"""Characters of a line that are looked at; a row of a board is shorter."""


def load_any(path: str | Path, tell: Callable[[str], None] | None = None) -> GameRecord:
    """The game in a file: a replay, a log, or the transcript of an evaluation.

    tell: is told what in a log does not fit the rules, or was recovered.

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
        text = read_bounded(source, MAX_BYTES, "a replay or a log").decode("utf-8", errors="replace")
    except ValueError as error:
        raise ReplayError(str(error)) from None
    found = read_logs(text)
    if not found:
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
    """A finished game of the file of a run, by its number from 1; without one there must be only one."""
    try:
        games = read_run(path)[1]
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


def read_logs(text: str) -> list[LoggedGame]:
    """All games of a log; none if the text is no log."""
    lines = [line[:LINE_READ] for line in text.replace("\r\n", "\n").split("\n")]
    own = _own_log(lines)
    if own is not None:
        return [own]
    return read_evaluator_logs(lines)


# Logs of our own

_TITLE = re.compile(r"(?P<title>.+): (?P<first>.+) \(x\) against (?P<second>.+) \(o\)")
_MOVE = re.compile(
    r"(?P<number>\d{1,4})\. [xo] \(.*\) plays (?P<move>.+), "
    r"(?P<time>\d{1,9}(?:\.\d{1,9})?) (?P<unit>m?s)(?:, bonus move)?"
)
_RESULT = re.compile(r"(?P<winner>.+?) wins; (?P<loser>.+?): (?P<said>.+); points -?\d+ : -?\d+")
_KINDS = {
    "over time": TIME,
    "out of memory": MEMORY,
    "changed the board": TAMPER,
    "invalid move": INVALID,
    "forbidden": FORBIDDEN,
}


def _own_log(lines: list[str]) -> LoggedGame | None:
    """A log that `noughts log` wrote; None if it is none."""
    found = _TITLE.fullmatch(lines[0].strip())
    rules = next((rules for rules in VARIANTS if found and rules.title == found["title"]), None)
    if found is None or rules is None:
        return None
    game = load_game(rules.name)
    record = GameRecord(game, (one_line(found["first"]), one_line(found["second"])))
    state = game.new_initial_state()
    for line in lines[1:]:
        move = _MOVE.fullmatch(line)
        if move is None:
            continue
        action = _own_action(state, move["move"])
        if action is None or int(move["number"]) != len(record.seconds) + 1:
            raise ReplayError(
                f"move {move['number']} of the log, {one_line(move['move'])}, is not one that the rules allow"
            )
        state.apply_action(action)
        record.seconds.append(float(move["time"]) / (1000 if move["unit"] == "ms" else 1))
    record.moves = state.history()
    return LoggedGame(record, _own_end(record, state, lines))


def _own_action(state: State, text: str) -> int | None:
    """The action of a move as `log` writes it, None if it is none or not legal."""
    rules = state.game.rules
    try:
        if not rules.nested:
            action = state.string_to_action(text)
        else:
            numbers = [int(part) for part in re.fullmatch(r"\((\d{1,3}(?:, \d{1,3})*)\)", text)[1].split(",")]  # type: ignore[index]
            board, row, col = numbers if len(numbers) == 3 else (0, *numbers)
            action = (board * rules.width + row) * rules.width + col
    except (ValueError, TypeError):
        return None
    return action if action in state.legal_actions() else None


def _own_end(record: GameRecord, state: State, lines: list[str]) -> list[str]:
    if state.is_terminal():
        record.end_by_rules(state)
        return []
    last = " ".join(line.strip() for line in _last_paragraph(lines))
    result = _RESULT.search(last)
    if result is None or result["winner"] not in record.players:
        record.reason = UNFINISHED
        return [f"the log ends after move {len(record.moves)}, and the game is not over"]
    kind = next((kind for words, kind in _KINDS.items() if result["said"].startswith(words)), CRASH)
    record.end_by_fault(state.current_player(), Fault(kind, one_line(result["said"])))
    return []


def _last_paragraph(lines: list[str]) -> list[str]:
    kept = [line for line in lines if not line.startswith("    | ")]
    while kept and not kept[-1].strip():
        kept.pop()
    start = len(kept)
    while start and kept[start - 1].strip():
        start -= 1
    return kept[start:]
