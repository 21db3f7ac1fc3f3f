"""Turns bots into a run: enters and updates contestants, and returns the run that plays the due games."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from noughts.bots.gate import Gate, GateReport
from noughts.matches.runner import Conditions, Run, TextOptions, require_able
from noughts.matches.schedule import Contestant, contestants
from noughts.matches.store_file import StoreError
from noughts.players.own import OwnPlayer
from noughts.players.protocol import PlayerLike
from noughts.players.registry import canonical_name, is_listed, own_player
from noughts.printable import shell_quote
from noughts.sandbox import BotSource, ForkServer
from noughts.tournaments._gate import TournamentGate
from noughts.tournaments._ladder_schedule import LadderSchedule
from noughts.tournaments._schedule import TournamentSchedule
from noughts.tournaments.names import name_keys, name_refusal
from noughts.tournaments.store import TournamentStore


@dataclass
class Changes:
    """Changes of contestants, by name. missing: their file is gone, but they still play. taken: their file has a staff
    player's name, so they are excluded.
    """

    changed: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)


def sync_bots(
    tournament: TournamentStore, bots: Mapping[str, BotSource | str], late: Mapping[str, int | None] | None = None
) -> Changes:
    """Enters bots by name. Changed bots get a new version; removed bots stay out.

    bots: all current bots, each a source or the reason why there is none. late: see `Entries.enter`.
    """
    changes = Changes()
    before = {entry.name: entry for entry in tournament.entries.all()}
    staff = {key for entry in before.values() if entry.staff for key in name_keys(entry.name)}
    for name, bot in bots.items():
        old = before.get(name)
        if not staff.isdisjoint(name_keys(name)):
            changes.taken.append(name)
        elif old is not None and old.removed:
            changes.removed.append(name)
        elif isinstance(bot, str):
            tournament.entries.refuse(name, bot)
        elif tournament.entries.enter(name, bot, late=late).is_new and old is not None and old.version_id:
            changes.changed.append(name)
    files = {contestant.name for contestant in tournament.entries.contestants().values() if contestant.is_bot}
    changes.missing = [
        name for name, entry in before.items() if name in files and name not in bots and entry.plays and not entry.staff
    ]
    return changes


def enter_players(tournament: TournamentStore, players: Sequence[PlayerLike], *, staff: bool) -> list[str]:
    """Enters players by trusted names (bot files, built-in players) or as objects. Raises ValueError if one cannot
    play.
    """
    once = {each if isinstance(each, str) else id(each): each for each in map(_canonical, players)}
    found = contestants(list(once.values()))
    require_able(_conditions(tournament, dict(enumerate(found)), unsafe=False))
    known = {key: (name, False) for name in tournament.entries.known_names() for key in name_keys(name)}
    entered = [entry for entry in tournament.entries.all() if entry.version_id or entry.candidate_id]
    known |= {key: (entry.name, entry.staff) for entry in entered for key in name_keys(entry.name)}
    for each in found:
        if staff and isinstance(each.player, str) and re.search("[:,]seed=", each.player):
            raise StoreError(
                f"others could predict the moves of {each.name!r}, because its name contains its seed; leave the seed "
                "out to derive one for each game from the tournament's secret"
            )
        if isinstance(each.player, BotSource) and (refusal := name_refusal(each.name.partition("#")[0])):
            raise StoreError(f"{each.player.path} cannot enter: {refusal}")
        for name, of_staff in {known[key] for key in name_keys(each.name) if key in known} - {(each.name, staff)}:
            who = "a staff player" if of_staff else "a team"
            raise StoreError(f"{who} already has the name {name!r}; give {each.name!r} another name")
    return [
        each.name
        for each in found
        if tournament.entries.enter(
            each.name,
            each.player.text if isinstance(each.player, OwnPlayer) else each.player,  # our own players by name
            staff=staff,
            model=_model(each.player),
        ).is_new
    ]


def _canonical(player: PlayerLike) -> PlayerLike:
    return canonical_name(player) if isinstance(player, str) else player


def _model(player: BotSource | OwnPlayer | str) -> str | None:
    """Returns the hash of a player's learned file: further training makes a new version."""
    if not (isinstance(player, str) and player.startswith("q:")):
        return None
    from noughts.learn.model import model_digest  # loads the learner's compiled code

    return model_digest(player.removeprefix("q:"))


def run_of(
    tournament: TournamentStore,
    gate: Gate,
    *,
    trusted: Collection[PlayerLike] = (),
    server: ForkServer | None = None,
) -> Run:
    """Returns the run that continues the tournament.

    gate: the tournament's gate; if it is unsafe, games are played without a sandbox (never on a ladder). trusted:
    players from the command line, or objects. Other players in the file must be listed ones, so that a file cannot make
    this machine send secrets or read any file. server: reads new bots (default: a new one).
    """
    tournament.require_unfrozen()
    tournament.in_flight.clear()  # those of a run that was stopped
    if tournament.kind.endless:
        gate = replace(gate, unsafe=False)
    tournament.settings.require_playable(*tournament.entries.counts())
    tournament.entries.enter_gate_opponents()
    tournament.entries.recall_unadmitted()
    playing = tournament.entries.contestants()
    named = {each for each in map(_canonical, trusted) if isinstance(each, str)}
    own = {player.text: player for player in map(own_player, trusted) if player is not None}
    for number, contestant in playing.items():
        if not isinstance(contestant.player, str) or contestant.player in named:
            continue
        if contestant.player in own:
            playing[number] = replace(contestant, player=own[contestant.player])
        elif not is_listed(contestant.player):
            raise StoreError(
                f"{tournament.file.path} names the player {contestant.player!r}, which reads files or contacts "
                f"servers; to allow that, pass --staff {shell_quote(contestant.player)} again"
            )
    conditions = _conditions(tournament, playing, unsafe=gate.unsafe)
    require_able(conditions)
    if tournament.kind.endless:
        return Run(LadderSchedule(tournament, gate, playing), tournament, conditions)
    readings = _readings(tournament, gate, server)
    checks = TournamentGate(tournament, gate, playing, lambda version: readings.get(version, GateReport()))
    return Run(TournamentSchedule(tournament, checks), tournament, conditions)


def _conditions(tournament: TournamentStore, playing: Mapping[int, Contestant], *, unsafe: bool) -> Conditions:
    settings = tournament.settings
    return Conditions(
        tournament.game,
        playing,
        settings.limits,
        settings.rehearsal or settings.seconds,
        settings.strict,
        unsafe,
        TextOptions(seconds=settings.seconds),
        speed=settings.speed,
    )


def _readings(tournament: TournamentStore, gate: Gate, server: ForkServer | None) -> dict[int, GateReport]:
    """Returns what the gate finds by reading the files of undecided candidates, by version."""
    entries, known = tournament.entries, tournament.entries.contestants()
    waiting = [entry.candidate_id for entry in entries.all() if entry.candidate_id and entry.waits]
    readings: dict[int, GateReport] = {}
    with ExitStack() as closing:
        for version in waiting:
            if gate.is_open(entries.gate_result(version)):
                source = known[version].player
                assert isinstance(source, BotSource)
                server = server or closing.enter_context(ForkServer())
                readings[version] = gate.read(source, server)
    return readings
