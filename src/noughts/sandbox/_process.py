"""One sandboxed bot on the referee's side: a question, a deadline, and a reply or a fault.

The referee waits on three things at once: the control socket (a reply), the listener of the system call filter
(a forbidden call) and the process itself (its end). Whatever the bot does, waits and reads are bounded.

A question is over when the bot has answered and is at rest, so that it cannot think on the opponent's time. The filter
reports its read of the next question to the referee, and the kernel holds the bot at it. Only system timers could wake
it there: a bot that may have set one is also stopped by SIGSTOP, and so is one without a listener.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import NoReturn

from noughts.sandbox import _notices as notices
from noughts.sandbox import _policy as policy
from noughts.sandbox import faults
from noughts.sandbox._child import Child
from noughts.sandbox._limits import BotLimits
from noughts.sandbox._meter import BEAT, Meter
from noughts.sandbox._wire import HEAD, LOAD, MAX_REPLY, Message, body_length, pack_question, unpack
from noughts.sandbox.faults import BotFault, Fault, Place, crash_fault, ending_fault, prints_in
from noughts.sandbox.forkserver import ForkServer, NoSandboxError, SandboxError, ServerGone
from noughts.sandbox.layers import REFEREE, Layers

OVERTIME = 0.1
"""Seconds to wait beyond the limit, to report by how much a bot was late."""
BUSY_SHARE = 0.05
"""A wait of this share of the limit is reported, if the bot thought for less."""
PAUSE = 0.0001
"""Seconds between looks at a process that was sent a stop; it may need the processor that we run on."""
LAST_LOOK = 0.05
"""Further seconds for output that has arrived by then."""
PATIENCE = 60.0
"""Seconds for steps that usually take milliseconds: a system that makes many namespaces at once may be slow."""
FAREWELL = 0.25
"""Seconds between a closed channel and the end of the process, if it is ending at all."""
LONGEST_FAREWELL = 5.0
"""The same, and to report its line, on a machine so busy that the process gets no processor."""
TELLING = 0.1
"""Seconds for a bot to report its current line; without it, the fault has no line."""
TELLING_FREED = 0.5
"""The same once its call is refused."""
NEARLY_FULL = 0.8
"""A process that dies with this share of its memory in use counts as out of memory."""


class SandboxedProcess:
    """A process in the sandbox. Use it in a `with`, or close it."""

    def __init__(self, server: ForkServer, limits: BotLimits) -> None:
        self.limits = limits
        self.took: float = 0.0
        """Seconds charged for the last answer, or until the bot failed to give one."""
        self.waited: float = 0.0
        """Seconds that the process meanwhile waited for a processor, which are not charged."""
        self.was_starved: bool = False
        """Whether it waited so long for the last answer that `faults.BUSY_MACHINE` should be shown."""
        self._number = 0
        self._loading = False
        self._file = ""
        self._unread = b""
        self._words_before = 0
        self._listener = -1
        self._held: notices.Notice | None = None
        self._needs_stop = True
        self._leaves_timers = False
        self._is_sending = False
        self._kilobytes_idle = 0
        self._child = Child(server, limits)
        self.pid: int = self._child.pid
        self._control = self._child.control
        self._process = self._child.descriptor
        self._meter = Meter(self.pid)
        self._poll = select.poll()
        self._poll.register(self._control, select.POLLIN)
        self._poll.register(self._process, select.POLLIN)
        try:
            self._begin()
        except BotFault as error:  # no bot is loaded yet: this machine cannot confine one
            self.close()
            last = error.fault.detail.strip().rpartition("\n")[2] or error.fault.text
            _, refused, why = last.rpartition("noughts.sandbox._confine.NoSandbox: ")
            if refused:
                raise NoSandboxError(why) from None
            raise SandboxError(f"this system cannot confine a bot: {why}") from None
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Waits until the layers are in place, and receives the listener."""
        self._meter.start()
        ready = self._reply(b"", PATIENCE)
        self.layers: Layers = replace(Layers(**ready["layers"]), cgroup=self._child.in_group)
        self._kilobytes_idle = ready["kilobytes"]
        self._listener = self._child.take_listener()
        if self._listener < 0 and self.layers.calls == REFEREE:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))  # it was sent, but there was no room for it
        if self._listener >= 0:
            self._needs_stop = False
            notices.share_processor(self._listener)
            self._poll.register(self._listener, select.POLLIN)
            self._watch_channel()
            self._reply(b"", PATIENCE, ready)
        self._settle(PATIENCE)

    def ask(self, operation: str, limit: float, **fields: object) -> Message:
        """Returns the bot's reply to a question. Raises BotFault, with the process gone, if there is none in time."""
        self._number += 1
        self.took = 0.0
        self._loading = operation == LOAD
        self._file = str(fields.get("file", self._file))
        if self._leaves_timers:
            fields["clear_timer"] = True
        reply = self._exchange({"id": self._number, "op": operation, **fields}, limit)
        self.was_starved = self.waited > max(self.took, BUSY_SHARE * limit)
        if self.took > limit:
            place = self._reported_place(self._words_before)
            self._fail(faults.not_loaded(limit, place) if self._loading else faults.too_late(limit, self.took, place))
        if self._unread:
            self._fail(faults.forbidden("wrote more than one answer to the referee's channel"))
        if "memory" in reply:
            self._fail(faults.out_of_memory(self.limits.memory))
        if "crash" in reply:
            self._fail(crash_fault(reply["crash"]), prints_in(reply))
        return reply

    def kilobytes(self) -> int:
        """Returns the bot's peak memory beyond an idle interpreter, once it has ended."""
        return max(0, self._child.ending().kilobytes - self._kilobytes_idle) if self._kilobytes_idle else 0

    def close(self) -> None:
        """Ends the process."""
        if self._child.is_closed:
            return
        self._child.close()
        self._meter.close()
        if self._listener >= 0:
            os.close(self._listener)

    def __enter__(self) -> SandboxedProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Communication.

    def _exchange(self, question: Message, limit: float) -> Message:
        """Lets the process run until it has replied to the question and is at rest; sets `took`."""
        question["started"], question["counts"] = self._meter.start()  # for the bot's own clock
        rest = self._send(pack_question(question))  # before it runs, or it would wake twice
        self._release()
        reply = self._reply(rest, limit)
        self._settle(limit)
        return reply

    def _release(self) -> None:
        """Lets the process run."""
        held, self._held = self._held, None
        if held is None or not notices.let_go(self._listener, held):
            self._child.signal(signal.SIGCONT)

    def _reply(self, question: bytes, limit: float, reply: Message | None = None) -> Message:
        """Returns the process's reply, once the kernel holds it. question: what is still to be sent. reply: if
        known."""
        deadline = time.monotonic() + limit + OVERTIME
        asked_where = False
        while True:
            left = deadline - time.monotonic()
            if left <= OVERTIME and not asked_where and self._file and self._meter.charged() > limit:
                # Its time is up, and it may answer late. The signal may interrupt its rest again.
                asked_where = self._needs_stop = True
                self._ask_where()
            ready = dict(self._poll.poll(max(0.0, min(left, BEAT)) * 1000 + 0.5))
            is_late = left <= 0 and (not ready or left < -LAST_LOOK)
            if not is_late and ready.get(self._listener, 0) & select.POLLIN:
                self._notice()
            self._receive()
            reply = reply or self._take_message()
            if reply is not None and (self._held or self._needs_stop or self._unread):
                return reply
            if self._meter.is_due():
                self._meter.look()
                if self._meter.state == b"T":  # stopped from outside; a bot cannot do that itself
                    self._child.signal(signal.SIGCONT)
            # Only after a last look: a late referee must not blame a punctual bot, and a busy bot must not keep it
            # looking.
            if is_late:
                deadline = time.monotonic() + self._overtime_left(limit)
            elif self._process in ready:
                self._ended()
            question = self._send(question)
            if self._held:  # it reads the rest of the question, or nothing
                self._release()

    def _settle(self, limit: float) -> None:
        """Settles the time of an answered question, once the process is at rest."""
        if self._needs_stop:
            self._leaves_timers = self._listener >= 0
            self._child.signal(signal.SIGSTOP)
            self._meter.look()
            while self._meter.state not in b"TtZX":  # or it is gone, which the next question finds
                self._overtime_left(limit)
                time.sleep(PAUSE)
                self._meter.look()
        self.took, self.waited = self._meter.settle(limit, held=not self._needs_stop)

    def _overtime_left(self, limit: float) -> float:
        """Returns the seconds to keep waiting for a late bot: those that the machine owes it. Raises BotFault if there
        are none."""
        left = limit + OVERTIME - self._meter.charged()
        hopeless = self._meter.is_hopeless(limit)
        if left <= 0 and not hopeless and self._meter.waits_now():
            return BEAT
        if left <= 0 or (hopeless and self._meter.slept()):
            self._ask_where()
            self._await_place()
            place = self._reported_place(self._words_before)
            self._fail(faults.not_loaded(limit, place) if self._loading else faults.no_answer(limit, place))
        if hopeless:
            waited = self._meter.waited()
            self.close()
            raise SandboxError(
                f"this machine is too busy for a fair game: a bot with {faults.seconds(limit)} for its answer had no "
                f"processor for {faults.seconds(waited)}; stop other programs, or play fewer games at a time"
            )
        return left

    def _send(self, data: bytes) -> bytes:
        """Writes as much as the channel accepts; returns the rest."""
        if not data:
            return data
        try:
            rest = data[self._control.send(data) :]
        except BlockingIOError:
            rest = data
        except (BrokenPipeError, ConnectionResetError):
            rest = b""  # the bot is gone, which waiting for its reply will find
        if bool(rest) != self._is_sending:
            self._is_sending = bool(rest)
            self._watch_channel()
        return rest

    def _watch_channel(self) -> None:
        """Watches for a reply, unless the listener reports it: a process that has replied reads the next question."""
        reply = 0 if self._listener >= 0 else select.POLLIN
        self._poll.modify(self._control, reply | (select.POLLOUT if self._is_sending else 0))

    def _take_message(self) -> Message | None:
        if len(self._unread) < HEAD:
            return None
        length = body_length(self._unread)
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

    # The end.

    def _notice(self) -> None:
        """Handles a call that the filter stopped."""
        notice = notices.receive(self._listener)
        if notice is None:
            return
        if notice.awaits_question:
            self._held = notice
        elif notice.sets_timer:
            self._needs_stop = not notice.clears_timer
            notices.let_go(self._listener, notice)
        elif notices.is_harmless(notice):
            notices.refuse(self._listener, notice)
        else:
            self._fail(faults.forbidden(notices.in_words(notice), self._place(notice)))

    def _ask_where(self) -> None:
        """Makes the interpreter write the bot's current lines among its last words."""
        self._words_before = self._child.last_words_size()
        self._child.signal(policy.WHERE_ARE_YOU)

    def _await_place(self) -> None:
        """Waits until the bot's own frame is written: the interpreter uses many short writes."""
        has_passed = self._stopwatch(TELLING_FREED)
        while self._reported_place(self._words_before) == faults.NOWHERE and not has_passed():
            time.sleep(0.001)

    def _place(self, notice: notices.Notice) -> Place:
        """Returns the place of a bot that the kernel holds at a call. The bot repeats the call afterwards."""
        self._ask_where()
        again = select.poll()
        again.register(self._listener, select.POLLIN)
        if not again.poll(TELLING * 1000):  # with threads, no signal arrives before the call ends, so we refuse it
            notices.refuse(self._listener, notice, errno.EAGAIN)
            self._await_place()
        return self._reported_place(self._words_before)

    def _reported_place(self, since: int) -> Place:
        return faults.place_in(self._child.last_words(since), self._file)

    def _stopwatch(self, seconds: float) -> Callable[[], bool]:
        """Returns what tells whether these seconds have passed, without those in which the process had no processor."""
        began, waited = self._meter.wall(), self._meter.waited()

        def has_passed() -> bool:
            passed = self._meter.wall() - began
            return passed > LONGEST_FAREWELL or passed - (self._meter.waited() - waited) > seconds

        return has_passed

    def _ended(self) -> NoReturn:
        """Handles a closed channel or an ended process. A closed channel is not an end: the wait for it is bounded."""
        poll = select.poll()
        poll.register(self._process, select.POLLIN)
        if self._listener >= 0:
            poll.register(self._listener, select.POLLIN)
        has_passed = self._stopwatch(FAREWELL)
        while True:
            over = has_passed()
            ready = dict(poll.poll(BEAT * 1000))
            if self._process in ready:
                break
            if ready.get(self._listener, 0) & select.POLLIN:
                self._notice()
                if self._held:
                    self._release()
            elif self._listener in ready:
                poll.unregister(self._listener)
            elif over:
                self._fail(faults.forbidden("closed the referee's channel"))
        ending, limit = self._child.ending(), self.limits.memory
        if not ending.is_known:
            self.close()
            raise ServerGone("the fork server ended, and its bots with it; start again")
        full = ending.full or self.kilobytes() << 10 >= NEARLY_FULL * limit
        if ending.killed and not full and self._child.machine_ran_out():
            self.close()
            raise SandboxError(
                f"this machine ran out of memory and ended a bot that used {self.kilobytes() >> 10} MB of its "
                f"{limit >> 20} MB; lower --memory, or play fewer games at a time"
            )
        words = self._child.last_words()
        self._fail(ending_fault(os.waitstatus_to_exitcode(ending.code), words, self._file, limit if full else None))

    def _fail(self, fault: Fault, prints: str = "") -> NoReturn:
        if not self.took:
            self.took = self._meter.charged()
        self.close()
        raise BotFault(replace(fault, loading=self._loading), prints)
