"""The public face: what is in it, and that it stays light."""

import doctest
import inspect
import subprocess
import sys
import typing
from importlib import import_module

import noughts
import noughts.draw
import noughts.learn
import noughts.rules
import noughts.solving
import noughts.text

FACE = [
    "BestResponse",
    "BotFault",
    "Clock",
    "Elo",
    "Engine",
    "Evaluation",
    "Evaluator",
    "Game",
    "GameRecord",
    "IllegalMove",
    "Limits",
    "MatchResult",
    "Mistake",
    "MonteCarloTreeSearch",
    "NoughtsError",
    "Outcome",
    "Player",
    "Playouts",
    "PolicyValue",
    "PositionError",
    "Review",
    "Rewards",
    "Rules",
    "RulesError",
    "Solution",
    "Sprt",
    "State",
    "TERMINAL",
    "Tally",
    "TooLarge",
    "Tournament",
    "best_response",
    "dataset",
    "evaluate_policy",
    "evaluator_for",
    "exploitability",
    "game_names",
    "load_game",
    "make_player",
    "perft",
    "play_game",
    "play_match",
    "playouts",
    "register_game",
    "register_player",
    "review",
    "solve",
]


def test_the_public_face_is_this_list():
    assert sorted(noughts.__all__) == sorted(FACE)
    for name in FACE:
        assert getattr(noughts, name) is not None
        assert name in dir(noughts)
    assert dir(noughts) == sorted(FACE)
    assert not hasattr(noughts, "chess")


def test_rooms_need_no_import_of_their_own():
    code = "import noughts, sys; assert 'noughts.envs' not in sys.modules; noughts.envs, noughts.games.VARIANTS"
    assert "noughts.envs" in loaded_after(code)


def loaded_after(code):
    script = f"{code}; import sys; print(*sys.modules)"
    return subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, check=True).stdout.split()


def test_importing_loads_neither_numpy_nor_numba():
    modules = loaded_after("import noughts; noughts.__version__")
    assert "numba" not in modules
    assert "numpy" not in modules


def test_importing_the_rules_and_the_texts_loads_neither_numpy_nor_numba():
    modules = loaded_after("import noughts.rules, noughts.text; noughts.rules.Rules, noughts.rules.k_in_a_row(4, 3)")
    assert "noughts.rules.geometry" in modules
    assert "numba" not in modules
    assert "numpy" not in modules


def test_the_rules_and_the_texts_list_their_names():
    for room in (noughts.rules, noughts.text):
        for name in room.__all__:
            assert getattr(room, name) is not None
            assert name in dir(room)
        assert not hasattr(room, "chess")


def test_building_the_command_line_loads_nothing_heavy():
    modules = loaded_after("from noughts.cli import build_parser; build_parser([]).format_help()")
    assert not {"numba", "numpy", "rich", "noughts.game"} & set(modules)


def test_rewards_and_refusals_need_no_solver_and_the_decision_process_no_learner():
    modules = loaded_after("from noughts.solving import Rewards, TooLarge; from noughts.learn import Mdp; Mdp()")
    assert "noughts.solving.kernels.graph" not in modules
    assert "noughts.learn.kernels.pairs" not in modules
    assert "noughts.rules.kernels.batch" not in modules


def test_the_rooms_list_their_names():
    for room in (noughts.solving, noughts.learn, noughts.draw):
        for name in room.__all__:
            assert getattr(room, name) is not None
            assert name in dir(room)
        assert not hasattr(room, "chess")


def test_these_games_are_built_in():
    assert set(noughts.game_names()) >= {
        *("classic", "misere", "wild", "wild-misere", "numerical"),
        *("ultimate", "ultimate-boards", "xtreme", "extreme"),
    }


def test_the_examples_of_the_face_do_what_they_say(monkeypatch):
    monkeypatch.setattr("noughts.library._REGISTERED", {})
    monkeypatch.setattr("noughts.players.registry._REGISTERED", {})
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    without = []
    for name in FACE:
        found = [test for test in finder.find(getattr(noughts, name), name) if test.examples]
        if not found and not isinstance(getattr(noughts, name), int):
            without.append(name)
        for test in found:
            runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0
    assert without == []


ROOMS = [
    *"analysis course draw envs evaluation games learn matches players rules sandbox".split(),
    *"search solving suites tournaments".split(),
]


def test_every_type_in_the_signatures_of_the_face_is_exported():
    exported = {
        id(getattr(room, name))
        for room in (noughts, *(import_module(f"noughts.{room}") for room in ROOMS))
        for name in getattr(room, "__all__", ())
    }
    missing = set()
    for name in FACE:
        thing = getattr(noughts, name)
        functions = [thing] if inspect.isfunction(thing) else []
        if inspect.isclass(thing):
            public = [value for key, value in vars(thing).items() if not key.startswith("_") or key == "__init__"]
            public = [value for value in public if name not in MADE or getattr(value, "__name__", "") != "__init__"]
            functions = [getattr(value, "fget", value) for value in public]
            functions += [getattr(value, "func", value) for value in public]
        for function in filter(inspect.isfunction, functions):
            for hint in typing.get_type_hints(function, localns=TYPES).values():
                missing |= {f"{name}: {found.__qualname__}" for found in classes_in(hint) if id(found) not in exported}
    assert missing == set()


MADE = ("BestResponse", "Solution")
"""Objects that functions make: their constructors are private."""
TYPES = dict.fromkeys(("Reply", "GameRecord", "Solution"), object)
"""What modules import for type checkers only."""


def classes_in(hint):
    """The classes of ours in a type."""
    if isinstance(hint, type) and hint.__module__.startswith("noughts."):
        return {hint}
    return {found for part in typing.get_args(hint) if part is not ... for found in classes_in(part)}
