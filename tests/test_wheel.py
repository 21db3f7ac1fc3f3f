"""What is released: wheel and sdist hold what they should, and the wheel works where nothing else is installed.

The wheel is built with the machine code of the kernels, which takes as long as compiling everything once.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import urllib.request
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from processes import run_code

import noughts
from noughts.commands.warm import module_groups
from noughts.rules.kernels import compiler, jit

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist, by their suffix."""
    pytest.importorskip("hatchling", reason="hatchling is not installed: pip install hatchling")
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "HATCH_BUILD_HOOK_ENABLE_CUSTOM": "1"},
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    return {path.suffix: path for path in folder.iterdir()}


def needed(names):
    """The distributions that some need, and those that they need, on this system and without extras."""
    from packaging.requirements import Requirement

    found, waiting = {}, list(names)
    while waiting:
        wanted = Requirement(waiting.pop())
        if wanted.name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        try:
            found[wanted.name] = distribution(wanted.name)
        except PackageNotFoundError:
            continue
        waiting += found[wanted.name].requires or []
    return found


@pytest.fixture(scope="module")
def bare(built, tmp_path_factory):
    """An environment with the wheel and what its metadata asks for, as links to what is installed here."""
    pytest.importorskip("packaging")
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    command = [
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
        str(built[".whl"]),
    ]
    done = subprocess.run([sys.executable, *command], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    (packages,) = folder.glob("lib/python*/site-packages")
    (facts,) = packages.glob("noughts-*.dist-info/METADATA")
    asked = re.findall(r"^Requires-Dist: (.*)$", facts.read_text(), re.MULTILINE)
    web = [line.partition(";")[0] for line in asked if "extra == 'web'" in line]
    for its in needed([line for line in asked if "extra ==" not in line] + web).values():
        for top in {file.parts[0] for file in its.files or () if file.parts[0] not in ("..", "__pycache__", "bin")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(its.locate_file(top)).resolve())
    return folder


def run(bare, *words, cwd, said="", program="noughts", **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [bare / "bin" / program, *words],
        cwd=cwd,
        env=environment | variables,
        input=said,
        text=True,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def package(bare):
    (folder,) = bare.glob("lib/python*/site-packages/noughts")
    return folder


def compiled_here(cache):
    """The functions that had to be compiled, as module.function."""
    return sorted(file.name.split("-")[0] for file in cache.rglob("*.nbi"))


def test_the_wheel_holds_the_package_and_nothing_else(built):
    with zipfile.ZipFile(built[".whl"]) as wheel:
        names = set(wheel.namelist())
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    demo = {f"noughts/tournaments/demo/{name}_bot.py" for name in ("random", "greedy")}
    kernels = {name for name in names if name.startswith("noughts/_kernels/")}
    assert {name for name in names if ".dist-info/" not in name} - kernels == sources | demo
    modules = {name.removeprefix("noughts/_kernels/").rpartition(".")[0] for name in kernels}
    assert modules - {"target"} <= {module for group in module_groups() for module in group}
    assert any(name.endswith("entry_points.txt") for name in names)
    assert any(name.endswith("LICENSE") for name in names)


def test_the_sdist_can_be_tested_and_built_again(built):
    with tarfile.open(built[".gz"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    for wanted in (
        "pyproject.toml",
        "hatch_build.py",
        "README.md",
        "CITATION.cff",
        "LICENSE",
        "Dockerfile",
        "mkdocs.yml",
    ):
        assert wanted in names, wanted
    for wanted in ("src/noughts/py.typed", "tests/conftest.py", "docs/index.md", "examples/bots/random_bot.py"):
        assert wanted in names, wanted
    assert not any("__pycache__" in name or name.startswith((".git/", ".venv", "site/")) for name in names)


def test_the_wheel_plays_a_game_where_nothing_else_is_installed(bare, tmp_path):
    games = {"NOUGHTS_GAMES_DIR": str(tmp_path / "games")}
    assert "The game is saved" in run(bare, "play", "classic", cwd=tmp_path, said="4\nquit\n", **games)
    found = run(bare, "doctor", "--json", cwd=tmp_path)
    assert str(bare) in found
    assert '"not installed: Gymnasium' in found


SEARCH = """
import noughts
game = noughts.load_game("extreme")
found = noughts.Engine(game, memory=1).search(game.new_initial_state(), noughts.Limits(nodes=2000))
print(found.nodes, found.variations, noughts.playouts(game, 20, seed=3))
"""

needs_level = pytest.mark.skipif(
    compiler.refusal(compiler.target("") if compiler.COMPILES_FAST else {}, "") is not None,
    reason="this Numba or this processor does not run the code of the wheel",
)


@needs_level
def test_with_the_kernels_of_the_wheel_nothing_is_compiled(bare, tmp_path):
    before = sorted(package(bare).rglob("*[!c]"))
    cache = tmp_path / "cache"
    said = run(bare, "warm", "--jobs", "1", cwd=tmp_path, NOUGHTS_CACHE_DIR=str(cache))
    assert re.fullmatch(r"Everything is compiled: [1-9]\.\d MB of the wheel in \S+_kernels \(.* s\)\.\n", said)
    played = run(bare, "-c", SEARCH, program="python", cwd=tmp_path, NOUGHTS_CACHE_DIR=str(cache))
    assert played == run_code(SEARCH).stdout, "the search and the games are those of code compiled here"
    assert [file.name for file in cache.rglob("*") if file.is_file()] == ["CACHEDIR.TAG"]
    assert sorted(package(bare).rglob("*[!c]")) == before, "only a build puts anything beside the code"
    doctor = json.loads(run(bare, "doctor", "--json", cwd=tmp_path, NOUGHTS_CACHE_DIR=str(cache)))
    (kernels,) = [found for found in doctor if found["name"] == "kernels"]
    assert kernels["state"] == "ok"
    assert kernels["found"].startswith("compiled code of the wheel is used (for ")


@needs_level
def test_code_of_the_wheel_that_is_damaged_or_missing_is_compiled(bare, tmp_path):
    folder = package(bare) / "_kernels"
    damaged, missing = (folder / f"noughts.rules.kernels.batch.{name}" for name in ("reset_all", "choose_all"))
    kept = {file: file.read_bytes() for file in (damaged, missing)}
    damaged.write_bytes(kept[damaged][:-8] + bytes(8))
    missing.unlink()
    try:
        code = "import noughts.rules.kernels.batch"
        run(bare, "-c", code, program="python", cwd=tmp_path, NOUGHTS_CACHE_DIR=str(tmp_path))
        assert compiled_here(tmp_path) == ["batch.choose_all", "batch.reset_all"]
    finally:
        for file, data in kept.items():
            file.write_bytes(data)


@needs_level
def test_code_of_the_wheel_is_not_used_where_numba_is_to_compile_for_another_processor(bare, tmp_path):
    code = "import noughts.rules.kernels.images"
    settings = {"NUMBA_CPU_NAME": "generic", "NOUGHTS_CACHE_DIR": str(tmp_path)}
    run(bare, "-c", code, program="python", cwd=tmp_path, **settings)
    assert compiled_here(tmp_path) == ["images.least_row", "images.map_row"]


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A package with compiled code for what is given, as `shipped_code` sees it."""
    monkeypatch.setattr(jit, "SHIPPED", tmp_path)
    monkeypatch.setattr(
        compiler.llvm, "get_host_cpu_features", lambda: dict.fromkeys(compiler.level()[1].split(), True)
    )

    def ask(target):
        (tmp_path / jit.TARGET).write_text(target if isinstance(target, str) else json.dumps(target))
        return jit.shipped_code.__wrapped__()

    return ask


@pytest.mark.skipif(not compiler.COMPILES_FAST, reason="Numba compiles in its usual way")
def test_code_for_anything_but_what_is_here_is_not_used(shipped, monkeypatch):
    here = compiler.target(jit.kernel_hash())
    folder, said = shipped(here)
    assert folder == jit.SHIPPED
    assert said == f"for {here['processor']}, Numba {here['Numba']}"
    for part in here:
        assert shipped({**here, part: "other"}) == (None, f"built for {part} other; this machine has {here[part]}")
    for damaged in ("", "[]", "{", '"text"'):
        assert shipped(damaged)[0] is None
    monkeypatch.setattr(compiler, "LEVELS", dict.fromkeys(compiler.LEVELS, ("level", "avx2 bmi9")))
    monkeypatch.setattr(compiler.llvm, "get_host_cpu_features", lambda: {"avx2": True, "bmi9": False})
    _, said = shipped({**here, "processor": "level"})
    assert said == "built for level; this processor lacks bmi9"


def test_every_way_to_noughts_has_the_same_version(built, bare, tmp_path):
    version = noughts.__version__
    assert run(bare, "--version", cwd=tmp_path) == f"noughts {version}\n"
    with tarfile.open(built[".gz"]) as sdist:
        facts = sdist.extractfile(f"noughts-{version}/PKG-INFO").read().decode()
    assert f"\nVersion: {version}\n" in facts
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.skipif(sys.platform != "linux", reason="bot files need Linux")
def test_the_wheel_brings_the_bots_of_the_demo(bare, tmp_path):
    (demo,) = bare.glob("lib/python*/site-packages/noughts/tournaments/demo")
    said = run(bare, "match", str(demo / "random_bot.py"), "random", "--game", "ultimate", "--games", "2", cwd=tmp_path)
    assert "random_bot" in said
    code = "from noughts.commands.tournament._demo import _demo_folder; print(_demo_folder())"
    done = subprocess.run([bare / "bin" / "python", "-I", "-c", code], text=True, capture_output=True, check=True)
    assert Path(done.stdout.strip()) == demo


def test_the_wheel_serves_the_page(bare, tmp_path):
    pytest.importorskip("fastapi")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    server = subprocess.Popen(
        [bare / "bin" / "noughts", "serve", "--port", "0", "--games", str(tmp_path / "games.sqlite")],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        seen = []
        for line in server.stdout:
            seen.append(line)
            if address := re.search(r"http://[\w.:]+/?\S*", line):
                break
        assert address, "".join(seen)
        with urllib.request.urlopen(address[0], timeout=240) as answer:
            assert b"<title>" in answer.read()
    finally:
        server.terminate()
        server.wait(240)
        server.stdout.close()
