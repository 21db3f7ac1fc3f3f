"""Checks that your own game keeps every promise of the API, and that its behaviour has not changed.

from noughts.testing import check_game, playthrough
check_game(my_game)              # raises CheckFailed with a sentence
text = playthrough(my_game, 1)   # save it in a file; compare it after each change
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from noughts.game import TERMINAL, Game, IllegalMove, State
from noughts.rules.kernels.layout import REASONS


class CheckFailed(AssertionError):  # noqa: N818 - it is a verdict, not a fault of the program
    """A game breaks a promise of the API."""


def check_game(game: Game, games: int = 20, seed: int = 0) -> None:
    """Plays random games and checks every promise of `Game` and `State`. Raises CheckFailed if one is broken."""
    choose = random.Random(seed)
    for number in range(games):
        state = game.new_initial_state()
        try:
            for promise in _broken_in_a_game(game, state, choose):
                raise CheckFailed(f"{game.name}, random game {number}, after {state.history()}: {promise}")
        except CheckFailed:
            raise
        except Exception as error:
            raise CheckFailed(f"{game.name}, random game {number}: {type(error).__name__}: {error}") from error


def _broken_in_a_game(game: Game, state: State, choose: random.Random) -> Iterator[str]:
    """Plays `state` at random to its end; yields the broken promises."""
    if state.history() != []:
        yield "a new state has a history"
    for _ in range(game.max_game_length()):
        if state.is_terminal():
            break
        yield from _broken_in_play(game, state, choose)
        state.apply_action(choose.choice(state.legal_actions()))
    if not state.is_terminal():
        yield "the game is longer than max_game_length()"
    yield from _broken_at_end(game, state, choose)


def playthrough(game: Game, seed: int = 0) -> str:
    """Returns one random game in full, as text: every position, all legal actions, the outcome.

    The same seed gives the same text as long as the rules, the notation and the action numbers are the same.
    """
    choose = random.Random(seed)
    state = game.new_initial_state()
    lines = [
        f"game: {game.name}",
        f"seed: {seed}",
        f"actions: {game.num_distinct_actions()}",
        f"max_game_length: {game.max_game_length()}",
        f"observation_tensor_shape: {game.observation_tensor_shape()}",
    ]
    while not state.is_terminal():
        legal = state.legal_actions()
        action = choose.choice(legal)
        lines += [
            "",
            f"position: {state.to_string()}",
            f"player: {state.current_player()}",
            f"legal: {len(legal)}: {' '.join(map(str, legal))}",
            f"action: {action} {state.action_to_string(action)}",
        ]
        state.apply_action(action)
    end = state.outcome()
    assert end is not None
    lines += [
        "",
        f"position: {state.to_string()}",
        f"outcome: reason={end.reason} winner={end.winner} points={end.points[0]}/{end.points[1]}",
        f"returns: {' '.join(f'{value:.6f}' for value in state.returns())}",
    ]
    return "\n".join(lines) + "\n"


def _broken_in_play(game: Game, state: State, choose: random.Random) -> Iterator[str]:
    legal = state.legal_actions()
    actions = game.num_distinct_actions()
    if state.current_player() not in (0, 1):
        yield f"current_player() is {state.current_player()} in play; it must be 0 or 1"
    if legal != sorted(set(legal)) or not all(0 <= action < actions for action in legal):
        yield "legal_actions() is not a rising list of action numbers"
    if not legal:
        yield "there is no legal action in play"
    if state.outcome() is not None or state.returns() != [0.0, 0.0]:
        yield "outcome() or returns() reports an end while the game is in play"
    yield from _broken_always(game, state, choose)
    yield from _broken_moves(state, legal, choose)


def _broken_moves(state: State, legal: list[int], choose: random.Random) -> Iterator[str]:
    before = state.to_string()
    for action in legal:
        text = state.action_to_string(action)
        if state.string_to_action(text) != action:
            yield f"action {action} is written {text!r}, which parses as {state.string_to_action(text)}"
    action = choose.choice(legal)
    after = state.child(action)
    if state.to_string() != before:
        yield f"child({action}) changed the state"
    played = state.clone()
    played.apply_action(action)
    if played != after or played.history() != [*state.history(), action]:
        yield f"child({action}) and clone() with apply_action({action}) differ"
    played.undo_action()
    if played != state or played.legal_actions() != legal or played.history() != state.history():
        yield f"undo_action() does not undo {action}"


def _broken_at_end(game: Game, state: State, choose: random.Random) -> Iterator[str]:
    end = state.outcome()
    if end is None or end.reason not in REASONS[1:]:
        yield f"the end has no named reason: {end}"
        return
    if state.current_player() != TERMINAL or state.legal_actions() != []:
        yield "current_player() is not TERMINAL after the end"
    first, second = state.returns()
    if first + second != 0 or not game.min_utility() <= first <= game.max_utility():
        yield f"returns() is {[first, second]}, not zero-sum within the utilities of the game"
    if end.winner is not None and state.returns()[end.winner] != game.max_utility():
        yield "the winner does not get max_utility()"
    if end.winner is None and not game.min_utility() < first < game.max_utility():
        yield "returns() is a full win in a game without a winner"
    replay = game.new_initial_state()
    for action in state.history():
        replay.apply_action(action)
    if replay != state or replay.outcome() != end:
        yield "replaying history() gives another game"
    yield from _broken_always(game, state, choose)


def _broken_always(game: Game, state: State, choose: random.Random) -> Iterator[str]:
    """Yields broken promises that hold both in play and at the end."""
    legal = state.legal_actions()
    mask = state.legal_actions_mask()
    if mask.dtype != np.int8 or np.flatnonzero(mask).tolist() != legal or mask.size != game.num_distinct_actions():
        yield "legal_actions_mask() and legal_actions() differ"
    text = state.to_string()
    again = game.from_string(text)
    if again.to_string() != text or again.legal_actions() != legal or again.outcome() != state.outcome():
        yield "the position string does not give the same position back"
    yield from _broken_sight(game, state)
    wrong = choose.choice([-1, game.num_distinct_actions(), *np.flatnonzero(mask == 0).tolist()])
    try:
        state.apply_action(wrong)
        yield f"apply_action({wrong}) was accepted although it is not legal"
    except IllegalMove:
        if state.to_string() != text:
            yield f"the illegal action {wrong} changed the state"
    yield from _broken_symmetry(game, state, choose)


def _broken_sight(game: Game, state: State) -> Iterator[str]:
    """Yields broken promises about observations, boards as text and pictures."""
    tensors = [state.observation_tensor(player) for player in (0, 1)]
    for player, tensor in enumerate(tensors):
        if list(tensor.shape) != game.observation_tensor_shape() or tensor.dtype != np.float32:
            yield f"observation_tensor({player}) is {tensor.dtype}{list(tensor.shape)}"
    if not state.is_terminal() and np.array_equal(tensors[0], tensors[1]):
        yield "observation_tensor() does not show the player to move"
    if not str(state).isascii() or not state.to_svg().startswith("<svg"):
        yield "str() is not a plain board, or to_svg() is not a picture"


def _broken_symmetry(game: Game, state: State, choose: random.Random) -> Iterator[str]:
    symmetry = choose.choice(game.symmetries())
    image = state.transformed(symmetry)
    if image.legal_actions() != sorted(symmetry.action_to[action] for action in state.legal_actions()):
        yield f"{symmetry} does not map legal actions to legal actions"
    if image.outcome() != state.outcome() or image.current_player() != state.current_player():
        yield f"{symmetry} changes the outcome or the player to move"
    if image.canonical() != state.canonical():
        yield f"{symmetry} changes the canonical position"
