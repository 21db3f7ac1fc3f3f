"""Builds `noughts._kernels`, an extension module with the compiled kernels that needs no Numba to run.

    python build_kernels.py              into src/noughts, for use in this clone
    python build_kernels.py FOLDER       into another folder; prints the path of the extension

Numba translates every entry point of `rules/kernels/entries.py` to LLVM's intermediate representation. For each level
of processor, LLVM optimises it as one module and writes an object file. A C compiler links them with a wrapper that is
generated here, checks Python's arguments, and calls them.

Needs Numba, NumPy 2 and a C compiler: `CC`, or cc, gcc, clang, or `python -m ziglang cc` (pip install ziglang). The
extension uses Python's limited API, so it runs with every CPython from 3.11 on, and NumPy's stable one.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "src" / "noughts"

LEVELS = {"x86_64": ("x86-64-v3", "x86-64-v2"), "aarch64": ("generic",)}
"""By architecture: LLVM's names of the processors to build for, the best first. The extension chooses at import.
x86-64-v2 is every x86-64 since 2009, v3 most since 2013 (Intel) and 2015 (AMD)."""

SYMBOLS = ("noughts_clock", "noughts_can_deposit", "noughts_deposit_bits")
"""Functions that compiled code calls, and each system or level of processor defines: see `timeman` and `bits`."""

WITH_DEPOSIT = """
declare i64 @llvm.x86.bmi.pdep.64(i64, i64)
define i1 @noughts_can_deposit() alwaysinline { ret i1 true }
define i64 @noughts_deposit_bits(i64 %bits, i64 %mask) alwaysinline {
    %result = call i64 @llvm.x86.bmi.pdep.64(i64 %bits, i64 %mask)
    ret i64 %result
}
"""
WITHOUT_DEPOSIT = """
define i1 @noughts_can_deposit() alwaysinline { ret i1 false }
define i64 @noughts_deposit_bits(i64 %bits, i64 %mask) alwaysinline { unreachable }
"""

C_TYPES = {"int64": "int64_t", "uint64": "uint64_t", "float64": "double", "boolean": "uint8_t"}
"""The C types of numbers, by their names in Numba."""

HEAD = r"""
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <stdint.h>
#include <string.h>

/* The clock of Python's time.monotonic, in nanoseconds. */
#if defined(_WIN32)
#include <windows.h>
int64_t noughts_clock(void) {
    if (Py_Version < 0x030d0000) return (int64_t)GetTickCount64() * 1000000;
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&frequency);
    return ticks.QuadPart / frequency.QuadPart * 1000000000
        + ticks.QuadPart % frequency.QuadPart * 1000000000 / frequency.QuadPart;
}
#else
#include <time.h>
int64_t noughts_clock(void) {
#if defined(__APPLE__)
    return (int64_t)clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return (int64_t)moment.tv_sec * 1000000000 + moment.tv_nsec;
#endif
}
#endif

/* Whether this processor has what a level of x86-64 needs, and whether the system saves its registers. */
#if defined(__x86_64__)
#include <cpuid.h>
#define HAS(word, mask) (((word) & (mask)) == (mask))
static int has_level(const char* level) {
    unsigned a, b, c, d, features, extended = 0, wide = 0, low, high;
    if (!__get_cpuid(1, &a, &b, &features, &d)) return 0;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d)) extended = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) wide = b;
    /* SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF */
    if (!HAS(features, 1 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 23) || !HAS(extended, 1)) return 0;
    if (strcmp(level, "x86-64-v2") == 0) return 1;
    /* FMA, MOVBE, OSXSAVE, AVX, F16C; LZCNT; BMI1, AVX2, BMI2 */
    if (!HAS(features, 1 << 12 | 1 << 22 | 1 << 27 | 1 << 28 | 1 << 29) || !HAS(extended, 1 << 5)) return 0;
    if (!HAS(wide, 1 << 3 | 1 << 5 | 1 << 8)) return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return HAS(low, 6);
}
#else
static int has_level(const char* level) { return 1; }
#endif

static int is_array(PyObject* object, int type, char kind, int size, int dimensions, const char* expected) {
    if (Py_IS_TYPE(object, &PyArray_Type) || PyArray_Check(object)) {
        PyArrayObject* array = (PyArrayObject*)object;
        PyArray_Descr* its = PyArray_DESCR(array);
        int wanted = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
        if ((its->type_num == type || (its->kind == kind && PyArray_ITEMSIZE(array) == size))
            && PyArray_NDIM(array) == dimensions && (PyArray_FLAGS(array) & wanted) == wanted
            && its->byteorder != NPY_OPPBYTE)
            return 1;
    }
    PyErr_SetString(PyExc_TypeError, expected);
    return 0;
}

static inline int64_t as_int64(PyObject* object) { return PyLong_AsLongLong(object); }

static inline uint64_t as_uint64(PyObject* object) {
    PyObject* number = PyNumber_Index(object);  /* PyLong_AsUnsignedLongLong takes only Python's own integers */
    if (!number) return (uint64_t)-1;
    uint64_t value = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return value;
}

static inline double as_float64(PyObject* object) { return PyFloat_AsDouble(object); }

static inline PyObject* from_int64(int64_t value) { return PyLong_FromLongLong(value); }
static inline PyObject* from_uint64(uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
static inline PyObject* from_float64(double value) { return PyFloat_FromDouble(value); }
static inline PyObject* from_boolean(uint8_t value) { return PyBool_FromLong(value); }
"""

TAIL = r"""
static int add_level(PyObject* levels, const char* level, PyMethodDef* methods) {
    if (!has_level(level)) return 0;
    PyObject* functions = PyDict_New();
    int failed = !functions || PyDict_SetItemString(levels, level, functions);
    for (PyMethodDef* method = methods; !failed && method->ml_name; method++) {
        PyObject* function = PyCFunction_New(method, NULL);
        failed = !function || PyDict_SetItemString(functions, method->ml_name, function);
        Py_XDECREF(function);
    }
    Py_XDECREF(functions);
    return failed;
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_kernels", 0, -1, 0};

PyMODINIT_FUNC PyInit__kernels(void) {
    import_array();
    PyObject* module = PyModule_Create(&definition);
    PyObject* levels = PyDict_New();
    if (!module || !levels || %(add_levels)s
        || PyModule_AddStringConstant(module, "SOURCES", "%(sources)s")
        || PyModule_AddObjectRef(module, "LEVELS", levels)) {
        Py_CLEAR(module);
    }
    Py_XDECREF(levels);
    return module;
}
"""


# From Python to LLVM's intermediate representation, in a process for each group of modules.


def write_representation(modules: Sequence[str], path: Path) -> None:
    """Writes the entry points of some modules as one LLVM module, not optimised, and what the wrapper must know."""
    import llvmlite.binding as llvm
    from numba import njit

    from noughts.rules.kernels import jit
    from noughts.rules.kernels.compiler import patched_numba
    from noughts.rules.kernels.entries import ENTRY_POINTS

    for symbol in SYMBOLS:
        llvm.add_symbol(symbol, 1)  # Numba asks for the addresses, and calls nothing
    whole, entries = llvm.parse_assembly(""), {}
    for module in modules:
        for name in ENTRY_POINTS[module].split():
            function = getattr(import_module(module), name)
            python, options = function.py_func, dict(function.targetoptions)
            options.pop("nopython", None)
            with patched_numba():
                compiled = njit(jit.signature(python), **options)(python)
            whole.link_in(llvm.parse_assembly(_representation(compiled, f"noughts_{name}")))
            entries[name] = {
                "result": _described(compiled.nopython_signatures[0].return_type),
                "arguments": [_described(kind) for kind in compiled.signatures[0]],
                "names": list(python.__code__.co_varnames[: python.__code__.co_argcount]),
                "releases": bool(options["nogil"]),
                "doc": (python.__doc__ or "").partition("\n")[0],
            }
    path.write_bytes(whole.as_bitcode())
    path.with_suffix(".json").write_text(json.dumps({"entries": entries, "sources": jit.form.kernel_hash()}))


def _representation(compiled, symbol: str) -> str:
    """Returns the intermediate representation of a compiled entry point, under its symbol."""
    text = compiled.inspect_llvm(compiled.signatures[0])
    (mangled,) = (result.fndesc.llvm_func_name for result in compiled.overloads.values())
    text = text.replace(f'@"{mangled}"', f"@{symbol}").replace(f"@{mangled}(", f"@{symbol}(")
    # A variable that Numba keeps for each function, and that these do not use.
    return re.sub(r"= common (local_unnamed_addr )?global", "= internal global", text)


def _described(kind) -> dict[str, object]:
    """Returns a type of Numba's as the wrapper needs it: its name, and an array's dimensions and size of an item."""
    from numba import types
    from numba.np.numpy_support import as_dtype

    if isinstance(kind, types.Array):
        return {"name": str(kind.dtype), "dimensions": kind.ndim, "size": as_dtype(kind.dtype).itemsize}
    if isinstance(kind, types.BaseTuple):
        return {"name": "tuple", "parts": [_described(part) for part in kind.types]}
    return {"name": str(kind)}


# From there to object files.


def write_object(parts: Sequence[Path], level: str, path: Path) -> None:
    """Links the parts of the intermediate representation, optimises them for a level, and writes the machine code."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    # Windows: what `ziglang cc` links.
    triple = "x86_64-w64-windows-gnu" if sys.platform == "win32" else llvm.get_default_triple()
    target = llvm.Target.from_triple(triple).create_target_machine(cpu=level, opt=3, reloc="pic", codemodel="default")
    whole = llvm.parse_bitcode(parts[0].read_bytes())
    for part in parts[1:]:
        whole.link_in(llvm.parse_bitcode(part.read_bytes()))
    whole.link_in(llvm.parse_assembly(WITH_DEPOSIT if level == "x86-64-v3" else WITHOUT_DEPOSIT))
    whole.triple = triple
    for function in whole.functions:
        if function.is_declaration:
            continue
        if function.name.startswith("noughts_") and function.name not in SYMBOLS:
            function.name = _symbol(function.name.removeprefix("noughts_"), level)
            function.visibility = "hidden"
        else:
            function.linkage = "internal"
    whole.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(whole, builder)
    path.write_bytes(target.emit_object(whole))


def _symbol(name: str, level: str) -> str:
    return f"noughts_{name}_{re.sub(r'[^a-z0-9]', '_', level)}"


# The wrapper.


def wrapper(sources: str, levels: Sequence[str], entries: dict[str, dict]) -> str:
    """Returns the C code of the module."""
    code = [HEAD]
    for number, level in enumerate(levels):
        code += [
            _function(name, f"call_{number}_{name}", _symbol(name, level), entry) for name, entry in entries.items()
        ]
        rows = (
            f'    {{"{name}", (PyCFunction)(void*)call_{number}_{name}, METH_FASTCALL, {_text(_doc(name, entry))}}},\n'
            for name, entry in entries.items()
        )
        code.append(f"static PyMethodDef methods_{number}[] = {{\n{''.join(rows)}    {{0, 0, 0, 0}}}};\n")
    added = (f'add_level(levels, "{level}", methods_{number})' for number, level in enumerate(levels))
    return "".join(code) + TAIL % {"add_levels": " || ".join(added), "sources": sources}


def _doc(name: str, entry: dict) -> str:
    return f"{name}({', '.join(entry['names'])}, /)\n--\n\n{entry['doc']}"


def _text(text: str) -> str:
    """Returns a string constant of C."""
    return json.dumps(text)


def _function(name: str, function: str, symbol: str, entry: dict) -> str:
    """Returns the C function that checks Python's arguments, calls an entry point, and returns its result.

    Numba passes an array as seven values or more: two that only its own memory management uses, the number of items,
    the size of one, the data, and its shape and strides. The result is written to the first argument.
    """
    count = len(entry["arguments"])
    parameters, values, checks, declarations = [], [], [], []
    for i, kind in enumerate(entry["arguments"]):
        given, argument = f"arguments[{i}]", f"a{i}"
        if "dimensions" in kind:
            dimensions = kind["dimensions"]
            checks.append(_array_check(name, entry["names"][i], given, kind))
            declarations.append(f"    PyArrayObject* {argument} = (PyArrayObject*){given};\n")
            parameters += ["void*", "void*", "int64_t", "int64_t", "void*", *["int64_t"] * (2 * dimensions)]
            shape = [f"PyArray_DIM({argument}, {d})" for d in range(dimensions)]
            values += ["0", "0", " * ".join(shape), str(kind["size"]), f"PyArray_DATA({argument})", *shape]
            values += [f"PyArray_STRIDE({argument}, {d})" for d in range(dimensions)]
        else:
            c_type = C_TYPES[kind["name"]]
            declarations.append(f"    {c_type} {argument} = as_{kind['name']}({given});\n")
            declarations.append(f"    if ({argument} == ({c_type})-1 && PyErr_Occurred()) return NULL;\n")
            parameters.append(c_type)
            values.append(argument)
    result_type, result = _result(entry["result"])
    call = f"int32_t status = {symbol}(&result, &error, {', '.join(values)});"
    if entry["releases"]:
        call = f"PyThreadState* thread = PyEval_SaveThread();\n    {call}\n    PyEval_RestoreThread(thread);"
    return f"""
extern int32_t {symbol}({result_type}*, void**, {", ".join(parameters)});
static PyObject* {function}(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {{
    if (count != {count}) {{
        PyErr_Format(PyExc_TypeError, "{name} takes {count} arguments, not %zd", count);
        return NULL;
    }}
{"".join(checks)}{"".join(declarations)}    {result_type} result;
    memset(&result, 0, sizeof result);
    void* error = 0;
    {call}
    if (status != 0 && status != -2) {{  /* -2: it returned None */
        PyErr_SetString(PyExc_RuntimeError, "{name} failed");
        return NULL;
    }}
    return {result};
}}
"""


def _array_check(name: str, argument: str, given: str, kind: dict) -> str:
    """Returns the C statement that refuses anything but the array that an entry point takes."""
    of = kind["name"]
    number, letter = ("NPY_DOUBLE", "f") if of == "float64" else (f"NPY_{of.upper()}", "u" if of[0] == "u" else "i")
    if of.startswith("Record"):
        number, letter, of = "NPY_VOID", "V", f"record ({kind['size']} bytes)"
    expected = f"{name}: {argument} must be a C-contiguous, writable {of} array of {kind['dimensions']} dimension(s)"
    check = f"is_array({given}, {number}, '{letter}', {kind['size']}, {kind['dimensions']}, {_text(expected)})"
    return f"    if (!{check}) return NULL;\n"


def _result(kind: dict) -> tuple[str, str]:
    """Returns the C type of an entry point's result, and the expression that makes a Python object of it."""
    if kind["name"] == "none":
        return "void*", "Py_NewRef(Py_None)"
    if kind["name"] == "tuple":
        fields = "".join(f"{C_TYPES[part['name']]} p{i}; " for i, part in enumerate(kind["parts"]))
        makers = "".join(f", from_{part['name']}(result.p{i})" for i, part in enumerate(kind["parts"]))
        return f"struct {{ {fields}}}", f'Py_BuildValue("({"N" * len(kind["parts"])})"{makers})'
    return C_TYPES[kind["name"]], f"from_{kind['name']}(result)"


# All of it.


def build(folder: Path) -> Path:
    """Returns the path of the extension in a folder; builds it, if none was built of the same sources before."""
    levels = LEVELS.get({"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine()))
    if levels is None:
        raise SystemExit(f"the kernels can be built for {', '.join(LEVELS)}, not for {platform.machine()}")
    compiler = c_compiler()
    sys.path.insert(0, str(PACKAGE.parent))
    from noughts.rules.kernels.form import kernel_hash

    used = f"{kernel_hash()} {Path(__file__).read_text()} {compiler} {version('numba')} {version('numpy')}"
    name = "_kernels.pyd" if sys.platform == "win32" else "_kernels.abi3.so"
    built = ROOT / "build" / f"kernels-{hashlib.sha256(used.encode()).hexdigest()[:16]}" / name
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        _build(built, levels, compiler)
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(built, folder / name))


def _build(extension: Path, levels: Sequence[str], compiler: list[str]) -> None:
    with tempfile.TemporaryDirectory(dir=extension.parent) as name, ThreadPoolExecutor() as threads:
        work = Path(name)
        parts = {work / f"{number}.bc": group for number, group in enumerate(_groups())}
        list(threads.map(_in_own_process, parts, parts.values()))
        facts = [json.loads(path.with_suffix(".json").read_text()) for path in parts]
        (sources,) = {fact["sources"] for fact in facts}
        entries = {name: entry for fact in facts for name, entry in fact["entries"].items()}
        objects = {level: work / f"{level}.o" for level in levels}
        list(threads.map(write_object, [[*parts]] * len(levels), objects, objects.values()))
        code, made = work / "kernels.c", work / extension.name
        code.write_text(wrapper(sources, levels, entries))
        command = [*compiler, *_options(compiler), code, *objects.values(), "-o", made, *_libraries()]
        subprocess.run(command, check=True)
        made.replace(extension)


def _groups() -> list[list[str]]:
    """Returns the modules with entry points in two groups, which take about as long to compile."""
    from noughts.rules.kernels.entries import ENTRY_POINTS

    search = [module for module in ENTRY_POINTS if ".search." in module]
    return [search, [module for module in ENTRY_POINTS if module not in search]]


def _in_own_process(path: Path, modules: Sequence[str]) -> None:
    """Runs `write_representation` where Numba compiles for any processor, and optimises nothing."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "NOUGHTS_"))}
    settings |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_OPT": "0", "NOUGHTS_KERNELS": "build"}
    settings |= {"PYTHONHASHSEED": "0", "NOUGHTS_CACHE_DIR": str(path.parent)}
    settings["PYTHONPATH"] = os.pathsep.join((str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")))
    subprocess.run([sys.executable, "-P", __file__, "--write", path, *modules], env=settings, check=True)


def c_compiler() -> list[str]:
    """Returns the command of a C compiler: ziglang's, if it is installed, links for old systems too."""
    if os.environ.get("CC"):
        return os.environ["CC"].split()
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    for name in () if sys.platform == "win32" else ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    raise SystemExit("there is no C compiler; install one, or run: pip install ziglang")


def links_for_old_systems(compiler: list[str]) -> bool:
    return "ziglang" in compiler


def _options(compiler: list[str]) -> Iterator[str]:
    import numpy

    yield from ("-O2", "-shared", "-I", sysconfig.get_paths()["include"], "-I", numpy.get_include())
    if sys.platform == "darwin":
        yield from ("-undefined", "dynamic_lookup")
    elif sys.platform == "win32":
        yield from ("-target", "x86_64-windows-gnu")
    else:
        yield from ("-fPIC", "-fvisibility=hidden", "-Wl,-s")
        if links_for_old_systems(compiler):
            yield from ("-target", f"{platform.machine()}-linux-gnu.2.17")


def _libraries() -> Sequence[str]:
    if sys.platform == "win32":
        return [f"-L{Path(sys.base_prefix) / 'libs'}", "-lpython3"]
    return ["-lm"]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--write", path, *modules]:
            write_representation(modules, Path(path))
        case [] | [_]:
            print(build(Path(sys.argv[1]) if sys.argv[1:] else PACKAGE))
        case _:
            sys.exit(__doc__)
