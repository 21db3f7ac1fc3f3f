"""What the README and the docs say works: their code runs, their commands exist, their links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
from pages import ROOT, blocks

import noughts
from noughts.cli import COMMANDS, build_parser
from noughts.library import game_from_command_line
from noughts.rules import spec
from noughts.testing import check_game

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_have_a_title_and_a_text(page):
    title, _, text = page.read_text().partition("\n")
    assert title.startswith("# ")
    assert len(text) > (200 if page.parent.name != "reference" else 50)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_docs_parse(page):
    text = page.read_text()
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()] + re.findall(
        r"`(noughts [^`]+)`", text
    )
    for line in lines:
        for part in line.split("&&"):
            words = shlex.split(part.replace("\\", ""), comments=True)
            if (
                not words
                or not words[0].endswith("noughts")
                or words[1:2] in ([], ["COMMAND"], ["--help"], ["--version"])
            ):
                continue
            assert words[1] in COMMANDS, line
            build_parser().parse_args(words[1:])


def test_the_readme_fits_one_screen():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 60


def test_the_games_of_the_tutorial_are_games(tmp_path):
    record, *_ = blocks(ROOT / "docs" / "adding-a-game.md", "python")
    (tmp_path / "my_games.py").write_text(record)
    games = {}
    for name in ("NOTAKTO", "THREE_ON_FOUR", "TRIAD", "TRIPLE"):
        games[name] = game_from_command_line(f"{tmp_path / 'my_games.py'}:{name}")
        check_game(games[name], games=1)
    assert noughts.perft(games["TRIPLE"], 1) == 3 * 81
    assert len(games["THREE_ON_FOUR"].rules.lines) == 24
    with pytest.raises(ValueError, match="it has NOTAKTO, THREE_ON_FOUR, TRIAD, TRIPLE"):
        game_from_command_line(f"{tmp_path / 'my_games.py'}:QUAD")
    with pytest.raises(ValueError, match=r"the file .* does not exist"):
        game_from_command_line(f"{tmp_path / 'none.py'}:QUAD")


def test_the_page_on_new_games_says_what_the_kernel_holds():
    first = (ROOT / "docs" / "adding-a-game.md").read_text().split("\n\n")[1].replace("\n", " ")
    holds = f"squares of side 2 to {spec.MAX_SIDE}, flat or nested, with up to {spec.MAX_BLOCKS} blocks on all boards, "
    assert f"{holds}{spec.MAX_MARKS} marks and {spec.MAX_LINES} lines" in first


def test_refusals_quoted_in_the_docs_are_the_real_ones():
    page = (ROOT / "docs" / "adding-a-game.md").read_text()
    for name, side in (("tiny", 1), ("huge", 5)):
        with pytest.raises(noughts.RulesError) as refusal:
            noughts.Rules(name=name, title=name, side=side, lines=((0, 1),))
        assert str(refusal.value) in page
    with pytest.raises(noughts.PositionError) as refusal:
        noughts.load_game("classic").from_string("XX./.../... p1")
    assert str(refusal.value) in (ROOT / "docs" / "notation.md").read_text()


def test_positions_quoted_in_the_docs_are_positions():
    (quoted,) = [block for block in blocks(ROOT / "docs" / "notation.md", "text") if block.startswith("XO./")]
    for line, name in zip(quoted.splitlines(), ("classic", "numerical", "classic", "ultimate", "xtreme"), strict=True):
        position = re.split(r"\s{2,}", line)[0]
        assert noughts.load_game(name).from_string(position).to_string() == position


SECURITY = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ENTRANCES = SECURITY[SECURITY.index("## Entrances") : SECURITY.index("## A bot file")]


def test_every_entrance_has_a_test_that_exists():
    rows = [line.strip("|").split("|") for line in ENTRANCES.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 40
    for entrance, owner, bound, tests in rows:
        if entrance.strip().startswith("**"):  # the head of a part
            continue
        assert owner.strip(), entrance
        assert bound.strip(), entrance
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", tests)
        assert named, f"no test holds {entrance}"
        for file, name in named:
            text = (Path(__file__).parent / file).read_text(encoding="utf-8")
            assert re.search(rf"^def {name}\(", text, re.MULTILINE), f"there is no {file}::{name}"
    for file, name in re.findall(r"`(test_\w+\.py)::(\w+)`", SECURITY):  # also of the other tables
        assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8"), f"{file}::{name}"
    for file in set(re.findall(r"`tests/(\w+\.py)`", SECURITY)):
        assert (Path(__file__).parent / file).is_file(), file


def test_every_kind_of_file_and_every_variable_is_an_entrance():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in Path(noughts.__file__).parent.rglob("*.py"))
    kinds = set(re.findall(r'FileKind\(\s*"([^"]+)"', sources))
    variables = set(re.findall(r'environ(?:\.get\(|\[)"([A-Z_]+)"', sources)) | {"OPENAI_API_KEY"}
    assert len(kinds) > 10
    assert [kind for kind in sorted(kinds) if kind not in ENTRANCES] == []
    assert [name for name in sorted(variables) if name not in ENTRANCES] == []
