"""Sends an answer nested so deep that reading it might crash."""

# verdict: forbidden: channel

import os
import struct


class Bot:
    def move(self, board, old_move, flag):
        body = b"[" * 60000
        os.write(3, struct.pack(">I", len(body)) + body)
        return board.find_valid_move_cells(old_move)[0]
