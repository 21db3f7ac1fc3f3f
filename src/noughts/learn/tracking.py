"""State-action pairs that a training run follows, as text: a position and a move of the agent.

The position is written as everywhere in the package, or as fields joined by hyphens (see `mdp`):

    .3./..6/... p0 1@0          x-3-x-x-x-6-x-x-x 1@0
"""

from __future__ import annotations

from noughts.game import Game, State
from noughts.learn.mdp import state_of
from noughts.solving import solve

PUBLISHED_PAIRS = (
    "x-3-x-x-x-6-x-x-x 1@0",
    "x-x-x-x-6-x-x-x-5 7@2",
    "5-x-x-x-x-6-x-x-x 9@4",
    "x-5-x-2-x-x-4-7-x 9@0",
)
"""Those whose convergence the published run of the numerical game shows."""

MOST_OPENINGS = 4


def parse_pair(game: Game, text: str, seats: tuple[int, ...]) -> tuple[State, int]:
    """The state and the action; ValueError unless it is a legal move of a player in one of the seats."""
    position, space, move = text.strip().rpartition(" ")
    if not space:
        raise ValueError(f"a pair to track is a position and a move, such as {PUBLISHED_PAIRS[0]!r}, not {text!r}")
    state = state_of(game, position) if "-" in position else game.from_string(position)
    if state.is_terminal() or state.current_player() not in seats:
        raise ValueError(f"in {position!r} it is not the learner's turn, so there is no value to track")
    action = state.string_to_action(move)
    if action not in state.legal_actions():
        raise ValueError(f"{move} is not legal in {position!r}")
    return state, action


def default_pairs(game: Game, seats: tuple[int, ...]) -> tuple[str, ...]:
    """The published pairs of the numerical game; of others, openings that are not symmetric to one another."""
    if game.name == "numerical" and 0 in seats:
        return PUBLISHED_PAIRS
    start = game.new_initial_state()
    if 0 not in seats:
        start.apply_action(start.legal_actions()[0])
    actions, nodes = solve(game).atlas.children(start)
    different = dict(zip(reversed(nodes.tolist()), reversed(actions), strict=True))
    chosen = sorted(different.values())[:MOST_OPENINGS]
    return tuple(f"{start.to_string()} {start.action_to_string(action)}" for action in chosen)
