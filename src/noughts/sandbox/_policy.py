"""Which system calls a bot may make, and what happens at the others: the policy of its seccomp filter.

Three kinds. *Allowed*: what the interpreter needs, and what touches nothing but the process itself.
*Refused quietly*: what libraries try and can do without; nothing is learnt or changed. *Everything else*
goes to the referee, which tells the bot's owner what it was and ends the game.
"""

from __future__ import annotations

import errno
import os
import signal

from noughts.sandbox._seccomp import ALLOW, ASK_REFEREE, KILL, NoBits, NoneOf, Null, OneOf, Rule, SomeBits, refuse

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
    brk munmap mremap madvise futex
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

CLOCKS = range(12)
"""The numbers of the system's clocks; those of other processes are negative."""

PROT_EXEC = 4
MAP_ANONYMOUS = 0x20
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def rules(pid: int, *, referee: bool) -> tuple[list[Rule], int]:
    """The rules for the process `pid`, most used first, and the verdict on all other calls.

    referee: whether somebody listens and can say what a call was. If not, the process is killed at once; only
    opening a file to read fails quietly, since the interpreter does that by itself (a traceback looks for sources).
    """
    other = ASK_REFEREE if referee else KILL
    private_memory = (NoBits(2, PROT_EXEC), SomeBits(3, MAP_ANONYMOUS))
    no_code = refuse(errno.EACCES)
    listed = [
        # At its read for the next question the kernel holds the bot until the referee asks one.
        Rule("read", ALLOW, (OneOf(0, (STDIN,) if referee else (CONTROL, STDIN)),), other),
        Rule("write", ALLOW, (OneOf(0, (CONTROL, STDOUT, STDERR, ERRORS)),), other),
        Rule("mmap", ALLOW, private_memory, no_code),
        Rule("mprotect", ALLOW, (NoBits(2, PROT_EXEC),), no_code),
        *(Rule(call, ALLOW) for call in OWN_BUSINESS),
        *(Rule(call, other if referee else ALLOW) for call in TIMERS),
        # raise() and abort() send a signal to the process itself. SIGCONT would undo the referee's stop; and who could
        # send SIGKILL or stop could make its doing look like the machine's fault, for which nobody is charged.
        Rule("tgkill", ALLOW, (OneOf(0, (pid,)), NoneOf(2, REFEREES_SIGNALS)), other),
        Rule("kill", ALLOW, (OneOf(0, (pid,)), NoneOf(1, REFEREES_SIGNALS)), other),
        # Its own clocks, processors and limits; those of others are as if they did not exist.
        *(
            Rule(call, ALLOW, (OneOf(0, (*CLOCKS, *_own_clocks(pid))),), refuse(errno.EINVAL))
            for call in ("clock_gettime", "clock_nanosleep", "clock_getres")
        ),
        Rule("sched_getaffinity", ALLOW, (OneOf(0, (0, pid)),), refuse(errno.ESRCH)),
        Rule("prlimit64", ALLOW, (OneOf(0, (0, pid)), Null(2)), refuse(errno.EPERM)),
        # The listener is handed over by this one message; its socket is closed right after.
        Rule("sendmsg", ALLOW, (OneOf(0, (HANDOVER,)),), other),
        # Sleeping, as some libraries write it: waiting for no descriptor at all.
        *(
            Rule(call, ALLOW, (OneOf(0 if call != "poll" else 1, (0,)),), other)
            for call in ("select", "pselect6", "poll")
        ),
        *(Rule(call, refuse(code)) for call, code in QUIETLY_REFUSED.items()),
    ]
    if not referee:
        for call, flags in (("open", 1), ("openat", 2)):
            listed.append(Rule(call, refuse(errno.ENOENT), (NoBits(flags, WRITING),), KILL))
    return listed, other


def _own_clocks(pid: int) -> list[int]:
    """The clocks of the process by its number: of the process and of its one thread, by each of three ways to count."""
    return [(~pid << 3 | thread | way) & 0xFFFFFFFF for thread in (0, 4) for way in (0, 1, 2)]
