"""Asks whether a thread of another process exists, by waiting for a lock that it is said to hold."""

# verdict: plays

import ctypes
import errno
import os

from noughts.sandbox._syscalls import NUMBERS

FUTEX_LOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_LOCK_PI2 = 6, 8, 13
FUTEX_WAIT = 0
FUTEX_PRIVATE = 128
NOBODY = 2**22 - 1


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        for thread in (os.getppid(), 1, NOBODY):
            for operation in (FUTEX_LOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_LOCK_PI2):
                for scope in (0, FUTEX_PRIVATE):
                    owner = ctypes.c_uint32(thread)
                    assert libc.syscall(NUMBERS["futex"], ctypes.byref(owner), operation | scope, 0, 0, 0, 0) == -1
                    assert ctypes.get_errno() == errno.ENOSYS
        shared = ctypes.c_uint32(0)
        assert libc.syscall(NUMBERS["futex"], ctypes.byref(shared), FUTEX_WAIT, 1, 0, 0, 0) == -1
        assert ctypes.get_errno() == errno.ENOSYS, "a lock that other processes could have too"
        return board.find_valid_move_cells(old_move)[0]
