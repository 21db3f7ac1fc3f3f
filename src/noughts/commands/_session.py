"""One game at the keyboard: the display, the typed commands and the reports of moves."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from noughts.clock import Clock
from noughts.commands._evaluations import hint
from noughts.commands._keys import KeyBoard, fits
from noughts.commands._saved_games import PERSON, save_game
from noughts.commands.output import board, is_terminal, note, width
from noughts.commands.rules import rules_page
from noughts.game import State
from noughts.matches.openings import moves_to
from noughts.matches.record import GameRecord
from noughts.notation import action_form
from noughts.players import BasePlayer
from noughts.players.protocol import Answer
from noughts.printable import capitalized, listed, one_line, paragraph, shell_quote
from noughts.rules.geometry import place_of
from noughts.rules.view import DRAWN, View
from noughts.text.replies import explain, reader_of
from noughts.text.words import block_name

MOVES_LISTED = 60
NARROWEST_PANEL = 16
"""Minimum columns for news beside the board, on a screen with too few lines."""
KEYS_HELP = "Use the arrow keys to choose a cell, or Tab for the next legal one; Enter plays it. Or type a move."
TOO_NARROW = "The board needs"
SEATS = ("first player", "second player")
_ESCAPES = re.compile(r"\x1b\[[\d;]*m")

COMMANDS = {
    "hint": "suggest a move, with the reason",
    "moves": "list the legal moves",
    "rules": "show the rules",
    "board": "draw the board again",
    "undo": "take back your last move and the reply",
    "save": "save the game so far; `save FILE` chooses the file",
    "resign": "resign the game",
    "quit": "save the game and leave",
}


class LeftGame(Exception):  # noqa: N818 - not an error
    """The person left the game."""


@dataclass
class GameSession:
    """One game. seat: the person's. opponent: None if the person plays both seats. name: the opponent's name on the
    screen; text: its name in a saved game. start: the initial position, None for the usual one. keys: reads moves by
    arrow keys if the board fits the terminal; None for typed moves only.
    """

    state: State
    seat: int
    opponent: BasePlayer | None
    name: str
    text: str
    ascii_only: bool = False
    start: State | None = None
    keys: KeyBoard | None = None
    resigned: int | None = None
    seconds: list[float] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    saved: tuple[Path, int] | None = None
    """The file of the last save, and the number of moves at that time."""

    def play(self) -> None:
        """Plays until the game ends or the person leaves."""
        self.seconds += [0.0] * (len(self.state.history()) - len(self.seconds))
        while self.resigned is None and not self.state.is_terminal():
            answer = self._ask_person() if self._is_person() else self._ask_opponent()
            if answer is None:
                self.resigned = self.state.current_player()
            else:
                self._apply(answer.action, answer.seconds)
        self.keys = None  # from here on, output is printed
        if self.resigned is None:
            print(self._page())
        print(self.result())

    def record(self) -> GameRecord:
        """Returns the game so far, including moves that lead to its initial position. Raises ValueError if no moves
        lead there.
        """
        first, second = (PERSON, self.text) if self.seat == 0 else (self.text, PERSON)
        if self.opponent is None:
            first, second = SEATS
        before = [] if self.start is None else list(moves_to(self.start))
        moves, seconds = [*before, *self.state.history()], [*[0.0] * len(before), *self.seconds]
        record = GameRecord(self.state.game, (first, second), moves=moves, seconds=seconds)
        record.opening = len(before)
        record.unsafe = self.opponent is not None and not self.opponent.is_confined
        if self.resigned is not None:
            record.end_by_resigning(self.resigned)
        else:
            record.end_by_rules(self.state)
        return record

    def result(self) -> str:
        """Returns the result of the game as a sentence."""
        if self.resigned is not None:
            return capitalized(f"{self._who(self.resigned)} resigned; {self._who(1 - self.resigned)} won.")
        end = self.state.outcome()
        assert end is not None
        points = f"points {end.points[0]} : {end.points[1]}"
        if end.winner is None:
            return f"The game is over without a line; {points}."
        verb = "win" if self.opponent and end.winner == self.seat else "wins"
        return capitalized(f"{self._who(end.winner)} {verb}; {points}.")

    # Display.

    def _draw(self) -> None:
        """Prints the board, unless keys draw it in place."""
        if self._fitting_keys() is None:
            print(self._page())
            self.news = []

    def _page(self, cursor: int | None = None) -> str:
        """Returns the board, the news, and whose move it is."""
        return self._layout(" ".join(self.news), cursor)[0]

    def _layout(self, news: str, cursor: int | None = None) -> tuple[str, bool]:
        """Returns the page, and whether all of the news fits on it.

        On a screen with few lines, blank lines are dropped and the news goes beside the board, so that the whole board
        stays visible above the prompt.
        """
        canvas, _, status = board(self.state, ascii_only=self.ascii_only, cursor=cursor).rpartition("\n\n")
        lines, columns = canvas.split("\n"), width()
        wide = max(len(_ESCAPES.sub("", line)) for line in lines)
        if wide > columns:
            lines = textwrap.wrap(f"{TOO_NARROW} {wide} columns; this terminal has {columns}.", columns)
            lines += textwrap.wrap(f"Position: {self.state.to_string()}", columns)
        below = [*paragraph(news, columns).splitlines(), *textwrap.wrap(status, columns)]
        height = shutil.get_terminal_size().lines if sys.stdout.isatty() else sys.maxsize
        if len(lines) + len(below) + 4 <= height or self.state.is_terminal():
            return "\n".join(["", *lines, "", *below, ""]), True
        if len(lines) + len(below) + 1 <= height:
            return "\n".join([*lines, *below]), True
        panel = columns - wide - 2
        if panel < NARROWEST_PANEL:
            return "\n".join([*lines, textwrap.shorten(f"{news} {status}", columns, placeholder=" ...")]), False
        beside = paragraph(news, panel).splitlines()
        for number, text in enumerate(beside[: len(lines)]):
            line = lines[number]
            lines[number] = f"{line}{' ' * (wide + 2 - len(_ESCAPES.sub('', line)))}{text}"
        status = textwrap.shorten(status, columns, placeholder=" ...")
        return "\n".join([*lines, status]), len(beside) <= len(lines)

    def _fitting_keys(self) -> KeyBoard | None:
        """Returns the board with a cursor, if it fits the terminal now."""
        if self.keys is None:
            return None

        page = _ESCAPES.sub("", self._page())
        return self.keys if fits(page) and not page.lstrip().startswith(TOO_NARROW) else None

    def _ask_opponent(self) -> Answer:
        """Returns the opponent's move. Keys show the board while it thinks."""
        assert self.opponent is not None
        compiling = getattr(self.opponent, "is_compiling", False)
        keys = self._fitting_keys()
        if keys is None:
            if compiling:
                note("compiling the search, once on this machine ...")
            return self.opponent.ask(self.state, Clock())
        what = (
            "Compiling the search, once on this machine ..."
            if compiling
            else f"{capitalized(self.name)} is thinking ..."
        )
        keys.show(f"{self._page()}\n{what}")
        try:
            return self.opponent.ask(self.state, Clock())
        finally:
            keys.erase()

    def say(self, text: str) -> None:
        """Prints a text, or shows it beside the board if keys draw it in place."""
        if self._fitting_keys() is not None and self._layout(" ".join([*self.news, text]))[1]:
            self.news.append(text)
        else:
            print(textwrap.fill(text, width(), break_on_hyphens=False))

    def _is_person(self) -> bool:
        return self.opponent is None or self.state.current_player() == self.seat

    def _who(self, player: int) -> str:
        rules = self.state.game.rules
        mark = f" ({rules.places[player]})" if rules.own_marks else ""
        if self.opponent is None:
            return f"{SEATS[player]}{mark}"
        mark = mark or f" ({SEATS[player]})"
        return f"you{mark}" if player == self.seat else f"{self.name}{mark}"

    # Input.

    def _ask_person(self) -> Answer | None:
        """Returns the typed move, None if the person resigns. Raises LeftGame if the person leaves."""
        self._draw()
        asked_at = time.monotonic()
        while True:
            text = self._ask(f"{self._who(self.state.current_player())}> ")
            command, _, rest = text.partition(" ")
            command = command.lower()
            if command in ("quit", "exit", "q") and not rest:
                raise LeftGame
            if command == "resign" and not rest:
                if input("Resign and lose the game? (y/n) > ").strip().lower() in ("y", "yes", "resign"):
                    return None
            elif command == "undo" and not rest:
                if self._undo():
                    self._draw()
                    asked_at = time.monotonic()
            elif command == "save":
                self._save(rest.strip())
            elif not self._answer(text.lower()) and (action := self._action(text)) is not None:
                return Answer(action, time.monotonic() - asked_at)

    def _ask(self, prompt: str) -> str:
        keys = self._fitting_keys()
        if keys is None:
            return input(prompt).strip()
        text = keys.ask(self.state, self._page, prompt).strip()
        self.news = []
        return text

    def _answer(self, command: str) -> bool:
        """Answers a command that changes nothing; returns False if it is not one."""
        if command == "moves":
            self.say(self._legal())
        elif command == "hint":
            self.say(f"Hint: {hint(self.state)}")
        elif command == "rules":
            self._show(rules_page(self.state.game, self.state.current_player(), ascii_only=self.ascii_only))
        elif command == "board":
            self._draw()
        elif command in ("help", "?", ""):
            print(self._help())
        else:
            return False
        return True

    def _show(self, page: str) -> None:
        """Prints a long text and waits, then returns to the board."""
        print(page)
        if is_terminal():
            input("\nPress Enter to return to the game. ")
        self._draw()

    def _action(self, text: str) -> int | None:
        """Returns the legal action that a typed move names; None, with a message, if there is none."""
        try:
            action = self.state.string_to_action(text)
        except ValueError as error:
            self.say(f"{error}. Or type {', '.join(COMMANDS)}.")
            return None
        if action not in self.state.legal_actions():
            names = reader_of(self.state.game.rules).names
            self.say(capitalized(explain(self.state, action, names[action], names).message))
            return None
        return action

    def _apply(self, action: int, seconds: float) -> None:
        """Plays a move and adds its effects to the news."""
        player, text = self.state.current_player(), self.state.action_to_string(action)
        self.state.apply_action(action)
        self.seconds.append(seconds)
        self.news += [*self._news_of(player, text, self.state.view()), *self._open_move()]

    def _news_of(self, player: int, text: str, view: View) -> Iterator[str]:
        """Yields what a move did to its block, and whether it gave a bonus move."""
        rules = self.state.game.rules
        person = self.opponent is None or player == self.seat
        who = self._who(player) if person else self.name
        you = person and self.opponent is not None
        did = [] if person else [f"plays {text}"]
        if rules.nested:
            block = place_of(rules, self.state.history()[-1]).block
            if view.owners[block] == player:
                did.append(f"{'win' if you else 'wins'} {block_name(rules, block)}")
            elif view.owners[block] == DRAWN:
                did.append(f"{'fill' if you else 'fills'} {block_name(rules, block)}, which neither player wins")
        bonus = f", which gives {'you ' if you else '' if person else 'it '}a bonus move" if view.bonus else ""
        if did:
            yield f"{capitalized(who)} {' and '.join(did)}{bonus}."

    def _open_move(self) -> list[str]:
        view = self.state.view()
        if view.open_move and not view.over:
            return [f"Open move: block {view.sent} is closed, so choose any open block."]
        return []

    def _undo(self) -> bool:
        """Takes back moves to the person's previous turn. Returns False, with a message, if there is none."""
        taken: list[int] = []
        while self.state.history():
            taken.append(self.state.history()[-1])
            self.state.undo_action()
            if self._is_person():
                del self.seconds[len(self.seconds) - len(taken) :]
                moves = [self.state.action_to_string(action) for action in reversed(taken)]
                self.say(f"Took back {listed(moves, 'and')}.")
                return True
        for action in reversed(taken):
            self.state.apply_action(action)
        self.say("You have no move to take back.")
        return False

    def _save(self, name: str) -> None:
        name = name.strip("\"'")
        path = Path(name) if name.endswith(".json") or not name else Path(f"{name}.json")
        if name and path.exists():
            self.say(f"The game is not saved: {one_line(path)} already exists; choose another name.")
            return
        try:
            path = save_game(self.record(), path if name else None)
        except (ValueError, OSError) as error:
            self.say(f"The game is not saved: {error.strerror if isinstance(error, OSError) else error}")
            return
        self.saved = path, len(self.state.history())
        print(f"Saved. To continue later, run:\n  noughts play {shell_quote(path)}")

    def _legal(self) -> str:
        legal = self.state.legal_actions()
        some = "  ".join(map(self.state.action_to_string, legal[:MOVES_LISTED]))
        more = f"  and {len(legal) - MOVES_LISTED} more" if len(legal) > MOVES_LISTED else ""
        return f"Legal moves ({len(legal)}): {some}{more}"

    def _help(self) -> str:
        lines = [f"A move is {action_form(self.state.game.rules)}.", *([KEYS_HELP] if self._fitting_keys() else [])]
        lines += [f"{name:8}{what}" for name, what in COMMANDS.items()]
        return "\n".join(textwrap.fill(line, width(), subsequent_indent=" " * 8) for line in lines)
