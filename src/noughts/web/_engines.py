"""Opponents and helpers that think: in a few threads of their own, so that the server answers everybody meanwhile.

A client chooses an opponent from the list; what makes it is written here or was typed by the operator. Compiled search
lets go of the interpreter, so the event loop runs on while threads think. Each thread keeps a few players ready: tables
take memory, and a table for each of a thousand games would take all there is.

Bots that were sent, where the operator allows it, run in the sandbox: a process for each game, a few at once, asked
by a thread of their own, so that a slow one keeps nobody waiting who plays against others.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players import Player, make_player
from noughts.printable import one_line
from noughts.sandbox import BotLimits, BotSource
from noughts.web._settings import (
    BOT_BYTES,
    BOT_LOAD_SECONDS,
    BOT_MEMORY,
    BOT_SECONDS,
    BOTS_KEPT,
    BOTS_RUNNING,
    NAME_LENGTH,
    THINKING_SECONDS,
)

PLAYERS_READY = 6
"""For each thread, of any game; the largest have 32 MB."""


@dataclass(frozen=True)
class Opponent:
    """name: as records have it. title: for people. text: what makes it; trusted. flat: only for games that can be
    solved. source: of a bot that was sent.
    """

    name: str
    title: str
    text: str
    flat: bool = False
    source: BotSource | None = None


def listed_opponents(own: Mapping[str, str]) -> dict[str, Opponent]:
    """Everybody who can be chosen: the built-in ones, and those of the operator by the names given to them."""
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
    own_ones = [Opponent(name, name, text) for name, text in own.items()]
    return {one.name: one for one in (*levels, *others, *own_ones)}


class Engines:
    """The threads, and the players that they keep ready."""

    def __init__(self, own: Mapping[str, str], workers: int) -> None:
        self.opponents = listed_opponents(own)
        self._own = frozenset(own)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="opponent")
        self._ready = threading.local()
        self._bots = ThreadPoolExecutor(1, thread_name_prefix="bots")
        self._running: OrderedDict[tuple[str, str], Player] = OrderedDict()
        """Bots by their names and their games; only the bots' thread touches it."""

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._bots.submit(self._stop_bots)
        self._bots.shutdown(wait=False)

    def take_bot(self, name: str, text: str) -> Opponent:
        """A bot that somebody sent, as an opponent; ValueError if it is too large. It is not looked at here."""
        if len(text.encode("utf-8", "replace")) > BOT_BYTES:
            raise ValueError(f"a bot is at most {BOT_BYTES >> 10} KB")
        if "\0" in text:
            raise ValueError("a bot is a text file")
        title = one_line(name.strip(), NAME_LENGTH) or "bot"
        key = f"bot:{secrets.token_urlsafe(6)}"
        self.opponents[key] = Opponent(key, title, "", source=BotSource(f"{title}.py", None, text))
        sent = [one.name for one in self.opponents.values() if one.source is not None]
        for old in sent[:-BOTS_KEPT]:
            del self.opponents[old]
        return self.opponents[key]

    def for_game(self, game: Game) -> list[Opponent]:
        """Who can play a game, as far as that is known without trying."""
        return [one for one in self.opponents.values() if not (one.flat and game.rules.nested)]

    def checked(self, name: str, game: Game, seat: int) -> Opponent:
        """An opponent from the list, able to play this game in this seat; ValueError in a sentence if not."""
        found = next((one for one in self.for_game(game) if one.name == name), None)
        if found is None:
            known = ", ".join(one.name for one in self.for_game(game))
            raise ValueError(f"there is no such opponent for {game.name}; there are {known}")
        if name in self._own:
            player = make_player(found.text)
            try:
                player.prepare(game)
                if seat not in player.seats:
                    raise ValueError(f"{name} can only sit in seat {player.seats[0]}")
            finally:
                player.close()
        return found

    async def choose(self, opponent: Opponent, state: State, seconds: float, game: str = "") -> int:
        """A move, thought about no longer than that once a thread is free. game: its number, for bots.

        BotFault if a bot does what it may not.
        """
        loop = asyncio.get_running_loop()
        if opponent.source is not None:
            return await loop.run_in_executor(self._bots, self._ask_bot, opponent, state.clone(), game)
        return await loop.run_in_executor(self._pool, self._choose, opponent, state.clone(), seconds)

    def _choose(self, opponent: Opponent, state: State, seconds: float) -> int:
        return self._player(opponent, state.game).choose(state, Clock(seconds))

    def _ask_bot(self, opponent: Opponent, state: State, game: str) -> int:
        from noughts.players.bot import BotPlayer

        key = (opponent.name, game)
        if key not in self._running:
            assert opponent.source is not None
            limits = BotLimits(BOT_SECONDS, BOT_LOAD_SECONDS, BOT_MEMORY)
            self._running[key] = BotPlayer(opponent.source, limits=limits)
            while len(self._running) > BOTS_RUNNING:
                self._running.popitem(last=False)[1].close()
        self._running.move_to_end(key)
        return self._running[key].choose(state, Clock(BOT_SECONDS))

    def _stop_bots(self) -> None:
        for player in self._running.values():
            player.close()
        self._running.clear()

    def _player(self, opponent: Opponent, game: Game) -> Player:
        ready: OrderedDict[tuple[str, Game], Player] = self._ready.__dict__.setdefault("players", OrderedDict())
        key = (opponent.name, game)
        if key not in ready:
            ready[key] = make_player(opponent.text)
            ready[key].prepare(game)
            while len(ready) > PLAYERS_READY:
                ready.popitem(last=False)[1].close()
        ready.move_to_end(key)
        return ready[key]
