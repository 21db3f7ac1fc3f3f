"""Executor: several games at once, each in a process of this machine.

    writer  -> player    a meeting, or None to leave
    player  -> writer    for each of its games: the moves if somebody watches, then a record or why there is none

A process that ends in the middle of a game, whoever killed it, is replaced, and the game is played again. All of them
end when the writer does, even if it is killed: they hold the end of a pipe that nobody writes to.
"""

from __future__ import annotations

import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, current_process, get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

from noughts.matches.machine import Speedometer, this_machine
from noughts.matches.record import GameRecord
from noughts.matches.runner import TRIES, Conditions, Referee, Result, result_of
from noughts.matches.schedule import Meeting, Pairing
from noughts.players.llm import ServiceError
from noughts.sandbox import SandboxError

LEFT = 3
"""Exit status of a process of the pool that left in the middle of a game."""
UNGUARDED = 4
"""Exit status of a worker process whose import of the main script came back here."""
UNGUARDED_ADVICE = (
    "a worker process imports the script that starts it, and this script would start workers of its own then; "
    'put the call that plays games below `if __name__ == "__main__":`, or play with jobs=1'
)
FAREWELL = 10.0
"""Seconds for a process to end by itself."""


@dataclass(frozen=True)
class Moved:
    """A move of a game that is going on, for whoever watches. ply: its number, from 1. moves: all actions so far."""

    number: int
    players: tuple[str, str]
    ply: int
    player: int
    move: str
    seconds: float
    moves: tuple[int, ...] = ()


Watch = Callable[[Moved], None]


def play_in_processes(
    conditions: Conditions, meetings: Iterator[Meeting | None], jobs: int, watch: Watch | None = None
) -> Iterator[Result]:
    """Plays meetings in so many processes. SandboxError if a game cannot be played to its end again and again."""
    if getattr(current_process(), "_inheriting", False):  # as `multiprocessing.spawn` asks it
        os._exit(UNGUARDED)
    pool = _Pool(conditions, meetings, jobs, watch)
    try:
        yield from pool.results()
    except BaseException:  # stopped, or nobody wants the rest: a game can take an hour
        pool.leave()
        raise
    finally:
        pool.close()


class _Player:
    """One process, and the meeting that it plays."""

    def __init__(self, context: Any, conditions: Conditions, leave: Connection, watching: bool) -> None:
        self.channel, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(conditions, theirs, leave, watching), daemon=True)
        self.process.start()
        theirs.close()
        self.games: deque[Pairing] = deque()
        self.has_spoken = False

    def play(self, meeting: Meeting) -> None:
        self.games.extend(meeting)
        with suppress(OSError):  # it is gone, which listening to it will find
            self.channel.send(meeting)

    def close(self) -> None:
        with suppress(OSError):
            self.channel.send(None)
        self.process.join(FAREWELL)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.channel.close()


class _Pool:
    def __init__(
        self, conditions: Conditions, meetings: Iterator[Meeting | None], jobs: int, watch: Watch | None
    ) -> None:
        self._context = get_context("spawn")
        self._leave, self._stay = self._context.Pipe(duplex=False)
        self._conditions, self._meetings, self._jobs, self._watch = conditions, meetings, jobs, watch
        self._players: list[_Player] = []
        self._again: deque[Meeting] = deque()
        self._failed: Counter[int] = Counter()

    def leave(self) -> None:
        """All end at once, whatever they are at."""
        self._stay.close()

    def close(self) -> None:
        for player in self._players:
            player.close()
        self._stay.close()
        self._leave.close()

    def results(self) -> Iterator[Result]:
        self._feed()
        while busy := {player.channel: player for player in self._players if player.games}:
            for channel in connection.wait(list(busy)):
                result = self._heard(busy[channel])
                if result is not None:
                    self._feed()  # before the record is written: nobody waits for the disk
                    yield result
            self._feed()

    def _feed(self) -> None:
        """Give everybody who is idle a meeting, if there is one now."""
        while True:
            idle = next((player for player in self._players if not player.games), None)
            if idle is None and len(self._players) >= self._jobs:
                return
            meeting = self._again.popleft() if self._again else next(self._meetings, None)
            if meeting is None:
                return
            if idle is None:
                idle = _Player(self._context, self._conditions, self._leave, self._watch is not None)
                self._players.append(idle)
            idle.play(meeting)

    def _heard(self, player: _Player) -> Result | None:
        """A result from this process; None if it said something else, or is gone."""
        try:
            said = player.channel.recv()
        except (EOFError, OSError):
            self._refuse_false_start(player)
            said = SandboxError(
                "a process that plays games was killed again and again in the middle of the same game; "
                "does the machine lack memory? Play fewer games at a time (--jobs)"
            )
        player.has_spoken = True
        if isinstance(said, Moved):
            assert self._watch is not None
            self._watch(said)
            return None
        if isinstance(said, SandboxError):
            self._replace(player, said)
            return None
        if isinstance(said, BaseException) and not (isinstance(said, ServiceError) and not said.fatal):
            raise said
        player.games.popleft()
        result: Result = said
        return result

    def _refuse_false_start(self, player: _Player) -> None:
        """RuntimeError if a process ended by itself before its first word: the next one would do the same."""
        player.process.join(FAREWELL)
        if player.has_spoken or player.process.exitcode not in (1, UNGUARDED):
            return
        if player.process.exitcode == UNGUARDED:
            raise RuntimeError(UNGUARDED_ADVICE) from None
        raise RuntimeError(
            "a worker process could not start: its error is printed above. A worker imports the script that starts it; "
            'put what the script does below `if __name__ == "__main__":`, or play with jobs=1'
        ) from None

    def _replace(self, player: _Player, why: SandboxError) -> None:
        """Let another process play what this one did not play to its end."""
        number = player.games[0].number
        self._failed[number] += 1
        if self._failed[number] >= TRIES:
            raise why
        self._players.remove(player)
        self._again.append(tuple(player.games))
        player.close()


def _serve(conditions: Conditions, channel: Connection, leave: Connection, watching: bool) -> None:
    """A process of the pool: play meetings until None comes. It ends as soon as the other end of `leave` is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked
    Thread(target=_leave_when_told, args=(leave,), daemon=True).start()
    machine, speedometer = this_machine(), Speedometer()

    def watch(record: GameRecord) -> None:
        state, action = record.states()[-2]
        assert action is not None
        move = state.action_to_string(action)
        ply = len(record.moves)
        mover, taken = state.current_player(), record.seconds[-1]
        channel.send(Moved(number, record.players, ply, mover, move, taken, tuple(record.moves)))

    with suppress(EOFError, BrokenPipeError), Referee(conditions) as referee:
        while (meeting := channel.recv()) is not None:
            speed = speedometer.speed()
            for pairing in meeting:
                number = pairing.number
                try:
                    result = result_of(referee, pairing, watch if watching else None)
                except Exception as error:
                    channel.send(error)
                    return
                if isinstance(result, GameRecord):
                    result.machine, result.speed = machine, speed
                channel.send(result)


def _leave_when_told(leave: Connection) -> None:
    with suppress(EOFError, OSError):
        leave.recv_bytes()
    os._exit(LEFT)
