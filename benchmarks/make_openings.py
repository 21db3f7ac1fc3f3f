"""Makes the shipped openings: random moves after which neither side is better, 500 for each nested game.

    python benchmarks/make_openings.py [GAME ...]     writes src/noughts/games/GAME/openings.txt

An opening is kept if a short and a long search both call it even, and no symmetry turns it into another one. Searches
are limited by nodes and the seed is fixed, so the same engine writes the same files.
"""

from __future__ import annotations

import random
import sys

import noughts
from noughts.game import Game, State
from noughts.games import VARIANTS
from noughts.matches.openings import OPENING_PLIES
from noughts.progress import progress
from noughts.rules.symmetry import canonical_row
from noughts.search import Engine, Limits

COUNT, SEED = 500, 1
STAGES = ((20_000, 8_000), (200_000, 4_000))
"""Nodes of each search, and the largest score, of 100,000, that counts as even."""


def balanced(engine: Engine, state: State) -> bool:
    """Returns whether all searches call a position even."""
    for nodes, most in STAGES:
        engine.new_game()
        if abs(engine.search(state, Limits(nodes=nodes)).best.score) > most:
            return False
    return True


def openings(game: Game) -> list[str]:
    """Returns the openings of a game as lists of moves."""
    chance, engine = random.Random(SEED), Engine(game, memory=16)
    seen: set[bytes] = set()
    found: list[str] = []
    with progress(game.name) as tick:
        while len(found) < COUNT:
            state, moves = game.new_initial_state(), []
            while len(moves) < OPENING_PLIES:
                action = chance.choice(state.legal_actions())
                moves.append(state.action_to_string(action))
                state.apply_action(action)
            image = canonical_row(game.rules, game.facts, state.words).tobytes()
            if image not in seen and balanced(engine, state):
                seen.add(image)
                found.append(" ".join(moves))
                tick(len(found) / COUNT)
    return found


if __name__ == "__main__":
    for name in sys.argv[1:] or [rules.name for rules in VARIANTS if rules.nested]:
        game = noughts.load_game(name)
        (game.data.folder / "openings.txt").write_text("\n".join(openings(game)) + "\n")
