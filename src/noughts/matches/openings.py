"""Openings that favour neither side, for games that compare two players."""

from __future__ import annotations

import random
from collections.abc import Sequence

from noughts.game import Game
from noughts.players import Player, make_player
from noughts.sandbox.source import is_bot_file

OPENING_PLIES, FLAT_PLIES = 6, 2
"""As many as make most openings different, and leave most of the game to the players; in flat games there are few."""
OPENING_TRIES = 50
BALANCED = 8_000
"""An opening is even enough if the player to move is judged no better or worse than this, of 100,000."""
JUDGE_NODES = 20_000


def balanced_opening(game: Game, plies: int, seed: int) -> list[int]:
    """So many random moves after which neither side is much better; the most even of many if none is even enough."""
    choose = random.Random(seed)
    if plies < 1:
        return []
    from noughts.search import Engine, Limits

    engine = Engine(game, megabytes=1)
    best: tuple[int, list[int]] | None = None
    for _ in range(OPENING_TRIES):
        state = game.new_initial_state()
        for _ in range(plies):
            if not state.is_terminal():
                state.apply_action(choose.choice(state.legal_actions()))
        if state.is_terminal():
            continue
        engine.new_game()
        off = abs(engine.search(state, Limits(nodes=JUDGE_NODES)).best.score)
        if best is None or off < best[0]:
            best = off, state.history()
        if off <= BALANCED:
            break
    if best is None:
        raise ValueError(f"{plies} moves of an opening leave nothing to play in {game.name}; take fewer")
    return best[1]


def may_repeat(players: Sequence[str | Player]) -> bool:
    """Whether no player is known to leave anything to chance, so that games could repeat. Bot files are not known."""
    for given in players:
        if not _is_file(given):
            player = make_player(given, seed=0)
            if isinstance(given, str):
                player.close()
            if not player.is_deterministic:
                return False
    return True


def _is_file(player: str | Player) -> bool:
    return isinstance(player, str) and is_bot_file(player)


def usual_plies(game: Game) -> int:
    """Of an opening of a game."""
    return OPENING_PLIES if game.rules.nested else FLAT_PLIES


def needed_plies(game: Game, players: Sequence[str | Player]) -> int:
    """Returns the plies of openings without which the games of these players may repeat; 0 if they do not.

    A language model may always answer the same, whatever it is told about sampling.
    """
    if any(map(_is_file, players)):
        return 0
    models = any(isinstance(player, str) and player.startswith("llm:") for player in players)
    return usual_plies(game) if models or may_repeat(players) else 0
