"""The board with a cursor: arrow keys choose a cell, Enter plays it, and the board is redrawn in place. Typed commands
work as in a plain terminal.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, get_app_session
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from noughts.game import State
from noughts.printable import listed
from noughts.rules.geometry import index_at, place_of, placement

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}

Draw = Callable[[int | None], str]
"""Draws the page, with the cursor on a cell or without one."""


class KeyBoard:
    """Asks for moves by keys. cursor: the current cell, kept from one turn to the next."""

    def __init__(self) -> None:
        self.cursor: int | None = None
        self._note = ""
        self._lines_drawn = 0

    def ask(self, state: State, draw: Draw, prompt: str) -> str:
        """Shows the page. Returns the typed text, or the move in the chosen cell."""
        legal = sorted({action // state.game.rules.choices for action in state.legal_actions()})
        if self.cursor not in legal:
            self.cursor = legal[len(legal) // 2]
        self._note = ""

        def message() -> ANSI:
            note = f"{self._note}\n" if self._note else ""
            return ANSI(f"{draw(self.cursor)}\n{note}{prompt}")

        session: PromptSession[str] = PromptSession(
            message, key_bindings=self._bindings(state, legal), erase_when_done=True
        )
        return session.prompt()

    def show(self, page: str) -> None:
        """Shows a page until `erase`."""
        print(page, end="", flush=True)
        self._lines_drawn = page.count("\n")

    def erase(self) -> None:
        output = get_app_session().output
        output.write_raw("\r")
        output.cursor_up(self._lines_drawn)
        output.erase_down()
        output.flush()

    def _bindings(self, state: State, legal: list[int]) -> KeyBindings:
        keys = KeyBindings()

        @Condition
        def nothing_typed() -> bool:
            return not get_app().current_buffer.text

        def bind_step(key: str, down: int, right: int) -> None:
            @keys.add(key, filter=nothing_typed)
            def _(event: KeyPressEvent) -> None:
                assert self.cursor is not None
                self.cursor = neighbour(state, self.cursor, down, right)

        for key, (down, right) in STEPS.items():
            bind_step(key, down, right)

        @keys.add("tab")
        def _(event: KeyPressEvent) -> None:
            self.cursor = next((cell for cell in legal if cell > (self.cursor or 0)), legal[0])

        @keys.add("s-tab")
        def _(event: KeyPressEvent) -> None:
            self.cursor = next((cell for cell in reversed(legal) if cell < (self.cursor or 0)), legal[-1])

        @keys.add("enter")
        def _(event: KeyPressEvent) -> None:
            text = event.current_buffer.text.strip()
            assert self.cursor is not None
            move = move_at(state, self.cursor, text)
            if move is None and not text:
                self._note = f"Type {listed(placeable_marks(state))}, then Enter, to place it at the cursor."
                return
            event.app.exit(result=move or text)

        return keys


def neighbour(state: State, cell: int, down: int, right: int) -> int:
    """Returns the next cell in a direction. Past the edge comes the next board, if there is one, else the same cell."""
    rules = state.game.rules
    place = place_of(rules, cell)
    board, row, col = place.board, place.row + down, place.col + right
    if not 0 <= row < rules.width or not 0 <= col < rules.width:
        board += 1 if row >= rules.width or col >= rules.width else -1
        row, col = row % rules.width, col % rules.width
    return index_at(rules, board, row, col) if 0 <= board < rules.boards else cell


def placeable_marks(state: State) -> list[str]:
    """Returns the marks that can be placed next."""
    rules, player = state.game.rules, state.current_player()
    return sorted({rules.marks[placement(rules, player, action)[1]] for action in state.legal_actions()})


def move_at(state: State, cell: int, typed: str) -> str | None:
    """Returns the move in a cell, with the typed mark if there is a choice; None if the mark is missing or wrong."""
    rules, marks = state.game.rules, placeable_marks(state)
    if typed and (typed.upper() not in marks or rules.choices == 1):
        return None
    if not typed and len(marks) > 1:
        return None
    mark = (typed.upper() or marks[0]) if rules.choices > 1 else ""
    return state.action_to_string(cell * rules.choices + (rules.marks.index(mark) if mark else 0))


def fits(page: str) -> bool:
    """Returns whether a page, without colours, fits this terminal with a line left for the prompt."""
    size = shutil.get_terminal_size()
    lines = page.split("\n")
    return len(lines) < size.lines and max(map(len, lines)) <= size.columns
