"""Reads replays of Kaggle's Game Arena: games of OpenSpiel that noughts has too.

A replay is JSON: `steps`, a list of each agent's entries (`action`, `reward`, `info`, `observation`, `status`), where
`info.actionApplied` is the action that was played; `info.TeamNames`; `statuses` at the end. Ultimate's actions are a
local board, where the player may choose one, and then one of its cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from noughts.game import Game, IllegalMove, game_of
from noughts.games import LISTED
from noughts.matches.record import GameRecord
from noughts.matches.replays import ReplayError
from noughts.printable import one_line
from noughts.rules.geometry import index_in
from noughts.rules.spec import checked_number, short_repr
from noughts.sandbox import Fault, faults
from noughts.untrusted import MALFORMED, FileKind, read_json

KAGGLE = FileKind("a replay of Kaggle", 64 << 20, nodes=1 << 21)
GAMES = {data.openspiel: data.rules for data in LISTED if data.openspiel}
"""OpenSpiel's names of games that noughts has with the same rules."""
FAULTS = {"INVALID": faults.INVALID, "TIMEOUT": faults.TIME, "ERROR": faults.CRASH}
"""Statuses of an agent that forfeits."""
MOST_ACTIONS = 200
LONGEST_NAME = 200


def read_kaggle(path: Path, number: int = 0) -> GameRecord:
    """Returns the game in a file. Raises ReplayError if it is not a replay of a game that noughts has, or breaks its
    rules."""
    try:
        data = read_json(path, KAGGLE)
        return _record(data, number)
    except MALFORMED as error:
        why = str(error) if isinstance(error, ValueError) else "a field is missing or has the wrong type"
        raise ReplayError(f"{path} is not a valid Kaggle replay: {why}") from None


def _record(data: Mapping[str, Any], number: int) -> GameRecord:
    name = str(data["configuration"].get("openSpielGameName", "")).removesuffix("_proxy")
    if name not in GAMES:
        raise ValueError(f"the game is {short_repr(name)}; it must be one of {', '.join(GAMES)}")
    game = game_of(GAMES[name])
    teams = (data.get("info") or {}).get("TeamNames") or ["Player 0", "Player 1"]
    first, second = (one_line(str(team), LONGEST_NAME) for team in teams[:2])
    players = (first, second if second != first else f"{second} (second)")
    initial = [
        checked_number("an action", number, 0, MOST_ACTIONS - 1)
        for number in data["configuration"].get("initialActions") or []
    ]
    played = list(_applied(data["steps"]))
    opening = len(_moves(game, initial))
    record = GameRecord(game, players, None, _moves(game, initial + played), opening, number=number)
    record.seconds = [0.0] * len(record.moves)
    state = record.states()[-1][0]
    record.end_by_rules(state)
    if state.is_terminal():
        return record
    statuses = [str(status) for status in data.get("statuses") or [agent.get("status") for agent in data["steps"][-1]]]
    guilty = next((seat for seat, status in enumerate(statuses[:2]) if status in FAULTS), None)
    if guilty is not None:
        kind = FAULTS[statuses[guilty]]
        record.fault, record.faulty = Fault(kind, f"Kaggle's status is {statuses[guilty]}"), guilty
        record.reason, record.winner = kind, 1 - guilty
    return record


def _applied(steps: list[list[Mapping[str, Any]]]) -> Iterator[int]:
    """Yields the actions that were played."""
    for step in steps:
        for agent in step:
            applied = (agent.get("info") or {}).get("actionApplied")
            if applied is not None and applied != -1:
                yield checked_number("an action", applied, 0, MOST_ACTIONS - 1)


def _moves(game: Game, actions: list[int]) -> list[int]:
    """Converts actions of OpenSpiel to moves of our game."""
    if not game.rules.nested:
        return actions
    state, block = game.new_initial_state(), None
    for place, action in enumerate(actions):
        view = state.view()
        if block is None and (view.sent is None or view.open_move):
            block = action
            continue
        at = view.sent if block is None else block
        block = None
        try:
            if at is None or not (0 <= at < game.rules.cells and action < game.rules.cells):
                raise IllegalMove("there is no such board or cell")
            state.apply_action(index_in(game.rules, at, action))
        except IllegalMove as error:
            raise ValueError(f"action {place + 1} cannot be played: {error}") from None
    return state.history()
