"""Facts of single moves. Who may move where is asked of the rules, move by move."""

from __future__ import annotations

from noughts.game import State
from noughts.rules.kernels import layout as rules_at


def moves_again(before: State, after: State) -> bool:
    """Whether a move won a block, and with it another move."""
    return before.game.rules.bonus and after.current_player() == before.current_player()


def takes_block(state: State, before: State) -> bool:
    """Whether the opponent of who moved `before` can win a block at once."""
    player = state.current_player()
    if not state.game.rules.nested or player < 0 or player == before.current_player():
        return False
    return can_win_block(state)


def can_win_block(state: State) -> bool:
    player = state.current_player()
    state = state.clone()
    won = state._words[rules_at.WON + player]
    for action in state.legal_actions():
        state.apply_action(action)
        wins = bool(state._words[rules_at.WON + player] != won)
        state.undo_action()
        if wins:
            return True
    return False


def is_open(state: State) -> bool:
    return state.game.rules.nested and not state.is_terminal() and state.view().open_move
