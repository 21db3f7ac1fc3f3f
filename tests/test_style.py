"""What the sources hold to beyond what the linters say."""

import ast
import pkgutil
import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

import noughts

PACKAGE = Path(noughts.__file__).parent
ROOT = Path(__file__).parents[1]
SOURCES = sorted(PACKAGE.rglob("*.py"))


def name_of(path):
    return ".".join(("noughts", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


FROM = re.compile(r"^ *from (noughts[\w.]*) import (\w.*|\([^)]*\))", re.MULTILINE)
IMPORT = re.compile(r"^ *import (noughts\.[\w.]+)", re.MULTILINE)


def imported_by(source):
    """Returns every name of ours that a source imports, wherever that stands: noughts.room.module.name."""
    named = {
        f"{home}.{name}" for home, names in FROM.findall(source) for name in re.findall(r"(\w+)(?: as \w+)?", names)
    }
    return named | set(IMPORT.findall(source))


@pytest.fixture(scope="module")
def imports():
    """For every module but the face, which names the whole package, what it and its stub import of ours."""
    files = [*SOURCES, *PACKAGE.rglob("*.pyi")]
    found = {}
    for path in files:
        found.setdefault(name_of(path), set()).update(imported_by(path.read_text(encoding="utf-8")))
    return {name: names for name, names in found.items() if name != "noughts"}


def room_of(name):
    return name.split(".")[1]


def test_what_has_an_underscore_is_imported_by_its_own_room_only(imports):
    strangers = [
        (importer, name)
        for importer, names in imports.items()
        for name in names
        if room_of(importer) != room_of(name) and any(part.startswith("_") for part in name.split(".")[2:])
    ]
    assert strangers == []


def test_the_picture_of_the_rooms_has_every_import(imports):
    picture = (
        (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("flowchart TD")[2].partition("```")[0]
    )
    rooms = {
        name: set(label.split(", ")) for name, label in re.findall(r'^ +(\w+)\["([\w, ]+)<br>', picture, re.MULTILINE)
    }
    below = {name: set() for name in rooms}
    for line in re.findall(r"^ +(\w+ -->.*)", picture, re.MULTILINE):
        for upper, lower in pairwise(line.split(" --> ")):
            below.get(upper, set()).update(set(lower.split(" & ")) & set(rooms))
    for _ in rooms:
        for name in rooms:
            below[name] |= set().union(*(below[other] for other in below[name]))
    node_of = {room: name for name, held in rooms.items() for room in held}
    drawn = {(upper, lower) for upper in rooms for lower in {upper, *below[upper]}}
    real = {
        (node_of[room_of(importer)], node_of[room_of(name)])
        for importer, names in imports.items()
        for name in names
        if {room_of(importer), room_of(name)} <= set(node_of)
    }
    assert len(real) > 50
    assert real - drawn == set()


def test_no_docstring_begins_with_of():
    found = [
        f"{name_of(path)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.match(r'\s*r?"""Of ', line)
    ]
    assert found == []


DESCRIBED = re.compile(r"(?:^|[.?!)\]] )([a-z_]\w*(?:(?:, | and | or )[a-z_]\w*)*): ")
"""The names that a sentence of a docstring describes: ``rules, seed: ...``. Other sentences begin with a capital."""


def described_names(docstring):
    prose = re.sub(r"\n\s*\n", " . ", docstring.partition("\n>>>")[0])
    return [
        name for match in DESCRIBED.finditer(" ".join(prose.split())) for name in re.split(", | and | or ", match[1])
    ]


def names_in(definition):
    """Returns the parameters and fields of a function or class, and the words in quotes: the keys of its results."""
    names = set()
    for node in ast.walk(definition):
        if isinstance(node, ast.arg | ast.keyword):
            names.add(node.arg)
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
            names.add(node.attr)
        elif isinstance(node, ast.AnnAssign):
            names.add(getattr(node.target, "id", ""))
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Constant):
            names.add(node.value)
    return names


def test_docstrings_describe_parameters_and_fields_that_exist():
    unknown, described = [], 0
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names = described_names(ast.get_docstring(node) or "")
                described += len(names)
                unknown += [f"{name_of(path)}:{node.lineno}: {name}" for name in names if name not in names_in(node)]
    assert unknown == []
    assert described > 500


TORN = re.compile(r"^\s*[)\]}]+(?: as \w+)?:?[^\S\n]+# (?!fmt:|noqa|type:)", re.MULTILINE)


def test_no_comment_hangs_on_a_closing_bracket():
    """The formatter moves a comment that is too long for its line there, away from what it explains."""
    sources = [path for folder in ("src", "tests", "benchmarks", "training") for path in (ROOT / folder).rglob("*.py")]
    torn = [path.name for path in sources if TORN.search(path.read_text(encoding="utf-8", errors="replace"))]
    assert torn == []


TRANSLATED = re.compile(r"\b(told|mended|so many|somebody|anybody)\b", re.IGNORECASE)


def test_docstrings_and_messages_name_things_instead_of_circling_them():
    found = [
        f"{name_of(path)}:{node.lineno}: {TRANSLATED.search(node.value)[0]}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and TRANSLATED.search(node.value)
    ]
    assert found == []


def test_no_module_hides_a_public_name_of_its_package():
    """`package.name` must not depend on what was imported before."""
    names = [found.name for found in pkgutil.walk_packages(noughts.__path__, "noughts.") if found.ispkg]
    for package in map(import_module, names):
        for module in pkgutil.iter_modules(package.__path__):
            if module.name in getattr(package, "__all__", ()):
                import_module(f"{package.__name__}.{module.name}")
                assert not isinstance(getattr(package, module.name), ModuleType), module.name


def test_only_the_compiler_module_imports_numba():
    """It hides the current folder's `.numba_config.yaml` from Numba, which reads it when it is first imported."""
    importers = [
        str(path.relative_to(ROOT))
        for path in [*SOURCES, *(ROOT / "training").rglob("*.py")]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "numba")
        or (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "numba" for alias in node.names))
    ]
    assert set(importers) == {"src/noughts/rules/kernels/compiler.py"}


def test_workflows_pin_each_action_by_hash():
    """A tag can be moved to other code. The comment is the tag, for people and for dependabot."""
    actions = [
        line.split("uses:")[1].strip()
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "uses:" in line
    ]
    assert len(actions) > 20
    assert [action for action in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)] == []


def test_dependencies_start_above_their_known_holes():
    """The first versions in which published holes of what reads other people's data are closed."""
    closed = {"pillow": (10, 3), "h11": (0, 16), "starlette": (0, 47, 2)}
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name, version in closed.items():
        bounds = re.findall(rf'"{name}\b([^"]*)"', text)
        assert bounds, name
        for bound in bounds:
            least = re.match(r">=([\d.]+)", bound)
            assert least, f"{name}{bound}"
            assert tuple(map(int, least[1].split("."))) >= version, f"{name}{bound}"


@pytest.mark.parametrize("folder", ["benchmarks", "training"])
def test_scripts_import_names_that_exist(folder):
    """No test runs these scripts, so a rename would break them unnoticed."""
    missing = [
        f"{path.name}: {node.module}.{alias.name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("noughts")
        for alias in node.names
        if not is_there(f"{node.module}.{alias.name}")
    ]
    assert missing == []


def is_there(name):
    """Returns whether a name is a module, or in one. Where an extra is not installed, nothing can be said."""
    module, _, attribute = name.rpartition(".")
    try:
        return hasattr(import_module(module), attribute) or import_module(name) is not None
    except ModuleNotFoundError as error:
        return not (error.name or "").startswith("noughts")
    except ImportError:
        return True
