"""Gradescope's autograder, in folders laid out as Gradescope's: a submission is checked, plays the staff, is ranked.

The layout, the two scripts and the results are those of https://gradescope-autograders.readthedocs.io/en/latest/specs/
(setup.sh and run_autograder in the root of the zip; /autograder/source, submission and results/results.json), and the
leaderboard that of https://gradescope-autograders.readthedocs.io/en/latest/leaderboards/ (name, value, order).
"""

import json
import os
import site
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from test_cli import run_command

from noughts.course import autograder
from noughts.course.marks import gauntlet_marks
from noughts.tournaments.results import Fixture, Result

FIRST = "def choose(state, clock):\n    return state.legal_actions()[0]\n"
LAST = FIRST.replace("[0]", "[-1]")
DEPENDENCIES = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["dependencies"]
RESULT_KEYS = {"score", "output", "output_format", "tests", "leaderboard"}
TEST_KEYS = {"name", "score", "max_score", "output", "output_format", "status"}


@pytest.fixture
def made(tmp_path, capsys, monkeypatch):
    """Makes a zip with some options and unpacks it as Gradescope does; the root of its folders."""
    monkeypatch.setattr(autograder, "requires", lambda _: [*DEPENDENCIES, "ray>=2; extra == 'cluster'"])

    def make(*options, bot=None, whole=False):
        path = tmp_path / "autograder.zip"
        words = ("autograder", "--game", "classic", "--time", "5", "--rounds", "1", "-o", str(path), *options)
        code, _, err = run_command(capsys, *words)
        assert code == 0, err
        root = tmp_path / "autograder"
        (root / "submission").mkdir(parents=True, exist_ok=True)
        (root / "results").mkdir(exist_ok=True)
        with zipfile.ZipFile(path) as packed:
            for info in packed.infolist():
                if not info.filename.startswith("packages/") or whole:
                    packed.extract(info, root / "source")
                    (root / "source" / info.filename).chmod(stat.S_IMODE(info.external_attr >> 16))
        if bot is not None:
            (root / "submission" / "team7.py").write_text(bot)
        return root

    return make


def graded(capsys, root):
    code, out, err = run_command(capsys, "autograder", "--grade", str(root), "--json")
    assert code == 0, err
    results = json.loads((root / "results" / "results.json").read_text())
    assert json.loads(out) == results
    assert set(results) == RESULT_KEYS
    assert all(set(test) <= TEST_KEYS for test in results["tests"])
    assert all(set(each) <= {"name", "value", "order"} for each in results["leaderboard"])
    return results


def test_a_submission_is_checked_plays_the_staff_and_is_on_the_leaderboard(made, capsys, tmp_path):
    (tmp_path / "hard.py").write_text(LAST)
    root = made("--staff", "random", str(tmp_path / "hard.py"), bot=FIRST)
    results = graded(capsys, root)
    check, *games = results["tests"]
    assert (check["name"], check["status"]) == ("noughts check", "passed")
    assert [test["name"] for test in games] == ["against random", "against hard"]
    assert sum(test["max_score"] for test in games) == 50
    assert results["score"] == pytest.approx(sum(test["score"] for test in games))
    board = {each["name"]: each for each in results["leaderboard"]}
    assert board["Marks"]["value"] == results["score"]
    assert board["Faults"] == {"name": "Faults", "value": 0, "order": "asc"}
    assert graded(capsys, root) == results, "the same submission gets the same marks again"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"bot.py": "def choose(state, clock):\n    return 1 / 0\n"}, "ZeroDivisionError"),
        ({"bot.py": "def choose(state, clock)\n    pass\n"}, "expected ':'"),
        ({"a.py": FIRST, "b.py": LAST}, "a.py, b.py"),
        ({"report.pdf": "%PDF"}, "report.pdf"),
        ({}, "no submission"),
    ],
    ids=["crash", "syntax", "two", "pdf", "nothing"],
)
def test_a_submission_that_cannot_play_gets_no_marks_and_the_reason(made, capsys, files, why):
    root = made("--staff", "random")
    for name, text in files.items():
        (root / "submission" / name).write_text(text)
    results = graded(capsys, root)
    assert results["score"] == 0
    assert results["tests"][0]["status"] == "failed"
    assert why in results["tests"][0]["output"]


def test_thresholds_and_fast_clocks(made, capsys, tmp_path):
    (tmp_path / "marks.toml").write_text('[[threshold]]\nagainst = "random"\nscore = 0.01\nmarks = 12\n')
    thinks = FIRST.replace("    return", "    import time; time.sleep(4)\n    return")
    options = ("--staff", "random", "--thresholds", str(tmp_path / "marks.toml"), "--rehearsal", "0.01")
    results = graded(capsys, made(*options, bot=thinks))
    assert "500 times as fast" in results["output"]
    assert results["tests"][1]["max_score"] == 12


def test_what_is_the_autograders_own_fault_gives_no_marks(made, capsys, tmp_path):
    (tmp_path / "broken.py").write_text("def choose(state, clock):\n    return None\n")
    root = made("--staff", str(tmp_path / "broken.py"), bot=FIRST)
    code, _, err = run_command(capsys, "autograder", "--grade", str(root))
    assert (code, "staff bots do not pass" in err) == (2, True)
    assert not (root / "results" / "results.json").exists()
    (root / "source" / "autograder.json").write_text("[]")
    assert "not an autograder's plan" in run_command(capsys, "autograder", "--grade", str(root))[2]


@pytest.mark.parametrize("staff", ["q:../model", "nobody"])
def test_staff_that_gradescope_does_not_have_is_refused(capsys, tmp_path, staff, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_command(capsys, "autograder", "--game", "classic", "--staff", staff)[0] == 2
    assert not (tmp_path / "autograder.zip").exists()


def test_a_plan_from_elsewhere_names_no_files_outside_its_folder(made, capsys, tmp_path):
    root = made("--staff", "random", bot=FIRST)
    plan = root / "source" / "autograder.json"
    for staff in ({"file": "../../hard.py"}, {"player": str(tmp_path / "hard.py")}, {"player": "q:model"}):
        plan.write_text(json.dumps(json.loads(plan.read_text()) | {"staff": [staff]}))
        assert run_command(capsys, "autograder", "--grade", str(root))[0] == 2


@pytest.mark.skipif(sys.platform != "linux", reason="Gradescope's images are Ubuntu's")
def test_the_scripts_of_the_zip_run_from_a_bare_folder(made, tmp_path):
    root = made("--staff", "random", bot=FIRST, whole=True)
    programs = tmp_path / "bin"
    programs.mkdir()
    packages = "\n".join(site.getsitepackages() + [path for path in sys.path if path.endswith("site-packages")])
    fakes = {  # a machine without a network: what is to be installed is there already
        "apt-get": "exit 0",
        "python3.12": f'{sys.executable} -m venv --without-pip "$3" && printf "#!/bin/sh\\n" > "$3/bin/pip" && '
        f'chmod +x "$3/bin/pip" && for at in "$3"/lib/*/site-packages; do echo "{packages}" > "$at/there.pth"; done',
    }
    for name, text in fakes.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    environment = {**os.environ, "AUTOGRADER_ROOT": str(root), "PATH": f"{programs}:{os.environ['PATH']}"}
    script = (root / "source" / "setup.sh").read_text()
    (root / "source" / "setup.sh").write_text(script.replace("main())' warm", "main())' --version"))
    for command in ("source/setup.sh", "source/run_autograder"):
        done = subprocess.run([root / command], cwd=root, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert json.loads((root / "results" / "results.json").read_text())["tests"][0]["status"] == "passed"
    asked = "import noughts; print(noughts.__file__)"
    python = [root / "source" / "venv" / "bin" / "python", "-P", "-c", asked]
    assert str(root / "source") in subprocess.run(python, capture_output=True, text=True, check=True).stdout
    assert (root / "source" / "requirements.txt").read_text().split() == DEPENDENCIES


def test_opponents_of_an_autograder_share_the_marks():
    results = [
        Result(Fixture("me", "a"), (1, 0)),
        Result(Fixture("b", "me"), (0, 0)),
        Result(Fixture("a", "b"), (1, 0)),
    ]
    mark = gauntlet_marks(results, "me", ["a", "b", "c"], 50)
    assert [(part.marks, part.out_of) for part in mark.parts] == [(16.67, 16.67), (8.33, 16.66), (0, 16.67)]
    assert mark.out_of == 50
