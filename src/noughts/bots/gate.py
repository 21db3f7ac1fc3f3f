"""The gate that a bot must pass before it may play. `noughts check` runs it for a student, a tournament for every bot.

    1. The file is Python, and follows the submission rules, if there are any.
    2. It loads, within its time and memory.
    3. It plays itself, and `random` and `greedy` from both seats, without a fault.

The games have fixed seeds, so that a student's check and the tournament's gate play the same ones. A check can stop and
go on at any time: `Gate.due` yields the games that are missing from those played, and `Gate.report` reports on them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
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
    forfeit. record: None if unknown. load_seconds, kilobytes, unsafe: of the bot's processes, if measured.
    """

    opponent: str
    seats: tuple[int, ...]
    fault: Fault | None = None
    record: GameRecord | None = None
    load_seconds: float = 0.0
    kilobytes: int = 0
    unsafe: bool = False

    @staticmethod
    def of(record: GameRecord, opponent: str, seats: tuple[int, ...], players: Iterable[BasePlayer]) -> GateGame:
        """Returns a game that was just played. players: at the bot's seats."""
        bots = [player for player in players if isinstance(player, BotPlayer)]
        return GateGame(
            opponent,
            seats,
            record.fault if record.faulty in seats else None,
            record,
            max((bot.load_seconds for bot in bots), default=0.0),
            max((bot.kilobytes for bot in bots), default=0),
            not all(bot.is_confined for bot in bots),
        )

    @property
    def title(self) -> str:
        """The game in words: "against random, moving second"."""
        order = "" if len(self.seats) == 2 else f", moving {('first', 'second')[self.seats[0]]}"
        return f"against {self.opponent}{order}"

    @property
    def loads(self) -> bool:
        """Whether the bot loaded."""
        return self.fault is None or not self.fault.loading


@dataclass(frozen=True)
class GateReport:
    """What the gate found: `Gate.read` begins a report, `Gate.report` adds games.

    breaches: of the submission rules, None if they do not apply. remarks: findings that break no rule. unreadable: why
    the file is no Python. games: the games played; a quick check only begins them. undecided: whether a quick check had
    no time to find out if the bot passes. notes: remarks of a quick check about its clocks.
    """

    breaches: Sequence[Finding] | None = None
    remarks: Sequence[Finding] = ()
    unreadable: Fault | None = None
    games: tuple[GateGame, ...] = ()
    quick: bool = False
    undecided: bool = False
    notes: Sequence[str] = ()

    @property
    def readable(self) -> bool:
        """Whether the file is Python at all."""
        return self.unreadable is None

    @property
    def fault(self) -> Fault | None:
        """Why the bot does not load."""
        return self.unreadable or next((game.fault for game in self.games if not game.loads), None)

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

    @property
    def records(self) -> list[GameRecord]:
        """The records of the games, if known."""
        return [game.record for game in self.games if game.record is not None]

    @property
    def load_seconds(self) -> float:
        return max((game.load_seconds for game in self.games), default=0.0)

    @property
    def kilobytes(self) -> int:
        return max((game.kilobytes for game in self.games), default=0)

    @property
    def unsafe(self) -> bool:
        """Whether the bot played without a sandbox."""
        return any(game.unsafe for game in self.games)

    @property
    def prints(self) -> int:
        """The number of moves with prints."""
        return sum(len(record.prints) for record in self.records)

    @cached_property
    def tally(self) -> Tally:
        """The bot's games except those against itself, and the times of all its moves."""
        return self.tally_against(*OPPONENTS)

    def tally_against(self, *opponents: str) -> Tally:
        tally = Tally()
        for game in self.games:
            if game.record is None or game.opponent not in opponents:
                continue
            if len(game.seats) == 1:
                tally.add_game(game.record, game.seats[0])
            else:
                tally.seconds += [taken for seat in game.seats for taken in game.record.seconds_of(seat)]
        return tally

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

    def reason(self, report: GateReport) -> str:
        """Returns why a bot does not pass, as tournaments store it; '' if it passes. If bots may break rules, what else
        is wrong comes first."""
        return (report.failure if self.admit == PLAYING else "") or report.reason

    def is_open(self, reason: str | None) -> bool:
        """Returns whether games decide about a bot: it has no result yet (None), or broke rules and may."""
        return reason is None or (self.admit == PLAYING and reason.startswith(RULES))

    def admits(self, report: GateReport) -> bool:
        """Returns whether a bot with this report may play."""
        return is_admitted(self.admit, self.reason(report)) and not report.undecided

    def read(self, source: BotSource, server: ForkServer) -> GateReport:
        """Checks the file without running it: whether it is Python and follows the submission rules."""
        try:
            with start_process(server, self.limits, unsafe=self.unsafe) as process:
                reply = process.ask("outline", self.limits.load_seconds, source=source.text, file=source.file)
        except BotFault as error:
            return GateReport(unreadable=self._with_hint(error.fault, source))
        return GateReport() if self.rules is None else GateReport(*self.rules.findings(reply, source))

    @staticmethod
    def due(games: Collection[GateGame], rounds: int = 1) -> Iterator[tuple[int, str, tuple[int, ...]]]:
        """Yields the games that are missing from these, as (seed, opponent, seats of the bot). If the bot did not load
        in one of them, none is missing: the others would end the same way."""
        if all(game.loads for game in games):
            played = {(game.opponent, game.seats) for game in games}
            yield from ((seed, *game) for seed, game in enumerate(GAMES * rounds) if game not in played)

    def report(self, source: BotSource, reading: GateReport, games: Iterable[GateGame]) -> GateReport:
        """Returns the report on a file with these games of the bot."""
        hinted = (
            game if game.fault is None else replace(game, fault=self._with_hint(game.fault, source)) for game in games
        )
        return replace(reading, games=tuple(hinted))

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
        reading = replace(self.read(source, server), quick=quick)
        if not reading.readable:
            return reading
        if quick:
            check = QuickCheck(self.game, self.limits, source, server, strict=self.strict, unsafe=self.unsafe)
            begun = [GateGame.of(record, QUICK_OPPONENT, (seat,), [bot]) for record, seat, bot in check.run(tick)]
            report = self.report(source, reading, begun)
            return replace(report, notes=check.notes, undecided=check.undecided and not report.failure)
        games: list[GateGame] = []
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
        usual, count = 2 * typical_moves(self.game), len(GAMES) * rounds
        with Referee(conditions, server) as referee:
            for number, opponent, seats in self.due([], rounds):

                def watch(record: GameRecord, number: int = number) -> None:
                    if tick:
                        tick((number + min(1.0, len(record.moves) / usual)) / count)

                other = OPPONENTS.index(opponent)
                pairing = Pairing(number, 0, (other, 0) if seats == (1,) else (0, other), (), seed=number)
                at_board: list[BasePlayer] = []
                record = referee.play(pairing, watch, at_board)
                games.append(GateGame.of(record, opponent, seats, [at_board[seat] for seat in seats]))
                if not games[-1].loads:
                    break
        return self.report(source, reading, games)

    def _with_hint(self, fault: Fault, source: BotSource) -> Fault:
        return fault if self.rules is None else self.rules.with_hint(fault, source)
