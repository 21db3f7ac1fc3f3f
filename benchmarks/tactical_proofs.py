"""Proofs for tactical positions: that a position is lost, which moves win, which one move saves."""

from __future__ import annotations

import noughts
from noughts.search import Engine, Limits, SearchInfo

MOST_SOLUTIONS = 3
PATIENCE = 100_000
"""A position is no save if after so many nodes a second move is still not proven to lose."""
RECALL = 500_000
"""Nodes to find a proof again that the memory holds most of."""


class Prover:
    """A deep search that remembers from one position of a game to the next, and fresh ones that never do.

    walk_nodes limits the search that proves a position lost, deep_nodes those for the moves that win or save, and
    shallow_nodes the one that a position worth keeping must fool. All limits are nodes, so that the same calls give
    the same answers on every machine.
    """

    def __init__(self, game: noughts.Game, *, walk_nodes: int, deep_nodes: int, shallow_nodes: int) -> None:
        self.game = game
        self.walk_nodes, self.deep_nodes, self.shallow_nodes = walk_nodes, deep_nodes, shallow_nodes
        self._deep = Engine(game, memory=256)
        self._fresh = Engine(game)
        self._shallow = Engine(game, memory=4)  # little to clear, for it is cleared thousands of times

    def new_game(self) -> None:
        """Another game begins."""
        self._deep.new_game()

    def shallow_move(self, state: noughts.State) -> int:
        self._shallow.new_game()
        return self._shallow.search(state, Limits(nodes=self.shallow_nodes)).best.action

    def is_lost(self, state: noughts.State) -> bool:
        """Whether all moves of the player to move are proven to lose."""
        return self._deep.search(state, Limits(nodes=self.walk_nodes)).best.proven == -1

    def known_win(self, state: noughts.State) -> tuple[int, int] | None:
        """A move proven to win, and within how many moves it does, where that is remembered or soon found."""
        best = self._deep.search(state, Limits(nodes=RECALL)).best
        return (best.action, best.distance) if best.proven == 1 else None

    def winning_moves(self, state: noughts.State, unwanted: int) -> dict[int, int]:
        """Moves proven to win, each with the number of moves within which it does.

        Stops at one more than MOST_SOLUTIONS, or if the unwanted move is among them. Of the other moves no win was
        proven by this search; they may win.
        """
        proven: dict[int, int] = {}

        def note(info: SearchInfo) -> None:
            for variation in info.variations:
                if variation.proven == 1:
                    proven[variation.action] = min(variation.distance, proven.get(variation.action, variation.distance))
            if len(proven) > MOST_SOLUTIONS or unwanted in proven:
                self._deep.stop()

        self._deep.search(state, Limits(nodes=self.deep_nodes), multi_pv=MOST_SOLUTIONS + 1, on_info=note)
        return proven

    def saving_move(self, state: noughts.State, unwanted: int) -> tuple[int, int] | None:
        """The only move that this search did not prove to lose, and within how many moves all others do.

        None if there is none, or if it is the unwanted move.
        """
        limit = self.deep_nodes
        found: list[tuple[int, int]] = []

        def note(info: SearchInfo) -> None:
            best, second = info.variations[:2]
            if info.nodes >= limit:
                return
            found[:] = [(best.action, second.distance)] if best.proven == 0 and second.proven == -1 else []
            if best.proven == 1 or (best.action == unwanted if found else info.nodes > PATIENCE):
                found.clear()
                self._deep.stop()

        latest = self._deep.search(state, Limits(nodes=limit), multi_pv=2, on_info=note)
        return found[0] if found and latest.best.proven == 0 and latest.best.action == found[0][0] else None

    def nodes_from_nothing(self, state: noughts.State) -> int | None:
        """What a search without any memory needs to prove the win; None if that is more than the deep limit."""
        self._fresh.new_game()
        info = self._fresh.search(state, Limits(nodes=self.deep_nodes))
        return info.nodes if info.best.proven == 1 else None

    def holds_for_certain(self, state: noughts.State, move: int) -> bool:
        """Whether a search without any memory, to the end of every line, finds that a saving move does not lose."""
        self._fresh.new_game()
        info = self._fresh.search(state, Limits(nodes=self.deep_nodes))
        return info.exact and info.best.action == move and info.best.proven >= 0
