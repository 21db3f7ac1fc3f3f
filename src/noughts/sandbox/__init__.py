"""The sandbox: bot files by people we do not know run in processes that can compute, and nothing else.

    process.py      one sandboxed process as the referee sees it: questions, deadlines, replies or faults
    child.py        the process itself: its channel, its signals, its end
    forkserver.py   the process that forks them; worker/ is what runs in it and in them
    wire.py         the wire protocol between the two sides
    confine.py      what the kernel is told: limits, Landlock ruleset, seccomp filter
    policy.py       which system calls a bot may make; seccomp.py makes a filter of it, by the numbers of syscalls.py
    cgroup.py       a control group for each bot, where there can be one
    meter.py        what an answer is charged
    notices.py      what a bot tried to do, from the system call that the filter stopped
    faults.py       why a bot forfeits, in words
    layers.py       which of all this holds on this system

Standard library only. Bot source is never compiled or imported outside the sandbox. All names here are loaded at
their first use: a built-in player's game needs none of it, and most of it is of Linux alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noughts.sandbox.faults import KINDS, BotFault, Fault
    from noughts.sandbox.forkserver import ForkServer, SandboxError
    from noughts.sandbox.layers import Layers, layers_in_words
    from noughts.sandbox.limits import BotLimits, default_memory
    from noughts.sandbox.process import SandboxedProcess, probe
    from noughts.sandbox.source import BotSource, is_bot_file, read_bot

_HOME = {
    "KINDS": "faults",
    "BotFault": "faults",
    "Fault": "faults",
    "ForkServer": "forkserver",
    "SandboxError": "forkserver",
    "Layers": "layers",
    "layers_in_words": "layers",
    "BotLimits": "limits",
    "default_memory": "limits",
    "SandboxedProcess": "process",
    "probe": "process",
    "BotSource": "source",
    "is_bot_file": "source",
    "read_bot": "source",
}

__all__ = [
    "KINDS",
    "BotFault",
    "BotLimits",
    "BotSource",
    "Fault",
    "ForkServer",
    "Layers",
    "SandboxError",
    "SandboxedProcess",
    "default_memory",
    "is_bot_file",
    "layers_in_words",
    "probe",
    "read_bot",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value
