"""Reads and writes replays, the files of single games. Reading a replay recomputes everything about the game.

It is JSON, one object. Version 1:

    format      "noughts-replay"
    version     1
    game        the game's name
    rules       the record of facts, for games that are not built in; else absent
    number      of the game in its run, from 0; absent if it is 0
    round       of its run: the two games of a pair are one round; absent if it is 0
    players     [first, second], by name
    seed        the seed of the game; absent if it is not disclosed
    moves       the actions in order; the kernel knows who made each
    opening     number of given moves, which the players did not choose; absent if 0
    seconds     thinking time of each move
    machine     {"name", "processor", "cores", "speed"}: where it was played; absent if not recorded
    unsafe      true if a bot played without a sandbox (--unsafe); else absent
    prints      {move number: text}: the player's output at that move
    warnings    [text for the first player or null, and for the second]
    exchanges   exchanges with text players (see `Exchange`); absent without text players
    result      {"reason", "winner", "points", "fault"}; reason is that of the rules, the kind of the fault,
                "resigned", "agreed" or "unfinished"; fault is null or {"player", "kind", "text", "line", "detail"}
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from noughts.errors import NoughtsError
from noughts.game import Game, IllegalMove, State
from noughts.matches.machine import Machine
from noughts.matches.record import AGREED, RESIGNED, UNFINISHED, GameRecord
from noughts.matches.seeds import checked_seed
from noughts.players.text_seat import Exchange
from noughts.printable import one_line, printable
from noughts.rules.spec import short_repr
from noughts.sandbox import KINDS, Fault
from noughts.sandbox.faults import MOST_LINES
from noughts.untrusted import MALFORMED, FileKind, parse_json, read_untrusted

FORMAT = "noughts-replay"
VERSION = 1
MAX_BYTES = 16 << 20
REPLAY = FileKind("a replay", MAX_BYTES, nodes=1 << 18)
LONGEST_NAME = 4096
"""Maximum characters of a name: a bot may be named by its path."""
FAULT_KEPT = 2000
LARGEST_COUNT = 1 << 53
"""Largest count in a file: every JSON reader represents it exactly."""
LONGEST_SECONDS = 1e9
MOST_MESSAGES = 100


class ReplayError(NoughtsError, ValueError):
    """A file that is not a replay, or does not fit the rules; the message says where."""


def to_json(record: GameRecord) -> str:
    """Returns the replay as text."""
    return json.dumps(to_data(record), separators=(",", ":")) + "\n"


def to_data(record: GameRecord, *, exchanges: bool = True) -> dict[str, Any]:
    """Returns the replay as plain data; without its exchanges if they are stored elsewhere."""
    fault = None if record.fault is None else {"player": record.faulty, **asdict(record.fault)}
    return {
        "format": FORMAT,
        "version": VERSION,
        **record.game.to_data(),
        **({"number": record.number} if record.number else {}),
        **({"round": record.round} if record.round else {}),
        "players": list(record.players),
        **({} if record.seed is None else {"seed": record.seed}),
        "moves": record.moves,
        **({"opening": record.opening} if record.opening else {}),
        "seconds": [round(taken, 6) for taken in record.seconds],
        **({} if record.machine is None else {"machine": asdict(record.machine) | {"speed": record.speed}}),
        **({"unsafe": True} if record.unsafe else {}),
        "prints": {str(number): text for number, text in record.prints.items()},
        "warnings": record.warnings,
        **({"exchanges": [asdict(each) for each in record.exchanges]} if record.exchanges and exchanges else {}),
        "result": {
            "reason": record.reason,
            "winner": record.winner,
            "points": list(record.points),
            "fault": fault,
        },
    }


def load(path: str | Path) -> GameRecord:
    """Returns the record in a file. Raises ReplayError if it is not a replay, or breaks the rules."""
    try:
        data = read_untrusted(path, REPLAY)
    except ValueError as error:
        raise ReplayError(str(error)) from None
    try:
        return from_json(data)
    except ReplayError as error:
        raise ReplayError(f"{path} is not a valid replay: {error}") from None


def from_json(text: str | bytes) -> GameRecord:
    """Returns the record that `to_json` wrote, checked by playing it."""
    try:
        data = parse_json(text, REPLAY)
    except ValueError as error:
        raise ReplayError(str(error)) from None
    return from_data(data)


def fault_from_json(text: str) -> Fault:
    """Returns the fault of a result, as `to_json` wrote it."""
    try:
        return _fault(parse_json(text, REPLAY))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ReplayError(f"its fault is damaged ({short_repr(str(error))})") from None


def from_data(data: object) -> GameRecord:
    """Returns the record that `to_data` wrote, checked by playing it."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ReplayError(f'it has no "format": "{FORMAT}"')
    if data.get("version") != VERSION:
        raise ReplayError(f"it has version {short_repr(data.get('version'))}; this program reads version {VERSION}")
    try:
        return _checked(data)
    except ReplayError:
        raise
    except (*MALFORMED, RecursionError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else short_repr(str(error))
        raise ReplayError(f"a field is missing or has the wrong type ({what})") from None


def _checked(data: dict[str, Any]) -> GameRecord:
    try:
        game = Game.from_data(data)
    except ValueError as error:
        raise ReplayError(str(error)) from None
    first, second = map(_name, data["players"])
    record = GameRecord(game, (first, second), seed=checked_seed(data["seed"]) if "seed" in data else None)
    record.number, record.round = _count(data.get("number", 0)), _count(data.get("round", 0))
    state = game.new_initial_state()
    for number, action in enumerate(data["moves"]):
        player = state.current_player()
        try:
            state.apply_action(_whole_number(action))
        except IllegalMove as error:
            raise ReplayError(f"move {number}: {error}") from None
        record.add_move(player, action, 0.0)
    record.opening = _count(data.get("opening", 0))
    if not 0 <= record.opening <= len(record.moves):
        raise ReplayError(f"its opening cannot have {record.opening} of its {len(record.moves)} moves")
    record.seconds = [_seconds(taken) for taken in data["seconds"]]
    if len(record.seconds) != len(record.moves):
        raise ReplayError(f"it has {len(record.moves)} moves and {len(record.seconds)} times")
    if len(data["prints"]) > len(record.moves) + 1:
        raise ReplayError(f"it has {len(record.moves)} moves and {len(data['prints'])} prints")
    record.prints = {_move_number(number): _text(text) for number, text in data["prints"].items()}
    if max(record.prints, default=0) > len(record.moves):
        raise ReplayError(f"it has a print at move {max(record.prints)}, but only {len(record.moves)} moves")
    record.warnings = [None if text is None else _text(text) for text in data["warnings"]][:2]
    record.unsafe = data.get("unsafe", False) is not False
    record.machine, record.speed = _machine(data.get("machine"))
    record.exchanges = [exchange_from(each) for each in data.get("exchanges", [])]
    _check_result(record, state, data["result"])
    return record


def _machine(data: dict[str, Any] | None) -> tuple[Machine | None, float]:
    if data is None:
        return None, 0.0
    machine = Machine(_text(data["name"]), _text(data["processor"]), _whole_number(data["cores"]))
    return machine, float(data["speed"])


def exchange_from(data: dict[str, Any]) -> Exchange:
    """Returns the exchange from its JSON data; other fields are ignored. Raises KeyError or TypeError if it is invalid.

    Its texts are unchanged: escape them before they are shown.
    """
    if len(data["messages"]) > MOST_MESSAGES:
        raise TypeError(f"an exchange has {len(data['messages'])} messages; the maximum is {MOST_MESSAGES}")
    messages = [{_raw(key): _raw(text) for key, text in message.items()} for message in data["messages"]]
    values = {each.name: data[each.name] for each in fields(Exchange) if each.name in data}
    for name in ("ply", "player", "attempts"):
        _count(values[name])
    for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens", "max_tokens"):
        if values.get(name) is not None:
            _count(values[name])
    for name in ("finish", "failure", "reason", "time", "model", "reasoning", "noughts"):
        if values.get(name) is not None:
            _raw(values[name])
    values["votes"] = [_raw(text) for text in values.get("votes", [])]
    _seconds(values["seconds"])
    if type(values["valid"]) is not bool or values["player"] > 1 or not messages or "content" not in messages[-1]:
        raise TypeError("an exchange needs valid (true or false), player (0 or 1), and messages with content")
    return Exchange(**values | {"messages": messages, "reply": _raw(values["reply"])})


def _check_result(record: GameRecord, state: State, result: dict[str, Any]) -> None:
    """Computes the result again, and compares."""
    fault_data = result["fault"]
    if fault_data is not None:
        if state.is_terminal() or fault_data["player"] not in (0, 1):
            raise ReplayError("its fault does not fit the game")
        record.end_by_fault(fault_data["player"], _fault(fault_data))
    elif state.is_terminal():
        record.end_by_rules(state)
    elif result["reason"] == RESIGNED and result["winner"] in (0, 1):
        record.end_by_resigning(1 - _whole_number(result["winner"]))
    elif result["reason"] == AGREED:
        record.end_by_agreement()
    elif result["reason"] == UNFINISHED:
        record.reason = UNFINISHED
    else:
        raise ReplayError("the game has no end: no result by the rules, no fault, no resignation and no agreed draw")
    computed = [record.reason, record.winner, list(record.points)]
    if computed != [result["reason"], result["winner"], result["points"]]:
        raise ReplayError(f"its result is {short_repr(result)}, but its moves give {computed}")


def _fault(data: dict[str, Any]) -> Fault:
    if data["kind"] not in KINDS:
        raise ReplayError("its fault does not fit the game")
    if data["line"] is not None and not 0 < _count(data["line"]) <= MOST_LINES:
        raise ReplayError(f"its fault is at line {data['line']}")
    return Fault(
        data["kind"],
        one_line(_raw(data["text"]), FAULT_KEPT),
        data["line"],
        _text(data["detail"]),
        data.get("loading") is True,
    )


def _move_number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise TypeError(f"{text!r} is not the number of a move")
    return int(text)


def _raw(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{short_repr(value)} is not text")
    return value


def _name(value: object) -> str:
    """Returns a name unchanged; displays escape it."""
    name = _raw(value)
    if len(name) > LONGEST_NAME:
        raise ReplayError(f"a name in it is longer than {LONGEST_NAME} characters")
    return name


def _text(value: object) -> str:
    return printable(_raw(value), MAX_BYTES)


def _whole_number(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{short_repr(value)} is not a whole number")
    return value


def _count(value: object) -> int:
    number = _whole_number(value)
    if not 0 <= number <= LARGEST_COUNT:
        raise TypeError(f"{short_repr(value)} is not from 0 to {LARGEST_COUNT}")
    return number


def _seconds(value: object) -> float:
    if type(value) not in (int, float) or not 0 <= value <= LONGEST_SECONDS:  # type: ignore[operator]
        raise TypeError(f"{short_repr(value)} is not a number of seconds")
    return float(value)  # type: ignore[arg-type]
