"""One game that is played on the page: seats, clocks, what people ask for, and what each of them is shown.

A key opens a person's seat: its holder plays it. Everybody else who knows the game's number may watch. The rules decide
what is legal; this only asks them.
"""

from __future__ import annotations

import hmac
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from noughts import board
from noughts.draw import player_name
from noughts.game import Game, State
from noughts.library import load_game
from noughts.matches.record import RESIGNED, UNFINISHED, GameRecord
from noughts.sandbox import Fault
from noughts.text.replies import explain, reader_of

PERSON, ENGINE = "person", "engine"
TIME = "time"
LEAST_SECONDS = 0.02
"""An opponent on the clock is given at least so much for a move, and at most a share of what it has left."""
SHARE_OF_CLOCK = 30


class NotAllowed(ValueError):  # noqa: N818 - as `IllegalMove`
    """Something that the rules, the seat or the moment do not allow; the message says which."""


def new_key() -> str:
    """Returns a key for a person's seat."""
    return secrets.token_urlsafe(16)


@dataclass
class Table:
    """A game. players: the names of the two in records. titles: their names for people. keys: those that open the seats
    of people; None where a player of the server's sits.

    clock: seconds for each player for the whole game, None without one; left: what is left of them.
    seconds: that each move took; moves: who made it, and its text. ended: how it ended if not by the rules, [reason,
    loser, what is said of the loser]. asked: the player who asked for a move to be taken back, if the other must
    agree; again: who asked for another game. next: the number of the game that follows this one. address: of the
    person who did something last, in whose turn the opponent thinks. lost: could not be kept, and is no longer true.
    """

    id: str
    state: State
    players: tuple[str, str]
    titles: tuple[str, str]
    keys: tuple[str | None, str | None]
    clock: float | None = None
    left: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    ended: tuple[str, int, str] | None = None
    asked: int | None = None
    again: int | None = None
    next: str | None = None
    version: int = 0
    since: float = field(default_factory=time.monotonic)
    moves: list[tuple[int, str]] = field(default_factory=list)
    address: str = ""
    lost: bool = False
    _shown: dict[tuple[int, bool], dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        state = self.game.new_initial_state()
        for action in self.state.history():
            self.moves.append((state.current_player(), state.action_to_string(action)))
            state.apply_action(action)

    @property
    def game(self) -> Game:
        return self.state.game

    @property
    def over(self) -> bool:
        return self.ended is not None or self.state.is_terminal()

    @property
    def player(self) -> int | None:
        """Whose move it is; None if the game is over."""
        return None if self.over else self.state.current_player()

    @property
    def together(self) -> bool:
        """Whether one person plays both seats, on one screen."""
        return self.keys[0] is not None and self.keys[0] == self.keys[1]

    @property
    def is_between_people(self) -> bool:
        """Whether two people play, each at a screen of their own."""
        return None not in self.keys and not self.together

    def held(self, key: str) -> list[int]:
        """The seats that a key opens."""
        given = key.encode()
        return [
            number
            for number, own in enumerate(self.keys)
            if own is not None and hmac.compare_digest(own.encode(), given)
        ]

    # What happens.

    def touch(self) -> None:
        """Something changed: what was shown is out of date."""
        self.version += 1
        self._shown.clear()

    def running(self, player: int) -> float | None:
        """Seconds left on a player's clock now."""
        if self.clock is None:
            return None
        spent = time.monotonic() - self.since if self.player == player and self.state.history() else 0.0
        return max(0.0, self.left[player] - spent)

    def play(self, player: int, action: int) -> None:
        """NotAllowed, or IllegalMove if it is on no board, and nothing changed, if that cannot be; it says why."""
        self._require_turn(player)
        names = reader_of(self.game.rules).names
        if 0 <= action < len(names) and action not in self.state.legal_actions():
            raise NotAllowed(explain(self.state, action, names[action], names).message.removesuffix("."))
        now = time.monotonic()
        first = not self.seconds
        self.state.apply_action(action)
        self.moves.append((player, self.state.action_to_string(action)))
        taken = 0.0 if first else now - self.since
        self.seconds.append(round(taken, 3))
        if self.clock is not None:
            self.left[player] = max(0.0, self.left[player] - taken)
        self.since, self.asked = now, None
        self.touch()

    def _require_turn(self, player: int) -> None:
        if self.over:
            raise NotAllowed("the game is over")
        if self.player != player:
            raise NotAllowed("it is not your move")

    def action_of(self, cell: int, mark: str | None) -> int:
        """The action that a cell and a mark are; whether it is legal the rules say when it is played."""
        rules = self.game.rules
        if rules.choices == 1:
            return cell
        if mark is None or len(mark) != 1 or mark not in rules.marks:
            raise NotAllowed(f"a move names a mark, one of {', '.join(rules.marks)}")
        return cell * rules.choices + rules.marks.index(mark)

    def flag_fallen(self) -> bool:
        """Ends the game if the player to move has no time left; whether it did."""
        player = self.player
        if player is None or self.clock is None or (self.running(player) or 0.0) > 0:
            return False
        self.left[player], self.ended = 0.0, (TIME, player, "ran out of time")
        self.touch()
        return True

    def resign(self, player: int) -> None:
        if self.over:
            raise NotAllowed("the game is over")
        self.ended = (RESIGNED, player, "")
        self.touch()

    def forfeit(self, player: int, kind: str, text: str) -> None:
        """A bot did what it may not; kind and text are those of its `Fault`."""
        if not self.over:
            self.ended = (kind, player, text)
            self.touch()

    def undo(self, player: int) -> bool:
        """Takes back to this player's last own decision; between two people only if both ask. Whether it was done."""
        own = self.together or any(mover == player for mover, _ in self.moves)
        if self.ended is not None or not self.state.history() or not own:
            raise NotAllowed("there is no move to take back")
        if self.is_between_people and self.asked != 1 - player:
            self.asked = player
            self.touch()
            return False
        self.state.undo_action()
        while not self.together and self.state.history() and self.state.current_player() != player:
            self.state.undo_action()
        count = len(self.state.history())
        del self.seconds[count:], self.moves[count:]
        self.asked, self.since = None, time.monotonic()
        self.touch()
        return True

    def thinking_time(self, most: float) -> float:
        """For the opponent's next move."""
        player = self.state.current_player()
        left = self.running(player)
        return most if left is None else max(LEAST_SECONDS, min(most, left / SHARE_OF_CLOCK))

    # What is shown and kept.

    def record(self) -> GameRecord:
        """The game so far as a replay."""
        record = GameRecord(self.game, self.players, moves=self.state.history(), seconds=list(self.seconds))
        if self.ended is not None:
            reason, loser, text = self.ended
            if reason == RESIGNED:
                record.end_by_resigning(loser)
            else:
                record.end_by_fault(loser, Fault(reason, text))
        elif self.state.is_terminal():
            record.end_by_rules(self.state)
        else:
            record.reason = UNFINISHED
        return record

    def shown(self, held: list[int]) -> dict[str, Any]:
        """All that someone with these seats may know. Legal moves are told to whoever may make them."""
        mine = self.player in held
        key = (self.version, mine)
        if key not in self._shown:
            self._shown[key] = self._facts(mine)
        clocks = [self.running(player) for player in (0, 1)]
        return self._shown[key] | {"you": held, "clocks": clocks, "asked": self.asked, "again": self.again}

    def _facts(self, mine: bool) -> dict[str, Any]:
        view = board.view(self.state, legal=mine)
        if self.ended is not None:
            view |= {"player": None, "open": [], "status": self._end(), "winner": 1 - self.ended[1]}
        if self.moves:
            mover, last = self.moves[-1]
            view["says"] = f"{_capital(view['shape']['names'][mover])} played {last}. {view['status']}."
        return {
            "type": "game",
            "id": self.id,
            "version": self.version,
            "view": view,
            "moves": list(self.moves),
            "seats": self._seats(),
            "clock": self.clock,
            "over": self.over,
            "result": self._end() if self.over else None,
            "together": self.together,
            "next": self.next,
        }

    def _seats(self) -> list[dict[str, str]]:
        return [
            {"kind": ENGINE if key is None else PERSON, "player": player, "title": title}
            for player, title, key in zip(self.players, self.titles, self.keys, strict=True)
        ]

    def _end(self) -> str:
        if self.ended is None:
            return board.view(self.state, legal=False)["status"]  # type: ignore[no-any-return]
        reason, loser, text = self.ended
        said = "resigned" if reason == RESIGNED else text
        return f"{self.titles[loser]} {said}: {player_name(self.game.rules, 1 - loser)} wins"

    def to_data(self) -> dict[str, Any]:
        """For the file."""
        return {
            "game": self.game.name,
            "moves": self.state.history(),
            "seats": [seat | {"key": key} for seat, key in zip(self._seats(), self.keys, strict=True)],
            "clock": self.clock,
            "left": [self.running(player) for player in (0, 1)] if self.clock is not None else [],
            "seconds": self.seconds,
            "ended": self.ended,
            "next": self.next,
        }


def table_from(number: str, data: dict[str, Any]) -> Table:
    """Returns the table of `to_data`. Clocks go on from where they were kept: the server's absence is free."""
    game = load_game(data["game"])
    state = game.new_initial_state()
    for action in data["moves"]:
        state.apply_action(action)
    players, titles, keys = zip(
        *((seat["player"], seat["title"], seat["key"] if seat["kind"] == PERSON else None) for seat in data["seats"]),
        strict=True,
    )
    ended = None if data["ended"] is None else (str(data["ended"][0]), int(data["ended"][1]), str(data["ended"][2]))
    clocks = data["clock"], data["left"], data["seconds"]
    return Table(number, state, players, titles, keys, *clocks, ended, next=data["next"])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
