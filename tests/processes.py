"""Processes that begin with noughts loaded: forked from one that has it, and not from the one that runs the tests.

A new interpreter takes about a second of a core to load what most tests need, and the tests start more than a hundred.
What is said of such a process holds for a new one: it has pipes, a terminal, signals and a folder of its own. What the
loading itself does is tested with new interpreters (test_first_use.py, test_package.py, test_wheel.py).
"""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing import context, forkserver, reduction
from pathlib import Path
from threading import Thread
from types import ModuleType

LOADED = (
    *("noughts.cli", "noughts.commands.play", "noughts.commands.tournament", "noughts.matches.pool"),
    *("noughts.bots.folder", "noughts.tournaments.reviews", "noughts.search", "noughts.solving", "noughts.players"),
    *("noughts.search.kernels.alphabeta", "noughts.solving.kernels.graph", "noughts.web._app", "uvicorn"),
)
"""What is not installed is passed over."""

# ruff: noqa: SIM115 - the ends of pipes live as long as a process

QUICK = sys.platform == "linux"
"""Elsewhere new interpreters are started."""


WHERE_IT_IS = ("_forkserver_address", "_forkserver_authkey")
"""Of the server of such processes; the second since Python 3.14."""


class _Process(context.ForkServerProcess if QUICK else context.SpawnProcess):
    """As of the method "spawn": it has the environment of its parent, not the one that the server began with."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        forkserver._forkserver.ensure_running()
        server = {name: value for name, value in vars(forkserver._forkserver).items() if name in WHERE_IT_IS}
        self._begun_with = dict(os.environ), server

    def run(self):
        environment, server = self._begun_with
        os.environ.clear()
        os.environ.update(environment)
        # What it starts comes from the same server.
        vars(forkserver._forkserver).update(server, ensure_running=lambda: None)
        start_quickly()
        super().run()


class _Context(context.ForkServerContext if QUICK else context.SpawnContext):
    Process = _Process


def start_quickly():
    """Let the pools of this process, which ask for new interpreters, have such processes."""
    if QUICK:
        context._concrete_contexts["spawn"] = _Context()
        forkserver.set_forkserver_preload([*LOADED])


def start_slowly(monkeypatch):
    """For one test, new interpreters all the same."""
    monkeypatch.setitem(context._concrete_contexts, "spawn", context.SpawnContext())


class Command:
    """A `noughts` command in such a process, with what tests use of `subprocess.Popen`; its streams are text.

    program: instead of the command, the Path of a script, or the text of one. stdin, stdout, stderr: a descriptor of
    the caller's, or a pipe.
    """

    def __init__(self, *args, program=None, stdin=None, stdout=None, stderr=None, cwd=None, **variables):
        ours, theirs = [], []
        for number, given in enumerate((stdin, stdout, stderr)):
            if given is None:
                reading, writing = os.pipe()
                mine, other = (writing, reading) if number == 0 else (reading, writing)
                ours.append(open(mine, "w" if number == 0 else "r", encoding="utf-8"))
                theirs.append(other)
            else:
                ours.append(None)
                theirs.append(given)
        self.stdin, self.stdout, self.stderr = ours
        self.args = args
        folder, environment = os.fspath(cwd or os.getcwd()), {**os.environ, **variables}
        streams = [*map(_Sent, theirs)]
        self._process = _Context().Process(target=_run, args=(program, args, streams, folder, environment))
        self._process.start()
        self.pid = self._process.pid
        for end, descriptor in zip(ours, theirs, strict=True):
            if end is not None:
                os.close(descriptor)

    @property
    def returncode(self):
        return self._process.exitcode

    def poll(self):
        return self._process.exitcode

    def wait(self, timeout=None):
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self._process.exitcode

    def send_signal(self, number):
        if self._process.exitcode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)

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
                ["-m", "noughts.cli"]
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


class _Sent:
    """A descriptor on its way to a process that starts."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def __reduce__(self):
        return _received, (reduction.DupFd(self.descriptor),)


def _received(sent):
    return sent.detach()


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


def _run(program, args, streams, folder, environment):
    """In the new process: be the command, or the program."""
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
