"""The games to play: pairings, one after the other. No other module decides who moves first."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from noughts.files import usable_cores
from noughts.game import Game
from noughts.matches.openings import Opening, balanced_opening, plays_from_start_only
from noughts.matches.record import GameRecord
from noughts.matches.seeds import SEED_BITS, checked_seed, derive_seed, draw_seed
from noughts.matches.statistics import Pentanomial, Sprt
from noughts.matches.store import Store
from noughts.players import make_player
from noughts.players.bot import default_limits
from noughts.players.engines import NO_OPENINGS
from noughts.players.llm.settings import without_transport
from noughts.players.own import OwnPlayer
from noughts.players.protocol import PlayerLike
from noughts.players.registry import canonical_name, own_player
from noughts.printable import one_line
from noughts.rules.spec import short_repr
from noughts.sandbox import BotLimits
from noughts.sandbox.source import PROGRAMS, BotSource, is_bot_file, read_bot

MOST_GAMES = 10**9
"""Maximum number of games in a match: about a year for the fastest players."""
TURNS, COIN = "turns", "coin"
"""Who moves first: the players take turns, or a coin is flipped for each game."""

UNLIMITED = 1e9
"""Seconds that stand for no limit in stored facts: JSON has no infinity."""
UNTIMED = BotLimits(math.inf)
"""No clock: players think as long as their own options say, independent of the machine's speed."""


@dataclass(frozen=True)
class Pairing:
    """One game to play.

    number: of the game in its run, from 0; it determines everything about the game. round: the two games of a pair are
    one round. players: numbers of the contestants, the first of whom moves first. opening: actions played before the
    players are asked. seed: of the game.
    """

    number: int
    round: int
    players: tuple[int, int]
    opening: tuple[int, ...]
    seed: int


Batch = tuple[Pairing, ...]
"""Games that one process plays in succession."""


@dataclass(frozen=True)
class Contestant:
    """A participant, in a form that can be sent to another process: its name, and a bot file's source, a player of the
    program, or the name of a built-in player.
    """

    name: str
    player: BotSource | OwnPlayer | str

    @property
    def is_bot(self) -> bool:
        return isinstance(self.player, BotSource)


class Schedule(Protocol):
    """Batches that may depend on results: they are requested one by one, and the store has the games so far.

    An interrupted run continues as the same schedule on a store that already has games. None means that the next games
    depend on a game in progress; if no game is in progress, the run is over.
    """

    def batches(self, store: Store) -> Iterator[Batch | None]: ...


def contestants(players: Sequence[PlayerLike]) -> tuple[Contestant, ...]:
    """Returns the players with these trusted names. Raises ValueError if a file or player does not exist.

    Objects are players themselves. Equal names get numbers.
    """
    found = [_contestant(player) for player in players]
    seen = [contestant.name for contestant in found]
    return tuple(
        Contestant(f"{each.name}#{number}" if seen.count(each.name) > 1 else each.name, each.player)
        for number, each in enumerate(found, 1)
    )


def _contestant(name: PlayerLike) -> Contestant:
    own = own_player(name)
    if own is not None:
        make_player(own, seed=0)  # raises for wrong options and objects that cannot choose
        return Contestant(one_line(own.text), own)
    assert isinstance(name, str)
    if is_bot_file(name):
        source = read_bot(name)
        return Contestant(source.name, source)
    player = make_player(name, seed=0)  # raises for a wrong name before any game starts
    player.close()
    name = canonical_name(name)
    return Contestant(one_line(player.name if name.startswith(PROGRAMS) else without_transport(name)), name)


def _fact(contestant: Contestant) -> str:
    """Returns a player for the facts of a match: a bot by the text of its file, others by name."""
    player = contestant.player
    if isinstance(player, BotSource):
        return f"{contestant.name} {_digest(player.text)}"
    return player.text if isinstance(player, OwnPlayer) else without_transport(player)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True)
class Match:
    """Games between two players.

    names: the two players, as on the command line, or objects. limits: of each move and of bots (default: the game's
    usual ones); UNTIMED only without bot files. seed: default: random; equal seeds give equal games. jobs: games at a
    time, at most one per processor core. opening: each round begins with this many random moves, which leave both sides
    about even, or with one of these openings, in an order set by the seed; both players get the same opening from both
    sides. sprt: stop after the deciding round. first: TURNS or COIN.
    """

    game: Game
    names: tuple[PlayerLike, PlayerLike]
    games: int = 2
    limits: BotLimits | None = None
    seed: int = field(default_factory=draw_seed)
    jobs: int = 1
    strict: bool = False
    unsafe: bool = False
    opening: int | tuple[Opening, ...] = field(default=0, repr=False)
    sprt: Sprt | None = None
    first: str = TURNS
    contestants: tuple[Contestant, ...] = field(default=(), repr=False)
    """Derived from the names if not given."""

    def __post_init__(self) -> None:
        cores = usable_cores()
        checked_seed(self.seed)
        if len(self.names) != 2:
            raise ValueError(f"a match needs two players, not {len(self.names)}; a tournament takes any number")
        if not 1 <= self.games <= MOST_GAMES:
            raise ValueError(f"a match must have 1 to {MOST_GAMES:,} games, not {short_repr(self.games)}")
        if not 1 <= self.jobs <= cores:
            load = f"{short_repr(self.jobs)} games at a time on {cores} cores"
            raise ValueError(f"{load} would slow each other down; use 1 to {cores}")
        if isinstance(self.opening, int) and not 0 <= self.opening < self.game.max_game_length():
            raise ValueError(
                f"an opening must have 0 moves or more, and fewer than the {self.game.max_game_length()} cells of "
                f"{self.game.name}, not {short_repr(self.opening)}"
            )
        if self.first not in (TURNS, COIN):
            raise ValueError(f"first must be {TURNS} or {COIN}, not {self.first!r}")
        if self.first == COIN and (self.sprt is not None or self.opening):
            raise ValueError("openings and the SPRT need pairs of games with sides swapped, not a coin")
        if self.opening and (name := next(filter(plays_from_start_only, self.names), None)):
            raise ValueError(f"{name} {NO_OPENINGS}; play without openings (--openings 0)")
        if not self.effective_limits.move_seconds > 0:
            raise ValueError(f"a move needs more than 0 seconds, not {self.effective_limits.move_seconds:g}")
        if (
            any(isinstance(name, str) and is_bot_file(name) for name in self.names)
            and self.effective_limits.move_seconds == math.inf
        ):
            raise ValueError("bot files need a time limit; set the seconds per move")
        if not self.contestants:
            object.__setattr__(self, "contestants", contestants(self.names))

    def facts(self) -> dict[str, object]:
        """Returns everything that the games depend on, for their store."""
        limits = self.effective_limits
        return {
            "rules": None,
            **self.game.to_data(),
            "players": [_fact(contestant) for contestant in self.contestants],
            "games": self.games,
            "seed": self.seed,
            "first": self.first,
            "opening": self.opening if isinstance(self.opening, int) else _digest(repr(self.opening)),
            "move_seconds": min(limits.move_seconds, UNLIMITED),
            "load_seconds": limits.load_seconds,
            "memory": limits.memory,
            "strict": self.strict,
        }

    @property
    def has_bots(self) -> bool:
        return any(contestant.is_bot for contestant in self.contestants)

    @property
    def effective_limits(self) -> BotLimits:
        return self.limits or default_limits(self.game)

    @cached_property
    def player_names(self) -> tuple[str, str]:
        """The contestants' own names, as the records have them."""
        first, second = self.contestants
        return first.name, second.name

    def batches(self, store: Store) -> Iterator[Batch | None]:
        """Yields every game that the store does not have yet, until the test is decided; any process may play any of
        them."""
        opening: tuple[int, ...] = ()
        opening_round = -1
        for number in range(self.games):
            if number in store:
                continue
            pair = number // 2
            if number % 2 == 0 and self.is_settled(store):
                return
            if opening_round != pair:
                opening = self._opening(pair)
                opening_round = pair
            seed = derive_seed(self.seed, "game", number, bits=SEED_BITS)
            turned = derive_seed(self.seed, "coin", number) if self.first == COIN else number
            order = (0, 1) if turned % 2 == 0 else (1, 0)
            yield (Pairing(number, number if self.first == COIN else pair, order, opening, seed),)

    @cached_property
    def _order(self) -> list[Opening]:
        """Returns the given openings, shuffled."""
        openings = () if isinstance(self.opening, int) else self.opening
        return random.Random(derive_seed(self.seed, "openings")).sample(openings, len(openings))

    def _opening(self, pair: int) -> Opening:
        if isinstance(self.opening, int):
            return tuple(balanced_opening(self.game, self.opening, derive_seed(self.seed, "opening", pair)))
        return self._order[pair % len(self._order)] if self._order else ()

    def is_settled(self, store: Store) -> bool:
        """Returns whether the SPRT is decided."""
        return self.sprt is not None and self._decided(store)[1]

    def games_that_count(self, store: Store) -> list[GameRecord]:
        """Returns the games that count, in order. With a test, these are the games up to the deciding round."""
        return self._decided(store)[0]

    def _decided(self, store: Store) -> tuple[list[GameRecord], bool]:
        games = [record for record in store.records() if record.number < self.games]
        if self.sprt is None:
            return games, False
        pairs, name = Pentanomial(), self.player_names[0]
        for number, record in enumerate(games):
            if record.number != number:
                return games[:number], False
            if number % 2:
                scores = [each.score(each.seat_of(name)) for each in (games[number - 1], record)]
                pairs = pairs.add(*scores)
                if self.sprt.decision(pairs):
                    return games[: number + 1], True
        return games, False
