"""Answers in our name, and undoes the referee's stop so that it can go on thinking."""

# verdict: forbidden: SIGCONT

import json
import os
import signal
import struct


class Bot:
    def move(self, board, old_move, flag):
        body = json.dumps({"id": 2, "answer": [0, 0], "changed": None}).encode()
        os.write(3, struct.pack(">I", len(body)) + body)
        while True:
            signal.raise_signal(signal.SIGCONT)
