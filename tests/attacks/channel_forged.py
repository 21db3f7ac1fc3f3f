"""Writes an answer of its own, and then answers."""

# verdict: forbidden: channel

import json
import os
import struct
import time


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


class Bot:
    def move(self, board, old_move, flag):
        os.write(3, frame({"id": 2, "answer": [0, 0]}))
        time.sleep(0.05)
        return board.find_valid_move_cells(old_move)[0]
