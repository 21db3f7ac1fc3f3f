"""Controls which modules a bot can import: those loaded before the sandbox closed. Afterwards no path is touched."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import linecache
import random
import sys
import time
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

STANDARD = """
    abc argparse array ast asyncio atexit base64 bdb binascii bisect bz2 cProfile calendar cmath cmd
    code codecs collections collections.abc colorsys concurrent.futures concurrent.futures.process
    concurrent.futures.thread configparser contextlib contextvars copy copyreg csv ctypes ctypes.util
    dataclasses datetime decimal difflib dis doctest encodings.ascii encodings.idna encodings.latin_1
    encodings.utf_8 enum errno faulthandler fcntl fnmatch fractions functools gc getopt getpass glob graphlib
    grp gzip hashlib heapq hmac html html.parser importlib importlib.abc importlib.machinery
    importlib.resources importlib.util inspect io itertools json keyword linecache locale logging lzma math
    mmap multiprocessing multiprocessing.connection multiprocessing.dummy multiprocessing.managers
    multiprocessing.pool multiprocessing.popen_fork multiprocessing.queues multiprocessing.shared_memory
    multiprocessing.synchronize numbers opcode operator optparse os os.path pathlib pdb pickle pkgutil
    platform posix pprint profile pstats pwd queue random re reprlib resource runpy sched secrets select
    selectors shlex shutil signal socket stat statistics string stringprep struct subprocess symtable sys
    sysconfig tempfile termios textwrap threading time timeit token tokenize tomllib trace traceback
    tracemalloc tty types typing unicodedata unittest unittest.mock urllib.parse uuid warnings weakref
    xml.etree.ElementTree zipfile zlib zoneinfo
""".split()
"""Much of this can do nothing in the sandbox. It is here so that a bot that starts a thread learns that threads are
forbidden, not that `threading` does not exist."""

LATE = "_ast_unparse _sha2 _strptime _suggestions string.templatelib".split()
"""Modules that those load at first use, in some versions of Python: at a bot's first `random.seed("text")`, for
example."""

NUMERICAL = "numpy numpy.ma numpy.random numpy.linalg numpy.fft numpy.polynomial".split()
"""NumPy loads its parts late; those that bots use are loaded early."""


PACKAGES = frozenset(
    "torch tensorflow keras jax numba cython pandas scipy sklearn matplotlib networkx sympy gym gymnasium pettingzoo "
    "pyspiel requests tqdm cv2 PIL joblib psutil noughts".split()
)
"""Well-known packages; any other missing module is probably a student's own file."""


def preload() -> None:
    """Imports all of these that this system has, and the modules that they load at first use."""
    for name in (*STANDARD, *LATE, *NUMERICAL):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    time.localtime()  # loads the time zone


class _Sealed(importlib.abc.MetaPathFinder):
    """Explains why a module is missing. The error is the usual one, so that bots can continue without it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        why = "bots can import most of the standard library, and numpy"
        if top not in sys.stdlib_module_names and top not in PACKAGES:
            why = f"a bot is one file; copy the code of {top}.py into it"
        raise ModuleNotFoundError(f"No module named {fullname!r} in the arena: {why}", name=fullname)


def seal() -> None:
    """Restricts `import` to modules that are loaded or built in; nothing looks for source files any more."""
    sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, _Sealed()]
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()

    def no_lines(filename: str, module_globals: object = None) -> list[str]:
        return []

    def nothing(filename: str | None = None) -> None:
        return None

    linecache.updatecache = no_lines
    linecache.checkcache = nothing
    linecache.lazycache = lambda *_: False


def seed_everything(seed: int) -> None:
    """Gives each bot its own random numbers, equal for equal seeds: forked processes would share theirs."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)
