"""Executor with several processes on this machine.

    writer  -> player    a batch and its new contestants, or None to stop
    player  -> writer    for each of its games: the moves if watched, then a record or the reason why there is none

A process that ends in the middle of a game is replaced, and the game is played again. All processes end when the writer
does, even if it is killed (`noughts.workers`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

from noughts._threads import next_of
from noughts.matches.record import GameRecord
from noughts.matches.runner import BatchQueue, Conditions, GameOrError, Moved, Referee, Watch
from noughts.matches.schedule import Batch, Contestant, Pairing
from noughts.players.llm import ServiceError
from noughts.sandbox import ForkServer, SandboxError
from noughts.sandbox.forkserver import ServerGone
from noughts.workers import Channel, Worker

FAREWELL = 10.0
"""Seconds for a process to end by itself."""


def play_in_processes(
    conditions: Conditions,
    batches: Iterator[Batch | None],
    watch: Watch | None = None,
    server: ForkServer | None = None,
    *,
    jobs: int,
    niceness: int = 0,
    eager: bool = True,
) -> Iterator[GameOrError]:
    """Plays batches in `jobs` processes. Raises SandboxError if a game repeatedly cannot be finished.

    server: forks the fork server of each process (default: each starts its own). niceness: the nice value of the
    processes and their bots, if not 0; each then starts its own fork server, since a forked one has that of `server`.
    eager: whether a process gets its next batch before its result is stored; if not, the schedule knows all results.
    """
    pool = _Pool(conditions.for_others(), batches, jobs, watch, None if niceness else server, niceness, eager=eager)
    try:
        yield from pool.results()
    except BaseException:  # stopped, or the rest is not needed; do not wait, since a game can take an hour
        pool.leave()
        raise
    finally:
        pool.close()


class _Player:
    """A worker and its batch. Puts the worker's messages into `heard`, and None when the worker has ended."""

    def __init__(
        self,
        conditions: Conditions,
        watching: bool,
        server: ForkServer | None,
        niceness: int,
        heard: SimpleQueue[tuple[_Player, Any]],
    ) -> None:
        self.games: deque[Pairing] = deque()
        self.has_spoken = False
        self._heard = heard
        self._contestants = conditions.contestants
        self._known = set(conditions.contestants)
        twin = None if server is None else server.twin()
        with nullcontext() if twin is None else twin:
            descriptors = [] if twin is None else [twin.fileno()]
            self._worker = Worker(_serve, conditions, watching, niceness, *descriptors, descriptors=descriptors)
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._heard.put((self, self._worker.receive()))
        self._heard.put((self, None))

    def play(self, batch: Batch) -> None:
        """Sends a batch, with the contestants that came after the process was started."""
        self.games.extend(batch)
        new = {number for pairing in batch for number in pairing.players} - self._known
        self._known |= new
        self._send((batch, {number: self._contestants[number] for number in new}))

    def failed_to_start(self) -> bool:
        """Returns whether the worker has ended by itself before its first message: the next one would do the same."""
        if not self.has_spoken:
            self._worker.wait(FAREWELL)
        return not self.has_spoken and self._worker.exitcode == 1

    def kill(self) -> None:
        self._worker.kill()

    def dismiss(self) -> None:
        """Asks the worker to end, without waiting for it."""
        self._send(None)

    def close(self) -> None:
        self.dismiss()
        self._worker.wait(FAREWELL)
        self._worker.kill()
        self._listener.join()
        self._worker.close()

    def _send(self, message: tuple[Batch, dict[int, Contestant]] | None) -> None:
        with suppress(OSError):  # the worker has ended; receiving will notice
            self._worker.send(message)


class _Pool:
    def __init__(
        self,
        conditions: Conditions,
        batches: Iterator[Batch | None],
        jobs: int,
        watch: Watch | None,
        server: ForkServer | None,
        niceness: int,
        *,
        eager: bool,
    ) -> None:
        self._eager = eager
        self._conditions, self._queue, self._jobs, self._watch = conditions, BatchQueue(batches), jobs, watch
        self._server, self._niceness = server, niceness
        self._players: list[_Player] = []
        self._heard: SimpleQueue[tuple[_Player, Any]] = SimpleQueue()

    def leave(self) -> None:
        """Ends all players at once, in the middle of their games."""
        for player in self._players:
            player.kill()

    def close(self) -> None:
        for player in self._players:
            player.dismiss()
        for player in self._players:
            player.close()

    def results(self) -> Iterator[GameOrError]:
        self._feed()
        while any(player.games for player in self._players):
            player, message = next_of(self._heard)
            if not player.games:  # the worker has ended without a batch
                self._dismiss(player)
                continue
            result = self._result(player, message)
            if self._eager:
                self._feed()  # before the record is written, so that no player waits for the disk
            if result is not None:
                yield result
                self._feed()  # the next games may depend on it

    def _feed(self) -> None:
        """Gives each idle player a batch, if there is one now."""
        while True:
            idle = next((player for player in self._players if not player.games), None)
            if idle is None and len(self._players) >= self._jobs:
                return
            batch = self._queue.next()
            if batch is None:
                return
            if idle is None:
                idle = _Player(self._conditions, self._watch is not None, self._server, self._niceness, self._heard)
                self._players.append(idle)
            idle.play(batch)

    def _result(self, player: _Player, message: Any) -> GameOrError | None:
        """Returns the result from a player; None if it sent something else or has ended."""
        if message is None:
            if player.failed_to_start():
                raise RuntimeError("a worker process could not start; its error is printed above; try jobs=1") from None
            message = SandboxError(
                "a worker process was killed repeatedly in the middle of the same game; the machine may be out of "
                "memory; play fewer games at a time (--jobs)"
            )
        player.has_spoken = True
        if isinstance(message, Moved):
            assert self._watch is not None
            self._watch(message)
            return None
        if isinstance(message, SandboxError):
            self._replace(player, message)
            return None
        if isinstance(message, BaseException) and not (isinstance(message, ServiceError) and not message.fatal):
            raise message
        player.games.popleft()
        result: GameOrError = message
        return result

    def _replace(self, player: _Player, why: SandboxError) -> None:
        """Replaces a process and puts its unfinished games back."""
        self._queue.put_back(tuple(player.games), why)
        player.games.clear()
        self._dismiss(player)

    def _dismiss(self, player: _Player) -> None:
        if player in self._players:
            self._players.remove(player)
            player.close()


def _serve(
    channel: Channel, conditions: Conditions, watching: bool, niceness: int, descriptor: int | None = None
) -> None:
    """Runs a process of the pool: plays batches until it receives None. descriptor: of its fork server."""
    if niceness and hasattr(os, "nice"):
        os.nice(niceness)

    def watch(record: GameRecord) -> None:
        channel.send(Moved(number, record.players, tuple(record.moves), record.seconds[-1]))

    server = None
    if descriptor is not None:
        with suppress(ServerGone):  # the referee then starts one
            server = ForkServer(descriptor)
    with Referee(conditions, server, measures=True) as referee:
        while (received := channel.receive()) is not None:
            batch, new = received
            referee.contestants.update(new)
            for pairing in batch:
                number = pairing.number
                try:
                    result = referee.result(pairing, watch if watching else None)
                except Exception as error:
                    channel.send(error)
                    return
                channel.send(result)
