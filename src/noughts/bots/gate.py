"""The gate: what a bot must pass before it may play. `noughts check` runs it for a student, a tournament for every bot.

    1. The file is Python, and keeps the submission rules of the course where they apply.
    2. It loads, within its time and memory.
    3. It plays itself, and `random` and `greedy` from both seats, without a fault.

The games have fixed seeds, so that a student's check and the tournament's gate play the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from noughts.bots.quick import QUICK_OPPONENT, QuickCheck, typical_moves
from noughts.course import submission
from noughts.course.naming import NameRule
from noughts.course.python2 import python2_hint
from noughts.course.reading import literal_identities
from noughts.game import Game
from noughts.matches.record import GameRecord
from noughts.matches.runner import Conditions, Referee
from noughts.matches.schedule import Contestant, Pairing
from noughts.matches.tally import Tally, seconds_of
from noughts.players import BasePlayer
from noughts.players.bot import BotPlayer
from noughts.sandbox import BotFault, BotLimits, Fault
from noughts.sandbox.faults import CRASH
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

ITSELF = "itself"
OPPONENTS = (ITSELF, "random", "greedy")
SEATS = {opponent: ((0, 1),) if opponent == ITSELF else ((0,), (1,)) for opponent in OPPONENTS}
GAMES = tuple((opponent, seats) for opponent, each in SEATS.items() for seats in each)
"""The games of the gate: the opponent, and the seats of the bot. The number of a game is its seed."""
PASSING, PLAYING, ALL = ADMIT = "passing", "playing", "all"
"""Which bots are admitted: those that pass, those that play without a fault even against submission rules, or all."""
RULES = "against the submission rules: "
"""How the reason begins if the file breaks the submission rules; such a bot may still play well."""
IDENTITY = "`is` with a text or a number asks if it is the same object, which is up to the interpreter; write == or !="

Finding = tuple[int | None, str]
"""A line of the file, if it is known, and what there is to say."""


@dataclass(frozen=True)
class GateGame:
    """A game of the gate. seats: those of the bot, both if it plays itself."""

    record: GameRecord
    opponent: str
    seats: tuple[int, ...]

    @property
    def fault(self) -> Fault | None:
        """The bot's fault, if it lost by one."""
        return self.record.fault if self.record.faulty in self.seats else None

    @property
    def title(self) -> str:
        """The game in words: "against random, moving second"."""
        order = "" if len(self.seats) == 2 else f", moving {('first', 'second')[self.seats[0]]}"
        return f"against {self.opponent}{order}"


@dataclass
class GateReport:
    """What the gate found.

    breaches: of the submission rules, None if they do not apply. remarks: findings that break no rule. readable:
    whether the file is Python at all. fault: why it does not load. games: those played; after a quick check they are
    only begun. tally: the bot's games except those against itself, and the times of all its moves; against: by
    opponent. notes: what a quick check has to say about its clocks. unsafe: whether it played without a sandbox.
    """

    breaches: list[Finding] | None = None
    remarks: list[Finding] = field(default_factory=list)
    readable: bool = True
    quick: bool = False
    fault: Fault | None = None
    games: list[GateGame] = field(default_factory=list)
    load_seconds: float = 0.0
    kilobytes: int = 0
    unsafe: bool = False
    prints: int = 0
    notes: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    against: dict[str, Tally] = field(default_factory=dict)

    @property
    def faults(self) -> list[tuple[int, Fault]]:
        """(game number from 1, fault) of the bot; a fault at loading is that of game 0."""
        if self.fault is not None:
            return [(0, self.fault)]
        return [(number, game.fault) for number, game in enumerate(self.games, 1) if game.fault is not None]

    @property
    def reason(self) -> str:
        """Why the bot does not pass, in one sentence; '' if it does."""
        if self.breaches and self.readable:
            line, text = self.breaches[0]
            more = f" (and {len(self.breaches) - 1} more)" if self.breaches[1:] else ""
            return f"{RULES}{'' if line is None else f'line {line}: '}{text}{more}"
        return self.failure

    @property
    def failure(self) -> str:
        """Why the bot cannot play, whatever the submission rules say; '' if it can."""
        if self.fault is not None:
            return f"{'loading' if self.readable else 'reading'}: {self.fault.text}"
        return next((f"{game.title}: {game.fault.text}" for game in self.games if game.fault is not None), "")

    def passed(self) -> bool:
        return not self.reason

    def add(self, game: GateGame, source: BotSource) -> None:
        """Takes in what a game showed of the bot."""
        record = game.record
        if game.fault is not None:
            record.fault = hinted(game.fault, source)
            if record.fault.loading:
                self.fault = record.fault
        self.games.append(game)
        if len(game.seats) == 1:
            for tally in (self.tally, self.against.setdefault(game.opponent, Tally(game.opponent))):
                tally.add_game(record, game.seats[0])
        else:
            self.tally.seconds += [taken for seat in game.seats for taken in seconds_of(record, seat)]
        self.prints += len(record.prints)

    def measure(self, seats: Iterable[BasePlayer]) -> None:
        """Takes in the time to load and the memory of the bots among these seats."""
        for seat in seats:
            if isinstance(seat, BotPlayer):
                self.load_seconds = max(self.load_seconds, seat.load_seconds)
                self.kilobytes = max(self.kilobytes, seat.kilobytes)
                self.unsafe |= not seat.is_confined


@dataclass(frozen=True)
class Gate:
    """The gate for a game, with the limits that bots have there. rule: how files and classes have to be called.

    speed: how many times as fast as the real clock the clocks of bots run, for a rehearsal. admit: which bots are
    admitted, one of ADMIT.
    """

    game: Game
    limits: BotLimits
    strict: bool = False
    unsafe: bool = False
    rule: NameRule | None = None
    speed: float = 1.0
    admit: str = PASSING

    def admits(self, report: GateReport) -> bool:
        """Returns whether a bot with this report may play."""
        return self.admit == ALL or not (report.failure if self.admit == PLAYING else report.reason)

    def read(self, source: BotSource, server: ForkServer) -> GateReport:
        """Reads the file without running it: whether it is Python, and keeps the submission rules."""
        from noughts.sandbox import start_process

        report = GateReport()
        try:
            with start_process(server, self.limits, unsafe=self.unsafe) as process:
                reply = process.ask("outline", self.limits.load_seconds, source=source.text, file=source.file)
        except BotFault as error:
            report.readable, report.fault = False, hinted(error.fault, source)
            return report
        outline = submission.without_prelude(reply["outline"], source.text)
        report.remarks += [(line, IDENTITY) for line in literal_identities(source.text)]
        file = Path(source.path).name
        if submission.is_course_bot(outline):
            broken = submission.breaches(outline, source.wanted)
            report.breaches = [*broken, *submission.signature_breaches(outline, source.text)]
            report.remarks += submission.remarks(outline, file, named=self.rule is not None)
        if self.rule is not None:
            report.breaches = [*submission.name_breaches(outline, file, self.rule), *(report.breaches or [])]
        return report

    def check(
        self,
        source: BotSource,
        server: ForkServer,
        *,
        rounds: int = 1,
        quick: bool = False,
        tick: Callable[[float], None] | None = None,
    ) -> GateReport:
        """Runs the gate in this process: all its games, or if `quick` a few moves by fast clocks.

        rounds: more than one plays the games again with other seeds. tick: is called with the share done.
        """
        report = self.read(source, server)
        report.quick = quick
        if report.fault is not None:
            return report
        if quick:
            check = QuickCheck(self.game, self.limits, source, server, strict=self.strict, unsafe=self.unsafe)
            for record, seat, bot in check.run(tick):
                report.add(GateGame(record, QUICK_OPPONENT, (seat,)), source)
                report.measure([bot])
            report.notes = check.notes
            return report
        players = {0: Contestant(source.name, source)}
        players |= {number: Contestant(name, name) for number, name in enumerate(OPPONENTS) if name != ITSELF}
        conditions = Conditions(
            self.game,
            players,
            self.limits,
            self.limits.move_seconds,
            strict=self.strict,
            unsafe=self.unsafe,
            speed=self.speed,
        )
        usual, plan = 2 * typical_moves(self.game), GAMES * rounds
        with Referee(conditions, server) as referee:
            for number, (opponent, seats) in enumerate(plan):

                def watch(record: GameRecord, number: int = number) -> None:
                    if tick:
                        tick((number + min(1.0, len(record.moves) / usual)) / len(plan))

                other = OPPONENTS.index(opponent)
                pairing = Pairing(number, 0, (other, 0) if seats == (1,) else (0, other), (), seed=number)
                at_board: list[BasePlayer] = []
                record = referee.play(pairing, watch, at_board)
                report.add(GateGame(record, opponent, seats), source)
                report.measure(at_board[seat] for seat in seats)
                if report.fault is not None:
                    break
        return report


def verdict(games: Sequence[GateGame], source: BotSource) -> str | None:
    """Returns why a bot that played these games may not play, '' if it may, None while games are missing.

    The words are those of `GateReport.reason`.
    """
    if len(games) < len(GAMES):
        return None
    report = GateReport()
    for game in sorted(games, key=lambda game: GAMES.index((game.opponent, game.seats))):
        report.add(game, source)
    return report.reason


_hint = lru_cache(python2_hint)
"""The same crash in several games is looked at once."""


def hinted(fault: Fault, source: BotSource) -> Fault:
    """Returns the fault with a hint if it is one that Python 2 would not have had, in a source that may be Python 2."""
    hint = _hint(source.text, f"{fault.text} {fault.detail}") if fault.kind == CRASH else ""
    return replace(fault, text=f"{fault.text}; {hint}") if hint else fault
