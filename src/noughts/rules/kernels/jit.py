"""Compiles the kernels and caches the compiled code.

Compiled code is only in folders called `kernels` and in files called `kernels.py`, and imports nothing from other
modules of the package, whose constants would be compiled in. A test checks both.

Numba's disk cache does not notice a change in a function of another file that a cached one calls. The cache folder is
therefore named by a hash of exactly those sources: an edit of one starts a new folder; an edit elsewhere does not.

A wheel may contain the machine code of the entry points (hatch_build.py), in a read-only folder of the package. It
is used if it was built from these sources for this Python, Numba and processor, and is trusted like the sources.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar, overload

from noughts.cache import PACKAGE, cache_folder, source_hash, use
from noughts.rules.kernels import compiler
from noughts.rules.kernels.waiting import Waiting

numba: Any = compiler.numba
int64: Any = numba.int64

F = TypeVar("F", bound=Callable[..., object])

LEAN: dict[str, object] = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, "no_rewrites": True}
"""Options of compiled functions. `_nrt=False` refuses allocation at compile time and drops all reference counting;
without it the playouts ran at a tenth of the speed."""

PART: dict[str, object] = {"no_cpython_wrapper": True, **LEAN}
"""Options of functions that only compiled functions call."""

CACHE_TROUBLE = (OSError, EOFError, pickle.UnpicklingError)
"""Exceptions that Numba raises when a file of its cache is damaged or cannot be written."""

SHIPPED = PACKAGE / "_kernels"
"""Folder of a wheel's machine code and of the description of its target."""

TARGET = "target.json"

waiting: Waiting = Waiting()


class Ints(Protocol):
    """A one-dimensional int64 array, as the kernels see it."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Ints: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...


def kernel_sources(package: Path) -> list[Path]:
    """Returns the sources of compiled code below `package`."""
    return [path for path in package.rglob("*.py") if "kernels" in path.relative_to(package).with_suffix("").parts]


@cache
def kernel_hash() -> str:
    """Returns the hash of the sources of compiled code."""
    return source_hash(kernel_sources(PACKAGE))


@cache
def shipped_code() -> tuple[Path | None, str]:
    """Returns the folder of the machine code shipped with the package and its target; or None and the reason it cannot
    run."""
    try:
        made_for = json.loads((SHIPPED / TARGET).read_bytes())
        refused = compiler.refusal(made_for, kernel_hash())
    except OSError:
        return None, ""
    except (ValueError, AttributeError):
        return None, f"{SHIPPED / TARGET} is damaged"
    if refused:
        return None, refused
    return SHIPPED, f"for {made_for['processor']}, Numba {made_for['Numba']}"


@cache
def code_dir() -> Path | None:
    """Returns the folder for compiled code of these sources; None if no folder is writable."""
    name = kernel_hash()
    if not compiler.COMPILES_FAST:  # Numba's usual code is cached separately, so that tests exercise it
        name = hashlib.sha256(f"{name} plain".encode()).hexdigest()[: len(name)]
    folder = cache_folder("code", name)
    try:
        use(folder)
    except OSError:
        return folder if os.access(folder, os.W_OK) else None
    return folder


def inlined(function: F) -> F:
    """Compiles a kernel function to be inlined into its callers: no call, no reference counting."""
    if not compiler.COMPILES_FAST:
        return _compiled_by_numba(function, inline="always")
    return _part(function, "part", forceinline=True)


def embedded(function: F) -> F:
    """Like `inlined`, for larger functions and hot loops: optimised alone before it is inlined into its callers.

    LLVM optimises a part of a large function less well: the search was a quarter slower, solving half as fast.
    """
    return _part(function, "optimised part", forceinline=True)


def called(function: F) -> F:
    """Like `inlined`, for rarely needed functions: it stays a function of its own, which its callers call."""
    return _part(function, "optimised part", forceinline=False)


def _part(function: F, kind: str, forceinline: bool) -> F:
    if not compiler.COMPILES_FAST:
        return _compiled_by_numba(function, forceinline=forceinline, **PART)
    part = _compiled_by_numba(function, pipeline_class=compiler.PIPELINES[kind], forceinline=forceinline, **PART)
    compiler.widen_arguments(part)
    folder = code_dir()
    if folder and function.__module__.startswith("noughts."):  # the folder's name covers only our sources
        compiler.keep_in(part, folder / "parts")
    return part


def _compiled_by_numba(function: F, *signature: str, **options: object) -> F:
    compiled: F = numba.njit(*signature, **options)(function)
    return compiled


def entry(signature: str, *, atomic: bool = False) -> Callable[[F], F]:
    """Compiles a kernel function that Python calls: one signature, compiled or loaded where it is defined.

    atomic: holds the interpreter lock, so that no other thread sees or changes the arguments halfway. For short
    functions on arrays that users share between threads; long functions let other threads run, and their callers lock.
    """

    options: dict[str, object] = {"nogil": not atomic, **LEAN}

    def decorate(function: F) -> F:
        shipped = _shipped(function, options)
        if shipped is not None:
            return shipped
        folder = code_dir()
        if not numba.config.DISABLE_JIT and not _is_kept(function.__name__, folder):
            waiting.begin(function.__module__, folder is not None)
        try:
            return _compiled(function, signature, folder, options)
        except CACHE_TROUBLE:
            # A damaged file or a full disk does not stop the program.
            return _compiled(function, signature, None, options)
        finally:
            waiting.end()

    return decorate


def _shipped(function: F, options: dict[str, object]) -> F | None:
    """Returns the function with the machine code shipped with the package; None if it is missing or damaged."""
    folder, _ = shipped_code()
    if folder is None:
        return None
    loaded = _compiled_by_numba(function, **options)
    try:
        with _no_garbage_collection():
            compiler.load_code(loaded, folder)
    except Exception:  # a damaged file can raise anything
        return None
    return loaded


def _compiled(function: F, signature: str, folder: Path | None, options: dict[str, object]) -> F:
    """Compiles with the cache in `folder`, or without one."""
    options = {"cache": folder is not None, **options}
    with _cache_folder(folder), _no_garbage_collection():
        if not compiler.COMPILES_FAST:
            return _compiled_by_numba(function, signature, **options)
        with compiler.patched_numba(waiting.step):
            return _compiled_by_numba(function, signature, pipeline_class=compiler.PIPELINES["entry"], **options)


@contextmanager
def _cache_folder(folder: Path | None) -> Iterator[None]:
    set_before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or "")
    try:
        yield
    finally:
        numba.config.CACHE_DIR = set_before


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Pauses garbage collection: Numba makes many long-lived objects, and scanning them took a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def is_ready(name: str) -> bool:
    """Returns whether an entry point is compiled and cached, or needs no compiling, or cannot be cached."""
    shipped, _ = shipped_code()
    if shipped is not None and any(shipped.glob(f"*.{name}")):
        return True
    folder = code_dir()
    return bool(numba.config.DISABLE_JIT) or folder is None or _is_kept(name, folder)


def _is_kept(name: str, folder: Path | None) -> bool:
    """Returns whether Numba has an index of this function's compiled code in the folder."""
    return folder is not None and any(folder.rglob(f"*.{name}-*.nbi"))


def direct(function: F) -> F:
    """Returns an entry point without Numba's lookup of argument types, which costs as much as a move.

    Its arguments must have the declared types; they are not converted.
    """
    overloads = getattr(function, "overloads", None)
    if not overloads:
        return function  # uncompiled
    (compiled,) = overloads.values()
    called: F = compiled.entry_point
    return called
