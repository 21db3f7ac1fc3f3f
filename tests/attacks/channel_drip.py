"""Announces an answer, and sends it byte by byte without end."""

# verdict: time|forbidden

import os
import time


class Bot:
    def move(self, board, old_move, flag):
        os.write(3, b"\0\0\xff\0")
        while True:
            os.write(3, b" ")
            time.sleep(0.001)
