"""The referee's side of the fork server: starting it, and asking it for sandboxed processes."""

from __future__ import annotations

import errno
import json
import os
import re
import select
import socket
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from noughts.errors import NoughtsError
from noughts.interpreter import start_interpreter

START_SECONDS = 60.0
"""Loading the standard library and numpy takes a fraction of one; a busy disk can take long."""
FORK_SECONDS = 10.0
OLDEST_LINUX = (5, 5)
"""From here on a call that a filter's listener heard of can be let go on."""


class SandboxError(NoughtsError, ValueError):
    """No sandbox can be had: the system lacks something, or the fork server is gone."""


class ServerGone(SandboxError):  # noqa: N818 - it says what is the matter
    """The fork server ended or does not answer, and its bots with it; another one can be started."""


class ForkServer:
    """A process that forks sandboxed bots. Use it in a `with`, or close it; all its bots end with it.

    For one thread: a question to it and the answer belong together.
    """

    def __init__(self) -> None:
        _require_linux()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        with theirs:
            self._process = start_interpreter(
                "noughts.sandbox.worker.server",
                str(theirs.fileno()),
                environment=_environment(),
                descriptors=[theirs.fileno()],
                new_session=True,  # Ctrl-C in the terminal is for the referee alone
            )
        try:
            self._receive(START_SECONDS)
        except BaseException:
            self.close()
            raise

    def fork(self, job: dict[str, Any], descriptors: Sequence[int]) -> tuple[int, int, bool]:
        """Start a sandboxed process: its pid, a descriptor of it, and whether it is in a control group of its own.

        `worker.server` says what it gets.
        """
        try:
            socket.send_fds(self._socket, [json.dumps(job).encode()], descriptors)
        except OSError as error:
            raise ServerGone(f"the fork server is gone ({error.strerror}); start again") from None
        reply, received = self._receive(FORK_SECONDS)
        if "error" in reply:
            raise SandboxError(reply["error"])
        if not received:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))  # it was sent, and there was no room for it
        return reply["pid"], received[0], reply["cgroup"]

    def close(self) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()

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
            raise ServerGone("the fork server is gone; start again")
        return json.loads(text), descriptors


def _require_linux() -> None:
    if not hasattr(os, "pidfd_open") or not sys.platform.startswith("linux") or _linux_version() < OLDEST_LINUX:
        raise SandboxError(
            f"bot files need Linux {OLDEST_LINUX[0]}.{OLDEST_LINUX[1]} or later, to be held in a sandbox; on other "
            "systems run noughts in a Linux container or virtual machine (built-in players need nothing of the kind)"
        )


def _linux_version() -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])


def _environment() -> dict[str, str]:
    """Nothing of the user's: one thread for numerical libraries, and the same order of sets in every run.

    `worker.host` says the rest of what a bot hears of where it is.
    """
    threads = "OPENBLAS OMP MKL NUMEXPR VECLIB_MAXIMUM NUMBA".split()
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/",
        "USER": "bot",
        "LOGNAME": "bot",
        "PYTHONHASHSEED": "0",
        **{f"{library}_NUM_THREADS": "1" for library in threads},
    }
