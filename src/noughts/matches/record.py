"""The record of one game: what was played, how it ended, what was said meanwhile. `replays` is its file."""

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
"""Reasons for an end that is not on the board: somebody gave up, both agreed on a draw, or it was left for later."""


GAME_PRINTS = 64 << 10
"""Bytes that a game keeps of what one player printed, as a replay counts them."""
NOT_KEPT = "\n[... and no more of it is kept]"
MOST_BYTES = 12
"""Bytes that one character may take in a replay: two escapes."""


def _written_size(text: str) -> int:
    return len(json.dumps(text))


def _write(path: str | Path, content: bytes) -> None:
    target = Path(path)
    make_folder(target.parent)
    write_whole(target, content)


@dataclass
class GameRecord:
    """One game that was played.

    >>> import noughts
    >>> record = noughts.play_game("classic", ("perfect", "random"), seed=1)
    >>> record.players, len(record.states()) == len(record.moves) + 1
    (('perfect', 'random'), True)

    number, round: in its run. seed: None if it is not disclosed.
    moves: actions. opening: how many of them were given. seconds: one for each, 0 for given ones. prints: what was
    printed, by the number of the move, which is len(moves) for what was printed before a fault. reason: that of
    `Outcome`, the kind of the fault, RESIGNED, AGREED or UNFINISHED. winner: 0, 1 or None. points: of both. fault,
    faulty: what ended the game, and who did it, if anybody did. exchanges: with players who read text. machine, speed:
    where it was played, and the speed of that machine at the time (see `machine`), if that was noted. unsafe: whether a
    bot played without a sandbox.
    """

    game: Game
    players: tuple[str, str]
    seed: int | None = 0
    moves: list[int] = field(default_factory=list)
    opening: int = 0
    seconds: list[float] = field(default_factory=list)
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

    def seat_of(self, name: str) -> int:
        """Where a player of this name sat: 0 moved first."""
        return self.players.index(name)

    def score(self, seat: int) -> float:
        """1, 1/2 or 0, by who has more points. A game without a line is won by the player with more points."""
        margin = self.points[seat] - self.points[1 - seat]
        return 0.5 if margin == 0 else float(margin > 0)

    def states(self) -> list[tuple[State, int | None]]:
        """Each position with the action that was played in it; None in the last."""
        state = self.game.new_initial_state()
        steps: list[tuple[State, int | None]] = []
        for action in self.moves:
            steps.append((state.clone(), action))
            state.apply_action(action)
        return [*steps, (state, None)]

    def save(self, path: str | Path) -> None:
        """Writes the game as a replay, which `load`, `noughts replay` and the page read; makes its folder if needed."""
        from noughts.matches.replays import to_json

        _write(path, to_json(self).encode())

    @staticmethod
    def load(path: str | Path) -> GameRecord:
        """Reads a replay; ReplayError (a ValueError) if the file is none, or holds a game that the rules refuse."""
        from noughts.matches.replays import load

        return load(path)

    def gif(self, path: str | Path) -> None:
        """Writes the game as a moving picture; it needs pillow."""
        _write(path, draw.gif([state.view() for state, _ in self.states()]))

    def prints_of(self, seat: int) -> dict[int, str]:
        """What a player printed, by the number of the move. After the last move it was the player at fault."""
        if not self.prints:
            return {}
        movers = [*(state.current_player() for state, _ in self.states()[:-1]), self.faulty]
        return {ply: text for ply, text in self.prints.items() if ply < len(movers) and movers[ply] == seat}

    def bound_prints(self, room: Sequence[int]) -> list[int]:
        """Cuts what each player printed to so many bytes, as a replay counts them. Returns how many it takes now."""
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
        """The game on a board, in a notebook."""
        from noughts.matches.page import frame

        return frame(self)

    def end_by_rules(self, state: State) -> None:
        """Take the result from a finished game."""
        outcome = state.outcome()
        assert outcome is not None
        self.reason, self.winner, self.points = outcome.reason, outcome.winner, outcome.points

    def end_by_fault(self, player: int, fault: Fault) -> None:
        """The other player wins, with full points."""
        self.fault, self.faulty = fault, player
        self._end_by_giving_up(player, fault.kind)

    def end_by_resigning(self, player: int) -> None:
        """The other player wins, with full points."""
        self._end_by_giving_up(player, RESIGNED)

    def end_by_agreement(self) -> None:
        """Nobody wins, and nobody gets points."""
        self.reason, self.winner, self.points = AGREED, None, (0, 0)

    def _end_by_giving_up(self, player: int, reason: str) -> None:
        win, loss = self.game.rules.win_points
        self.reason, self.winner = reason, 1 - player
        self.points = (loss, win) if player == 0 else (win, loss)
