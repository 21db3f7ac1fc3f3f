"""Which system calls a bot may make, and what happens at the others: the policy of its seccomp filter.

Three kinds. *Allowed*: what the interpreter needs, and what touches nothing but the process itself.
*Refused quietly*: what libraries try and can do without; nothing is learnt or changed. *Everything else*
goes to the referee, which tells the bot's owner what it was and ends the game.
"""

from __future__ import annotations

import errno
import os
import signal

from noughts.sandbox.seccomp import ALLOW, ASK_REFEREE, KILL, NoBits, NoneOf, OneOf, Rule, SomeBits, refuse

# The descriptors of a sandboxed process; it has no others. ERRORS is for the interpreter's last words, and STDERR leads
# nowhere, so that nobody who writes much to it is in trouble.
STDIN, STDOUT, STDERR, CONTROL, HANDOVER, ERRORS = range(6)

OWN_BUSINESS = """
    brk munmap mremap madvise futex
    rt_sigreturn rt_sigprocmask rt_sigaction rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack pause
    alarm setitimer getitimer nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times
    exit exit_group restart_syscall getpid gettid getppid getuid geteuid getgid getegid
    getrandom sched_getaffinity getrusage getcpu close lseek fstat rseq sysinfo uname
""".split()

QUIETLY_REFUSED = {
    # Looking for files by name: as if the folders could not be entered.
    **dict.fromkeys(
        "stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat getcwd statfs fstatfs".split(),
        errno.EACCES,
    ),
    # glibc then uses clone, whose flags (unlike those of clone3) can be read: a thread, or a process.
    "clone3": errno.ENOSYS,
    "ioctl": errno.ENOTTY,
    "fcntl": errno.EPERM,
    "prctl": errno.EPERM,
    "prlimit64": errno.EPERM,
    "getrlimit": errno.EPERM,
    "set_robust_list": errno.ENOSYS,
    # Hints about memory that numerical libraries give.
    "mbind": errno.ENOSYS,
    "get_mempolicy": errno.ENOSYS,
    "set_mempolicy": errno.ENOSYS,
}

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
        Rule("read", ALLOW, (OneOf(0, (CONTROL, STDIN)),), other),
        Rule("write", ALLOW, (OneOf(0, (CONTROL, STDOUT, STDERR, ERRORS)),), other),
        Rule("mmap", ALLOW, private_memory, no_code),
        Rule("mprotect", ALLOW, (NoBits(2, PROT_EXEC),), no_code),
        *(Rule(call, ALLOW) for call in OWN_BUSINESS),
        # raise() and abort() send a signal to the process itself. SIGCONT would undo the referee's stop.
        Rule("tgkill", ALLOW, (OneOf(0, (pid,)), NoneOf(2, (signal.SIGCONT,))), other),
        Rule("kill", ALLOW, (OneOf(0, (pid,)), NoneOf(1, (signal.SIGCONT,))), other),
        # A bot that gives its processor away has time to wait for it; it has nobody to give it to.
        Rule("sched_yield", refuse(0)),
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
