"""Imports Numba, if the kernels' form needs it. Only this module does, and only it uses Numba's private parts.

Those are two, and where Numba lacks one, it works in its usual way, with the same results (`patched_numba`):

    arrayobj.fix_integer_index                     makes negative indices count from the end. Kernels use none
                                                   (NUMBA_BOUNDSCHECK=1 catches one), and without this test learning by
                                                   self-play is 1.7 times as fast, counting sequences 1.4 times
    caching.Cache._load_overload, _guard_against_spurious_io_errors
                                                   what its cache does to load code, after it has prepared to compile:
                                                   without that a command starts 0.1 s sooner

Numba reads settings from a file `.numba_config.yaml` in the current folder, which anyone may have put there. This
module therefore imports Numba before any other does, and hides that file from it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from noughts.cache import PACKAGE
from noughts.interpreter import own_folder
from noughts.rules.kernels.form import COMPILED

NUMBA_FILE = ".numba_config.yaml"

numba: Any = None
cgutils: Any = None
types: Any = None
intrinsic: Any = None
ir: Any = None


def _import_numba() -> Any:
    with own_folder() if os.path.exists(NUMBA_FILE) else nullcontext():
        import numba
    # Numba reads the settings again whenever it compiles.
    settings: Any = numba.core.config
    settings._config_fname = str(PACKAGE / NUMBA_FILE)
    _skip_scipy()
    return numba


def _skip_scipy() -> None:
    """Imports `numba.np.arraymath` without SciPy, which it imports only to check that it is installed.

    SciPy's import takes a fifth of a warm start. Numba imports it again when a function uses linear algebra.
    """
    probed = "scipy.linalg.cython_blas"
    if probed in sys.modules or "numba.np.arraymath" in sys.modules or find_spec("scipy") is None:
        return
    sys.modules[probed] = None  # type: ignore[assignment]
    try:
        arraymath: Any = import_module("numba.np.arraymath")
    finally:
        del sys.modules[probed]
    if hasattr(arraymath, "_HAVE_BLAS"):
        arraymath._HAVE_BLAS = True


@contextmanager
def patched_numba() -> Iterator[None]:
    """While kernels are compiled or loaded: indices are used as they are, and code from the cache is only loaded."""
    indexing, cache = import_module("numba.np.arrayobj"), import_module("numba.core.caching").Cache
    changes: list[tuple[Any, str, object]] = []
    if hasattr(indexing, "fix_integer_index"):
        changes.append((indexing, "fix_integer_index", _index_as_it_is))
    if hasattr(cache, "_load_overload") and hasattr(cache, "_guard_against_spurious_io_errors"):
        changes.append((cache, "load_overload", _load_only))
    with import_module("numba.core.compiler_lock").global_compiler_lock:
        before = [getattr(owner, name) for owner, name, _ in changes]
        for owner, name, replacement in changes:
            setattr(owner, name, replacement)
        try:
            yield
        finally:
            for (owner, name, _), usual in zip(changes, before, strict=True):
                setattr(owner, name, usual)


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


def _load_only(cache: Any, signature: Any, context: Any) -> Any:
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, context)


if COMPILED or "numba" in sys.modules:
    numba = _import_numba()
    cgutils = import_module("numba.core.cgutils")
    types = import_module("numba.core.types")
    intrinsic = import_module("numba.extending").intrinsic
    ir = import_module("llvmlite.ir")
