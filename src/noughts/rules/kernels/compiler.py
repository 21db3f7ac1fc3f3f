"""How Numba is made to compile the kernels in a third of its usual time. All that touches Numba's private API is here.

Most of compiling is Numba's own work on each function, not LLVM's. So

- a *part*, a function that only other compiled functions call, is typed and lowered once for all its callers, whatever
  integers they pass, and LLVM makes it part of them. No machine code is made of it alone. It is kept on disk, so that
  the next program need not type it either;
- what typing found out about an operator on certain types is remembered, not sought anew at each `+` and `[]`;
- an *entry*, a function that Python calls, is optimised once. Numba does it twice and function by function, to prune
  reference counts, and these functions have none.

The contract: compiled code gives the same results as plain Numba's, and runs as fast. What is private and used here:

    compiler.CompilerBase, DefaultPassBuilder    a pipeline with our own lowering in the place of NativeLowering
    Flags.no_compile                             lowering makes no machine code
    codegen.JITCodeLibrary                       when modules are linked, optimised, and made machine code
    JITCPUCodegen._module_pass_manager           LLVM's passes, as Numba sets them up
    base.BaseContext.insert_user_function        callers find the code of a part
    Dispatcher._compiler.fold_argument_types     the types that a part is compiled for
    Dispatcher._cache, caching.NullCache         where compiled code is sought and kept
    compiler.compile_result                      what is found there
    CompileResult._reduce, _rebuild              machine code as bytes, and callable again
    Dispatcher.targetctx, add_overload           where such code is entered, as if it had been compiled here
    JITCodeLibrary._get_module_for_linking       the code of a part, for its callers
    types.BaseFunction.get_call_type             typing of operators, for the time of a compile only
    config._config_fname                         where Numba looks for a file of settings
    arraymath._HAVE_BLAS                         whether Numba has linear algebra, without importing SciPy for it

Numba 0.61 to 0.68 have all of it. Where one is missing, and with NOUGHTS_PLAIN_NUMBA=1, `COMPILES_FAST` is false and
`jit` compiles in Numba's usual way: that takes twice to three times as long, and nothing else changes.

Numba reads settings from a file `.numba_config.yaml` of the current folder, which may be anybody's. So it is imported
here before any other module does, and not shown that file.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from noughts.cache import PACKAGE
from noughts.interpreter import own_folder

NUMBA_FILE = ".numba_config.yaml"


def _import_numba() -> Any:
    with own_folder() if os.path.exists(NUMBA_FILE) else nullcontext():
        numba = import_module("numba")
    # It looks again whenever it compiles.
    numba.core.config._config_fname = str(PACKAGE / NUMBA_FILE)
    _skip_scipy()
    return numba


def _skip_scipy() -> None:
    """Imports `numba.np.arraymath` without SciPy, which it imports only to see whether it is there.

    That takes a fifth of a warm start. Numba imports SciPy again when a function calls for linear algebra.
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


numba: Any = _import_numba()

FAST_WANTED = not numba.config.DISABLE_JIT and os.environ.get("NOUGHTS_PLAIN_NUMBA", "0") in ("", "0")
"""Whether to compile kernels in the way of this module, if Numba allows it."""

COMPILES_FAST = False
"""Whether kernels are compiled in the way of this module."""

PIPELINES: dict[str, type] = {}
"""Numba's compiler for an "entry", for a "part", and for an "optimised part"."""

try:
    import llvmlite
    from llvmlite import binding as llvm
    from numba import types
    from numba.core import serialize
    from numba.core.base import BaseContext
    from numba.core.caching import NullCache
    from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
    from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, Flags, compile_result
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.compiler_machinery import register_pass
    from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
    from numba.core.typed_passes import NativeLowering
    from numba.core.types import BaseFunction

    class _EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
        """Code that is optimised as a whole, and once."""

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

        def _optimize_final_module(self) -> None:
            manager = self._codegen._module_pass_manager()
            # Since 0.62 there is a pass builder too, which `run` wants.
            manager, *builder = manager if isinstance(manager, tuple) else (manager,)
            manager.run(self._final_module, *builder)

    class _OptimisedPartLibrary(_EntryLibrary):
        """Code that is linked into others, and never run by itself."""

        def _finalize_final_module(self) -> None:
            self._finalized = True

    class _PartLibrary(_OptimisedPartLibrary):
        """The same, optimised only there."""

        def _optimize_final_module(self) -> None:
            pass

    class _LowerEntry(NativeLowering):  # type: ignore[misc]
        def run_pass(self, state: Any) -> bool:
            state.library = _EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return bool(super().run_pass(state))

    class _LowerPart(NativeLowering):  # type: ignore[misc]
        library_class: type = _PartLibrary

        def run_pass(self, state: Any) -> bool:
            state.library = self.library_class(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            super().run_pass(state)
            lowered = state["cr"]
            point = _stand_in()
            state.targetctx.insert_user_function(point, lowered.fndesc, [state.library])
            state["cr"] = lowered._replace(cfunc=point)
            _step()
            return True

    class _LowerOptimisedPart(_LowerPart):
        library_class = _OptimisedPartLibrary

    class _Part:
        """What stands for the machine code of a part."""

    def _stand_in() -> Any:
        """Numba knows compiled code by its entry point, and wants a built-in function. A part has none that can be
        called: this one stands for it, and refuses whatever it is called with."""
        return _Part().__format__

    class _KeptParts(NullCache):  # type: ignore[misc]
        """The lowered code of a part, kept on disk by the types of its arguments: other programs need not type it anew.

        Numba asks for it before it compiles, and gives it after that. A file that is damaged, or cannot be written, is
        as good as none.
        """

        def __init__(self, function: Any, folder: Path) -> None:
            self._name = f"{function.__module__}.{function.__qualname__}"
            self._folder = folder

        def _path(self, signature: Any, context: Any) -> Path:
            versions = numba.__version__, llvmlite.__version__, sys.version_info, context.codegen().magic_tuple()
            digest = hashlib.sha256(f"{versions} {signature}".encode()).hexdigest()
            return self._folder / f"{self._name}-{digest[:16]}.part"

        def load_overload(self, signature: Any, context: Any) -> Any:
            try:
                descriptor, typed, bitcode = pickle.loads(self._path(signature, context).read_bytes())
                module = llvm.parse_bitcode(bitcode)
            except Exception:  # of a damaged file anything can come
                return None
            library = _OptimisedPartLibrary(context.codegen(), descriptor.qualname)
            library._final_module = library._shared_module = module
            library._finalized = True
            _step()
            return compile_result(
                target_context=context,
                typing_context=context.typing_context,
                entry_point=_stand_in(),
                signature=typed,
                objectmode=False,
                fndesc=descriptor,
                library=library,
            )

        def save_overload(self, signature: Any, compiled: Any) -> None:
            compiled.fndesc.typemap = compiled.fndesc.calltypes = None  # not needed any more, and large
            bitcode = compiled.library._get_module_for_linking().as_bitcode()
            path = self._path(signature, compiled.target_context)
            new = path.with_name(f"{path.name}.{os.getpid()}")
            try:
                self._folder.mkdir(mode=0o700, exist_ok=True)
                new.write_bytes(serialize.dumps((compiled.fndesc, compiled.signature, bitcode)))
                new.replace(path)
            except OSError:
                new.unlink(missing_ok=True)

    def _pipeline(name: str, lowering: type) -> type:
        """Numba's compiler with another way of lowering."""
        lowering._name = f"noughts_{name}"  # type: ignore[attr-defined]
        lowering = register_pass(mutates_CFG=True, analysis_only=False)(lowering)

        class Compiler(CompilerBase):  # type: ignore[misc]
            def define_pipelines(self) -> list[Any]:
                manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
                usual = [step for step, _ in manager.passes]
                manager.passes[usual.index(NativeLowering)] = (lowering, name)
                manager._finalized = False
                manager.finalize()
                return [manager]

        return Compiler

    PIPELINES["entry"] = _pipeline("entry", _LowerEntry)
    PIPELINES["part"] = _pipeline("part", _LowerPart)
    PIPELINES["optimised part"] = _pipeline("optimised_part", _LowerOptimisedPart)
    NARROW = (types.int8, types.int16, types.int32)
    PLAIN = (types.Number, types.Boolean, types.Array, types.IntegerLiteral)
    _operators: Any = BaseFunction
    _get_call_type = _operators.get_call_type
    REQUIRED: list[tuple[Any, str]] = [
        (DefaultPassBuilder, "define_nopython_pipeline"),
        (Flags, "no_compile"),
        (JITCodeLibrary, "_optimize_functions"),
        (JITCodeLibrary, "_optimize_final_module"),
        (JITCodeLibrary, "_finalize_final_module"),
        (JITCodeLibrary, "_get_module_for_linking"),
        (NullCache, "load_overload"),
        (NullCache, "save_overload"),
        (JITCPUCodegen, "_module_pass_manager"),
        (BaseContext, "insert_user_function"),
        (_FunctionCompiler, "fold_argument_types"),
        (BaseFunction, "get_call_type"),
        (CompileResult, "_reduce"),
        (CompileResult, "_rebuild"),
    ]
    COMPILES_FAST = FAST_WANTED and all(hasattr(owner, name) for owner, name in REQUIRED)
except (ImportError, AttributeError):  # another Numba
    pass

_found: dict[Any, Any] = {}


def _nothing() -> None:
    pass


_step: Callable[[], None] = _nothing


def keep_in(dispatcher: Any, folder: Path) -> None:
    """Keep what is lowered of a part, and take it from there."""
    dispatcher._cache = _KeptParts(dispatcher.py_func, folder)


LEVELS = {
    "x86_64": ("x86-64-v3", "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 ssse3 sse4.1 sse4.2"),
    "aarch64": ("generic", ""),
}
"""By architecture: the processors that the code in a wheel is for, as LLVM calls them, and the features that they have
and others may lack. x86-64-v3 is most x86-64 since 2013 (Intel) and 2015 (AMD)."""


def level() -> tuple[str, str]:
    """The entry of `LEVELS` for this architecture."""
    machine = platform.machine()
    return LEVELS.get({"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine), (machine, ""))


def target(sources: str) -> dict[str, str]:
    """What machine code of these sources must be made for to run in this process."""
    return {
        "system": llvm.get_process_triple().rstrip("0123456789."),  # a Mac adds its version
        "Python": sys.implementation.cache_tag + getattr(sys, "abiflags", ""),
        "Numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "processor": level()[0],
        "kernels": sources,
    }


def refusal(made_for: dict[str, str], sources: str) -> str | None:
    """Why machine code cannot run in this process, None if it can."""
    config = numba.config
    if not COMPILES_FAST or config.CPU_NAME or config.CPU_FEATURES or not config.ENABLE_AVX:
        return "settings of Numba or its version ask for other code"
    here = target(sources)
    for part in here:
        if made_for.get(part) != here[part]:
            return f"it is for {part} {made_for.get(part)}, and here is {here[part]}"
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know
        features = {}
    lacking = [name for name in level()[1].split() if not features.get(name)]
    return f"it is for {here['processor']}, and this processor lacks {' '.join(lacking)}" if lacking else None


def code_name(function: Any) -> str:
    """The name of the file with the machine code of an entry."""
    return f"{function.__module__}.{function.__name__}"


def save_code(dispatcher: Any, folder: Path) -> None:
    """Writes the machine code of an entry, after its checksum."""
    (compiled,) = dispatcher.overloads.values()
    *parts, _, reload_init, environments = compiled._reduce()
    # Without the listing of its types, which is half of it and names the folder of the build.
    code = serialize.dumps((*parts, "", reload_init, environments))
    (folder / code_name(dispatcher.py_func)).write_bytes(hashlib.sha256(code).digest() + code)


def load_code(dispatcher: Any, folder: Path) -> None:
    """Makes an entry run the machine code that `save_code` wrote. LLVM links it and compiles nothing.

    What Numba compiles for stays as it is. ValueError for a damaged file, for which LLVM would end the process.
    """
    data = (folder / code_name(dispatcher.py_func)).read_bytes()
    code = data[hashlib.sha256().digest_size :]
    if not data.startswith(hashlib.sha256(code).digest()):
        raise ValueError("its checksum is wrong")
    context = dispatcher.targetctx
    with global_compiler_lock:
        context.refresh()
        compiled = CompileResult._rebuild(context, *pickle.loads(code))
        context.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        dispatcher.add_overload(compiled)
    dispatcher.disable_compile()


def widen_arguments(dispatcher: Any) -> None:
    """Let a known number, or one out of an array of smaller integers, make no copy of a part of its own."""
    compiler = dispatcher._compiler
    fold = compiler.fold_argument_types

    def widened(kind: Any) -> Any:
        kind = types.unliteral(kind)
        return types.int64 if kind in NARROW else kind

    def fold_argument_types(args: Any, kws: Any) -> tuple[Any, tuple[Any, ...]]:
        signature, kinds = fold(args, kws)
        return signature, tuple(map(widened, kinds))

    compiler.fold_argument_types = fold_argument_types


@contextmanager
def remembering(step: Callable[[], None]) -> Iterator[None]:
    """While compiling, remember which implementation of an operator fits numbers and arrays of certain types.

    `step` is called whenever a function is typed and lowered, or found so.
    """
    global _step

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(kind, PLAIN) for kind in args):
            return _get_call_type(self, context, args, kws)
        key = self, args
        if key not in _found:
            _found[key] = _get_call_type(self, context, args, kws)
        return _found[key]

    with global_compiler_lock:
        _operators.get_call_type = get_call_type
        _step = step
        try:
            yield
        finally:
            _operators.get_call_type = _get_call_type
            _step = _nothing
