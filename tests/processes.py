"""Processes that begin with noughts loaded: forked from one that has it, and not from the one that runs the tests.

A new interpreter takes about a second of a core to load what most tests need, and the tests start more than a hundred.
What is said of such a process holds for a new one: it has pipes, a terminal, signals and a folder of its own. What the
loading itself does is tested with new interpreters (test_first_use.py, test_package.py, test_wheel.py), and so is the
way in which processes of ours are started (test_interpreter.py).

    a process -> server    by a connection of its own: a job, with standard input, output and error of the new process
    server -> a process    the number of the new process; when it has ended, its exit status
"""

from __future__ import annotations

import atexit
import os
import pickle
import runpy
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import ModuleType

import noughts.workers
from noughts.interpreter import FOLDER, clean_environment, module_path, start_interpreter

LOADED = (
    *("noughts.cli", "noughts.commands.play", "noughts.commands.tournament", "noughts.matches.pool"),
    *("noughts.bots.folder", "noughts.tournaments.reviews", "noughts.search", "noughts.solving", "noughts.players"),
    *("noughts.search.kernels.alphabeta", "noughts.solving.kernels.graph", "noughts.web._app", "uvicorn"),
)
"""What is not installed is passed over."""

# ruff: noqa: SIM115 - the ends of pipes live as long as a process

QUICK = sys.platform == "linux"
"""Elsewhere new interpreters are started."""

LARGEST_JOB = 1 << 17

_address = ""
"""Of the server, which listens on an abstract socket; in all that it forks, too."""


def start_quickly():
    """Let the workers of this process be such processes."""
    if QUICK:
        noughts.workers.start_interpreter = _start_worker


def start_slowly(monkeypatch):
    """For one test, new interpreters all the same."""
    monkeypatch.setattr("noughts.workers.start_interpreter", start_interpreter)


class Forked:
    """A process that the server forks, with what `subprocess.Popen` has.

    job: the name of a function of this module, and its arguments. streams: descriptors, or None for a pipe.
    """

    def __init__(self, job, streams, folder, environment, **text):
        ours, theirs, ends = [], [], []
        for number, given in enumerate(streams):
            reading, writing = os.pipe() if given is None else (given, given)
            mine, other = (writing, reading) if number == 0 else (reading, writing)
            binary = "" if text else "b"
            ours.append(open(mine, ("w" if number == 0 else "r") + binary, **text) if given is None else None)
            theirs.append(other)
            ends += [other] if given is None else []
        self.stdin, self.stdout, self.stderr = ours
        self.returncode = None
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.connect(_server())
            socket.send_fds(server, [pickle.dumps((job, os.fspath(folder), environment))], theirs)
            self.pid = int(server.recv(32))
            self._status = server.detach()
        for end in ends:
            os.close(end)

    def poll(self):
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout=None):
        if self.returncode is None:
            waiting = select.poll()
            waiting.register(self._status, select.POLLIN)
            if not waiting.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            self.returncode = int(os.read(self._status, 32) or -signal.SIGKILL)
            os.close(self._status)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


def _start_worker(module, *arguments, stdin, stdout):
    """As `start_interpreter`, for what `noughts.workers` asks of it."""
    job = "_be_module", module, arguments, module_path()
    return Forked(job, [None, None, 2], FOLDER, clean_environment())


def _server():
    """The address of the server, which is started when it is first needed, and ends with the process that did."""
    global _address
    if not _address:
        _address = f"\0noughts-tests-{os.getpid()}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(_address)
            listener.listen(100)
            command = [sys.executable, __file__, str(listener.fileno()), _address[1:]]
            server = subprocess.Popen(
                command, stdin=subprocess.PIPE, pass_fds=[listener.fileno()], stdout=subprocess.DEVNULL
            )
            atexit.register(server.communicate)  # closes its standard input
    return _address


def _serve(listener):
    """Fork a process for each connection. In such a process: returns its job, folder, variables and streams."""
    running = {}
    waiting = select.poll()
    for descriptor in (0, listener.fileno()):
        waiting.register(descriptor, select.POLLIN)
    while True:
        for descriptor, _ in waiting.poll():
            if descriptor == 0:  # nobody writes to it: whoever started this process has ended
                os._exit(0)
            if descriptor != listener.fileno():
                pid, connection = running.pop(descriptor)
                waiting.unregister(descriptor)
                os.close(descriptor)
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with suppress(OSError), connection:
                    connection.send(str(status).encode())
                continue
            connection = listener.accept()[0]
            request, streams, _, _ = socket.recv_fds(connection, LARGEST_JOB, 3)
            pid = os.fork()
            if pid == 0:
                listener.close()
                connection.close()
                for process, (_, other) in running.items():
                    os.close(process)
                    other.close()
                return (*pickle.loads(request), streams)
            connection.send(str(pid).encode())
            for stream in streams:
                os.close(stream)
            process = os.pidfd_open(pid)
            running[process] = pid, connection
            waiting.register(process, select.POLLIN)


def _load():
    for name in LOADED:
        with suppress(ImportError):
            import_module(name)


def _be_server():
    global _address
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.modules["processes"] = sys.modules["__main__"]
    listener, _address = socket.socket(fileno=int(sys.argv[1])), f"\0{sys.argv[2]}"
    _load()
    start_quickly()
    (job, *arguments), folder, environment, streams = _serve(listener)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    encoding = "utf-8" if environment.get("PYTHONUTF8") == "1" else None
    sys.stdin = open(0, encoding=encoding, closefd=False)
    sys.stdout = open(1, "w", encoding=encoding, closefd=False)
    sys.stderr = open(2, "w", encoding=encoding, errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    globals()[job](*arguments)


def _be_module(module, arguments, path):
    """A process as `start_interpreter` makes it."""
    sys.argv, sys.path[:] = ["-c", *arguments], path
    import_module(module).main()


class Command(Forked):
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


class _Reader(Thread):
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
