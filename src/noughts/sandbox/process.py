"""One jailed bot as the referee sees it: a question, a deadline, and a reply or a fault.

The referee waits on three things at once: the control socket (a reply), the listener of the system call filter
(a forbidden call) and the process itself (its end). Nothing the bot does makes it wait without a bound or
read without one. Between questions the bot is stopped, so that it cannot think on the opponent's time.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import NoReturn

from noughts.sandbox import faults
from noughts.sandbox.faults import BotFault, Fault, crash_fault, ending_fault, prints_in
from noughts.sandbox.forkserver import ArenaError, ForkServer
from noughts.sandbox.layers import Walls
from noughts.sandbox.wire import HEAD, MAX_REPLY, Message, body_length, pack, unpack

OVERTIME = 0.1
"""Seconds that we wait beyond the limit, to say by how much a bot was late."""
LAST_LOOK = 0.05
"""Seconds beyond that for what has come in by then."""
PATIENCE = 10.0
"""Seconds for what takes milliseconds, on our side of the wall."""
FAREWELL = 0.25
"""Seconds between a closed channel and the end of the process, if it is ending at all."""
NEARLY_FULL = 0.8
"""A process that dies with this share of its memory in use died of that."""


@dataclass(frozen=True)
class Limits:
    """What a bot may use. move_seconds: for each move. load_seconds: to run its file and make the bot, once.
    memory: bytes, on top of an idle interpreter. speed: how fast the clocks run that the bot can see.
    """

    move_seconds: float
    load_seconds: float = 10.0
    memory: int = 512 << 20
    speed: float = 1.0


class JailedBot:
    """A process in the jail. Use it in a `with`, or close it."""

    def __init__(self, server: ForkServer, limits: Limits, *, unsafe: bool = False) -> None:
        self.limits = limits
        self.took = 0.0
        """Seconds that the last answer took."""
        self._number = 0
        self._unread = b""
        self._listener = -1
        self._code: int | None = None
        self._kilobytes = self._kilobytes_idle = 0
        self._control, control = socket.socketpair()
        handover, their_handover = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._errors = os.memfd_create("stderr")
        self._status, status = os.pipe()
        try:
            job = {"memory": limits.memory, "unsafe": unsafe, "speed": limits.speed}
            descriptors = [control.fileno(), their_handover.fileno(), self._errors, status]
            self._pid, self._process = server.fork(job, descriptors)
        except BaseException:
            self._control.close()
            handover.close()
            os.close(self._errors)
            os.close(self._status)
            raise
        finally:
            control.close()
            their_handover.close()
            os.close(status)
        self._control.setblocking(False)
        self._schedule = _open_or_none(f"/proc/{self._pid}/schedstat")
        self._poll = select.poll()
        self._poll.register(self._control, select.POLLIN)
        self._poll.register(self._process, select.POLLIN)
        try:
            self._begin(handover)
        except BaseException:
            self.close()
            raise
        finally:
            handover.close()

    def _begin(self, handover: socket.socket) -> None:
        """Hear that the walls are up, and take the listener."""
        try:
            ready = self._reply(time.monotonic(), PATIENCE, 0.0)
        except BotFault as error:
            last = error.fault.detail.strip().rpartition("\n")[2] or error.fault.text
            raise ArenaError(
                f"no bot can be held in a jail here: {last.removeprefix('noughts.sandbox.confine.')}. "
                "With --unsafe bots run without one, if you trust them"
            ) from None
        self.walls = Walls(**ready["walls"])
        self._kilobytes_idle = ready["kilobytes"]
        handover.setblocking(False)
        _, descriptors, _, _ = socket.recv_fds(handover, 64, 1)
        if descriptors:
            self._listener = descriptors[0]
            self._poll.register(self._listener, select.POLLIN)
        self._signal(signal.SIGSTOP)

    def ask(self, operation: str, limit: float, **fields: object) -> Message:
        """The bot's reply to a question. BotFault, and the process gone, if there is none within the time."""
        self._number += 1
        question = pack({"id": self._number, "op": operation, **fields})
        queued = self._queued()
        started = time.monotonic()
        self._signal(signal.SIGCONT)
        self._send(question, started + limit)
        reply = self._reply(started, limit, queued)
        self.took = time.monotonic() - started
        self._signal(signal.SIGSTOP)
        if self.took > limit and self.took - self._credit(queued, limit) > limit:
            self._fail(faults.too_late(limit, self.took))
        if self._unread:
            self._fail(faults.forbidden("wrote more than one answer to the referee's channel"))
        if "memory" in reply:
            self._fail(faults.out_of_memory(self.limits.memory))
        if "crash" in reply:
            self._fail(crash_fault(reply["crash"]), prints_in(reply))
        return reply

    def kilobytes(self) -> int:
        """Memory that the bot used at its peak, beyond an idle interpreter; after it is closed."""
        return max(0, self._kilobytes - self._kilobytes_idle) if self._kilobytes_idle else 0

    def close(self) -> None:
        """End the process."""
        if self._process < 0:
            return
        self._signal(signal.SIGKILL)
        self._exit_code()
        self._control.close()
        for descriptor in (self._listener, self._process, self._errors, self._status, self._schedule):
            if descriptor >= 0:
                os.close(descriptor)
        self._process = -1

    def __enter__(self) -> JailedBot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Talking.

    def _send(self, data: bytes, deadline: float) -> None:
        while data:
            try:
                data = data[self._control.send(data) :]
            except BlockingIOError:
                writable = select.poll()
                writable.register(self._control, select.POLLOUT)
                if not writable.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    self._fail(Fault(faults.TIME, "over time: it does not listen to the referee"))
            except (BrokenPipeError, ConnectionResetError):
                return  # the bot is gone, which waiting for its reply will find

    def _reply(self, started: float, seconds: float, queued: float) -> Message:
        """The next message of the bot, to the question just asked."""
        limit = deadline = started + seconds + OVERTIME
        while True:
            message = self._take_message()
            if message is not None:
                return message
            left = deadline - time.monotonic()
            ready = dict(self._poll.poll(max(0.0, left * 1000 + 0.5)))
            # Only after a last look: a late referee must not blame a punctual bot, nor a busy bot keep it looking.
            if left <= 0 and (not ready or left < -LAST_LOOK):
                deadline = limit + self._credit(queued, seconds)
                if time.monotonic() >= deadline:
                    self._fail(faults.no_answer(seconds, time.monotonic() - started))
            elif ready.get(self._listener, 0) & select.POLLIN:
                self._notice()
            elif self._control.fileno() in ready:
                self._receive()
            elif self._process in ready:
                self._ended()

    def _take_message(self) -> Message | None:
        if len(self._unread) < HEAD:
            return None
        length = body_length(self._unread[:HEAD])
        if length > MAX_REPLY:
            self._fail(faults.forbidden(f"wrote {length} bytes to the referee's channel"))
        if len(self._unread) < HEAD + length:
            return None
        body, self._unread = self._unread[HEAD : HEAD + length], self._unread[HEAD + length :]
        try:
            message = unpack(body)
        except ValueError:
            self._fail(faults.forbidden("wrote to the referee's channel"))
        if message.get("id") != self._number:
            self._fail(faults.forbidden("wrote an answer of its own to the referee's channel"))
        return message

    def _receive(self) -> None:
        try:
            data = self._control.recv(MAX_REPLY + HEAD)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            self._ended()
        self._unread += data

    # The clock.

    def _queued(self) -> float:
        """Seconds that the process was ready to run and had no processor."""
        if self._schedule < 0:
            return 0.0
        return int(os.pread(self._schedule, 64, 0).split()[1]) / 1e9

    def _credit(self, queued: float, seconds: float) -> float:
        """What the clock does not count: waiting for a processor since then, up to the limit itself."""
        return min(self._queued() - queued, seconds)

    # The end.

    def _notice(self) -> None:
        from noughts.sandbox import notices  # of Linux alone, while games of built-in players are for every system

        notice = notices.receive(self._listener)
        if notice is None:
            return
        if notices.is_harmless(notice):
            notices.answer_no_such_file(self._listener, notice)
            return
        self._fail(faults.forbidden(notices.in_words(notice)))

    def _ended(self) -> NoReturn:
        """The channel closed or the process ended. A closed channel is no end: what follows is bounded."""
        poll = select.poll()
        poll.register(self._process, select.POLLIN)
        if self._listener >= 0:
            poll.register(self._listener, select.POLLIN)
        until = time.monotonic() + FAREWELL
        while True:
            ready = dict(poll.poll(max(0.0, until - time.monotonic()) * 1000))
            if self._process in ready:
                break
            if ready.get(self._listener, 0) & select.POLLIN:
                self._notice()
            elif self._listener in ready:
                poll.unregister(self._listener)
            if time.monotonic() > until:
                self._fail(faults.forbidden("closed the referee's channel"))
        code = self._exit_code()
        full = self.kilobytes() << 10 >= NEARLY_FULL * self.limits.memory
        self._fail(ending_fault(code, self._stderr(), self.limits.memory if full else None))

    def _exit_code(self) -> int:
        """The wait status of the ended process, as the fork server tells; -1 if it cannot."""
        if self._code is None:
            poll = select.poll()
            poll.register(self._status, select.POLLIN)
            text = os.read(self._status, 256) if poll.poll(PATIENCE * 1000) else b""
            told = json.loads(text) if text else {"code": -1, "kilobytes": 0}
            self._kilobytes, self._code = told["kilobytes"], told["code"]
        return self._code

    def _stderr(self) -> str:
        return faults.printable(
            os.pread(self._errors, faults.DETAIL_KEPT, 0).decode("utf-8", "replace"), faults.DETAIL_KEPT
        )

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, number)

    def _fail(self, fault: Fault, prints: str = "") -> NoReturn:
        self.close()
        raise BotFault(fault, prints)


def probe(server: ForkServer, *, unsafe: bool = False) -> Walls:
    """What holds around a bot here, found by trying; ArenaError if there is no jail, unless `unsafe`."""
    with JailedBot(server, Limits(1.0), unsafe=unsafe) as bot:
        return bot.walls


def _open_or_none(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return -1
