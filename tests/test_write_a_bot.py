"""docs/write-a-bot.md keeps its promises: its bots load, play cleanly, and the second one wins."""

import pytest
from pages import DOCS, blocks
from playing import played

import noughts
from noughts.bots.gate import Gate
from noughts.course.rules import submission_rules
from noughts.matches.schedule import Match
from noughts.matches.tally import tallies
from noughts.players.bot import default_limits
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import read_bot

PAGE = DOCS / "write-a-bot.md"


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bots")
    codes = blocks(PAGE, "python")
    for name, code in zip(("first", "second", "team7"), codes, strict=True):
        (folder / f"{name}.py").write_text(code)
    return folder


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


@pytest.mark.parametrize(("name", "game"), [("first", "ultimate"), ("second", "classic"), ("team7", "xtreme")])
def test_the_bots_of_the_page_pass_the_check(bots, server, name, game):
    game = noughts.load_game(game)
    gate = Gate(game, default_limits(game), rules=submission_rules())
    report = gate.check(read_bot(str(bots / f"{name}.py")), server)
    assert report.passed(), report.faults


def test_the_second_bot_beats_the_first(bots, server):
    game = noughts.load_game("ultimate")
    match = Match(game, (str(bots / "second.py"), str(bots / "first.py")), games=10, seed=1)
    second, first = tallies(match.player_names, played(match, server))
    assert second.won >= 7
    assert not second.forfeits
    assert not first.forfeits
