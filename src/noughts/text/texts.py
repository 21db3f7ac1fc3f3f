"""The texts of one game: openings, names of moves, endings, and the positions seen so far.

Positions of flat games are cached by their boards; nested games have too many, so theirs are built each time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from noughts.game import Game, Outcome, State
from noughts.rules.geometry import place_of, placement
from noughts.rules.view import DRAWN, OPEN
from noughts.text.boards import MOVES, board_of, flat_boards
from noughts.text.prompts import has_text_of_wild, prompt
from noughts.text.replies import MoveReader, reader_of
from noughts.text.words import article, block_name, number_word

REMEMBERED = 20_000
"""Maximum cached positions of a flat game: all of Wild's, in some 30 MB."""
GAMES_KEPT = 16
"""Games whose texts are cached. Environments keep their own texts."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended: in a sentence, and for programs."""

    sentence: str
    outcome: Outcome
    rewards: tuple[float, ...]


@dataclass(eq=False, slots=True)
class Position:
    """A position as text; read-only.

    player: to move, or the last to move. legal: the legal actions. listing: the text that lists them below the board.
    board: the board, and where to play. form: of the board of a flat game, see `boards.FlatBoards`. before, action: the
    position and the move that led here. end: None while the game is in play. children: cached positions after its
    moves. evaluation, preferred: cached results about it, for playing and evaluating.
    """

    texts: GameTexts = field(repr=False)
    player: int
    legal: list[int]
    listing: str
    board: str
    form: str = field(repr=False)
    before: Position | None = field(repr=False)
    action: int
    end: Ending | None = None
    children: dict[int, Position] = field(default_factory=dict, repr=False)
    evaluation: Any = field(default=None, repr=False)
    preferred: list[int] | None = field(default=None, repr=False)
    _state: State | None = field(default=None, repr=False)

    @property
    def state(self) -> State:
        """The position as a state object, created at its first use."""
        if self._state is None:
            assert self.before is not None
            self._state = self.before.state.child(self.action)
        return self._state

    @property
    def text(self) -> str:
        """The board with the available moves."""
        return self.board + self.listing

    @property
    def ending(self) -> str:
        """How the game ended, in a sentence; empty while it is in play."""
        return self.end.sentence if self.end else ""

    def __deepcopy__(self, memo: dict[int, object]) -> Position:
        return self

    def __reduce__(self) -> tuple[Callable[..., Position], tuple[Any, ...]]:
        if self.before is None:
            return self.texts.position, (self.state,)
        return _after, (self.before, self.action)


def _after(position: Position, action: int) -> Position:
    """Returns the position after a legal action, for pickling."""
    return position.texts.after(position, action, position.state.child)


class GameTexts:
    """The texts of a game. prompts, openings: by player. start: the position before the first move; the openings of
    flat games except Wild show its board. events: by player and action, the announcement of a move (flat games only).
    """

    def __init__(self, game: Game) -> None:
        rules = game.rules
        self._game = game
        self._rules = rules
        self._boards = None if rules.nested else flat_boards(rules)
        self._seen: dict[str, Position] = {}
        self._listings: dict[bytes, tuple[list[int], str]] = {}
        self._endings: dict[int | None, Ending] = {}
        self.reader: MoveReader = reader_of(rules)
        self.prompts: list[str] = [prompt(rules, player) for player in (0, 1)]
        self.start: Position = self.position(game.new_initial_state())
        self.openings: list[str] = [f"{text}\n" for text in self.prompts] if rules.nested else self.prompts
        if not rules.nested and not has_text_of_wild(rules):
            self.openings = [f"{text}\n\n{self.start.board}" for text in self.prompts]
        self._same_length = len({len(line) for line in rules.lines}) == 1
        actions = () if rules.nested else range(rules.num_actions)
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

    def position(self, state: State) -> Position:
        """Returns the position of a state that is not over, to begin from."""
        legal, listing = self._listed(state)
        form = "" if self._boards is None else self._boards.form(state.view().cells)
        return Position(self, state.current_player(), legal, listing, board_of(state), form, None, -1, _state=state)

    def after(self, position: Position, action: int, child: Callable[[int], State]) -> Position:
        """Returns the position after a legal action. child: returns the state after it, which is only read here; not
        called if the position is known."""
        boards, form = self._boards, position.form
        if boards is not None:
            for start, text, stop in boards.changes[position.player][action]:
                form = f"{form[:start]}{text}{form[stop:]}"
        known = self._seen.get(form)
        if known is None:
            state = child(action)
            legal, listing = self._listed(state)
            player = state.current_player() if legal else position.player
            board = board_of(state) if boards is None else boards.text(form, not legal)
            end = None if legal else self._ended(state)
            known = Position(self, player, legal, listing, board, form, position, action, end)
            if boards is None or len(self._seen) >= REMEMBERED:
                return known
            self._seen[form] = known
        position.children[action] = known
        return known

    def _listed(self, state: State) -> tuple[list[int], str]:
        """Returns the legal actions, and the text that lists them; shared by all positions with the same ones."""
        key = state._legal[: state._count].tobytes()
        known = self._listings.get(key)
        if known is None:
            legal = state.legal_actions()
            names = [self.reader.names[action] for action in legal]
            known = legal, f"\n\n{MOVES}{', '.join(names)}" if legal else ""
            if not self._rules.nested and len(self._listings) < REMEMBERED:
                self._listings[key] = known
        return known

    def _ended(self, state: State) -> Ending:
        """Returns how a game ended; shared by flat games with the same winner, if all lines have the same length."""
        winner = state.winner()
        known = self._endings.get(winner)
        if known is None:
            outcome = state.outcome()
            assert outcome is not None
            rewards = tuple([int(value) if value == int(value) else value for value in state.returns()])
            known = Ending(self._ending(state, outcome), outcome, rewards)
            if winner is not None and self._boards and self._same_length:
                self._endings[winner] = known
        return known

    def announce(self, state: State, player: int, action: int) -> str:
        """Returns the announcement of a move just played."""
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

    def _ending(self, state: State, end: Outcome) -> str:
        """Returns a sentence on how a finished game ended."""
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
        cell, number = placement(self._rules, player, action)
        mark = self._rules.marks[number]
        mark_text = f"the number {mark}" if mark.isdigit() else article(mark)
        return f"Player {player} placed {mark_text} in cell {cell}."


@lru_cache(GAMES_KEPT)
def texts_of(game: Game) -> GameTexts:
    return GameTexts(game)
