"""The sandbox: runs untrusted bot files in processes that can compute and nothing else.

    processes.py    starts a bot's process: in the sandbox, or a plain one with --unsafe
    _process.py     one sandboxed process as the referee sees it: questions, deadlines, replies or faults
    _child.py       the process itself: its channel, its signals, its end
    forkserver.py   the process that forks them; worker/ is what runs in it and in them
    _wire.py        the wire protocol between the two sides
    _confine.py     confines a process: limits, Landlock ruleset, seccomp filter
    _policy.py      the allowed system calls; _seccomp.py builds the filter, with the numbers of _syscalls.py
    _cgroup.py      a control group for each bot, where the system allows it
    _meter.py       the time charged for an answer
    _notices.py     describes what a bot tried to do, from the system call that the filter stopped
    faults.py       describes why a bot forfeits
    layers.py       which of these layers hold on this system

Standard library only. Bot source is never compiled or imported outside the sandbox. All names are loaded at their first
use: games of built-in players need none of them, and most are for Linux only.
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.sandbox._confine import confine_filter as confine_filter
    from noughts.sandbox._limits import LOAD_SECONDS as LOAD_SECONDS
    from noughts.sandbox._limits import MEMORY as MEMORY
    from noughts.sandbox._limits import BotLimits as BotLimits
    from noughts.sandbox._process import SandboxedProcess as SandboxedProcess
    from noughts.sandbox.faults import KINDS as KINDS
    from noughts.sandbox.faults import BotFault as BotFault
    from noughts.sandbox.faults import Fault as Fault
    from noughts.sandbox.forkserver import ForkServer as ForkServer
    from noughts.sandbox.forkserver import SandboxError as SandboxError
    from noughts.sandbox.layers import Layers as Layers
    from noughts.sandbox.layers import layers_in_words as layers_in_words
    from noughts.sandbox.processes import probe as probe
    from noughts.sandbox.processes import start_process as start_process
    from noughts.sandbox.source import BotSource as BotSource
    from noughts.sandbox.source import is_bot_file as is_bot_file
    from noughts.sandbox.source import read_bot as read_bot

lazy_names(
    __name__,
    {
        "faults": "KINDS BotFault Fault",
        "forkserver": "ForkServer SandboxError",
        "layers": "Layers layers_in_words",
        "_confine": "confine_filter",
        "_limits": "LOAD_SECONDS MEMORY BotLimits",
        "_process": "SandboxedProcess",
        "processes": "probe start_process",
        "source": "BotSource is_bot_file read_bot",
    },
)
