"""`noughts check --positions`: which positions of a file a bot finds the move in."""

from __future__ import annotations

import argparse
import sys

from noughts import sandbox
from noughts.analysis.puzzles import Puzzle
from noughts.bots.gate import Gate
from noughts.bots.positions import Tried, try_positions
from noughts.commands.match import say_layers
from noughts.commands.output import print_json, progress, table
from noughts.game import Game
from noughts.printable import one_line, shell_quote

ORIGIN_SHOWN = 60


def run_positions(args: argparse.Namespace, gate: Gate, game: Game, puzzles: list[Puzzle]) -> int:
    if gate.game != game:
        raise ValueError(f"the positions of {args.positions} are of {game.name}, not of {gate.game.name}")
    source = sandbox.read_bot(args.bot)
    with sandbox.ForkServer() as server:
        say_layers(server, args.unsafe)
        with progress(f"{len(puzzles)} positions") as tick:
            tried = list(
                try_positions(
                    source, game, puzzles, server, gate.limits, strict=gate.strict, unsafe=gate.unsafe, tick=tick
                )
            )
    found = sum(each.found for each in tried)
    if args.json:
        print_json({"game": game.name, "found": found, "positions": [_facts(game, each) for each in tried]})
    else:
        print(_text(game, tried))
        print(f"\n{one_line(source.name)} finds {found} of {len(tried)}")
        missed = next((number for number, each in enumerate(tried, 1) if not each.found), None)
        if missed is not None:
            print(f"look at position {missed}:\n  noughts replay {shell_quote(args.positions)}#{missed}")
    if found < len(tried) and not args.json:
        print("a position is found with the best move, or one that is about as good", file=sys.stderr)
    return 0 if found == len(tried) else 1


def _text(game: Game, tried: list[Tried]) -> str:
    start = game.new_initial_state()
    rows = []
    for number, each in enumerate(tried, 1):
        puzzle = each.puzzle
        now = "a fault" if each.action is None else start.action_to_string(each.action)
        rows.append(
            [
                str(number),
                "found" if each.found else "no",
                start.action_to_string(puzzle.best),
                now,
                "" if each.found else f"-{each.loss:.2f}",
                f"{puzzle.kind}: {one_line(puzzle.origin, ORIGIN_SHOWN)}"
                + (f"; {one_line(each.fault.text)}" if each.fault is not None else ""),
            ]
        )
    return table(["", "", "best", "plays", "gives", "where it erred"], rows, right=(0, 4))


def _facts(game: Game, each: Tried) -> dict[str, object]:
    start, puzzle = game.new_initial_state(), each.puzzle
    return {
        "from": puzzle.origin,
        "kind": puzzle.kind,
        "position": puzzle.state(game).to_string(),
        "best": start.action_to_string(puzzle.best),
        "before": puzzle.before,
        "played": None if puzzle.played is None else start.action_to_string(puzzle.played),
        "plays": None if each.action is None else start.action_to_string(each.action),
        "loss": round(each.loss, 3),
        "found": each.found,
        "fault": None if each.fault is None else each.fault.text,
    }
