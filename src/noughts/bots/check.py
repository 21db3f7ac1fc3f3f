"""What a student runs before submitting: the rules of submission, and games in the sandbox that count for nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from noughts.bots import submission
from noughts.game import Game
from noughts.matches.game import PlayerSeat, Seat, play_game
from noughts.matches.record import GameRecord
from noughts.matches.scores import Timed, seconds_of
from noughts.players import make_player
from noughts.sandbox import BotLimits, SandboxedProcess
from noughts.sandbox.bot import BotSeat
from noughts.sandbox.faults import BotFault, Fault
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

OPPONENTS = ("random", "greedy")
LATE_SHARE = 0.8
"""A move that takes this share of the limit is too near it: the judge's machine may be slower."""


@dataclass
class CheckReport(Timed):
    """What was found. breaches: (line, text) against the submission rules, None if they do not apply. readable: whether
    the file is Python at all. fault: why it does not even load. games: those played, with the bot's seat and opponent.
    seconds: of its moves.
    """

    breaches: list[tuple[int | None, str]] | None = None
    readable: bool = True
    fault: Fault | None = None
    games: list[tuple[GameRecord, int, str]] = field(default_factory=list)
    load_seconds: float = 0.0
    kilobytes: int = 0
    prints: int = 0

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
    tick: Callable[[float], None] | None = None,
) -> CheckReport:
    """Check a bot: `rounds` games from each seat against each opponent. `tick` is told the share done."""
    report = CheckReport()
    try:
        report.breaches = found_breaches(source, server, limits, unsafe=unsafe)
    except BotFault as error:
        report.readable, report.fault = False, error.fault
        return report
    plan = [(opponent, seat) for _ in range(rounds) for opponent in OPPONENTS for seat in (0, 1)]
    for number, (opponent, seat) in enumerate(plan):
        bot = BotSeat(source, server, limits, strict=strict, unsafe=unsafe)
        other = PlayerSeat(make_player(opponent, seed=number), limits.move_seconds)
        seats: list[Seat] = [bot, other] if seat == 0 else [other, bot]

        def watch(record: GameRecord, number: int = number) -> None:
            if tick:
                tick((number + len(record.moves) / game.max_game_length()) / len(plan))

        record = play_game(game, seats, seed=number, watch=watch)
        report.games.append((record, seat, opponent))
        report.seconds += seconds_of(record, seat)
        report.load_seconds = max(report.load_seconds, bot.load_seconds)
        report.kilobytes = max(report.kilobytes, bot.kilobytes)
        report.prints += len(record.prints)
        if record.fault is not None and record.fault.loading and number == 0:
            report.fault = record.fault
            break
    return report


def found_breaches(
    source: BotSource, server: ForkServer, limits: BotLimits, *, unsafe: bool = False
) -> list[tuple[int | None, str]] | None:
    """What is against the submission rules, None if they do not apply. BotFault if the file is not Python at all."""
    with SandboxedProcess(server, limits, unsafe=unsafe) as process:
        reply = process.ask("outline", limits.load_seconds, source=source.text, file=source.file)
    outline: submission.Outline = reply["outline"]
    return list(submission.breaches(outline, source.wanted)) if submission.is_course_bot(outline) else None
