"""Alpha-beta at 0.02 s a move against the minimax example bots at 2 s a move.

    python benchmarks/against_bots.py --games 4

The bots run in this process, on the board object of the arena, without its jail: they are ours.
"""

from __future__ import annotations

import argparse
import runpy
from pathlib import Path

import noughts
from noughts.arena.inside.board import new_board
from noughts.players import Clock, make_player

BOTS = Path(__file__).parents[1] / "examples" / "bots"
OPPONENTS = {"extreme": ("minimax_extreme.py", "MinimaxExtreme"), "xtreme": ("minimax_xtreme.py", "MinimaxXtreme")}


def coordinates(state: noughts.State, action: int) -> tuple[int, ...]:
    """An action as the bots write it."""
    width = state.game.rules.width
    board, rest = divmod(action, width * width)
    return (board, *divmod(rest, width)) if state.game.rules.boards > 1 else divmod(rest, width)


def play(name: str, bot_seat: int, seconds: float, bot_seconds: float) -> float:
    """The bot's result in one game."""
    game = noughts.load_game(name)
    file, kind = OPPONENTS[name]
    bot = runpy.run_path(str(BOTS / file))[kind]()
    bot.SECONDS = bot_seconds
    ours = make_player("alphabeta")
    ours.prepare(game)
    board = new_board(game.rules)
    state = game.new_initial_state()
    last: tuple[int, ...] = (-1,) * (3 if game.rules.boards > 1 else 2)
    while not state.is_terminal():
        seat = state.current_player()
        if seat == bot_seat:
            move = bot.move(board, last, "xo"[seat])
            board_of, row, col = move if len(move) == 3 else (0, *move)
            action = (board_of * game.rules.width + row) * game.rules.width + col
        else:
            action = ours.choose(state, Clock(seconds))
            move = coordinates(state, action)
        board.update(last, move, "xo"[seat])
        state.apply_action(action)
        last = move
    return state.returns()[bot_seat]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--time", type=float, default=0.02)
    parser.add_argument("--bot-time", type=float, default=2.0)
    args = parser.parse_args()
    for name in OPPONENTS:
        results = [play(name, number % 2, args.time, args.bot_time) for number in range(args.games)]
        won = sum(result < 0 for result in results)
        lines = sum(result == -1 for result in results)
        print(
            f"{name:<9} alphabeta at {args.time:g} s against the minimax bot at {args.bot_time:g} s: "
            f"{won} of {args.games} won, {lines} by a line",
            flush=True,
        )


if __name__ == "__main__":
    main()
