"""`noughts doctor` tells the truth about this machine, and completion works in each shell that is here."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import noughts
from noughts.cli import COMMANDS, main
from noughts.commands import doctor
from noughts.rules.kernels import form

ROOT = Path(__file__).parents[1]


def findings(capsys):
    assert main(["doctor", "--json"]) == 0
    return {(found["part"], found["name"]): found for found in json.loads(capsys.readouterr().out)}


def test_the_doctor_tells_versions_and_layers(capsys):
    found = findings(capsys)
    assert found["versions", "noughts"]["found"].startswith(noughts.__version__)
    assert found["versions", "kernels"]["state"] == "ok"
    assert found["versions", "kernels"]["found"] == form.description()
    assert (("versions", "numba") in found) == (form.FORM == form.NUMBA)
    if sys.platform == "linux":
        from noughts.sandbox import ForkServer, probe

        with ForkServer() as server:
            layers = probe(server)
        said = found["sandbox", "Landlock"]
        assert said["state"] == ("ok" if layers.landlock else "less")
        assert str(layers.landlock) in said["found"] or not layers.landlock


def test_the_limits_of_a_container_are_those_of_the_machine(tmp_path, monkeypatch, capsys):
    from noughts import files

    inner = tmp_path / "class" / "one"
    inner.mkdir(parents=True)
    (tmp_path / "own").write_text("4:memory:/elsewhere\n0::/class/one\n")
    for folder, processors, memory in ((inner, "max 100000", "1073741824"), (inner.parent, "100000 100000", "max")):
        (folder / "cpu.max").write_text(f"{processors}\n")
        (folder / "memory.max").write_text(f"{memory}\n")
    monkeypatch.setattr(files, "GROUPS", tmp_path)
    monkeypatch.setattr(files, "OWN_GROUP", tmp_path / "own")
    found = findings(capsys)
    assert found["machine", "memory"]["found"] == "1.0 GB"
    assert found["machine", "cores"]["found"].startswith("1")


@pytest.mark.parametrize("text", ["", "lots", "-", "1 0", "\udcff"])
def test_limits_that_are_none_are_passed_over(tmp_path, monkeypatch, text):
    from noughts import files

    (tmp_path / "own").write_text("0::/\n")
    for name in ("cpu.max", "memory.max"):
        (tmp_path / name).write_text(text, errors="surrogateescape")
    usual = files.usable_cores()
    monkeypatch.setattr(files, "GROUPS", tmp_path)
    monkeypatch.setattr(files, "OWN_GROUP", tmp_path / "own")
    assert files.usable_cores() >= usual
    assert files.machine_megabytes() >= 0


def test_a_machine_without_a_sandbox_can_still_play(capsys, monkeypatch):
    import noughts.sandbox.forkserver as forkserver

    monkeypatch.setattr(forkserver.sys, "platform", "darwin")
    found = findings(capsys)["sandbox", "system calls"]
    assert found["state"] == "less"
    assert "needs Linux" in found["found"]
    assert "built-in players need no sandbox" in found["advice"]


def test_a_folder_of_somebody_else_is_pointed_out(capsys, monkeypatch, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    monkeypatch.setenv("NOUGHTS_CACHE_DIR", str(tmp_path / "shared"))
    found = findings(capsys)["cache", "folder"]
    assert found["state"] == "less"
    assert "other users can write to" in found["found"]
    assert "NOUGHTS_CACHE_DIR" in found["advice"]


def test_what_is_missing_comes_with_what_to_do(capsys, monkeypatch):
    real = doctor._version
    monkeypatch.setattr(form, "FORM", form.NUMBA)
    monkeypatch.setattr(doctor, "_version", lambda package: None if package in ("httpx", "numba") else real(package))
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert re.search(r"NO  numba +not installed\n +-> pip install numba", said)
    assert re.search(r"--  llm +not installed: language models as players\n +-> pip install httpx", said)
    assert max(map(len, said.splitlines())) <= 80


def test_the_doctor_knows_the_extras_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra, (_, packages) in doctor.EXTRAS.items():
        named = [re.match(r"[\w-]+", wanted).group() for wanted in project["optional-dependencies"][extra]]
        assert packages.split() == named
    assert set(project["optional-dependencies"]) - set(doctor.EXTRAS) == {"test", "docs", "train", "benchmarks", "dev"}
    assert {re.match(r"[\w-]+", wanted).group() for wanted in project["dependencies"]} == {*doctor.BASE, "numba"}


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def shell_of(name):
    return shutil.which(name) or pytest.skip(f"there is no {name} here")


def ask(shell, code):
    done = subprocess.run([*shell, code], text=True, capture_output=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split("\n")


CASES = [
    ("noughts tour", {"tournament"}),
    ("noughts play ext", {"extreme"}),
    ("noughts tournament sta", {"status", "standings"}),
    ("noughts tournament run --game xt", {"xtreme"}),
    ("noughts completion f", {"fish"}),
    ("noughts match --norm", {"--normalized"}),
]


@pytest.mark.parametrize(("typed", "completed"), CASES)
def test_bash_completes(typed, completed, capsys):
    words = typed.split(" ")
    code = f"{script('bash', capsys)}COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _shtab_noughts\n"
    code += 'printf "%s\\n" "${COMPREPLY[@]}"'
    assert set(ask([shell_of("bash"), "-c"], code)) - {""} == completed


@pytest.mark.parametrize(("typed", "completed"), CASES)
def test_fish_completes(typed, completed, tmp_path, monkeypatch, capsys):
    """A file is no command, though it begins like one."""
    monkeypatch.chdir(tmp_path)
    for name in ("tourney.py", "standing.py"):
        Path(name).touch()
    code = f"{script('fish', capsys)}complete -C '{typed}'"
    assert {line.split("\t")[0] for line in ask([shell_of("fish"), "-N", "-c"], code)} - {""} == completed


def test_zsh_takes_the_script(tmp_path, capsys):
    (tmp_path / "completion").write_text(script("zsh", capsys))
    assert ask([shell_of("zsh"), "-f", "-n"], str(tmp_path / "completion")) == [""]


def test_every_command_can_be_completed(capsys):
    for shell in ("bash", "zsh", "fish"):
        said = script(shell, capsys)
        assert all(re.search(rf"\b{command}\b", said) for command in COMMANDS)
        assert "%(" not in said
