"""Proves facts about tactical positions: that one is lost, which moves win, which single move saves."""

from __future__ import annotations

import noughts
from noughts.search import Engine, Limits, SearchInfo

MOST_SOLUTIONS = 3
PATIENCE = 100_000
"""Nodes after which a position is no save if a second move is still not proven to lose."""
RECALL = 500_000
"""Nodes to repeat a proof that the table mostly holds."""


class Prover:
    """A deep search that keeps its table within a game, and fresh searches that start with an empty one.

    walk_nodes: limit of the search that proves a position lost. deep_nodes: limit for moves that win or save.
    shallow_nodes: limit of the search that must miss the solution. Limits are nodes, so that results are the same on
    every machine.
    """

    def __init__(self, game: noughts.Game, *, walk_nodes: int, deep_nodes: int, shallow_nodes: int) -> None:
        self.game = game
        self.walk_nodes, self.deep_nodes, self.shallow_nodes = walk_nodes, deep_nodes, shallow_nodes
        self._deep = Engine(game, memory=256)
        self._fresh = Engine(game)
        self._shallow = Engine(game, memory=4)  # little to clear, for it is cleared thousands of times

    def new_game(self) -> None:
        """Starts another game."""
        self._deep.new_game()

    def shallow_move(self, state: noughts.State) -> int:
        self._shallow.new_game()
        return self._shallow.search(state, Limits(nodes=self.shallow_nodes)).best.action

    def is_lost(self, state: noughts.State) -> bool:
        """Returns whether all moves of the player to move are proven to lose."""
        return self._deep.search(state, Limits(nodes=self.walk_nodes)).best.proven == -1

    def known_win(self, state: noughts.State) -> tuple[int, int] | None:
        """Returns a move proven to win, with the number of moves to the win, if it is known or found soon."""
        best = self._deep.search(state, Limits(nodes=RECALL)).best
        return (best.action, best.distance) if best.proven == 1 else None

    def winning_moves(self, state: noughts.State, unwanted: int) -> dict[int, int]:
        """Returns moves proven to win, each with the number of moves to the win.

        Stops at one more than MOST_SOLUTIONS, or if the unwanted move is among them. Other moves may win, too, but this
        search did not prove it.
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
        """Returns the only move that this search did not prove to lose, and in how many moves all others lose.

        None if there is no such move, or if it is the unwanted move.
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
        """Returns the nodes that a search without a table needs to prove the win; None above the deep limit."""
        self._fresh.new_game()
        info = self._fresh.search(state, Limits(nodes=self.deep_nodes))
        return info.nodes if info.best.proven == 1 else None

    def holds_for_certain(self, state: noughts.State, move: int) -> bool:
        """Returns whether a search without a table, to the end of the game, finds that a saving move does not lose."""
        self._fresh.new_game()
        info = self._fresh.search(state, Limits(nodes=self.deep_nodes))
        return info.exact and info.best.action == move and info.best.proven >= 0
