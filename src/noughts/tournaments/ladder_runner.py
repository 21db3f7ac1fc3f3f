"""Plays a ladder in threads of a server: gates and games, and reviews of losses when no games are due.

One core is for the page and the referee, which are this process; the others, but at least one, play games. Playing
processes have a lower priority, so on a single core the page goes first; bots are not charged for time in which they
wait for a core (docs/arena.md). Reviews have an even lower priority and are made one at a time.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread

from noughts.analysis.evaluator import NODES
from noughts.bots.gate import Gate, GateReport
from noughts.files import usable_cores
from noughts.matches.pool import play_in_processes
from noughts.matches.runner import Executor, Moved
from noughts.matches.store_file import StoreError
from noughts.sandbox import BotSource, ForkServer, SandboxError
from noughts.sandbox.forkserver import ServerGone
from noughts.tournaments._ladder_schedule import LadderSchedule
from noughts.tournaments.ladder import Upload, UploadRefused, ladder_in, submit
from noughts.tournaments.live import LiveGames
from noughts.tournaments.organiser import run_of
from noughts.tournaments.reviews import next_loss, review_task, store_review
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.workers import Channel, Worker

NICE_GAMES, NICE_REVIEWS = 5, 10
IDLE_SECONDS = 30.0
"""Seconds between two looks for games, if nothing was due and nothing was uploaded."""
REVIEW_SECONDS = 1.0
"""Seconds between two looks for a game to review."""
FAILURE_SECONDS = 10.0
"""Seconds between two attempts after an outside failure, such as a full disk."""
MOST_BROKEN = 2
"""Maximum failed runs while a version is at the gate; each has tried its games several times."""
EXIT_SECONDS = 5.0

log: logging.Logger = logging.getLogger(__name__)


def game_processes() -> int:
    """Returns the number of processes that play: one for each core except the page's, and at least one."""
    return max(1, usable_cores() - 1)


class _Stop(Exception):  # noqa: N818 - nothing is wrong
    """The server is stopping."""


class LadderRunner:
    """Plays the ladder of a file until closed. Raises BusyError if another process plays it.

    gate_of: returns the gate of the ladder. executor: plays the games (default: processes of this machine).
    workers: number of playing processes, None if they are elsewhere. A frozen ladder is not played until it is
    unfrozen.
    """

    def __init__(
        self,
        path: Path,
        gate_of: Callable[[TournamentStore], Gate],
        executor: Executor | None = None,
        *,
        reviews: bool = True,
    ) -> None:
        self.file: TournamentFile = TournamentFile(path, write=True)
        try:
            self.ladder: TournamentStore = ladder_in(self.file)
        except BaseException:
            self.file.close()
            raise
        self._failure = ""
        self.waiting: bool = True
        self.workers: int | None = game_processes() if executor is None else None
        self._gate_of = gate_of
        self._executor = executor or partial(play_in_processes, jobs=game_processes(), niceness=NICE_GAMES, eager=False)
        self._stopping, self._news = Event(), Event()
        self._threads = [Thread(target=self._play, name="ladder", daemon=True)]
        if reviews:
            self._threads.append(Thread(target=self._review, name="reviews", daemon=True))
        self._reviewer: Worker | None = None
        self._reading = Lock()
        self._reader: ForkServer | None = None
        self._broken: Counter[int] = Counter()

    @property
    def failure(self) -> str:
        """Returns why no games are played now, or nothing can be stored; or ''. Other processes read it in the lock."""
        return self._without_folder(self.file.trouble) or self._failure

    def _set_failure(self, failure: str) -> None:
        if failure != self._failure:
            self._failure = failure
            self.file.note_trouble(failure)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def poll_soon(self) -> None:
        """Makes the runner look at the file soon, since it has changed."""
        self._news.set()

    def close(self) -> None:
        """Stops. Games in flight are lost and played again next time."""
        self._stopping.set()
        self._news.set()
        if self._reviewer is not None:
            with suppress(OSError):
                self._reviewer.kill()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(EXIT_SECONDS)
        if self._reviewer is not None and not self._threads[-1].is_alive():
            self._reviewer.close()
        with self._reading:
            self._close_reader()
        self.file.close()

    def submit(self, team: str, data: bytes, file: str = "") -> Upload:
        """Stores an upload; thread-safe. See `ladder.submit`."""
        upload = submit(self.ladder, team, data, file, read=self._read_playable)
        self.poll_soon()
        return upload

    def _read_playable(self, source: BotSource) -> GateReport:
        """Returns what the gate finds by reading a file in the sandbox. Raises UploadRefused if it cannot play."""
        gate = self._gate_of(self.ladder)
        try:
            report = self._read(gate, source)
        except SandboxError as error:
            log.error("an upload could not be read: %s", error)
            raise UploadRefused(
                507, "the server cannot read the file now, so nothing was stored; try again later"
            ) from None
        if not gate.admits(report):
            raise UploadRefused(
                422, f"the file cannot play, so it was not stored: {report.reason}. Fix it and upload it again"
            )
        return report

    def _read(self, gate: Gate, source: BotSource) -> GateReport:
        """Returns the gate's report on a file that is only read."""
        with self._reading:
            try:
                self._reader = self._reader or ForkServer()
                return gate.read(source, self._reader)
            except ServerGone:  # another one is started, once
                self._close_reader()
                self._reader = ForkServer()
                return gate.read(source, self._reader)

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    # Games.

    def _play(self) -> None:
        while not self._stopping.is_set():
            self._news.clear()
            pause = IDLE_SECONDS
            try:
                if not self.ladder.is_frozen and not self._play_until_idle():
                    pause = 0.0
                self._set_failure("")
            except _Stop:
                return
            except (StoreError, SandboxError, ValueError, OSError) as error:
                if not self._is_frozen_now():  # otherwise games in flight are dropped, since nothing changes any more
                    self._set_failure(self._without_folder(str(error)))
                    pause = FAILURE_SECONDS
                    log.error("the ladder pauses: %s", error)
            except Exception:  # the page keeps running and reports it
                self._set_failure("games cannot be played now; see the server's log")
                pause = FAILURE_SECONDS
                log.exception("the ladder pauses")
            self._news.wait(pause)

    def _without_folder(self, text: str) -> str:
        """Returns an error for the page, without the file's folder, which is private."""
        return text.replace(str(self.file.path), self.file.path.name)

    def _is_frozen_now(self) -> bool:
        with suppress(StoreError):
            return self.ladder.is_frozen
        return False

    def _play_until_idle(self) -> bool:
        """Plays until nothing is due, or until the limits of bots change, for which it returns False."""
        ladder = ladder_in(self.file)
        run = run_of(ladder, self._gate_of(ladder))
        schedule = run.schedule
        assert isinstance(schedule, LadderSchedule)
        try:
            with LiveGames(ladder) as live:

                def moved(move: Moved) -> None:
                    if self._stopping.is_set():
                        raise _Stop
                    if self._news.is_set():
                        self._news.clear()
                        schedule.poll_soon()
                    live.moved(move)

                for record in run.play(executor=self._executor, watch=moved):
                    live.ended(record.number)
                    self._set_failure("")
                    self.waiting = schedule.waiting
                    if self._stopping.is_set():
                        raise _Stop
                self.waiting = False
                return not schedule.is_outdated
        except SandboxError as error:
            self._refuse_broken(ladder, str(error))
            raise

    def _refuse_broken(self, ladder: TournamentStore, why: str) -> None:
        """Refuses candidates whose games repeatedly break the playing processes, since otherwise no other games would
        be played.
        """
        in_flight = ladder.versions_in_flight()
        for entry in ladder.entries.all():
            if entry.candidate_id in in_flight and entry.candidate_id is not None:
                self._broken[entry.candidate_id] += 1
                if self._broken[entry.candidate_id] >= MOST_BROKEN:
                    ladder.entries.record_gate_result(entry, f"its games cannot be finished: {why}")

    # Reviews of losses.

    def _review(self) -> None:
        """Reviews lost games, newest first, one at a time, while no version waits."""
        ladder, failed = ladder_in(self.file), set[int]()
        while not self._stopping.wait(REVIEW_SECONDS):
            try:
                while (
                    not self.ladder.is_frozen
                    and not self.waiting
                    and not self._stopping.is_set()
                    and (found := next_loss(ladder, failed))
                ):
                    game, replay = found
                    data = self._review_game(game, replay)
                    if data is None:
                        failed.add(game)
                        continue
                    store_review(ladder, game, data)
            except Exception as error:
                if self._stopping.is_set():
                    return
                is_known = isinstance(error, StoreError)  # a full disk, or a file that is not in place
                log.error("reviews pause: %s", error, exc_info=None if is_known else error)
                self._stopping.wait(FAILURE_SECONDS)

    def _review_game(self, game: int, replay: str) -> str | None:
        """Returns the review of a game, from another process; None if the process failed."""
        if self._reviewer is None or self._reviewer.exitcode is not None:
            self._reviewer = Worker(_serve_reviews)
        try:
            self._reviewer.send((game, replay, NODES))
            made: str = self._reviewer.receive()
            return made or None
        except (EOFError, OSError):
            self._reviewer.close()
            self._reviewer = None
            return None


def _serve_reviews(channel: Channel) -> None:
    """Runs a process that reviews games until its input ends."""
    if hasattr(os, "nice"):
        os.nice(NICE_REVIEWS)
    while True:
        try:
            channel.send(review_task(channel.receive()))
        except ValueError:  # a damaged replay
            channel.send("")
