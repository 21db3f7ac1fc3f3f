"""`noughts evaluate --exact`: exact results over all possible games, without playing any."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from noughts.analysis.exact import Exact, evaluate_seats
from noughts.commands.output import Report, table
from noughts.library import game_from_command_line
from noughts.printable import one_line
from noughts.progress import progress


def evaluate_exactly(args: argparse.Namespace) -> Report:
    if args.games is not None:
        raise ValueError("--exact covers all possible games; leave out --games")
    bound = args.player.startswith("q:") or args.against.startswith("q:")
    game = None if bound and not args.game else game_from_command_line(args.game or "wild")
    with progress("evaluating") as tick:
        exact = evaluate_seats(args.player, args.against, game, tick)
    return Report(_facts(exact), _text(exact))


def _facts(exact: Exact) -> dict[str, object]:
    return {
        "game": exact.game.name,
        "player": exact.player,
        "against": exact.against,
        "exact": True,
        "rewards": asdict(exact.rewards),
        "discount": exact.discount,
        "seats": [{"seat": seat.seat, **asdict(seat.value), "optimum": seat.optimum} for seat in exact.seats],
    }


def _text(exact: Exact) -> str:
    """Returns a table with one row per seat, and the rewards behind its numbers."""
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
            "Exact: over all possible games, weighted by probability.",
            "",
            table(heads, rows, right=[1, 2, 3, 4, 5]),
            "",
            f"Returns: {pays.win:g} for a win, {pays.draw:g} for a draw, {pays.loss:g} for a loss{step}; "
            f"discount {exact.discount:g}.",
        ]
    )
