"""A program for CodinGame's Ultimate Tic-Tac-Toe, which plays the first move that it is offered."""

import sys

how = sys.argv[1] if len(sys.argv) > 1 else "good"
while True:
    row, col = map(int, input().split())
    moves = [input() for _ in range(int(input()))]
    print(f"opponent: {row} {col}, moves: {len(moves)}", file=sys.stderr, flush=True)
    print("9 9" if how == "lie" else f"{moves[0]} and a word", flush=True)
