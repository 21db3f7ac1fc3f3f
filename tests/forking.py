"""Processes that one process forks for others, with whatever it has loaded. Needs nothing but the standard library.

    a process -> server    by a connection of its own: a pickled request, with descriptors for the new process
    server -> a process    the number of the new process; when it has ended, its exit status

The server ends with its standard input.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import subprocess
from contextlib import suppress

LARGEST_REQUEST = 1 << 17
MOST_DESCRIPTORS = 4


def listen(address):
    """A socket for `serve`, at an abstract address."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(address)
    listener.listen(100)
    return listener


def serve(listener):
    """Fork a process for each connection. Returns only in such a process: the request, and its descriptors."""
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
            request, descriptors, _, _ = socket.recv_fds(connection, LARGEST_REQUEST, MOST_DESCRIPTORS)
            pid = os.fork()
            if pid == 0:
                listener.close()
                connection.close()
                for process, (_, other) in running.items():
                    os.close(process)
                    other.close()
                return pickle.loads(request), descriptors
            connection.send(str(pid).encode())
            for each in descriptors:
                os.close(each)
            process = os.pidfd_open(pid)
            running[process] = pid, connection
            waiting.register(process, select.POLLIN)


class Forked:
    """A process that the server at an address forks, with what `subprocess.Popen` has of waiting and signals."""

    def __init__(self, address, request, descriptors):
        self.returncode = None
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.connect(address)
            socket.send_fds(server, [pickle.dumps(request)], descriptors)
            self.pid = int(server.recv(32))
            self._status = server.detach()

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
