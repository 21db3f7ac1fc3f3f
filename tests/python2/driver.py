"""Asks bots for their moves, in Python 2 and in Python 3 alike: driver.py OUT.json POSITIONS.json BOT.py...

A position is the list of moves that led to it. One bot plays all positions of a game, on one board of its own: a plain
board of `extreme` that is there for its lists and for the cells that are allowed.
"""

import json
import sys

LINES = (
    [[4 * row + i for i in range(4)] for row in range(4)]
    + [[4 * i + col for i in range(4)] for col in range(4)]
    + [[cell - 4, cell - 1, cell + 1, cell + 4] for cell in (5, 6, 9, 10)]
)


class Board:
    def __init__(self):
        self.board_status = [["-"] * 16 for _ in range(16)]
        self.block_status = [["-"] * 4 for _ in range(4)]

    def find_valid_move_cells(self, old_move):
        row, col = old_move[0] % 4, old_move[1] % 4
        if old_move[0] >= 0 and self.block_status[row][col] == "-":
            blocks = [(row, col)]
        else:
            blocks = [(r, c) for r in range(4) for c in range(4) if self.block_status[r][c] == "-"]
        return [
            (r, c)
            for r in range(16)
            for c in range(16)
            if (r // 4, c // 4) in blocks and self.board_status[r][c] == "-"
        ]

    def update(self, old_move, new_move, ply):
        row, col = new_move
        self.board_status[row][col] = ply
        top, left = row - row % 4, col - col % 4
        block = [self.board_status[top + i // 4][left + i % 4] for i in range(16)]
        if any(all(block[i] == ply for i in line) for line in LINES):
            self.block_status[row // 4][col // 4] = ply
            return "SUCCESSFUL", True
        if "-" not in block:
            self.block_status[row // 4][col // 4] = "d"
        return "SUCCESSFUL", False

    def find_terminal_state(self):
        blocks = [self.block_status[i // 4][i % 4] for i in range(16)]
        for line in LINES:
            if blocks[line[0]] in ("x", "o") and all(blocks[i] == blocks[line[0]] for i in line):
                return blocks[line[0]], "WON"
        return ("CONTINUE", "-") if "-" in blocks else ("NONE", "DRAW")


def moves_of(bot, games):
    answers = []
    for game in games:
        board, last = Board(), (-1, -1)
        player = bot()
        for turn, (mark, row, col) in enumerate(game):
            if turn % 3 == 0:
                answers.append(list(player.move(board, last, mark)))
            board.board_status[row][col] = mark
            last = (row, col)
    return answers


def answers_of(path, games):
    """The moves of the bot in a file, or a text that says how it crashed."""
    try:
        space = {"__name__": "bot"}
        with open(path) as source:
            exec(compile(source.read(), "bot.py", "exec"), space)
        return moves_of(space["Team"], games)
    except Exception as error:
        return type(error).__name__ + ": " + str(error)


if __name__ == "__main__":
    with open(sys.argv[2]) as positions:
        games = json.load(positions)
    marks = {"x": "x", "o": "o"}  # the evaluators' marks are literals
    games = [[(marks[mark], row, col) for mark, row, col in game] for game in games]
    sys.stdout = sys.stderr  # bots print
    answers = [answers_of(path, games) for path in sys.argv[3:]]
    with open(sys.argv[1], "w") as out:
        json.dump(answers, out)
