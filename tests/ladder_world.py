"""A ladder whose games are made up: the store, the schedule, the matchmaker and the ratings are the real ones."""

import random
from datetime import UTC, datetime, timedelta

import noughts
from noughts.bots.gate import Gate
from noughts.matches.record import GameRecord
from noughts.sandbox import Fault
from noughts.tournaments._ladder import LADDER
from noughts.tournaments._ladder_schedule import LadderSchedule
from noughts.tournaments.ladder import create_ladder, ladder_in, submit
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile

CLASSIC = noughts.load_game("classic")
CRASH = Fault("crash", "IndexError: list index out of range")


def bot(text):
    """The text of a bot that nobody runs here."""
    return f"def choose(state, clock):\n    return state.legal_actions()[0]\n# {text}\n".encode()


class Clock:
    """A clock that tests set: wherever it jumps, the ladder goes by it."""

    def __init__(self, at=datetime(2027, 2, 1, 12, tzinfo=UTC)):
        self.at = at

    def __call__(self):
        return self.at

    def jump(self, **by):
        self.at += timedelta(**by)


def new_ladder(path, teams=("ants", "bees", "cats"), yardsticks=("random", "greedy"), clock=None, **settings):
    """A new ladder, open for writing."""
    file = TournamentFile(path, write=True, clock=clock or Clock())
    settings = Settings(**{"format": LADDER, "seconds": 2.0, "uploads": 100, **settings})
    return create_ladder(file, CLASSIC, settings, teams, yardsticks, seed=7)


def schedule_of(ladder):
    contestants = ladder.entries.contestants()
    return LadderSchedule(ladder, Gate(ladder.game, ladder.settings.limits), contestants)


def random_game(record, luck):
    """Plays a game by chance."""
    state = record.game.new_initial_state()
    while not state.is_terminal():
        record.moves.append(luck.choice(state.legal_actions()))
        record.seconds.append(0.01)
        state.apply_action(record.moves[-1])
    record.end_by_rules(state)


def played(ladder, pairing, faulty=None, luck=random, used=(0.0, 0.0)):
    """The record of a game by chance; faulty: the seat that crashes at its first move, if one does. used: the seconds
    for which each side kept the process that plays busy.
    """
    names = tuple(each.name for each in map(_contestants(ladder).__getitem__, pairing.players))
    record = GameRecord(ladder.game, names, seed=pairing.seed, number=pairing.number, round=pairing.round, used=used)
    if faulty is None:
        random_game(record, luck)
    else:
        record.end_by_fault(faulty, CRASH)
    return record


def _contestants(ladder):
    return ladder.entries.contestants() | {
        entry.version_id: entry for entry in ladder.entries.gate_opponents().values()
    }


def play(
    ladder,
    most=10**6,
    crashes=lambda name, stage: False,
    schedule=None,
    luck=None,
    until=lambda: False,
    seconds=lambda name: 0.0,
):
    """Plays at most this number of games of a ladder; returns the fixtures that were played.

    crashes: whether a contestant crashes in a game of a stage. until: ends it earlier. seconds: for which a contestant
    keeps the process that plays a game busy.
    """
    fixtures, luck = [], luck or random.Random(1)
    for batch in (schedule or schedule_of(ladder)).batches(ladder):
        if batch is None:
            break
        for pairing in batch:
            fixture = ladder.in_flight[pairing.number].fixture
            names = (fixture.first.partition("#")[0], fixture.second.partition("#")[0])
            faulty = next((seat for seat in (0, 1) if crashes(names[seat], fixture.stage)), None)
            ladder.add(played(ladder, pairing, faulty, luck, (seconds(names[0]), seconds(names[1]))))
            fixtures.append(fixture)
        if len(fixtures) >= most or until():
            break
    return fixtures


def rate(ladder):
    """Makes the ratings anew, as a schedule does that begins."""
    next(schedule_of(ladder).batches(ladder))


def reopened(ladder):
    """The ladder after its process has ended and another one has begun."""
    path, clock = ladder.file.path, ladder.file.clock
    ladder.file.close()
    return ladder_in(TournamentFile(path, write=True, clock=clock))


def upload_all(ladder, *teams):
    for team in teams or [entry.name for entry in ladder.entries.all() if not entry.staff]:
        submit(ladder, team, bot(team))
