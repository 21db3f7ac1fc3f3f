"""The decorators of the kernels: what becomes of a function in each form (`form.py`).

Compiled code is only in folders called `kernels` and in files called `kernels.py`, and imports nothing from other
modules of the package, whose constants would be compiled in. A test checks both.

Numba's disk cache does not notice a change in a function of another file that a cached one calls. The cache folder is
therefore named by a hash of exactly those sources: an edit of one starts a new folder; an edit elsewhere does not.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

from noughts.cache import cache_folder, chosen_root, use
from noughts.rules.kernels import form
from noughts.rules.kernels.arrays import COMPILED_TYPES
from noughts.rules.kernels.compiler import numba, patched_numba
from noughts.rules.kernels.entries import MODULES

int64: Any = numba.int64 if form.COMPILED else int
"""Makes a number an int64, as Numba gives a literal a type of its own, and would compile its callers again."""

F = TypeVar("F", bound=Callable[..., object])

LEAN: dict[str, object] = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, "no_rewrites": True}
"""Options of compiled functions. `_nrt=False` refuses allocation at compile time and drops all reference counting;
without it the playouts ran at a tenth of the speed."""

PART: dict[str, object] = {"no_cpython_wrapper": True, **LEAN}
"""Options of functions that only compiled functions call."""

CACHE_TROUBLE = (OSError, EOFError, pickle.UnpicklingError)
"""Exceptions that Numba raises when a file of its cache is damaged or cannot be written."""

SILENT = "NOUGHTS_SAY_NOTHING"
"""Environment variable: set by a parent process that shows the progress itself, so that the kernels show none."""

_TIMES = "about 3 s for the rules, 12 s for the search, 2 to 5 s for anything else"

_announced = False


@cache
def code_dir() -> Path | None:
    """Returns the folder for compiled code of these sources; None if no folder is writable."""
    folder = cache_folder("code", form.kernel_hash())
    try:
        use(folder)
    except OSError:
        return folder if os.access(folder, os.W_OK) else None
    return folder


def inlined(function: F) -> F:
    """Compiles a kernel function as part of each function that calls it."""
    return _part(function, inline="always")


def embedded(function: F) -> F:
    """Like `inlined`, for larger functions and hot loops: optimised alone before it is inlined into its callers.

    LLVM optimises a part of a large function less well: the search was a quarter slower, solving half as fast.
    """
    return _part(function, forceinline=True, **PART)


def called(function: F) -> F:
    """Like `inlined`, for rarely needed functions: it stays a function of its own, which its callers call."""
    return _part(function, **PART)


def _part(function: F, **options: object) -> F:
    return _compiled_by_numba(function, **options) if form.COMPILED else function


def _compiled_by_numba(function: F, *signature: str, **options: object) -> F:
    compiled: F = numba.njit(*signature, **options)(function)
    return compiled


@overload
def entry(function: F, /) -> F: ...
@overload
def entry(*, atomic: bool) -> Callable[[F], F]: ...
def entry(function: Any = None, /, *, atomic: bool = False) -> Any:
    """Makes a kernel function callable from Python, with the types of its annotations. `entries.py` lists it.

    atomic: holds the interpreter lock, so that no other thread sees or changes the arguments halfway. For short
    functions on arrays that users share between threads; long functions let other threads run, and their callers lock.
    """
    if function is None:
        return lambda function: _entry(function, atomic)
    return _entry(function, atomic)


def signature(function: Callable[..., object]) -> str:
    """Returns the types of a function's result and arguments as its annotations say, in Numba's notation."""
    *arguments, result = (_compiled_type(annotation) for annotation in _annotations(function))
    return f"{result}({', '.join(arguments)})"


def _annotations(function: Callable[..., object]) -> Iterator[str]:
    annotations = dict(function.__annotations__)
    result = annotations.pop("return")
    yield from (*annotations.values(), result)


def _compiled_type(annotation: str) -> str:
    if annotation.startswith("tuple["):
        parts = annotation.removeprefix("tuple[").removesuffix("]").split(", ")
        return f"Tuple(({', '.join(COMPILED_TYPES[part] for part in parts)}))"
    return COMPILED_TYPES[annotation]


def _entry(function: F, atomic: bool) -> F:
    if form.FORM == form.PYTHON:
        return function
    if form.FORM == form.EXTENSION:
        return _from_extension(function)
    options: dict[str, object] = {"nogil": not atomic, **LEAN}
    if form.FORM == form.BUILD:
        return _compiled_by_numba(function, **PART, nogil=not atomic)  # compiled by `build_kernels.py`
    folder = code_dir()
    if not _is_kept(function.__name__, folder):
        _announce(folder is not None)
    try:
        return _compiled(function, folder, options)
    except CACHE_TROUBLE:
        # A damaged file or a full disk does not stop the program.
        return _compiled(function, None, options)


def _from_extension(function: F) -> F:
    if MODULES.get(function.__name__) != function.__module__:
        raise ImportError(f"{function.__name__} is not in the kernels' extension; set {form.CHOICE}={form.NUMBA}")
    built: Any = form.functions()[function.__name__]
    return built  # type: ignore[no-any-return]


def _compiled(function: F, folder: Path | None, options: dict[str, object]) -> F:
    """Compiles with the cache in `folder`, or without one."""
    with _cache_folder(folder), _no_garbage_collection(), patched_numba():
        return _compiled_by_numba(function, signature(function), cache=folder is not None, **options)


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


def _announce(is_kept: bool) -> None:
    """Says once that code is compiled; `is_kept`: it is cached for later runs."""
    global _announced
    if _announced or SILENT in os.environ or sys.stderr is None:
        return
    _announced = True
    text = f"compiling, once on this machine; {_TIMES} (`noughts warm` compiles everything)"
    if not is_kept:
        text = (
            f"compiling ({_TIMES}) on every run, because {chosen_root()} is not writable; "
            "set NOUGHTS_CACHE_DIR to another folder"
        )
    print(f"noughts: {text} ...", file=sys.stderr, flush=True)


def is_ready(name: str) -> bool:
    """Returns whether an entry point is compiled and cached, or needs no compiling, or cannot be cached."""
    return not form.COMPILED or code_dir() is None or _is_kept(name, code_dir())


def _is_kept(name: str, folder: Path | None) -> bool:
    """Returns whether Numba has an index of this function's compiled code in the folder."""
    return folder is not None and any(folder.rglob(f"*.{name}-*.nbi"))


def direct(function: F) -> F:
    """Returns an entry point without Numba's lookup of argument types, which costs as much as a move.

    Its arguments must have the declared types; they are not converted.
    """
    overloads = getattr(function, "overloads", None)
    if not overloads:
        return function  # not by Numba
    (compiled,) = overloads.values()
    called: F = compiled.entry_point
    return called
