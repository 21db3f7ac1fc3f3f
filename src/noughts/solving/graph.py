"""Builds the graph of a game: every reachable position, up to symmetry, and where each move leads.

The graph is built with the kernel's moves, layer by layer (a layer is all positions with the same number of marks).
Solving is then arithmetic on arrays.

It contains every position that can be set up by hand: the players can have placed the marks in turn, and a line, if
there is one, was completed by the last move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noughts.game import State, require_own
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.jit import direct
from noughts.rules.kernels.tables import fact_table
from noughts.rules.spec import Rules
from noughts.solving.codes import MOST_POSITIONS, TooLarge, code_bits, image_table, most_positions, require_small
from noughts.solving.kernels import graph as kernels
from noughts.solving.kernels.codes import NOT_OVER

Array = npt.NDArray[np.int64]
Vector = npt.NDArray[Any]

NO_POSITION = "play cannot lead to this position"
MOST_IN_DICT = 10_000
"""Maximum number of positions of a game for which a dictionary is kept, in about a megabyte."""
ROWS_AT_ONCE = 512
"""Positions expanded per call, so that progress is shown and Ctrl-C is noticed."""

_position_code = direct(kernels.position_code)


class Layer(NamedTuple):
    """The unfinished positions with equally many marks."""

    marks: int
    """Their number of marks."""
    nodes: Array
    """Their numbers."""
    moves: slice
    """Their moves."""
    targets: npt.NDArray[np.int32]
    """Where their moves lead."""
    starts: Array
    """Where the moves of each begin, counted within `moves`, as `ufunc.reduceat` requires."""

    def max(self, values: Vector) -> Vector:
        """Returns the highest of these values of moves, for each position."""
        highest: Vector = np.maximum.reduceat(values, self.starts)
        return highest


@dataclass(frozen=True)
class Graph:
    """The positions of a flat game in order of their number of marks; position 0 is the start.

    codes    int64[positions]      least codes (see `kernels.codes`), each once
    kinds    int8[positions]       NOT_OVER, WON, WON + 1 or DRAWN
    orbits   int32[positions]      number of symmetric positions of the game that this one represents
    first    int64[positions + 1]  the moves of position i are numbered first[i] to first[i + 1]
    targets  int32[moves]          where a move leads; in rising order of the actions in one of the symmetric positions
    layers   int64[cells + 2]      the positions with m marks are layers[m] to layers[m + 1]
    """

    rules: Rules
    codes: Array
    kinds: npt.NDArray[np.int8]
    orbits: npt.NDArray[np.int32]
    first: Array
    targets: npt.NDArray[np.int32]
    layers: Array

    @cached_property
    def moves(self) -> Array:
        """The number of moves of each position: int64[positions]."""
        return np.diff(self.first)

    @cached_property
    def marks(self) -> npt.NDArray[np.int8]:
        """The number of marks on the board of each position: int8[positions]."""
        return np.repeat(np.arange(len(self.layers) - 1, dtype=np.int8), np.diff(self.layers))

    def node(self, state: State) -> int:
        """Returns the number of a state's position."""
        require_own(self.rules, state, "this solution")
        images, bits = self._symmetry
        code = _position_code(state.game.facts, images, bits, state.words)
        node = self._find_one(code) if self._node_of is None else self._node_of.get(code)
        if node is None:
            raise ValueError(NO_POSITION)
        return node

    def children(self, state: State) -> tuple[list[int], Array]:
        """Returns the legal actions of a state in rising order, and the number of the position after each."""
        require_own(self.rules, state, "this solution")
        actions, codes = np.empty((2, self.rules.num_actions), np.int64)
        count = kernels.child_codes(state.game.facts, *self._symmetry, state.words, actions, codes)
        return actions[:count].tolist(), self.find(codes[:count])

    @cached_property
    def _symmetry(self) -> tuple[Array, int]:
        """The table of images and the bits per cell, for the kernels."""
        return image_table(self.rules), code_bits(self.rules)

    @cached_property
    def _node_of(self) -> dict[int, int] | None:
        """Positions by their codes, if they are few: ten times as fast as a search in the array."""
        if len(self.codes) > MOST_IN_DICT:
            return None
        return {code: node for node, code in enumerate(self.codes.tolist())}

    def _find_one(self, code: int) -> int | None:
        """Returns the position with a least code, or None; faster than `find` for one code."""
        place = int(self._sorted_codes.searchsorted(code))
        if place == len(self.codes) or self._sorted_codes.item(place) != code:
            return None
        return self._by_code.item(place)

    @cached_property
    def _by_code(self) -> Array:
        return np.argsort(self.codes)

    @cached_property
    def _sorted_codes(self) -> Array:
        return self.codes[self._by_code]

    def find(self, codes: Array) -> Array:
        """Returns the positions with these least codes. Raises ValueError if a code belongs to no position of the
        game.
        """
        places = np.searchsorted(self._sorted_codes, codes)
        if np.any(self._sorted_codes.take(places, mode="clip") != codes):
            raise ValueError(NO_POSITION)
        return self._by_code[places]

    def fold(self, values: Vector, combine: Callable[[Vector, Layer], Vector]) -> Vector:
        """Computes values backwards, from the last layer to the start; returns `values`, changed.

        values: of the finished positions. combine: returns the values of the positions of a layer from those of the
        positions after their moves.
        """
        for marks in reversed(range(len(self.layers) - 1)):
            layer = self._layer(marks)
            if len(layer.nodes):
                values[layer.nodes] = combine(values[layer.targets], layer)
        return values

    def flow(self, *sides: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Returns the chance that play from the start reaches each position: float64[positions].

        sides: float64[moves] for each player: a move is chosen with a chance proportional to its weight among the moves
        of its position.
        """
        chances = np.zeros(len(self.codes))
        chances[0] = 1.0
        for marks in range(len(self.layers) - 2):
            layer = self._layer(marks)
            if len(layer.nodes):
                weights = sides[marks % 2][layer.moves]
                share = chances[layer.nodes] / np.add.reduceat(weights, layer.starts)
                start, end = int(self.layers[marks + 1]), int(self.layers[marks + 2])
                arriving = weights * np.repeat(share, self.moves[layer.nodes])
                chances[start:end] = np.bincount(layer.targets - start, arriving, end - start)
        return chances

    def _layer(self, marks: int) -> Layer:
        start, end = int(self.layers[marks]), int(self.layers[marks + 1])
        nodes = start + np.flatnonzero(self.kinds[start:end] == NOT_OVER)
        moves = slice(int(self.first[start]), int(self.first[end]))
        return Layer(marks, nodes, moves, self.targets[moves], self.first[nodes] - self.first[start])


def build_graph(rules: Rules, tick: Callable[[float], None] | None = None, most: int | None = None) -> Graph:
    """Builds the graph of a flat game. Raises TooLarge if it is too large, or has more positions than `most`.

    tick: called with the share of the work done.
    """
    require_small(rules)
    return _Builder(rules, tick, most).build()


class _Builder:
    """Builds the layers of a graph, one after the other."""

    def __init__(self, rules: Rules, tick: Callable[[float], None] | None, most: int | None) -> None:
        self.rules = rules
        self.tick = tick
        self.most = MOST_POSITIONS if most is None else most
        self.expected = np.cumsum([0, *most_positions(rules)]) / sum(most_positions(rules))
        self.facts = fact_table(rules)
        self.images = image_table(rules)
        self.bits = code_bits(rules)
        self.words = int(self.facts[at.ROW_WORDS])

    def build(self) -> Graph:
        rows = np.zeros((1, self.words), np.int64)
        rows[0, [at.WINNER, at.LAST]] = -1
        notes = np.array([[0, self.images.shape[1], NOT_OVER]])
        all_notes, all_counts, all_targets = [notes], [], []
        sizes = [1]
        for marks in range(self.rules.cells + 1):
            rows, notes, counts, targets = self._expand_layer(rows, marks, self.most - sum(sizes))
            all_notes.append(notes)
            all_counts.append(counts)
            all_targets.append((targets + sum(sizes)).astype(np.int32))
            sizes.append(len(notes))
        together = np.concatenate(all_notes)
        return Graph(
            self.rules,
            codes=together[:, kernels.CODE].copy(),
            kinds=together[:, kernels.KIND].astype(np.int8),
            orbits=(self.images.shape[1] // together[:, kernels.FIXING]).astype(np.int32),
            first=np.concatenate([[0], np.cumsum(np.concatenate(all_counts))]),
            targets=np.concatenate(all_targets),
            layers=np.concatenate([[0], np.cumsum(sizes[: self.rules.cells + 1])]),
        )

    def _expand_layer(self, rows: Array, marks: int, most: int) -> tuple[Array, Array, Array, Array]:
        """Returns rows and notes of the next layer, the number of moves of each position of this layer, and their
        targets.

        Raises TooLarge if the next layer has more than `most` positions.
        """
        new = _Layer(self.words)
        counts = np.zeros(len(rows), np.int64)
        room = ROWS_AT_ONCE * self.rules.num_actions
        targets = np.empty(room, np.int64)
        scratch = np.empty(self.rules.num_actions, np.int64)
        parts = []
        for start in range(0, len(rows), ROWS_AT_ONCE):
            end = min(start + ROWS_AT_ONCE, len(rows))
            new.make_room(room)
            new.size = kernels.expand(
                self.facts, self.images, self.bits, rows[start:end], counts[start:end], targets,
                new.rows, new.notes, new.slots, new.size, scratch,
            )  # fmt: skip
            if new.size > most:
                raise TooLarge(f"{self.rules.name} has more than {self.most:,} positions")
            parts.append(targets[: counts[start:end].sum()].copy())
            if self.tick:
                done, after = self.expected[marks], self.expected[marks + 1]
                self.tick(done + (after - done) * end / len(rows))
        return new.rows[: new.size], new.notes[: new.size], counts, np.concatenate([targets[:0], *parts])


class _Layer:
    """A growing layer; its arrays are described in `kernels.graph`."""

    def __init__(self, words: int) -> None:
        self.size = 0
        self.rows = np.empty((0, words), np.int64)
        self.notes = np.empty((0, kernels.NOTE_WORDS), np.int64)
        self.slots = np.zeros(2, np.int64)

    def make_room(self, more: int) -> None:
        needed = self.size + more
        if needed <= len(self.rows):
            return
        room = 2 * needed
        for name in ("rows", "notes"):
            old = getattr(self, name)
            grown = np.empty((room, old.shape[1]), np.int64)
            grown[: self.size] = old[: self.size]
            setattr(self, name, grown)
        self.slots = np.zeros(1 << (2 * room).bit_length(), np.int64)
        kernels.enter_all(self.notes, self.size, self.slots)
