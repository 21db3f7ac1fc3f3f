"""No file of the current folder becomes part of noughts, whatever its name: neither here nor in a process of ours."""

import os
import re
import socket
import subprocess
import sys
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import processes
import pytest
from conftest import needs_two_cores
from kernel_arrays import needs_numba

import noughts
from noughts.cli import COMMANDS, main
from noughts.commands.doctor import EXTRAS
from noughts.interpreter import FOLDER, module_path
from noughts.matches.replays import to_json
from noughts.matches.runner import match_games
from noughts.matches.schedule import Match
from noughts.players.registry import Origin
from noughts.sandbox.forkserver import ForkServer
from noughts.workers import WorkerGoneError, call_in_workers

CLASSIC = noughts.load_game("classic")

SETTINGS = {
    "matplotlibrc": "figure.facecolor: red\nsavefig.facecolor: red\n",
    ".numba_config.yaml": "disable_jit: yes\n",
}

COMMANDS_IN_CLASS = """
games
players
rules classic
show classic
solve classic
analyze classic
perft classic 2
play classic --opponent random
serve --port PORT
replay game.json --json
log game.json
match bots/struct.py random --game classic --games 2 --jobs 2
train classic --episodes 100 --out run
evaluate random --game classic --games 2 --out graded
dataset classic --sample 2 --out rows.jsonl.gz
convert bots/struct.py --dry-run
collect bots --out collected
autograder --grade bots
ladder status missing.noughts
submit missing.py --link http://127.0.0.1:9/join#abcd
login http://127.0.0.1:9/join#abcd
mcp
warm --jobs 1
bench nonsense
doctor
ugi --game classic
"""
COMMANDS_IN_BOTS = """
check . --game classic --quick
similarity .
tournament run . --game classic --file ../class.noughts --jobs 1
report ../class.noughts --jobs 1 --nodes 1000 -o ../page.html
completion bash
"""
"""Completion is the last: a process that is to show arguments loads nothing that a command runs."""
REFUSED = {"serve", "bench", "check", "autograder", "ladder", "submit", "login"} | (
    set() if find_spec("mcp") else {"mcp"}
)
"""The port is taken, there is no such game or ladder, matplotlibrc no bot, bots no plan: by then all is loaded."""


def module_names():
    """The names of all modules that there are here, or could be."""
    extras = (name.replace("-", "_") for _, names in EXTRAS.values() for name in names.split())
    names = {*sys.stdlib_module_names, *packages_distributions(), *extras, "sitecustomize", "usercustomize"}
    return names - {"noughts"}


# As the script `noughts`, for one command after the other.
PROGRAM = """
import os, sys
from noughts.cli import main
for line in open(sys.argv[1]).read().splitlines():
    folder, _, command = line.partition("|")
    os.chdir(folder)
    sys.argv = ["noughts", *command.split()]
    print("ENDED", main(), command, flush=True)
"""


@needs_two_cores
def test_every_command_runs_in_a_folder_with_a_file_for_every_module(tmp_path):
    trace, script, folder = tmp_path / "trace", tmp_path / "bin" / "noughts", tmp_path / "class"
    bots = folder / "bots"
    script.parent.mkdir()
    bots.mkdir(parents=True)
    trap = f"open({str(trace)!r}, 'a').write(__name__ + ' ')\n"
    for name in module_names():
        (folder / f"{name}.py").write_text(trap)
    for name in ("org", "signal", "struct"):
        bot = "def choose(state, clock): return state.legal_actions()[0]"
        (bots / f"{name}.py").write_text(f"import os\nif os.environ.get('USER') != 'bot': {trap}{bot}\n")
    for name, text in SETTINGS.items():
        (folder / name).write_text(text)
        (bots / name).write_text(text)
    record = next(match_games(Match(CLASSIC, ("random", "random"), 1, seed=1)))
    (folder / "game.json").write_text(to_json(record))
    script.write_text(PROGRAM)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        lines = [f"{folder}|{line}" for line in COMMANDS_IN_CLASS.split("\n") if line]
        lines += [f"{bots}|{line}" for line in COMMANDS_IN_BOTS.split("\n") if line]
        text = "\n".join(lines).replace("PORT", str(taken.getsockname()[1]))
        (tmp_path / "commands").write_text(text)
        command = [sys.executable, str(script), str(tmp_path / "commands")]
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=240
        )
    assert not trace.exists(), f"run outside the sandbox: {trace.read_text()}"
    ended = re.findall(r"^ENDED (\d) (\w+)", done.stdout, re.MULTILINE)
    assert {command for _, command in ended} == {*COMMANDS}, done.stderr
    assert {command for code, command in ended if code != "0"} == REFUSED, done.stdout + done.stderr
    assert "3 of 3 bots pass; 1 submission without a bot" in done.stdout, "only matplotlibrc is refused"
    assert _corner(folder / "run" / "convergence.png") == (255, 255, 255)


@needs_numba
def test_numba_settings_of_the_current_folder_change_nothing_in_python(tmp_path):
    """Commands load the rules before the search; in Python the search can be the first."""
    (tmp_path / ".numba_config.yaml").write_text(SETTINGS[".numba_config.yaml"])
    script = "import noughts; noughts.Engine; import numba; print(numba.config.DISABLE_JIT)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], cwd=tmp_path, text=True, capture_output=True, timeout=240, check=True
    )
    assert done.stdout == "0\n"


def _corner(picture):
    """The colour of the first pixel."""
    from PIL import Image

    with Image.open(picture) as image:
        return image.convert("RGB").getpixel((0, 0))


@pytest.mark.parametrize(("entries", "said"), [(":/nowhere", True), (".", True), ("", False), ("/nowhere", False)])
def test_a_pythonpath_with_the_current_folder_is_said(entries, said, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", ["noughts", "games"])
    monkeypatch.setenv("PYTHONPATH", entries.replace(":", os.pathsep))
    assert main() == 0
    assert ("PYTHONPATH contains the current folder" in capsys.readouterr().err) == said


def surroundings(_):
    """In a worker: what it was given."""
    return os.getcwd(), dict(os.environ), sys.flags.safe_path, list(sys.path)


def test_a_process_of_ours_has_no_key_of_the_operator_and_nothing_of_the_folder(tmp_path, monkeypatch):
    processes.start_slowly(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ((_, (folder, variables, safe, path)),) = call_in_workers(surroundings, ["anything"], 1)
    assert folder == FOLDER != str(tmp_path)
    assert safe
    assert str(tmp_path) not in path
    assert "secret" not in variables.values()
    assert "PYTHONPATH" not in variables
    assert variables["NOUGHTS_GAMES_DIR"] == os.environ["NOUGHTS_GAMES_DIR"]


@pytest.mark.skipif(sys.platform != "linux", reason="bots need Linux")
def test_the_process_that_forks_bots_has_no_key_either(tmp_path, monkeypatch):
    processes.start_slowly(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    before = {path.name for path in Path("/proc").glob("[0-9]*")}
    with ForkServer():
        started = [path for path in Path("/proc").glob("[0-9]*") if path.name not in before]
        server = next(each for each in started if b"sandbox.worker.server" in (each / "cmdline").read_bytes())
        assert b"secret" not in (server / "environ").read_bytes()
        assert os.readlink(server / "cwd") == FOLDER


def test_nothing_else_starts_a_process():
    """What bots may import is a list of names, and what old bots imported another."""
    sources = Path(noughts.__file__).parent
    exempt = {"interpreter.py", "imports.py", "_names.py"}
    for source in sources.rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        starts = re.search(
            r"multiprocessing|ProcessPoolExecutor|Popen\(|subprocess\.(run|call|check)|os\.(exec|spawn|fork|system|popen)",
            text,
        )
        assert starts is None or source.name in exempt or source.name == "server.py", f"{source}: {starts[0]}"


def test_our_own_package_is_on_the_path_even_from_its_own_folder(monkeypatch):
    package = str(Path(noughts.__file__).parents[1])
    monkeypatch.chdir(package)
    assert package in map(os.path.realpath, module_path())
    assert "" not in module_path()


@needs_two_cores
def test_paths_and_keys_in_names_mean_the_same_in_other_processes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main("train classic --episodes 200 --no-plots --out learnt".split()) == 0
    assert main("match q:learnt random --game classic --games 4 --jobs 2".split()) == 0
    assert "q:learnt" in capsys.readouterr().out
    monkeypatch.setenv("MINE", "secret")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    origin = Origin.of_this_process(["random", "llm:m?base_url=http://localhost/v1&key_env=MINE"])
    assert origin.variables == {"MINE": "secret"}
    assert origin.folder == str(tmp_path)
    assert "secret" not in repr(origin)


def end(_):
    os._exit(1)


def fail(number):
    raise ValueError(f"there is no {number}")


def test_what_goes_wrong_in_a_worker_is_said_here():
    with pytest.raises(ValueError, match="there is no 7"):
        list(call_in_workers(fail, [7], 1))
    with pytest.raises(WorkerGoneError, match="a worker process was killed"):
        list(call_in_workers(end, ["anything"], 1))
