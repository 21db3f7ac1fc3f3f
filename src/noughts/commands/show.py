"""Draw a position.

Thick lines surround the blocks that may be played next, or the line that ended
the game; [ ] is the last move. Below the board are the position in one line,
which other commands take as POSITION, and the number of legal moves.

examples:
  noughts show extreme                           the start
  noughts show wild ".../.X./... p1"             a position; mind the quotes
  noughts show ultimate --moves 4,4 3,5 2,8      the position after some moves
  noughts show xtreme --moves 0:4,4 --svg a.svg  a picture, for a paper or page
  noughts show classic --svg - --dark > b.svg    the same, light on dark
"""

from __future__ import annotations

import argparse

from noughts.commands._options import GAME_HELP, add_ascii, add_json
from noughts.commands.output import Report, board, write_file
from noughts.game import State
from noughts.library import game_from_command_line
from noughts.printable import one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help=GAME_HELP)
    parser.add_argument("position", nargs="?", help="position in one line (default: the start)")
    parser.add_argument("--moves", nargs="+", default=[], metavar="MOVE", help="moves to play first")
    parser.add_argument("--svg", metavar="FILE", help="also write a picture; - prints only the picture")
    parser.add_argument("--dark", action="store_true", help="light lines on a dark background")
    add_ascii(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    if args.dark and args.svg is None:
        raise ValueError("--dark is for pictures; pass --svg FILE too")
    if args.json and args.svg == "-":
        raise ValueError("--json and --svg - both print to the output; pass --svg a file")
    game = game_from_command_line(args.game)
    state = game.new_initial_state() if args.position is None else game.from_string(args.position)
    _play(state, args.moves)
    picture = state.to_svg(dark=args.dark)
    if args.svg not in (None, "-"):
        write_file(args.svg, picture)
    text = picture.removesuffix("\n") if args.svg == "-" else _text(state, args.svg, args.ascii)
    return Report(_facts(state), text)


def _play(state: State, moves: list[str]) -> None:
    for number, move in enumerate(moves, 1):
        try:
            state.apply_action(state.string_to_action(move))
        except ValueError as error:
            raise ValueError(f"move {number} of --moves: {error}") from None


def _facts(state: State) -> dict[str, object]:
    end = state.outcome()
    return {
        "game": state.game.name,
        "position": state.to_string(),
        "player": None if end else state.current_player(),
        "legal": [state.action_to_string(action) for action in state.legal_actions()],
        "outcome": end and {"reason": end.reason, "winner": end.winner, "points": end.points},
    }


def _text(state: State, picture: str | None, ascii_only: bool) -> str:
    lines, end = [board(state, ascii_only=ascii_only), "", f"position  {state.to_string()}"], state.outcome()
    if end is None:
        lines.append(f"moves     {len(state.legal_actions())} legal")
    else:
        winner = "no winner" if end.winner is None else f"{('first', 'second')[end.winner]} player wins"
        lines.append("moves     none, the game is over")
        lines.append(f"outcome   {end.reason}: {winner}, points {end.points[0]} and {end.points[1]}")
    return "\n".join([*lines, *([] if picture is None else [f"picture   {one_line(picture)}"])])
