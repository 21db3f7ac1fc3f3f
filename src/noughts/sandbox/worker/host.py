"""What a bot hears of the machine it runs on: the same everywhere, and nothing of its owner's.

The kernel refuses these questions in the sandbox. Libraries ask them on their own, and so do bots that mean no harm;
they get an answer here, without a system call.
"""

from __future__ import annotations

import grp
import os
import platform
import pwd
import socket
import tempfile
import uuid
from typing import Any

NAME = "sandbox"
USER = "bot"
ADDRESS = "127.0.0.1"
NODE = 0x0100_0000_0000
"""A hardware address that is none: the bit of a group is set."""
RELEASE = "5.5"
"""The oldest Linux that bots run on."""


def hide() -> None:
    """Replace what the standard library asks the machine. Done once, before bots are forked."""
    _platform()
    _network()
    _users()
    tempfile.tempdir = "/tmp"  # else the module tries to write there before it tells the name
    os.cpu_count = lambda: 1
    if hasattr(os, "process_cpu_count"):
        os.process_cpu_count = lambda: 1


def _platform() -> None:
    machine, libc, architecture = platform.machine(), platform.libc_ver(), platform.architecture()
    told = os.uname_result(("Linux", NAME, RELEASE, "", machine))
    os.uname = lambda: told
    hidden: Any = platform  # its caches have no names of their own
    hidden._uname_cache = None
    hidden._platform_cache = {}
    hidden._Processor.get = classmethod(lambda _: "")
    platform.libc_ver = lambda *_, **__: libc  # reads the interpreter's file
    platform.architecture = lambda *_, **__: architecture  # starts a program
    for aliased in (False, True):
        for terse in (False, True):
            platform.platform(aliased, terse)


def _network() -> None:
    ask = socket.gethostbyname
    socket.gethostname = lambda: NAME
    socket.getfqdn = lambda name="": name or NAME
    socket.gethostbyname = lambda name: ADDRESS if name in ("", NAME, "localhost", ADDRESS) else ask(name)
    hidden: Any = uuid
    hidden._node, hidden._generate_time_safe = NODE, None


def _users() -> None:
    def by_number(number: int) -> pwd.struct_passwd:
        if number != os.getuid():
            raise KeyError(f"getpwuid(): uid not found: {number}")
        return pwd.struct_passwd((USER, "x", number, os.getgid(), "", "/", ""))

    def by_name(name: str) -> pwd.struct_passwd:
        if name != USER:
            raise KeyError(f"getpwnam(): name not found: {name!r}")
        return by_number(os.getuid())

    def group_by_number(number: int) -> grp.struct_group:
        raise KeyError(f"getgrgid(): gid not found: {number}")

    def group_by_name(name: str) -> grp.struct_group:
        raise KeyError(f"getgrnam(): name not found: {name!r}")

    pwd.getpwuid, pwd.getpwnam, pwd.getpwall = by_number, by_name, lambda: [by_number(os.getuid())]
    hidden: Any = grp
    hidden.getgrgid, hidden.getgrnam, hidden.getgrall = group_by_number, group_by_name, list
    os.getlogin = lambda: USER
