"""Minimax with alpha-beta pruning for Extreme Tic-Tac-Toe (4x4 blocks of 4x4 cells).

It searches deeper and deeper until its time is up, and plays the best move of the last finished depth. Note that:

- Each move makes one copy of the board. The search changes the copy in place and takes every move back.
- A player who wins a block moves again, once, so the next node may belong to the same player. `search` takes the
  player to move, and maximises for me and minimises for the opponent instead of flipping signs.
- The board does not mention a bonus move, but the bot can tell: the last move on the board is its own.
"""

import copy
import random
import time


class MinimaxExtreme:
    SECONDS = 16.0  # time limit of the course
    SHARE = 0.8  # of the time limit to use; the rest is a safety margin
    WIN = 100000
    # Worth of a line without opponent's marks, by how many of its four cells are mine.
    LINE = (0, 1, 6, 30, 0)
    BLOCK_POINTS = ((6, 4, 4, 6), (4, 3, 3, 4), (4, 3, 3, 4), (6, 4, 4, 6))
    BLOCK_WON = 20
    BLOCK_LINE = (0, 60, 300, 1500, 0)
    LINES = (
        [[(row, col) for col in range(4)] for row in range(4)]
        + [[(row, col) for row in range(4)] for col in range(4)]
        + [[(r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)] for r in (1, 2) for c in (1, 2)]
    )

    class OutOfTimeError(Exception):
        pass

    def __init__(self):
        self.my_last_move = None

    def move(self, board, old_move, flag):
        self.deadline = time.time() + self.SHARE * getattr(board, "seconds", self.SECONDS)
        self.me, self.other = flag, "o" if flag == "x" else "x"
        self.board = copy.deepcopy(board)
        self.cells, self.blocks = self.board.board_status, self.board.block_status
        self.block_scores = {}
        bonus = old_move == self.my_last_move
        moves = self.board.find_valid_move_cells(old_move)
        random.shuffle(moves)
        best = moves[0]
        for depth in range(1, 257 if len(moves) > 1 else 1):
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
        row, col = move
        block = row // 4, col // 4
        _, won_block = self.board.update(old_move, move, player)
        if won_block and self.won_game(player):
            score = self.WIN + depth if player == self.me else -self.WIN - depth
        elif depth <= 1:
            score = self.evaluate()
        else:
            again = won_block and not bonus
            score = self.search(move, player if again else self.opponent(player), again, depth - 1, alpha, beta)
        self.cells[row][col] = "-"
        self.blocks[block[0]][block[1]] = "-"
        return score

    def search(self, old_move, player, bonus, depth, alpha, beta):
        if time.time() > self.deadline:
            raise self.OutOfTimeError
        moves = self.board.find_valid_move_cells(old_move)
        if not moves:
            return self.evaluate()
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

    def won_game(self, player):
        return any(all(self.blocks[r][c] == player for r, c in line) for line in self.LINES)

    def evaluate(self):
        """Returns how good the board is for me: blocks, lines of blocks, and lines of cells in open blocks."""
        score = 0
        for line in self.LINES:
            score += self.line_score([self.blocks[r][c] for r, c in line], self.BLOCK_LINE)
        for r in range(4):
            for c in range(4):
                owner, points = self.blocks[r][c], self.BLOCK_POINTS[r][c]
                if owner == self.me:
                    score += self.BLOCK_WON * points
                elif owner == self.other:
                    score -= self.BLOCK_WON * points
                elif owner == "-":
                    score += self.block_score(4 * r, 4 * c)
        return score

    def block_score(self, top, left):
        """Returns the same for one open block; cached, because the same block comes up often."""
        key = "".join("".join(self.cells[top + r][left : left + 4]) for r in range(4))
        if key not in self.block_scores:
            self.block_scores[key] = sum(
                self.line_score([key[4 * r + c] for r, c in line], self.LINE) for line in self.LINES
            )
        return self.block_scores[key]

    def line_score(self, marks, worth):
        mine, others = marks.count(self.me), marks.count(self.other)
        if "d" in marks or (mine and others):
            return 0
        return worth[mine] - worth[others]
