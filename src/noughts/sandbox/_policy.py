"""Which system calls a bot may make, and what happens at the others: the policy of its seccomp filter.

Three kinds. *Allowed*: what the interpreter needs, and what touches nothing but the process itself.
*Refused quietly*: what libraries try and can do without; nothing is learnt or changed. *Everything else*
goes to the referee, which tells the bot's owner what it was and ends the game.
"""

from __future__ import annotations

import errno
import os
import signal
from functools import cache

from noughts.sandbox._seccomp import (
    ALLOW,
    ASK_REFEREE,
    KILL,
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

# The descriptors of a sandboxed process; it has no others. ERRORS is for the interpreter's last words, and STDERR leads
# nowhere, so that nobody who writes much to it is in trouble.
STDIN, STDOUT, STDERR, CONTROL, HANDOVER, ERRORS = range(6)

WHERE_ARE_YOU = signal.SIGUSR2
"""At this signal of the referee's the interpreter writes to ERRORS which lines it is at, unless the bot undid that."""

REFEREES_SIGNALS = (
    signal.SIGCONT, signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
)  # fmt: skip
"""What a bot may not even send to itself."""

OWN_BUSINESS = """
    brk munmap mremap
    rt_sigreturn rt_sigprocmask rt_sigaction rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack pause
    getitimer nanosleep gettimeofday time times
    exit exit_group restart_syscall getpid gettid getppid getuid geteuid getgid getegid
    getrandom getrusage getcpu getcwd close lseek fstat rseq
""".split()

TIMERS = ("alarm", "setitimer")
"""What can wake a bot while the kernel holds it. The referee hears of it, and lets it pass."""

QUIETLY_REFUSED = {
    # Looking for files by name: as if the folders could not be entered.
    **dict.fromkeys(
        "stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat statfs fstatfs".split(),
        errno.EACCES,
    ),
    # Questions about the machine, and about what the process is to others. `worker.host` has answers to the usual ones.
    **dict.fromkeys(
        """uname sysinfo getpgid getpgrp getsid getgroups getresuid getresgid getpriority setpriority capget umask
        personality sched_getscheduler sched_getparam sched_getattr sched_get_priority_max sched_get_priority_min
        sched_rr_get_interval getrlimit setrlimit fcntl prctl mlock mlock2 munlock mlockall munlockall""".split(),
        errno.EPERM,
    ),
    # What libraries can do without: glibc uses clone, whose flags (unlike those of clone3) can be read, numerical
    # libraries give hints about memory.
    **dict.fromkeys(
        """clone3 set_robust_list get_robust_list membarrier msync mincore fadvise64 mbind get_mempolicy set_mempolicy
        timer_create timerfd_create eventfd eventfd2 signalfd signalfd4 inotify_init inotify_init1""".split(),
        errno.ENOSYS,
    ),
    "ioctl": errno.ENOTTY,
    # A bot that gives its processor away would have time to wait for it; it has nobody to give it to.
    "sched_yield": 0,
}

SLEEPS = {"select": 0, "pselect6": 0, "poll": 1, "ppoll": 1}
"""Sleeping, as some libraries write it: waiting for no descriptor at all; which argument says how many."""

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
"""Locks within the process. Those with priority inheritance (FUTEX_LOCK_PI) tell whether a thread exists."""
ADVICE = (0, 1, 2, 3, 4, 8, 14, 15)
"""What madvise may ask for: normal, random, sequential, will and don't need, free, huge pages or none. Merging pages
with equal ones of other processes (KSM) and filling them at once stay forbidden."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def program(pid: int, *, referee: bool) -> bytes:
    """The filter of the process `pid`.

    referee: whether somebody listens and can say what a call was. If not, the process is killed at once; only
    opening a file to read fails quietly, since the interpreter does that by itself (a traceback looks for sources).
    """
    other = ASK_REFEREE if referee else KILL
    used_most, rest = for_all(referee)
    return assemble([used_most, steps(_of_its_own(pid, other)), rest], other)


@cache
def for_all(referee: bool) -> tuple[bytes, bytes]:
    """The parts of the filter that are the same for every process: the calls used most, and the others."""
    other = ASK_REFEREE if referee else KILL
    no_code = refuse(errno.EACCES)
    used_most = [
        # At its read for the next question the kernel holds the bot until the referee asks one.
        Rule("read", ALLOW, (OneOf(0, (STDIN,) if referee else (CONTROL, STDIN)),), other),
        Rule("write", ALLOW, (OneOf(0, (CONTROL, STDOUT, STDERR, ERRORS)),), other),
        # Memory of its own; huge pages are a stock that all processes share.
        Rule("mmap", ALLOW, (NoBits(2, PROT_EXEC), SomeBits(3, MAP_ANONYMOUS), NoBits(3, MAP_HUGETLB)), no_code),
        Rule("mprotect", ALLOW, (NoBits(2, PROT_EXEC),), no_code),
        Rule("futex", ALLOW, (OneOf(1, FUTEX_OPERATIONS),), refuse(errno.ENOSYS)),
        Rule("madvise", ALLOW, (OneOf(2, ADVICE),), refuse(errno.EINVAL)),
        *(Rule(call, ALLOW) for call in OWN_BUSINESS),
        *(Rule(call, other if referee else ALLOW) for call in TIMERS),
    ]
    rest = [
        # The listener is handed over by this one message; its socket is closed right after.
        Rule("sendmsg", ALLOW, (OneOf(0, (HANDOVER,)),), other),
        *(Rule(call, ALLOW, (OneOf(count, (0,)),), other) for call, count in SLEEPS.items()),
        *(Rule(call, refuse(code)) for call, code in QUIETLY_REFUSED.items()),
    ]
    if not referee:
        for call, flags in (("open", 1), ("openat", 2)):
            rest.append(Rule(call, refuse(errno.ENOENT), (NoBits(flags, WRITING),), KILL))
    return steps(used_most), steps(rest)


def _of_its_own(pid: int, other: int) -> list[Rule]:
    """Signals to itself, its own clocks, processors and limits; those of others are as if they did not exist."""

    def is_own(call: str, code: int, values: tuple[int, ...], *tests: Test) -> Rule:
        return Rule(call, ALLOW, (OneOf(0, values), *tests), refuse(code))

    clocks = (*CLOCKS, *_own_clocks(pid))
    return [
        # raise() and abort() send a signal to the process itself. SIGCONT would undo the referee's stop; and who could
        # send SIGKILL or stop could make its doing look like the machine's fault, for which nobody is charged.
        Rule("tgkill", ALLOW, (OneOf(0, (pid,)), NoneOf(2, REFEREES_SIGNALS)), other),
        Rule("kill", ALLOW, (OneOf(0, (pid,)), NoneOf(1, REFEREES_SIGNALS)), other),
        *(is_own(call, errno.EINVAL, clocks) for call in ("clock_gettime", "clock_nanosleep", "clock_getres")),
        is_own("sched_getaffinity", errno.ESRCH, (0, pid)),
        is_own("prlimit64", errno.EPERM, (0, pid), Null(2)),
    ]


def _own_clocks(pid: int) -> list[int]:
    """The clocks of the process by its number: of the process and of its one thread, by each of three ways to count."""
    return [(~pid << 3 | thread | way) & 0xFFFFFFFF for thread in (0, 4) for way in (0, 1, 2)]
