"""The comparison of two versions (benchmarks/against.py): it fails for whatever it cannot compare."""

import ast
import runpy
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository, to check a commit out")

against = runpy.run_path(str(ROOT / "benchmarks" / "against.py"))
Probe, PROBES = against["Probe"], against["PROBES"]


@pytest.fixture
def compare(monkeypatch, capsys):
    """Runs the comparison with HEAD over other probes."""

    def run(probes, *options):
        for name in list(PROBES):
            monkeypatch.delitem(PROBES, name)
        for name, code in probes.items():
            monkeypatch.setitem(PROBES, name, Probe(name, code, turns=1))
        return against["main"](["HEAD", *map(str, options)]), capsys.readouterr().out

    return run


@pytest.fixture
def wheel(tmp_path):
    """A wheel of a package noughts that says it takes two seconds, and needs a name that no other version has."""
    path = tmp_path / "noughts-9.9-py3-none-any.whl"
    about = "noughts-9.9.dist-info/"
    files = {
        "noughts/__init__.py": "SECONDS = 2.0\n",
        about + "METADATA": "Metadata-Version: 2.1\nName: noughts\nVersion: 9.9\n",
        about + "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        about + "RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_a_probe_that_fails_in_either_version_fails_the_comparison(compare, wheel):
    only_in_the_wheel = "from noughts import SECONDS; print(SECONDS)"
    only_in_the_commit = "import noughts.game; print(1.0)"
    code, out = compare({"new": only_in_the_wheel, "old": only_in_the_commit, "both": "print(1.0)"}, "--wheel", wheel)
    assert code == 1
    assert "not compared: new, old" in out
    assert "not compared: HEAD: ImportError: cannot import name 'SECONDS'" in out
    assert "not compared: now: ModuleNotFoundError: No module named 'noughts.game'" in out


@pytest.mark.parametrize(("options", "code"), [((), 1), (("--allow", "one=1.9"), 1), (("--allow", "one=2.1"), 0)])
def test_the_limit_is_a_tenth_unless_the_command_line_allows_a_probe_more(compare, wheel, options, code):
    probes = {"one": "import noughts; print(getattr(noughts, 'SECONDS', 1.0))"}
    assert compare(probes, "--wheel", wheel, *options)[0] == code
    assert against["LIMIT"] == 1.1


@pytest.mark.parametrize("wish", ["none=2", "import", "import=x", "import=1", "import=nan"])
def test_an_exception_names_a_probe_and_a_ratio(capsys, wish):
    with pytest.raises(SystemExit):
        against["main"](["HEAD", "--allow", wish])
    assert "error: argument --allow" in capsys.readouterr().err


def test_this_tree_has_what_the_probes_look_for():
    places = [
        [ast.literal_eval(place) for place in call.args]
        for probe in PROBES.values()
        for call in ast.walk(ast.parse(probe.code))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "find"
    ]
    assert len(places) > 2
    for names in places:
        module, name = names[0].split(":")
        assert hasattr(import_module(module), name)


def test_a_file_that_is_no_wheel_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="pip cannot install"):
        against["main"](["HEAD", "--wheel", str(tmp_path / "none.whl")])


def test_the_commit_must_exist():
    with pytest.raises(SystemExit, match="git does not know"):
        against["main"](["no-such-commit"])
