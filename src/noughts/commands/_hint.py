"""A move to play, and why: exactly in games that can be solved, by a short search elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noughts.game import State
    from noughts.solving import RatedMove

NODES = 200_000
"""Positions that a hint looks at where the game is too large to solve: a fraction of a second."""
MEGABYTES = 16


def hint(state: State) -> str:
    """The move in a sentence, with its reason. The game must not be over."""
    from noughts.solving import TooLarge, solve

    if len(state.legal_actions()) == 1:
        return f"{state.action_to_string(state.legal_actions()[0])}: it is the only legal move."
    try:
        moves = solve(state.game).rated_moves(state)
    except TooLarge:
        return _searched(state)
    return f"{state.action_to_string(moves[0].action)}: {_exactly(moves)}."


def _exactly(moves: list[RatedMove]) -> str:
    """Why the first of the moves is best, by their exact values."""
    best = moves[0]
    equal = sum(move.value == best.value for move in moves)
    if best.value > 0:
        when = "at once" if best.distance == 1 else f"in {best.distance} moves, with best play"
        return f"it wins {when}" + (", and no other move wins" if equal == 1 else "")
    if best.value < 0:
        return "every move loses against best play, and this one holds out longest"
    if equal == 1:
        return "it is the only move that does not lose"
    if equal < len(moves):
        return f"it keeps the draw, which {len(moves) - equal} of the {len(moves)} moves give away"
    if best.errors > 0:
        return f"every move draws with best play, but {best.errors:.0%} of the replies to this one are errors"
    return "every move draws with best play"


def _searched(state: State) -> str:
    from noughts.commands.search_view import result_text
    from noughts.search import Engine, Limits

    info = Engine(state.game, megabytes=MEGABYTES).search(state, Limits(nodes=NODES), multi_pv=2)
    best, second = info.variations[0], info.variations[-1]
    reasons = _on_the_board(state, best.action)
    if best.proven < 0:
        reasons.append("every move seems to lose, and this one holds out longest")
    elif second.proven < 0:
        reasons.append("every other move loses")
    if best.proven > 0:
        if best.distance > 1:
            reasons.append(result_text(best))
    else:
        reasons.append(f"expected result {result_text(best)} (1 is a win, -1 a loss)")
    return f"{state.action_to_string(best.action)}: it {'; '.join(reasons)}."


def _on_the_board(state: State, action: int) -> list[str]:
    """What a move of a nested game does that one can see."""
    from noughts.rules.geometry import place_of
    from noughts.text.words import block_name

    rules, player, after = state.game.rules, state.current_player(), state.child(action)
    if after.is_terminal():
        return ["ends the game"] if after.returns()[player] <= 0 else ["wins the game"]
    if not rules.nested:
        return []
    view, block = after.view(), place_of(rules, action).block
    name, found = block_name(rules, block), []
    if view.owners[block] == player:
        found.append(f"wins {name}")
    elif _would_win(state, action, 1 - player):
        found.append(f"keeps {rules.places[1 - player]} from winning {name}")
    whom = "you" if view.player == player else rules.places[1 - player]
    if view.open_move:
        found.append(f"lets {whom} play anywhere")
    elif view.sent is not None:
        found.append(f"sends {whom} to block {view.sent}")
    return [" and ".join(found)]


def _would_win(state: State, action: int, player: int) -> bool:
    """Whether the other player's mark in the same cell would complete a line of its block."""
    from noughts.rules.geometry import index_in, place_of
    from noughts.rules.position import complete_lines

    rules, cells = state.game.rules, list(state.view().cells)
    place = place_of(rules, action)
    cells[action] = rules.marks.index(rules.places[player])
    block = [cells[index_in(rules, place.block, cell)] for cell in range(rules.cells)]
    return any(place.cell in line for line in complete_lines(rules, block))
