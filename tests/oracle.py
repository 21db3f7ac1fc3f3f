"""The rules once more, slowly and in another way, to check the kernel against. Shares no code with the package.

An oracle reads the facts of a record, and finds what they mean by itself. Boards are dictionaries from places to marks;
everything is looked up by scanning. A move is what the players would say: (mark, cell) on one small board, (board, row,
column) on nested ones.
"""

from copy import copy
from itertools import product

THREE = [[(r, c) for c in range(3)] for r in range(3)]
THREE += [[(r, c) for r in range(3)] for c in range(3)]
THREE += [[(0, 0), (1, 1), (2, 2)], [(0, 2), (1, 1), (2, 0)]]
FOUR = [[(r, c) for c in range(4)] for r in range(4)]
FOUR += [[(r, c) for r in range(4)] for c in range(4)]
FOUR += [
    [(1, 0), (0, 1), (2, 1), (1, 2)],
    [(1, 1), (0, 2), (2, 2), (1, 3)],
    [(2, 0), (1, 1), (3, 1), (2, 2)],
    [(2, 1), (1, 2), (3, 2), (2, 3)],
]


FLAT = {"nested": False, "win_points": (1, -1), "line_sum": None}
ALIKE = {"classic": ("X", "O"), "misere": ("X", "O"), "wild": ("XO", "XO"), "wild-misere": ("XO", "XO")}
NESTED = {"nested": True, "boards": 1, "bonus": False, "majority": False, "misere": False, "places": ("X", "O")}
RULES = {
    **{name: FLAT | {"places": places, "misere": "misere" in name} for name, places in ALIKE.items()},
    "numerical": FLAT | {"places": ("13579", "2468"), "once": True, "line_sum": 15, "misere": False},
    "ultimate": NESTED | {"win_points": (1, -1)},
    "ultimate-boards": NESTED | {"win_points": (10, 0), "majority": True},
    "xtreme": NESTED | {"win_points": (86, 0), "boards": 2, "bonus": True},
    "extreme": NESTED | {"win_points": (68, 0), "bonus": True},
}
"""What the games are, written down here again: an oracle reads the facts of a record, which may be wrong."""
LINES = {name: FOUR if name == "extreme" else THREE for name in RULES}
CORNER_EDGE_CENTRE = {"ultimate-boards": (1, 1, 1), "xtreme": (4, 6, 3), "extreme": (6, 4, 3)}


def point_table(name, side):
    """Returns the points of each block of a board."""
    if name not in CORNER_EDGE_CENTRE:
        return None
    corner, edge, centre = CORNER_EDGE_CENTRE[name]
    borders = [(r in (0, side - 1)) + (c in (0, side - 1)) for r, c in product(range(side), range(side))]
    return tuple([centre, edge, corner][count] for count in borders)


def lines_of(rules):
    return [[divmod(cell, rules.side) for cell in line] for line in rules.lines]


class FlatOracle:
    """One board. A mark is the letter or digit that stands on the board."""

    def __init__(self, rules):
        self.rules = rules
        self.lines = lines_of(rules)
        self.board = {}
        self.turn = 0
        self.result = None  # (reason, winner)

    def marks(self):
        used = self.board.values() if self.rules.once else []
        return [mark for mark in self.rules.places[self.turn] if mark not in used]

    def moves(self):
        if self.result:
            return []
        side = self.rules.side
        empty = [cell for cell in range(side * side) if divmod(cell, side) not in self.board]
        return [(mark, cell) for cell in empty for mark in self.marks()]

    def play(self, move):
        mark, cell = move
        self.board[divmod(cell, self.rules.side)] = mark
        mover, self.turn = self.turn, 1 - self.turn
        for line in self.lines:
            there = [self.board.get(place) for place in line]
            if None in there:
                continue
            worth = sum(self.rules.marks.index(one) + 1 for one in there)
            if len(set(there)) == 1 if self.rules.line_sum is None else worth == self.rules.line_sum:
                self.result = ("line", 1 - mover if self.rules.misere else mover)
                return
        if len(self.board) == self.rules.side**2:
            self.result = ("full", None)
        elif not self.marks():
            self.result = ("no_moves", None)

    def number(self, move):
        mark, cell = move
        one_each = all(len(own) == 1 for own in self.rules.places)
        return cell if one_each else cell * len(self.rules.marks) + self.rules.marks.index(mark)

    def points(self):
        _, winner = self.result
        full, none = self.rules.win_points
        return (0, 0) if winner is None else ((full, none) if winner == 0 else (none, full))


class NestedOracle:
    """Boards of blocks."""

    def __init__(self, rules):
        self.rules = rules
        self.side = rules.side
        self.lines = lines_of(rules)
        self.cells = {}  # (board, row, col) -> player
        self.blocks = {}  # (board, block row, block col) -> player or "drawn"
        self.turn = 0
        self.previous = None
        self.bonus = False
        self.result = None

    def block_cells(self, block):
        board, big_row, big_col = block
        n = self.side
        return [(board, big_row * n + r, big_col * n + c) for r, c in product(range(n), range(n))]

    def open_blocks(self):
        everywhere = product(range(self.rules.boards), range(self.side), range(self.side))
        return [block for block in everywhere if block not in self.blocks]

    def moves(self):
        if self.result:
            return []
        candidates = self.open_blocks()
        if self.previous:
            _, row, col = self.previous
            where = (row % self.side, col % self.side)
            destined = [block for block in candidates if block[1:] == where]
            candidates = destined or candidates
        return sorted(cell for block in candidates for cell in self.block_cells(block) if cell not in self.cells)

    def play(self, move):
        board, row, col = move
        player = self.turn
        self.cells[move] = player
        self.previous = move
        n = self.side
        block = (board, row // n, col // n)
        mine = {(r % n, c % n) for b, r, c in self.block_cells(block) if self.cells.get((b, r, c)) == player}
        won = any(set(line) <= mine for line in self.lines)
        if won:
            self.blocks[block] = player
        elif all(cell in self.cells for cell in self.block_cells(block)):
            self.blocks[block] = "drawn"
        owned = {key[1:] for key, owner in self.blocks.items() if owner == player and key[0] == board}
        if any(set(line) <= owned for line in self.lines):
            self.result = ("line", 1 - player if self.rules.misere else player)
        elif not self.open_blocks():
            first, second = self.owned_points()
            self.result = ("full", int(second > first) if self.rules.majority and first != second else None)
        elif won and not self.bonus and self.rules.bonus:
            self.bonus = True
        else:
            self.bonus = False
            self.turn = 1 - player

    def number(self, move):
        board, row, col = move
        return board * self.side**4 + row * self.side**2 + col

    def owned_points(self):
        totals = [0, 0]
        for (_, row, col), owner in self.blocks.items():
            if owner != "drawn" and self.rules.block_points:
                totals[owner] += self.rules.block_points[row * self.side + col]
        return tuple(totals)

    def points(self):
        reason, winner = self.result
        if reason == "line":
            full, none = self.rules.win_points
            return (full, none) if winner == 0 else (none, full)
        return self.owned_points()


def new_oracle(rules):
    return NestedOracle(rules) if rules.nested else FlatOracle(rules)


def copied(oracle):
    after = copy(oracle)
    for name, value in vars(oracle).items():
        if isinstance(value, dict):
            setattr(after, name, dict(value))
    return after


def oracle_perft(oracle, depth):
    if depth == 0:
        return 1
    total = 0
    for move in oracle.moves():
        after = copied(oracle)
        after.play(move)
        total += oracle_perft(after, depth - 1)
    return total
