"""Asks about the machine and about itself, as libraries do by themselves: it hears something or gets an exception."""

import contextlib
import ctypes
import getpass
import grp
import locale
import os
import pathlib
import platform
import pwd
import resource
import select
import shutil
import socket
import sys
import sysconfig
import tempfile
import threading
import time
import uuid


def answered():
    uuid.uuid1(), uuid.getnode()
    platform.platform(), platform.uname(), platform.processor(), platform.architecture(), platform.libc_ver()
    platform.node(), platform.machine(), platform.release(), platform.system(), platform.python_compiler()
    os.uname(), os.cpu_count(), os.getlogin(), os.getcwd(), os.getpid(), os.getppid(), os.getuid(), os.times()
    socket.gethostname(), socket.getfqdn(), socket.gethostbyname(socket.gethostname())
    getpass.getuser(), pwd.getpwuid(os.getuid()), pathlib.Path.home(), os.path.expanduser("~"), os.path.abspath("x")
    tempfile.gettempdir(), shutil.get_terminal_size(), locale.getlocale(), locale.getpreferredencoding()
    sysconfig.get_platform(), sys.getfilesystemencoding(), time.tzname, time.get_clock_info("monotonic")
    resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_STACK)
    os.sched_getaffinity(0), os.sched_getaffinity(os.getpid()), time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID)
    time.clock_gettime(time.pthread_getcpuclockid(threading.get_ident()))


REFUSED = [
    os.getloadavg,
    os.getgroups,
    os.getresuid,
    lambda: os.getpgid(0),
    lambda: os.getsid(0),
    lambda: os.nice(1),
    lambda: os.getpriority(os.PRIO_PROCESS, 0),
    lambda: os.sched_getscheduler(0),
    lambda: os.sched_get_priority_max(os.SCHED_RR),
    lambda: os.umask(0o77),
    lambda: os.sched_getaffinity(1),
    lambda: os.stat("/etc"),
    lambda: os.get_terminal_size(),
    lambda: os.eventfd(0),
    lambda: time.clock_gettime((~1 << 3) | 2),
    lambda: grp.getgrgid(0),
    lambda: pwd.getpwnam("root"),
    lambda: platform.freedesktop_os_release(),
    lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 29, 1 << 29)),
    lambda: locale.setlocale(locale.LC_ALL, "de_DE.UTF-8"),
]


class Bot:
    def move(self, board, old_move, flag):
        answered()
        for probe in REFUSED:
            with contextlib.suppress(OSError, KeyError, ValueError, locale.Error):
                probe()
        select.select([], [], [], 0)
        ctypes.CDLL(None).mlock(0, 0)
        assert os.cpu_count() == 1
        return board.find_valid_move_cells(old_move)[0]
