"""What a jailed process may use up: memory, processor time, descriptors, files, processes."""

from __future__ import annotations

import os
import resource

STACK_BYTES = 8 << 20
STDERR_BYTES = 64 << 10
"""What a bot can write to its real standard error, a file in memory; Python's prints go elsewhere, and are capped."""
CPU_SECONDS = 3600
"""Far more than a game takes: it only ends what a lost referee left behind."""
DESCRIPTORS = 8
NICENESS = 5
"""Bots give way to the referee, so that its clock is right on a full machine."""


def set_limits(memory: int) -> None:
    """Set the limits of this process for good; `memory` is in bytes, on top of what is in use now."""
    os.nice(NICENESS)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, STDERR_BYTES)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _limit(resource.RLIMIT_CPU, CPU_SECONDS)
    _limit(resource.RLIMIT_STACK, STACK_BYTES)
    _limit(resource.RLIMIT_AS, _address_space() + memory)
    _limit(resource.RLIMIT_NOFILE, DESCRIPTORS)


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(what, (most, most))


def _address_space() -> int:
    """Bytes of address space in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
