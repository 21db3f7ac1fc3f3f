"""What tests of drawings share: games of all shapes, and positions to draw."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import conftest
import pytest
from conftest import random_states

import noughts
from noughts.games.extreme import RULES as EXTREME
from noughts.games.ultimate import RULES as ULTIMATE
from noughts.games.wild import RULES as WILD
from noughts.games.xtreme import RULES as XTREME
from noughts.rules.geometry import columns, diagonals, diamonds, rows

SVG = "{http://www.w3.org/2000/svg}"

SQUARE = rows(2) + columns(2)
VARIANTS = {
    "tiny": replace(WILD, name="tiny", side=2, lines=SQUARE, places=("X", "O"), misere=True),
    "three-marks": replace(WILD, name="three-marks", side=4, lines=diamonds(4), marks="XOZ", places=("XOZ", "XOZ")),
    "mixed-marks": replace(WILD, name="mixed-marks", marks="XZO", places=("XZ", "OZ")),
    "nested-tiny": replace(ULTIMATE, name="nested-tiny", side=2, lines=diagonals(2)),
    "letters": replace(ULTIMATE, name="letters", marks="AB", places=("A", "B"), misere=True),
    "three-boards": replace(XTREME, name="three-boards", boards=3),
    "three-large-boards": replace(EXTREME, name="three-large-boards", boards=3),
    "many-boards": replace(XTREME, name="many-boards", side=2, lines=SQUARE, boards=15, block_points=None),
}
EVERY_GAME = [*conftest.EVERY_GAME, *VARIANTS]

every_game = pytest.mark.parametrize("name", EVERY_GAME)


def load(name):
    return noughts.Game(VARIANTS[name]) if name in VARIANTS else conftest.load(name)


def play(name, *moves):
    state = load(name).new_initial_state()
    for move in moves:
        state.apply_action(state.string_to_action(move))
    return state


def sample(name):
    """States from all stages of a random game, the first and the last included."""
    states = [state.clone() for state in random_states(load(name), seed=3)]
    return [*states[:: max(1, len(states) // 6)], states[-1]]


def first_state(name, wanted):
    """The first state of random games whose view is as wanted."""
    game = load(name)
    return next(state for seed in range(200) for state in random_states(game, seed) if wanted(state.view()))


def parts(picture, tag):
    return list(ElementTree.fromstring(picture).iter(f"{SVG}{tag}"))


def empty_cells(state):
    return [cell for cell, mark in enumerate(state.view().cells) if mark < 0]
