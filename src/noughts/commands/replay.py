"""Step through a replay in the terminal. When piped, print one position: the
last, or that of --at.

At the prompt: Enter or n goes on, b goes back, a number goes to that move, e to
the end, q leaves.

With --grade, print instead which moves were costly: what each gave away of the
expected result, from 1 (won) to -1 (lost), and what was better. Small games are
graded exactly, others by a search of --nodes for each position; what looks like
a mistake is checked with up to a hundred times as many.

With --html, write the game as a web page in one file: the board, the moves, and
the same evaluation with its mistakes.

examples:
  noughts replay games/game-0001-team7-random.json
  noughts replay game.json --at 12
  noughts replay game.json --grade
  noughts replay game.json --html game.html
  noughts replay course.log                  a log of the course's evaluator
  noughts replay evaluations/DIR/transcript.jsonl#3    game 3 of an evaluation
  noughts replay puzzles/team7.json#1        a position of `report --puzzles`
  noughts replay game.json --json            each position and move, for scripts
"""

from __future__ import annotations

import argparse
import sys

from noughts.analysis import Review
from noughts.analysis.mistakes import to_data
from noughts.analysis.puzzles import holds_positions, position_number, read_positions
from noughts.commands._evaluations import costly_moves, reviewed
from noughts.commands._numbers import whole_number
from noughts.commands.output import board, print_json, width, write_file
from noughts.course.game_files import load_any
from noughts.matches.course_log import move_line, result_line, shown_names
from noughts.matches.page import game_page
from noughts.matches.record import UNFINISHED, GameRecord
from noughts.printable import one_line, paragraph
from noughts.rules.spec import shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a replay, as `noughts match --log` keeps them, a log, or a position (FILE#1)")
    parser.add_argument("--at", type=int, metavar="N", help="the position after N moves")
    parser.add_argument("--grade", action="store_true", help="list the costly moves")
    parser.add_argument(
        "--nodes", type=whole_number, metavar="N", help="search this many nodes for each position (10000)"
    )
    parser.add_argument("--html", metavar="FILE", help="write the game there as a web page")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    name, number = position_number(args.file)
    if holds_positions(name):
        record, end = _puzzle(name, number)
    else:
        record = load_any(args.file, tell=lambda note: print(f"noughts: {one_line(note, 1000)}", file=sys.stderr))
        end = result_line(record)
    last = len(record.moves)
    if args.at is not None and not 0 <= args.at <= last:
        raise ValueError(f"the game has {last} moves, so --at is 0 to {last}, not {shown(args.at)}")
    if args.nodes is not None and not ((args.grade or args.html) and 1 <= args.nodes <= 1 << 40):
        raise ValueError("--nodes is for --grade and --html, and 1 or more")
    if args.html is not None:
        return _html(record, args.html, args.nodes)
    review = reviewed(record, args.nodes) if args.grade else None
    if args.json:
        print_json(_facts(record, review))
    elif review is not None:
        print(costly_moves(record, list(review.choices(record)), review.nodes))
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _step(record, args.at if args.at is not None else last if holds_positions(name) else 0, end)
    else:
        print(_page(record, last if args.at is None else args.at, end))
    return 0


def _puzzle(path: str, number: int | None) -> tuple[GameRecord, str]:
    """A position of a file of positions, as the game that leads there, and what is to know of it."""
    game, puzzles = read_positions(path)
    if number is None or not 1 <= number <= len(puzzles):
        raise ValueError(f"{path} holds positions 1 to {len(puzzles)}; say which one, as in {path}#1")
    puzzle = puzzles[number - 1]
    record = GameRecord(game, ("first player", "second player"), moves=list(puzzle.moves))
    record.seconds, record.reason = [0.0] * len(puzzle.moves), UNFINISHED
    start = game.new_initial_state()
    played = "" if puzzle.played is None else f"{start.action_to_string(puzzle.played)} was played ({puzzle.kind}), "
    best = f"{played}{start.action_to_string(puzzle.best)} is best: {puzzle.loss:.2f} of the expected result more."
    return record, f"Position {number} of {len(puzzles)}, {puzzle.origin}. {best}"


def _html(record: GameRecord, path: str, nodes: int | None) -> int:
    """Writes the game as a page, with its evaluation."""
    review = to_data(reviewed(record, nodes))
    write_file(path, game_page(record, review, limit=record.game.rules.move_seconds))
    print(f"written to {path}")
    return 0


def _page(record: GameRecord, at: int, end: str) -> str:
    """The position after `at` moves, with the move that led there. end: what is said below the last one."""
    steps = record.states()
    first, second = shown_names(record)
    lines = [f"{record.game.rules.title}: {first} (x) against {second} (o)"]
    lines.append(f"move {at} of {len(record.moves)}")
    if at:
        lines[-1] += f": {move_line(record, steps[at - 1][0], at - 1)}"
    lines += ["", board(steps[at][0]), ""]
    if at == len(record.moves):
        lines += paragraph(end, width()).splitlines()
    return "\n".join(lines)


def _step(record: GameRecord, at: int, end: str) -> None:
    last = len(record.moves)
    while True:
        print(f"\n{_page(record, at, end)}")
        try:
            command = input(f"[{at}/{last}] Enter: on, b: back, number, e: end, q: quit > ").strip().lower()
        except EOFError:
            return
        if command in ("q", "quit"):
            return
        at = _target(command, at, last)


def _target(command: str, at: int, last: int) -> int:
    """Where a command leads; to the same place if it makes no sense."""
    if command in ("", "n"):
        return min(at + 1, last)
    if command == "b":
        return max(at - 1, 0)
    if command == "e":
        return last
    if command.isdecimal() and int(command) <= last:
        return int(command)
    print(f"type Enter, b, e, q, or a number from 0 to {last}")
    return at


def _facts(record: GameRecord, review: Review | None) -> dict[str, object]:
    start = record.game.new_initial_state()
    choices = {} if review is None else {choice.ply: choice for choice in review.choices(record)}

    def graded(number: int) -> dict[str, object]:
        choice = choices.get(number)
        if choice is None:
            return {} if review is None else {"grade": None}
        return {
            "grade": {
                "best": choice.best.value,
                "value": choice.played.value,
                "lost": round(choice.lost, 3),
                "exact": choice.exact,
                "better": [start.action_to_string(action) for action in choice.better],
            }
        }

    return {
        "game": record.game.name,
        "players": list(record.players),
        "positions": [
            {
                "position": state.to_string(),
                "player": None if action is None else state.current_player(),
                "move": None if action is None else state.action_to_string(action),
                "seconds": None if action is None else record.seconds[number],
                **graded(number),
            }
            for number, (state, action) in enumerate(record.states())
        ],
        "reason": record.reason,
        "winner": record.winner,
        "points": list(record.points),
        "fault": None if record.fault is None else record.fault.text,
    }
