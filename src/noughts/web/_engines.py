"""Computer opponents, in a few threads of their own, so that the server stays responsive.

A client chooses an opponent from a list, which comes from this module and the operator. Compiled search releases the
interpreter, so the event loop keeps running while threads think. Each thread keeps only a few players ready, since a
search table for each of a thousand games would exhaust the memory.

Uploaded bots, if the operator allows them, run in the sandbox: a process for each game, a few at a time. They have
their own threads, so that slow bots delay no other games. Only the uploader learns the name that selects the bot.
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
"""Players kept ready by each thread; the largest have 32 MB."""


@dataclass(frozen=True)
class Opponent:
    """An opponent. name: the name in records. title: the displayed name. player: its trusted name on the command line,
    or an object. flat: whether it plays only games that can be solved. source, owner: of an uploaded bot: its text,
    and the key of its uploader.
    """

    name: str
    title: str
    player: object
    flat: bool = False
    source: BotSource | None = None
    owner: str = ""


def listed_opponents(own: Mapping[str, object]) -> dict[str, Opponent]:
    """Returns all opponents: the built-in ones, and the operator's by their displayed names."""
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
    """Threads for moves, and the players that they keep ready."""

    def __init__(self, own: Mapping[str, object], workers: int, quotas: Quotas) -> None:
        self.opponents = listed_opponents(own)
        self._own = frozenset(own)
        self._quotas = quotas
        self._threads = FairThreadPool(workers, "opponent", quotas.moves)
        self._ready = threading.local()
        self._bot_threads = FairThreadPool(BOTS_RUNNING, "bots", quotas.bot_moves)
        self._lock = threading.Lock()
        self._objects = threading.Lock()
        """A player object is shared by all threads, so only one thread at a time asks it."""
        self._idle: OrderedDict[tuple[str, str], BasePlayer] = OrderedDict()
        """Idle processes of bots, by name and game."""
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

    def take_bot(self, name: str, text: str, member: Member, playing: Set[str] = frozenset()) -> Opponent:
        """Returns an uploaded bot as an opponent, unchecked. Raises ValueError if it is too large.

        It replaces the uploader's oldest bot if there are too many; raises Busy if all of them play. playing: opponents
        of games in progress, which are kept.
        """
        if len(text.encode("utf-8", "replace")) > BOT_BYTES:
            raise ValueError(f"a bot must have at most {BOT_BYTES >> 10} KB")
        if "\0" in text:
            raise ValueError("a bot must be a text file")
        title = one_line(name.strip(), NAME_LENGTH) or "bot"
        key = f"{UPLOADED}{secrets.token_urlsafe(12)}"
        share = self._quotas.bots
        if share.held[member.key] >= share.most(member):
            self._drop_bot(member.key, playing)
        giver = share.take(member)
        if giver is not None:
            try:
                self._drop_bot(giver, playing)
            except Busy:
                share.give(member.key)
                raise
        self.opponents[key] = Opponent(key, title, "", False, BotSource(f"{title}.py", None, text), member.key)
        return self.opponents[key]

    def _drop_bot(self, owner: str, playing: Set[str]) -> None:
        """Deletes the oldest idle bot of a client. Raises Busy if there is none."""
        names = [name for name, one in self.opponents.items() if one.source is not None and one.owner == owner]
        old = next((name for name in names if name not in playing), None)
        if old is None:
            raise Busy("all places for bots are taken; try again when a game has ended")
        del self.opponents[old]
        self._quotas.bots.give(owner)

    def require_room(self, member: Member) -> None:
        """Raises Busy if this client has too many computer moves waiting to start a game, or none more can wait."""
        try:
            self._quotas.moves.giver(member)
        except Busy:
            raise Busy(
                "the computer is busy with other games; wait for its move before you start another game"
            ) from None

    def for_game(self, game: Game) -> list[Opponent]:
        """Returns the opponents that can play a game, as far as known without trying; without uploaded bots."""
        return [one for one in self.opponents.values() if one.source is None and _fits(one, game)]

    async def checked(self, name: str, game: Game, seat: int, member: Member) -> Opponent:
        """Returns an opponent from the list that can play this game in this seat. Raises ValueError if it cannot."""
        found = self.opponents.get(name)
        if found is None or not _fits(found, game):
            known = ", ".join(one.name for one in self.for_game(game))
            raise ValueError(f"there is no such opponent for {game.name}; choose from {known}")
        if name in self._own:
            await self._threads.run(member, _try, found, game, seat)
        return found

    async def choose(self, opponent: Opponent, state: State, seconds: float, game: str, member: Member) -> int:
        """Returns a move, found in `seconds` once a thread serves this client. game: its number, for bots.

        Raises BotFault if the opponent crashes, is late or makes no legal move, and Busy if too many moves are waiting.
        """
        if opponent.source is not None:
            return await self._bot_threads.run(member, self._ask_bot, opponent, state.clone(), game)
        return await self._threads.run(member, self._choose, opponent, state.clone(), seconds)

    def _choose(self, opponent: Opponent, state: State, seconds: float) -> int:
        with nullcontext() if isinstance(opponent.player, str) else self._objects:
            return self._player(opponent, state.game).ask(state, Clock(seconds)).action

    def _ask_bot(self, opponent: Opponent, state: State, game: str) -> int:
        """Asks a bot, in a thread. There is one request per game at a time. A busy bot is not stopped."""
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
    """Raises ValueError if one of the operator's players cannot play this game in this seat."""
    player = make_player(opponent.player)
    try:
        player.prepare(game)
        if seat not in player.seats:
            raise ValueError(f"{opponent.name} can only play in seat {player.seats[0]}")
    finally:
        _close(opponent, player)


def _close(opponent: Opponent, player: BasePlayer) -> None:
    """Closes a player that was created here. Objects belong to the program that started the server."""
    if isinstance(opponent.player, str):
        player.close()


def _fits(opponent: Opponent, game: Game) -> bool:
    return not (opponent.flat and game.rules.nested)
