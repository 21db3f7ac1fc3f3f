"""The record of one game: the moves, the result, and all output. `replays` is its file format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from noughts import draw
from noughts.files import make_folder, write_whole
from noughts.game import Game, State
from noughts.matches.machine import Machine
from noughts.players.text_seat import Exchange
from noughts.sandbox import Fault

RESIGNED, AGREED, UNFINISHED = "resigned", "agreed", "unfinished"
"""Reasons for an end that is not on the board: resignation, a draw by agreement, or postponed."""


GAME_PRINTS = 64 << 10
"""Maximum bytes of one player's prints per game, as a replay counts them."""
NOT_KEPT = "\n[... the rest is not stored]"
MOST_BYTES = 12
"""Maximum bytes of one character in a replay: two escapes."""


def _written_size(text: str) -> int:
    return len(json.dumps(text))


def _write(path: str | Path, content: bytes) -> None:
    target = Path(path)
    make_folder(target.parent)
    write_whole(target, content)


DRAW_SCORE = 0.5
"""Elo, pentanomials and ratings assume a half. The rules set the points of a draw."""


def score_of(points: int, points_against: int) -> float:
    """Returns the score of a game: 1 for more points than the opponent, DRAW_SCORE for as many, 0 for fewer.

    A game without a line is won by the player with more points.
    """
    return DRAW_SCORE if points == points_against else float(points > points_against)


def result_of(points: int, points_against: int) -> str:
    """Returns the result of a game in a word: "won", "drawn" or "lost"."""
    return "drawn" if points == points_against else "won" if points > points_against else "lost"


@dataclass
class GameRecord:
    """One game that was played.

    >>> import noughts
    >>> record = noughts.play_game("classic", ("perfect", "random"), seed=1)
    >>> record.players, len(record.states()) == len(record.moves) + 1
    (('perfect', 'random'), True)

    number, round: in its run. seed: None if not disclosed. moves: actions. opening: number of given moves. seconds:
    for each move, 0 for given ones. used: seconds for which each player kept the process that played the game busy,
    loading included and waiting for a processor excluded; not in replays. prints: output by the number of the move,
    which is len(moves) for output before a fault. reason: the reason of `Outcome`, the kind of the fault, RESIGNED,
    AGREED or UNFINISHED. winner: 0, 1 or None. points: for both players. fault, faulty: the fault that ended the
    game and the seat at fault, if any. exchanges: with text players. machine, speed: the machine and its speed at
    the time (see `machine`), if recorded. unsafe: whether a bot played without a sandbox.
    """

    game: Game
    players: tuple[str, str]
    seed: int | None = 0
    moves: list[int] = field(default_factory=list)
    opening: int = 0
    seconds: list[float] = field(default_factory=list)
    used: tuple[float, float] = (0.0, 0.0)
    prints: dict[int, str] = field(default_factory=dict)
    warnings: list[str | None] = field(default_factory=lambda: [None, None])
    reason: str = ""
    winner: int | None = None
    points: tuple[int, int] = (0, 0)
    fault: Fault | None = None
    faulty: int | None = None
    number: int = 0
    round: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    machine: Machine | None = None
    speed: float = 0.0
    unsafe: bool = False
    _movers: list[int] = field(default_factory=list, repr=False, compare=False)

    def add_move(self, player: int, action: int, seconds: float) -> None:
        """Adds a move of a player to the moves."""
        self.moves.append(action)
        self.seconds.append(seconds)
        self._movers.append(player)

    def seat_of(self, name: str) -> int:
        """Returns the seat of the player of this name: 0 moved first."""
        return self.players.index(name)

    def score(self, seat: int) -> float:
        """Returns the player's score in this game."""
        return score_of(self.points[seat], self.points[1 - seat])

    def states(self) -> list[tuple[State, int | None]]:
        """Returns each position with the action that was played in it; None in the last."""
        state = self.game.new_initial_state()
        steps: list[tuple[State, int | None]] = []
        for action in self.moves:
            steps.append((state.clone(), action))
            state.apply_action(action)
        return [*steps, (state, None)]

    def movers(self) -> list[int]:
        """The player of each move. Needs no board in games without bonus moves, or if `add_move` added the moves."""
        if not self.game.rules.bonus:
            return [ply % 2 for ply in range(len(self.moves))]
        if len(self._movers) != len(self.moves):
            state, self._movers = self.game.new_initial_state(), []
            for action in self.moves:
                self._movers.append(state.current_player())
                state.apply_action(action)
        return self._movers

    def seconds_of(self, seat: int) -> list[float]:
        """The times of the moves that one player chose."""
        timed = list(zip(self.movers(), self.seconds, strict=True))[self.opening :]
        return [taken for mover, taken in timed if mover == seat]

    def save(self, path: str | Path) -> None:
        """Writes the game as a replay, which `load`, `noughts replay` and the page read; creates its folder if
        needed."""
        from noughts.matches.replays import to_json

        _write(path, to_json(self).encode())

    @staticmethod
    def load(path: str | Path) -> GameRecord:
        """Reads a replay. Raises ReplayError (a ValueError) if the file is not one, or contains a game that the rules
        refuse."""
        from noughts.matches.replays import load

        return load(path)

    def gif(self, path: str | Path) -> None:
        """Writes the game as an animated GIF; needs Pillow."""
        _write(path, draw.gif([state.view() for state, _ in self.states()]))

    def prints_of(self, seat: int) -> dict[int, str]:
        """Returns a player's output, by the number of the move. Output after the last move belongs to the player at
        fault.
        """
        if not self.prints:
            return {}
        movers = [*self.movers(), self.faulty]
        return {ply: text for ply, text in self.prints.items() if ply < len(movers) and movers[ply] == seat}

    def bound_prints(self, room: Sequence[int]) -> list[int]:
        """Cuts each player's output to `room` bytes, as a replay counts them. Returns the bytes it takes after the
        cut.
        """
        kept: dict[int, str] = {}
        taken = [0, 0]
        for seat in (0, 1):
            for ply, text in sorted(self.prints_of(seat).items()):
                left = room[seat] - taken[seat]
                if _written_size(text) > left:
                    rest = left - _written_size(NOT_KEPT)
                    text = text[: rest // MOST_BYTES] + NOT_KEPT if rest >= 0 else ""
                if text:
                    kept[ply] = text
                    taken[seat] += _written_size(text)
        self.prints = kept
        return taken

    def _repr_html_(self) -> str:
        """Returns the game on a board, for a notebook."""
        from noughts.matches.page import frame

        return frame(self)

    def end_by_rules(self, state: State) -> None:
        """Sets the result by the rules: UNFINISHED if the game is not over."""
        outcome = state.outcome()
        if outcome is None:
            self.reason = UNFINISHED
            return
        self.reason, self.winner, self.points = outcome.reason, outcome.winner, outcome.points

    def end_by_fault(self, player: int, fault: Fault) -> None:
        """Gives the other player the win, with full points."""
        self.fault, self.faulty = fault, player
        self._end_by_giving_up(player, fault.kind)

    def end_by_resigning(self, player: int) -> None:
        """Gives the other player the win, with full points."""
        self._end_by_giving_up(player, RESIGNED)

    def end_by_agreement(self) -> None:
        """Ends the game without a winner and without points."""
        self.reason, self.winner, self.points = AGREED, None, (0, 0)

    def _end_by_giving_up(self, player: int, reason: str) -> None:
        win, loss = self.game.rules.win_points
        self.reason, self.winner = reason, 1 - player
        self.points = (loss, win) if player == 0 else (win, loss)
