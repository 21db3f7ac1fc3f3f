"""Fork servers of the sandbox, forked from one that is loaded, hidden and sealed as they all are, and has no bot.

A new one takes a third of a second of a core, and most of the tests that play a bot start one or two.
"""

import os
import socket

import forking

from noughts.sandbox.worker import server

Server = server.Server


class ForkServers:
    """Stands where the server stands: forks one for each connection to the socket that it is given."""

    def __init__(self, listener):
        self._listener = listener

    def serve(self):
        _, (referee,) = forking.serve(self._listener)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.setsid()
        Server(socket.socket(fileno=referee)).serve()


def main():
    server.Server = ForkServers
    server.main()
