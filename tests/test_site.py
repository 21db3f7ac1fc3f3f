"""The docs as a site: it builds without a warning, asks nothing of other servers, and its pictures are current."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def script(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pictures_are_those_that_the_script_draws():
    pytest.importorskip("PIL")
    assert script(ROOT / "docs" / "pictures" / "make.py").stale() == []


def test_the_reference_lists_every_public_name():
    for package in ("gymnasium", "pettingzoo", "pyspiel", "fastapi"):
        pytest.importorskip(package)
    for name, text in script(ROOT / "docs" / "reference" / "make.py").pages().items():
        assert (ROOT / "docs" / "reference" / name).read_text() == text, "python docs/reference/make.py writes it again"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    folder = tmp_path_factory.mktemp("site")
    # The command of CONTRIBUTING.md, install.md and the workflows, but for where the site goes.
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        text=True,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING -" not in done.stderr
    return folder


def test_the_site_asks_nothing_of_other_servers(site):
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert not re.search(r"<(?:script|img|iframe|source)[^>]+src=[\"']?(?:https?:)?//", text), page
        assert not re.search(
            r"<link[^>]+rel=[\"']?(?:stylesheet|preconnect|icon)[^>]+href=[\"']?(?:https?:)?//", text
        ), page


def test_the_site_has_every_page_and_every_public_name(site):
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).exists(), page
    for room, name in (("noughts", "State"), ("noughts-search", "Engine"), ("noughts-tournaments", "Course")):
        text = (site / "reference" / f"{room}.html").read_text()
        assert re.search(rf'id="noughts[\w.]*\.{name}"', text), name


def test_the_documented_command_is_the_one_that_is_checked():
    for file in (
        ".github/workflows/docs.yml",
        ".github/workflows/tests.yml",
        "docs/install.md",
        "CONTRIBUTING.md",
    ):
        commands = re.findall(r"mkdocs build[^\n`|]*", (ROOT / file).read_text())
        assert {command.strip() for command in commands} == {"mkdocs build --strict"}, file


def test_columns_and_fields_of_docstrings_stay_apart(site):
    gym = (site / "reference" / "noughts-envs-gym.html").read_text()
    assert re.search(r"<dt><code>observation</code></dt>\s*<dd>", gym)
    view = (site / "reference" / "noughts-rules.html").read_text()
    assert "<li><code>owners</code>: OPEN, FIRST, SECOND or DRAWN by block.</li>" in view


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_read_as_titles_and_tables_have_heads(page):
    text = page.read_text()
    assert re.findall(r"\[`?[\w./-]+\.md`?\]\(", text) == []
    assert re.findall(r"^\|(?: *\|)+\n\|[ :-]+", text, re.MULTILINE) == []
