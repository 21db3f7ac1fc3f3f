"""The one way to play many games: a schedule's pairings go to an executor, and the records to a store.

    schedule -> Pairing -> Referee.play -> GameRecord -> store

An executor is where the games are played: one after the other in this process, in several processes of this machine
(`pool`), on the machines of a cluster (`cluster`), or in threads, for players who mostly wait. Whatever it is, one
process writes the records, in the order in which the games end, and the games are the same.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from threading import Lock

from noughts._threads import wait_for_any
from noughts.game import Game
from noughts.matches.game import play_seats
from noughts.matches.record import GameRecord
from noughts.matches.schedule import Batch, Contestant, Match, Pairing, Schedule
from noughts.matches.seeds import PLAYER_BITS, derive_seed
from noughts.matches.store import Store
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
"""How often a game is played that something outside it broke off."""
GIVE_UP_AFTER = 5
"""So many games in a row without an answer from a server, and the rest is not tried."""


@dataclass(frozen=True)
class TextOptions:
    """How players who read text are asked: see `TextEnv`. observation: "kaggle" too, see `KaggleEnv`. seconds: for a
    reply, None for the player's own limit.
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
    """What all games of a run share; it can travel to another process.

    contestants: by the numbers that pairings have for them. move_seconds: the clock of players of ours, None for no
    limit. limits: of bots. origin: where the names of players of ours were typed. speed: how many times as fast as the
    real clock the clocks of bots run.
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
        """The same for other processes, whose working directory and environment are not those of this one."""
        names = [each.player for each in self.contestants.values() if isinstance(each.player, str)]
        return replace(self, origin=Origin.here(names))


class QuestionRefused(ServiceError):  # noqa: N818 - it says what is the matter
    """A question that must not be asked, as tokens are used up. No new game starts, and no reply is lost."""

    def __init__(self, message: str) -> None:
        super().__init__(message, fatal=False)


@dataclass(frozen=True)
class QuestionHooks:
    """Callbacks for the questions to models. before: may raise QuestionRefused. after: gets the number of the game and
    the exchange. Threads call both.
    """

    before: Callable[[], None]
    after: Callable[[int, Exchange], None]


class Referee:
    """Plays pairings in this process. Use it in a `with`, or close it.

    contestants: those of the conditions; more may be added at any time.
    """

    def __init__(
        self,
        conditions: Conditions,
        server: ForkServer | None = None,
        store: Store | None = None,
        hooks: QuestionHooks | None = None,
    ) -> None:
        self.contestants: dict[int, Contestant] = dict(conditions.contestants)
        self._conditions = conditions
        self._store, self._hooks = store, hooks
        self._closing = ExitStack()
        self._models: dict[str, TextPlayer] = {}
        self._idle: list[EnginePlayer] = []
        self._sitting_down = Lock()
        self._server = server

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
        """Plays the game of a pairing. ServiceError if a model's server does not answer: then there is no game.

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
                self._server = None  # another one is started
                if attempt == TRIES - 1:
                    raise
                continue
            if record.fault is None or record.fault.text != faults.KILLED:
                break
        record.number, record.round = pairing.number, pairing.round
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
        """A model is one for all games, an engine for all that are not played at once; others are made anew with their
        own seed.
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
        options, store, hooks = self._conditions.text, self._store, self._hooks
        env = options.environment(self._conditions.game)

        def recall(seat: int, observation: str) -> Exchange | None:
            known = store.recall(number, seat, observation) if store else None
            if known is None and hooks:
                hooks.before()
            return known

        def note(exchange: Exchange) -> None:
            if store:
                store.note(number, exchange)
            if hooks:
                hooks.after(number, exchange)

        return TextSeat(player, env, options.seconds, recall=recall, note=note)


def require_able(conditions: Conditions) -> None:
    """ValueError if one of the contestants cannot play this game from both seats; before anything is played."""
    for contestant in conditions.contestants.values():
        if isinstance(contestant.player, BotSource):
            continue  # its file is read, and what it does shows in the game
        player = make_player(contestant.player, seed=0)
        try:
            player.prepare(conditions.game)
            if player.seats != (0, 1):
                raise ValueError(
                    f"{contestant.name} can only move {'first' if player.seats == (0,) else 'second'}, "
                    "and here everybody does both"
                )
        except BotFault as error:
            said = one_line(error.prints.strip().rpartition("\n")[2])
            raise ValueError(f"{contestant.name} cannot play: {error}{f'; it says: {said}' if said else ''}") from None
        finally:
            if isinstance(contestant.player, str):
                player.close()


Result = GameRecord | ServiceError
"""A game, or why there is none."""


Executor = Callable[[Conditions, Iterator[Batch | None]], Iterator[Result]]
"""Where games are played. It asks for batches only when there is room for them; closed, it plays no more."""


class BatchQueue:
    """The batches that an executor hands out. Those that a lost process or machine did not finish come first."""

    def __init__(self, batches: Iterator[Batch | None]) -> None:
        self._batches = batches
        self._unfinished: deque[Batch] = deque()
        self._failures: Counter[int] = Counter()

    def next(self) -> Batch | None:
        """Returns the next batch; None if there is none now."""
        return self._unfinished.popleft() if self._unfinished else next(self._batches, None)

    def put_back(self, rest: Batch, reason: SandboxError) -> None:
        """Takes the unfinished games of a batch; raises the reason when the first has failed TRIES times."""
        self._failures[rest[0].number] += 1
        if self._failures[rest[0].number] >= TRIES:
            raise reason
        self._unfinished.append(rest)


def play_here(
    conditions: Conditions, batches: Iterator[Batch | None], server: ForkServer | None = None
) -> Iterator[Result]:
    """Executor: one game after the other, in this process."""
    with Referee(conditions, server) as referee:
        for batch in batches:
            if batch is None:
                return
            for pairing in batch:
                yield result_of(referee, pairing)


def play_in_threads(
    conditions: Conditions,
    batches: Iterator[Batch | None],
    threads: int,
    store: Store | None = None,
    hooks: QuestionHooks | None = None,
) -> Iterator[Result]:
    """Executor: several games at once in this process, for players who wait for a server."""
    with ExitStack() as closing:
        pool = closing.enter_context(ThreadPoolExecutor(threads))
        # Closed first, also when nobody wants the rest: then no thread waits for a server any more.
        referee = closing.enter_context(Referee(conditions, store=store, hooks=hooks))

        def play(batch: Batch) -> list[Result]:
            return [result_of(referee, pairing) for pairing in batch]

        def start(count: int) -> set[Future[list[Result]]]:
            return {pool.submit(play, batch) for batch in islice(batches, count) if batch is not None}

        running = start(threads)
        try:
            while running:
                ended = wait_for_any(running)
                running -= ended
                for future in ended:
                    yield from future.result()
                running |= start(threads - len(running))
        finally:
            for future in running:
                future.cancel()


def result_of(referee: Referee, pairing: Pairing, watch: Callable[[GameRecord], None] | None = None) -> Result:
    """The game, or why there is none; ServiceError if there will be none at all."""
    try:
        return referee.play(pairing, watch)
    except ServiceError as error:
        if error.fatal:
            raise
        return error


class Run:
    """A schedule being played into a store.

    unanswered: games left unplayed because a server gave no reply, for the reason in `trouble`.
    """

    def __init__(self, schedule: Schedule, store: Store, conditions: Conditions) -> None:
        self.schedule: Schedule = schedule
        self.store: Store = store
        self.conditions: Conditions = conditions
        self.unanswered: int = 0
        self.trouble: str = ""
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
        hooks: QuestionHooks | None = None,
    ) -> Iterator[GameRecord]:
        """Play what the store does not hold; the games as they end, each in the store already.

        jobs: processes; with one, `threads` games at once if there are models. server: where bots are forked, if one
        runs already and all is in this process. executor: instead of all that. hooks: of models in threads.
        """
        batches = self._batches()
        if executor is not None:
            results = executor(self.conditions, batches)
        elif jobs > 1:
            from noughts.matches.pool import play_in_processes

            results = play_in_processes(self.conditions, batches, jobs)
        elif self._has_models():
            results = play_in_threads(self.conditions, batches, threads, self.store, hooks)
        else:
            results = play_here(self.conditions, batches, server)
        failed_in_row = 0
        try:
            for result in results:
                if isinstance(result, ServiceError):
                    self.unanswered += 1
                    self.trouble = str(result)
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


def match_games(match: Match, store: Store | None = None, server: ForkServer | None = None) -> Iterator[GameRecord]:
    """The games of a match as they end, each in the store already. The same match gives the same games, if its players
    are as constant.

    server: where bots are forked, if one runs already and `match.jobs` is 1.
    """
    conditions = match_conditions(match)
    require_able(conditions)
    yield from Run(match, Store() if store is None else store, conditions).play(jobs=match.jobs, server=server)


def match_conditions(match: Match) -> Conditions:
    limits = match.effective_limits
    text = TextOptions(seconds=None if limits.move_seconds == float("inf") else limits.move_seconds)
    contestants = dict(enumerate(match.contestants))
    return Conditions(match.game, contestants, limits, limits.move_seconds, match.strict, match.unsafe, text)
