"""Calls to the kernel that the standard library has no function for."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38


def call(number: int, *arguments: int | ctypes.Array[ctypes.c_char]) -> int:
    """A system call by its number; OSError if it fails. Buffers are passed by address."""
    words = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_void_p(ctypes.addressof(a)) for a in arguments]
    result: int = _libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def prctl(option: int, value: int) -> None:
    """Change a property of this process; OSError if it fails."""
    zero = ctypes.c_ulong(0)
    if _libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
