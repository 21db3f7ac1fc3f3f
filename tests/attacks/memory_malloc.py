"""Takes memory past Python."""

# verdict: memory|crash|time

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None)
        libc.malloc.restype = ctypes.c_void_p
        for _ in range(10000):
            block = libc.malloc(1 << 24)
            if not block:
                raise MemoryError
            ctypes.memset(block, 1, 1 << 24)
