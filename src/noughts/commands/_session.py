"""One game at the keyboard: what is shown, what may be typed, what is said of moves."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from noughts.printable import one_line, paragraph, shell_quote

if TYPE_CHECKING:
    from noughts.game import State
    from noughts.matches.record import GameRecord
    from noughts.players import BasePlayer

MOVES_LISTED = 60
LONGEST_NAME = 4096
"""Of a file, as it is told."""

COMMANDS = {
    "hint": "suggest a move, and say why",
    "moves": "list the legal moves",
    "rules": "the rules of the game",
    "board": "draw the board again",
    "undo": "take back your last move and the answer",
    "save": "keep the game so far, to go on later; save FILE names the file",
    "resign": "give the game up",
    "quit": "leave, and be told how to go on",
}


class Left(Exception):  # noqa: N818 - not an error
    """The person at the keyboard has had enough."""


@dataclass
class Session:
    """seat: the person's; without an opponent they play both. name: what the opponent is called; text: in a saved game.
    from_start: whether all moves of the game are known, so that it can be kept.
    """

    state: State
    seat: int
    opponent: BasePlayer | None
    name: str
    text: str
    ascii_only: bool = False
    from_start: bool = True
    resigned: int | None = None
    seconds: list[float] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    _asked: float = 0.0

    def play(self) -> None:
        """Until the game ends or the person leaves."""
        from noughts.clock import Clock

        self.seconds += [0.0] * (len(self.state.history()) - len(self.seconds))
        while not self.state.is_terminal() and self.resigned is None:
            if self._is_person():
                self._draw()
                self._turn()
            else:
                assert self.opponent is not None
                started = time.monotonic()
                self._apply(self.opponent.choose(self.state, Clock()), time.monotonic() - started)
        if self.resigned is None:
            self._draw()
        print(self.result())

    def record(self) -> GameRecord:
        """The game so far."""
        from noughts.commands._kept import PERSON
        from noughts.matches.record import UNFINISHED, GameRecord

        first, second = (PERSON, self.text) if self.seat == 0 else (self.text, PERSON)
        if self.opponent is None:
            first, second = "player 0", "player 1"
        record = GameRecord(self.state.game, (first, second), moves=self.state.history(), seconds=list(self.seconds))
        if self.resigned is not None:
            record.end_by_resigning(self.resigned)
        elif self.state.is_terminal():
            record.end_by_rules(self.state)
        else:
            record.reason = UNFINISHED
        return record

    def result(self) -> str:
        """How the game ended, in a sentence."""
        if self.resigned is not None:
            return _sentence(f"{self._who(self.resigned)} resigned; {self._who(1 - self.resigned)} won.")
        end = self.state.outcome()
        assert end is not None
        points = f"points {end.points[0]} : {end.points[1]}"
        if end.winner is None:
            return f"The game is over without a line; {points}."
        verb = "win" if self.opponent and end.winner == self.seat else "wins"
        return _sentence(f"{self._who(end.winner)} {verb}; {points}.")

    # What is shown.

    def _draw(self) -> None:
        """The board, what has happened, and whose move it is. On a low screen without blank lines, so that all of the
        board is seen above the prompt.
        """
        from noughts.commands.output import board, width

        canvas, _, status = board(self.state, ascii_only=self.ascii_only).rpartition("\n\n")
        news = " ".join(self.news)
        self.news = []
        if self._is_low(canvas) and not self.state.is_terminal():
            news = news or ("" if self.state.history() else "Type help for more.")
            news = textwrap.shorten(news, max(10, width() - len(status) - 2), placeholder=" ...")
            print(canvas, f"{news} {status}".lstrip(), sep="\n")
            return
        parts = ["", canvas, "", *paragraph(news, width()).splitlines(), status, ""]
        print("\n".join(parts))

    def _is_low(self, canvas: str) -> bool:
        around = 6  # lines: blank, blank, news, status, blank, prompt
        return sys.stdout.isatty() and shutil.get_terminal_size().lines < canvas.count("\n") + 1 + around

    def say(self, text: str) -> None:
        from noughts.commands.output import width

        print(textwrap.fill(text, width(), break_on_hyphens=False))

    def _is_person(self) -> bool:
        return self.opponent is None or self.state.current_player() == self.seat

    def _who(self, player: int) -> str:
        rules = self.state.game.rules
        mark = f" ({rules.places[player]})" if rules.own_marks else ""
        if self.opponent is None:
            return f"player {player}{mark}"
        mark = mark or f" (player {player})"
        return f"you{mark}" if player == self.seat else f"{self.name}{mark}"

    # What may be typed.

    def _turn(self) -> None:
        """Ask until the position changes."""
        self._asked = time.monotonic()
        while True:
            text = input(f"{self._who(self.state.current_player())}> ").strip()
            command, _, rest = text.partition(" ")
            command = command.lower()
            if command in ("quit", "exit", "q") and not rest:
                raise Left
            if command == "resign" and not rest:
                if self._really("Resign, and lose the game? y or n > "):
                    self.resigned = self.state.current_player()
                    return
            elif command == "undo" and not rest:
                if self._undo():
                    return
            elif command == "save":
                self._save(rest.strip())
            elif not self._tell(text.lower()) and self._move(text):
                return

    def _tell(self, command: str) -> bool:
        """Answer a question that changes nothing; False if it is none."""
        if command == "moves":
            self.say(self._legal())
        elif command == "hint":
            from noughts.commands._evaluations import hint

            self.say(f"Hint: {hint(self.state)}")
        elif command == "rules":
            from noughts.commands.rules import rules_page

            print(rules_page(self.state.game, self.state.current_player(), ascii_only=self.ascii_only))
        elif command == "board":
            self._draw()
        elif command in ("help", "?", ""):
            print(self._help())
        else:
            return False
        return True

    def _really(self, question: str) -> bool:
        return input(question).strip().lower() in ("y", "yes", "resign")

    def _move(self, text: str) -> bool:
        from noughts.text.replies import explain, reader_of

        try:
            action = self.state.string_to_action(text)
        except ValueError as error:
            self.say(f"{error}. Or type {', '.join(COMMANDS)}.")
            return False
        if action not in self.state.legal_actions():
            names = reader_of(self.state.game.rules).names
            self.say(_sentence(explain(self.state, action, names[action], names).message))
            return False
        self._apply(action, time.monotonic() - self._asked)
        return True

    def _apply(self, action: int, seconds: float) -> None:
        """Play a move, and note what it did."""
        player, text = self.state.current_player(), self.state.action_to_string(action)
        self.state.apply_action(action)
        self.seconds.append(seconds)
        what = self._done(player, action)
        if self.opponent is not None and player != self.seat:
            self.news.append(f"{_sentence(self.name)} plays {text}{what and f' and {what}'}.")
        elif what:
            self.news.append(f"{_sentence(self._who(player))} {what}.")
        self.news += self._next_move()

    def _done(self, player: int, action: int) -> str:
        """What a move did to its block, after "and"; nothing if that is as it was."""
        from noughts.rules.geometry import place_of
        from noughts.rules.view import DRAWN
        from noughts.text.words import block_name

        rules = self.state.game.rules
        if not rules.nested:
            return ""
        block = place_of(rules, action).block
        owner, name = self.state.view().owners[block], block_name(rules, block)
        if owner == player:
            return f"won {name}"
        return f"filled {name}, which nobody won" if owner == DRAWN else ""

    def _next_move(self) -> list[str]:
        """What is special about the next move."""
        view = self.state.view()
        said = [f"Bonus move for {self._who(view.player)}."] if view.bonus else []
        if view.open_move and not view.over:
            said.append(f"Open move: block {view.sent} is closed, so any open block will do.")
        return said

    def _undo(self) -> bool:
        """Take back to the person's previous choice; False, with a word, if there is none."""
        taken: list[int] = []
        while self.state.history():
            taken.append(self.state.history()[-1])
            self.state.undo_action()
            if self._is_person():
                del self.seconds[len(self.seconds) - len(taken) :]
                print(f"Took back {', '.join(self.state.action_to_string(action) for action in reversed(taken))}.")
                return True
        for action in reversed(taken):
            self.state.apply_action(action)
        print("There is no move of yours to take back.")
        return False

    def _save(self, name: str) -> None:
        from noughts.commands._kept import keep

        if not self.from_start:
            self.say("A game that began from a position cannot be saved: its first moves are not known.")
            return
        name = name.strip("\"'")
        path = Path(name) if name.endswith(".json") or not name else Path(f"{name}.json")
        if name and path.exists():
            self.say(f"The game is not saved: {one_line(path)} is there already; take another name.")
            return
        try:
            path = keep(self.record(), path if name else None)
        except (ValueError, OSError) as error:
            self.say(f"The game is not saved: {error.strerror if isinstance(error, OSError) else error}")
            return
        print(f"Saved. To go on later:\n  noughts play {shell_quote(path)}")

    def _legal(self) -> str:
        legal = self.state.legal_actions()
        some = "  ".join(map(self.state.action_to_string, legal[:MOVES_LISTED]))
        more = f"  and {len(legal) - MOVES_LISTED} more" if len(legal) > MOVES_LISTED else ""
        return f"Legal moves ({len(legal)}): {some}{more}"

    def _help(self) -> str:
        from noughts.notation import action_form

        lines = [f"{name:8}{what}" for name, what in COMMANDS.items()]
        return "\n".join([f"A move is {action_form(self.state.game.rules)}.", *lines])


def _sentence(text: str) -> str:
    """With a capital at its beginning, the rest as it is."""
    return text[:1].upper() + text[1:]
