"""What tests share: the games, and random play through them."""

import gc
import os
import random
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import processes
import pytest

import noughts
from noughts.files import usable_cores

processes.start_quickly()

# Else each of the hundreds of interpreters that the tests start compiles all of the package, half a second of a core.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Else argparse looks into several folders for the translation of each of its words, a thousand for every command.
os.environ["LANGUAGE"] = "C"

# A shell that starts the tests in the background lets them ignore Ctrl-C, and with them every command they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

with suppress(ImportError):  # the adapters are tested without it
    from hypothesis import HealthCheck, settings

    # The same examples in every run, however busy the machine is.
    calm = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile("steady", derandomize=True, database=None, **calm)
    settings.load_profile("steady")

DOCS = Path(__file__).parents[1] / "docs"


def documented_games():
    """The games of docs/adding-a-game.md, by name."""
    page = (DOCS / "adding-a-game.md").read_text(encoding="utf-8")
    values = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], values)
    return {value.name: value for value in values.values() if isinstance(value, noughts.Rules)}


def games_where(fact):
    """The names of the built-in games whose rules have a fact."""
    return [name for name in GAMES if fact(noughts.load_game(name).rules)]


GAMES = noughts.game_names()
SMALL = games_where(lambda rules: not rules.nested)
NESTED = games_where(lambda rules: rules.nested)
OWN_GAMES = {name: rules for name, rules in documented_games().items() if name not in GAMES}
EVERY_GAME = [*GAMES, *OWN_GAMES]


def load(name):
    """Returns a built-in game, or one of docs/adding-a-game.md."""
    return noughts.Game(OWN_GAMES[name]) if name in OWN_GAMES else noughts.load_game(name)


needs_two_cores = pytest.mark.skipif(usable_cores() < 2, reason="needs two cores")


WORKERS = 3
"""On two cores: a third of the time tests wait for processes, pages and clocks, so a third worker has work to do."""


def pytest_xdist_auto_num_workers(config):
    """A file is tested by one process. So a file alone is tested in this one, which begins in a third of the time."""
    files = {argument.partition("::")[0] for argument in config.args}
    if not all(name.endswith(".py") for name in files):
        return WORKERS
    return min(WORKERS, len(files)) if len(files) > 1 else 0


def pytest_configure(config):
    """Nothing that is loaded with the tests can be freed: a third of the time of loading them went into looking for it.

    Of several workers each would compile everything; so it is done before they begin, by all cores. If nothing is left
    to compile, this takes half a second.
    """
    gc.disable()
    if config.getoption("numprocesses", None):
        subprocess.run([sys.executable, "-P", "-m", "noughts.cli", "warm"], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def python2():
    """An interpreter of Python 2, which is looked for where a test needs it, and not by all that collect the tests."""
    import constructs

    return constructs.python2() or pytest.skip("there is no Python 2 on this machine to ask")


@pytest.fixture
def inside(tmp_path):
    """Makes clients of the page's server, which runs in this process."""
    from serving import servers_inside

    with servers_inside(tmp_path) as make:
        yield make


@pytest.fixture(scope="session", autouse=True)
def games_folder(tmp_path_factory):
    """The folder of games that tests play: not the one of the person who runs the tests."""
    folder = tmp_path_factory.mktemp("games")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NOUGHTS_GAMES_DIR", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def own_players_are_forgotten():
    """Forgets the players that a test registered."""
    yield
    registry = sys.modules.get("noughts.players.registry")
    if registry is not None:
        registry._REGISTERED.clear()


def golden(path):
    """Returns the text of a file that make_fixtures.py writes for each built-in game."""
    assert path.exists(), f"{path.name} is missing: run python tests/make_fixtures.py"
    return path.read_text(encoding="utf-8")


@pytest.fixture(params=EVERY_GAME)
def game(request):
    return load(request.param)


def random_states(game, seed, games=1):
    """Yields every state of some random games, from the first to the last: one object, moved on."""
    choose = random.Random(seed)
    for _ in range(games):
        state = game.new_initial_state()
        yield state
        while not state.is_terminal():
            state.apply_action(choose.choice(state.legal_actions()))
            yield state


def random_state(game, seed):
    """A state from anywhere in a random game."""
    choose = random.Random(seed)
    states = [state.clone() for state in random_states(game, seed)]
    return choose.choice(states)


@pytest.fixture(scope="module")
def browser():
    from browsing import launched

    with launched() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The server of the page, in a process of its own, which says nothing and fails at nothing."""
    from serving import Server

    running = Server(tmp_path_factory.mktemp("served"))
    yield running
    out, err = running.stop()
    assert "Traceback" not in err, err
    assert out == ""


LONG_FILES = (
    "attacks page wheel fair_clock first_use quick_check interpreter gate docs_run match_processes other_systems "
    "report_page jit notebooks page_people watching chaos ladder_page site tournament_killed train engines convert "
    "own_players_and_games search_values solve tournament_command cluster rules tournament_file check_report web_api "
    "ladder_server autograder policies snapshots training review layers hostile_numbers unsafe evaluation reference "
    "network strength similarity state cli arena_commands learning_docs web_people ladder text_env text_replies docs "
    "web_proxies referee evaluate_command ladder_term suites gym web kaggle example_bots vector variant_data"
)
"""Begun first, so that no core is left alone with one of them at the end."""


def pytest_collection_finish():
    """What is loaded stays: nobody need look through all of Numba again and again for what could be freed."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


def pytest_collection_modifyitems(items):
    first = {f"test_{name}.py": place for place, name in enumerate(LONG_FILES.split())}
    items.sort(key=lambda item: first.get(item.path.name, len(first)))
