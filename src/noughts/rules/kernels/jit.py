"""How the kernels are compiled, and where the compiled code is kept.

Numba's disk cache does not notice a change in a function of another file that a cached one calls. So the
cache folder is named by a hash of all sources that take part in compiled code: an edit starts a new
folder, and old ones are swept. It lies in the user's cache directory (``NOUGHTS_CACHE_DIR`` overrides).
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

import numba
import platformdirs

F = TypeVar("F", bound=Callable[..., object])

STALE_SECONDS = 30 * 24 * 3600

CACHE_TROUBLE = (OSError, EOFError, pickle.UnpicklingError)
"""What Numba raises when a file of its cache is damaged or cannot be written."""


class Ints(Protocol):
    """A one-dimensional int64 array, as the kernels see it."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...


def cache_root() -> Path:
    """The folder for everything that can be made again."""
    chosen = os.environ.get("NOUGHTS_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("noughts", appauthor=False))


def source_hash(package: Path) -> str:
    """Hash of rules/, of every other source below `package` that uses this module, and of those in the same folder.

    Those have constants that are compiled in, as `search/layout.py`. The package's own folder is too large for that.
    """
    sources = {path: path.read_bytes() for path in sorted(package.rglob("*.py"))}
    users = {path for path, text in sources.items() if b"kernels.jit import" in text}
    folders = {package / "rules", *(path.parent for path in users)} - {package}
    digest = hashlib.sha256()
    for path, text in sources.items():
        if path in users or path.parent in folders:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + text + b"\0")
    return digest.hexdigest()[:16]


@cache
def code_dir() -> Path | None:
    """The folder for compiled code of these sources, or None if none can be written."""
    parent = cache_root() / "code"
    folder = parent / source_hash(Path(__file__).parents[2])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in parent.iterdir():
            if other.stat().st_mtime < time.time() - STALE_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
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
            _say_compiling(folder is not None)
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


@cache
def _say_compiling(kept: bool) -> None:
    if sys.stderr is None:
        return
    what = "noughts: compiling the rules, once on this machine (some seconds) ..."
    if not kept:
        what = (
            f"noughts: compiling the rules (some seconds), and again each time: {cache_root()} cannot be written; "
            "name another folder in NOUGHTS_CACHE_DIR"
        )
    print(what, file=sys.stderr, flush=True)
