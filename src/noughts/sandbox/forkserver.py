"""The referee's side of the fork server: starts it, and requests sandboxed processes."""

from __future__ import annotations

import errno
import json
import os
import re
import select
import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from noughts.errors import NoughtsError
from noughts.interpreter import start_interpreter

START_SECONDS = 60.0
"""Seconds to start. Loading the standard library and NumPy takes a fraction of one; a busy disk can be slow."""
FORK_SECONDS = 10.0
OLDEST_LINUX = (5, 5)
"""The first Linux that can continue a call which a filter's listener has seen."""


class SandboxError(NoughtsError, ValueError):
    """The sandbox is not available: the system lacks something, or the fork server is gone."""


class ServerGone(SandboxError):  # noqa: N818 - it says what is the matter
    """The fork server ended or does not answer, and its bots with it; another one can be started."""


class NoSandboxError(SandboxError):
    """This system cannot confine a bot. why: what it lacks."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"this system cannot confine a bot: {why}. Pass --unsafe to run your own bots without a sandbox, or run "
            "noughts in WSL2 or in Docker"
        )


class ForkServer:
    """A process that forks sandboxed bots. Use it in a `with`, or close it; all its bots end with it.

    For one thread: a request and its answer belong together. Without a sandbox, nothing is started. descriptor: the
    socket of a server that another process has made by `twin`.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        self._closing = ExitStack()
        if descriptor is not None:
            self._socket = self._closing.enter_context(socket.socket(fileno=descriptor))
            self._await_start()
        elif _has_linux():
            self._start()

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = self._closing.enter_context(ours)
        with theirs:
            self._process = start_interpreter(
                "noughts.sandbox.worker.server",
                str(theirs.fileno()),
                environment=_environment(),
                descriptors=[theirs.fileno()],
                new_session=True,  # Ctrl-C in the terminal is for the referee alone
            )
        self._closing.callback(self._process.wait)
        self._closing.callback(self._process.kill)
        self._await_start()

    def _await_start(self) -> None:
        try:
            self._receive(START_SECONDS)
        except BaseException:
            self.close()
            raise

    def twin(self) -> socket.socket | None:
        """Returns the socket of another server, forked from this one in milliseconds, for a process of ours. It ends
        with that process, or with this server. None if there is no server to fork.
        """
        if not _has_linux():
            return None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                socket.send_fds(self._socket, [json.dumps({"twin": True}).encode()], [theirs.fileno()])
            except OSError:
                ours.close()
                return None
        return ours

    def fork(self, job: dict[str, Any], descriptors: Sequence[int]) -> tuple[int, int, bool]:
        """Starts a sandboxed process; returns its pid, its descriptor, and whether it is in its own control group.

        `worker.server` describes the job.
        """
        try:
            socket.send_fds(self._socket, [json.dumps(job).encode()], descriptors)
        except OSError as error:
            raise ServerGone(f"the fork server ended ({error.strerror}); start again") from None
        reply, received = self._receive(FORK_SECONDS)
        if "error" in reply:
            raise SandboxError(reply["error"])
        if not received:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))  # it was sent, but there was no room for it
        return reply["pid"], received[0], reply["cgroup"]

    def close(self) -> None:
        self._closing.close()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _receive(self, patience: float) -> tuple[dict[str, Any], list[int]]:
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        if not poll.poll(patience * 1000):
            raise ServerGone(f"the fork server does not answer after {patience:.0f} s")
        try:
            text, descriptors, _, _ = socket.recv_fds(self._socket, 4096, 1)
        except ConnectionResetError:
            text = b""
        if not text:
            raise ServerGone("the fork server ended; start again")
        return json.loads(text), descriptors


def require_linux() -> None:
    """Raises NoSandboxError on a system without a sandbox."""
    if not _has_linux():
        raise NoSandboxError(f"it needs Linux {OLDEST_LINUX[0]}.{OLDEST_LINUX[1]} or later")


def _has_linux() -> bool:
    return hasattr(os, "pidfd_open") and sys.platform.startswith("linux") and _linux_version() >= OLDEST_LINUX


def _linux_version() -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])


REPRODUCIBLE = {
    "PYTHONHASHSEED": "0",
    **{f"{library}_NUM_THREADS": "1" for library in "OPENBLAS OMP MKL NUMEXPR VECLIB_MAXIMUM NUMBA".split()},
}
"""Variables of every bot's process: one thread for numerical libraries, and the same order of sets in every run."""


def _environment() -> dict[str, str]:
    """Returns the variables of a sandboxed process, none of them the user's.

    `worker.host` provides the rest of a bot's environment.
    """
    own = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/", "USER": "bot", "LOGNAME": "bot"}
    return own | REPRODUCIBLE
