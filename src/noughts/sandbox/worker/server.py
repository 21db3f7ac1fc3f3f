"""The fork server: a process with everything loaded that forks one worker for each bot.

A fork takes milliseconds, a fresh interpreter a hundred. The server has one thread, so that forking is safe, and talks
to the referee over a socket that preserves message boundaries:

    referee -> server   a job in JSON, with four descriptors: control, handover, errors, status
    server -> referee   {"pid": n, "cgroup": whether} with a descriptor of the process, or {"error": text}
    referee -> server   {"twin": true} with a socket, which a server that is forked from this one then serves

When a worker ends, its exit status, its use of memory and whether its control group was full go to its `status` pipe.
When the socket closes, the server ends, and its workers with it.
"""

from __future__ import annotations

import errno
import faulthandler
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from functools import partial
from typing import NoReturn

from noughts.sandbox import _policy as policy
from noughts.sandbox import _wire as wire
from noughts.sandbox._cgroup import Group, Groups
from noughts.sandbox._confine import confine, landlock
from noughts.sandbox._syscalls import PR_SET_PDEATHSIG, prctl
from noughts.sandbox._wire import Message, pack
from noughts.sandbox.worker import host, imports
from noughts.sandbox.worker import main as worker

MAX_JOB = 65536
DESCRIPTORS_OF_A_JOB = 4
MOST_DESCRIPTORS = 65536


def main() -> None:
    """Serves the socket whose descriptor is the first argument."""
    referee = socket.socket(fileno=int(sys.argv[1]))
    imports.preload()
    host.hide()
    host.hide_folders()
    imports.seal()
    policy.for_all(True)
    landlock()
    worker.prepare_games()
    gc.collect()
    gc.freeze()  # the workers' garbage collector never touches, and so never copies, shared pages
    with suppress(BrokenPipeError, ConnectionResetError):  # a referee that was killed neither sends nor receives
        Server(referee).serve()


class Server:
    def __init__(self, referee: socket.socket) -> None:
        self._referee = referee
        self._workers: dict[int, tuple[int, int, Group | None]] = {}  # process descriptor: (pid, status pipe, group)
        self._twins: list[int] = []
        self._groups = Groups()
        self._poll = select.poll()
        self._poll.register(referee, select.POLLIN)
        self._pid = os.getpid()

    def serve(self) -> None:
        self._referee.send(json.dumps({"pid": self._pid}).encode())
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._referee.fileno():
                    self._start()
                else:
                    self._reap(descriptor)

    def _start(self) -> None:
        text, descriptors, _, _ = socket.recv_fds(self._referee, MAX_JOB, DESCRIPTORS_OF_A_JOB)
        if not text:
            os._exit(0)
        job, pid = json.loads(text), 0
        if "twin" in job:
            self._fork_twin(descriptors)
            return
        if len(descriptors) < DESCRIPTORS_OF_A_JOB:  # there was no room for the missing ones
            self._refuse(os.strerror(errno.EMFILE), descriptors)
            return
        control, handover, errors, status = descriptors
        try:
            pid = os.fork()
            if pid == 0:
                self._become_worker(job, control, handover, errors)
            process = os.pidfd_open(pid)
        except OSError as error:
            if pid:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            self._refuse(error.strerror or str(error), descriptors)
            return
        group = self._groups.make(job["memory"], pid)
        reply = {"pid": pid, "cgroup": group is not None}
        socket.send_fds(self._referee, [json.dumps(reply).encode()], [process])
        for descriptor in (control, handover, errors):
            os.close(descriptor)
        self._workers[process] = (pid, status, group)
        self._poll.register(process, select.POLLIN)

    def _fork_twin(self, descriptors: list[int]) -> None:
        """Forks a server for the socket. If that fails, the socket closes, so its referee finds that there is none."""
        self._twins = [pid for pid in self._twins if os.waitpid(pid, os.WNOHANG) == (0, 0)]  # the others have ended
        for descriptor in descriptors:
            with suppress(OSError):
                pid = os.fork()
                if pid == 0:
                    self._become_twin(descriptor)
                self._twins.append(pid)
            os.close(descriptor)

    def _become_twin(self, descriptor: int) -> NoReturn:
        try:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == self._pid:
                os.dup2(descriptor, self._referee.fileno())
                for each in (descriptor, *self._workers, *(status for _, status, _ in self._workers.values())):
                    os.close(each)
                type(self)(self._referee).serve()
        finally:
            os._exit(1)

    def _refuse(self, why: str, descriptors: list[int]) -> None:
        self._referee.send(json.dumps({"error": f"cannot start a process: {why}"}).encode())
        for descriptor in descriptors:
            os.close(descriptor)

    def _become_worker(self, job: Message, control: int, handover: int, errors: int) -> None:
        try:
            _place(control, handover, errors)
            errors = wire.ERRORS
            _enter(job, self._pid)
        except BaseException:
            os.write(errors, traceback.format_exc().encode())
        finally:
            os._exit(70)

    def _reap(self, process: int) -> None:
        pid, status, group = self._workers.pop(process)
        self._poll.unregister(process)
        _, code, usage = os.wait4(pid, 0)
        ending = {"code": code, "kilobytes": usage.ru_maxrss, "full": group is not None and group.killed_for_memory()}
        if group is not None:
            group.remove()
        with suppress(OSError):  # the referee may be gone
            os.write(status, json.dumps(ending).encode())
        os.close(status)
        os.close(process)


def _enter(job: Message, parent: int) -> None:
    """Confines this freshly forked process, whose descriptors are in place, and serves. Does not return."""
    faulthandler.enable(file=wire.ERRORS, all_threads=False)
    faulthandler.register(policy.WHERE_ARE_YOU, file=wire.ERRORS, all_threads=False)
    layers = confine(job["memory"], job["cpu_seconds"], parent)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    send = partial(worker.send, wire.CONTROL)
    send(pack({"id": 0, "layers": vars(layers), "kilobytes": used}))
    worker.serve(partial(worker.receive, wire.CONTROL), send)


def _own_schedule() -> int:
    """Opens the kernel's count of this process's waiting; returns 0 where it does not count."""
    try:
        return os.open("/proc/self/schedstat", os.O_RDONLY)
    except OSError:
        return 0


def _place(control: int, handover: int, errors: int) -> None:
    """Moves the descriptors to the numbers that the policy expects, and closes all others.

    control: the socket to the referee. handover: the socket for the listener of the filter. errors: a file.
    """
    null = os.open("/dev/null", os.O_RDWR)
    wanted = {
        wire.STDIN: null,
        wire.STDOUT: null,
        wire.STDERR: null,
        wire.CONTROL: control,
        wire.HANDOVER: handover,
        wire.ERRORS: errors,
        wire.SCHEDULE: _own_schedule() or null,
    }
    above = 32
    for target, descriptor in wanted.items():
        os.dup2(descriptor, above + target)
    for target in wanted:
        os.dup2(above + target, target, inheritable=False)
    os.closerange(len(wanted), MOST_DESCRIPTORS)
