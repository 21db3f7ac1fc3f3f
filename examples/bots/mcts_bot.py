"""Monte Carlo tree search (UCT). Works in every nested game: it uses only what the board offers.

It repeats four steps until the time is up:

1. select: from the root, follow the child with the best upper confidence bound while all children have been tried;
2. expand: add one move that has not been tried;
3. simulate: play random moves to the end;
4. back up: count the result at every node on the path.

A node is a dictionary. It counts the wins of the player who made the move into it, so bonus moves need no special
case: the player to move chooses among children that all count their own wins.
"""

import copy
import math
import random
import time


class MctsBot:
    SECONDS = 16.0  # time limit of the course, the shorter of the two
    SHARE = 0.8  # of the time limit to use; the rest is a safety margin
    EXPLORATION = 1.0

    def __init__(self):
        self.my_last_move = None

    def move(self, board, old_move, flag):
        deadline = time.time() + self.SHARE * getattr(board, "seconds", self.SECONDS)
        root = self.node(None, self.opponent(flag))
        position = {"last": old_move, "player": flag, "bonus": old_move == self.my_last_move}
        while time.time() < deadline:
            self.play_one_game(root, copy.deepcopy(board), dict(position))
        if root["children"]:
            best = max(root["children"], key=lambda child: child["visits"])["move"]
        else:
            best = random.choice(board.find_valid_move_cells(old_move))
        self.my_last_move = best
        return best

    def play_one_game(self, root, board, position):
        node, path = root, [root]
        # 1. Select.
        while node["untried"] == [] and node["children"]:
            parent = node
            node = max(parent["children"], key=lambda child: self.upper_bound(parent, child))
            path.append(node)
            self.play(board, position, node["move"])
        # 2. Expand.
        if node["untried"] is None:
            over = board.find_terminal_state()[0] != "CONTINUE"
            node["untried"] = [] if over else board.find_valid_move_cells(position["last"])
            random.shuffle(node["untried"])
        if node["untried"]:
            move = node["untried"].pop()
            child = self.node(move, position["player"])
            node["children"].append(child)
            path.append(child)
            self.play(board, position, move)
        # 3. Simulate.
        while board.find_terminal_state()[0] == "CONTINUE":
            self.play(board, position, random.choice(board.find_valid_move_cells(position["last"])))
        # 4. Back up.
        winner = board.find_terminal_state()[0]
        for node in path:
            node["visits"] += 1
            node["wins"] += 1 if node["player"] == winner else 0.5 if winner == "NONE" else 0

    def play(self, board, position, move):
        """Make a move and record who is next: the same player after winning a block, but only once."""
        _, won_block = board.update(position["last"], move, position["player"])
        position["last"] = move
        position["bonus"] = won_block and not position["bonus"]
        if not position["bonus"]:
            position["player"] = self.opponent(position["player"])

    def node(self, move, player):
        return {"move": move, "player": player, "untried": None, "children": [], "visits": 0, "wins": 0.0}

    def upper_bound(self, parent, child):
        spread = math.sqrt(math.log(parent["visits"]) / child["visits"])
        return child["wins"] / child["visits"] + self.EXPLORATION * spread

    def opponent(self, player):
        return "o" if player == "x" else "x"
