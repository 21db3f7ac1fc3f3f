"""How the kernels are compiled, and where the compiled code is kept.

Compiled code is only in folders called `kernels` and in files called `kernels.py`, and takes nothing from other
modules of the package: their constants would be compiled in. A test holds both.

Numba's disk cache does not notice a change in a function of another file that a cached one calls. So the cache folder
is named by a hash of exactly those sources: an edit of one starts a new folder, and an edit elsewhere does not.

Numba reads settings from a file `.numba_config.yaml` of the current folder, which may be anybody's. So it is imported
here before any other module does, and not shown that file.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeVar

from noughts.cache import PACKAGE, cache_folder, chosen_root, source_hash, use

NUMBA_FILE = ".numba_config.yaml"


def _import_numba() -> Any:
    if "numba" not in sys.modules and os.path.exists(NUMBA_FILE):
        here = os.getcwd()
        os.chdir(PACKAGE)
        try:
            numba = import_module("numba")
        finally:
            os.chdir(here)
    else:
        numba = import_module("numba")
    # It looks again whenever it compiles.
    numba.core.config._config_fname = str(PACKAGE / NUMBA_FILE)
    return numba


numba = _import_numba()
int64 = numba.int64

F = TypeVar("F", bound=Callable[..., object])

CACHE_TROUBLE = (OSError, EOFError, pickle.UnpicklingError)
"""What Numba raises when a file of its cache is damaged or cannot be written."""


class Ints(Protocol):
    """A one-dimensional int64 array, as the kernels see it."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...


def kernel_sources(package: Path) -> list[Path]:
    """The sources of compiled code below `package`."""
    return [path for path in package.rglob("*.py") if "kernels" in path.relative_to(package).with_suffix("").parts]


@cache
def code_dir() -> Path | None:
    """The folder for compiled code of these sources, or None if none can be written."""
    folder = cache_folder("code", source_hash(kernel_sources(PACKAGE)))
    try:
        use(folder)
    except OSError:
        return folder if os.access(folder, os.W_OK) else None
    return folder


def inlined(function: F) -> F:
    """A kernel function that becomes part of its callers: no call, no reference counting."""
    compiled: F = numba.njit(inline="always")(function)
    return compiled


_TYPED_ALONE = {
    "error_model": "numpy",
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "no_rewrites": True,
}


def embedded(function: F) -> F:
    """The same for larger functions: they are typed on their own, and LLVM makes them part of their callers.

    Numba's own inlining takes time that grows with the square of the caller: the search compiled twice as long with it.
    """
    compiled: F = numba.njit(forceinline=True, **_TYPED_ALONE)(function)
    return compiled


def called(function: F) -> F:
    """The same for what is seldom needed: it stays a function of its own, which its callers call."""
    compiled: F = numba.njit(**_TYPED_ALONE)(function)
    return compiled


def entry(signature: str) -> Callable[[F], F]:
    """A kernel function that Python calls: one signature, compiled or loaded where it is defined.

    `_nrt=False` refuses allocation at compile time and drops all reference counting; without it
    the playouts ran at a tenth of the speed.
    """

    def decorate(function: F) -> F:
        folder = code_dir()
        if not numba.config.DISABLE_JIT and not _is_kept(function.__name__, folder):
            _say_compiling(_purpose(function.__module__), folder is not None)
        try:
            return _compiled(function, signature, folder)
        except CACHE_TROUBLE:
            # A damaged file or a full disk: the program runs all the same.
            return _compiled(function, signature, None)

    return decorate


def _compiled(function: F, signature: str, folder: Path | None) -> F:
    """Compile with the cache in `folder`, or without one."""
    set_before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or "")
    try:
        options = {"cache": folder is not None, "nogil": True, "error_model": "numpy", "_nrt": False}
        compiled: F = numba.njit(signature, **options)(function)
    finally:
        numba.config.CACHE_DIR = set_before
    return compiled


def _is_kept(name: str, folder: Path | None) -> bool:
    """Whether Numba has an index of this function's compiled code in the folder."""
    return folder is not None and any(folder.rglob(f"*.{name}-*.nbi"))


def direct(function: F) -> F:
    """An entry point without Numba's look-up of the argument types, which costs as much as a move.

    Its arguments must be of the declared types: it does not convert.
    """
    overloads = getattr(function, "overloads", None)
    if not overloads:
        return function  # uncompiled
    (compiled,) = overloads.values()
    called: F = compiled.entry_point
    return called


PURPOSES = {
    "noughts.rules.kernels.core": "the rules",
    "noughts.rules.kernels.playout": "random games",
    "noughts.rules.kernels.perft": "the counting of moves",
    "noughts.rules.kernels.observe": "observations for learners",
    "noughts.rules.kernels.images": "symmetries",
    "noughts.rules.kernels.batch": "many games at once",
    "noughts.envs": "the vector environment",
    "noughts.solving": "the solver",
    "noughts.search.kernels.mcts": "the Monte Carlo search",
    "noughts.search": "the alpha-beta search",
    "noughts.learn.kernels.greedy": "the exact returns of what is learnt",
    "noughts.learn": "Q-learning",
}
"""What the compiled code of a module is for; the first name that a module's begins with counts."""


def _purpose(module: str) -> str:
    return next((what for name, what in PURPOSES.items() if module.startswith(name)), "a part of it")


@cache
def _say_compiling(what: str, kept: bool) -> None:
    """Once for each thing: how long to wait, and what for."""
    if sys.stderr is None:
        return
    said = f"noughts: compiling {what}, once on this machine (some seconds) ..."
    if not kept:
        said = (
            f"noughts: compiling {what} (some seconds), and again each time: {chosen_root()} cannot be written; "
            "name another folder in NOUGHTS_CACHE_DIR"
        )
    print(said, file=sys.stderr, flush=True)
