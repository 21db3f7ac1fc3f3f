"""A growing tree of random games for one game, kept from move to move."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from noughts.game import Game, State
from noughts.rules.geometry import action_of
from noughts.rules.kernels import layout as kernel
from noughts.rules.kernels.playout import streams
from noughts.search.kernels import tree as at
from noughts.search.kernels.timeman import NEVER, alarm, start_clock

DEFAULT_MEGABYTES = 256


@dataclass(frozen=True)
class Visited:
    """A move at the root: how many games went through it, their mean result for the player to move, and its proof."""

    action: int
    visits: int
    mean: float
    proof: int


class Forest:
    """Monte Carlo tree search for one game; the same seed and number of games give the same tree.

    What was found out about a position is kept when the game goes on from there. Half of the memory is for that.
    """

    def __init__(self, game: Game, seed: int | None = None, *, megabytes: int = DEFAULT_MEGABYTES) -> None:
        if megabytes < 1:
            raise ValueError(f"the memory must be 1 megabyte or more, not {megabytes}")
        self.game = game
        words = (megabytes << 20) // 16
        # Written now: the system gives pages when they are first written, and then takes its time.
        self._tree, self._spare = np.full(words, 0, np.int64), np.full(words, 0, np.int64)
        self._control = np.zeros(at.CONTROL_WORDS, np.int64)
        self._row = np.zeros(int(game._facts[kernel.ROW_WORDS]), np.int64)
        self._scratch = np.zeros(game.num_distinct_actions(), np.int64)
        self._stream = streams(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]), 1)[0]
        self._root: State | None = None

    def stop(self) -> None:
        """End the growth that runs in another thread."""
        self._control[at.STOP] = 1

    def grow(self, state: State, *, seconds: float | None = None, games: int | None = None) -> list[Visited]:
        """Play games from a state that is not over, at least one; its moves, the one to play first.

        The most visited move is the best; but a proven win comes first, and a proven loss last.
        """
        if state.is_terminal():
            raise ValueError("the game is over: there is no move to look for")
        if seconds is None and games is None:
            raise ValueError("a tree grows without end: give it seconds or games")
        started = time.monotonic()
        self._settle(state)
        control = self._control
        control[at.STOP] = control[at.GAMES] = 0
        control[at.END_UNIT] = at.UNIT // self.game._utility_scale
        control[at.GAME_LIMIT] = NEVER if games is None else max(1, games)
        start_clock(control, at.CLOCK, started, seconds)
        words = state._words[: len(self._row)]
        with alarm(started, seconds, self.stop):
            stream = at.grow(self.game._facts, words, self._row, self._tree, control, self._scratch, self._stream)
        self._stream = np.uint64(stream)
        return self._visited()

    def _settle(self, state: State) -> None:
        """Make the tree that of `state`: the part of the old one that belongs to it, or a new one."""
        node = self._find(state)
        if node is None:
            self._tree[: at.NODE_WORDS] = 0
            self._tree[at.WHO] = 1 - state.current_player()
            self._control[at.USED] = at.NODE_WORDS
        elif node > 0:
            self._control[at.USED] = at.transplant(self._tree, self._spare, node)
            self._tree, self._spare = self._spare, self._tree
        self._root = state.clone()

    def _find(self, state: State) -> int | None:
        """The node of a state that the game went on to from the last root; None if it is not in the tree."""
        if self._root is None or self._root.game != state.game:
            return None
        known = self._root.history()
        history = state.history()
        if history[: len(known)] != known:
            return None
        node, walk = 0, self._root.clone()
        for action in history[len(known) :]:
            child = next((node for node in self._children(node) if self._action(node) == action), None)
            if child is None or action not in walk.legal_actions():
                return None
            walk.apply_action(action)
            node = child
        words = len(self._row)
        same = np.array_equal(walk._words[:words], state._words[:words])
        return node if same else None

    def _children(self, node: int) -> list[int]:
        first, count = int(self._tree[node + at.CHILD]), int(self._tree[node + at.COUNT])
        return [first + i * at.NODE_WORDS for i in range(count)]

    def _action(self, node: int) -> int:
        return action_of(self.game.rules, int(self._tree[node + at.MOVE]))

    def _visited(self) -> list[Visited]:
        moves = []
        for node in self._children(0):
            visits, total = int(self._tree[node + at.VISITS]), int(self._tree[node + at.TOTAL])
            mean = total / (visits * at.UNIT) if visits else 0.0
            moves.append(Visited(self._action(node), visits, mean, int(self._tree[node + at.PROOF])))
        return sorted(moves, key=lambda move: (-move.proof, -move.visits, -move.mean))
