"""Files that are never half-written, and what the machine has."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, *parts: bytes | memoryview) -> None:
    """Write a file so that it is either the old or the new one, whatever happens meanwhile."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(draft, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def usable_cores() -> int:
    """How many processor cores this process may use: those of its affinity, and no more than its container is given."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, int(min(cores, _processor_quota())))


def _processor_quota() -> float:
    """Processor seconds a second that the control groups of this process allow (version 2); infinite without limits."""
    quota = float("inf")
    try:
        group = Path("/sys/fs/cgroup", Path("/proc/self/cgroup").read_text().rpartition("::")[2].strip().lstrip("/"))
        for folder in (group, *group.parents):
            limit = folder / "cpu.max"
            if limit.is_file():
                most, period = limit.read_text().split()
                if most != "max":
                    quota = min(quota, int(most) / int(period))
    except (OSError, ValueError):
        pass
    return quota


def machine_megabytes() -> int:
    """The memory of the machine; where it cannot be asked for, more than any has."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") >> 20
    except (AttributeError, ValueError, OSError):
        return 1 << 30
