"""Describes what a bot tried to do, from the system call that the kernel stopped.

The kernel holds the bot at the call and reports its number and arguments. Some calls that the interpreter makes by
itself are answered "no such file", and the bot continues; any other is a fault.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import signal
import struct
import sys
from contextlib import suppress
from typing import NamedTuple

from noughts.sandbox._policy import TIMERS, WRITING
from noughts.sandbox._syscalls import NAMES, NUMBERS
from noughts.sandbox._wire import CONTROL

# linux/seccomp.h: the requests to a listener, and the records that go with them.
_RECEIVE = 0xC0502100
_SEND = 0xC0182101
_SET_FLAGS = 0x40082104
_SYNC_WAKE_UP = 1
_CONTINUE = 1
_NOTICE = struct.Struct("QIIiIQ6Q")  # id, pid, flags, call, architecture, instruction pointer, six arguments
_NOTHING = bytes(_NOTICE.size)
_RESPONSE = struct.Struct("QqiI")  # id, value, error, flags
_READ = NUMBERS.get("read")

PATH_SHOWN = 200
CLONE_THREAD = 0x10000

HARMLESS_READS = (
    "<",  # a SyntaxError makes the interpreter look for the source of "<string>"
    sys.prefix + "/",
    sys.base_prefix + "/lib",
    "/usr/lib/python3",
    "/usr/lib/locale",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/etc/localtime",
    # The standard library looks up the number of processors in several places.
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/proc/stat",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/loadavg",
    "/etc/os-release",
    "/usr/lib/os-release",
    "/etc/ssl",
    "/usr/lib/ssl",
)
"""Files that Python and its libraries look for by themselves; they find nothing."""

_STARTS_PROCESS = "fork vfork execve execveat wait4 waitid"
_CHANNELS = "pipe pipe2 socketpair epoll_create epoll_create1 dup dup2 dup3 shmget shmat shmctl mq_open"
_NETWORK = """socket connect bind listen accept accept4 sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg
    setsockopt getsockopt shutdown getsockname getpeername"""
_CHANGES_FILES = """creat unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir link linkat symlink symlinkat
    truncate ftruncate chmod fchmod fchmodat chown fchown lchown fchownat mknod mknodat memfd_create pwrite64 pwritev
    pwritev2 writev utimensat fallocate setxattr lsetxattr fsetxattr write"""
_READS_FILES = "getdents getdents64 chdir fchdir pread64 preadv preadv2 readv read openat2 open_by_handle_at"
_OTHER_PROCESSES = "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp"
_SIGNALS = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open"

_DEEDS = {
    call: deed
    for calls, deed in (
        (_STARTS_PROCESS, "tried to start another process"),
        (_CHANNELS, "tried to open a channel to another process or thread"),
        (_NETWORK, "tried to use the network"),
        (_CHANGES_FILES, "tried to write to or change a file"),
        (_READS_FILES, "tried to read files or folders"),
        (_OTHER_PROCESSES, "tried to look into another process"),
        (_SIGNALS, "tried to send a signal to another process"),
    )
    for call in calls.split()
}

_PATH_ARGUMENT = {
    **dict.fromkeys("open creat execve unlink rmdir mkdir chdir rename truncate chmod chown link symlink".split(), 0),
    **dict.fromkeys("openat openat2 unlinkat mkdirat execveat renameat renameat2 fchmodat fchownat".split(), 1),
}


class Notice(NamedTuple):
    """One stopped call. arguments: six words, as the bot gave them."""

    number: int
    pid: int
    system_call: int
    arguments: tuple[int, ...]

    @property
    def call(self) -> str:
        """The call's name."""
        return NAMES.get(self.system_call) or f"system call {self.system_call}"

    @property
    def awaits_question(self) -> bool:
        """Whether the bot waits for the next question. It is held until the call is released."""
        return self.system_call == _READ and self.arguments[0] & 0xFFFFFFFF == CONTROL

    @property
    def sets_timer(self) -> bool:
        """Whether the bot sets or clears a timer, which can wake it."""
        return self.call in TIMERS

    @property
    def clears_timer(self) -> bool:
        """Whether no timer is set after this call. The argument of `setitimer` is in the bot's memory and is not
        read."""
        return self.call == "alarm" and self.arguments[0] & 0xFFFFFFFF == 0


def share_processor(listener: int) -> None:
    """Lets referee and bot wake each other on the same processor: one of the two always waits."""
    with suppress(OSError):  # before Linux 6.6
        fcntl.ioctl(listener, _SET_FLAGS, _SYNC_WAKE_UP)


def receive(listener: int) -> Notice | None:
    """Returns the next stopped call; None if the bot was gone before it was read."""
    try:
        found = _NOTICE.unpack(fcntl.ioctl(listener, _RECEIVE, _NOTHING))
    except OSError:
        return None
    return Notice(found[0], found[1], found[3], found[6:])


def refuse(listener: int, notice: Notice, code: int = errno.ENOENT) -> None:
    """Lets the bot continue as if the file did not exist, or with another error. The call is not executed."""
    with suppress(OSError):  # the bot may be gone
        fcntl.ioctl(listener, _SEND, _RESPONSE.pack(notice.number, 0, -code, 0))


def let_go(listener: int, notice: Notice) -> bool:
    """Releases the call. Returns whether the kernel has held the bot at it until now."""
    try:
        fcntl.ioctl(listener, _SEND, _RESPONSE.pack(notice.number, 0, 0, _CONTINUE))
    except FileNotFoundError:  # a signal from outside interrupted the call; the bot makes it again
        return False
    return True


def is_harmless(notice: Notice) -> bool:
    """Returns whether Python itself looks for this file."""
    if notice.call not in ("open", "openat") or _opens_for_writing(notice):
        return False
    path = _path(notice)
    # If the path cannot be read, the bot gets no fault: the call fails, and nothing was opened.
    return path is None or path.startswith(HARMLESS_READS)


def in_words(notice: Notice) -> str:
    """Returns what the bot did: "tried to start another process (fork)"."""
    call = notice.call
    if call == "clone":
        thread = notice.arguments[0] & CLONE_THREAD
        return "tried to start a thread" if thread else "tried to start another process (fork)"
    if call in ("open", "openat"):
        verb = "write to" if _opens_for_writing(notice) else "read"
        path = _path(notice)
        return f"tried to {verb} a file" if path is None else f"tried to {verb} the file {path!r}"
    if call in ("kill", "tgkill"):
        target = ctypes.c_int(notice.arguments[0] & 0xFFFFFFFF).value
        if target == notice.pid:
            number = notice.arguments[1 if call == "kill" else 2] & 0xFFFFFFFF
            if number == signal.SIGKILL:
                return "tried to kill its own process (SIGKILL)"
            if number == signal.SIGCONT:
                return "tried to send itself SIGCONT, which would undo the referee's stop"
            return f"tried to stop its own process ({signal.Signals(number).name})"
        return f"tried to send a signal to another process ({call} {target})"
    deed = _DEEDS.get(call, "made a system call that is not allowed")
    path = _path(notice) if call in _PATH_ARGUMENT else None
    return f"{deed} ({call})" if path is None else f"{deed} ({call} {path!r})"


def _opens_for_writing(notice: Notice) -> bool:
    return bool(notice.arguments[1 if notice.call == "open" else 2] & WRITING)


def _path(notice: Notice) -> str | None:
    """Returns the path among the call's arguments, read from the bot's memory; None if it cannot be read."""
    try:
        text = _memory(notice.pid, notice.arguments[_PATH_ARGUMENT[notice.call]])
    except (OSError, ValueError, OverflowError):
        return None
    return text.split(b"\0")[0].decode("utf-8", "replace")


def _memory(pid: int, address: int) -> bytes:
    """Returns the first bytes of a text in the bot's memory. Containers without the right to trace, and strict systems,
    refuse it."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        return memory.read(PATH_SHOWN) or b""
