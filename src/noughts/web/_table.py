"""One game on the page: seats, clocks, offers, and what each player sees.

A key gives control of a seat; everyone else who knows the game's number may watch. Undo, draw, hints and rematch need
both people: one offers, and the other accepts by making the same offer. The rules decide what is legal; this module
only asks them.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from noughts import board
from noughts.draw import player_name
from noughts.game import Game, State
from noughts.matches.record import AGREED, RESIGNED, GameRecord
from noughts.printable import capitalized
from noughts.sandbox import Fault
from noughts.text.replies import explain, reader_of
from noughts.tournaments.visibility import PUBLIC, Visibility
from noughts.web._members import NOBODY, Member
from noughts.web._positions import listed_game
from noughts.web._settings import UPLOADED

UNDO, DRAW, HINTS, REMATCH, SWAP = "undo", "draw", "hints", "rematch", "swap"
"""Offers between people; SWAP is a rematch with the sides swapped."""
TIME = "time"
LEAST_SECONDS = 0.02
"""Minimum seconds of an opponent with a clock for a move; the maximum is a share of its remaining time."""
SHARE_OF_CLOCK = 30


class NotAllowed(ValueError):  # noqa: N818 - as `IllegalMove`
    """An action that the rules, the seat or the state of the game do not allow; the message says which."""


def new_key() -> str:
    """Returns a key for a person's seat."""
    return secrets.token_urlsafe(16)


Text = Annotated[str, Field(max_length=2000)]
Seconds = Annotated[FiniteFloat, Field(ge=0, le=1e9)]


class Seat(BaseModel):
    """A player of a game. player: the name in records. title: the displayed name, '' if not given. key: gives control
    of a person's seat; None for the server's players.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    player: Text
    title: Text
    key: Text | None


@dataclass
class Table:
    """A game.

    clock: seconds of each player for the whole game, None without a clock; left: the remaining seconds. seconds: of
    each move; moves: the player of each move, and its text. ended: an end not by the rules, [reason, loser (None: a
    draw), description of the loser]. offers: open offers, and their players. hints: whether both agreed to hints.
    opening: number of given moves. offered: the seat of an open challenge. next: the number of the rematch. version:
    counts changes, even over restarts. member: the last active member, in whose turn the opponent thinks. present:
    connected browsers of each seat. watchers: set when the game changed. timer: until a flag falls. thinking: the
    opponent's turn. lost: could not be saved, so it is no longer valid.
    """

    id: str
    state: State
    seats: list[Seat]
    clock: float | None = None
    left: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    ended: tuple[str, int | None, str] | None = None
    next: str | None = None
    version: int = 0
    hints: bool = False
    opening: int = 0
    offered: int | None = None
    offers: dict[str, int] = field(default_factory=dict)
    present: Counter[int] = field(default_factory=Counter)
    since: float = field(default_factory=time.monotonic)
    moves: list[tuple[int, str]] = field(default_factory=list)
    member: Member = NOBODY
    watchers: set[asyncio.Event] = field(default_factory=set)
    timer: asyncio.TimerHandle | None = None
    thinking: asyncio.Task[None] | None = None
    lost: bool = False
    _facts_cache: dict[tuple[int, ...], dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.clock is not None and not self.left:
            self.left = [float(self.clock)] * 2
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
        """The player to move; None if the game is over."""
        return None if self.over else self.state.current_player()

    @property
    def together(self) -> bool:
        """Whether one person plays both seats, on one screen."""
        first, second = self.seats
        return first.key is not None and first.key == second.key

    @property
    def is_between_people(self) -> bool:
        """Whether two people play, each on their own screen."""
        return all(seat.key is not None for seat in self.seats) and not self.together

    @property
    def names(self) -> tuple[str, str]:
        """The players' public names: only the uploader knows the name that selects an uploaded bot."""
        first, second = (seat.title if seat.player.startswith(UPLOADED) else seat.player for seat in self.seats)
        return first, second

    def title(self, player: int) -> str:
        """Returns a player's displayed name: the name, or the mark."""
        return self.seats[player].title or capitalized(player_name(self.game.rules, player))

    def seats_of(self, key: str) -> list[int]:
        """Returns the seats of a key."""
        wanted = key.encode()
        return [
            number
            for number, seat in enumerate(self.seats)
            if seat.key is not None and hmac.compare_digest(seat.key.encode(), wanted)
        ]

    def acting(self, held: list[int]) -> int:
        """Returns the seat for which someone with these seats acts: the one to move, if it is among them."""
        return self.player if self.player in held else held[0]

    # Events.

    def touch(self) -> None:
        """Marks the game as changed."""
        self.version += 1
        self._facts_cache.clear()

    def wake(self) -> None:
        """Wakes the watchers, so that they get the game's state."""
        for watcher in self.watchers:
            watcher.set()

    def running(self, player: int) -> float | None:
        """Returns the seconds left on a player's clock now; None without clocks."""
        if self.clock is None:
            return None
        spent = time.monotonic() - self.since if self.player == player and self.state.history() else 0.0
        return max(0.0, self.left[player] - spent)

    def name(self, player: int, name: str) -> bool:
        """Sets a person's name. Returns whether it changed."""
        seat = self.seats[player]
        if not name or seat.key is None or seat.title == name:
            return False
        self.seats[player] = Seat(player=name, title=name, key=seat.key)
        self.touch()
        return True

    def play(self, player: int, action: int) -> None:
        """Makes a move. Raises NotAllowed or IllegalMove, without a change, if it cannot be made."""
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
        self.since = now
        stays = [HINTS, (DRAW, player)] if not self.over else []
        self.offers = {kind: by for kind, by in self.offers.items() if kind in stays or (kind, by) in stays}
        self.touch()

    def _require_turn(self, player: int) -> None:
        if self.over:
            raise NotAllowed("the game is over")
        if self.player != player:
            raise NotAllowed("it is not your move")

    def action_of(self, cell: int, mark: str | None) -> int:
        """Returns the action of a cell and a mark, which may be illegal."""
        rules = self.game.rules
        if rules.choices == 1:
            return cell
        if mark is None or len(mark) != 1 or mark not in rules.marks:
            raise NotAllowed(f"a move needs a mark, one of {', '.join(rules.marks)}")
        return cell * rules.choices + rules.marks.index(mark)

    def flag_fallen(self) -> bool:
        """Ends the game if the player to move has no time left. Returns whether it ended."""
        player = self.player
        if player is None or self.clock is None or (self.running(player) or 0.0) > 0:
            return False
        self.left[player] = 0.0
        self._end_by(TIME, player, "ran out of time")
        return True

    def take_free_seat(self, name: str) -> str:
        """Takes the seat of an open challenge, for the first request. Returns its key."""
        free = self.offered
        if free is None or self.over:
            raise NotAllowed("this challenge was taken by someone else, or withdrawn")
        self.offered = None
        self.name(free, name)
        self.touch()
        return self.seats[free].key or ""

    def resign(self, player: int) -> None:
        if self.over:
            raise NotAllowed("the game is over")
        self._end_by(RESIGNED, player)

    def forfeit(self, player: int, fault: Fault, visibility: Visibility) -> None:
        """Ends the game because of a bot's fault. visibility: of the people who play against it; others see less."""
        if not self.over:
            self._end_by(fault.kind, player, visibility.fault(fault, self.names[player]).text)

    def _end_by(self, reason: str, loser: int | None, text: str = "") -> None:
        self.ended, self.offers = (reason, loser, text), {}
        self.touch()

    def offer(self, kind: str, player: int) -> bool:
        """Makes an offer to the other person. Returns whether both now agree."""
        agreed = self.offers.get(kind) == 1 - player
        self.offers = {known: by for known, by in self.offers.items() if known != kind}
        if not agreed:
            self.offers[kind] = player
        self.touch()
        return agreed

    def decline(self, player: int) -> None:
        """Declines the other person's offers."""
        self.offers = {kind: by for kind, by in self.offers.items() if by == player}
        self.touch()

    def draw(self, player: int) -> None:
        """Offers a draw, or accepts one."""
        if self.over:
            raise NotAllowed("the game is over")
        if not self.is_between_people:
            raise NotAllowed("a draw needs another person to agree")
        if self.offer(DRAW, player):
            self._end_by(AGREED, None)

    def undo(self, player: int) -> bool:
        """Takes back moves to the previous decision of the player who asked first; between two people only if both ask.

        Returns whether moves were taken back. Clocks get no time back: the time since the last move counts for the
        player who was to move.
        """
        if self.over:
            raise NotAllowed("the game is over")
        asker = self.offers.get(UNDO, player)
        own = any(self.together or mover == asker for mover, _ in self.moves[self.opening :])
        if not own:
            raise NotAllowed("there is no move to take back")
        if self.is_between_people and not self.offer(UNDO, player):
            return False
        if self.clock is not None:
            self.left = [self.running(each) or 0.0 for each in (0, 1)]
        self.state.undo_action()
        while not self.together and self.state.current_player() != asker:
            self.state.undo_action()
        count = len(self.state.history())
        del self.seconds[count:], self.moves[count:]
        self.since = time.monotonic()
        self.touch()
        return True

    def thinking_time(self, most: float) -> float:
        """Returns the seconds for the opponent's next move."""
        player = self.state.current_player()
        left = self.running(player)
        return most if left is None else max(LEAST_SECONDS, min(most, left / SHARE_OF_CLOCK))

    # Display and storage.

    def record(self) -> GameRecord:
        """Returns the game so far as a replay."""
        record = GameRecord(self.game, self.names, moves=self.state.history(), seconds=list(self.seconds))
        record.opening = self.opening
        if self.ended is not None:
            reason, loser, text = self.ended
            if loser is None:
                record.end_by_agreement()
            elif reason == RESIGNED:
                record.end_by_resigning(loser)
            else:
                record.end_by_fault(loser, Fault(reason, text))
        else:
            record.end_by_rules(self.state)
        return record

    def facts_for(self, held: list[int]) -> dict[str, Any]:
        """Returns everything that someone with these seats may know. Only the player to move gets the legal moves."""
        key = tuple(held)
        if key not in self._facts_cache:
            self._facts_cache[key] = self._facts(held)
        clocks = [self.running(player) for player in (0, 1)]
        present = [self.present[player] > 0 for player in (0, 1)]
        return self._facts_cache[key] | {"you": held, "clocks": clocks, "present": present}

    def _facts(self, held: list[int]) -> dict[str, Any]:
        view = board.view(self.state, legal=self.player in held)
        if self.ended is not None:
            loser = self.ended[1]
            winner = None if loser is None else 1 - loser
            view |= {"player": None, "open": [], "status": self._end(held), "winner": winner}
        if self.moves:
            mover, last = self.moves[-1]
            view["says"] = f"{capitalized(view['shape']['names'][mover])} played {last}. {view['status']}."
        return {
            "type": "game",
            "id": self.id,
            "version": self.version,
            "view": view,
            "moves": list(self.moves),
            "seats": [self._seat(player) for player in (0, 1)],
            "clock": self.clock,
            "over": self.over,
            "result": self._end(held) if self.over else None,
            "together": self.together,
            "people": self.is_between_people,
            "offers": self.offers,
            "offered": self.offered is not None,
            "hints": self.hints or not self.is_between_people,
            "next": self.next,
        }

    def _seat(self, player: int) -> dict[str, Any]:
        seat = self.seats[player]
        return {
            "kind": "engine" if seat.key is None else "person",
            "player": self.names[player],
            "title": self.title(player),
            "named": bool(seat.title),
        }

    def _end(self, held: list[int]) -> str:
        """Returns the end of the game for someone with these seats. Only the opponent sees the text of a bot's fault:
        the opponent of an uploaded bot is its uploader.
        """
        if self.ended is None:
            return board.view(self.state, legal=False)["status"]  # type: ignore[no-any-return]
        reason, loser, text = self.ended
        if loser is None:
            return "Draw by agreement"
        if self.seats[loser].key is None and not held:
            text = PUBLIC.fault(Fault(reason, text), self.names[loser]).text
        name = "You" if loser in held and not self.together else self.title(loser)
        end = "resigned" if reason == RESIGNED else text
        return f"{name} {end}: {player_name(self.game.rules, 1 - loser)} wins"

    def to_data(self) -> dict[str, Any]:
        """Returns the game for the file."""
        return {name: getattr(self, name) for name in _KeptTable.model_fields} | {
            "game": self.game.name,
            "moves": self.state.history(),
            "seats": [seat.model_dump() for seat in self.seats],
            "left": [self.running(player) for player in (0, 1)] if self.clock is not None else [],
        }


class _KeptTable(BaseModel):
    """What the file keeps of a table, to validate the file, which others may have changed."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=0, le=2**53)
    game: Text
    moves: list[int] = Field(max_length=4096)
    seats: list[Seat] = Field(min_length=2, max_length=2)
    clock: Seconds | None
    left: list[Seconds] = Field(max_length=2)
    seconds: list[Seconds]
    ended: tuple[Text, Literal[0, 1] | None, Text] | None
    hints: bool
    opening: int = Field(default=0, ge=0)
    offered: Literal[0, 1] | None = None
    next: str | None = Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")


def table_from(number: str, data: object) -> Table:
    """Returns the table of `to_data`. Raises ValueError if it is invalid. Clocks continue from their stored times."""
    kept = _KeptTable.model_validate(data)
    state = listed_game(kept.game).new_initial_state()
    if len(kept.seconds) != len(kept.moves) or len(kept.left) != (0 if kept.clock is None else 2):
        raise ValueError("its times do not fit its moves")
    if kept.opening > len(kept.moves):
        raise ValueError("its start is after its moves")
    for action in kept.moves:
        state.apply_action(action)
    return Table(number, state, **{name: value for name, value in kept if name not in ("game", "moves")})
