"""Prints by every road there is, and a lot."""

import contextlib
import io
import os
import sys


class Bot:
    def move(self, board, old_move, flag):
        sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)
        sys.stdout.buffer.write("über\n".encode())
        sys.stderr.buffer.write(b"\xff\n")
        sys.__stdout__.write("to the first\n")
        sys.__stderr__.write("x" * 200_000)
        print("y" * 200_000, file=sys.stderr, flush=True)
        with contextlib.redirect_stdout(io.TextIOWrapper(sys.stdout.buffer, "utf-8", write_through=True)):
            print("wrapped")
        for descriptor in (1, 2):
            for _ in range(4):
                os.write(descriptor, b"z" * 65536)
        print("still here", sys.stdout.encoding, sys.stdout.isatty())
        return board.find_valid_move_cells(old_move)[0]
