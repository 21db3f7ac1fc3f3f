"""The gate that a bot must pass before it may play. `noughts check` runs it for a student, a tournament for every bot.

    1. The file is Python, and follows the submission rules, if there are any.
    2. It loads, within its time and memory.
    3. It plays itself, and `random` and `greedy` from both seats, without a fault.

The games have fixed seeds, so that a student's check and the tournament's gate play the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from typing import Any, Protocol

from noughts.bots.quick import QUICK_OPPONENT, QuickCheck, typical_moves
from noughts.game import Game
from noughts.matches.record import GameRecord
from noughts.matches.runner import Conditions, Referee
from noughts.matches.schedule import Contestant, Pairing
from noughts.matches.tally import Tally
from noughts.players import BasePlayer
from noughts.players.bot import BotPlayer
from noughts.progress import Tick
from noughts.sandbox import BotFault, BotLimits, Fault, start_process
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

ITSELF = "itself"
OPPONENTS = (ITSELF, "random", "greedy")
GAMES = ((ITSELF, (0, 1)), *((opponent, (seat,)) for opponent in OPPONENTS[1:] for seat in (0, 1)))
"""The games of the gate: the opponent, and the seats of the bot. The number of a game is its seed."""
PASSING, PLAYING, ALL = ADMIT = "passing", "playing", "all"
"""Which bots are admitted: those that pass, those that play without a fault even if they break submission rules, or
all."""
RULES = "against the submission rules: "
"""Prefix of the reason if the file breaks the submission rules; such a bot may still play well."""


def is_admitted(admit: str, reason: str) -> bool:
    """Returns whether a bot that failed for this reason may play; '' if it passed. admit: one of ADMIT."""
    return not reason or admit == ALL or (admit == PLAYING and reason.startswith(RULES))


Outline = Mapping[str, Any]
"""What a file contains, as `sandbox.worker.loading.outline` finds it. Only the sandbox parses a bot's file."""


@dataclass(frozen=True)
class Finding:
    """A remark on a file. line, code: its place, if known. detail: a traceback, or ''."""

    text: str
    line: int | None = None
    code: str | None = None
    detail: str = ""

    @staticmethod
    def checked(text: object, line: object, code: object, detail: object) -> Finding:
        """Returns a finding from a file. Raises TypeError if a part has another type."""
        if isinstance(text, str) and isinstance(line, int | None) and isinstance(detail, str) and code is None:
            return Finding(text, line, None, detail)
        raise TypeError("a part has another type")


class SubmissionRules(Protocol):
    """The organisers' rules for files. not_applicable: the message where no rule applies."""

    @property
    def not_applicable(self) -> str: ...

    def findings(self, outline: Outline, source: BotSource) -> tuple[list[Finding] | None, list[Finding]]:
        """Returns the breaches (None if no rule applies to this file) and remarks."""

    def with_hint(self, fault: Fault, source: BotSource) -> Fault:
        """Returns the fault with a hint on how to fix it, if there is one."""


@dataclass(frozen=True)
class GateGame:
    """A game of the gate. seats: those of the bot, both if it plays itself. fault: the bot's; None if it did not
    forfeit."""

    opponent: str
    seats: tuple[int, ...]
    fault: Fault | None = None

    @staticmethod
    def of(record: GameRecord, opponent: str, seats: tuple[int, ...]) -> GateGame:
        return GateGame(opponent, seats, record.fault if record.faulty in seats else None)

    @property
    def title(self) -> str:
        """The game in words: "against random, moving second"."""
        order = "" if len(self.seats) == 2 else f", moving {('first', 'second')[self.seats[0]]}"
        return f"against {self.opponent}{order}"


@dataclass
class GateReport:
    """The findings of the gate.

    breaches: of the submission rules, None if they do not apply. remarks: findings that break no rule. readable:
    whether the file is Python at all. fault: why the bot does not load. games: the games played; a quick check only
    begins them. undecided: whether a quick check had no time to find out if the bot passes. records: of the games, if
    known. tally: the bot's games except those against itself, and the times of all its moves; against: by opponent.
    notes: remarks of a quick check about its clocks. unsafe: whether it played without a sandbox.
    """

    breaches: list[Finding] | None = None
    remarks: list[Finding] = field(default_factory=list)
    readable: bool = True
    quick: bool = False
    undecided: bool = False
    fault: Fault | None = None
    games: list[GateGame] = field(default_factory=list)
    records: list[GameRecord] = field(default_factory=list)
    load_seconds: float = 0.0
    kilobytes: int = 0
    unsafe: bool = False
    prints: int = 0
    notes: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    against: dict[str, Tally] = field(default_factory=dict)

    @property
    def faults(self) -> list[tuple[int, Fault]]:
        """The bot's faults as (game number from 1, fault); faults while loading have the number 0."""
        if self.fault is not None:
            return [(0, self.fault)]
        return [(number, game.fault) for number, game in enumerate(self.games, 1) if game.fault is not None]

    @property
    def reason(self) -> str:
        """Why the bot does not pass, in one sentence; '' if it does."""
        if self.breaches and self.readable:
            line, text = self.breaches[0].line, self.breaches[0].text
            more = f" (and {len(self.breaches) - 1} more)" if self.breaches[1:] else ""
            return f"{RULES}{'' if line is None else f'line {line}: '}{text}{more}"
        return self.failure

    @property
    def failure(self) -> str:
        """Why the bot cannot play, apart from the submission rules; '' if it can."""
        if self.fault is not None:
            return f"{'loading' if self.readable else 'reading'}: {self.fault.text}"
        return next((f"{game.title}: {game.fault.text}" for game in self.games if game.fault is not None), "")

    def passed(self) -> bool:
        return not self.reason and not self.undecided

    def findings(self) -> dict[str, Any]:
        """Returns the breaches and remarks as plain data."""
        breaches = None if self.breaches is None else [asdict(each) for each in self.breaches]
        return {"breaches": breaches, "remarks": [asdict(each) for each in self.remarks]}

    @staticmethod
    def of_findings(data: Any) -> GateReport:
        """Returns the report on a file that was only read, from its `findings`. Raises ValueError for other data."""
        try:
            breaches = None if data["breaches"] is None else [Finding.checked(**each) for each in data["breaches"]]
            return GateReport(breaches, [Finding.checked(**each) for each in data["remarks"]])
        except (TypeError, KeyError) as error:
            raise ValueError(f"these are no findings of the gate ({error})") from None

    def add(self, game: GateGame, record: GameRecord | None = None) -> None:
        """Adds a game of the bot, with its record for the tally."""
        if game.fault is not None and game.fault.loading:
            self.fault = game.fault
        self.games.append(game)
        if record is None:
            return
        self.records.append(record)
        if len(game.seats) == 1:
            for tally in (self.tally, self.against.setdefault(game.opponent, Tally(game.opponent))):
                tally.add_game(record, game.seats[0])
        else:
            self.tally.seconds += [taken for seat in game.seats for taken in record.seconds_of(seat)]
        self.prints += len(record.prints)

    def measure(self, seats: Iterable[BasePlayer]) -> None:
        """Adds the loading time and memory of the bots among these seats."""
        for seat in seats:
            if isinstance(seat, BotPlayer):
                self.load_seconds = max(self.load_seconds, seat.load_seconds)
                self.kilobytes = max(self.kilobytes, seat.kilobytes)
                self.unsafe |= not seat.is_confined


@dataclass(frozen=True)
class Gate:
    """The gate for a game, with the limits of its bots. rules: for files, None if there are none.

    speed: factor by which the clocks of bots run faster, for a rehearsal. admit: which bots are
    admitted, one of ADMIT.
    """

    game: Game
    limits: BotLimits
    strict: bool = False
    unsafe: bool = False
    rules: SubmissionRules | None = None
    speed: float = 1.0
    admit: str = PASSING

    def admits(self, report: GateReport) -> bool:
        """Returns whether a bot with this report may play."""
        return is_admitted(self.admit, report.failure or report.reason) and not report.undecided

    def read(self, source: BotSource, server: ForkServer) -> GateReport:
        """Checks the file without running it: whether it is Python and follows the submission rules."""
        report = GateReport()
        try:
            with start_process(server, self.limits, unsafe=self.unsafe) as process:
                reply = process.ask("outline", self.limits.load_seconds, source=source.text, file=source.file)
        except BotFault as error:
            report.readable, report.fault = False, self._with_hint(error.fault, source)
            return report
        if self.rules is not None:
            report.breaches, report.remarks = self.rules.findings(reply, source)
        return report

    def check(
        self,
        source: BotSource,
        server: ForkServer,
        *,
        rounds: int = 1,
        quick: bool = False,
        tick: Tick | None = None,
    ) -> GateReport:
        """Runs the gate in this process: all its games, or if `quick` a few moves with fast clocks.

        rounds: times the games are played, each with other seeds. tick: called with the share done.
        """
        report = self.read(source, server)
        report.quick = quick
        if report.fault is not None:
            return report
        if quick:
            check = QuickCheck(self.game, self.limits, source, server, strict=self.strict, unsafe=self.unsafe)
            for record, seat, bot in check.run(tick):
                self.add(report, [GateGame.of(record, QUICK_OPPONENT, (seat,))], source, [record])
                report.measure([bot])
            report.notes, report.undecided = check.notes, check.undecided and not report.failure
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
                self.add(report, [GateGame.of(record, opponent, seats)], source, [record])
                report.measure(at_board[seat] for seat in seats)
                if report.fault is not None:
                    break
        return report

    def add(
        self, report: GateReport, games: Sequence[GateGame], source: BotSource, records: Sequence[GameRecord] = ()
    ) -> None:
        """Adds games of the bot to its report, in the order of the gate. records: of these games, for the tally."""
        played = zip_longest(games, records)
        for game, record in sorted(played, key=lambda each: GAMES.index((each[0].opponent, each[0].seats))):
            if game.fault is not None:
                game = replace(game, fault=self._with_hint(game.fault, source))
            report.add(game, record)

    def verdict(self, games: Sequence[GateGame], source: BotSource) -> str | None:
        """Returns why a bot with these games may not play; '' if it may, None while games are missing.

        The reason is worded as in `GateReport.reason`.
        """
        if len(games) < len(GAMES):
            return None
        report = GateReport()
        self.add(report, games, source)
        return report.reason

    def _with_hint(self, fault: Fault, source: BotSource) -> Fault:
        return fault if self.rules is None else self.rules.with_hint(fault, source)
