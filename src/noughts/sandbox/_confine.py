"""Confining this process: root given up, limits, `no_new_privs`, a Landlock ruleset, a seccomp filter.

`confine` puts these layers up in the only order that works; below it is each of them. The seccomp filter is the
first to stop a bot. The Landlock ruleset stands behind it on kernels that have it (Linux 5.13 and later): the kernel's
own promise that this process opens no path and no port, and signals nobody outside. The limits bound what it uses up:
memory, processor time, descriptors, files, processes.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import struct
from contextlib import suppress

from noughts.sandbox import _policy as policy
from noughts.sandbox import _seccomp as seccomp
from noughts.sandbox._syscalls import ARCHITECTURE, NUMBERS, PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, call, prctl
from noughts.sandbox.layers import BLIND, REFEREE, Layers

NOBODY = 65534
_CAPABILITY_VERSION = 0x20080522


class NoSandbox(OSError):  # noqa: N818 - it says what is not there
    """This system cannot confine a bot."""


def confine(memory: int, cpu_seconds: int, parent: int) -> Layers:
    """Confines this process, for good; returns what holds.

    memory: bytes, on top of what is in use now. cpu_seconds: for its whole life. parent: the process that made it, with
    which it dies. It must have one thread, and only the descriptors of `policy`. NoSandbox if the system call filter
    cannot be had.
    """
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"the process has {threads} threads, and a sandbox closes around one")
    os.chdir("/")
    _go_first_when_memory_is_short()
    dropped = _drop_root()
    # Changing the user clears this, so it comes after.
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    set_rlimits(memory, cpu_seconds)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    version = restrict_by_landlock()
    handover = socket.socket(fileno=policy.HANDOVER)
    calls = _filter_calls(handover)
    handover.close()
    return Layers(calls, version, dropped)


def confine_filter() -> bool:
    """Confine this process of ours, which has loaded what it needs, to reading its input and writing its output.

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
    """A bot ends before anything else on the machine does."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "wb", buffering=0) as file:
        file.write(b"1000")


def _drop_root() -> bool:
    """Give up root, if this is root: become nobody, or where there is no such user keep the name without the rights."""
    if os.getuid() != 0 and os.geteuid() != 0:
        return False
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:  # a user namespace of one user (unshare -Ur), or a container's root that may not change
        header, nothing = struct.pack("=II", _CAPABILITY_VERSION, 0), bytes(24)
        call(NUMBERS["capset"], ctypes.create_string_buffer(header), ctypes.create_string_buffer(nothing))
    return True


def _filter_calls(handover: socket.socket) -> str:
    """Installs the filter, and hands its listener (or an empty message) over to the referee."""
    if not ARCHITECTURE:
        raise NoSandbox("this kind of machine has no table of system calls")
    try:
        listener = seccomp.install(policy.program(os.getpid(), referee=True), listener=True)
    except OSError:
        return _filter_blindly(handover)
    socket.send_fds(handover, [REFEREE.encode()], [listener])
    os.close(listener)
    return REFEREE


def _filter_blindly(handover: socket.socket) -> str:
    """A process can have one listener; where a container's runtime has it already, killing is left."""
    try:
        seccomp.install(policy.program(os.getpid(), referee=False), listener=False)
    except OSError as error:
        raise NoSandbox(f"this kernel refuses a system call filter ({error.strerror})") from None
    handover.sendmsg([BLIND.encode()])
    return BLIND


# The calls of Landlock have the same numbers on every machine.
_CREATE_RULESET = 444
_RESTRICT_SELF = 446
_ASK_VERSION = 1

# How many kinds of access to files each version knows; each is one bit, and we refuse all of them.
_FILE_ACCESS_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
_LATEST_FILE_ACCESS_BITS = 16
_TCP_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3


def restrict_by_landlock() -> int:
    """Set an empty ruleset: nothing is allowed. The version of Landlock that holds, 0 if this kernel has none."""
    try:
        version = call(_CREATE_RULESET, 0, 0, _ASK_VERSION)
    except OSError:
        return 0
    files = (1 << _FILE_ACCESS_BITS.get(version, _LATEST_FILE_ACCESS_BITS)) - 1
    words = [files]
    if version >= 4:
        words.append(_TCP_BIND_AND_CONNECT)
    if version >= 6:
        words.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    handled = struct.pack(f"={len(words)}Q", *words)
    ruleset = call(_CREATE_RULESET, ctypes.create_string_buffer(handled, len(handled)), len(handled), 0)
    try:
        call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


STACK_BYTES = 8 << 20
ERRORS_BYTES = 64 << 10
"""Size of the file in memory that takes the interpreter's last words. A bot's prints go elsewhere, and are capped."""
DESCRIPTORS = 8
PENDING_SIGNALS = 0
"""All processes of a user share one count of queued signals. A bot that may queue none learns nothing from it; signals
that are not queued arrive all the same."""


def set_rlimits(memory: int, cpu_seconds: int) -> None:
    """Set the limits of this process for good."""
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
    """Bytes of address space in use."""
    with open("/proc/self/statm", "rb", buffering=0) as file:
        return int(file.read().split()[0]) * resource.getpagesize()
