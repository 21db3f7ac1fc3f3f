"""Imports Numba, if the kernels' form needs it. Only this module does.

Numba reads settings from a file `.numba_config.yaml` in the current folder, which anyone may have put there. This
module therefore imports Numba before any other does, and hides that file from it.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
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


if COMPILED or "numba" in sys.modules:
    numba = _import_numba()
    cgutils = import_module("numba.core.cgutils")
    types = import_module("numba.core.types")
    intrinsic = import_module("numba.extending").intrinsic
    ir = import_module("llvmlite.ir")
