"""`noughts evaluate` where no games are played: exact numbers, over all games."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from noughts.analysis.exact import Exact, evaluate_seats
from noughts.commands.output import print_result, progress, table
from noughts.library import game_from_command_line
from noughts.printable import one_line


def run_exact(args: argparse.Namespace) -> int:
    if args.games is not None:
        raise ValueError("--exact looks at all games, so --games has no meaning with it")
    bound = args.player.startswith("q:") or args.against.startswith("q:")
    game = None if bound and not args.game else game_from_command_line(args.game or "wild")
    with progress("evaluating") as tick:
        exact = evaluate_seats(args.player, args.against, game, tick)
    print_result(args.json, lambda: exact_data(exact), lambda: exact_text(exact))
    return 0


def exact_data(exact: Exact) -> dict[str, object]:
    return {
        "game": exact.game.name,
        "player": exact.player,
        "against": exact.against,
        "exact": True,
        "rewards": asdict(exact.rewards),
        "discount": exact.discount,
        "seats": [{"seat": seat.seat, **asdict(seat.value), "optimum": seat.optimum} for seat in exact.seats],
    }


def exact_text(exact: Exact) -> str:
    """A table with a row for each seat, and what its numbers are of."""
    rows = []
    for seat in exact.seats:
        value = seat.value
        shares = [f"{100 * share:.4f}" for share in (value.win, value.draw, value.loss)]
        rows.append([f"player {seat.seat}", *shares, f"{value.expected_return:.4f}", f"{seat.optimum:.4f}"])
    heads = ["seat", "wins %", "draws %", "losses %", "return", "best possible"]
    pays = exact.rewards
    step = f", {pays.step:g} a step{' and the last' if pays.charge_last else ''}" if pays.step else ""
    return "\n".join(
        [
            f"{one_line(exact.player)} against {one_line(exact.against)}, {exact.game.rules.title}.",
            "Exact: over all the games that they can play, each with its chance.",
            "",
            table(heads, rows, right=[1, 2, 3, 4, 5]),
            "",
            f"Returns: {pays.win:g} for a win, {pays.draw:g} for a draw, {pays.loss:g} for a loss{step}; "
            f"discount {exact.discount:g}.",
        ]
    )
