"""Measures the Python API on one state: legal_actions and apply_action in random games, against OpenSpiel.

    python benchmarks/state_api.py

OpenSpiel's `ultimate_tic_tac_toe` is compiled and treats the choice of a board as a separate action, so both games and
actions a second are shown.
"""

from __future__ import annotations

import random

from measure import rates, report

import noughts

GAMES = 60


def play(game, games: int, seed: int) -> int:
    """Returns the number of actions taken in random games."""
    choose = random.Random(seed).random
    actions = 0
    for _ in range(games):
        state = game.new_initial_state()
        legal = state.legal_actions()
        while legal:
            state.apply_action(legal[int(choose() * len(legal))])
            legal = state.legal_actions()
            actions += 1
    return actions


def main() -> None:
    names = noughts.game_names()
    for name, rate in rates(**{n: lambda n=n: play(noughts.load_game(n), GAMES, 1) for n in names}).items():
        print(f"{name:<12} {1e6 / rate:5.2f} us for apply_action + legal_actions, the choice included")
    try:
        import pyspiel
    except ImportError:
        print("against OpenSpiel: open_spiel is not installed")
        return
    theirs, ours = pyspiel.load_game("ultimate_tic_tac_toe"), noughts.load_game("ultimate")
    found = rates(
        our_actions=lambda: play(ours, GAMES, 1),
        their_actions=lambda: play(theirs, GAMES, 1),
        our_games=lambda: GAMES if play(ours, GAMES, 1) else 0,
        their_games=lambda: GAMES if play(theirs, GAMES, 1) else 0,
    )
    report("ultimate, actions", found["our_actions"], found["their_actions"], "OpenSpiel from Python")
    report("ultimate, games", found["our_games"], found["their_games"], "OpenSpiel from Python")


if __name__ == "__main__":
    main()
