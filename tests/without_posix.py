"""An interpreter in which noughts finds nothing that Windows lacks: no POSIX modules, no POSIX names.

Only modules of noughts are deceived; the standard library works as ever. Processes that noughts starts are deceived
too. `os.name` and the separator of paths stay as they are. Run it with a file of commands, one a line; it prints each
command's exit code as JSON, and the modules that cannot be imported.
"""

import _thread
import builtins
import contextlib
import ctypes
import importlib
import io
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import threading
import time
import traceback
import urllib.request
from types import ModuleType

NO_MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix", "readline", "curses", "syslog"}
NO_NAMES = {
    "os": """
        fork forkpty O_CLOEXEC O_NOFOLLOW O_NONBLOCK O_DIRECTORY O_SYNC geteuid getuid getegid getgid getgroups setsid
        setuid setgid setresuid setresgid setgroups getpgid getpgrp killpg chown lchown fchown fchmod uname_result uname
        sched_getaffinity sched_setaffinity sched_yield pidfd_open wait wait3 wait4 waitid WIFSIGNALED WTERMSIG
        WIFEXITED WEXITSTATUS WNOHANG pread pwrite preadv sysconf statvfs getloadavg nice mkfifo openpty ttyname
        memfd_create eventfd pipe2 posix_spawn posix_fallocate register_at_fork sync ctermid confstr major minor
    """,
    "select": "poll epoll kqueue devpoll POLLIN POLLOUT POLLHUP POLLERR",
    "signal": """
        SIGSTOP SIGKILL SIGALRM SIGCONT SIGCHLD SIGHUP SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 SIGSYS SIGXCPU SIGTSTP SIGTTIN
        SIGTTOU SIGBUS SIGWINCH alarm setitimer getitimer ITIMER_REAL pause pidfd_send_signal pthread_kill
        pthread_sigmask sigwait sigpending siginterrupt
    """,
    "socket": "AF_UNIX send_fds recv_fds CMSG_LEN SCM_RIGHTS SO_REUSEPORT",
    "time": "tzset pthread_getcpuclockid",  # kernels that read the clock ask for `sys.platform`, which stays
    "faulthandler": "register unregister",
}


def _without(name: str, **instead: object) -> ModuleType:
    real, mask = importlib.import_module(name), ModuleType(name)
    missing = set(NO_NAMES.get(name, "").split())
    vars(mask).update({key: value for key, value in vars(real).items() if key not in missing})
    vars(mask).update(instead)
    return mask


class _PlainPopen(subprocess.Popen):
    def __init__(self, *args, pass_fds=(), preexec_fn=None, **more):
        if pass_fds or preexec_fn:
            raise ValueError("pass_fds and preexec_fn are not supported on Windows")
        super().__init__(*args, **more)


class _PlainLibrary(ctypes.CDLL):
    def __init__(self, name, *args, **more):
        if name is None:
            raise TypeError("bad argument type for built-in operation")
        super().__init__(name, *args, **more)


def _msvcrt() -> ModuleType:
    import fcntl

    def locking(descriptor: int, kind: int, length: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError(13, "Permission denied") from error

    module = ModuleType("msvcrt")
    vars(module).update(LK_NBLCK=2, LK_UNLCK=0, locking=locking)
    return module


def install() -> None:
    """Deceives every module of noughts that is imported from now on."""
    usual, usual_by_name = builtins.__import__, importlib.import_module

    def by_name(name: str, package: str | None = None) -> ModuleType:
        if name in NO_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return masks.get(name) or usual_by_name(name, package)

    masks = {name: _without(name) for name in NO_NAMES}
    masks["os"] = _without("os", supports_dir_fd=set())
    masks["subprocess"] = _without("subprocess", Popen=_PlainPopen)
    masks["ctypes"] = _without("ctypes", CDLL=_PlainLibrary)
    masks["importlib"] = _without("importlib", import_module=by_name)
    masks["msvcrt"] = _msvcrt()

    def masked(name, scope=None, *rest, **more):
        is_relative = len(rest) > 2 and rest[2] > 0
        if not is_relative and scope and str(scope.get("__name__", "")).partition(".")[0] == "noughts":
            if name in NO_MODULES:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if name in masks:
                return masks[name]
        return usual(name, scope, *rest, **more)

    builtins.__import__ = masked
    interpreter = importlib.import_module("noughts.interpreter")
    here = os.path.abspath(__file__)
    before = f"import runpy; runpy.run_path({here!r}, run_name='deceived')['install'](); "
    if before not in interpreter._BOOT:
        interpreter._BOOT = before + interpreter._BOOT


def failing_modules() -> dict[str, str]:
    """Returns the modules of noughts that cannot be imported for lack of something of POSIX, with what they lack."""
    import noughts

    found = {}
    for module in pkgutil.walk_packages(noughts.__path__, "noughts."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name in NO_MODULES:
                found[module.name] = str(error)
        except ImportError as error:
            if error.__cause__ is None and "is not installed" not in str(error):
                found[module.name] = str(error)
        except (AttributeError, TypeError) as error:
            found[module.name] = str(error)
    return found


def _visit(said: io.StringIO) -> None:
    """Opens the page once its address is printed, and presses Ctrl-C."""
    while not (address := re.search(r"http://\S+", said.getvalue())):
        time.sleep(0.05)
    with urllib.request.urlopen(address[0], timeout=60) as page:
        said.write(f"page {page.status}\n")
    _thread.interrupt_main()


def main() -> None:
    install()
    from noughts.cli import main as noughts

    for line in sys.stdin.read().splitlines():
        said, began = io.StringIO(), time.monotonic()
        if line.startswith("serve"):
            threading.Thread(target=_visit, args=(said,), daemon=True).start()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = noughts(shlex.split(line))
            except SystemExit as error:
                code = error.code
            except BaseException:
                code = traceback.format_exc()
        seconds = round(time.monotonic() - began, 2)
        print(json.dumps({"command": line, "code": code, "said": said.getvalue(), "seconds": seconds}), flush=True)
    print(json.dumps({"failing": failing_modules()}))


if __name__ == "__main__":
    main()
