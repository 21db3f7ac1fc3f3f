"""All games on the page, their file, and the opponents' turns.

The file is SQLite in WAL mode. A move is stored before it is shown, so a killed server continues where it was. Watchers
of a game are woken when it changes and take the latest state: slow readers skip intermediate states, and nothing waits
for absent ones.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import sqlite3
import time
from collections import OrderedDict
from contextlib import suppress
from itertools import islice
from pathlib import Path

from noughts.database import VALUE, CompanionError, Database, HeldError, open_database, use_wal
from noughts.files import BusyError, FileLock, foreign_log, open_our_file
from noughts.game import State
from noughts.printable import one_line
from noughts.sandbox import BotFault
from noughts.schema import damage, unknown_part
from noughts.tournaments.visibility import PUBLIC, STAFF
from noughts.untrusted import parse_json
from noughts.web._engines import Engines, Opponent
from noughts.web._members import Member
from noughts.web._quotas import Busy
from noughts.web._settings import BOT_LEFT_SECONDS, KEPT_DAYS, NAME_LENGTH, OPEN_GAMES, THINKING_SECONDS
from noughts.web._table import REMATCH, SWAP, NotAllowed, Seat, Table, new_key, table_from

log = logging.getLogger(__name__)

PEOPLE = ("link", "open", "screen")
"""Opponents that are people: on their own screen, by a link or an open challenge, or on the same screen."""
CHALLENGES_SHOWN = 50
CLOCKS = (None, 60, 180, 300, 600, 1800)
"""Choices of seconds for each player for the whole game."""
SCHEMA = ("CREATE TABLE game (id TEXT PRIMARY KEY, changed REAL, data TEXT)",)
APPLICATION_ID = 0x6E6F7770
"""`nowp`: the application id of these SQLite files."""
FLAG_SLACK = 0.05
BUSY_SECONDS = 1.0
"""Seconds until the computer tries again to move, if too many moves are waiting."""


class NotSaved(Exception):  # noqa: N818 - it is the disk that erred
    """The file could not be written, so the change was undone."""


class GamesFile:
    """The file of games. Only this process writes it, and only its owner can read it, since it contains the keys of
    seats.
    """

    _base: Database
    _lock: FileLock | None = None

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Two servers would overwrite each other's games.
            busy = BusyError(f"another server uses {path}; stop it, or pass another file with --games FILE")
            self._lock = FileLock(path, busy)
            with suppress(FileExistsError):
                os.close(open_our_file(Path(os.path.realpath(path)), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            if why := foreign_log(path):
                raise CompanionError(f"it {why}")
            self._base = open_database(path, write=True, other_threads=True, alone=True)
            self._prepare(path)
            self._base.note_files()
            self._lock.note()
        except HeldError:
            self.close()
            raise busy from None
        except (sqlite3.Error, OSError, CompanionError) as error:
            self.close()
            raise ValueError(
                f"{path} cannot be used for games of the page ({error}); pass another file with --games FILE"
            ) from None

    def _prepare(self, path: Path) -> None:
        owner = self._base.execute("PRAGMA application_id").fetchone()[0]
        tables = self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if owner != APPLICATION_ID and tables:
            raise sqlite3.DatabaseError("it is another program's database")
        if tables and (part := unknown_part(self._base, SCHEMA)):
            raise sqlite3.DatabaseError(f"another program changed its {one_line(part, NAME_LENGTH)}")
        if tables and (problem := damage(self._base, path)):
            raise sqlite3.DatabaseError(
                f"it has {one_line(problem, NAME_LENGTH)}; another program changed it, or it is damaged"
            )
        use_wal(self._base)
        self._base.execute("PRAGMA synchronous = NORMAL")
        if not tables:
            self._base.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._base.execute(*SCHEMA)
        self._base.execute("DELETE FROM game WHERE changed < ?", (time.time() - KEPT_DAYS * 86400,))

    def keep(self, table: Table) -> None:
        text = json.dumps(table.to_data(), separators=(",", ":"))
        self._base.require_in_place()
        self._base.execute("INSERT OR REPLACE INTO game VALUES (?, ?, ?)", (table.id, time.time(), text))
        self._base.note_change()

    def find(self, number: str) -> Table | None:
        """Returns a game; None if the number is unknown, or the row was not written by a server."""
        row = self._base.execute("SELECT data FROM game WHERE id = ?", (number,)).fetchone()
        try:
            return None if row is None else table_from(number, parse_json(str(row[0]), VALUE))
        except ValueError as error:
            log.warning("game %s in the file of games cannot be read: %s", number, one_line(error, 200))
            return None

    def close(self) -> None:
        if hasattr(self, "_base"):
            self._base.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None


class Tables:
    """Games by number. All methods belong to the event loop's thread."""

    def __init__(self, file: GamesFile, engines: Engines, local: bool) -> None:
        self._engines = engines
        self._visibility = STAFF if local else PUBLIC
        self._file = file
        self._open: OrderedDict[str, Table] = OrderedDict()

    # Creating and finding games.

    def new(
        self, state: State, opponent: Opponent | str, seat: int, clock: int | None, name: str, member: Member
    ) -> Table:
        """Creates a game from a position. The creator has `seat`; the opponent comes from `Engines.checked`, or is one
        of PEOPLE.

        Raises NotSaved if it could not be written, and Busy if this member, or the server, has the maximum of games.
        """
        if clock not in CLOCKS:
            raise NotAllowed(
                f"the clock must be one of {', '.join(str(each) for each in CLOCKS if each)} seconds, or none"
            )
        if state.is_terminal():
            raise NotAllowed("the game is over after these moves")
        key, title = new_key(), person_name(name, member)
        by_link = opponent in ("link", "open")
        you = Seat(player=title or ("host" if by_link else "you"), title=title, key=key)
        if opponent == "screen":
            other = Seat(player="human", title="", key=key)
        elif by_link:
            other = Seat(player="guest", title="", key=new_key())
        else:
            assert isinstance(opponent, Opponent)
            self._engines.require_room(member)
            other = Seat(player=opponent.name, title=opponent.title, key=None)
        seats = [you, other] if seat == 0 else [other, you]
        plies = len(state.history())
        table = Table(secrets.token_urlsafe(9), state, seats, clock, member=member)
        table.seconds, table.opening, table.offered = [0.0] * plies, plies, 1 - seat if opponent == "open" else None
        return self._start(table)

    def challenges(self) -> list[Table]:
        """Returns the open challenges whose creators are online, latest first."""
        waiting = (table for table in reversed(self._open.values()) if table.offered is not None and not table.over)
        return list(islice((table for table in waiting if table.present.total()), CHALLENGES_SHOWN))

    def _start(self, table: Table) -> Table:
        self._make_room()
        self._open[table.id] = table
        self.changed(table)
        return table

    def _make_room(self) -> None:
        """Makes room for a game: drops unwatched ones from memory, longest unused first. The file still has them, and
        they continue when opened. The limit of WebSockets bounds the watched ones.
        """
        for table in list(self._open.values()):
            if len(self._open) < OPEN_GAMES:
                return
            if not table.watchers:
                self._forget(table)

    def _forget(self, table: Table) -> None:
        """Takes a game out of memory; its opponent stops thinking."""
        _stop_timer(table)
        self._open.pop(table.id, None)
        if table.thinking is not None and table.thinking is not asyncio.current_task():
            table.thinking.cancel()

    def find(self, number: str) -> Table | None:
        if number in self._open:
            self._open.move_to_end(number)
            return self._open[number]
        table = self._file.find(number) if len(number) <= NAME_LENGTH else None
        if table is not None:
            self._make_room()
            self._open[number] = table
            self._continue(table)
        return table

    def rematch(self, table: Table, player: int, swap: bool) -> None:
        """Creates a rematch; between two people, when both have asked for the same."""
        if not table.over:
            raise NotAllowed("the game is not over; resign first")
        if table.next is not None:
            return
        if table.is_between_people and not table.offer(SWAP if swap else REMATCH, player):
            table.offers.pop(REMATCH if swap else SWAP, None)  # so the other offer is void
            self.changed(table)
            return
        seats = table.seats[::-1] if swap else table.seats[:]
        number, state = secrets.token_urlsafe(9), table.game.new_initial_state()
        after = self._start(Table(number, state, seats, table.clock, member=table.member))
        table.next = after.id
        table.touch()
        self.changed(table)

    # Turns.

    def changed(self, table: Table) -> None:
        """Saves a changed game, wakes its watchers, lets the opponent move, and sets the clock.

        Raises NotSaved if the file could not be written; the game then returns to its last saved state.
        """
        try:
            self._file.keep(table)
        except sqlite3.Error as error:
            log.error("game %s could not be kept: %s", table.id, error)
            self._drop(table)
            raise NotSaved("the server could not save this change, so it is undone; try again later") from None
        table.wake()
        self._continue(table)

    def _drop(self, table: Table) -> None:
        """Drops unsaved changes. Watchers are disconnected, and find the saved game when they reconnect."""
        table.lost = True
        self._forget(table)
        table.wake()

    def _continue(self, table: Table) -> None:
        _stop_timer(table)
        player = table.player
        if player is None:
            return
        left = table.running(player)
        if left is not None and table.state.history():
            table.timer = asyncio.get_running_loop().call_later(left + FLAG_SLACK, self._flag, table)
        if table.seats[player].key is None and table.thinking is None:
            table.thinking = asyncio.create_task(self._think(table))

    def _flag(self, table: Table) -> None:
        with suppress(NotSaved):
            if table.flag_fallen():
                self.changed(table)

    async def _think(self, table: Table) -> None:
        """Plays the opponent's moves until it is a person's turn. Drops moves for outdated positions."""
        try:
            while (player := table.player) is not None and table.seats[player].key is None:
                version = table.version
                opponent = self._engines.opponents.get(table.seats[player].player)
                if opponent is None:  # a player that the operator offered last time but not now
                    table.resign(player)
                    self.changed(table)
                    return
                seconds = table.thinking_time(THINKING_SECONDS)
                try:
                    action = await self._engines.choose(opponent, table.state, seconds, table.id, table.member)
                except Busy:
                    await asyncio.sleep(BUSY_SECONDS)
                    continue
                except BotFault as fallen:
                    uploaded = opponent.source is not None  # its opponent is its uploader
                    if not uploaded:
                        detail = f"{fallen.fault.text}\n{fallen.fault.detail}".rstrip()
                        log.warning("%s forfeits game %s: %s", opponent.name, table.id, detail)
                    table.forfeit(player, fallen.fault, STAFF if uploaded else self._visibility)
                # A model without a server, or a missing sandbox: the game ends and the server continues.
                except Exception:
                    log.exception("%s gave up in game %s", opponent.name, table.id)
                    table.resign(player)
                else:
                    if table.version != version or table.player != player:
                        continue
                    table.play(player, action)
                self.changed(table)
        except NotSaved:
            return
        finally:
            if table.thinking is asyncio.current_task():
                table.thinking = None

    def opponents_playing(self) -> set[str]:
        """Returns the opponents of games in progress, which are watched or were active recently."""
        since = time.monotonic() - BOT_LEFT_SECONDS
        going = (table for table in self._open.values() if not table.over and (table.since > since or table.watchers))
        return {seat.player for table in going for seat in table.seats if seat.key is None}

    def close(self) -> None:
        for table in list(self._open.values()):
            self._forget(table)
        self._file.close()


def _stop_timer(table: Table) -> None:
    if table.timer is not None:
        table.timer.cancel()
        table.timer = None


def person_name(name: str, member: Member) -> str:
    """Returns a person's name: the roster's, else the one they gave, or ''."""
    return member.name or one_line(name.strip(), NAME_LENGTH)
