"""Starts every Python process of noughts in one way, so that it loads no file of the current folder.

`python -c` and `python -m` put the current folder on the module search path, where a bot called `struct.py` would be
imported with the operator's rights; libraries read settings from it (`matplotlibrc`); the environment holds the
operator's keys.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

FOLDER = os.path.abspath(os.environ.get("SYSTEMDRIVE", "") + os.sep) if os.name == "nt" else os.sep
"""Working directory of these processes: a folder without other people's files, unlike the root of a network share."""

PASSED_ON = frozenset(
    "PATH HOME LANG LC_ALL LC_CTYPE TZ TMPDIR XDG_CACHE_HOME LD_LIBRARY_PATH "
    "SYSTEMROOT SYSTEMDRIVE TEMP TMP USERPROFILE LOCALAPPDATA NUMBER_OF_PROCESSORS "
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR "
    "NOUGHTS_CACHE_DIR NOUGHTS_GAMES_DIR NOUGHTS_KERNELS NOUGHTS_SAY_NOTHING".split()
)
"""Environment variables that every interpreter receives: paths of the system, of caches, and the network's settings.
None is a secret."""
PASSED_ON_PREFIXES = ("NUMBA_", "OMP_", "OPENBLAS_", "MKL_", "RAY_")

_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

_BOOT = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = sys.argv.pop().split(chr(10)); "
    "from importlib import import_module; import_module(sys.argv.pop(1)).main()"
)
"""Ignores Ctrl-C: the parent process handles it and ends the others."""

_LAUNCH = """
import os, sys
folder, core, *command = sys.argv[1:]
if sys.platform == "linux":
    import ctypes, signal
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    os.sched_setaffinity(0, {int(core)})
os.chdir(folder)
try:
    os.execvp(command[0], command)
except OSError as error:
    sys.exit(f"cannot run {command[0]}: {error.strerror}")
"""
"""Turns into another program, pinned to one core; PR_SET_PDEATHSIG (1) ends it with the thread that started it."""


def start_program(command: Sequence[str], folder: str) -> subprocess.Popen[bytes]:
    """Starts an external program in a folder, with pipes to it, in its own session and on one core.

    The program gets a clean environment. On Linux it ends when this process does, even if this process is killed.
    """
    import subprocess

    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    environment = clean_environment()
    del environment["PYTHONSAFEPATH"]  # a Python program may import modules beside it
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _LAUNCH, folder, str(cores[os.getpid() % len(cores)]), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        cwd=FOLDER,
        env=environment,
    )


def start_interpreter(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    descriptors: Sequence[int] = (),
    new_session: bool = False,
) -> subprocess.Popen[bytes]:
    """Starts a Python process that runs `main()` of a module of ours, with `arguments` in `sys.argv[1:]`.

    environment: all its variables, by default `clean_environment()`. stdin: by default empty. descriptors: file
    descriptors that it inherits.
    """
    import subprocess  # imported only where a process is started

    return subprocess.Popen(
        [sys.executable, "-P", "-s", "-c", _BOOT, module, *arguments, "\n".join(module_path())],
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=tuple(descriptors),
        start_new_session=new_session,
        cwd=FOLDER,
        env=dict(clean_environment() if environment is None else environment),
    )


def module_path() -> list[str]:
    """Returns the module search path without the current folder and the program's folder; our own package is on it."""
    left_out = folders_left_out()
    found = [os.path.abspath(each) for each in sys.path if each and os.path.realpath(each) not in left_out]
    return found if _PACKAGE in map(os.path.realpath, found) else [*found, _PACKAGE]


def folders_left_out() -> list[str]:
    """Returns the folders on this process's module search path that its child processes do not get."""
    program = getattr(sys.modules["__main__"], "__file__", None)
    others = {_current_folder(), os.path.dirname(os.path.realpath(program)) if program else None} - {_PACKAGE}
    return list(dict.fromkeys(real for real in map(os.path.realpath, sys.path) if real in others))


def is_current_folder_in_pythonpath() -> bool:
    """Returns whether the operator's PYTHONPATH contains the current folder; an empty entry means the same.

    Python then searches it before any of our code runs: noughts can report that, but not prevent it.
    """
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return folders != [""] and _current_folder() in [os.path.realpath(each) for each in folders]


def _current_folder() -> str | None:
    try:
        return os.path.realpath(os.getcwd())
    except FileNotFoundError:  # the folder was removed
        return None


def clean_environment() -> dict[str, str]:
    """Returns the environment variables of our processes, without the operator's keys."""
    kept = {name: os.environ[name] for name in os.environ if name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)}
    return {**kept, "PYTHONSAFEPATH": "1"}


@contextmanager
def own_folder(environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """Changes to our working directory for other libraries, which read settings there or start processes in it.

    environment: replaces the variables of this process meanwhile.
    """
    here, variables = os.getcwd(), dict(os.environ)
    os.chdir(FOLDER)
    try:
        if environment is not None:
            _set_environment(environment)
        yield
    finally:
        if environment is not None:
            _set_environment(variables)
        os.chdir(here)


def _set_environment(variables: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(variables)
