"""The texts of one game: openings, what a move is called, how a game ended, and the positions seen so far.

Positions of flat games are remembered by what stands in their cells; those of nested games are too many, and are made
anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from noughts.game import Game, Outcome, State
from noughts.rules.geometry import place_of, placement
from noughts.rules.position import EMPTY
from noughts.rules.view import DRAWN, OPEN
from noughts.text.boards import MOVES, board_text, flat_form, letters_only
from noughts.text.prompts import has_text_of_wild, prompt
from noughts.text.replies import MoveReader, reader_of
from noughts.text.words import article, block_name, number_word

REMEMBERED = 20_000
"""So many positions of a flat game are kept: all of Wild's, in some 30 MB."""
GAMES_KEPT = 16
"""Games whose texts are kept at a time. An environment holds those of its own."""

Cells = tuple[str, ...]
"""What stands in the cells of a flat game: a mark, or nothing."""


@dataclass(eq=False, slots=True)
class Position:
    """A position as text; only to read, but for the last four.

    cells: none in a nested game. player: whose move it is, or who made the last one. legal: the legal actions. board:
    the board, and where to play; listing: what is added to it to list the available moves. ending: how the game ended,
    in a sentence, or nothing; outcome and rewards: the same for programs. children: remembered positions after its
    moves. evaluation, steps, preferred: what was found about it and its moves, for those who play or evaluate them.
    """

    state: State
    cells: Cells
    player: int
    legal: list[int]
    board: str
    listing: str = ""
    ending: str = ""
    outcome: Outcome | None = None
    rewards: tuple[float, ...] = (0, 0)
    children: dict[int, Position] = field(default_factory=dict, repr=False)
    evaluation: Any = field(default=None, repr=False)
    steps: dict[int, Any] = field(default_factory=dict, repr=False)
    preferred: list[int] | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        return self.board + self.listing

    def __deepcopy__(self, memo: dict[int, object]) -> Position:
        return self


class GameTexts:
    """prompts, openings: by player. start: the position before the first move; the openings of flat games but Wild
    show its board. events: by player and action, a move as it is announced (flat games only).
    """

    def __init__(self, game: Game) -> None:
        rules = game.rules
        self._game = game
        self._rules = rules
        self._seen: dict[Cells, Position] = {}
        self.reader: MoveReader = reader_of(rules)
        self._form = flat_form(rules) if letters_only(rules) else None
        self.prompts: list[str] = [prompt(rules, player) for player in (0, 1)]
        self.start: Position = self.position(game.new_initial_state())
        self.openings: list[str] = [f"{text}\n" for text in self.prompts] if rules.nested else self.prompts
        if not rules.nested and not has_text_of_wild(rules):
            self.openings = [f"{text}\n\n{self.start.board}" for text in self.prompts]
        self._same_length = len({len(line) for line in rules.lines}) == 1
        actions = () if rules.nested else range(rules.num_actions)
        self._placements = [[placement(rules, player, action) for action in actions] for player in (0, 1)]
        self.events: list[list[str]] = [
            [
                f"[Player {player}] {self.reader.names[action]}\n[GAME] {self._placed(player, action)}"
                for action in actions
            ]
            for player in (0, 1)
        ]

    def __deepcopy__(self, memo: dict[int, object]) -> GameTexts:
        return self

    def __reduce__(self) -> tuple[Callable[[Game], GameTexts], tuple[Game]]:
        return texts_of, (self._game,)

    def after(self, position: Position, action: int) -> Position | None:
        """Returns the position after an action, or None if the rules do not allow it."""
        known = position.children.get(action)
        if known is not None or action not in position.legal:
            return known
        if self._rules.nested:
            return self._described(position.state.child(action), (), position.player)
        cell, mark = self._placements[position.player][action]
        cells = (*position.cells[:cell], self._rules.marks[mark], *position.cells[cell + 1 :])
        known = self._seen.get(cells) or self._described(position.state.child(action), cells, position.player)
        if len(self._seen) < REMEMBERED:
            self._seen[cells] = position.children[action] = known
        return known

    def position(self, state: State) -> Position:
        """Returns the position of a state that is not over."""
        marks = self._rules.marks
        cells = () if self._rules.nested else ("" if mark == EMPTY else marks[mark] for mark in state.view().cells)
        return self._described(state, tuple(cells), state.current_player())

    def _described(self, state: State, cells: Cells, mover: int) -> Position:
        """A state with its texts. mover: who made the last move."""
        legal = state.legal_actions()
        if self._form is None:
            board, _, _ = board_text(state, self.reader).partition(f"\n\n{MOVES}")
        else:
            board = self._form % tuple([mark or number for number, mark in enumerate(cells)])
        if not legal:
            rewards = tuple([int(value) if value == int(value) else value for value in state.returns()])
            return Position(state, cells, mover, legal, board, "", self._ending(state), state.outcome(), rewards)
        names = self.reader.names
        listing = f"\n\n{MOVES}{', '.join([names[action] for action in legal])}"
        return Position(state, cells, state.current_player(), legal, board, listing)

    def announce(self, state: State, player: int, action: int) -> str:
        """What the environment says of a move that was just played."""
        rules = self._rules
        if not rules.nested:
            return self._placed(player, action)
        place, view = place_of(rules, action), state.view()
        board = "" if rules.boards == 1 else f"board {place.board}, "
        mark, name = article(rules.places[player]), block_name(rules, place.block)
        text = f"Player {player} placed {mark} at {board}row {place.row}, column {place.col} ({name})."
        owner = view.owners[place.block]
        if owner == DRAWN:
            return f"{text} {name.capitalize()} is full, and nobody won it."
        return text if owner == OPEN else f"{text} Player {player} won {name}."

    def _ending(self, state: State) -> str:
        """How a finished game ended, in a sentence; nothing if it has not."""
        end = state.outcome()
        if end is None:
            return ""
        if end.reason == "line" and end.winner is not None:
            maker = 1 - end.winner if self._rules.misere else end.winner
            what = "blocks" if self._rules.nested else "cells"
            lines = self._rules.lines if self._same_length else state.view().lines
            length = number_word(max(map(len, lines)))
            if self._rules.line_sum is not None:
                what += f" that add up to {self._rules.line_sum}"
            return f"Player {maker} completed a line of {length} {what}. Player {end.winner} wins!"
        why = "The board is full" if end.reason == "full" else "No move is left"
        if self._rules.block_points is None:
            return f"{why} and there is no line: the game is a draw."
        first, second = end.points
        best = (
            "the game is a draw"
            if first == second
            else f"Player {int(second > first)} {'wins' if self._rules.majority else 'is ahead'}"
        )
        return f"{why} and there is no line: {first} points to {second}, {best}."

    def _placed(self, player: int, action: int) -> str:
        cell, mark = self._placement(player, action)
        thing = f"the number {mark}" if mark.isdigit() else article(mark)
        return f"Player {player} placed {thing} in cell {cell}."

    def _placement(self, player: int, action: int) -> tuple[int, str]:
        """The cell and the mark of a player's action in a flat game."""
        cell, mark = self._placements[player][action]
        return cell, self._rules.marks[mark]


@lru_cache(GAMES_KEPT)
def texts_of(game: Game) -> GameTexts:
    return GameTexts(game)
