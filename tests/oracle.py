"""The rules once more, slowly and in another way, to check the kernel against. Shares no code with the package.

Boards are dictionaries from places to marks; everything is looked up by scanning. A move is what the players
would say: (mark, cell) on one small board, (board, row, column) on nested ones.
"""

from copy import deepcopy
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


class SmallOracle:
    """classic, misere, wild, wild-misere, numerical."""

    def __init__(self, name):
        self.name = name
        self.board = {}
        self.turn = 0
        self.result = None  # (reason, winner)

    def marks(self):
        if self.name.startswith("wild"):
            return ["X", "O"]
        if self.name == "numerical":
            numbers = [1, 3, 5, 7, 9] if self.turn == 0 else [2, 4, 6, 8]
            return [n for n in numbers if n not in self.board.values()]
        return ["XO"[self.turn]]

    def moves(self):
        if self.result:
            return []
        return [(m, cell) for cell in range(9) if divmod(cell, 3) not in self.board for m in self.marks()]

    def play(self, move):
        mark, cell = move
        self.board[divmod(cell, 3)] = mark
        mover, self.turn = self.turn, 1 - self.turn
        for line in THREE:
            there = [self.board.get(place) for place in line]
            if None in there:
                continue
            good = sum(there) == 15 if self.name == "numerical" else there[0] == there[1] == there[2]
            if good:
                self.result = ("line", 1 - mover if "misere" in self.name else mover)
                return
        if len(self.board) == 9:
            self.result = ("full", None)

    def number(self, move):
        mark, cell = move
        if self.name.startswith("wild"):
            return cell * 2 + "XO".index(mark)
        if self.name == "numerical":
            return cell * 9 + mark - 1
        return cell

    def points(self):
        _, winner = self.result
        return (0, 0) if winner is None else ((1, -1) if winner == 0 else (-1, 1))


class NestedOracle:
    """ultimate, xtreme, extreme."""

    def __init__(self, name):
        self.name = name
        self.side = 4 if name == "extreme" else 3
        self.lines = FOUR if name == "extreme" else THREE
        self.boards = 2 if name == "xtreme" else 1
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
        everywhere = product(range(self.boards), range(self.side), range(self.side))
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
            self.result = ("line", player)
        elif not self.open_blocks():
            owned = list(self.blocks.values())
            ahead = owned.count(0) - owned.count(1)
            by_boards = self.name == "ultimate-boards" and ahead != 0
            self.result = ("full", int(ahead < 0) if by_boards else None)
        elif won and not self.bonus and not self.name.startswith("ultimate"):
            self.bonus = True
        else:
            self.bonus = False
            self.turn = 1 - player

    def number(self, move):
        board, row, col = move
        return board * self.side**4 + row * self.side**2 + col

    def points(self):
        reason, winner = self.result
        if reason == "line":
            full, none = {"ultimate": (1, -1), "ultimate-boards": (10, 0), "xtreme": (86, 0), "extreme": (68, 0)}[
                self.name
            ]
            return (full, none) if winner == 0 else (none, full)
        totals = [0, 0]
        corner, edge, centre = {
            "ultimate": (0, 0, 0),
            "ultimate-boards": (1, 1, 1),
            "xtreme": (4, 6, 3),
            "extreme": (6, 4, 3),
        }[self.name]
        for (_, r, c), owner in self.blocks.items():
            if owner != "drawn":
                borders = (r in (0, self.side - 1)) + (c in (0, self.side - 1))
                totals[owner] += [centre, edge, corner][borders]
        return tuple(totals)


def new_oracle(name):
    return NestedOracle(name) if name in ("ultimate", "ultimate-boards", "xtreme", "extreme") else SmallOracle(name)


def oracle_perft(oracle, depth):
    if depth == 0:
        return 1
    total = 0
    for move in oracle.moves():
        after = deepcopy(oracle)
        after.play(move)
        total += oracle_perft(after, depth - 1)
    return total
