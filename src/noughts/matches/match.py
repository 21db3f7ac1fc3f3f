"""Games before the referee: one game, and a match of many, on one core or several."""

from __future__ import annotations

import hashlib
import math
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread

from noughts.game import Game
from noughts.matches.openings import balanced_opening
from noughts.matches.record import GameRecord
from noughts.matches.seats import BotSeat, PlayerSeat, Seat
from noughts.players import make_player
from noughts.sandbox import BotFault, BotLimits, BotSource, ForkServer, is_bot_file, read_bot

DEFAULT_SECONDS = 10.0
"""For a move in games that have no custom of their own."""
UNTIMED = BotLimits(math.inf)
"""No clock: players think as long as their own options say, so that the speed of the machine changes nothing."""


def play_game(
    game: Game,
    seats: Sequence[Seat],
    seed: int = 0,
    watch: Callable[[GameRecord], None] | None = None,
    opening: Sequence[int] = (),
) -> GameRecord:
    """One game between two seats, the first of which moves first. Both are closed at the end.

    watch: is shown the record after each move. opening: actions that are played before anybody is asked.
    """
    record = GameRecord(game, (seats[0].name, seats[1].name), seed)
    state = game.new_initial_state()
    for action in opening:
        state.apply_action(action)
        record.moves.append(action)
        record.seconds.append(0.0)
    record.opening = len(record.moves)
    player = 0
    try:
        for player in (0, 1):
            seats[player].start(game, _seed(seed, player))
        while not state.is_terminal():
            player = state.current_player()
            answer = seats[player].choose(state)
            if answer.prints:
                record.prints[len(record.moves)] = answer.prints
            if answer.warning:
                record.warnings[player] = answer.warning
            state.apply_action(answer.action)
            record.moves.append(answer.action)
            record.seconds.append(answer.seconds)
            if watch:
                watch(record)
        record.end_by_rules(state)
    except BotFault as error:
        if error.prints:
            record.prints[len(record.moves)] = error.prints
        record.end_by_fault(player, error.fault)
    finally:
        for seat in seats:
            seat.close()
    return record


def _seed(*parts: int) -> int:
    """A seed for one use, from those of what it belongs to. 32 bits, as numpy's old generator wants."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:4], "big")


def usable_cores() -> int:
    """How many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class MatchPlan:
    """What is to be played.

    names: the two players, as on the command line. They take turns in moving first: game i is started by player
    i % 2. limits: None for the custom of the game; UNTIMED only without bot files. jobs: games at a time, never more
    than there are processor cores. opening_plies: so many random moves, after which neither side is much better, begin
    each pair of games; both players get the same opening from both sides.
    """

    game: Game
    names: tuple[str, str]
    games: int = 2
    limits: BotLimits | None = None
    seed: int = 0
    jobs: int = 1
    strict: bool = False
    unsafe: bool = False
    opening_plies: int = 0

    def __post_init__(self) -> None:
        cores = usable_cores()
        if self.games < 1:
            raise ValueError(f"a match needs 1 game or more, not {self.games}")
        if not 1 <= self.jobs <= cores:
            raise ValueError(f"{self.jobs} games at a time on {cores} cores would not be fair; use 1 to {cores}")
        if self.opening_plies < 0:
            raise ValueError(f"an opening has 0 moves or more, not {self.opening_plies}")
        if not self.effective_limits.move_seconds > 0:
            raise ValueError(f"a move needs more than 0 seconds, not {self.effective_limits.move_seconds:g}")
        if self.has_bots and self.effective_limits.move_seconds == math.inf:
            raise ValueError("a bot file plays by the clock; give a match with one a limit of seconds for each move")

    @property
    def has_bots(self) -> bool:
        return any(map(is_bot_file, self.names))

    @property
    def effective_limits(self) -> BotLimits:
        return self.limits or default_limits(self.game)


def default_limits(game: Game) -> BotLimits:
    """The time that is the custom of the game, and the usual memory."""
    return BotLimits(float(game.rules.move_seconds or DEFAULT_SECONDS))


Contestant = BotSource | str


@dataclass(frozen=True)
class Pairing:
    """The two of a match, found and named: bot sources, or names of built-in players."""

    contestants: tuple[Contestant, Contestant]
    names: tuple[str, str]


def pair(plan: MatchPlan) -> Pairing:
    """Find both players; ValueError if there is no such file or player. Equal names are told apart by numbers."""
    first, second = (_contestant(name) for name in plan.names)
    names = _name(first), _name(second)
    if names[0] == names[1]:
        names = f"{names[0]}#1", f"{names[1]}#2"
    return Pairing((first, second), names)


def _contestant(name: str) -> Contestant:
    if is_bot_file(name):
        return read_bot(name)
    make_player(name, seed=0)  # refuse a wrong name before anything is played
    return name


def _name(contestant: Contestant) -> str:
    return contestant.name if isinstance(contestant, BotSource) else contestant


def play_match(
    plan: MatchPlan,
    pairing: Pairing,
    server: ForkServer | None = None,
    numbers: Sequence[int] | None = None,
) -> Iterator[GameRecord]:
    """The games of a match, in order. The same plan gives the same games, if its players are as constant.

    server: where bots are forked, if one runs already and `plan.jobs` is 1. numbers: of the games to play, all if None;
    a game depends on its number and not on which others are played.
    """
    wanted = range(plan.games) if numbers is None else numbers
    if plan.jobs == 1:
        with _Table(plan, pairing, server) as table:
            yield from map(table.play, wanted)
        return
    context = get_context("spawn")
    leave, stay = context.Pipe(duplex=False)
    with leave, stay, ProcessPoolExecutor(plan.jobs, context, _sit_down, (plan, pairing, leave)) as pool:
        try:
            yield from pool.map(_play_here, wanted)
        except BaseException:  # stopped, or nobody wants the rest: a game can take an hour
            stay.close()
            raise


class _Table:
    """Where games of one match are played, one after the other."""

    def __init__(self, plan: MatchPlan, pairing: Pairing, server: ForkServer | None = None) -> None:
        self._plan = plan
        self._makers: list[Callable[[int], Seat]] = []
        self._opening: tuple[int, Sequence[int]] = (-1, ())
        self._closing = ExitStack()
        if server is None and plan.has_bots:
            server = self._closing.enter_context(ForkServer())
        for contestant, name in zip(pairing.contestants, pairing.names, strict=True):
            if isinstance(contestant, BotSource):
                assert server is not None
                self._makers.append(partial(self._bot, contestant, name, server))
            else:
                self._makers.append(partial(self._player, contestant, name))

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def play(self, number: int) -> GameRecord:
        """The game of this number; the second player starts the odd ones."""
        seed = _seed(self._plan.seed, number)
        seats = [make(_seed(seed, side)) for side, make in enumerate(self._makers)]
        opening = self._opening_of(number // 2)
        return play_game(self._plan.game, seats[::-1] if number % 2 else seats, seed, opening=opening)

    def _opening_of(self, pair: int) -> Sequence[int]:
        """The opening of a pair of games. It takes a search to find, and the two follow each other: it is kept."""
        if self._opening[0] != pair:
            plan = self._plan
            self._opening = pair, balanced_opening(plan.game, plan.opening_plies, _seed(plan.seed, pair, 0))
        return self._opening[1]

    def _bot(self, source: BotSource, name: str, server: ForkServer, _seed: int) -> Seat:
        plan = self._plan
        return BotSeat(source, server, plan.effective_limits, name=name, strict=plan.strict, unsafe=plan.unsafe)

    def _player(self, player: str, name: str, seed: int) -> Seat:
        return PlayerSeat(make_player(player, seed=seed), self._plan.effective_limits.move_seconds, name=name)


LEFT = 3
"""Exit status of a process of the pool that left in the middle of a game."""

_table: _Table | None = None
"""The table of a process of the pool."""


def _sit_down(plan: MatchPlan, pairing: Pairing, leave: Connection) -> None:
    """Make ready to play. The process ends as soon as the other end of `leave` is closed, or its owner is gone."""
    global _table
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked
    Thread(target=_leave_when_told, args=(leave,), daemon=True).start()
    _table = _Table(plan, pairing)


def _leave_when_told(leave: Connection) -> None:
    with suppress(EOFError, OSError):
        leave.recv_bytes()
    os._exit(LEFT)


def _play_here(number: int) -> GameRecord:
    assert _table is not None
    return _table.play(number)
