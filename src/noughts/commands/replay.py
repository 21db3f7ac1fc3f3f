"""Step through a replay in the terminal. Piped, it prints one position: the last
one, or the one that --at chooses.

At the prompt: Enter or n for the next move, b for the previous one, a number
for that move, e for the end, q to quit.

--grade lists the costly moves instead: how much of the expected result each
gave away, from 1 (won) to -1 (lost), and what was better. Small games are
graded exactly, others by a search of --nodes for each position; apparent
mistakes are checked with up to 100 times as many nodes.

--html writes the game as a web page in one file, with the board, the moves and
the evaluation.

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
from dataclasses import dataclass, replace

from noughts.analysis import Choice
from noughts.analysis.mistakes import to_data
from noughts.analysis.puzzles import file_and_number, holds_positions, read_positions
from noughts.commands._evaluations import costly_moves, review_game
from noughts.commands._options import MOST_NODES, add_json, require_range, whole_number
from noughts.commands.log import open_game
from noughts.commands.output import Report, board, is_terminal, width, write_file
from noughts.matches.log import display_names, move_line, result_line
from noughts.matches.page import game_page
from noughts.matches.record import UNFINISHED, GameRecord
from noughts.printable import one_line, paragraph
from noughts.rules.spec import short_repr


@dataclass(frozen=True)
class Replay:
    """A recorded game at one of its positions.

    at: number of moves before the position. end: text shown below the last position. is_puzzle: whether the last
    position is the subject of the file.
    """

    record: GameRecord
    at: int
    end: str
    is_puzzle: bool = False

    def report(self) -> Report:
        return Report(_facts(self.record, None), self.text())

    def graded(self, nodes: int | None) -> Report:
        """Returns the costly moves. nodes: budget for each position."""
        require_range("--nodes", nodes, 1, MOST_NODES)
        review = review_game(self.record, nodes)
        choices = list(review.choices(self.record))
        return Report(_facts(self.record, choices), costly_moves(self.record, choices, review.nodes))

    def text(self) -> str:
        """Returns the position with the move that led there."""
        record, at = self.record, self.at
        steps = record.states()
        first, second = display_names(record)
        lines = [f"{record.game.rules.title}: {first} (x) against {second} (o)", f"move {at} of {len(record.moves)}"]
        if at:
            lines[-1] += f": {move_line(record, steps[at - 1][0], at - 1)}"
        lines += ["", board(steps[at][0]), ""]
        if at == len(record.moves):
            lines += paragraph(self.end, width()).splitlines()
        return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="replay written by `noughts match --log`, evaluator log, or position (FILE#1)")
    parser.add_argument("--at", type=int, metavar="N", help="position after N moves (default: the last)")
    parser.add_argument("--grade", action="store_true", help="list the costly moves")
    parser.add_argument(
        "--nodes", type=whole_number, metavar="N", help="nodes of the search for each position (default: 10000)"
    )
    parser.add_argument("--html", metavar="FILE", help="web page to write")
    add_json(parser)


def run(args: argparse.Namespace) -> Report | int:
    replay = open_replay(args.file)
    last = len(replay.record.moves)
    if args.at is not None and not 0 <= args.at <= last:
        raise ValueError(f"--at must be 0 to {last} for this game, not {short_repr(args.at)}")
    if args.nodes is not None and not ((args.grade or args.html) and 1 <= args.nodes <= MOST_NODES):
        raise ValueError("--nodes must be 1 or more, and needs --grade or --html")
    if args.html is not None:
        review = to_data(review_game(replay.record, args.nodes))
        write_file(args.html, game_page(replay.record, review, limit=replay.record.game.rules.move_seconds))
        audience = f"for those who may see {one_line(args.file)}: it contains all of it, prints included"
        return Report({"page": args.html}, f"written to {one_line(args.html)}", notes=[audience])
    if args.grade:
        return replay.graded(args.nodes)
    if is_terminal() and not args.json:
        _step(replace(replay, at=args.at if args.at is not None else last if replay.is_puzzle else 0))
        return 0
    return replace(replay, at=last if args.at is None else args.at).report()


def open_replay(text: str) -> Replay:
    """Returns the game or position in a file, at its end. Raises ValueError if there is none."""
    name, number = file_and_number(text)
    if holds_positions(name):
        return _puzzle(name, number)
    record = open_game(text)
    return Replay(record, len(record.moves), result_line(record))


def _puzzle(path: str, number: int | None) -> Replay:
    """Returns a position from a file of positions, as the game that leads there."""
    game, puzzles = read_positions(path)
    if number is None or not 1 <= number <= len(puzzles):
        raise ValueError(f"{path} contains positions 1 to {len(puzzles)}; choose one, as in {path}#1")
    puzzle = puzzles[number - 1]
    record = GameRecord(game, ("first player", "second player"), moves=list(puzzle.moves))
    record.seconds, record.reason = [0.0] * len(puzzle.moves), UNFINISHED
    start = game.new_initial_state()
    played = "" if puzzle.played is None else f"{start.action_to_string(puzzle.played)} was played ({puzzle.kind}), "
    best = f"{played}{start.action_to_string(puzzle.best)} is best: it adds {puzzle.loss:.2f} to the expected result."
    end = f"Position {number} of {len(puzzles)}, {puzzle.origin}. {best}"
    return Replay(record, len(record.moves), end, is_puzzle=True)


def _step(replay: Replay) -> None:
    at, last = replay.at, len(replay.record.moves)
    while True:
        print(f"\n{replace(replay, at=at).text()}")
        try:
            command = input(f"[{at}/{last}] Enter: next, b: back, number, e: end, q: quit > ").strip().lower()
        except EOFError:
            return
        if command in ("q", "quit"):
            return
        at = _target(command, at, last)


def _target(command: str, at: int, last: int) -> int:
    """Returns the position that a command leads to; the current one if the command is unknown."""
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


def _facts(record: GameRecord, choices: list[Choice] | None) -> dict[str, object]:
    """Returns a game for scripts. choices: its moves with their grades, if it was reviewed."""
    graded = {choice.ply: _grade(record, choice) for choice in choices or ()}
    return {
        "game": record.game.name,
        "players": list(record.players),
        "positions": [
            {
                "position": state.to_string(),
                "player": None if action is None else state.current_player(),
                "move": None if action is None else state.action_to_string(action),
                "seconds": None if action is None else record.seconds[number],
                **({} if choices is None else {"grade": graded.get(number)}),
            }
            for number, (state, action) in enumerate(record.states())
        ],
        "reason": record.reason,
        "winner": record.winner,
        "points": list(record.points),
        "fault": None if record.fault is None else record.fault.text,
    }


def _grade(record: GameRecord, choice: Choice) -> dict[str, object]:
    start = record.game.new_initial_state()
    return {
        "best": choice.best.value,
        "value": choice.played.value,
        "lost": round(choice.lost, 3),
        "exact": choice.exact,
        "better": [start.action_to_string(action) for action in choice.better],
    }
