"""Opponents of the compiled vector environment: a table of a player's choices in each position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players import BasePlayer, TextPlayer, make_player
from noughts.players.protocol import PlayerLike
from noughts.players.simple import ChancePlayer
from noughts.rules.kernels import layout as at
from noughts.rules.symmetry import Symmetry, symmetries

MOST_BITS = 18
"""Maximum size of a position's key: 3x3 boards with two marks, and a table of 2 MB."""

Table = npt.NDArray[np.int64]


def opponent_table(game: Game, opponent: PlayerLike, seat: int) -> Table:
    """Returns the table with which the kernel plays as `opponent` against an agent in `seat`. Raises ValueError if no
    table exists.
    """
    if opponent == "random":
        return np.zeros(1, np.int64)
    rules = game.rules
    bits = rules.cells * len(rules.marks)
    other = "make_vec with vectorization_mode='sync' accepts any player in any game"
    if rules.nested or bits > MOST_BITS:
        raise ValueError(
            f"in {rules.name}, the compiled environments support only 'random': the game has too many positions for a "
            f"table; {other}"
        )
    player = make_player(opponent)
    known = isinstance(player, ChancePlayer) or player.is_deterministic
    if isinstance(player, TextPlayer) or not known:
        player.close()
        raise ValueError(
            "the opponents of the compiled environments are random, greedy, perfect, q:RUN, and deterministic "
            f"players (`is_deterministic = True`), not {player.name}; {other}"
        )
    player.prepare(game)
    if 1 - seat not in player.seats:
        raise ValueError(f"{player.name} cannot play in seat {1 - seat}; give the agent seat={1 - seat}")
    return _packed(_choices(game, player, 1 - seat), bits)


def _choices(game: Game, player: BasePlayer, seat: int) -> dict[int, list[int]]:
    """Returns the actions that a player chooses from, in every position where it is to move."""
    # These players choose by the position alone, and alike in symmetric positions.
    choices = player.choices if isinstance(player, ChancePlayer) else lambda state: [player.choose(state, Clock())]
    used = symmetries(game.rules)[: None if isinstance(player, ChancePlayer) else 1]
    found: dict[int, list[int]] = {}
    seen, waiting = set(), [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_terminal():
            continue
        key = _key(game, state.words)
        if state.current_player() == seat and key not in found:
            found.update(_images(game, state, choices(state), used))
        for action in state.legal_actions():
            child = state.child(action)
            if (place := _key(game, child.words)) not in seen:
                seen.add(place)
                waiting.append(child)
    return found


def _images(game: Game, state: State, chosen: list[int], used: Sequence[Symmetry]) -> dict[int, list[int]]:
    """Returns the same choices in all symmetric positions."""
    row = state.words[: int(game.facts[at.ROW_WORDS])]
    return {_key(game, symmetry.apply(row)): [symmetry.action_to[action] for action in chosen] for symmetry in used}


def _key(game: Game, words: Table) -> int:
    planes, cells = int(game.facts[at.PLANES]), game.rules.cells
    return sum(int(words[planes + mark]) << (mark * cells) for mark in range(len(game.rules.marks)))


def _packed(choices: dict[int, list[int]], bits: int) -> Table:
    """Returns the table as the kernel reads it: where the actions of each key begin, then the actions."""
    counts = np.zeros(1 << bits, np.int64)
    for key, actions in choices.items():
        counts[key] = len(actions)
    starts = np.concatenate([[0], np.cumsum(counts)]) + len(counts) + 1
    actions = [action for key in sorted(choices) for action in choices[key]]
    return np.concatenate([starts, np.array(actions, np.int64)])
