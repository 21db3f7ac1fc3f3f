"""Confines this process: drops root, sets limits, `no_new_privs`, a Landlock ruleset and a seccomp filter.

`confine` applies these layers in the only order that works; each follows below. The seccomp filter is the first to stop
a bot. The Landlock ruleset backs it up on kernels that have it (Linux 5.13 and later): the kernel guarantees that this
process opens no path and no port, and signals no process outside. The limits bound its resources: memory, processor
time, descriptors, files, processes.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import struct
from contextlib import suppress
from functools import cache

from noughts.sandbox import _policy as policy
from noughts.sandbox import _seccomp as seccomp
from noughts.sandbox import _wire as wire
from noughts.sandbox._syscalls import ARCHITECTURE, NUMBERS, PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, call, prctl
from noughts.sandbox.layers import BLIND, REFEREE, Layers

NOBODY = 65534
_CAPABILITY_VERSION = 0x20080522


class NoSandbox(OSError):  # noqa: N818 - it says what is not there
    """This system cannot confine a bot."""


def confine(memory: int, cpu_seconds: int, parent: int) -> Layers:
    """Confines this process permanently; returns the layers that hold.

    memory: bytes, on top of what is in use now. cpu_seconds: for its whole life. parent: the process that made it, with
    which it dies. It must have one thread, and only the descriptors of `policy`. Raises NoSandbox if the system call
    filter is not available.
    """
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"the process has {threads} threads; the sandbox needs exactly one")
    os.chdir("/")
    _go_first_when_memory_is_short()
    dropped = _drop_root()
    # Changing the user clears this setting, so it comes after.
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    set_rlimits(memory, cpu_seconds)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    version = restrict_by_landlock()
    handover = socket.socket(fileno=wire.HANDOVER)
    calls = _filter_calls(handover)
    handover.close()
    return Layers(calls, version, dropped)


def confine_filter() -> bool:
    """Confines one of our own processes, with everything loaded, to reading its input and writing its output.

    Returns whether a system call filter holds.
    """
    if not ARCHITECTURE:
        return False
    try:
        _drop_root()
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        restrict_by_landlock()
        seccomp.install(policy.program(os.getpid(), referee=False), listener=False)
    except OSError:
        return False
    return True


def _go_first_when_memory_is_short() -> None:
    """Makes the kernel kill a bot before anything else when memory runs out."""
    with suppress(OSError):
        file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        try:
            os.write(file, b"1000")
        finally:
            os.close(file)


def _drop_root() -> bool:
    """Drops root: becomes nobody or, where there is no such user, keeps the name without the rights. Returns whether it
    was root."""
    if os.getuid() != 0 and os.geteuid() != 0:
        return False
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:  # a user namespace with one user (unshare -Ur), or a container's root that cannot change
        header, nothing = struct.pack("=II", _CAPABILITY_VERSION, 0), bytes(24)
        call(NUMBERS["capset"], ctypes.create_string_buffer(header), ctypes.create_string_buffer(nothing))
    return True


def _filter_calls(handover: socket.socket) -> str:
    """Installs the filter, and sends its listener (or an empty message) to the referee."""
    if not ARCHITECTURE:
        raise NoSandbox("there is no table of system calls for this processor architecture")
    try:
        listener = seccomp.install(policy.program(os.getpid(), referee=True), listener=True)
    except OSError:
        return _filter_blindly(handover)
    socket.send_fds(handover, [REFEREE.encode()], [listener])
    os.close(listener)
    return REFEREE


def _filter_blindly(handover: socket.socket) -> str:
    """Installs a filter without a listener. A process can have one listener; if a container's runtime has it, calls can
    only kill."""
    try:
        seccomp.install(policy.program(os.getpid(), referee=False), listener=False)
    except OSError as error:
        raise NoSandbox(f"this kernel refuses a system call filter ({error.strerror})") from None
    handover.sendmsg([BLIND.encode()])
    return BLIND


# Landlock's calls have the same numbers on every architecture.
_CREATE_RULESET = 444
_RESTRICT_SELF = 446
_ASK_VERSION = 1

# Number of kinds of access to files that each version knows; each is one bit, and all are refused.
_FILE_ACCESS_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
_LATEST_FILE_ACCESS_BITS = 16
_TCP_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3


def restrict_by_landlock() -> int:
    """Sets an empty ruleset: nothing is allowed. Returns the version of Landlock that holds, 0 if this kernel has
    none."""
    version, handled = landlock()
    if not version:
        return 0
    ruleset = call(_CREATE_RULESET, ctypes.create_string_buffer(handled, len(handled)), len(handled), 0)
    try:
        call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


@cache
def landlock() -> tuple[int, bytes]:
    """Returns the kernel's version of Landlock, 0 if it has none, and everything that a ruleset of this version can
    refuse."""
    try:
        version = call(_CREATE_RULESET, 0, 0, _ASK_VERSION)
    except OSError:
        return 0, b""
    files = (1 << _FILE_ACCESS_BITS.get(version, _LATEST_FILE_ACCESS_BITS)) - 1
    words = [files]
    if version >= 4:
        words.append(_TCP_BIND_AND_CONNECT)
    if version >= 6:
        words.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    return version, struct.pack(f"={len(words)}Q", *words)


STACK_BYTES = 8 << 20
ERRORS_BYTES = 64 << 10
"""Size of the memory file for the interpreter's last words. A bot's prints go elsewhere, with their own limit."""
DESCRIPTORS = 8
PENDING_SIGNALS = 0
"""All processes of a user share one count of queued signals. A bot that may queue none learns nothing from it; signals
that are not queued still arrive."""


def set_rlimits(memory: int, cpu_seconds: int) -> None:
    """Sets the limits of this process permanently."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, ERRORS_BYTES)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _limit(resource.RLIMIT_SIGPENDING, PENDING_SIGNALS)
    _limit(resource.RLIMIT_CPU, cpu_seconds)
    _limit(resource.RLIMIT_STACK, STACK_BYTES)
    _limit(resource.RLIMIT_AS, _address_space() + memory)
    _limit(resource.RLIMIT_NOFILE, DESCRIPTORS)


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(what, (most, most))


def _address_space() -> int:
    """Returns the bytes of address space in use."""
    with open("/proc/self/statm", "rb", buffering=0) as file:
        return int(file.read().split()[0]) * resource.getpagesize()
