"""How the kernels are compiled, and where the compiled code is kept.

Compiled code is only in folders called `kernels` and in files called `kernels.py`, and takes nothing from other
modules of the package: their constants would be compiled in. A test holds both.

Numba's disk cache does not notice a change in a function of another file that a cached one calls. So the cache folder
is named by a hash of exactly those sources: an edit of one starts a new folder, and an edit elsewhere does not.

A wheel may hold the machine code of the entry points (hatch_build.py), in a folder of the package that is only read. It
is used if it is of these sources and for this Python, Numba and processor, and trusted like the sources beside it.
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
from typing import Any, Protocol, TypeVar

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
"""Options of functions that only compiled ones call."""

CACHE_TROUBLE = (OSError, EOFError, pickle.UnpicklingError)
"""What Numba raises when a file of its cache is damaged or cannot be written."""

SHIPPED = PACKAGE / "_kernels"
"""Where a wheel has its machine code, and what that is for."""

TARGET = "target.json"

waiting: Waiting = Waiting()


class Ints(Protocol):
    """A one-dimensional int64 array, as the kernels see it."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...


def kernel_sources(package: Path) -> list[Path]:
    """The sources of compiled code below `package`."""
    return [path for path in package.rglob("*.py") if "kernels" in path.relative_to(package).with_suffix("").parts]


@cache
def kernel_hash() -> str:
    """The hash of the sources of compiled code."""
    return source_hash(kernel_sources(PACKAGE))


@cache
def shipped_code() -> tuple[Path | None, str]:
    """The folder of machine code that came with the package, if it can run here; and what it is for, or why not."""
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
    """The folder for compiled code of these sources, or None if none can be written."""
    name = kernel_hash()
    if not compiler.COMPILES_FAST:  # what Numba compiles in its usual way is kept apart, so that tests try it
        name = hashlib.sha256(f"{name} plain".encode()).hexdigest()[: len(name)]
    folder = cache_folder("code", name)
    try:
        use(folder)
    except OSError:
        return folder if os.access(folder, os.W_OK) else None
    return folder


def inlined(function: F) -> F:
    """A kernel function that becomes part of its callers: no call, no reference counting."""
    if not compiler.COMPILES_FAST:
        return _compiled_by_numba(function, inline="always")
    return _part(function, "part", forceinline=True)


def embedded(function: F) -> F:
    """The same for larger functions and for loops that matter: optimised alone before it becomes part of its callers.

    LLVM does less well with a part of a large function: the search was a quarter slower, solving half as fast.
    """
    return _part(function, "optimised part", forceinline=True)


def called(function: F) -> F:
    """The same for what is seldom needed: it stays a function of its own, which its callers call."""
    return _part(function, "optimised part", forceinline=False)


def _part(function: F, kind: str, forceinline: bool) -> F:
    if not compiler.COMPILES_FAST:
        return _compiled_by_numba(function, forceinline=forceinline, **PART)
    part = _compiled_by_numba(function, pipeline_class=compiler.PIPELINES[kind], forceinline=forceinline, **PART)
    compiler.widen_arguments(part)
    folder = code_dir()
    if folder and function.__module__.startswith("noughts."):  # the folder is named by our sources, not by others
        compiler.keep_in(part, folder / "parts")
    return part


def _compiled_by_numba(function: F, *signature: str, **options: object) -> F:
    compiled: F = numba.njit(*signature, **options)(function)
    return compiled


def entry(signature: str, *, atomic: bool = False) -> Callable[[F], F]:
    """A kernel function that Python calls: one signature, compiled or loaded where it is defined.

    atomic: keeps the interpreter's lock, so that no other thread sees or changes the arguments halfway. It is for short
    functions on arrays that users share between threads; long ones let other threads run, and their callers lock.
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
            # A damaged file or a full disk: the program runs all the same.
            return _compiled(function, signature, None, options)
        finally:
            waiting.end()

    return decorate


def _shipped(function: F, options: dict[str, object]) -> F | None:
    """The function with the machine code that came with the package, None if there is none that is whole."""
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
        with compiler.remembering(waiting.step):
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
    """Numba makes many objects that live long: looking through them again and again took a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def is_ready(name: str) -> bool:
    """Whether an entry point is compiled and kept, or need not or cannot be."""
    shipped, _ = shipped_code()
    if shipped is not None and any(shipped.glob(f"*.{name}")):
        return True
    folder = code_dir()
    return bool(numba.config.DISABLE_JIT) or folder is None or _is_kept(name, folder)


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
