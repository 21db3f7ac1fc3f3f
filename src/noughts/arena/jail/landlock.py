"""Landlock: the kernel's own promise that this process opens no path, no port, and signals nobody outside.

A second wall behind the system call filter, for kernels that have it (Linux 5.13 and later).
"""

from __future__ import annotations

import ctypes
import os
import struct

from noughts.arena.jail import kernel

# The same numbers on every machine.
_CREATE_RULESET = 444
_RESTRICT_SELF = 446
_ASK_VERSION = 1

# How many kinds of access to files each version knows; each is one bit, and we refuse all of them.
_FILE_ACCESS_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
_LATEST_FILE_ACCESS_BITS = 16
_TCP_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3


def forbid_everything() -> int:
    """Set up an empty list of what is allowed. The version of Landlock that holds, 0 if this kernel has none."""
    try:
        version = kernel.call(_CREATE_RULESET, 0, 0, _ASK_VERSION)
    except OSError:
        return 0
    files = (1 << _FILE_ACCESS_BITS.get(version, _LATEST_FILE_ACCESS_BITS)) - 1
    words = [files]
    if version >= 4:
        words.append(_TCP_BIND_AND_CONNECT)
    if version >= 6:
        words.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    handled = struct.pack(f"={len(words)}Q", *words)
    ruleset = kernel.call(_CREATE_RULESET, ctypes.create_string_buffer(handled, len(handled)), len(handled), 0)
    try:
        kernel.call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version
