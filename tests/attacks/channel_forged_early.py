"""Answers questions that were not asked yet."""

# verdict: forbidden: channel

import json
import os
import struct


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


class Bot:
    def move(self, board, old_move, flag):
        for number in range(1, 50):
            os.write(3, frame({"id": number, "answer": [0, 0]}))
        return board.find_valid_move_cells(old_move)[0]
