"""Where compiled code is: in kernels, which take nothing from elsewhere, so that a hash of them names the cache."""

import ast
import shutil
from pathlib import Path

import pytest

from noughts.cache import PACKAGE, source_hash
from noughts.rules.kernels.form import kernel_sources

SOURCES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
KERNELS = {name for name in SOURCES if "kernels" in Path(name).with_suffix("").parts}
DECORATORS = {"entry", "inlined", "embedded", "called"}

# What is in a folder of kernels and not compiled: how to compile, which needs the cache's folder; and the arrays that
# compiled code reads, which are made of the facts.
NOT_COMPILED = {
    "rules/kernels/compiler.py": {"noughts.cache", "noughts.interpreter"},
    "rules/kernels/form.py": {"noughts.cache"},
    "rules/kernels/jit.py": {"noughts.cache"},
    "rules/kernels/tables.py": {"noughts.rules.geometry", "noughts.rules.spec"},
}


def imports(name):
    """The modules that a source takes from the package, and the names it takes from each."""
    for node in ast.walk(ast.parse(SOURCES[name].read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import"
            yield from ((node.module, alias.name) for alias in node.names)


def source_of(module, name):
    """The source that `from module import name` takes something from; None outside the package."""
    if module.split(".")[0] != "noughts":
        return None
    stem = "/".join(module.split(".")[1:])
    for candidate in (f"{stem}/{name}.py", f"{stem}.py", f"{stem}/__init__.py", "__init__.py"):
        if candidate.lstrip("/") in SOURCES:
            return candidate.lstrip("/")
    raise AssertionError(f"from {module} import {name}: no such source")


def test_there_are_kernels_in_these_rooms():
    rooms = {name.split("/")[0] for name in KERNELS}
    assert {"rules", "search", "learn", "envs"} <= rooms
    assert len(KERNELS) > 20


@pytest.mark.parametrize("name", sorted(KERNELS - {*NOT_COMPILED}))
def test_kernels_take_nothing_but_kernels(name):
    """A constant of another module would be compiled in, and the cache would not notice when it changes."""
    taken = {source_of(*taken) for taken in imports(name)} - {None}
    assert taken <= KERNELS - {"rules/kernels/tables.py"}


@pytest.mark.parametrize("name", sorted(NOT_COMPILED))
def test_what_is_not_compiled_takes_only_what_it_says(name):
    other = {module for module, taken in imports(name) if source_of(module, taken) not in {*KERNELS, None}}
    assert other == NOT_COMPILED[name]
    assert not {taken for _, taken in imports(name)} & DECORATORS


@pytest.mark.parametrize("name", sorted({*SOURCES} - KERNELS))
def test_nothing_is_compiled_elsewhere(name):
    for module, taken in imports(name):
        assert module.split(".")[0] != "numba"
        assert source_of(module, taken) != "rules/kernels/compiler.py"
        if source_of(module, taken) == "rules/kernels/jit.py":
            assert taken in {"SILENT", "code_dir", "direct", "is_ready"}


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(PACKAGE, tmp_path / "noughts", ignore=shutil.ignore_patterns("__pycache__"))


def key(package):
    return source_hash(kernel_sources(package), package)


def edit(path):
    with open(path, "a") as file:
        file.write("# edited\n")


def test_an_edit_of_any_kernel_changes_the_name_of_the_cache(copy):
    seen = {key(copy)}
    assert seen == {key(PACKAGE)}
    for name in KERNELS:
        edit(copy / name)
        assert key(copy) not in seen
        seen.add(key(copy))


def test_an_edit_elsewhere_does_not(copy):
    before = key(copy)
    assert {"envs/gym.py", "learn/plots.py", "rules/spec.py"} <= {*SOURCES} - KERNELS
    for name in {*SOURCES} - KERNELS:
        edit(copy / name)
    assert key(copy) == before


def test_a_kernel_that_is_renamed_or_gone_changes_it_too(copy):
    before = key(copy)
    (copy / "envs" / "kernels.py").rename(copy / "search" / "kernels" / "kernels.py")
    moved = key(copy)
    (copy / "search" / "kernels" / "kernels.py").unlink()
    assert len({before, moved, key(copy)}) == 3
