"""The published Q-learning of the numerical game in plain Python, without the package, in two versions.

`Texts` is the published form, as a course teaches it: states are strings, the Q-table a dictionary. `Tuples` is plain
Python written for speed: boards are tuples, values are cached. Both have their own rules, so they also check ours.
"""

from __future__ import annotations

import math
import random
from itertools import product

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
ODD, EVEN = (1, 3, 5, 7, 9), (2, 4, 6, 8)

ALPHA, GAMMA = 0.2, 0.8
LEAST_EPSILON, EPSILON_DECAY = 0.001, 1e-6

Board = tuple[int, ...]
Move = tuple[int, int]


def epsilon_at(episode: int) -> float:
    return LEAST_EPSILON + (1 - LEAST_EPSILON) * math.exp(-EPSILON_DECAY * episode)


class Texts:
    """States such as 'x-3-x-x-x-6-x-x-x'."""

    def __init__(self) -> None:
        self.table: dict[str, dict[Move, float]] = {}
        self.episode = 0

    def allowed_actions(self, state: str, numbers: tuple[int, ...]) -> list[Move]:
        fields = state.split("-")
        used = [int(field) for field in fields if field != "x"]
        cells = [cell for cell, field in enumerate(fields) if field == "x"]
        return list(product(cells, [number for number in numbers if number not in used]))

    def place(self, state: str, action: Move) -> str:
        fields = state.split("-")
        fields[action[0]] = str(action[1])
        return "-".join(fields)

    def is_winning(self, state: str) -> bool:
        fields = state.split("-")
        for line in LINES:
            marks = [fields[cell] for cell in line]
            if "x" not in marks and sum(map(int, marks)) == 15:
                return True
        return False

    def is_terminal(self, state: str) -> bool:
        return self.is_winning(state) or "x" not in state

    def step(self, state: str, action: Move) -> tuple[str, float]:
        state = self.place(state, action)
        if self.is_winning(state):
            return state, 10.0
        if self.is_terminal(state):
            return state, 0.0
        state = self.place(state, random.choice(self.allowed_actions(state, EVEN)))
        if self.is_winning(state):
            return state, -10.0
        return state, 0.0 if self.is_terminal(state) else -1.0

    def values(self, state: str) -> dict[Move, float]:
        if state not in self.table:
            self.table[state] = dict.fromkeys(self.allowed_actions(state, ODD), 0.0)
        return self.table[state]

    def choose(self, state: str, epsilon: float) -> Move:
        if random.random() < epsilon:
            return random.choice(self.allowed_actions(state, ODD))
        values = self.values(state)
        return max(values, key=lambda action: values[action])

    def learn(self, episodes: int) -> int:
        for _ in range(episodes):
            epsilon = epsilon_at(self.episode)
            self.episode += 1
            state = "x-x-x-x-x-x-x-x-x"
            while not self.is_terminal(state):
                action = self.choose(state, epsilon)
                after, reward = self.step(state, action)
                best = 0.0 if self.is_terminal(after) else max(self.values(after).values())
                values = self.values(state)
                values[action] += ALPHA * (reward + GAMMA * best - values[action])
                state = after
        return episodes


class Tuples:
    """Boards of nine numbers, 0 where nothing is."""

    def __init__(self) -> None:
        self.table: dict[Board, dict[Move, float]] = {}
        self.episode = 0

    def learn(self, episodes: int) -> int:
        for _ in range(episodes):
            epsilon = epsilon_at(self.episode)
            self.episode += 1
            board, over = (0,) * 9, False
            values = self.values(board)
            while not over:
                if random.random() < epsilon:
                    move = random.choice(list(values))
                else:
                    move = max(values, key=values.__getitem__)
                board, reward, over = step(board, move)
                next_values = values if over else self.values(board)
                best = 0.0 if over else max(next_values.values())
                values[move] += ALPHA * (reward + GAMMA * best - values[move])
                values = next_values
        return episodes

    def values(self, board: Board) -> dict[Move, float]:
        found = self.table.get(board)
        if found is None:
            found = self.table[board] = dict.fromkeys(moves(board, ODD), 0.0)
        return found


def moves(board: Board, numbers: tuple[int, ...]) -> list[Move]:
    empty = [cell for cell in range(9) if board[cell] == 0]
    return list(product(empty, [number for number in numbers if number not in board]))


def place(board: Board, move: Move) -> Board:
    cell, number = move
    return (*board[:cell], number, *board[cell + 1 :])


def is_won(board: Board) -> bool:
    return any(board[a] and board[b] and board[c] and board[a] + board[b] + board[c] == 15 for a, b, c in LINES)


def step(board: Board, move: Move) -> tuple[Board, float, bool]:
    """Plays the agent's move and a random reply. Returns the next board, the reward and whether the game is over."""
    board = place(board, move)
    if is_won(board):
        return board, 10.0, True
    if 0 not in board:
        return board, 0.0, True
    board = place(board, random.choice(moves(board, EVEN)))
    if is_won(board):
        return board, -10.0, True
    return board, -1.0, False
