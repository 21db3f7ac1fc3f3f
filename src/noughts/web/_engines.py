"""Opponents and helpers that think: in a few threads of their own, so that the server answers everybody meanwhile.

A client chooses an opponent from the list; what makes it is written here or was typed by the operator. Compiled search
lets go of the interpreter, so the event loop runs on while threads think. Each thread keeps a few players ready: tables
take memory, and a table for each of a thousand games would take all there is.

Uploaded bots, where the operator allows them, run in the sandbox: a process for each game, a few at once, asked by
threads of their own, so that a slow one keeps nobody waiting who plays against others. Only the uploader is told the
name that it is chosen by.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Set
from contextlib import nullcontext
from dataclasses import dataclass

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players import BasePlayer, make_player
from noughts.players.bot import BotPlayer
from noughts.printable import one_line
from noughts.sandbox import BotLimits, BotSource
from noughts.web._fair_pool import FairThreadPool
from noughts.web._members import Member
from noughts.web._quotas import Busy, Quotas
from noughts.web._settings import (
    BOT_BYTES,
    BOT_LOAD_SECONDS,
    BOT_MEMORY,
    BOT_SECONDS,
    BOTS_RUNNING,
    NAME_LENGTH,
    THINKING_SECONDS,
    UPLOADED,
)

PLAYERS_READY = 6
"""For each thread, of any game; the largest have 32 MB."""


@dataclass(frozen=True)
class Opponent:
    """name: as records have it. title: for people. player: a name that makes it, or an object; trusted. flat: only for
    games that can be solved. source, owner: of an uploaded bot, and the key of its uploader.
    """

    name: str
    title: str
    player: object
    flat: bool = False
    source: BotSource | None = None
    owner: str = ""


def listed_opponents(own: Mapping[str, object]) -> dict[str, Opponent]:
    """Returns everybody who can be chosen: the built-in ones, and those of the operator by the names given to them."""
    levels = [
        Opponent(
            f"alphabeta:level={level}",
            f"Level {level}",
            f"alphabeta:level={level}" + (f",time={THINKING_SECONDS:g},memory=32" if level == 10 else ""),
        )
        for level in range(1, 11)
    ]
    others = [
        Opponent("random", "Random moves", "random"),
        Opponent("greedy", "Greedy", "greedy"),
        Opponent("perfect", "Perfect", "perfect", flat=True),
        Opponent("mcts", "Monte Carlo tree search", f"mcts:time={THINKING_SECONDS:g},memory=32"),
    ]
    own_ones = [Opponent(name, name, player) for name, player in own.items()]
    return {one.name: one for one in (*levels, *others, *own_ones)}


class Engines:
    """The threads, and the players that they keep ready."""

    def __init__(self, own: Mapping[str, object], workers: int, quotas: Quotas) -> None:
        self.opponents = listed_opponents(own)
        self._own = frozenset(own)
        self._quotas = quotas
        self._threads = FairThreadPool(workers, "opponent", quotas.moves)
        self._ready = threading.local()
        self._bot_threads = FairThreadPool(BOTS_RUNNING, "bots", quotas.bot_moves)
        self._lock = threading.Lock()
        self._objects = threading.Lock()
        """A player object is the same one in all threads: one of them asks at a time."""
        self._idle: OrderedDict[tuple[str, str], BasePlayer] = OrderedDict()
        """Bots that run and are not asked now, by their names and their games."""
        self._asked = 0
        self._closed = False

    def close(self) -> None:
        self._threads.close()
        self._bot_threads.close()
        with self._lock:
            self._closed = True
            idle = list(self._idle.values())
            self._idle.clear()
        for player in idle:
            player.close()

    def take_bot(self, name: str, text: str, member: Member, sitting: Set[str] = frozenset()) -> Opponent:
        """Returns an uploaded bot as an opponent; ValueError if it is too large. It is not looked at here.

        It takes the place of the uploader's oldest bot if there are too many; Busy if all of them play. sitting: the
        opponents of games that go on, which are kept.
        """
        if len(text.encode("utf-8", "replace")) > BOT_BYTES:
            raise ValueError(f"a bot is at most {BOT_BYTES >> 10} KB")
        if "\0" in text:
            raise ValueError("a bot is a text file")
        title = one_line(name.strip(), NAME_LENGTH) or "bot"
        key = f"{UPLOADED}{secrets.token_urlsafe(12)}"
        share = self._quotas.bots
        if share.held[member.key] >= share.most(member):
            self._drop_bot(member.key, sitting)
        giver = share.take(member)
        if giver is not None:
            try:
                self._drop_bot(giver, sitting)
            except Busy:
                share.give(member.key)
                raise
        self.opponents[key] = Opponent(key, title, "", False, BotSource(f"{title}.py", None, text), member.key)
        return self.opponents[key]

    def _drop_bot(self, owner: str, sitting: Set[str]) -> None:
        """Forgets the oldest bot of a client that is in no game; Busy if there is none."""
        names = [name for name, one in self.opponents.items() if one.source is not None and one.owner == owner]
        old = next((name for name in names if name not in sitting), None)
        if old is None:
            raise Busy("as many bots as there is room for are playing now; try again when a game is over")
        del self.opponents[old]
        self._quotas.bots.give(owner)

    def require_room(self, member: Member) -> None:
        """Busy if so many moves of the computer wait, in all or for this client, that no game should begin."""
        share = self._quotas.moves
        if share.held[member.key] >= share.most(member) or share.held.total() >= share.total:
            raise Busy("the computer has to move in more games than it can; wait until it has, then begin another one")

    def for_game(self, game: Game) -> list[Opponent]:
        """Returns who can play a game, as far as that is known without trying; without uploaded bots."""
        return [one for one in self.opponents.values() if one.source is None and _fits(one, game)]

    async def checked(self, name: str, game: Game, seat: int, member: Member) -> Opponent:
        """Returns an opponent from the list, able to play this game in this seat; ValueError in a sentence if not."""
        found = self.opponents.get(name)
        if found is None or not _fits(found, game):
            known = ", ".join(one.name for one in self.for_game(game))
            raise ValueError(f"there is no such opponent for {game.name}; there are {known}")
        if name in self._own:
            await self._threads.run(member, _try, found, game, seat)
        return found

    async def choose(self, opponent: Opponent, state: State, seconds: float, game: str, member: Member) -> int:
        """Returns a move, found in `seconds` once a thread serves this client. game: its number, for bots.

        BotFault if the opponent crashes, is late or makes no legal move; Busy if too many moves wait.
        """
        if opponent.source is not None:
            return await self._bot_threads.run(member, self._ask_bot, opponent, state.clone(), game)
        return await self._threads.run(member, self._choose, opponent, state.clone(), seconds)

    def _choose(self, opponent: Opponent, state: State, seconds: float) -> int:
        with nullcontext() if isinstance(opponent.player, str) else self._objects:
            return self._player(opponent, state.game).ask(state, Clock(seconds)).action

    def _ask_bot(self, opponent: Opponent, state: State, game: str) -> int:
        """Asks a bot, in a thread; no two ask for one game at once. A bot that is asked is not stopped."""
        key, old = (opponent.name, game), []
        with self._lock:
            player = self._idle.pop(key, None)
            while self._idle and len(self._idle) + self._asked >= BOTS_RUNNING:
                old.append(self._idle.popitem(last=False)[1])
            self._asked += 1
        for one in old:
            one.close()
        try:
            if player is None:
                assert opponent.source is not None
                player = BotPlayer(opponent.source, limits=BotLimits(BOT_SECONDS, BOT_LOAD_SECONDS, BOT_MEMORY))
            return player.ask(state, Clock(BOT_SECONDS)).action
        finally:
            with self._lock:
                self._asked -= 1
                kept = player is not None and not self._closed
                if player is not None and kept:
                    self._idle[key] = player
            if player is not None and not kept:
                player.close()

    def _player(self, opponent: Opponent, game: Game) -> BasePlayer:
        ready: OrderedDict[tuple[str, Game], BasePlayer] = self._ready.__dict__.setdefault("players", OrderedDict())
        key = (opponent.name, game)
        if key not in ready:
            ready[key] = make_player(opponent.player)
            ready[key].prepare(game)
            while len(ready) > PLAYERS_READY:
                (name, _), old = ready.popitem(last=False)
                _close(self.opponents[name], old)
        ready.move_to_end(key)
        return ready[key]


def _try(opponent: Opponent, game: Game, seat: int) -> None:
    """ValueError if a player of the operator cannot play this game in this seat."""
    player = make_player(opponent.player)
    try:
        player.prepare(game)
        if seat not in player.seats:
            raise ValueError(f"{opponent.name} can only sit in seat {player.seats[0]}")
    finally:
        _close(opponent, player)


def _close(opponent: Opponent, player: BasePlayer) -> None:
    """Closes a player that was made here. An object belongs to the program that started the server."""
    if isinstance(opponent.player, str):
        player.close()


def _fits(opponent: Opponent, game: Game) -> bool:
    return not (opponent.flat and game.rules.nested)
