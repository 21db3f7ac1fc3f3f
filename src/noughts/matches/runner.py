"""Plays many games: a schedule's pairings go to an executor, and the records to a store.

    schedule -> Pairing -> Referee.play -> GameRecord -> store

An executor plays the games: one after the other in this process, in several processes of this machine (`pool`), on the
machines of a cluster (`cluster`), or in threads, for players who mostly wait. One process writes the records, in the
order in which the games end. The games do not depend on the executor.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from threading import Lock

from noughts._threads import call_in_threads
from noughts.game import Game
from noughts.matches.game import play_seats
from noughts.matches.machine import Speedometer, this_machine
from noughts.matches.record import GameRecord
from noughts.matches.schedule import Batch, Contestant, Match, Pairing, Schedule
from noughts.matches.seeds import PLAYER_BITS, derive_seed
from noughts.matches.store import Store
from noughts.matches.usage import QuestionRefused, Usage
from noughts.players import BasePlayer, TextPlayer, make_player
from noughts.players.bot import BotPlayer
from noughts.players.engines import EnginePlayer
from noughts.players.llm import ServiceError
from noughts.players.own import OwnPlayer
from noughts.players.registry import THIS_PROCESS, Origin
from noughts.players.text_seat import Exchange, TextSeat
from noughts.printable import one_line
from noughts.sandbox import BotLimits, SandboxError, faults
from noughts.sandbox.faults import BotFault
from noughts.sandbox.forkserver import ForkServer, ServerGone
from noughts.sandbox.source import BotSource
from noughts.text.env import TextEnv
from noughts.text.kaggle import KaggleEnv

TRIES = 5
"""Attempts at a game that was interrupted from outside."""
GIVE_UP_AFTER = 5
"""Give up after this many consecutive games without an answer from a server."""


GameOrError = GameRecord | ServiceError
"""A game, or the reason why it is missing."""


@dataclass(frozen=True)
class Moved:
    """A move of a game in progress, for watchers. moves: all actions so far. seconds: of the last one."""

    number: int
    players: tuple[str, str]
    moves: tuple[int, ...]
    seconds: float


Watch = Callable[[Moved], None]


@dataclass(frozen=True)
class TextOptions:
    """Options of text players: see `TextEnv`. observation: also "kaggle", see `KaggleEnv`. seconds: per reply, None for
    the player's own limit.
    """

    error_allowance: int = 0
    observation: str = "history"
    take: str = "last"
    seconds: float | None = None
    list_moves: bool = True
    full_rules: bool = False

    def environment(self, game: Game) -> TextEnv:
        if self.observation == "kaggle":
            return KaggleEnv(game, error_allowance=self.error_allowance)
        return TextEnv(
            game,
            error_allowance=self.error_allowance,
            observation=self.observation,
            take=self.take,
            list_moves=self.list_moves,
            full_rules=self.full_rules,
        )


@dataclass(frozen=True)
class Conditions:
    """The conditions that all games of a run share; they can be sent to another process.

    contestants: in the order of their numbers in pairings. move_seconds: the clock of our own players, None for no
    limit. limits: of bots. origin: where the names of our own players were typed. speed: factor by which the clocks of
    bots run faster.
    """

    game: Game
    contestants: Mapping[int, Contestant]
    limits: BotLimits
    move_seconds: float | None
    strict: bool = False
    unsafe: bool = False
    text: TextOptions = TextOptions()
    origin: Origin = THIS_PROCESS
    speed: float = 1.0

    def for_others(self) -> Conditions:
        """Returns the conditions for other processes, with another working directory and environment."""
        names = [each.player for each in self.contestants.values() if isinstance(each.player, str)]
        return replace(self, origin=Origin.of_this_process(names))


class Referee:
    """Plays pairings in this process. Use it in a `with`, or close it.

    contestants: initially those of the conditions; more may be added at any time. measures: whether the records have
    the machine and its speed.
    """

    def __init__(
        self,
        conditions: Conditions,
        server: ForkServer | None = None,
        store: Store | None = None,
        usage: Usage | None = None,
        *,
        measures: bool = False,
    ) -> None:
        self.contestants: dict[int, Contestant] = dict(conditions.contestants)
        self._conditions = conditions
        self._store, self._usage = store, usage
        self._closing = ExitStack()
        self._models: dict[str, TextPlayer] = {}
        self._idle: list[EnginePlayer] = []
        self._sitting_down = Lock()
        self._server = server
        self._speedometer = Speedometer() if measures else None

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._closing.close()

    def play(
        self,
        pairing: Pairing,
        watch: Callable[[GameRecord], None] | None = None,
        seated: list[BasePlayer] | None = None,
    ) -> GameRecord:
        """Plays the game of a pairing; returns its record. Raises ServiceError if a model's server does not answer.

        watch: called with the record after each move. seated: filled with the two players.
        """
        for attempt in range(TRIES):
            try:
                with self._sitting_down:
                    seats = [self._seat(pairing, seat) for seat in (0, 1)]
                if seated is not None:
                    seated[:] = seats
                first, second = (self.contestants[player].name for player in pairing.players)
                record = play_seats(
                    self._conditions.game,
                    seats,
                    pairing.seed,
                    watch,
                    pairing.opening,
                    names=(first, second),
                    move_seconds=self._conditions.move_seconds,
                )
                self._idle += [seat for seat in seats if isinstance(seat, EnginePlayer)]
            except ServerGone:
                self._server = None  # another one will be started
                if attempt == TRIES - 1:
                    raise
                continue
            if record.fault is None or record.fault.text != faults.KILLED:
                break
        record.number, record.round = pairing.number, pairing.round
        return record

    def result(self, pairing: Pairing, watch: Callable[[GameRecord], None] | None = None) -> GameOrError:
        """Returns the game, or the reason why it is missing. Raises ServiceError if no game can be played."""
        speed = 0.0 if self._speedometer is None else self._speedometer.speed()
        try:
            record = self.play(pairing, watch)
        except ServiceError as error:
            if error.fatal:
                raise
            return error
        if self._speedometer is not None:
            record.machine, record.speed = this_machine(), speed
        return record

    def _seat(self, pairing: Pairing, seat: int) -> BasePlayer:
        conditions, contestant = self._conditions, self.contestants[pairing.players[seat]]
        if isinstance(contestant.player, BotSource):
            if self._server is None:
                self._server = self._closing.enter_context(ForkServer())
            return BotPlayer(
                contestant.player,
                self._server,
                conditions.limits,
                seed=derive_seed(pairing.seed, "bot", seat),
                strict=conditions.strict,
                unsafe=conditions.unsafe,
                speed=conditions.speed,
            )
        seed = derive_seed(pairing.seed, "player", seat, bits=PLAYER_BITS)
        player = self._player(contestant.player, seed, pairing.number)
        if isinstance(player, TextPlayer):
            return self._text_seat(player, pairing.number)
        return player

    def _player(self, name: str | OwnPlayer, seed: int, game: int) -> BasePlayer | TextPlayer:
        """Returns the player of a seat. A model is shared by all games, an engine by all that are not played at once;
        others are created for each game, with their own seed.
        """
        if isinstance(name, str) and name in self._models:
            return self._models[name]
        for idle in self._idle:
            if idle.text == name:
                self._idle.remove(idle)
                return idle
        player = make_player(name, seed=seed, game=game, origin=self._conditions.origin)
        if isinstance(player, EnginePlayer):
            self._closing.callback(player.close)
        if isinstance(player, TextPlayer) and isinstance(name, str):
            self._models[name] = player
            self._closing.callback(player.close)
        return player

    def _text_seat(self, player: TextPlayer, number: int) -> TextSeat:
        options, store, usage = self._conditions.text, self._store, self._usage
        env = options.environment(self._conditions.game)

        def recall(seat: int, observation: str) -> Exchange | None:
            known = store.recall(number, seat, observation) if store else None
            if known is None and usage:
                usage.check()
            return known

        def note(exchange: Exchange) -> None:
            if store:
                store.note(number, exchange)
            if usage:
                usage.add(number, exchange)

        return TextSeat(player, env, options.seconds, recall=recall, note=note)


def require_able(conditions: Conditions) -> None:
    """Raises ValueError if one of the contestants cannot play this game from both seats, before any game starts."""
    for contestant in conditions.contestants.values():
        if isinstance(contestant.player, BotSource):
            continue  # a bot's file is only read here; its faults appear in the game
        player = make_player(contestant.player, seed=0)
        try:
            player.prepare(conditions.game)
            if player.seats != (0, 1):
                raise ValueError(
                    f"{contestant.name} can only move {'first' if player.seats == (0,) else 'second'}, but here every "
                    "player must move first and second"
                )
        except BotFault as error:
            output = one_line(error.prints.strip().rpartition("\n")[2])
            raise ValueError(
                f"{contestant.name} cannot play: {error}{f'; it says: {output}' if output else ''}"
            ) from None
        finally:
            if isinstance(contestant.player, str):
                player.close()


Executor = Callable[[Conditions, Iterator[Batch | None], Watch | None, ForkServer | None], Iterator[GameOrError]]
"""Plays games, and reports the moves of those that are played on this machine, with bots of the fork server or of its
twins. Requests a batch only when there is room for it; stops playing when closed.
"""


class BatchQueue:
    """The batches that an executor plays. Batches of lost processes and machines come first."""

    def __init__(self, batches: Iterator[Batch | None]) -> None:
        self._batches = batches
        self._unfinished: deque[Batch] = deque()
        self._failures: Counter[int] = Counter()

    def next(self) -> Batch | None:
        """Returns the next batch; None if there is none now."""
        return self._unfinished.popleft() if self._unfinished else next(self._batches, None)

    def put_back(self, rest: Batch, reason: SandboxError) -> None:
        """Takes back the unfinished games of a batch. Raises the reason once the first has failed TRIES times."""
        self._failures[rest[0].number] += 1
        if self._failures[rest[0].number] >= TRIES:
            raise reason
        self._unfinished.append(rest)


def play_here(
    conditions: Conditions, batches: Iterator[Batch | None], server: ForkServer | None = None
) -> Iterator[GameOrError]:
    """Executor that plays one game after the other, in this process."""
    with Referee(conditions, server) as referee:
        for batch in batches:
            if batch is None:
                return
            for pairing in batch:
                yield referee.result(pairing)


def play_in_threads(
    conditions: Conditions,
    batches: Iterator[Batch | None],
    threads: int,
    store: Store | None = None,
    usage: Usage | None = None,
) -> Iterator[GameOrError]:
    """Executor that plays several games at once in threads of this process, for players who wait for a server."""
    referee = Referee(conditions, store=store, usage=usage)

    def play(batch: Batch) -> list[GameOrError]:
        return [referee.result(pairing) for pairing in batch]

    for _, results in call_in_threads(play, batches, threads, stop=referee.close):
        yield from results


class Run:
    """A run of a schedule into a store.

    unanswered: games left unplayed because a server gave no reply, for the reason in `failure`.
    """

    def __init__(self, schedule: Schedule, store: Store, conditions: Conditions) -> None:
        self.schedule: Schedule = schedule
        self.store: Store = store
        self.conditions: Conditions = conditions
        self.unanswered: int = 0
        self.failure: str = ""
        self._stopped = False

    def _batches(self) -> Iterator[Batch | None]:
        for batch in self.schedule.batches(self.store):
            if self._stopped:
                return
            yield batch

    def play(
        self,
        *,
        jobs: int = 1,
        threads: int = 1,
        server: ForkServer | None = None,
        executor: Executor | None = None,
        watch: Watch | None = None,
        usage: Usage | None = None,
    ) -> Iterator[GameRecord]:
        """Plays the games that the store does not have; yields each as it ends, already stored.

        jobs: processes; with one, `threads` games at once if there are models. server: an existing fork server.
        executor: instead of jobs and threads. watch: receives each move, from processes. usage: counts the tokens of
        models in threads.
        """
        batches = self._batches()
        if executor is not None:
            results = executor(self.conditions, batches, watch, server)
        elif jobs > 1 or watch is not None:
            from noughts.matches.pool import play_in_processes

            results = play_in_processes(self.conditions, batches, watch, server, jobs=jobs)
        elif self._has_models():
            results = play_in_threads(self.conditions, batches, threads, self.store, usage)
        else:
            results = play_here(self.conditions, batches, server)
        failed_in_row = 0
        try:
            for result in results:
                if isinstance(result, ServiceError):
                    self.unanswered += 1
                    self.failure = str(result)
                    self._stopped |= isinstance(result, QuestionRefused)
                    failed_in_row += not self._stopped
                    if failed_in_row >= GIVE_UP_AFTER:
                        return
                    continue
                failed_in_row = 0
                self.store.add(result)
                yield result
        finally:
            results.close()  # type: ignore[attr-defined]

    def _has_models(self) -> bool:
        names = [contestant.player for contestant in self.conditions.contestants.values()]
        return any(isinstance(name, str) and name.startswith("llm:") for name in names)


def match_games(
    match: Match, store: Store | None = None, server: ForkServer | None = None, watch: Watch | None = None
) -> Iterator[GameRecord]:
    """Yields the games of a match as they end, already stored. Equal matches give equal games, if the players are
    deterministic.

    server: an existing fork server for bots. watch: receives each move.
    """
    conditions = match_conditions(match)
    require_able(conditions)
    run = Run(match, Store() if store is None else store, conditions)
    yield from run.play(jobs=match.jobs, server=server, watch=watch)


def match_conditions(match: Match) -> Conditions:
    limits = match.effective_limits
    text = TextOptions(seconds=None if limits.move_seconds == float("inf") else limits.move_seconds)
    contestants = dict(enumerate(match.contestants))
    return Conditions(match.game, contestants, limits, limits.move_seconds, match.strict, match.unsafe, text)
