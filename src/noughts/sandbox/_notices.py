"""What a bot tried to do, from the system call that the kernel stopped.

The kernel holds the bot at the call and tells us its number and arguments. Some calls that the interpreter makes
by itself are answered "no such file", and the bot goes on; any other is a fault.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import signal
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass

from noughts.sandbox._policy import WRITING
from noughts.sandbox._syscalls import NAMES

# linux/seccomp.h: the requests to a listener, and the records that go with them.
_RECEIVE = 0xC0502100
_SEND = 0xC0182101
_NOTICE = "QIIiIQ6Q"  # id, pid, flags, call, architecture, instruction pointer, six arguments
_RESPONSE = "QqiI"  # id, value, error, flags

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
    # How many processors are there? The standard library asks in several places.
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


@dataclass(frozen=True)
class Notice:
    """One stopped call. arguments: six words, as the bot gave them."""

    number: int
    pid: int
    call: str
    arguments: tuple[int, ...]


def receive(listener: int) -> Notice | None:
    """The next stopped call; None if the bot was gone before we read it."""
    buffer = bytearray(struct.calcsize(_NOTICE))
    try:
        fcntl.ioctl(listener, _RECEIVE, buffer)
    except OSError:
        return None
    number, pid, _, call, _, _, *arguments = struct.unpack(_NOTICE, buffer)
    return Notice(number, pid, NAMES.get(call, f"system call {call}"), tuple(arguments))


def refuse(listener: int, notice: Notice, code: int = errno.ENOENT) -> None:
    """Let the bot go on as if the file did not exist, or with another error. Its call is never carried out."""
    with suppress(OSError):  # the bot may be gone
        fcntl.ioctl(listener, _SEND, struct.pack(_RESPONSE, notice.number, 0, -code, 0))


def is_harmless(notice: Notice) -> bool:
    """Whether it is a look for a file that Python itself makes."""
    if notice.call not in ("open", "openat") or _opens_for_writing(notice):
        return False
    path = _path(notice)
    # Whose path cannot be read is not accused of it: the call fails, and nothing was opened.
    return path is None or path.startswith(HARMLESS_READS)


def in_words(notice: Notice) -> str:
    """What the bot did: "tried to start another process (fork)"."""
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
    deed = _DEEDS.get(call, "made a system call that bots may not make")
    path = _path(notice) if call in _PATH_ARGUMENT else None
    return f"{deed} ({call})" if path is None else f"{deed} ({call} {path!r})"


def _opens_for_writing(notice: Notice) -> bool:
    return bool(notice.arguments[1 if notice.call == "open" else 2] & WRITING)


def _path(notice: Notice) -> str | None:
    """The path among the call's arguments, read from the bot's memory; None if it cannot be."""
    try:
        text = _memory(notice.pid, notice.arguments[_PATH_ARGUMENT[notice.call]])
    except (OSError, ValueError, OverflowError):
        return None
    return text.split(b"\0")[0].decode("utf-8", "replace")


def _memory(pid: int, address: int) -> bytes:
    """The first bytes of a text there. Containers without the right to trace, and strict systems, refuse it."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        return memory.read(PATH_SHOWN) or b""
