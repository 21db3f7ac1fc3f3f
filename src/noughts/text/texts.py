"""The texts of one game: openings, what a move is called, how a game ended, and the positions seen so far.

Positions of flat games are remembered with their texts and what the rules said of their moves, so that the kernel
is asked once for each; those of nested games are too many, and are made anew.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from noughts.game import Game, Outcome, State
from noughts.rules.geometry import place_of, placement
from noughts.rules.position import EMPTY
from noughts.rules.view import DRAWN, OPEN
from noughts.text.boards import MOVES, Grid, board_text, letters_only
from noughts.text.prompts import has_text_of_wild, prompt
from noughts.text.replies import MoveReader, reader_of
from noughts.text.words import article, block_name, number_word

REMEMBERED = 20_000
"""So many positions of a flat game are kept: all of Wild's, in some 30 MB."""


GAMES_KEPT = 16
"""Games whose texts are kept at a time. An environment holds those of its own."""


_MOVES = f"\n\n{MOVES}"


class Position:
    """A position as text. text: the board, where to play and the available moves; board: the same without the moves.
    key: which marks are where, as bits. player: whose move it is, or who made the last one. ending: how the game ended,
    in a sentence, or nothing; outcome and rewards: the same for programs.
    legal: the legal actions, to read only. children: by action the position after it; None if it is not legal, or has
    not come up there yet. preferred, evaluation, steps: what was found about it, for those who play or evaluate its
    moves; steps by action.
    """

    __slots__ = (
        "board",
        "children",
        "ending",
        "evaluation",
        "key",
        "legal",
        "outcome",
        "player",
        "preferred",
        "rewards",
        "state",
        "steps",
        "text",
    )

    def __init__(
        self,
        state: State,
        key: int,
        player: int,
        legal: list[int],
        text: str,
        ending: str,
        children: tuple[Position | None, ...],
        outcome: Outcome | None = None,
        rewards: tuple[float, ...] = (0, 0),
    ) -> None:
        self.outcome: Outcome | None = outcome
        self.rewards: tuple[float, ...] = rewards
        self.state: State = state
        self.key: int = key
        self.player: int = player
        self.text: str = text
        self.board: str = text.partition(_MOVES)[0]
        self.ending: str = ending
        self.children: tuple[Position | None, ...] = children
        self.legal: list[int] = legal
        self.evaluation: Any = None
        self.steps: dict[int, Any] = {}
        self.preferred: list[int] | None = None

    def __deepcopy__(self, memo: dict[int, object]) -> Position:
        """Itself: nothing in it changes but what is known of its children."""
        return self

    def __reduce__(self) -> tuple[type[Position], tuple[object, ...]]:
        nobody = (None,) * len(self.children)
        facts = self.state, self.key, self.player, self.legal, self.text, self.ending, nobody
        return Position, (*facts, self.outcome, self.rewards)


class GameTexts:
    """prompts, openings: by player. start: the position before the first move; the openings of flat games but Wild
    show its board. heads, events: by player and action, a move as it is announced, with and without
    the space around it (flat games only). kept: what positions have in common, by what it is equal to: it is there
    once, so that what games go through again and again is small, and most of it in the processor's cache.
    """

    def __init__(self, game: Game) -> None:
        rules = game.rules
        self._game = game
        self._rules = rules
        self._seen: dict[int, Position] = {}
        self.kept: dict[Any, Any] = {}
        self._nobody: tuple[Position | None, ...] = (None,) * rules.num_actions
        self.reader: MoveReader = reader_of(rules)
        self._grid = Grid(rules, self.reader) if letters_only(rules) else None
        self.prompts: list[str] = [prompt(rules, player) for player in (0, 1)]
        start = game.new_initial_state()
        self.start: Position = self._begun(start, 0)
        self.openings: list[str] = [f"{text}\n" for text in self.prompts] if rules.nested else self.prompts
        if not rules.nested and not has_text_of_wild(rules):
            self.openings = [f"{text}\n\n{self.start.board}" for text in self.prompts]
        self._same_length = len({len(line) for line in rules.lines}) == 1
        actions = () if rules.nested else range(rules.num_actions)
        self._placements = [[placement(rules, player, action) for action in actions] for player in (0, 1)]
        self.heads: list[list[str]] = [[self._head(player, action) for action in actions] for player in (0, 1)]
        self.events: list[list[str]] = [[head.strip() for head in heads] for heads in self.heads]

    @property
    def remembers(self) -> bool:
        """Whether positions that come up now are kept."""
        return not self._rules.nested and len(self._seen) < REMEMBERED

    def __deepcopy__(self, memo: dict[int, object]) -> GameTexts:
        return self

    def __reduce__(self) -> tuple[Callable[[Game], GameTexts], tuple[Game]]:
        return texts_of, (self._game,)

    def after(self, position: Position, action: int) -> Position | None:
        """The position after an action, or None if the rules do not allow it."""
        if action not in position.legal:
            return None
        key = position.key | 1 << (2 * action + position.player if self._rules.own_marks else action)
        child = self._seen.get(key) or self._played(position, action, key)
        if self.remembers:
            self._seen[key] = child
            known = position.children
            position.children = (*known[:action], child, *known[action + 1 :])
        return child

    def position(self, state: State) -> Position:
        """The position of a state that is not over."""
        rules, key = self._rules, 0
        for index, mark in enumerate(() if rules.nested else state.view().cells):
            if mark != EMPTY:
                owner = int(rules.marks[mark] == rules.places[1])
                key |= 1 << (
                    2 * index + owner if rules.own_marks else index * rules.choices + mark * (rules.choices > 1)
                )
        known = self._seen.get(key) if key else None
        return known or self._begun(state, key)

    def _begun(self, state: State, key: int) -> Position:
        """A position to begin from."""
        legal, text = state.legal_actions(), board_text(state, self.reader)
        return Position(state, key, state.current_player(), legal, text, "", self._nobody)

    def _played(self, position: Position, action: int, key: int) -> Position:
        """A position that has not been seen before."""
        state = position.state.child(action)
        legal = state.legal_actions()
        if self._grid is None:
            text = board_text(state, self.reader)
        else:
            cell, mark = self._placement(position.player, action)
            text = self._grid.after(position.text, cell, mark, legal)
        if not legal:
            rewards = tuple([int(value) if value == int(value) else value for value in state.returns()])
            end = (self._ending(state), self._nobody, state.outcome(), rewards)
            return Position(state, key, position.player, legal, text, *self.kept.setdefault(end, end))
        if self.remembers:
            legal = self.kept.setdefault(tuple(legal), legal)
        return Position(state, key, state.current_player(), legal, text, "", self._nobody)

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

    def _head(self, player: int, action: int) -> str:
        return f"\n\n[Player {player}] {self.reader.names[action]}\n[GAME] {self._placed(player, action)}\n"

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
