"""Answers a bot's questions about its machine: the same everywhere, and nothing about its owner.

The kernel refuses these questions in the sandbox. Libraries ask them on their own, and so do harmless bots; they get an
answer here, without a system call.
"""

from __future__ import annotations

import _imp  # as importlib itself uses it
import gc
import grp
import os
import platform
import pwd
import re
import socket
import sys
import sysconfig
import tempfile
import uuid
from collections.abc import Callable
from types import FunctionType
from typing import Any

NAME = "sandbox"
USER = "bot"
ADDRESS = "127.0.0.1"
NODE = 0x0100_0000_0000
"""A hardware address that cannot exist: the group bit is set."""
RELEASE = "5.5"
"""The oldest Linux that bots run on."""
LIBRARY = "/usr/lib/python3"
"""Where all modules seem to be."""
PYTHON = "/usr/bin/python3"
EVERYWHERE = ("/", "/bin", "/usr", "/usr/bin", "/usr/local", "/usr/local/bin")
"""Folders that reveal nothing about a machine."""


def hide() -> None:
    """Replaces the standard library's queries of the machine. Called once, before bots are forked."""
    _platform()
    _network()
    _users()
    tempfile.tempdir = "/tmp"  # else the module tries to write there before it returns the name
    os.cpu_count = lambda: 1
    if hasattr(os, "process_cpu_count"):
        os.process_cpu_count = lambda: 1


def hide_folders() -> None:
    """Renames the folders of the interpreter and its modules wherever Python shows them. Nothing may be imported
    later."""
    homes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable)}
    homes |= {os.path.dirname(os.path.realpath(sys.executable)), *sys.path}
    built = map(sysconfig.get_config_var, ("prefix", "exec_prefix"))  # elsewhere, if Python was moved
    homes |= {path for path in built if path}
    homes |= set(map(os.path.realpath, homes))
    folders = sorted((home for home in homes if home.startswith("/") and home not in EVERYWHERE), key=len, reverse=True)
    rename = re.compile("|".join(map(re.escape, folders))).sub if folders else None
    sys.executable = PYTHON
    hidden: Any = sys
    hidden._base_executable = PYTHON
    sys.argv, sys.orig_argv = [""], [PYTHON]
    sys.prefix = sys.exec_prefix = sys.base_prefix = sys.base_exec_prefix = "/usr"
    if rename is not None:
        _rename_everywhere(lambda text: rename(LIBRARY, text))
        re.purge()  # it caches patterns


def _rename_everywhere(renamed: Callable[[str], str]) -> None:
    """Renames the files in attributes of modules, their loaders and their functions."""
    found = gc.get_objects()
    # The garbage collector does not list the attribute dictionaries of these until they are read.
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        for thing in (spec, getattr(spec, "loader", None), getattr(spec, "loader_state", None)):
            if hasattr(thing, "__dict__"):
                found.append(vars(thing))
    for thing in found:
        if type(thing) is FunctionType:
            code = thing.__code__
            _imp._fix_co_filename(code, renamed(code.co_filename))  # type: ignore[attr-defined]
        elif type(thing) is dict:
            for key, value in thing.items():
                if type(value) is str and "/" in value:
                    thing[key] = renamed(value)
                elif type(value) is dict and not gc.is_tracked(value):  # it contains only texts and numbers
                    found.append(value)
        elif type(thing) is list:
            thing[:] = [renamed(value) if type(value) is str and "/" in value else value for value in thing]


def _platform() -> None:
    machine, libc = platform.machine(), platform.libc_ver()
    architecture = ("64bit" if sys.maxsize > 1 << 32 else "32bit", "ELF")  # as `file` says, which takes 20 ms to start
    uname = os.uname_result(("Linux", NAME, RELEASE, "", machine))
    os.uname = lambda: uname
    hidden: Any = platform  # its caches have no public names
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
