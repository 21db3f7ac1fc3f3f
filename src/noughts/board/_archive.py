"""Stores recorded games compactly for a page: shared facts and sentences are stored once, and a position is a few
numbers.

A league of 30 bots is 870 games of about 100 moves. As full positions they would take 150 MB; here a move takes about
twelve bytes. `frames.js` rebuilds the positions without computing rules: every change is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from noughts.board._view import cells_text, open_blocks, owners_text, shape, status_text
from noughts.document import Json
from noughts.game import Game, State
from noughts.rules.view import View


class Archive:
    """Recorded games of one game, with the tables that they share.

    >>> import noughts
    >>> archive = Archive(noughts.load_game("classic"))
    >>> archive.add([4, 0, 2])["cells"]
    [4, 0, 2]
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._texts: dict[str, int] = {}
        self._sets: dict[tuple[int, ...], int] = {}
        self._situations: dict[tuple[int | None, int, int, int], int] = {}

    def add(self, moves: Sequence[int], start: State | None = None) -> Json:
        """Adds a game, given by its actions from the start or a position. Returns the data to store beside the tables.

        cells: where each mark went. marks: the kinds of marks; absent if the player determines them. by: the player of
        each move, as a digit. codes: the number in the table of each position's situation. owners: [position, block,
        owner] for each closed block. lines, winner, points: at the end. begin: cells and owners of an unusual start.
        """
        state = self._game.new_initial_state() if start is None else start.clone()
        rules = self._game.rules
        view = state.view()
        owners = owners_text(view)
        data: Json = {"cells": [], "by": "", "codes": [self._situation(view)], "owners": []}
        if start is not None:
            data["begin"] = {"cells": cells_text(view), "owners": owners, "last": view.last}
        marks = ""
        for ply, action in enumerate(moves, 1):
            data["by"] += str(state.current_player())
            state.apply_action(action)
            view = state.view()
            assert view.last is not None
            data["cells"].append(view.last)
            marks += rules.marks[view.cells[view.last]]
            data["codes"].append(self._situation(view))
            now = owners_text(view)
            data["owners"] += [[ply, block, now[block]] for block in range(len(now)) if now[block] != owners[block]]
            owners = now
        if not rules.own_marks:
            data["marks"] = marks
        if view.over:
            data |= {"lines": [list(line) for line in view.lines], "winner": view.winner}
            data["points"] = list(view.points or ())
        return data

    def tables(self) -> Json:
        """Returns the tables that all added games share. situations: [player, whether it is a bonus move, set of open
        blocks, text]."""
        return {
            "shape": shape(self._game.rules),
            "texts": list(self._texts),
            "sets": [list(blocks) for blocks in self._sets],
            "situations": [list(one) for one in self._situations],
        }

    def _situation(self, view: View) -> int:
        text = self._texts.setdefault(status_text(view), len(self._texts))
        blocks = self._sets.setdefault(tuple(open_blocks(view)), len(self._sets))
        one = (None if view.over else view.player, int(view.bonus), blocks, text)
        return self._situations.setdefault(one, len(self._situations))


def recorded(game: Game, moves: Iterable[int], start: State | None = None) -> Json:
    """Returns one game with its own tables, as `frames.js` reads it."""
    archive = Archive(game)
    data = archive.add(list(moves), start)
    return archive.tables() | data
