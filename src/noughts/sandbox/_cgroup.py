"""A control group for each bot, where cgroup v2 is writable: the kernel's own count of all memory that it uses.

The limit of a process counts its address space. It is exact for what a bot allocates, but does not see what the kernel
keeps on its behalf, or pages of the fork server that it copies by writing to them. The group counts those too, and
prevents swapping. It backs up the first limit: a bot reaches it only by getting around that.

A folder under /sys/fs/cgroup is a group; making and removing the folder makes and removes it. It has `memory.max` if
the folder above delegates the memory controller. The search for such a place goes from our own group upwards: systemd
gives one to every user, and containers that own their tree have one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
NAME = "noughts-"
COPIED = 128 << 20
"""Extra bytes for copied pages of the fork server, and for the kernel's own pages."""


class Group:
    """The group of a process, created by `Groups`. Remove it when the process has ended."""

    def __init__(self, folder: Path, memory: int, pid: int) -> None:
        self._folder = folder
        folder.mkdir()
        try:
            _write(folder / "memory.max", memory + COPIED)
            for name in ("memory.swap.max", "pids.max"):
                with suppress(FileNotFoundError):
                    _write(folder / name, 1 if name == "pids.max" else 0)
            _write(folder / "cgroup.procs", pid)
        except OSError:
            self.remove()
            raise

    def killed_for_memory(self) -> bool:
        """Returns whether the kernel ended the process because the group was full."""
        try:
            events = dict(line.split() for line in (self._folder / "memory.events").read_text().splitlines())
        except (OSError, ValueError):
            return False
        return int(events.get("oom_kill", 0)) > 0

    def remove(self) -> None:
        with suppress(OSError):
            self._folder.rmdir()


class Groups:
    """Creates groups, if the system has a place for them. The place is searched once."""

    def __init__(self) -> None:
        self._numbers = count()
        self._parent = next((folder for folder in _candidates() if self._works(folder)), None)

    def make(self, memory: int, pid: int) -> Group | None:
        """Returns a group with this process in it; None where there are none."""
        if self._parent is None:
            return None
        try:
            return Group(self._parent / self._name(), memory, pid)
        except OSError:
            return None

    def _works(self, parent: Path) -> bool:
        _sweep(parent)
        folder = parent / self._name()
        try:
            folder.mkdir()
        except OSError:
            return False
        try:
            return os.access(folder / "memory.max", os.W_OK) and os.access(parent / "cgroup.procs", os.W_OK)
        finally:
            folder.rmdir()

    def _name(self) -> str:
        return f"{NAME}{os.getpid()}-{next(self._numbers)}"


def _candidates() -> list[Path]:
    """Returns the folders in which a group can be made: our own group's, and those above it."""
    try:
        lines = OWN.read_text().splitlines()
    except OSError:
        return []
    paths = [line.removeprefix("0::/") for line in lines if line.startswith("0::/") and ".." not in line]
    if not paths or not (ROOT / "cgroup.controllers").is_file():
        return []
    own = ROOT / paths[0]
    return [folder for folder in (own, *own.parents) if folder.is_relative_to(ROOT)]


def _sweep(parent: Path) -> None:
    """Removes groups of fork servers that were killed. A group with a process in it cannot be removed."""
    for folder in parent.glob(f"{NAME}*-*"):
        server = folder.name.removeprefix(NAME).partition("-")[0]
        if server.isdecimal() and not Path(f"/proc/{server}").exists():
            with suppress(OSError):
                folder.rmdir()


def _write(path: Path, value: int) -> None:
    with open(path, "r+") as file:
        file.write(str(value))
