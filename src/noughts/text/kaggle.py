"""Ultimate Tic-Tac-Toe in the format of Kaggle's Game Arena: local boards and cells by numbers, answers in JSON.

A player who may choose a board is asked for the board first, and then for the cell:

    {"move": "4"}       local board 4
    {"move": "1,1"}     row 1, column 1 of the local board; {"move": "4"} is that cell too

Every question is self-contained: the rules, the position, the moves so far. The wording is ours; raise the version in
`prompts.OTHER_VERSIONS` with every change of it.
"""

from __future__ import annotations

import re

from noughts.game import Game
from noughts.games.ultimate import RULES as ULTIMATE
from noughts.rules.geometry import index_in, place_of
from noughts.rules.spec import short_repr
from noughts.rules.view import DRAWN, OPEN, View
from noughts.text.env import Info, TextEnv
from noughts.text.replies import CUT_OFF_REFUSAL, NO_MOVE, Refusal, explain, without_reasoning

_ANSWER = re.compile(r'\{[^{}]{0,400}?"move"\s*+:\s*+(?:"([^"{}]{0,200})"|([0-9]++))[^{}]{0,400}\}')
_PAIR = re.compile(r"(?<![0-9])([0-2])\s*+[,.\s-]\s*+([0-2])(?![0-9])")
_DIGIT = re.compile(r"(?<![0-9])([0-8])(?![0-9])")
SIGNS = "xo"


class KaggleEnv(TextEnv):
    """One game by Kaggle's conventions. error_allowance: as for `TextEnv`."""

    def __init__(self, game: Game, *, error_allowance: int = 0) -> None:
        if game.rules != ULTIMATE:
            raise ValueError(f"Kaggle's prompt is for the game ultimate, not {short_repr(game.name)}")
        super().__init__(game, error_allowance=error_allowance, observation="board", take="last")

    def messages(self) -> list[dict[str, str]]:
        return [{"role": "user", "content": self.get_observation()[1]}]

    def observation_for(self, player: int) -> str:
        view = self.current_state().view()
        block = self._block(view)
        parts = [RULES, draw_boards(view, block), self._history(), *self._question(player, view, block)]
        if self._notice and self._notice_at == len(self.moves):
            parts.append(self._notice)
        if self.ending:
            parts.append(f"[GAME] {self.ending}")
        return "\n\n".join(parts)

    def step(self, action: str, *, cut_off: bool = False) -> tuple[bool, Info]:
        """Plays the move in a reply, as `TextEnv.step` does. A chosen board is valid but not an action, and the same
        player is asked again.
        """
        state = self.current_state()
        text, chosen, block = self._answer(action)
        if self.ending:
            return self._refuse(None)
        if cut_off:
            return self._refuse(CUT_OFF_REFUSAL)
        if text is None:
            return self._refuse(Refusal(NO_MOVE, 'there is no {"move": "..."} in your reply.'))
        if chosen is not None and block is None and chosen in state.view().playable:
            self._chosen = len(self.moves), chosen
            names = {"valid": True, "reason": None, "message": None, "player": self.player}
            return False, {**names, "action": None, "move": None, "again": True}
        action_number = None if chosen is None or block is None else index_in(self.game.rules, block, chosen)
        if action_number is None or action_number not in state.legal_actions():
            why = explain(state, action_number, text, self.reader.names)
            return self._refuse(Refusal(why.reason, f"{short_repr(text)} is not a legal move here."))
        return self.play(action_number)

    def read(self, reply: str) -> int | None:
        """Returns the cell that a reply names, or the board as a negative number; None if neither is legal."""
        _, chosen, block = self._answer(reply)
        if chosen is None:
            return None
        if block is None:
            return -1 - chosen if chosen in self.current_state().view().playable else None
        action = index_in(self.game.rules, block, chosen)
        return action if action in self.current_state().legal_actions() else None

    def _answer(self, reply: str) -> tuple[str | None, int | None, int | None]:
        """Returns the answer in a reply, the board or cell that it names, and the board for which a cell is
        requested."""
        if not isinstance(reply, str):
            raise TypeError(f"step takes a player's reply as a string, not {type(reply).__name__}")
        block = self._block(self.current_state().view())
        answers = _ANSWER.findall(without_reasoning(reply))
        if not answers:
            return None, None, block
        text = "".join(answers[-1])  # quoted, or a bare number
        pairs, digits = _PAIR.findall(text), _DIGIT.findall(text)
        if block is not None and pairs:
            row, column = map(int, pairs[-1])
            return text, row * self.game.rules.side + column, block
        return text, int(digits[-1]) if digits else None, block

    _chosen = (-1, -1)
    """A chosen board, and after how many moves."""

    def _block(self, view: View) -> int | None:
        """Returns the local board for which a cell is requested; None if the player chooses a board first."""
        if self._chosen[0] == len(self.moves):
            return self._chosen[1]
        return None if view.sent is None or view.open_move else view.sent

    def reset(self, *args: object, **named: object) -> None:
        super().reset(*args, **named)  # type: ignore[arg-type]
        self._chosen = (-1, -1)

    def _history(self) -> str:
        rules = self.game.rules
        moves = []
        for player, action in zip(self._movers, self.moves, strict=True):
            place = place_of(rules, action)
            row, column = divmod(place.cell, rules.side)
            moves.append(f"{SIGNS[player]} board {place.block} cell {row},{column}")
        return f"Moves so far: {'; '.join(moves) or 'none'}."

    def _question(self, player: int, view: View, block: int | None) -> list[str]:
        if view.over:
            return []
        you = f"You are Player {player} and place '{SIGNS[player]}'."
        if block is None:
            open_boards = ", ".join(map(str, sorted(view.playable)))
            return [
                f"{you} You may play in any local board that is not finished: choose one of {open_boards}.",
                f'{LAST} ```json\n{{"move": "BOARD"}}\n```\nFor example {{"move": "{min(view.playable)}"}}.',
            ]
        return [
            f"{you} You play in local board {block}: choose an empty cell of it, by row and column or by its number.",
            f'{LAST} ```json\n{{"move": "ROW,COLUMN"}}\n```\nFor example {{"move": "1,1"}} is the centre.',
        ]


LAST = (
    "Think as long as you like, and end with your answer as JSON; an answer that is missing or illegal loses the game:"
)
RULES = (
    "The game is Ultimate Tic-Tac-Toe. Nine local boards of 3 x 3 cells form a 3 x 3 grid. Local boards have the "
    "numbers 0 to 8, row by row from the top left, and so have the cells of each; the cell at row r and column c, both "
    "from 0 to 2, is number 3r + c.\n"
    "Player 0 places 'x' and moves first, Player 1 places 'o'. The number of the cell that you choose is the number of "
    "the local board in which your opponent plays next. If that board is finished, your opponent chooses any board "
    "that is not.\n"
    "Three of your marks in a row, column or diagonal win a local board; a full board without them belongs to nobody. "
    "Either way it is finished. Three local boards of yours in a row, column or diagonal win the game; if all are "
    "finished without that, it is a draw."
)


def draw_boards(view: View, block: int | None) -> str:
    """Returns the nine local boards side by side; the one for which a cell is requested has an arrow."""
    rules = view.rules
    side, lines = rules.side, []
    for first in range(0, rules.cells, side):
        blocks = range(first, first + side)
        heads = [f"{'->' if each == block else '  '} board {each} {_owner(view, each)}" for each in blocks]
        lines.append("".join(head.ljust(20) for head in heads).rstrip())
        for row in range(side):
            cells = [
                " ".join(_sign(view.cells[index_in(rules, each, row * side + column)]) for column in range(side))
                for each in blocks
            ]
            lines.append("".join(f"   {text}".ljust(20) for text in cells).rstrip())
        lines.append("")
    return "\n".join(lines).rstrip()


def _owner(view: View, block: int) -> str:
    owner = view.owners[block]
    return "" if owner == OPEN else "(draw)" if owner == DRAWN else f"(won by {SIGNS[owner]})"


def _sign(mark: int) -> str:
    return "." if mark < 0 else SIGNS[mark]
