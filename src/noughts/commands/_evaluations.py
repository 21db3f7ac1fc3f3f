"""Rendering of evaluations: board labels, tables, hints, costly moves, and data for scripts."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from noughts import solving
from noughts.analysis import Choice, Evaluation, Evaluator, Review, evaluator_for, review
from noughts.analysis.evaluator import NODES
from noughts.commands.output import table, width
from noughts.game import State
from noughts.matches.log import display_names, result_line
from noughts.matches.record import GameRecord
from noughts.printable import counted, listed, paragraph
from noughts.progress import progress
from noughts.rules.geometry import index_in, place_of
from noughts.rules.position import complete_lines
from noughts.text.words import block_name

LABEL_ROOM = 3
"""Characters available for a label in a cell of a drawn board."""
LINE_SHOWN = 10
"""Maximum moves shown of a line. Later moves are rarely more than a guess."""
MOVES_SHOWN = 12
BETTER_SHOWN = 4
HINT_NODES = 200_000
"""Search budget of a hint in games that are too large to solve: it takes a fraction of a second."""

Evaluations = Mapping[int, "Evaluation"]
"""Moves of a position with their evaluations, best first."""


def as_data(state: State, found: Evaluation) -> dict[str, Any]:
    """Returns an evaluation for scripts."""
    return {
        "value": round(found.value, 5),
        "exact": found.exact,
        "distance": found.distance,
        "at_most": found.at_most,
        "line": [state.action_to_string(action) for action in found.line],
    }


def moves_data(state: State, moves: Evaluations, errors: Mapping[int, float] | None = None) -> list[dict[str, Any]]:
    """Returns moves for scripts. errors: for each move, the share of replies that give value away, if known."""
    return [
        {
            "move": state.action_to_string(action),
            "action": action,
            **as_data(state, found),
            **({} if errors is None else {"reply_errors": round(errors[action], 6)}),
        }
        for action, found in moves.items()
    ]


def reply_errors(rated: list[solving.RatedMove]) -> dict[int, float]:
    return {move.action: move.errors for move in rated}


def line_text(state: State, found: Evaluation) -> str:
    moves = [state.action_to_string(action) for action in found.line[:LINE_SHOWN]]
    return " ".join(moves) + (" ..." if len(found.line) > LINE_SHOWN else "")


def labels(state: State, moves: Evaluations) -> dict[int, str]:
    """Returns a label for each empty cell: the result of the best move there, such as W3, D or L8.

    It begins with the move's mark unless all marks do equally well there; a long label omits the distance.
    """
    return {cell: _label(state, there) for cell, there in _by_cell(state, moves).items()}


def legend(state: State, moves: Evaluations) -> str:
    """Returns the meaning of the labels on the board."""
    best_by_value = {found.value: found for found in reversed(list(moves.values()))}
    examples = [best_by_value[value] for value in (1, 0, -1) if value in best_by_value]
    line = ", ".join(f"{found.label}: {found.words}" for found in examples) + ", with best play."
    if any(map(_marks_differ, _by_cell(state, moves).values())):
        line += "\nA leading mark is the best one for that cell, or the first of several."
    return line


def _by_cell(state: State, moves: Evaluations) -> dict[int, list[tuple[int, Evaluation]]]:
    """Returns the moves in each cell, in their given order."""
    cells: dict[int, list[tuple[int, Evaluation]]] = {}
    for action, found in moves.items():
        cells.setdefault(action // state.game.rules.choices, []).append((action, found))
    return cells


def _marks_differ(there: list[tuple[int, Evaluation]]) -> bool:
    """Returns whether it matters which mark goes into a cell."""
    return len({(found.value, found.distance) for _, found in there}) > 1


def _label(state: State, there: list[tuple[int, Evaluation]]) -> str:
    action, found = there[0]
    if not _marks_differ(there):
        return found.label
    rules = state.game.rules
    mark = rules.marks[action % rules.choices]
    return mark + found.label if len(mark + found.label) <= LABEL_ROOM else mark + found.label[0]


# Hints.


def hint(state: State) -> str:
    """Returns a recommended move and the reason, as a sentence. The game must not be over."""
    if len(state.legal_actions()) == 1:
        return f"{state.action_to_string(state.legal_actions()[0])}: it is the only legal move."
    evaluator = evaluator_for(state.game, HINT_NODES)
    if evaluator.solution is not None:
        return _solved_hint(state, evaluator, evaluator.solution.rated_moves(state)[0])
    return _searched_hint(state, evaluator)


def _solved_hint(state: State, evaluator: Evaluator, best: solving.RatedMove) -> str:
    values = [found.value for found in evaluator.evaluate_moves(state, lines=False).values()]
    equal = values.count(values[0])
    if best.value > 0:
        when = "at once" if best.distance == 1 else f"in {best.distance} moves, with best play"
        why = f"it wins {when}" + (", and no other move wins" if equal == 1 else "")
    elif best.value < 0:
        why = "every move loses against best play, but this one lasts longest"
    elif equal == 1:
        why = "it is the only move that does not lose"
    elif equal < len(values):
        why = f"it keeps the draw, which {len(values) - equal} of the {len(values)} moves give away"
    elif best.errors > 0:
        why = f"every move draws with best play, but {best.errors:.0%} of the replies to this one are errors"
    else:
        why = "every move draws with best play"
    return f"{state.action_to_string(best.action)}: {why}."


def _searched_hint(state: State, evaluator: Evaluator) -> str:
    (action, best), (_, second) = evaluator.evaluate_moves(state, most=2).items()
    reasons = _on_the_board(state, action)
    loses = [found.exact and found.value < 0 for found in (best, second)]
    if loses[0]:
        reasons.append("every move seems to lose, but this one lasts longest")
    elif loses[1]:
        reasons.append("every other move loses")
    if not best.exact or best.value <= 0:
        words = best.words if best.exact else f"{best.words} (1 is a win, -1 a loss)"
        reasons.append(f"expected result {words}" if not best.exact else words)
    elif best.distance != 1:
        reasons.append(best.words)
    return f"{state.action_to_string(action)}: it {'; '.join(reasons)}."


def _on_the_board(state: State, action: int) -> list[str]:
    """Returns the visible effects of a move in a nested game."""
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
    """Returns whether the other player's mark in the same cell would complete a line of its block."""
    rules, cells = state.game.rules, list(state.view().cells)
    place = place_of(rules, action)
    cells[action] = rules.marks.index(rules.places[player])
    block = [cells[index_in(rules, place.block, cell)] for cell in range(rules.cells)]
    return any(place.cell in line for line in complete_lines(rules, block))


# Costly moves: after a game, in `replay --grade` and in `analyze FILE`.


def review_game(record: GameRecord, nodes: int | None = None) -> Review:
    """Reviews a game, with a progress bar."""
    with progress("evaluating") as tick:
        return review(record, evaluator=evaluator_for(record.game, nodes or NODES), tick=tick)


def costly_moves(record: GameRecord, choices: list[Choice], nodes: int) -> str:
    """Returns the moves that gave value away, costliest first. nodes: budget of the review."""
    names = display_names(record)
    start = record.game.new_initial_state()
    costly = sorted((choice for choice in choices if choice.costly), key=lambda choice: -choice.lost)
    rows = []
    for choice in costly[:MOVES_SHOWN]:
        better = ", ".join(map(start.action_to_string, choice.better[:BETTER_SHOWN]))
        more = " ..." if len(choice.better) > BETTER_SHOWN else ""
        rows.append(
            [
                str(choice.ply + 1),
                names[choice.player],
                start.action_to_string(choice.action),
                f"{choice.best.value:+z.2f}",
                f"{choice.played.value:+z.2f}",
                f"{choice.lost:.2f}",
                better + more,
            ]
        )
    first, second = names
    lines = [
        f"{record.game.rules.title}: {first} (x) against {second} (o)",
        paragraph(result_line(record), width()),
    ]
    exact = all(choice.exact for choice in choices)
    how = "exactly" if exact else f"by searches of {nodes:,} nodes per position; values between 1 and -1 are estimates"
    summary = f"{counted(len(choices), 'move')} graded {how}; {len(costly)} gave value away."
    if len(costly) > MOVES_SHOWN:
        summary += f" The {MOVES_SHOWN} costliest of {len(costly)} (--json lists all):"
    lines += ["", *textwrap.wrap(summary, width())]
    if rows:
        heads = ["move", "player", "played", "best", "value", "lost", "better"]
        lines += ["", table(heads, rows, right=[0, 3, 4, 5])]
    return "\n".join(lines)


def turning_point(record: GameRecord, seat: int) -> str:
    """Returns the player's costliest move, as a sentence addressed to that player."""
    review = review_game(record)
    choices, mistakes = list(review.choices(record, seat)), {mistake.ply for mistake in review.mistakes_of(seat)}
    costly = [choice for choice in choices if choice.ply in mistakes]
    if not costly:
        return "None of your moves gave much away." if choices else ""
    worst: Choice = max(costly, key=lambda choice: (choice.lost, choice.ply))
    state = record.states()[worst.ply][0]
    move = f"Your move {state.action_to_string(worst.action)} (move {worst.ply + 1})"
    better = list(map(state.action_to_string, worst.better))
    if len(better) > BETTER_SHOWN:
        better[BETTER_SHOWN:] = [f"{len(better) - BETTER_SHOWN} others"]
    best, value = worst.best.value, worst.played.value
    if not worst.exact:
        return (
            f"{move} cost the most, by a short search: from {best:+z.2f} to {value:+z.2f} "
            f"(1 is a win, -1 a loss). {listed(better)} was better."
        )
    if best == 0:
        return f"{move} gave away the draw: {listed(better)} would have kept it."
    return f"{move} gave away {'the game' if value < 0 else 'the win'}: {listed(better)} wins."
