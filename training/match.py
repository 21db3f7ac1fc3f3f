"""Plays a match between two networks, in pairs from even openings, on many cores: Elo, LOS, course points, speed.

    python training/match.py extreme extreme4.net extreme3.net --nodes 5000 --pairs 300
    python training/match.py xtreme shipped none --time 0.05 --pairs 200 --jobs 14
    python training/match.py ultimate shipped checkout:../older --time 0.05 --pairs 200
    python training/match.py xtreme shipped,without=danger,futility_margin=5000 shipped --nodes 10000 --sprt 0 20

A player is `shipped`, `none` (the handmade evaluation) or a network's file, followed by options after commas:

    without=TECHNIQUE         turn techniques of the search off (several with +)
    futility_margin=N         set a tunable parameter of the search (search/kernels/layout.py)
    nodes=N, depth=N          its own limits
    contempt=1                avoid draws
    error=E, multi_pv=N       err as a level does (players/alphabeta.py)

`checkout:FOLDER` is the engine of another checkout of the project. With --nodes alone, games repeat on every machine.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

from other_version import OtherVersion

import noughts
from noughts.matches.openings import OPENING_PLIES, balanced_opening
from noughts.matches.statistics import Pentanomial, Sprt
from noughts.players.alphabeta import best_with_errors
from noughts.search.engine import Engine, Limits
from noughts.search.kernels import layout as at
from noughts.search.network import load_network, save_network, shipped_network

CHECKOUT = "checkout:"
OPTIONS = {"contempt", "without", "nodes", "depth", "error", "multi_pv"} | at.TUNABLE.keys()
LEAST = {"aspiration_window": 1, "singular_depth": 5}
"""Least values of some tunable parameters; of the others it is 0."""


def read_player(text: str) -> tuple[str, dict[str, str]]:
    """Returns the name of a player and its options; raises ValueError if one is unknown or makes no sense."""
    name, *rest = text.split(",")
    options = {key: value for key, _, value in (part.partition("=") for part in rest)}
    if unknown := options.keys() - OPTIONS:
        raise ValueError(f"{text!r} has the option {min(unknown)!r}; there are {', '.join(sorted(OPTIONS))}")
    if unknown := {*filter(None, options.get("without", "").split("+"))} - at.TECHNIQUE_NAMES.keys():
        raise ValueError(f"{text!r} is without {min(unknown)!r}; techniques are {', '.join(at.TECHNIQUE_NAMES)}")
    for key, value in options.items():
        least = LEAST.get(key, 0 if key in at.TUNABLE else 1)
        if key not in ("without", "error") and not (value.isdecimal() and int(value) >= least):
            raise ValueError(f"{text!r}: {key} must be a whole number, {least} or more, not {value!r}")
    if options.get("contempt", "1") != "1":
        raise ValueError(f"{text!r}: contempt can be 1 or left out, not {options['contempt']!r}")
    if not options.get("error", "0").replace(".", "", 1).isdecimal():
        raise ValueError(f"{text!r}: error must be a number, 0 or more, not {options['error']!r}")
    return name, options


def check_player(game: noughts.Game, text: str) -> None:
    """Raises ValueError if a player cannot be made: a pool would restart its failing workers forever."""
    if text.startswith(CHECKOUT):
        OtherVersion(text.removeprefix(CHECKOUT), game.name, 1, {"nodes": 1})
        return
    name, options = read_player(text)
    if name in ("shipped", "none"):
        network = shipped_network(game.rules) if name == "shipped" else None
    else:
        network = load_network(name, game.rules)
    if "contempt" in options and not (network and network.contempt):
        raise ValueError(f"{text!r}: this network has no contempt")


class Player:
    """An engine with its limits and options."""

    def __init__(self, game: noughts.Game, text: str, args: argparse.Namespace) -> None:
        name, options = read_player(text)
        techniques = at.ALL_TECHNIQUES & ~sum(
            at.TECHNIQUE_NAMES[one] for one in options.pop("without", "").split("+") if one
        )
        nodes, depth = options.pop("nodes", args.nodes), options.pop("depth", None)
        self.error, wide = float(options.pop("error", 0)), options.pop("multi_pv", None)
        self.multi_pv = int(wide) if wide else None if self.error else 1
        network = {"shipped": "shipped", "none": None}.get(name, name)
        if network not in ("shipped", None):
            network = load_network(name, game.rules)
        contempt = options.pop("contempt", None) is not None
        self.engine = Engine(game, memory=args.memory, network=network, techniques=techniques, contempt=contempt)
        for parameter, value in options.items():
            self.engine._params[at.TUNABLE[parameter]] = int(value)
        own = None if depth is None else int(depth)
        self.limits = Limits(args.time, None if nodes is None or own is not None else int(nodes), own)
        self.random = random.Random()

    def new_game(self, seed: str) -> None:
        self.engine.new_game()
        self.random.seed(seed)

    def search(self, state: noughts.State) -> tuple[int, int, int]:
        """Returns the move to play, the depth of the search, and its nodes."""
        info = self.engine.search(state, self.limits, multi_pv=self.multi_pv, scores_only=True)
        action = best_with_errors(info, self.error, self.random) if self.error else info.best.action
        return action, info.depth, self.engine.nodes


class VersionPlayer:
    """The engine of another checkout."""

    def __init__(self, game: noughts.Game, text: str, args: argparse.Namespace) -> None:
        limits = {"seconds": args.time, "nodes": args.nodes}
        self._version = OtherVersion(text.removeprefix(CHECKOUT), game.name, args.memory, limits)
        self.new_game = self._version.new_game

    def search(self, state: noughts.State) -> tuple[int, int, int]:
        return self._version.search(state.history())


def make_player(game: noughts.Game, text: str, args: argparse.Namespace) -> Player | VersionPlayer:
    return (VersionPlayer if text.startswith(CHECKOUT) else Player)(game, text, args)


@dataclass
class Totals:
    """Sums over all games. By player: points, nodes, seconds, depths, moves, and the longest move in seconds."""

    pairs: Pentanomial = field(default_factory=Pentanomial)
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    nodes: list[int] = field(default_factory=lambda: [0, 0])
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    depths: list[int] = field(default_factory=lambda: [0, 0])
    moves: list[int] = field(default_factory=lambda: [0, 0])
    longest: list[float] = field(default_factory=lambda: [0.0, 0.0])
    ends: dict[str, int] = field(default_factory=dict)


GAMES: list[noughts.Game] = []
PLAYERS: list[Player | VersionPlayer] = []
ARGS: list[argparse.Namespace] = []


def begin(args: argparse.Namespace) -> None:
    GAMES.append(noughts.load_game(args.game))
    PLAYERS.extend(make_player(GAMES[0], text, args) for text in (args.first, args.second))
    ARGS.append(args)


def play_pair(number: int) -> Totals | None:
    """Plays a pair of the match; returns None if the time for the match is up."""
    args = ARGS[0]
    return None if time.time() > args.until else play_opening(GAMES[0], PLAYERS, args.openings, args.seed, number)


def play_opening(
    game: noughts.Game, players: Sequence[Player | VersionPlayer], moves: int, seed: int, number: int
) -> Totals:
    """Plays an opening, with a number of random moves, from both sides."""
    opening = balanced_opening(game, moves, seed * 1_000_003 + number)
    totals, scores = Totals(), []
    for seat in range(2):
        state = game.new_initial_state()
        for action in opening:
            state.apply_action(action)
        for side, player in enumerate(players):
            player.new_game(f"{seed} {number} {seat} {side}")
        while not state.is_terminal():
            who = state.current_player() ^ seat
            started = time.monotonic()
            action, depth, nodes = players[who].search(state)
            spent = time.monotonic() - started
            totals.nodes[who] += nodes
            totals.seconds[who] += spent
            totals.depths[who] += depth
            totals.moves[who] += 1
            totals.longest[who] = max(totals.longest[who], spent)
            state.apply_action(action)
        end = state.outcome()
        mine = end.points[seat], end.points[1 - seat]
        totals.points[0] += mine[0]
        totals.points[1] += mine[1]
        scores.append(0.5 if mine[0] == mine[1] else float(mine[0] > mine[1]))
        how = "line" if end.winner is not None else "draw" if mine[0] == mine[1] else "points"
        totals.ends[how] = totals.ends.get(how, 0) + 1
    totals.pairs = totals.pairs.add(*scores)
    return totals


def add(total: Totals, one: Totals) -> None:
    total.pairs = Pentanomial(tuple(a + b for a, b in zip(total.pairs.counts, one.pairs.counts, strict=True)))
    for name in ("points", "nodes", "seconds", "depths", "moves"):
        mine = getattr(total, name)
        mine[:] = [a + b for a, b in zip(mine, getattr(one, name), strict=True)]
    total.longest = [max(pair) for pair in zip(total.longest, one.longest, strict=True)]
    for how, count in one.ends.items():
        total.ends[how] = total.ends.get(how, 0) + count


def report(args: argparse.Namespace, total: Totals, verdict: str | None) -> str:
    games, found = 2 * total.pairs.total, total.pairs.elo()
    names = [os.path.basename(text.removeprefix(CHECKOUT)) for text in (args.first, args.second)]
    each = " ".join(
        f"{limit}" for limit in (args.nodes and f"nodes={args.nodes}", args.time and f"time={args.time}") if limit
    )
    speeds = [nodes / max(seconds, 1e-9) / 1e6 for nodes, seconds in zip(total.nodes, total.seconds, strict=True)]
    depths = [depth / max(1, moves) for depth, moves in zip(total.depths, total.moves, strict=True)]
    return (
        f"{args.game} {names[0]} - {names[1]} {each}: {found.elo:+.0f} Elo ({found.low:+.0f} to {found.high:+.0f}), "
        f"{games} games, pairs {total.pairs.counts}, ends {total.ends}, "
        f"points a game {total.points[0] / max(1, games):+.1f} {total.points[1] / max(1, games):+.1f}, "
        f"million nodes/s {speeds[0]:.2f} {speeds[1]:.2f}, depth {depths[0]:.1f} {depths[1]:.1f}, "
        f"longest {1000 * total.longest[0]:.0f} {1000 * total.longest[1]:.0f} ms"
        + (f", SPRT {verdict}" if verdict else "")
    )


def note(args: argparse.Namespace, total: Totals) -> None:
    """Writes into a network's file its Elo over the handmade evaluation, which `noughts bench` prints."""
    path, rules = Path(args.first), noughts.load_game(args.game).rules
    network, found = load_network(path, rules), total.pairs.elo()
    elo = {name: round(getattr(found, name)) for name in ("elo", "low", "high")}
    facts = elo | {"seconds": args.time, "games": 2 * total.pairs.total}
    save_network(path, replace(network, training={**network.training, "elo": facts}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--nodes", type=int, help="a move")
    parser.add_argument("--time", type=float, help="seconds a move")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--openings", type=int, default=OPENING_PLIES, metavar="MOVES")
    parser.add_argument("--memory", type=int, default=16, metavar="MB")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop when it decides")
    parser.add_argument(
        "--note", action="store_true", help="a network's file against none, by time: write it into the file"
    )
    parser.add_argument("--wall", type=float, default=float("inf"), help="start no pair after this many seconds")
    args = parser.parse_args()
    first, _, options = args.first.partition(",")
    if args.note and (options or args.second != "none" or args.time is None or first in ("shipped", "none")):
        parser.error("--note is for a network's file, without options, against none with --time")
    if args.nodes is None and args.time is None:
        parser.error("give --nodes or --time")
    try:
        for text in (args.first, args.second):
            check_player(noughts.load_game(args.game), text)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    args.until = time.time() + args.wall
    total, verdict = Totals(), None
    with get_context("fork").Pool(args.jobs, begin, (args,)) as pool:
        for one in pool.imap_unordered(play_pair, range(args.pairs)):
            if one is not None:
                add(total, one)
            if args.sprt:
                verdict = Sprt(*args.sprt).decision(total.pairs)
                if verdict:
                    break
    print(report(args, total, verdict or (args.sprt and "undecided")), flush=True)
    if args.note:
        note(args, total)


if __name__ == "__main__":
    main()
