"""What belongs to a game beside its rules: found by the rules, for built-in games and for one's own."""

import ast
import pickle
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from processes import run_code

import noughts
from noughts.analysis.curve import UNFITTED, curve_of
from noughts.games import LISTED, GameData, data_of, listing_of
from noughts.games.classic import RULES as CLASSIC
from noughts.games.ultimate import RULES as ULTIMATE
from noughts.library import game_from_command_line
from noughts.matches.openings import read_openings
from noughts.players.alphabeta import LEVELS, levels_of
from noughts.search import Engine, Limits, weights_for
from noughts.search.network import shipped_network
from noughts.text.env import TextEnv

PACKAGE = Path(noughts.__file__).parent
LEVELS_OF_MINE = tuple((depth, 100.0) for depth in range(1, 10))
FACING = replace(CLASSIC, name="facing", title="Facing", places=("X", "XO"))


@pytest.fixture(autouse=True)
def own_data_are_forgotten(monkeypatch):
    monkeypatch.setattr("noughts.games._OWN", {})
    monkeypatch.setattr("noughts.library._REGISTERED", {})


@pytest.mark.parametrize("data", LISTED, ids=lambda data: data.rules.name)
def test_the_same_rules_under_another_name_share_all_that_depends_on_them(data):
    other = replace(data.rules, name="other", title="Other", summary="", win_points=(3, -3), move_seconds=1.0)
    assert data_of(other) is data_of(data.rules) is data
    assert listing_of(data.rules) is data
    assert listing_of(other) is None


@pytest.mark.parametrize(
    "facts", [{"bonus": True}, {"nested": False, "places": ("X", "XO")}, {"boards": 2}, {"misere": True}]
)
def test_a_game_of_ones_own_called_ultimate_has_nothing_of_ultimate(facts):
    game = noughts.Game(replace(ULTIMATE, **facts))
    assert game.name == "ultimate"
    assert game.data == GameData(game.rules)
    assert levels_of(game) == LEVELS
    assert curve_of(game.rules) == UNFITTED
    assert shipped_network(game.rules) is None
    with pytest.raises(ValueError, match="there are no balanced openings for ultimate"):
        read_openings(game, "balanced")
    env, chance = TextEnv(game), random.Random(1)
    env.reset()
    while not env.ending:
        listed = env.get_observation()[1].rpartition("Available Moves: ")[2].split(", ")
        assert env.step(chance.choice(listed))[1]["valid"]


def test_weights_are_those_of_the_most_similar_game():
    for data in LISTED:
        if data.weights is not None:
            assert weights_for(data.rules) == data.weights
            assert weights_for(replace(data.rules, bonus=not data.rules.bonus)).missing == data.weights.missing


def test_data_of_a_file_come_with_its_record(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from dataclasses import replace\n"
        "from noughts.games import GameData\n"
        "from noughts.games.classic import RULES as CLASSIC\n"
        "FACING = replace(CLASSIC, name='facing', title='Facing', places=('X', 'XO'))\n"
        "PLAIN = replace(FACING, name='plain', misere=True)\n"
        "DATA = GameData(FACING, curve=(0.5, 0.25))\n"
    )
    assert game_from_command_line(f"{path}:FACING").data.curve == (0.5, 0.25)
    assert game_from_command_line(f"{path}:PLAIN").data.curve is None


def test_a_folder_is_a_game_with_its_files(tmp_path):
    folder = tmp_path / "facing"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from dataclasses import replace\n"
        "from pathlib import Path\n"
        "from noughts.games import GameData\n"
        "from noughts.games.classic import RULES as CLASSIC\n"
        "RULES = replace(CLASSIC, name='facing', title='Facing', places=('X', 'XO'))\n"
        "DATA = GameData(RULES, folder=Path(__file__).parent)\n"
    )
    (folder / "openings.txt").write_text("X0 O8\n")
    game = game_from_command_line(str(folder))
    assert game.rules == FACING
    assert read_openings(game, "balanced") == ((0, 17),)
    with pytest.raises(ValueError, match="there is no game"):
        noughts.load_game(str(folder))


def test_a_folder_without_rules_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "__init__.py").write_text("")
    with pytest.raises(ValueError, match="has no Rules record called 'RULES'; it has none"):
        game_from_command_line(str(tmp_path))


def test_data_are_registered_with_the_game_and_reach_other_processes():
    game = noughts.register_game(GameData(FACING, levels=LEVELS_OF_MINE))
    assert noughts.load_game("facing") == game
    assert levels_of(game)[7].depth == 7
    code = f"import pickle; print(pickle.loads({pickle.dumps(game)!r}).data.levels == {LEVELS_OF_MINE!r})"
    assert run_code(code).stdout == "True\n"


def test_parameters_of_the_search_are_those_of_the_game():
    rules = replace(ULTIMATE, name="mine", bonus=True)

    def nodes():
        game = noughts.Game(rules)
        return Engine(game, memory=1).search(game.new_initial_state(), Limits(depth=5)).nodes

    usual = nodes()
    noughts.register_game(GameData(rules, search_parameters={"reduction_base": 0, "reduction_step": 0}))
    assert nodes() > usual


def test_data_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="facing has 2 levels; it must have 9, or none"):
        GameData(FACING, levels=LEVELS_OF_MINE[:2])
    noughts.register_game(GameData(FACING, search_parameters={"depth": 3}))
    with pytest.raises(ValueError, match=r"there is no search parameter 'depth'; they are .*futility_margin"):
        Engine(noughts.load_game("facing"))
    with pytest.raises(TypeError, match="register_game needs a Rules record or GameData, not str"):
        noughts.register_game("facing")


NESTED_NAMES = {data.rules.name for data in LISTED if data.rules.nested} | {"numerical"}
"""Names that mean nothing else."""


def named(tree):
    """Yields the games that a source tells apart by their names: in a comparison, or as keys of a table."""
    for node in ast.walk(tree):
        inside = node.comparators if isinstance(node, ast.Compare) else node.keys if isinstance(node, ast.Dict) else []
        for part in inside:
            for constant in ast.walk(part) if part is not None else ():
                if isinstance(constant, ast.Constant) and constant.value in NESTED_NAMES:
                    yield constant.value


def test_no_table_and_no_condition_outside_the_games_names_a_game():
    sources = [path for path in PACKAGE.rglob("*.py") if PACKAGE / "games" not in path.parents]
    found = [f"{path.name}: {name}" for path in sources for name in named(ast.parse(path.read_text(encoding="utf-8")))]
    keys = re.compile(rf"""(?:=== |\n *["']?)({"|".join(NESTED_NAMES)})["']?:""")
    scripts = [path for path in PACKAGE.rglob("*.js") if keys.search(path.read_text(encoding="utf-8"))]
    assert (found, scripts) == ([], [])
