"""Game, State and Outcome: the rules as Python objects, under OpenSpiel's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from operator import index as as_index
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from noughts import draw, notation
from noughts.errors import NoughtsError
from noughts.games import BUILT_IN, add_data, data_of, own_data_of
from noughts.games.data import GameData
from noughts.rules.calls import load_at_first_call
from noughts.rules.geometry import actions_of
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.tables import Array, fact_table
from noughts.rules.position import EMPTY, Setup, build_row
from noughts.rules.spec import Rules, rules_from, short_repr
from noughts.rules.symmetry import Symmetry, canonical_row, symmetries
from noughts.rules.view import View, read

TERMINAL = -4
"""Value of `State.current_player` when the game is over, as in OpenSpiel."""

if TYPE_CHECKING:
    from noughts.rules.kernels.core import state_apply, state_points, state_refresh, state_undo
    from noughts.rules.kernels.observe import observe
else:
    load_at_first_call(globals(), "state_apply", "state_points", "state_refresh", "state_undo")
    load_at_first_call(globals(), "observe")

LISTED = 40
"""Maximum number of legal moves named in an error message; the rest are counted."""


class IllegalMove(NoughtsError, ValueError):  # noqa: N818 - the name is part of the API
    """A move that the rules do not allow; the message lists the legal ones.

    >>> import noughts
    >>> state = noughts.load_game("classic").from_string("XO./XO./... p0")
    >>> state.apply_action(0)
    Traceback (most recent call last):
    noughts.game.IllegalMove: ...
    """


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    reason: "line", "full" or "no_moves". winner: 0, 1, or None without a line. points: the points of each player.

    >>> import noughts
    >>> noughts.load_game("classic").from_string("XXX/OO./... end").outcome()
    Outcome(reason='line', winner=0, points=(1, -1))
    """

    reason: str
    winner: int | None
    points: tuple[int, int]


class Game:
    """One game of the family. Immutable; `load_game` returns one, and `new_initial_state` starts a state.

    >>> import noughts
    >>> game = noughts.load_game("extreme")
    >>> game.num_distinct_actions(), game.max_game_length(), game.rules.title
    (256, 256, 'Extreme Tic-Tac-Toe')
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.name: str = rules.name
        self._hash = hash(rules)  # computed once, since the record is long
        self.facts: Array = fact_table(rules)
        """The facts of the rules as kernels read them, see `rules.kernels.layout`; do not change them."""
        self._row_words = int(self.facts[at.ROW_WORDS])
        self._legal_at = int(self.facts[at.LEGAL])
        self._stack_at = int(self.facts[at.STACK])
        planes = int(self.facts[at.PLANES])
        self._planes = planes, planes + len(rules.marks) * rules.blocks
        self._observation_shape = tuple(self.observation_tensor_shape())
        self._utility_scale = rules.boards * sum(rules.block_points or ()) + 1

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Game) and self.rules == other.rules)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Callable[[Rules, GameData | None], Game], tuple[Rules, GameData | None]]:
        return _game_with_data, (self.rules, own_data_of(self.rules))

    @property
    def data(self) -> GameData:
        """What belongs to the game beside its rules: levels, weights, files. See `noughts.games.GameData`."""
        return data_of(self.rules)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Returns a fact of the rules (`side`, `boards`, `marks`, ...), under the names that sandboxed bots use."""
            if name in Rules.__dataclass_fields__ and "rules" in self.__dict__:
                return getattr(self.rules, name)
            raise AttributeError(f"a Game has no attribute {name!r}")

    def to_data(self) -> dict[str, Any]:
        """Returns the game as plain data for files: its name, and its rules unless it is built in.

        >>> import noughts
        >>> noughts.load_game("wild").to_data()
        {'game': 'wild'}
        """
        rules = {} if BUILT_IN.get(self.name) == self.rules else {"rules": asdict(self.rules)}
        return {"game": self.name, **rules}

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Game:
        """Returns the game that `to_data` wrote. The data need not be trusted: a name selects only built-in games.

        Raises ValueError, KeyError or TypeError if it is not a game.
        """
        if data.get("rules") is not None:
            return game_of(rules_from(data["rules"]))
        name = data["game"]
        if not isinstance(name, str) or name not in BUILT_IN:
            raise ValueError(f"there is no game {short_repr(name)}; the games are {', '.join(sorted(BUILT_IN))}")
        return game_of(BUILT_IN[name])

    @cached_property
    def _start(self) -> tuple[Array, int]:
        """Returns the words of the first position, and its number of legal moves."""
        words = np.zeros(int(self.facts[at.STATE_WORDS]), np.int64)
        empty = Setup([EMPTY] * self.max_game_length(), player=0)
        words[: self._row_words] = build_row(self.rules, self.facts, empty)
        return words, state_refresh(self.facts, words)

    def new_initial_state(self) -> State:
        words, count = self._start
        return State(self, words.copy(), count)

    def from_string(self, text: str) -> State:
        """Returns the position that `State.to_string` wrote, or one set up by hand.

        Raises ValueError if the text is malformed, PositionError (a ValueError) if play cannot lead to the position.
        """
        words = self._start[0].copy()
        words[: self._row_words] = build_row(self.rules, self.facts, notation.parse_position(self.rules, text))
        return State(self, words, state_refresh(self.facts, words))

    def num_distinct_actions(self) -> int:
        return self.rules.num_actions

    def num_players(self) -> int:
        return 2

    def max_game_length(self) -> int:
        return self.rules.blocks * self.rules.cells

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0

    def observation_tensor_shape(self) -> list[int]:
        """Returns planes, rows and columns; `State.observation_tensor` lists the planes."""
        rules = self.rules
        on_cells = len(rules.marks) + 1 + 2 * rules.nested
        return [on_cells * rules.boards + 1 + rules.bonus, rules.width, rules.width]

    def symmetries(self) -> Sequence[Symmetry]:
        """Returns all permutations of cells, boards and marks that preserve the rules, the identity first."""
        return symmetries(self.rules)


@lru_cache(maxsize=64)
def game_of(rules: Rules) -> Game:
    """Returns the game of a record; the same object for the same record."""
    return Game(rules)


def _game_with_data(rules: Rules, data: GameData | None) -> Game:
    """Returns a game that another process sent, after adding its data here."""
    if data is not None:
        add_data(data)
    return game_of(rules)


class State:
    """A position and the moves that led to it. `Game.new_initial_state` and `Game.from_string` return states.

    >>> import noughts
    >>> state = noughts.load_game("classic").new_initial_state()
    >>> for action in (4, 0, 2):
    ...     state.apply_action(action)
    >>> state.current_player(), state.legal_actions(), state.history()
    (1, [1, 3, 5, 6, 7, 8], [4, 0, 2])
    >>> state
    <State classic O.X/.X./... p1>
    """

    __slots__ = ("_count", "_facts", "_first_ply", "_items", "_legal", "game", "words")

    def __init__(self, game: Game, words: Array, count: int, first_ply: int | None = None) -> None:
        """Wraps `words`, a row with its stack and legal actions (see `layout`); `count` is the number of legal
        actions. first_ply: where the history begins; by default it is empty."""
        self.game: Game = game
        self._facts = game.facts
        self.words: Array = words
        """The position as kernels read it, with its undo stack and legal actions, see `rules.kernels.layout`."""
        self._count = count
        self._items = words.data  # items and slices of a memoryview are cheaper than those of an array
        self._legal = self._items[game._legal_at :]
        self._first_ply = self._items[at.PLY] if first_ply is None else first_ply

    def __reduce__(self) -> tuple[Callable[..., State], tuple[Game, Array, int, int]]:
        return _restored, (self.game, self.words, self._count, self._first_ply)

    # The player to move and the legal moves.

    def current_player(self) -> int:
        """Returns 0 or 1; TERMINAL if the game is over."""
        return self._items[at.PLAYER] if self._count else TERMINAL

    def legal_actions(self) -> list[int]:
        """Returns the legal actions in rising order; none if the game is over."""
        return self._legal[: self._count].tolist()

    def legal_actions_mask(self) -> npt.NDArray[np.int8]:
        """Returns an array over all actions: 1 for each legal one, else 0."""
        mask = np.zeros(self.game.rules.num_actions, np.int8)
        mask[self.legal_actions()] = 1
        return mask

    def apply_action(self, action: int) -> None:
        """Plays an action. Raises IllegalMove, without a change, if it is not legal."""
        try:
            count = state_apply(self._facts, self.words, as_index(action))
        except (OverflowError, TypeError):
            self._refuse(action)
        if count < 0:
            self._refuse(action)
        self._count = count

    def undo_action(self) -> None:
        """Takes back the last action. Raises ValueError if none was played since the state was created."""
        count = state_undo(self._facts, self.words, self._first_ply)
        if count < 0:
            raise ValueError("there is no move to take back")
        self._count = count

    def child(self, action: int) -> State:
        """Returns the state after an action; this state does not change."""
        after = self.clone()
        after.apply_action(action)
        return after

    def clone(self) -> State:
        return State(self.game, self.words.copy(), self._count, self._first_ply)

    def history(self) -> list[int]:
        """Returns the actions played since the state was created."""
        return actions_of(self.game.rules, self._moves_from(self._first_ply))

    def actions_since(self, earlier: State) -> list[int] | None:
        """Returns the actions played since an earlier state of the same game; None if the histories differ before.

        >>> import noughts
        >>> earlier = noughts.load_game("classic").new_initial_state().child(4)
        >>> earlier.child(0).child(2).actions_since(earlier)
        [0, 2]
        """
        first, then, now = self._first_ply, earlier._items[at.PLY], self._items[at.PLY]
        if earlier._first_ply != first or earlier.game != self.game or then > now:
            return None
        if then == first:
            return self.history()
        tokens = slice(self.game._stack_at + first, self.game._stack_at + then)
        last, *since = self._moves_from(then - 1)
        if last != earlier._items[at.LAST] or self.words[tokens].tobytes() != earlier.words[tokens].tobytes():
            return None
        return actions_of(self.game.rules, since)

    def _moves_from(self, ply: int) -> list[int]:
        """Returns the moves played from this ply on, encoded."""
        now = self._items[at.PLY]
        if ply == now:
            return []
        stack = self.game._stack_at
        tokens = self.words[stack + ply + 1 : stack + now].tolist()  # each holds the move before its own
        return [*[(token >> 8) - 1 for token in tokens], self._items[at.LAST]]

    # The end.

    def is_terminal(self) -> bool:
        return self._count == 0

    def outcome(self) -> Outcome | None:
        """Returns how the game ended; None while the game is in play."""
        if self._count:
            return None
        return Outcome(at.REASONS[self._items[at.STATUS]], self.winner(), self.points())

    def returns(self) -> list[float]:
        """Returns zero-sum utilities: 1 and -1 for a win; without a winner the margin of points, inside (-1, 1)."""
        end = self.outcome()
        if end is None:
            return [0.0, 0.0]
        if end.winner is not None:
            return [1.0, -1.0] if end.winner == 0 else [-1.0, 1.0]
        margin = (end.points[0] - end.points[1]) / self.game._utility_scale
        return [margin, 0.0 - margin]

    # The contents of the board, under the names that bots in the sandbox use.

    @property
    def cells(self) -> list[int]:
        """The number of each cell's mark, or -1, row by row over the boards."""
        return list(self.view().cells)

    @property
    def owners(self) -> list[int | None]:
        """The owner of each block: None, 0, 1, or 2 if it is drawn."""
        first, second, closed = self.words[[at.WON, at.WON + 1, at.CLOSED]].tolist()
        return [
            0 if first >> block & 1 else 1 if second >> block & 1 else 2 if closed >> block & 1 else None
            for block in range(self.game.rules.blocks)
        ]

    @property
    def sent(self) -> int | None:
        """The block that the last move sends to; None if it sends nowhere."""
        return self._items[at.SENT] - 1 if self._items[at.SENT] else None

    @property
    def bonus(self) -> bool:
        """Whether the next move is a bonus move."""
        return bool(self._items[at.BONUS])

    def winner(self) -> int | None:
        """Returns the winner, 0 or 1; None without a line, unless a majority of points wins."""
        winner = self._items[at.WINNER]
        return None if winner < 0 else winner

    def points(self) -> tuple[int, int]:
        """Returns the points of each player so far."""
        return int(state_points(self._facts, self.words, 0)), int(state_points(self._facts, self.words, 1))

    # Text and pictures.

    def action_to_string(self, action: int) -> str:
        """Returns the canonical text of an action: see `noughts.notation`."""
        action = as_index(action)
        if not 0 <= action < self.game.rules.num_actions:
            raise ValueError(
                f"{action} is not an action of {self.game.name}; actions are 0 to {self.game.rules.num_actions - 1}"
            )
        return notation.action_text(self.game.rules, action)

    def string_to_action(self, text: str) -> int:
        """Returns the action that a string names, in any accepted form; it may be illegal now. Raises ValueError if the
        text is not a move."""
        return notation.parse_action(self.game.rules, self._items[at.PLAYER], text)

    def to_string(self) -> str:
        """Returns the position in one line: see `noughts.notation`."""
        return notation.position_text(self.view())

    def key(self) -> bytes:
        """Returns a key for dictionaries and sets: equal for equal positions of one game, and for no others.

        States change, so they cannot be hashed; their keys do not.

        >>> import noughts
        >>> state = noughts.load_game("classic").new_initial_state()
        >>> seen = {state.key()}
        >>> state.child(4).key() in seen
        False
        >>> state.child(0).child(1).child(2).key() == state.child(2).child(1).child(0).key()
        True
        """
        first, last = self.game._planes
        return self.words[: at.PLY].tobytes() + self.words[first:last].tobytes()

    def view(self) -> View:
        """Returns the position by cells and blocks, for drawing."""
        return read(self.game.rules, self._facts, self.words)

    def __str__(self) -> str:
        return draw.text(self.view(), unicode=False)

    def to_svg(
        self,
        *,
        dark: bool = False,
        labels: Mapping[int, str] | None = None,
        highlight: Iterable[int] = (),
        arrows: Iterable[tuple[int, int]] = (),
    ) -> str:
        """Returns a picture of the position.

        labels: up to three characters for an empty cell. highlight: cells. arrows: pairs of cells. Cells are numbered
        row by row over the boards.
        """
        return draw.svg(self.view(), dark=dark, labels=labels, highlight=highlight, arrows=arrows)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return f"<State {self.game.name} {self.to_string()}>"

    def __eq__(self, other: object) -> bool:
        """Returns whether both are the same position. Histories may differ."""
        return isinstance(other, State) and self.game == other.game and self.key() == other.key()

    __hash__: ClassVar[None]  # type: ignore[assignment]

    # For learners.

    def observation_tensor(self, player: int) -> npt.NDArray[np.float32]:
        """Returns the observation of `player` as float32 planes of whole boards.

        There is one plane per board for each of: every mark (the player's own first, if marks belong to players); the
        playable cells; in nested games, the blocks won by the player, and by the opponent. Then come planes over all
        boards: 1 if `player` is to move; in games with a bonus, 1 if the next move is a bonus move.
        """
        if player not in (0, 1):
            raise ValueError(f"player is {player!r}; it must be 0 or 1")
        return self._observation_planes(player).astype(np.float32)

    def _observation_planes(self, player: int) -> npt.NDArray[np.int8]:
        """Returns the planes of `observation_tensor` in bytes; `player` must be 0 or 1 and is not checked."""
        planes = np.empty(self.game._observation_shape, np.int8)
        observe(self._facts, self.words, player, planes.reshape(-1))
        return planes

    def canonical(self) -> State:
        """Returns the least symmetric image of the position, equal for all symmetric positions.

        Its history is empty.
        """
        words = self.words.copy()
        words[: self.game._row_words] = canonical_row(self.game.rules, self._facts, self.words[: self.game._row_words])
        return State(self.game, words, state_refresh(self._facts, words))

    def transformed(self, symmetry: Symmetry) -> State:
        """Returns the image of the position under a symmetry of the game. Its history is empty."""
        words = self.words.copy()
        words[: self.game._row_words] = symmetry.apply(self.words[: self.game._row_words])
        return State(self.game, words, state_refresh(self._facts, words))

    def _refuse(self, action: object) -> NoReturn:
        legal = self.legal_actions()
        if not legal:
            raise IllegalMove(f"{_action_text(self, action)} cannot be played: the game is over")
        some = ", ".join(_with_text(self, a) for a in legal[:LISTED])
        more = f" and {len(legal) - LISTED} more" if len(legal) > LISTED else ""
        raise IllegalMove(f"{_action_text(self, action)} is not legal; legal actions are {some}{more}")


def require_own(rules: Rules, state: State, whose: str) -> None:
    """Raises ValueError unless the state belongs to the game of these rules. whose: the object made for that game, as
    named in the message."""
    if state.game.rules is not rules and state.game.rules != rules:
        raise ValueError(
            f"{whose} is for {rules.name}, but the state is of {state.game.name}; create one for that game"
        )


def _restored(game: Game, words: Array, count: int, first_ply: int) -> State:
    """Returns a state from its parts, for pickling and copying."""
    return State(game, words.copy(), count, first_ply)


def _action_text(state: State, action: object) -> str:
    """Returns an action as the user gave it, with its text if it has one."""
    if isinstance(action, int) and action.bit_length() > 64:
        return "an action of more than 64 bits"
    if isinstance(action, int | np.integer) and 0 <= action < state.game.rules.num_actions:
        return f"action {_with_text(state, int(action))}"
    return f"action {notation.quoted(str(action))}"


def _with_text(state: State, action: int) -> str:
    """Returns an action's number, followed by its text if that adds anything."""
    text = state.action_to_string(action)
    return text if text == str(action) else f"{action} ({text})"
