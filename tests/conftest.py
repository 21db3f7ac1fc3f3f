"""What tests share: the games, and random play through them."""

import gc
import os
import random
import shutil
import signal
import subprocess
import sys

import processes
import pytest

import noughts
from noughts.files import usable_cores

processes.start_quickly()

# A shell that starts the tests in the background lets them ignore Ctrl-C, and with them every command they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

GAMES = noughts.game_names()
SMALL = ["classic", "misere", "wild", "wild-misere", "numerical"]
NESTED = ["ultimate", "xtreme", "extreme"]
needs_two_cores = pytest.mark.skipif(usable_cores() < 2, reason="needs two cores")


def pytest_configure(config):
    """Of several workers each would compile everything; so it is done before they begin, by all cores."""
    if config.getoption("numprocesses", None):
        from noughts.rules.kernels.jit import is_ready

        if not is_ready("alpha_beta"):
            subprocess.run([sys.executable, "-P", "-m", "noughts.cli", "warm"], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture
def inside(tmp_path):
    """Makes clients of the page's server, which runs in this process."""
    from serving import servers_inside

    with servers_inside(tmp_path) as make:
        yield make


@pytest.fixture(scope="session", autouse=True)
def games_folder(tmp_path_factory):
    """Where games that tests play are kept, and not among those of whoever runs the tests."""
    folder = tmp_path_factory.mktemp("games")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NOUGHTS_GAMES_DIR", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def own_players_are_forgotten():
    """A player that one test registers is unknown to the next."""
    yield
    registry = sys.modules.get("noughts.players.registry")
    if registry is not None:
        registry._REGISTERED.clear()


@pytest.fixture(params=GAMES)
def game(request):
    return noughts.load_game(request.param)


def random_states(game, seed, games=1):
    """Every state of some random games, the first and the last included. The same object, moved on."""
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


BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("NOUGHTS_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
"""The browser of tests of pages. The first, which has no windows, takes half the time."""


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


LONG_FILES = (
    "page first_use jit attacks tournament_killed hostile_numbers fair_clock match_processes report_page cluster "
    "arena_commands tournament_command training notebooks site docs solve strength search_values chaos watching "
    "web train docs_run convert tournament_file wheel web_api referee learning_docs evaluation cli policies similarity"
)
"""Begun first, so that no core is left alone with one of them at the end."""


def pytest_collection_finish():
    """What is loaded stays: nobody need look through all of Numba again and again for what could be freed."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_collection_modifyitems(items):
    first = {f"test_{name}.py": place for place, name in enumerate(LONG_FILES.split())}
    items.sort(key=lambda item: first.get(item.path.name, len(first)))
