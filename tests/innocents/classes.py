"""Has classes, closures, generators and a table in its own class."""


class Bot:
    def move(self, board, old_move, flag):
        node = self.Node(old_move)
        node.children = [self.Node(move) for move in board.find_valid_move_cells(old_move)]
        return max(node.children, key=lambda child: self.WEIGHTS[child.move[0] % 3]).move

    WEIGHTS = {0: 3, 1: 2, 2: 1}

    class Node:
        __slots__ = ("children", "move")

        def __init__(self, move):
            self.move = move
            self.children = []
