"""The policy of a bot's seccomp filter: which system calls it may make, and what happens at the others.

There are three kinds. *Allowed*: calls that the interpreter needs, and calls that affect only the process itself.
*Refused quietly*: calls that libraries try and can do without; they reveal and change nothing. *Everything else* goes
to the referee, which reports the call to the bot's owner and ends the game.
"""

from __future__ import annotations

import errno
import os
import signal
import struct
from functools import cache

from noughts.sandbox._seccomp import (
    ALLOW,
    ASK_REFEREE,
    KILL,
    STEP,
    NoBits,
    NoneOf,
    Null,
    OneOf,
    Rule,
    SomeBits,
    Test,
    assemble,
    refuse,
    steps,
)
from noughts.sandbox._wire import CONTROL, ERRORS, HANDOVER, SCHEDULE, STDERR, STDIN, STDOUT

WHERE_ARE_YOU = signal.SIGUSR2
"""At this signal from the referee the interpreter writes its current lines to ERRORS, unless the bot disabled that."""

REFEREES_SIGNALS = (
    signal.SIGCONT, signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
)  # fmt: skip
"""Signals that a bot may not send even to itself."""

OWN_BUSINESS = """
    brk munmap mremap
    rt_sigreturn rt_sigprocmask rt_sigaction rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack pause
    getitimer nanosleep gettimeofday time times
    exit exit_group restart_syscall getpid gettid getppid getuid geteuid getgid getegid
    getrandom getrusage getcpu getcwd close lseek fstat rseq
""".split()

TIMERS = ("alarm", "setitimer")
"""Calls that can wake a bot while the kernel holds it. The referee sees them and lets them pass."""

QUIETLY_REFUSED = {
    # Lookups of files by name fail as if the folders could not be entered.
    **dict.fromkeys(
        "stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat statfs fstatfs".split(),
        errno.EACCES,
    ),
    # Queries about the machine and about the process's standing. `worker.host` answers the usual ones.
    **dict.fromkeys(
        """uname sysinfo getpgid getpgrp getsid getgroups getresuid getresgid getpriority setpriority capget umask
        personality sched_getscheduler sched_getparam sched_getattr sched_get_priority_max sched_get_priority_min
        sched_rr_get_interval getrlimit setrlimit fcntl prctl mlock mlock2 munlock mlockall munlockall""".split(),
        errno.EPERM,
    ),
    # Calls that libraries can do without: glibc falls back to clone, whose flags (unlike those of clone3) can be read;
    # numerical libraries give hints about memory.
    **dict.fromkeys(
        """clone3 set_robust_list get_robust_list membarrier msync mincore fadvise64 mbind get_mempolicy set_mempolicy
        timer_create timerfd_create eventfd eventfd2 signalfd signalfd4 inotify_init inotify_init1""".split(),
        errno.ENOSYS,
    ),
    "ioctl": errno.ENOTTY,
    # A bot that yields its processor would gain waiting time; it has nobody to yield to.
    "sched_yield": 0,
}

SLEEPS = {"select": 0, "pselect6": 0, "poll": 1, "ppoll": 1}
"""Sleeping as some libraries do it: waiting for no descriptors; the value is the index of the argument with their
number."""

CLOCKS = range(12)
"""The numbers of the system's clocks; those of other processes are negative."""

PROT_EXEC = 4
MAP_ANONYMOUS = 0x20
MAP_HUGETLB = 0x40000
FUTEX_PRIVATE, FUTEX_CLOCK_REALTIME = 128, 256
FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET = (
    0, 1, 3, 4, 5, 9, 10,
)  # fmt: skip
FUTEX_OPERATIONS = tuple(
    FUTEX_PRIVATE | operation
    for operation in (
        FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, FUTEX_WAKE_BITSET,
        FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP,
    )
)  # fmt: skip
"""Locks within the process. Those with priority inheritance (FUTEX_LOCK_PI) reveal whether a thread exists."""
ADVICE = (0, 1, 2, 3, 4, 8, 14, 15)
"""Allowed madvise hints: normal, random, sequential, will and don't need, free, huge pages or none. Merging pages with
equal ones of other processes (KSM) and populating them at once stay forbidden."""
NOBODYS_PID = 0x1AB0AB0
"""A number that no process has; Linux has 2^22 at most."""
_CONSTANT = struct.Struct("=I")
"""The last part of a step of the filter."""

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def program(pid: int, *, referee: bool) -> bytes:
    """Returns the filter of the process `pid`.

    referee: whether a listener can report calls. If not, forbidden calls kill the process at once; only opening a file
    to read fails quietly, because the interpreter does that by itself (a traceback looks for sources).
    """
    template, places = for_all(referee)
    code, numbers = bytearray(template), _own_numbers(pid)
    for at, which in places:
        _CONSTANT.pack_into(code, at, numbers[which])
    return bytes(code)


@cache
def for_all(referee: bool) -> tuple[bytes, list[tuple[int, int]]]:
    """Returns the filter of the process NOBODYS_PID, made once; and where each of its own numbers is in it."""
    code = build_program(NOBODYS_PID, referee)
    numbers = _own_numbers(NOBODYS_PID)
    constants = {at: _CONSTANT.unpack_from(code, at)[0] for at in range(STEP - _CONSTANT.size, len(code), STEP)}
    return code, [(at, numbers.index(constant)) for at, constant in constants.items() if constant in numbers]


def build_program(pid: int, referee: bool) -> bytes:
    """Builds the filter of a process from the rules. `program` returns the same, faster."""
    other = ASK_REFEREE if referee else KILL
    no_code = refuse(errno.EACCES)
    used_most = [
        # At its read of the next question the kernel holds the bot until the referee asks one.
        Rule("read", ALLOW, (OneOf(0, (STDIN,) if referee else (CONTROL, STDIN)),), other),
        Rule("write", ALLOW, (OneOf(0, (CONTROL, STDOUT, STDERR, ERRORS)),), other),
        Rule("pread64", ALLOW, (OneOf(0, (SCHEDULE,)),), other),
        # Its own memory; huge pages are a pool that all processes share.
        Rule("mmap", ALLOW, (NoBits(2, PROT_EXEC), SomeBits(3, MAP_ANONYMOUS), NoBits(3, MAP_HUGETLB)), no_code),
        Rule("mprotect", ALLOW, (NoBits(2, PROT_EXEC),), no_code),
        Rule("futex", ALLOW, (OneOf(1, FUTEX_OPERATIONS),), refuse(errno.ENOSYS)),
        Rule("madvise", ALLOW, (OneOf(2, ADVICE),), refuse(errno.EINVAL)),
        *(Rule(call, ALLOW) for call in OWN_BUSINESS),
        *(Rule(call, other if referee else ALLOW) for call in TIMERS),
    ]
    rest = [
        # This one message sends the listener; its socket is closed right after.
        Rule("sendmsg", ALLOW, (OneOf(0, (HANDOVER,)),), other),
        *(Rule(call, ALLOW, (OneOf(count, (0,)),), other) for call, count in SLEEPS.items()),
        *(Rule(call, refuse(code)) for call, code in QUIETLY_REFUSED.items()),
    ]
    if not referee:
        for call, flags in (("open", 1), ("openat", 2)):
            rest.append(Rule(call, refuse(errno.ENOENT), (NoBits(flags, WRITING),), KILL))
    return assemble([steps(used_most), steps(_of_its_own(pid, other)), steps(rest)], other)


def _of_its_own(pid: int, other: int) -> list[Rule]:
    """Returns the rules for signals to itself and for its own clocks, processors and limits; those of others seem not
    to exist."""

    def is_own(call: str, code: int, values: tuple[int, ...], *tests: Test) -> Rule:
        return Rule(call, ALLOW, (OneOf(0, values), *tests), refuse(code))

    _, *own_clocks = _own_numbers(pid)
    clocks = (*CLOCKS, *own_clocks)
    return [
        # raise() and abort() send a signal to the process itself. SIGCONT would undo the referee's stop; a bot that
        # could send itself SIGKILL or a stop could disguise it as the machine's fault, which is not charged.
        Rule("tgkill", ALLOW, (OneOf(0, (pid,)), NoneOf(2, REFEREES_SIGNALS)), other),
        Rule("kill", ALLOW, (OneOf(0, (pid,)), NoneOf(1, REFEREES_SIGNALS)), other),
        *(is_own(call, errno.EINVAL, clocks) for call in ("clock_gettime", "clock_nanosleep", "clock_getres")),
        is_own("sched_getaffinity", errno.ESRCH, (0, pid)),
        is_own("prlimit64", errno.EPERM, (0, pid), Null(2)),
    ]


def _own_numbers(pid: int) -> list[int]:
    """Returns the numbers that name the process: its own, then its clocks: of the process and of its one thread, in
    each of three ways to count."""
    return [pid, *((~pid << 3 | thread | way) & 0xFFFFFFFF for thread in (0, 4) for way in (0, 1, 2))]
