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

from noughts._lazy import lazy_names

lazy_names(__name__)
