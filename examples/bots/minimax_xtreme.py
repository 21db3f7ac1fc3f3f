"""Minimax with alpha-beta pruning for Xtreme Tic-Tac-Toe (two boards of 3x3 blocks of 3x3 cells).

The same search as in `minimax_extreme.py`; read that first. The differences: moves are (board, row, column), there are
two sets of lists, and moves that win a block are tried first, because pruning works best with good moves first.
"""

import copy
import random
import time


class MinimaxXtreme:
    SECONDS = 24.0  # time limit of the course
    SHARE = 0.8  # of the time limit to use; the rest is a safety margin
    WIN = 100000
    # Worth of a line without opponent's marks, by how many of its three cells are mine.
    LINE = (0, 1, 8, 0)
    BLOCK_POINTS = ((4, 6, 4), (6, 3, 6), (4, 6, 4))
    BLOCK_WON = 10
    BLOCK_LINE = (0, 60, 500, 0)
    LINES = (
        [[(row, col) for col in range(3)] for row in range(3)]
        + [[(row, col) for row in range(3)] for col in range(3)]
        + [[(0, 0), (1, 1), (2, 2)], [(0, 2), (1, 1), (2, 0)]]
    )

    class OutOfTimeError(Exception):
        pass

    def __init__(self):
        self.my_last_move = None

    def move(self, board, old_move, flag):
        self.deadline = time.time() + self.SHARE * getattr(board, "seconds", self.SECONDS)
        self.me, self.other = flag, "o" if flag == "x" else "x"
        self.board = copy.deepcopy(board)
        self.cells, self.blocks = self.board.big_boards_status, self.board.small_boards_status
        self.block_scores = {}
        bonus = old_move == self.my_last_move
        moves = self.board.find_valid_move_cells(old_move)
        random.shuffle(moves)
        best = moves[0]
        for depth in range(1, 163 if len(moves) > 1 else 1):
            try:
                score, best = self.search_root(moves, old_move, bonus, depth)
            except self.OutOfTimeError:
                break
            if abs(score) >= self.WIN:
                break
            moves.remove(best)
            moves.insert(0, best)
        self.my_last_move = best
        return best

    def search_root(self, moves, old_move, bonus, depth):
        best, best_score = moves[0], -2 * self.WIN
        for move in moves:
            score = self.try_move(old_move, move, self.me, bonus, depth, best_score, 2 * self.WIN)
            if score > best_score:
                best, best_score = move, score
        return best_score, best

    def try_move(self, old_move, move, player, bonus, depth, alpha, beta):
        """Returns my score after `player` makes a move; leaves the board unchanged."""
        number, row, col = move
        _, won_block = self.board.update(old_move, move, player)
        if won_block and self.won_game(number, player):
            score = self.WIN + depth if player == self.me else -self.WIN - depth
        elif depth <= 1:
            score = self.evaluate()
        else:
            again = won_block and not bonus
            score = self.search(move, player if again else self.opponent(player), again, depth - 1, alpha, beta)
        self.cells[number][row][col] = "-"
        self.blocks[number][row // 3][col // 3] = "-"
        return score

    def search(self, old_move, player, bonus, depth, alpha, beta):
        if time.time() > self.deadline:
            raise self.OutOfTimeError
        moves = self.board.find_valid_move_cells(old_move)
        if not moves:
            return self.evaluate()
        moves.sort(key=lambda move: not self.wins_block(move, player))
        for move in moves:
            score = self.try_move(old_move, move, player, bonus, depth, alpha, beta)
            if player == self.me:
                alpha = max(alpha, score)
            else:
                beta = min(beta, score)
            if alpha >= beta:
                break
        return alpha if player == self.me else beta

    def opponent(self, player):
        return self.other if player == self.me else self.me

    def wins_block(self, move, player):
        number, row, col = move
        top, left = row - row % 3, col - col % 3
        cells = self.cells[number]
        for line in self.LINES:
            places = [(top + r, left + c) for r, c in line]
            if (row, col) in places and all(cells[r][c] == player for r, c in places if (r, c) != (row, col)):
                return True
        return False

    def won_game(self, number, player):
        blocks = self.blocks[number]
        return any(all(blocks[r][c] == player for r, c in line) for line in self.LINES)

    def evaluate(self):
        """Returns how good the boards are for me: blocks, lines of blocks, and lines of cells in open blocks."""
        score = 0
        for number, blocks in enumerate(self.blocks):
            for line in self.LINES:
                score += self.line_score([blocks[r][c] for r, c in line], self.BLOCK_LINE)
            for r in range(3):
                for c in range(3):
                    owner, points = blocks[r][c], self.BLOCK_POINTS[r][c]
                    if owner == self.me:
                        score += self.BLOCK_WON * points
                    elif owner == self.other:
                        score -= self.BLOCK_WON * points
                    elif owner == "-":
                        score += self.block_score(self.cells[number], 3 * r, 3 * c)
        return score

    def block_score(self, cells, top, left):
        """Returns the same for one open block; cached, because the same block comes up often."""
        key = "".join("".join(cells[top + r][left : left + 3]) for r in range(3))
        if key not in self.block_scores:
            self.block_scores[key] = sum(
                self.line_score([key[3 * r + c] for r, c in line], self.LINE) for line in self.LINES
            )
        return self.block_scores[key]

    def line_score(self, marks, worth):
        mine, others = marks.count(self.me), marks.count(self.other)
        if "d" in marks or (mine and others):
            return 0
        return worth[mine] - worth[others]
