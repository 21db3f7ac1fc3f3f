"""A bot's process without a sandbox: it talks to the referee over standard input and output."""

from __future__ import annotations

import faulthandler
import os

from noughts.sandbox._wire import Message, pack
from noughts.sandbox.worker import imports
from noughts.sandbox.worker import main as worker

ERRORS = 2
"""Descriptor for the interpreter's last words: a file of the referee's."""


def main() -> None:
    """Serves the referee until it is gone."""
    incoming, outgoing, null = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):  # what a bot reads or prints by descriptor is not a message
        os.dup2(null, descriptor)
    imports.preload()
    imports.seal()  # a bot finds the same modules as in the sandbox
    faulthandler.enable(file=ERRORS, all_threads=False)

    def receive() -> Message:
        question = worker.receive(incoming)
        # Available on every system; the sandbox uses a signal.
        faulthandler.dump_traceback_later(question["limit"], file=ERRORS)
        return question

    def send(message: bytes) -> None:
        faulthandler.cancel_dump_traceback_later()
        worker.send(outgoing, message)

    send(pack({"id": 0}))
    worker.serve(receive, send)
