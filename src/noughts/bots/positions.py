"""Tests a bot on positions with a known best move: those that decided games of an earlier version, or any others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from noughts.analysis.evaluator import Evaluator, evaluator_for
from noughts.analysis.mistakes import MISTAKE
from noughts.analysis.puzzles import Puzzle
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.bot import BotPlayer
from noughts.progress import Tick
from noughts.sandbox import BotFault, BotLimits, Fault
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

NODES = 500_000
"""Nodes for the position after a bot's move, if it is not the best one."""


@dataclass(frozen=True)
class TriedPosition:
    """A bot's move in a position. action: None after a fault. loss: what its move gives away, approximately."""

    puzzle: Puzzle
    action: int | None
    loss: float
    fault: Fault | None = None

    @property
    def found(self) -> bool:
        """Whether it played the best move, or one about as good."""
        return self.action is not None and self.loss < MISTAKE / 2


def try_positions(
    source: BotSource,
    game: Game,
    puzzles: Sequence[Puzzle],
    server: ForkServer,
    limits: BotLimits,
    *,
    strict: bool = False,
    unsafe: bool = False,
    tick: Tick | None = None,
) -> Iterator[TriedPosition]:
    """Asks a bot for a move in each position, each in a new process that receives all earlier moves at once. Yields
    the results.
    """
    evaluator = evaluator_for(game, NODES)
    for number, puzzle in enumerate(puzzles):
        bot = BotPlayer(source, server, limits, seed=number, strict=strict, unsafe=unsafe)
        try:
            state = puzzle.state(game)
            bot.prepare(game)
            yield _tried(puzzle, state, bot.choose(state, Clock()), evaluator)
        except BotFault as error:
            yield TriedPosition(puzzle, None, puzzle.before + 1.0, error.fault)
        finally:
            bot.close()
        if tick is not None:
            tick((number + 1) / len(puzzles))


def _tried(puzzle: Puzzle, state: State, action: int, evaluator: Evaluator) -> TriedPosition:
    if action in (puzzle.best, puzzle.played):
        return TriedPosition(puzzle, action, 0.0 if action == puzzle.best else puzzle.loss)
    value = evaluator.evaluate_move(state, action).value
    return TriedPosition(puzzle, action, max(0.0, puzzle.before - value))
