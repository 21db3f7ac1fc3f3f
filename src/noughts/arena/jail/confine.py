"""Putting the walls up around this process, in the only order that works."""

from __future__ import annotations

import os
import signal
import socket

from noughts.arena.jail import filter as seccomp
from noughts.arena.jail import kernel, landlock, policy
from noughts.arena.jail.limits import set_limits
from noughts.arena.jail.syscalls import ARCHITECTURE
from noughts.arena.jail.walls import BLIND, NONE, REFEREE, Walls

NOBODY = 65534


class NoJail(OSError):  # noqa: N818 - it says what is not there
    """This system cannot confine a bot."""


def confine(memory: int, parent: int, *, unsafe: bool) -> Walls:
    """Confine this process, for good; say what holds.

    It must have one thread, and only the descriptors of `policy`. `parent` is the process that made it, with
    which it dies. NoJail if the system call filter cannot be had, unless `unsafe`.
    """
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"the process has {threads} threads, and a jail closes around one")
    os.chdir("/")
    dropped = _drop_root()
    # Changing the user clears this, so it comes after.
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    set_limits(memory)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    version = landlock.forbid_everything()
    handover = socket.socket(fileno=policy.HANDOVER)
    calls = _filter_calls(handover, unsafe=unsafe)
    handover.close()
    return Walls(calls, version, dropped)


def _drop_root() -> bool:
    if os.getuid() != 0 and os.geteuid() != 0:
        return False
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    return True


def _filter_calls(handover: socket.socket, *, unsafe: bool) -> str:
    """Install the filter, and hand its listener (or an empty message) over to the referee."""
    if not ARCHITECTURE:
        if not unsafe:
            raise NoJail("this kind of machine has no table of system calls")
        handover.sendmsg([NONE.encode()])
        return NONE
    try:
        listed, default = policy.rules(os.getpid(), referee=True)
        listener = seccomp.install(seccomp.assemble(listed, default), listener=True)
    except OSError:
        return _filter_blindly(handover, unsafe=unsafe)
    socket.send_fds(handover, [REFEREE.encode()], [listener])
    os.close(listener)
    return REFEREE


def _filter_blindly(handover: socket.socket, *, unsafe: bool) -> str:
    """A process can have one listener; where a container's runtime has it already, killing is left."""
    listed, default = policy.rules(os.getpid(), referee=False)
    try:
        seccomp.install(seccomp.assemble(listed, default), listener=False)
    except OSError as error:
        if not unsafe:
            raise NoJail(f"this kernel refuses a system call filter ({error.strerror})") from None
        handover.sendmsg([NONE.encode()])
        return NONE
    handover.sendmsg([BLIND.encode()])
    return BLIND
