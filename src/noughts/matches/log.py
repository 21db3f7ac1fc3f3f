"""Writes a game as text for people: each move, the board after it, and how the game ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from noughts.game import Game, State
from noughts.matches.record import AGREED, RESIGNED, UNFINISHED, GameRecord
from noughts.printable import one_line, paragraph, printable
from noughts.rules.geometry import block_rows, cell_rows, coordinates
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import DRAWN, FIRST, OPEN, SECOND, View
from noughts.sandbox.faults import seconds

FLAGS = "xo"
WIDTH = 80
REPLY_SHOWN = 10_000
TITLE_READ = 1000
_STATUS = {OPEN: "-", FIRST: "x", SECOND: "o", DRAWN: "d"}


def game_log(record: GameRecord, *, prints_of: int | None = None) -> str:
    """Returns the whole log. prints_of: include the output of this player (0 or 1), or a model's replies."""
    return "\n".join(_lines(record, prints_of)) + "\n"


def is_game_log(text: str) -> bool:
    """Returns whether a text is one of these logs. Logs are for people; the game itself is in the replay beside the
    log.
    """
    title = text[:TITLE_READ].partition("\n")[0].rstrip()
    return " (x) against " in title and title.endswith(" (o)")


class _Ply(NamedTuple):
    """A move as text."""

    player: int
    """The seat that makes it."""
    move: str
    bonus: bool
    """Whether it is a bonus move."""
    board: str
    """The board after it."""


@lru_cache(maxsize=1)  # the logs of a game, for each player and for all, follow each other
def _plies(game: Game, actions: tuple[int, ...]) -> list[_Ply]:
    """Returns the moves of a game as text."""
    state, plies, rules = game.new_initial_state(), [], game.rules
    for action in actions:
        player, bonus = state.current_player(), state.bonus
        move = str(coordinates(rules, action)) if rules.nested else state.action_to_string(action)
        state.apply_action(action)
        plies.append(_Ply(player, move, bonus, "\n".join(board_lines(state.view()))))
    return plies


def _lines(record: GameRecord, prints_of: int | None) -> Iterator[str]:
    first, second = display_names(record)
    yield f"{record.game.rules.title}: {first} (x) against {second} (o)"
    yield ""
    plies = _plies(record.game, tuple(record.moves))
    for number in range(len(plies) + 1):
        # Output after the last move is of the player at fault.
        printer = plies[number].player if number < len(plies) else record.faulty
        if number in record.prints and prints_of == printer:
            yield from (f"    | {line}" for line in record.prints[number].splitlines())
        for exchange in record.exchanges:
            if exchange.ply == number and exchange.player == prints_of:
                yield from (f"    | {line}" for line in printable(exchange.reply, REPLY_SHOWN).splitlines())
        if number < len(plies):
            player, move, bonus, board = plies[number]
            yield f"{number + 1}. {_move_words(record, player, f'{move},', number, bonus=bonus)}"
            yield board
            yield ""
    yield from paragraph(result_line(record), WIDTH).splitlines()
    if record.fault is not None and record.fault.detail and prints_of == record.faulty:
        yield from (f"    | {line}" for line in record.fault.detail.splitlines())


def display_names(record: GameRecord) -> tuple[str, str]:
    """Returns the players' names in a form that is safe in a line of text."""
    first, second = record.players
    return one_line(first), one_line(second)


def move_line(record: GameRecord, state: State, number: int) -> str:
    """Describes a move: "x (team7) plays 3,4; 0.25 s"."""
    move = f"{state.action_to_string(record.moves[number])};"
    return _move_words(record, state.current_player(), move, number, bonus=state.bonus)


def _move_words(record: GameRecord, player: int, move: str, number: int, *, bonus: bool) -> str:
    name, taken = display_names(record)[player], seconds(record.seconds[number])
    return f"{FLAGS[player]} ({name}) plays {move} {taken}{', bonus move' if bonus else ''}"


def result_line(record: GameRecord, *, short: bool = False) -> str:
    """Describes how the game ended, and its points; `short` names only the kind of a fault."""
    return f"{_result(record, short)}{'; unsafe, without a sandbox' if record.unsafe else ''}"


def _result(record: GameRecord, short: bool) -> str:
    names, points = display_names(record), f"points {record.points[0]} : {record.points[1]}"
    if record.fault is not None and record.winner is not None:
        fault = f"fault, {record.reason}" if short else record.fault.text
        return f"{names[record.winner]} wins; {names[1 - record.winner]}: {fault}; {points}"
    if record.reason == RESIGNED and record.winner is not None:
        return f"{names[1 - record.winner]} resigned, {names[record.winner]} wins; {points}"
    if record.reason == AGREED:
        return f"draw by agreement; {points}"
    if record.reason == UNFINISHED:
        return "the game is not finished"
    if record.winner is not None:
        name = f"{names[record.winner]} ({FLAGS[record.winner]})"
        if record.reason == "line" and record.game.rules.misere:
            return f"{name} wins, as {names[1 - record.winner]} completed a line; {points}"
        return f"{name} wins {'by a line' if record.reason == 'line' else f'({record.reason})'}; {points}"
    return f"no line; {points}"


def board_lines(view: View) -> Iterator[str]:
    """Yields the cells row by row, blocks separated and boards side by side; then the blocks of a nested game."""
    rules = view.rules
    texts = {EMPTY: "-"} | {mark: _mark_text(rules, mark) for mark in range(len(rules.marks))}
    marks = [texts[mark] for mark in view.cells]
    side = rules.side
    for row, beside in enumerate(zip(*cell_rows(rules, marks), strict=True)):
        if rules.nested and row and row % side == 0:
            yield ""
        yield "     ".join(_grouped(cells, side) for cells in beside)
    if rules.nested:
        yield ""
        for owners in zip(*block_rows(rules, view.owners), strict=True):
            yield "     ".join(" ".join(_STATUS[owner] for owner in part) for part in owners)


def _mark_text(rules: Rules, mark: int) -> str:
    return FLAGS[rules.places.index(rules.marks[mark])] if rules.own_marks else rules.marks[mark]


def _grouped(cells: Sequence[str], size: int) -> str:
    return "  ".join(" ".join(cells[i : i + size]) for i in range(0, len(cells), size))
