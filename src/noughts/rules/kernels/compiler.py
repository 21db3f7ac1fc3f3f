"""Makes Numba compile the kernels in a third of its usual time. Only this module uses Numba's private API.

Most of the compile time is Numba's own work on each function, not LLVM's. Therefore:

- a *part*, a function that only other compiled functions call, is typed and lowered once for all its callers, whatever
  integers they pass, and LLVM inlines it into them. It has no machine code of its own. It is cached on disk, so that
  the next program does not type it either;
- the implementation of an operator for given types is remembered instead of resolved again at each `+` and `[]`;
- an *entry*, a function that Python calls, is optimised once. Numba does that twice, function by function, to prune
  reference counts, which these functions do not have;
- indices are used as they are. In Numba a negative index counts from the end, and the code for that made random games
  5 to 15% slower. Kernels use no negative index; NUMBA_BOUNDSCHECK=1 catches one.

The contract: compiled code gives the same results as plain Numba's, and runs at least as fast. Private names in use:

    compiler.CompilerBase, DefaultPassBuilder    a pipeline with our own lowering in the place of NativeLowering
    Flags.no_compile                             lowering makes no machine code
    codegen.JITCodeLibrary                       when modules are linked, optimised and compiled
    JITCPUCodegen._module_pass_manager           LLVM's passes, as Numba sets them up
    base.BaseContext.insert_user_function        callers find the code of a part
    Dispatcher._compiler.fold_argument_types     the types that a part is compiled for
    Dispatcher._cache, caching.NullCache         where compiled code is looked up and stored
    caching.Cache._load_overload, _guard_...     code from the cache, without the tables that only compiling needs
    compiler.compile_result                      the result of such a lookup
    CompileResult._reduce, _rebuild              machine code as bytes, and callable again
    Dispatcher.targetctx, add_overload           registers such code as if compiled in this process
    JITCodeLibrary._get_module_for_linking       the code of a part, for its callers
    types.BaseFunction.get_call_type             typing of operators, patched only while compiling
    arrayobj.fix_integer_index                   negative indices, patched only while compiling
    config._config_fname                         path of Numba's settings file
    arraymath._HAVE_BLAS                         whether Numba has linear algebra, without importing SciPy for it

Numba 0.61 to 0.68 have all of them. If one is missing, or with NOUGHTS_PLAIN_NUMBA=1, `COMPILES_FAST` is false and
`jit` compiles in Numba's usual way, which takes two to three times as long and changes nothing else.

Numba reads settings from a file `.numba_config.yaml` in the current folder, which anyone may have put there. This
module hides that file while it imports Numba; all other modules take from here what they use of Numba.
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
    # Numba reads the settings again whenever it compiles.
    numba.core.config._config_fname = str(PACKAGE / NUMBA_FILE)
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


numba: Any = _import_numba()
cgutils: Any = import_module("numba.core.cgutils")
types: Any = import_module("numba.core.types")
intrinsic: Any = import_module("numba.extending").intrinsic

FAST_WANTED = not numba.config.DISABLE_JIT and os.environ.get("NOUGHTS_PLAIN_NUMBA", "0") in ("", "0")
"""Whether to compile kernels with this module's pipeline, if Numba allows it."""

COMPILES_FAST = False
"""Whether kernels are compiled with this module's pipeline."""

PIPELINES: dict[str, type] = {}
"""Numba's compiler for an "entry", for a "part", and for an "optimised part"."""

try:
    import llvmlite
    from llvmlite import binding as llvm
    from numba.core import serialize
    from numba.core.base import BaseContext
    from numba.core.caching import Cache, NullCache
    from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
    from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, Flags, compile_result
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.compiler_machinery import register_pass
    from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
    from numba.core.typed_passes import NativeLowering
    from numba.core.types import BaseFunction
    from numba.np import arrayobj

    class _EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
        """Code that is optimised once, as a whole."""

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

        def _optimize_final_module(self) -> None:
            manager = self._codegen._module_pass_manager()
            # Numba 0.62 and later pass a pass builder too, which `run` needs.
            manager, *builder = manager if isinstance(manager, tuple) else (manager,)
            manager.run(self._final_module, *builder)

    class _OptimisedPartLibrary(_EntryLibrary):
        """Optimised code that is linked into its callers and never runs by itself."""

        def _finalize_final_module(self) -> None:
            self._finalized = True

    class _PartLibrary(_OptimisedPartLibrary):
        """Code that is linked into its callers, and optimised only there."""

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
        """Stands for the machine code of a part."""

    def _stand_in() -> Any:
        """Stands in for the entry point of a part, and raises whenever it is called.

        Numba identifies compiled code by its entry point, which must be a built-in function. A part has none to call.
        """
        return _Part().__format__

    class _KeptParts(NullCache):  # type: ignore[misc]
        """The lowered code of a part, cached on disk by its argument types, so that other programs do not type it
        again.

        Numba looks it up before it compiles, and stores it afterwards. A damaged or unwritable file counts as missing.
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
            except Exception:  # a damaged file can raise anything
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
            compiled.fndesc.typemap = compiled.fndesc.calltypes = None  # no longer needed, and large
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
        """Returns Numba's compiler with another lowering step."""
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
    _indexing: Any = arrayobj
    _fix_integer_index = _indexing.fix_integer_index
    _caching: Any = Cache
    _load_overload = _caching.load_overload
    REQUIRED: list[tuple[Any, str]] = [
        (DefaultPassBuilder, "define_nopython_pipeline"),
        (Flags, "no_compile"),
        (JITCodeLibrary, "_optimize_functions"),
        (JITCodeLibrary, "_optimize_final_module"),
        (JITCodeLibrary, "_finalize_final_module"),
        (JITCodeLibrary, "_get_module_for_linking"),
        (NullCache, "load_overload"),
        (NullCache, "save_overload"),
        (Cache, "_load_overload"),
        (Cache, "_guard_against_spurious_io_errors"),
        (JITCPUCodegen, "_module_pass_manager"),
        (BaseContext, "insert_user_function"),
        (_FunctionCompiler, "fold_argument_types"),
        (BaseFunction, "get_call_type"),
        (arrayobj, "fix_integer_index"),
        (CompileResult, "_reduce"),
        (CompileResult, "_rebuild"),
    ]
    COMPILES_FAST = FAST_WANTED and all(hasattr(owner, name) for owner, name in REQUIRED)
except (ImportError, AttributeError):  # a Numba without these names
    pass

_found: dict[Any, Any] = {}


def _nothing() -> None:
    pass


_step: Callable[[], None] = _nothing


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Replaces `fix_integer_index`."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


def _load_only(cache: Any, signature: Any, context: Any) -> Any:
    """Replaces `Cache.load_overload`, which first fills the tables of Numba's types and operators. That takes 0.06 s,
    and Numba does it again when it compiles."""
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, context)


def keep_in(dispatcher: Any, folder: Path) -> None:
    """Caches the lowered code of a part in `folder`, and loads it from there."""
    dispatcher._cache = _KeptParts(dispatcher.py_func, folder)


LEVELS = {
    "x86_64": ("x86-64-v3", "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 ssse3 sse4.1 sse4.2"),
    "aarch64": ("generic", ""),
}
"""By architecture: the processors that the code in a wheel is for, as LLVM calls them, and the features that they have
and others may lack. x86-64-v3 is most x86-64 since 2013 (Intel) and 2015 (AMD)."""


def level() -> tuple[str, str]:
    """Returns the entry of `LEVELS` for this architecture."""
    machine = platform.machine()
    return LEVELS.get({"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine), (machine, ""))


def target(sources: str) -> dict[str, str]:
    """Returns the platform that machine code of these sources must be built for to run in this process."""
    return {
        "system": llvm.get_process_triple().rstrip("0123456789."),  # macOS adds its version
        "Python": sys.implementation.cache_tag + getattr(sys, "abiflags", ""),
        "Numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "processor": level()[0],
        "kernels": sources,
    }


def refusal(made_for: dict[str, str], sources: str) -> str | None:
    """Returns why machine code cannot run in this process; None if it can."""
    config = numba.config
    if not COMPILES_FAST or config.CPU_NAME or config.CPU_FEATURES or not config.ENABLE_AVX:
        return "Numba's settings or version need other code"
    here = target(sources)
    for part in here:
        if made_for.get(part) != here[part]:
            return f"built for {part} {made_for.get(part)}; this machine has {here[part]}"
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # unknown to LLVM
        features = {}
    lacking = [name for name in level()[1].split() if not features.get(name)]
    return f"built for {here['processor']}; this processor lacks {' '.join(lacking)}" if lacking else None


def code_name(function: Any) -> str:
    """Returns the name of the file with the machine code of an entry."""
    return f"{function.__module__}.{function.__name__}"


def save_code(dispatcher: Any, folder: Path) -> None:
    """Writes the machine code of an entry, preceded by its checksum."""
    (compiled,) = dispatcher.overloads.values()
    *parts, _, reload_init, environments = compiled._reduce()
    # Left out: the list of types, which is half of it and names the folder of the build.
    code = serialize.dumps((*parts, "", reload_init, environments))
    (folder / code_name(dispatcher.py_func)).write_bytes(hashlib.sha256(code).digest() + code)


def load_code(dispatcher: Any, folder: Path) -> None:
    """Makes an entry run the machine code that `save_code` wrote. LLVM links it and compiles nothing.

    The target that Numba compiles for does not change. Raises ValueError for a damaged file, which would make LLVM end
    the process.
    """
    data = (folder / code_name(dispatcher.py_func)).read_bytes()
    code = data[hashlib.sha256().digest_size :]
    if not data.startswith(hashlib.sha256(code).digest()):
        raise ValueError("its checksum is wrong")
    context = dispatcher.targetctx
    with global_compiler_lock:
        compiled = CompileResult._rebuild(context, *pickle.loads(code))
        context.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        dispatcher.add_overload(compiled)
    dispatcher.disable_compile()


def widen_arguments(dispatcher: Any) -> None:
    """Compiles one version of a part for all integer types, including literals and smaller integers from arrays."""
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
def patched_numba(step: Callable[[], None]) -> Iterator[None]:
    """While compiling, remembers which implementation of an operator fits numbers and arrays of given types, and takes
    indices as they are: kernels index with no negative number, and need no code that makes one count from the end.
    Loads cached code without preparing to compile.

    Calls `step` whenever a function is typed and lowered, or loaded.
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
        _indexing.fix_integer_index = _index_as_it_is
        _caching.load_overload = _load_only
        _step = step
        try:
            yield
        finally:
            _operators.get_call_type = _get_call_type
            _indexing.fix_integer_index = _fix_integer_index
            _caching.load_overload = _load_overload
            _step = _nothing
