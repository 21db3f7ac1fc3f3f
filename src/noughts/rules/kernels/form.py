"""The form in which the kernels run, chosen when they are first imported. All forms give the same results.

    extension   machine code from the module `noughts._kernels`, which `build_kernels.py` builds: in released wheels
    numba       machine code that Numba compiles at the first use and caches: in a clone
    python      the kernels as they are written: the specification, about a hundred times slower

NOUGHTS_KERNELS chooses a form. Without it, it is the extension if there is one for these sources, or else Numba.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from noughts.cache import PACKAGE, source_hash

CHOICE = "NOUGHTS_KERNELS"
"""Environment variable with the form."""

EXTENSION: Final = "extension"
NUMBA: Final = "numba"
PYTHON: Final = "python"
BUILD: Final = "build"
"""For `build_kernels.py` only: Numba compiles for the extension's processors, and runs nothing."""


def kernel_sources(package: Path) -> list[Path]:
    """Returns the sources of compiled code below `package`."""
    return [path for path in package.rglob("*.py") if "kernels" in path.relative_to(package).with_suffix("").parts]


@cache
def kernel_hash() -> str:
    """Returns the hash of the sources of compiled code."""
    return source_hash(kernel_sources(PACKAGE))


@cache
def extension() -> tuple[dict[str, dict[str, Callable[..., Any]]], str]:
    """Returns the functions of the extension by level of processor, the best level first; and why there are none."""
    try:
        module = import_module("noughts._kernels")
    except ModuleNotFoundError:
        return {}, "this installation has none"
    except ImportError as error:  # for another system, or a damaged file
        return {}, str(error)
    if kernel_hash() != module.SOURCES:
        return {}, "it was built from other sources"
    levels: dict[str, dict[str, Callable[..., Any]]] = module.LEVELS
    return levels, "" if levels else "it is for newer processors"


def _chosen() -> str:
    form = os.environ.get(CHOICE, "")
    if form not in ("", EXTENSION, NUMBA, PYTHON, BUILD):
        raise ValueError(f"{CHOICE} is {form!r}; use {EXTENSION}, {NUMBA} or {PYTHON}")
    if form in (PYTHON, BUILD):
        return form
    if form != NUMBA:
        levels, reason = extension()
        if levels:
            return EXTENSION
        if form == EXTENSION:
            raise ImportError(f"the kernels' extension cannot be used: {reason}")
    if _numba_compiles_nothing():
        return PYTHON
    if find_spec("numba") is None:
        _, reason = extension()
        raise ImportError(f"the kernels' extension cannot be used ({reason}), and Numba is missing: pip install numba")
    return NUMBA


def _numba_compiles_nothing() -> bool:
    """Returns whether Numba is set to leave functions as they are, by the environment or by the program."""
    numba: Any = sys.modules.get("numba")
    if numba is not None:
        return bool(numba.config.DISABLE_JIT)
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


FORM: Final = _chosen()

COMPILED: Final = FORM in (NUMBA, BUILD)
"""Whether Numba compiles the kernels in this process."""


def functions() -> dict[str, Callable[..., Any]]:
    """Returns the extension's entry points for this processor, by name."""
    return next(iter(extension()[0].values()))


def description() -> str:
    """Returns the form in words, with the level of processor of an extension."""
    if FORM == EXTENSION:
        return f"extension for {next(iter(extension()[0]))}"
    if FORM == NUMBA:
        return "Numba, for this processor"
    return "plain Python, uncompiled"
