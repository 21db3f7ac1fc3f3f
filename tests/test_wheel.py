"""What is released: wheel and sdist hold what they should, and the wheel works where nothing else is installed.

The wheel is built with the kernels' extension, which takes as long as compiling everything once, unless it was built of
these sources before.
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


def test_the_wheel_holds_the_package_and_nothing_else(built):
    with zipfile.ZipFile(built[".whl"]) as wheel:
        names = set(wheel.namelist())
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("_kernels.")
    }
    demo = {f"noughts/tournaments/demo/{name}_bot.py" for name in ("random", "greedy")}
    extension = {f"noughts/_kernels.{'pyd' if sys.platform == 'win32' else 'abi3.so'}"}
    assert {name for name in names if ".dist-info/" not in name} == sources | demo | extension
    assert any(name.endswith("entry_points.txt") for name in names)
    assert any(name.endswith("LICENSE") for name in names)


def test_the_sdist_can_be_tested_and_built_again(built):
    with tarfile.open(built[".gz"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    for wanted in (
        "pyproject.toml",
        "build_kernels.py",
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


def test_the_wheel_depends_on_numpy_and_the_sdist_on_numba(built):
    with zipfile.ZipFile(built[".whl"]) as wheel:
        (facts,) = [wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA")]
    base = [line for line in re.findall("^Requires-Dist: (.*)$", facts, re.MULTILINE) if "extra ==" not in line]
    assert any(line.startswith("numpy") for line in base)
    assert not any(line.startswith(("numba", "llvmlite")) for line in base)
    with tarfile.open(built[".gz"]) as sdist:
        (member,) = [member for member in sdist.getmembers() if member.name.endswith("/PKG-INFO")]
        assert "\nRequires-Dist: numba" in sdist.extractfile(member).read().decode()


def test_with_the_extension_of_the_wheel_numba_is_not_needed(bare, tmp_path):
    assert not list(package(bare).parent.glob("numba*")), "nothing else asks for it"
    cache = tmp_path / "cache"
    said = run(bare, "warm", cwd=tmp_path, NOUGHTS_CACHE_DIR=str(cache))
    assert said.startswith("Nothing needs compiling: the kernels run as extension for ")
    played = run(bare, "-c", SEARCH, program="python", cwd=tmp_path, NOUGHTS_CACHE_DIR=str(cache))
    assert played == run_code(SEARCH).stdout, "the search and the games are those of the kernels here"
    assert not cache.exists()
    doctor = json.loads(run(bare, "doctor", "--json", cwd=tmp_path))
    (kernels,) = [found for found in doctor if found["name"] == "kernels"]
    assert kernels["state"] == "ok"
    assert kernels["found"].startswith("extension for ")


def test_without_numba_and_extension_the_advice_is_to_install_numba(bare, tmp_path):
    (extension,) = package(bare).glob("_kernels.*")
    hidden = extension.rename(extension.with_suffix(".hidden"))
    try:
        done = subprocess.run(
            [bare / "bin" / "noughts", "show", "wild"],
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
            text=True,
            capture_output=True,
        )
        doctor = subprocess.run([bare / "bin" / "noughts", "doctor"], cwd=tmp_path, text=True, capture_output=True)
    finally:
        hidden.rename(extension)
    assert done.returncode != 0
    assert "pip install numba" in done.stderr
    assert "Traceback" not in done.stderr
    assert doctor.returncode == 1
    assert "NO  kernels" in doctor.stdout


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
