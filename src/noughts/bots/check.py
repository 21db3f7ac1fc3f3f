"""What a student runs before submitting: the rules of submission, and games in the sandbox that count for nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from noughts.bots import submission
from noughts.bots.quick import quick_games, typical_moves
from noughts.course.python2 import python2_hint
from noughts.course.reading import literal_identities
from noughts.game import Game
from noughts.matches.game import PlayerSeat, Seat, play_seats
from noughts.matches.record import GameRecord
from noughts.matches.tally import Tally
from noughts.players import make_player
from noughts.sandbox import BotFault, BotLimits, Fault
from noughts.sandbox.bot import BotSeat
from noughts.sandbox.faults import CRASH
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

OPPONENTS = ("random", "greedy")
QUICK_OPPONENT = "random"
IDENTITY = "`is` with a text or a number asks if it is the same object, which is up to the interpreter; write == or !="
LATE_SHARE = 0.8
"""A move that takes this share of the limit is too near it: the judge's machine may be slower."""


@dataclass
class CheckReport:
    """What was found. breaches: (line, text) against the submission rules, None if they do not apply. remarks: (line,
    text) that break none. readable: whether the file is Python at all. fault: why it does not even load. games: those
    played, with the bot's seat and opponent; after a quick check they are only begun. tally: of all its games; against:
    of those with each opponent.
    """

    breaches: list[tuple[int | None, str]] | None = None
    remarks: list[tuple[int | None, str]] = field(default_factory=list)
    readable: bool = True
    quick: bool = False
    fault: Fault | None = None
    games: list[tuple[GameRecord, int, str]] = field(default_factory=list)
    load_seconds: float = 0.0
    kilobytes: int = 0
    prints: int = 0
    tally: Tally = field(default_factory=Tally)
    against: dict[str, Tally] = field(default_factory=dict)

    @property
    def faults(self) -> list[tuple[int, Fault]]:
        """(game number from 1, fault) of the bot; one at loading is that of game 0."""
        if self.fault is not None:
            return [(0, self.fault)]
        return [(n, r.fault) for n, (r, seat, _) in enumerate(self.games, 1) if r.fault and r.faulty == seat]

    def passed(self) -> bool:
        return not (self.breaches or self.faults)


def check_bot(
    source: BotSource,
    game: Game,
    server: ForkServer,
    limits: BotLimits,
    *,
    rounds: int = 1,
    strict: bool = False,
    unsafe: bool = False,
    quick: bool = False,
    tick: Callable[[float], None] | None = None,
) -> CheckReport:
    """Check a bot: `rounds` games from each seat against each opponent, or if `quick` a few moves by fast clocks.

    `tick` is told the share done.
    """
    report = CheckReport(quick=quick)
    try:
        outline = _outline(source, server, limits, unsafe=unsafe)
    except BotFault as error:
        report.readable, report.fault = False, hinted(error.fault, source)
        return report
    report.remarks += [(line, IDENTITY) for line in literal_identities(source.text)]
    if submission.is_course_bot(outline):
        report.breaches = _breaches(outline, source)
        report.remarks += submission.remarks(outline, Path(source.path).name)
    if quick:
        for record, seat, bot in quick_games(source, game, server, limits, strict=strict, unsafe=unsafe, tick=tick):
            _add(report, record, seat, QUICK_OPPONENT, bot, source)
        return report
    usual = 2 * typical_moves(game)
    plan = [(opponent, seat) for _ in range(rounds) for opponent in OPPONENTS for seat in (0, 1)]
    for number, (opponent, seat) in enumerate(plan):
        bot = BotSeat(source, server, limits, strict=strict, unsafe=unsafe)
        other = PlayerSeat(make_player(opponent, seed=number), limits.move_seconds)
        seats: list[Seat] = [bot, other] if seat == 0 else [other, bot]

        def watch(record: GameRecord, number: int = number) -> None:
            if tick:
                tick((number + min(1.0, len(record.moves) / usual)) / len(plan))

        record = play_seats(game, seats, seed=number, watch=watch)
        _add(report, record, seat, opponent, bot, source)
        if report.fault is not None:
            break
    return report


def hinted(fault: Fault, source: BotSource) -> Fault:
    """The fault with a hint if it is one that Python 2 would not have had, in a source that may be Python 2."""
    hint = python2_hint(source.text, f"{fault.text} {fault.detail}") if fault.kind == CRASH else ""
    return replace(fault, text=f"{fault.text}; {hint}") if hint else fault


def _add(report: CheckReport, record: GameRecord, seat: int, opponent: str, bot: BotSeat, source: BotSource) -> None:
    """Take in what a game showed of the bot."""
    if record.fault is not None and record.faulty == seat:
        record.fault = hinted(record.fault, source)
        if record.fault.loading:
            report.fault = record.fault
    report.games.append((record, seat, opponent))
    for tally in (report.tally, report.against.setdefault(opponent, Tally(opponent))):
        tally.add_game(record, seat)
    report.load_seconds = max(report.load_seconds, bot.load_seconds)
    report.kilobytes = max(report.kilobytes, bot.kilobytes)
    report.prints += len(record.prints)


def found_breaches(
    source: BotSource, server: ForkServer, limits: BotLimits, *, unsafe: bool = False
) -> list[tuple[int | None, str]] | None:
    """What is against the submission rules, None if they do not apply. BotFault if the file is not Python at all."""
    outline = _outline(source, server, limits, unsafe=unsafe)
    return _breaches(outline, source) if submission.is_course_bot(outline) else None


def _breaches(outline: submission.Outline, source: BotSource) -> list[tuple[int | None, str]]:
    return [
        *submission.breaches(outline, source.wanted),
        *submission.signature_breaches(outline, source.text),
    ]


def _outline(source: BotSource, server: ForkServer, limits: BotLimits, *, unsafe: bool) -> submission.Outline:
    from noughts.sandbox import SandboxedProcess  # of Linux alone

    with SandboxedProcess(server, limits, unsafe=unsafe) as process:
        reply = process.ask("outline", limits.load_seconds, source=source.text, file=source.file)
    return submission.without_prelude(reply["outline"], source.text)
