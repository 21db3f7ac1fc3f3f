"""A reader who knows a game by its prompt alone: the text is taken apart, and the game is played by what it says.

Nothing here imports the rules. Where the text is wrong or unclear, this plays another game than the kernel.
"""

import re
from itertools import product


class ReadGame:
    """The game that a prompt for Player 0 describes."""

    def __init__(self, text):
        self.text = text
        self.side = int(re.search(r"The board is (\d) x \1;", text)[1])
        self.cells = self.side**2
        both = re.search(r"On each turn you may place (?:either )?([^.]*), and so may your opponent\.", text)
        if both:
            self.places = [_marks(both[1])] * 2
        else:
            own = re.search(r"You place ([^;]*); your opponent places ([^.]*)\.", text)
            self.places = [_marks(own[1]), _marks(own[2])]
        self.once = "can be used once" in text
        self.worth = {mark: int(number) for mark, number in re.findall(r"(\w) counts as (\d+)", text)}
        self.loses = "loses at once" in text
        total = re.search(r"add up to exactly (\d+)", text)
        self.total = int(total[1]) if total else None
        self.own = "Whoever has their own mark in all cells of a line" in text
        self.stops = "if the player to move has no" in text
        self.lines = self._lines()
        assert len(self.lines) == int(re.search(r"no others \((\d+) in all", text)[1])

    def _lines(self):
        body = re.search(r"'\.' is not\):\n(.*?)\nWhoever", self.text, re.DOTALL)[1]
        found = set()
        for part in re.split(r"^- ", body, flags=re.MULTILINE)[1:]:
            head, *picture = part.rstrip("\n").split("\n")
            if "anywhere on the board" in head:
                rows = [row.split() for row in picture]
                cells = {(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#"}
                placed = self._everywhere(cells, "in any rotation or reflection" in head)
                assert len(placed) == int(re.search(r"(\d+) lines", head)[1])
                assert _line(re.search(r"for example ([\d-]+)", head)[1]) in placed
                found |= placed
            else:
                listed = {_line(one) for one in head.partition("the cells ")[2].split("; ")}
                assert not found & listed
                found |= listed
        return found

    def _everywhere(self, cells, turns):
        forms = [cells]
        if turns:
            for flip, count in product((1, -1), range(4)):
                now = {(r, flip * c) for r, c in cells}
                for _ in range(count):
                    now = {(c, -r) for r, c in now}
                forms.append(now)
        placed = set()
        for form in forms:
            for down, right in product(range(-self.side, self.side + 1), repeat=2):
                moved = [(r + down, c + right) for r, c in form]
                if all(0 <= r < self.side and 0 <= c < self.side for r, c in moved):
                    placed.add(frozenset(r * self.side + c for r, c in moved))
        return placed

    def start(self):
        return {}, 0

    def moves(self, board, player):
        """The (cell, mark) that may be played."""
        free = [cell for cell in range(self.cells) if cell not in board]
        marks = [mark for mark in self.places[player] if not self.once or mark not in board.values()]
        return {(cell, mark) for cell in free for mark in marks}

    def winner(self, board, player):
        """Who has won after a move of `player`, or None."""
        made = any(self._counts(board, line, player) for line in self.lines)
        return None if not made else 1 - player if self.loses else player

    def _counts(self, board, line, player):
        if any(cell not in board for cell in line):
            return False
        marks = [board[cell] for cell in line]
        if self.total is not None:
            return sum(self.worth.get(mark) or int(mark) for mark in marks) == self.total
        if self.own:
            return set(marks) == {self.places[player][0]}
        return len(set(marks)) == 1


def _marks(text):
    return re.findall(r"\b\w\b", text.replace(" or ", " "))


def _line(text):
    return frozenset(map(int, text.split("-")))
