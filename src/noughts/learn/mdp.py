"""A flat game as a Markov decision process in its simplest form, for teaching: states are strings, actions are pairs.

>>> from noughts.learn import Mdp
>>> mdp = Mdp("numerical", seed=1)
>>> mdp.initial_state()
'x-x-x-x-x-x-x-x-x'
>>> mdp.allowed_actions("x-3-x-x-x-6-x-x-x")[:3]
[(0, 1), (0, 5), (0, 7)]
>>> mdp.step("x-5-x-2-x-x-4-7-x", (0, 9))
('9-5-x-2-x-x-4-7-x', 10.0, True)

The agent is player 0, the environment is player 1 and answers uniformly at random. The rules are those of the package.
"""

from __future__ import annotations

import random

from noughts.game import Game, State
from noughts.library import load_game
from noughts.rules.position import PositionError
from noughts.rules.spec import Rules
from noughts.solving import Rewards, rewards_of
from noughts.solving.codes import require_flat

EMPTY = "x"
"""An empty field: marks are digits or capital letters."""

Action = tuple[int, int | str]
"""A cell, from 0, and a mark: a number if marks are numbers, else a letter."""


class Mdp:
    """The decision process of an agent that moves first against a random player. Equal seeds give equal replies.

    rewards: as for `noughts.envs.gym.NoughtsEnv`.
    """

    def __init__(
        self, game: str | Rules | Game = "numerical", *, rewards: str | Rewards = "published", seed: int | None = None
    ) -> None:
        self.game: Game = load_game(game)
        require_flat(self.game.rules)
        self.rewards: Rewards = rewards_of(rewards)
        self._random = random.Random(seed)

    def initial_state(self) -> str:
        """Returns the empty board."""
        return state_text(self.game.new_initial_state())

    def allowed_actions(self, state: str) -> list[Action]:
        """Returns the actions of the player to move, cell by cell; empty if the game is over."""
        position = state_of(self.game, state)
        return [_pair(position, action) for action in position.legal_actions()]

    def is_winning(self, state: str) -> bool:
        """Returns whether a complete line ended the game."""
        end = state_of(self.game, state).outcome()
        return end is not None and end.reason == "line"

    def is_terminal(self, state: str) -> bool:
        """Returns whether the game is over: a line, or no move left."""
        return state_of(self.game, state).is_terminal()

    def step(self, state: str, action: Action) -> tuple[str, float, bool]:
        """Plays the agent's action and a reply; returns the next state, the reward, and whether the game is over.

        Raises ValueError if it is not the agent's turn or the action is not allowed.
        """
        position = state_of(self.game, state)
        if not position.is_terminal() and position.current_player() != 0:
            raise ValueError(f"in {state!r} it is not the agent's turn; the agent moves first")
        position.apply_action(_number(position, action))
        if not position.is_terminal():
            position.apply_action(self._random.choice(position.legal_actions()))
        if position.is_terminal():
            return state_text(position), self.rewards.at_margin(position.returns()[0]), True
        return state_text(position), self.rewards.step, False


def state_text(state: State) -> str:
    """Returns the fields of a flat board joined by hyphens."""
    marks = state.game.rules.marks
    return "-".join(EMPTY if mark < 0 else marks[mark] for mark in state.view().cells)


def state_of(game: Game, text: str) -> State:
    """Returns the state that a string describes. Raises ValueError if it is malformed, or if play cannot lead to it."""
    rules = game.rules
    fields = text.split("-")
    known = {EMPTY: ".", **{mark: mark for mark in rules.marks}}
    if len(fields) != rules.cells or not set(fields) <= set(known):
        raise ValueError(
            f"a state of {rules.name} must be {rules.cells} fields joined by '-', each {EMPTY} or one of "
            f"{' '.join(rules.marks)}, not {text[:80]!r}"
        )
    cells = "".join(known[field] for field in fields)
    board = "/".join(cells[row : row + rules.side] for row in range(0, rules.cells, rules.side))
    try:
        return game.from_string(f"{board} p{(rules.cells - cells.count('.')) % 2}")
    except PositionError as refusal:
        try:
            return game.from_string(f"{board} end")
        except PositionError:
            raise refusal from None


def _pair(state: State, action: int) -> Action:
    rules = state.game.rules
    cell, mark = divmod(action, rules.choices)
    letter = rules.places[state.current_player()] if rules.own_marks else rules.marks[mark]
    return cell, int(letter) if letter.isdigit() else letter


def _number(state: State, action: Action) -> int:
    allowed = {_pair(state, number): number for number in state.legal_actions()}
    chosen = (action[0], action[1]) if len(action) == 2 else None
    if chosen not in allowed:
        raise ValueError(f"{action!r} is not allowed in {state_text(state)}; `allowed_actions` lists the allowed ones")
    return allowed[chosen]
