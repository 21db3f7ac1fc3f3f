"""`noughts check --positions`: how many positions of a file a bot solves."""

from __future__ import annotations

import argparse

from noughts import sandbox
from noughts.analysis.puzzles import Puzzle
from noughts.bots.gate import Gate
from noughts.bots.positions import TriedPosition, try_positions
from noughts.commands._bot_options import say_layers
from noughts.commands.output import Report, table
from noughts.game import Game
from noughts.printable import one_line, shell_quote
from noughts.progress import progress

ORIGIN_SHOWN = 60


def check_positions(args: argparse.Namespace, gate: Gate, game: Game, puzzles: list[Puzzle]) -> Report:
    if gate.game != game:
        raise ValueError(
            f"{args.positions} has positions of {game.name}; pass --game {game.name}, not {gate.game.name}"
        )
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
    data = {"game": game.name, "found": found, "positions": [_facts(game, each) for each in tried]}
    missed = int(found < len(tried))
    notes = ["a position counts as solved if the bot plays the best move or one about as good"] * missed
    return Report(data, _text(source.name, args.positions, game, tried), missed, notes)


def _text(bot: str, file: str, game: Game, tried: list[TriedPosition]) -> str:
    found = sum(each.found for each in tried)
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
    lines = [table(["", "", "best", "plays", "loses", "mistake"], rows, right=(0, 4))]
    lines.append(f"\n{one_line(bot)} solves {found} of {len(tried)} positions")
    missed = next((number for number, each in enumerate(tried, 1) if not each.found), None)
    if missed is not None:
        lines.append(f"see position {missed}:\n  noughts replay {shell_quote(file)}#{missed}")
    return "\n".join(lines)


def _facts(game: Game, each: TriedPosition) -> dict[str, object]:
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
