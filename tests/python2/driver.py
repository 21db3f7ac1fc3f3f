"""Asks a bot for its moves, in Python 2 and in Python 3 alike: driver.py BOT.py POSITIONS.json prints a list of moves.

A position is the list of moves that led to it. One bot plays all positions of a game, on one board of its own: a plain
board of `extreme` that is there for its lists and for the cells that are allowed.
"""

import json
import sys


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


if __name__ == "__main__":
    space = {"__name__": "bot"}
    with open(sys.argv[1]) as source:
        exec(compile(source.read(), "bot.py", "exec"), space)
    with open(sys.argv[2]) as positions:
        games = json.load(positions)
    marks = {"x": "x", "o": "o"}  # the evaluators' marks are literals
    games = [[(marks[mark], row, col) for mark, row, col in game] for game in games]
    out = sys.stdout
    sys.stdout = sys.stderr  # bots print
    answers = moves_of(space["Team"], games)
    out.write(json.dumps(answers) + "\n")
