"""The rules where a player looks for them: the same words as for language models, with pictures."""

import re
from pathlib import Path

import pytest
from conftest import EVERY_GAME, GAMES, load

import noughts
from noughts.cli import main
from noughts.commands.rules import rules_page
from noughts.text import prompt, rulebook

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", EVERY_GAME)
def test_people_read_the_same_rules_as_models(name):
    rules = load(name).rules
    lines = prompt(rules, 0, full=True).splitlines()
    assert all(line in rulebook(rules) for line in lines[1:])
    assert rules.title in rulebook(rules)


def test_every_kind_of_line_has_a_picture_and_every_block_its_points(capsys):
    assert main(["rules", "extreme"]) == 0
    shown = capsys.readouterr().out
    assert "a row       a column     a diamond" in shown
    assert "# # # #     . # . .      . # . #" in shown
    assert " 4  5  6  7     4 3 3 4" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_example_of_where_a_move_sends_is_on_the_board(capsys):
    main(["rules", "ultimate"])
    shown = capsys.readouterr().out
    sentence = re.search(r"so\s+the\s+next move must be made there", shown)
    assert sentence is not None
    assert "O to move: block 5 (rows 3-5, columns 6-8)" in shown


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_rules_has_them_all(name):
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    rules = f"```text\n{rules_page(noughts.load_game(name))}\n```"
    assert rules in page, "run python tests/make_fixtures.py"


def test_the_pictures_of_the_page_are_the_positions_it_names():
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    positions = re.findall(r"noughts show extreme '(.+)'", page)
    pictures = re.findall(r"\(pictures/(.+)\)", page)
    assert len(positions) == len(pictures) == 3
    for position, picture in zip(positions, pictures, strict=True):
        drawn = noughts.load_game("extreme").from_string(position).to_svg()
        assert (DOCS / "pictures" / picture).read_text(encoding="utf-8") == drawn
