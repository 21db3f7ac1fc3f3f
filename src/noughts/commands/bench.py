"""Measure the speed of the search on fixed positions, and print its signature.

The nodes and the signature are the same on every machine, for a given version:
if they change, the search has changed. Speed is per core, in processor time,
so other programs on the machine hardly affect it.

examples:
  noughts bench
  noughts bench extreme xtreme
  noughts bench --json
"""

from __future__ import annotations

import argparse
import random
import zlib
from dataclasses import asdict, dataclass
from typing import Any

from noughts import search
from noughts.clock import thread_clock_ns
from noughts.commands._options import add_json
from noughts.commands.output import Report, table, width
from noughts.game import Game, State
from noughts.library import game_from_command_line, game_names
from noughts.printable import paragraph
from noughts.progress import progress
from noughts.rules.kernels.form import description
from noughts.search.network import shipped_network

PLIES = (0, 6, 14, 24, 36, 50)
"""Number of random moves that lead to the positions."""
NODES = 150_000
"""Nodes for each position; the search ends with the first depth that it cannot finish."""
SEED = 7


@dataclass(frozen=True)
class Bench:
    """The result of searching the positions of one game."""

    game: str
    positions: int
    nodes: int
    signature: str
    nodes_per_second: float
    kernels: str
    """The form of the kernels, and for an extension the level of processor."""
    network: dict[str, Any] | None = None
    """The origin and strength of the network, from its file; None for the handmade evaluation."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="*", metavar="GAME", help="games to measure (default: all)")
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    games = [game_from_command_line(name) for name in args.games or game_names()]
    found = []
    with progress("searching") as tick:
        for i, game in enumerate(games):
            found.append(measure(game))
            tick((i + 1) / len(games))
    rows = [
        [each.game, str(each.positions), f"{each.nodes:,}", each.signature, f"{each.nodes_per_second:,.0f}"]
        for each in found
    ]
    networks = [about_network(each.game, each.network) for each in found if each.network is not None]
    form = f"Kernels: {description()}."
    heads = ["game", "positions", "nodes", "signature", "nodes/s"]
    return Report([asdict(each) for each in found], "\n".join([table(heads, rows, right=[1, 2, 4]), form, *networks]))


def about_network(game: str, facts: dict[str, Any]) -> str:
    """Returns what is known of a network's strength, in a sentence."""
    elo, generation = facts.get("elo"), facts.get("generation")
    about = f"{game}: network of generation {generation}" if generation else f"{game}: network"
    if elo:
        about += f", {elo['elo']:+.0f} Elo ({elo['low']:+.0f} to {elo['high']:+.0f}) over the handmade evaluation"
        about += f" at {elo['seconds']} s a move, {elo['games']} games"
    return paragraph(about, width())


def measure(game: Game, *, handmade: bool = False) -> Bench:
    """Searches the positions of one game, with its network, or with the handmade evaluation if it has none."""
    network = None if handmade else shipped_network(game.rules)
    engine = search.Engine(game, memory=16, network=network)
    nodes, seen, seconds = 0, 0, 0.0
    states = positions(game)
    for state in states:
        engine.new_game()
        started = thread_clock_ns()
        info = engine.search(state, search.Limits(nodes=NODES))
        seconds += (thread_clock_ns() - started) / 1e9
        nodes += info.nodes
        facts = (info.depth, info.nodes, info.best.score, *info.best.moves)
        seen = zlib.crc32(repr(facts).encode(), seen)
    facts_of_file = None if network is None else dict(network.training)
    return Bench(game.name, len(states), nodes, f"{seen:08x}", nodes / seconds, description(), facts_of_file)


def positions(game: Game) -> list[State]:
    """Returns the initial position and positions after random moves. Leaves out those beyond the end of the game."""
    choose = random.Random(SEED)
    states = []
    for plies in PLIES:
        state = game.new_initial_state()
        for _ in range(plies):
            if not state.is_terminal():
                state.apply_action(choose.choice(state.legal_actions()))
        if not state.is_terminal():
            states.append(state)
    return states
