"""Facts about single moves, found by asking the rules move by move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from noughts.game import State
from noughts.rules.kernels import layout as rules_at


def moves_again(before: State, after: State) -> bool:
    """Returns whether a move won a block and, with it, a bonus move."""
    return before.game.rules.bonus and after.current_player() == before.current_player()


def takes_block(state: State, before: State) -> bool:
    """Returns whether the opponent, now to move, can win a block at once. before: the state before the move."""
    player = state.current_player()
    if not state.game.rules.nested or player < 0 or player == before.current_player():
        return False
    return can_win_block(state)


def can_win_block(state: State) -> bool:
    return any(block for _, block, _ in _winning(state))


def is_open(state: State) -> bool:
    return state.game.rules.nested and not state.is_terminal() and state.view().open_move


def threats(state: State) -> list[int]:
    """Returns the cells in which the opponent can win the game or a block with the next move.

    Each legal move is tried by the rules, and each answer to it. Where moves send the opponent to a block, one move
    that allows the win is enough. On a flat board half of the moves must allow it: where both players place the same
    marks, a move can itself create the threat.
    """
    player, rules = state.current_player(), state.game.rules
    tried, wins = 0, Counter[int]()
    for action in state.legal_actions():
        after = state.child(action)
        if after.current_player() == 1 - player:
            tried += 1
            wins.update(_winning_cells(after))
    least = 1 if rules.nested else tried / 2
    return sorted(cell for cell, count in wins.items() if count >= least)


def _winning_cells(state: State) -> set[int]:
    """Returns the cells in which the player to move wins the game or a block at once."""
    rules = state.game.rules
    return {action // rules.choices for action, block, game in _winning(state) if game or (block and rules.nested)}


def _winning(state: State) -> Iterator[tuple[int, bool, bool]]:
    """Yields each legal action, and whether it wins a block and the game."""
    player, state = state.current_player(), state.clone()
    won = state.words[rules_at.WON + player]
    for action in state.legal_actions():
        state.apply_action(action)
        block = bool(state.words[rules_at.WON + player] != won)
        yield action, block, state.is_terminal() and state.returns()[player] == 1
        state.undo_action()
