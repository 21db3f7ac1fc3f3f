"""Says in our name that all is well."""

# verdict: forbidden: channel

import json
import os
import struct


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


class Bot:
    def move(self, board, old_move, flag):
        os.write(3, frame({"id": 0, "layers": {}}))
        return board.find_valid_move_cells(old_move)[0]
