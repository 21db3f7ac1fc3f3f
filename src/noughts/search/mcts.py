"""Monte Carlo tree search for one game; the tree is kept from move to move."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from noughts._threads import OneAtATime
from noughts.files import machine_megabytes
from noughts.game import Game, State, require_own
from noughts.rules.geometry import action_of
from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.playout import streams
from noughts.rules.spec import short_repr
from noughts.search.kernels import mcts as at
from noughts.search.kernels.timeman import NEVER, alarm, start_time
from noughts.search.limits import Limits, before_tick

DEFAULT_MEGABYTES = 256


@dataclass(frozen=True)
class RootMove:
    """A move at the root. visits: simulations through it; mean: of their results, for the player to move; proof: 1 if
    it wins by force, -1 if it loses by force, 0 if unknown.
    """

    action: int
    visits: int
    mean: float
    proof: int


class MonteCarloTreeSearch:
    """UCT with uniformly random simulations for one game; the same seed and number of simulations give the same tree.

    The part of the tree below the current position is kept from move to move; half of the memory (megabytes) is for
    that. Only one thread at a time uses a search; others wait. `stop`, `simulations` and `nodes` work from any thread
    at any time.

    >>> import noughts
    >>> state = noughts.load_game("classic").from_string("XX./OO./... p0")
    >>> noughts.MonteCarloTreeSearch(state.game, seed=1, memory=1).search(state, noughts.Limits(nodes=100))[0].action
    2
    """

    def __init__(self, game: Game, seed: int | None = None, *, memory: int = DEFAULT_MEGABYTES) -> None:
        if not 1 <= memory <= machine_megabytes():
            most = f"and this machine has {machine_megabytes()}"
            raise ValueError(f"the memory must be 1 megabyte or more, {most}, not {short_repr(memory)}")
        self.game = game
        words = (memory << 20) // 16
        # Written now, since the system provides pages at the first write, which takes time.
        self._tree, self._spare = np.full(words, 0, np.int64), np.full(words, 0, np.int64)
        self._control = np.zeros(at.CONTROL_WORDS, np.int64)
        self._row = np.zeros(int(game.facts[rules_at.ROW_WORDS]), np.int64)
        self._scratch = np.zeros(game.num_distinct_actions(), np.int64)
        self._stream = streams(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]), 1)[0]
        self._root: State | None = None
        self._one_at_a_time = OneAtATime()

    @property
    def simulations(self) -> int:
        """Number of simulations of the last search."""
        return int(self._control[at.SIMULATIONS])

    @property
    def nodes(self) -> int:
        """Nodes of the tree; none are added when the memory is full."""
        return int(self._control[at.USED]) // at.NODE_WORDS

    def stop(self) -> None:
        """Ends the search in another thread."""
        self._control[at.STOP] = 1

    def search(self, state: State, limits: Limits) -> list[RootMove]:
        """Runs at least one simulation from a state that is not over. Returns its moves, the best first.

        The most visited move is the best; but a proven win comes first, and a proven loss last. limits: seconds, nodes
        (simulations), or both.
        """
        require_own(self.game.rules, state, "this tree search")
        if state.is_terminal():
            raise ValueError("the game is over, so there is no move to search")
        if limits.depth is not None:
            raise ValueError("a tree search has no depth limit; pass seconds or nodes (simulations)")
        if limits.seconds is None and limits.nodes is None:
            raise ValueError("a tree search needs a limit; pass seconds or nodes (simulations)")
        with self._one_at_a_time:
            return self._search(state.clone(), limits.seconds, limits.nodes)

    def _search(self, state: State, seconds: float | None, simulations: int | None) -> list[RootMove]:
        started = time.monotonic()
        self._re_root(state)
        control = self._control
        control[at.STOP] = control[at.SIMULATIONS] = 0
        control[at.END_UNIT] = at.UNIT // self.game._utility_scale
        control[at.SIMULATION_LIMIT] = NEVER if simulations is None else simulations
        start_time(control, at.TIME, started, seconds)
        words = state.words[: len(self._row)]
        with alarm(started, before_tick(seconds), self.stop):
            stream = at.run_simulations(
                self.game.facts, words, self._row, self._tree, control, self._scratch, self._stream
            )
        self._stream = np.uint64(stream)
        return self._moves_at(0)

    def re_root(self, state: State) -> None:
        """Makes `state` the root: keeps its part of the tree, or begins a new tree."""
        require_own(self.game.rules, state, "this tree search")
        with self._one_at_a_time:
            self._re_root(state.clone())

    def _re_root(self, state: State) -> None:
        node = self._find(state)
        if node is None:
            self._tree[: at.NODE_WORDS] = 0
            self._tree[at.MOVER] = 1 - state.current_player()
            self._control[at.USED] = at.NODE_WORDS
        elif node > 0:
            self._control[at.USED] = at.re_root(self._tree, self._spare, node)
            self._tree, self._spare = self._spare, self._tree
        self._root = state

    def known_moves(self, state: State) -> list[RootMove]:
        """Returns the known moves of a state below the root, best first; empty if the tree does not contain it."""
        require_own(self.game.rules, state, "this tree search")
        with self._one_at_a_time:
            node = self._find(state.clone())
            return [] if node is None else self._moves_at(node)

    def _find(self, state: State) -> int | None:
        """Returns the node of a state below the root; None if it is not in the tree."""
        if self._root is None:
            return None
        played = state.actions_since(self._root)
        if played is None:
            return None
        node, walk = 0, self._root.clone()
        for action in played:
            child = next((node for node in self._children(node) if self._action(node) == action), None)
            if child is None or action not in walk.legal_actions():
                return None
            walk.apply_action(action)
            node = child
        words = len(self._row)
        same = np.array_equal(walk.words[:words], state.words[:words])
        return node if same else None

    def _children(self, node: int) -> list[int]:
        first, count = int(self._tree[node + at.CHILD]), int(self._tree[node + at.COUNT])
        return [first + i * at.NODE_WORDS for i in range(count)]

    def _action(self, node: int) -> int:
        return action_of(self.game.rules, int(self._tree[node + at.MOVE]))

    def _moves_at(self, node: int) -> list[RootMove]:
        moves = []
        for child in self._children(node):
            visits, total = int(self._tree[child + at.VISITS]), int(self._tree[child + at.TOTAL])
            mean = total / (visits * at.UNIT) if visits else 0.0
            moves.append(RootMove(self._action(child), visits, mean, int(self._tree[child + at.PROOF])))
        return sorted(moves, key=lambda move: (-move.proof, -move.visits, -move.mean))
