"""A forked process on the referee's side: its channel, its last words, its signals, and how it ended."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from noughts.sandbox import faults
from noughts.sandbox._limits import BotLimits
from noughts.sandbox.forkserver import ForkServer

LIFETIME_SECONDS, LIFETIME_MOVES = 3600, 1000
"""Maximum processor time of a bot's whole life, in seconds: more than any game takes. Ends processes that a lost
referee left behind."""
REAPING = 10.0
"""Seconds for the fork server to report how a process ended, which takes milliseconds."""


@dataclass(frozen=True)
class Ending:
    """How a process ended. code: the wait status, -1 if unknown. kilobytes: peak memory. full: whether the kernel ended
    it because its control group was full."""

    code: int = -1
    kilobytes: int = 0
    full: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the fork server reported the end; if not, the server is gone, and no bot is to blame."""
        return self.code >= 0

    @property
    def killed(self) -> bool:
        return self.code >= 0 and os.WIFSIGNALED(self.code) and os.WTERMSIG(self.code) == signal.SIGKILL


class Child:
    """A forked process. control: its non-blocking socket. descriptor: of the process. in_group: whether it has a
    cgroup.

    Close it after use.
    """

    def __init__(self, server: ForkServer, limits: BotLimits) -> None:
        self._ending: Ending | None = None
        self._killings = killings_for_memory()
        lifetime = LIFETIME_SECONDS + LIFETIME_MOVES * limits.move_seconds + limits.load_seconds
        job = {"memory": limits.memory, "cpu_seconds": int(lifetime)}
        with ExitStack() as ours, ExitStack() as theirs:  # there may not be enough room for all of these descriptors
            self.control, control = socket.socketpair()
            ours.callback(self.control.close)
            theirs.callback(control.close)
            self._handover, handover = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            ours.callback(self._handover.close)
            theirs.callback(handover.close)
            self._errors = os.memfd_create("errors")
            ours.callback(os.close, self._errors)
            self._status, status = os.pipe()
            ours.callback(os.close, self._status)
            theirs.callback(os.close, status)
            descriptors = [control.fileno(), handover.fileno(), self._errors, status]
            self.pid, self.descriptor, self.in_group = server.fork(job, descriptors)
            self._closing = ours.pop_all()
        self.control.setblocking(False)

    def take_listener(self) -> int:
        """Returns the descriptor that reports forbidden calls, which the process sends when confined; -1 if none."""
        self._handover.setblocking(False)
        _, descriptors, _, _ = socket.recv_fds(self._handover, 64, 1)
        return descriptors[0] if descriptors else -1

    def signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, number)

    def last_words_size(self) -> int:
        """Returns the number of bytes of last words."""
        return os.fstat(self._errors).st_size

    def last_words(self, start: int = 0) -> str:
        """Returns what the interpreter wrote from `start` on; the bot can write there too."""
        words = os.pread(self._errors, faults.DETAIL_KEPT, start).decode("utf-8", "replace")
        return faults.printable(words, faults.DETAIL_KEPT)

    def ending(self) -> Ending:
        """Returns how the process ended, from the fork server. It must be ending."""
        if self._ending is None:
            poll = select.poll()
            poll.register(self._status, select.POLLIN)
            text = os.read(self._status, 256) if poll.poll(REAPING * 1000) else b""
            self._ending = Ending(**json.loads(text)) if text else Ending()
        return self._ending

    def machine_ran_out(self) -> bool:
        """Returns whether the machine has killed processes for lack of memory since this one started."""
        return killings_for_memory() > self._killings

    @property
    def is_closed(self) -> bool:
        return self.descriptor < 0

    def close(self) -> None:
        """Ends the process."""
        if self.is_closed:
            return
        self.signal(signal.SIGKILL)
        self.ending()
        os.close(self.descriptor)
        self.descriptor = -1
        self._closing.close()


def killings_for_memory() -> int:
    """Returns the number of processes that the kernel has killed because the machine, or a control group, was out of
    memory."""
    try:
        with open("/proc/vmstat", "rb", buffering=0) as file:
            found = file.read().partition(b"\noom_kill ")[2].split(maxsplit=1)
    except OSError:
        return 0
    return int(found[0]) if found else 0
