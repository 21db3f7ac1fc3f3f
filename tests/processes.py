"""Processes that begin with noughts loaded: forked from one that has it, and not from the one that runs the tests.

A new interpreter takes about a second of a core to load what most tests need, and the tests start more than a hundred.
Such a process is like a new one: it has pipes, a terminal, signals and a folder of its own. What the
loading itself does is tested with new interpreters (test_first_use.py, test_package.py, test_wheel.py), and so is the
way in which processes of ours are started (test_interpreter.py).

The fork servers of bots are such processes, too, of a server of their own (fork_servers.py): what a bot finds loaded
is the same as ever.
"""

from __future__ import annotations

import atexit
import gc
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

import forking
from forking import Forked

import noughts.workers
from noughts.interpreter import FOLDER, clean_environment, module_path, start_interpreter
from noughts.sandbox import forkserver

LOADED = (
    *("noughts.cli", "noughts.commands.play", "noughts.commands.tournament", "noughts.matches.pool"),
    *("noughts.bots.folder", "noughts.tournaments.reviews", "noughts.search", "noughts.solving", "noughts.players"),
    *("noughts.search.kernels.alphabeta", "noughts.solving.kernels.graph", "noughts.web._app", "uvicorn"),
)
"""What is not installed is passed over."""

# ruff: noqa: SIM115 - the ends of pipes live as long as a process

QUICK = sys.platform == "linux"
"""Elsewhere new interpreters are started."""

FORK_SERVERS = "-fork-servers"

_server = ""
"""The abstract address of the server, known to all that it forks, too; that of fork servers has a longer name."""
_starting = threading.Lock()
"""Held while the server is started: several threads may need it first."""


def start_quickly():
    """Let the workers and the fork servers of this process be such processes."""
    if QUICK:
        noughts.workers.start_interpreter = _start_worker
        forkserver.start_interpreter = _start_fork_server


def start_slowly(monkeypatch):
    """For one test, new interpreters all the same."""
    monkeypatch.setattr("noughts.workers.start_interpreter", start_interpreter)
    monkeypatch.setattr("noughts.sandbox.forkserver.start_interpreter", start_interpreter)


class Process(Forked):
    """A process of ours, with what `subprocess.Popen` has.

    job: the name of a function of this module, and its arguments. streams: descriptors, or None for a pipe. passed:
    descriptors that it has too, by the same numbers.
    """

    def __init__(self, job, streams, folder, environment, passed=(), **text):
        ours, theirs, ends = [], [], []
        for number, given in enumerate(streams):
            reading, writing = os.pipe() if given is None else (given, given)
            mine, other = (writing, reading) if number == 0 else (reading, writing)
            binary = "" if text else "b"
            ours.append(open(mine, ("w" if number == 0 else "r") + binary, **text) if given is None else None)
            theirs.append(other)
            ends += [other] if given is None else []
        self.stdin, self.stdout, self.stderr = ours
        super().__init__(_address(), (job, os.fspath(folder), environment, passed), [*theirs, *passed])
        for end in ends:
            os.close(end)


def _start_worker(module, *arguments, stdin, stdout, descriptors):
    """As `start_interpreter`, for what `noughts.workers` asks of it."""
    job = "_be_module", module, arguments, module_path()
    return Process(job, [None, None, 2], FOLDER, clean_environment(), descriptors)


def _start_fork_server(_module, _descriptor, *, descriptors, **_environment):
    """As `start_interpreter`, for what `noughts.sandbox.forkserver` asks of it."""
    return Forked(_address() + FORK_SERVERS, None, descriptors)


def _address():
    """The address of the server. Both are started when one is first needed, and end with the process that did."""
    global _server
    with _starting:
        if _server:
            return _server
        address = f"\0noughts-tests-{os.getpid()}"
        with forking.listen(address + FORK_SERVERS) as listener:
            descriptor = listener.fileno()
            _end_with_us(
                start_interpreter(
                    "fork_servers",
                    str(descriptor),
                    environment=forkserver._environment(),
                    stdin=subprocess.PIPE,
                    descriptors=[descriptor],
                )
            )
        with forking.listen(address) as listener:
            descriptor = listener.fileno()
            command = [sys.executable, __file__, str(descriptor), address[1:]]
            _end_with_us(
                subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[descriptor], stdout=subprocess.DEVNULL)
            )
        _server = address
    return _server


def _end_with_us(process):
    atexit.register(process.communicate)  # closes its standard input


def _load():
    for name in LOADED:
        with suppress(ImportError):
            import_module(name)


def _be_server():
    global _server
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.modules["processes"] = sys.modules["__main__"]
    listener, _server = socket.socket(fileno=int(sys.argv[1])), f"\0{sys.argv[2]}"
    _load()
    gc.collect()
    gc.freeze()  # no process looks through all that is loaded, and so copies it
    start_quickly()
    ((job, *arguments), folder, environment, passed), received = forking.serve(listener)
    wanted = [0, 1, 2, *passed]
    above = 1 + max(*wanted, *received)
    for number, descriptor in enumerate(received):
        os.dup2(descriptor, above + number)
    for number, target in enumerate(wanted):
        os.dup2(above + number, target)
    os.closerange(above, above + len(wanted))
    for descriptor in {*received} - {*wanted}:
        os.close(descriptor)
    encoding = "utf-8" if environment.get("PYTHONUTF8") == "1" else None
    sys.stdin = open(0, encoding=encoding, closefd=False)
    sys.stdout = open(1, "w", encoding=encoding, closefd=False)
    sys.stderr = open(2, "w", encoding=encoding, errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    try:
        globals()[job](*arguments)
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        _end(end.code or 0)
    _end(0)


def _end(status):
    """Ends as an interpreter does, but without taking apart all that is loaded, which takes a third of a second."""
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError):
        sys.exit(status)  # the interpreter says what is wrong
    os._exit(status)


def _be_module(module, arguments, path):
    """A process as `start_interpreter` makes it."""
    sys.argv, sys.path[:] = ["-c", *arguments], path
    import_module(module).main()


class Command(Process):
    """A `noughts` command in such a process, with what tests use of `subprocess.Popen`; its streams are text.

    program: instead of the command, the Path of a script, or the text of one. stdin, stdout, stderr: a descriptor of
    the caller's, or a pipe.
    """

    def __init__(self, *args, program=None, stdin=None, stdout=None, stderr=None, cwd=None, **variables):
        self.args = args
        environment = {**os.environ, **variables}
        streams = [stdin, stdout, stderr]
        super().__init__(("_run", program, args), streams, cwd or os.getcwd(), environment, encoding="utf-8")

    def communicate(self, typed="", timeout=None):
        """What it still said on standard output and error, when it has ended."""
        if self.stdin is not None and not self.stdin.closed:
            with suppress(BrokenPipeError):
                self.stdin.write(typed)
            with suppress(BrokenPipeError):
                self.stdin.close()
        readers = [_Reader(stream) for stream in (self.stdout, self.stderr)]
        self.wait(timeout)  # if it is still there then, nobody waits for the readers
        return tuple(reader.result() for reader in readers)


if not QUICK:

    class Command(subprocess.Popen):
        def __init__(self, *args, program=None, stdin=None, stdout=None, stderr=None, cwd=None, **variables):
            streams = [subprocess.PIPE if given is None else given for given in (stdin, stdout, stderr)]
            what = (
                ["-P", "-m", "noughts.cli"]
                if program is None
                else [program]
                if isinstance(program, Path)
                else ["-c", program]
            )
            command, environment = [sys.executable, *what, *args], {**os.environ, **variables}
            super().__init__(command, -1, None, *streams, cwd=cwd, env=environment, text=True)


def run(*args, typed="", timeout=120, **more):
    """As `subprocess.run` of a command, with its output."""
    command = Command(*args, **more)
    try:
        out, err = command.communicate(typed, timeout)
    except BaseException:
        command.kill()
        raise
    return subprocess.CompletedProcess(args, command.returncode, out, err)


def run_code(code, *args, **more):
    """The same of a program that is given as text; what it loads may be loaded already."""
    return run(*args, program=code, **more)


def run_script(path, *args, **more):
    """The same of a program in a file."""
    return run(*map(str, args), program=Path(path), **more)


class _Reader(threading.Thread):
    """Reads a stream to its end."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.said = stream, ""
        self.start()

    def run(self):
        if self.stream is not None and not self.stream.closed:
            with self.stream:
                self.said = self.stream.read()

    def result(self):
        self.join()
        return self.said


def _run(program, args):
    """In the new process: be the command, or the program."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if isinstance(program, Path):
        sys.argv = [str(program), *args]
        sys.path.insert(0, str(program.parent))
        runpy.run_path(str(program), run_name="__main__")
        sys.exit()
    if program is not None:
        sys.argv = ["-c", *args]
        sys.path.insert(0, "")
        sys.modules["__main__"] = module = ModuleType("__main__")
        exec(program, vars(module))
        sys.exit()
    from noughts.cli import main

    sys.argv = ["noughts", *args]
    sys.exit(main())


if __name__ == "__main__":
    _be_server()
