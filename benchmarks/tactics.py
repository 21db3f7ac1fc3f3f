"""Measures which share of the tactical suite a player solves in a second for each position, and in 0.01 s.

    python benchmarks/tactics.py
    python benchmarks/tactics.py extreme --player mcts --time 0.5
    python benchmarks/tactics.py --nodes 1000000              the same on every machine
    python benchmarks/tactics.py --json

A position is a win (some moves are proven to win by a line) or a save (all moves but one are proven to lose). It is
solved if the player's move is among the stored solutions (docs/search.md). Each position gets a new player. With
--nodes, mcts plays that many games instead.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import noughts
from noughts.commands.output import table
from noughts.players import Clock, make_player
from noughts.progress import progress

FOLDER = Path(__file__).parent / "tactics"
GAMES = ("ultimate", "xtreme", "extreme")
KINDS = ("win", "save")
SHORT = 100
"""The second budget is smaller by this factor."""


@dataclass(frozen=True)
class Puzzle:
    """A position of the suite. solutions: the moves that count as found."""

    state: noughts.State
    kind: str
    solutions: frozenset[int]


@dataclass(frozen=True)
class Result:
    """Counts of positions, solved ones, and those solved with the short budget. kind: "all" for both together."""

    game: str
    kind: str
    positions: int
    found: int
    found_shortly: int

    def row(self) -> tuple[str, ...]:
        shares = (share(found, self.positions) for found in (self.found, self.found_shortly))
        return self.game, self.kind, str(self.positions), *shares


@dataclass(frozen=True)
class Thinking:
    """Returns the budget for a move: seconds, or nodes if given."""

    seconds: float
    nodes: int | None

    def shorter(self) -> Thinking:
        return Thinking(self.seconds / SHORT, self.nodes and max(1, self.nodes // SHORT))

    def named(self, player: str) -> str:
        if self.nodes is None:
            return player
        option = "games" if player.partition("?")[0] == "mcts" else "nodes"
        return f"{player}{'&' if '?' in player else '?'}{option}={self.nodes}"

    def __str__(self) -> str:
        return f"{self.seconds:g} s" if self.nodes is None else f"{self.nodes:,} nodes"


def load(name: str) -> list[Puzzle]:
    game = noughts.load_game(name)
    puzzles = []
    for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        state = game.from_string(record["position"])
        moves = frozenset(state.string_to_action(solution["move"]) for solution in record["solutions"])
        puzzles.append(Puzzle(state, record["kind"], moves))
    return puzzles


def solves(puzzle: Puzzle, name: str, thinking: Thinking) -> bool:
    player = make_player(thinking.named(name), seed=0)
    player.prepare(puzzle.state.game)
    clock = Clock(thinking.seconds if thinking.nodes is None else None)
    return player.choose(puzzle.state, clock) in puzzle.solutions


def measure(games: list[str], player: str, thinking: Thinking) -> list[Result]:
    """Returns for each game the counts of wins, saves and both."""
    suites = {name: load(name) for name in games}
    total, finished = 2 * sum(map(len, suites.values())), 0
    results = []
    with progress("tactics") as tick:
        for name, puzzles in suites.items():
            size: Counter[str] = Counter(puzzle.kind for puzzle in puzzles)
            counts: list[Counter[str]] = []
            for limit in (thinking, thinking.shorter()):
                found: Counter[str] = Counter()
                for puzzle in puzzles:
                    found[puzzle.kind] += solves(puzzle, player, limit)
                    finished += 1
                    tick(finished / total)
                counts.append(found)
            results += [Result(name, kind, size[kind], *(found[kind] for found in counts)) for kind in KINDS]
            results.append(Result(name, "all", size.total(), *(found.total() for found in counts)))
    return results


def share(found: int, size: int) -> str:
    return f"{found} ({100 * found / size:.0f}%)" if size else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="*", help=f"of {', '.join(GAMES)}; all of them if none is named")
    parser.add_argument("--player", default="alphabeta", help="a name as in `noughts match` (%(default)s)")
    parser.add_argument("--time", type=float, default=1.0, help="seconds for a position (%(default)g)")
    parser.add_argument("--nodes", type=int, help="nodes for a position, instead of seconds")
    parser.add_argument("--json", action="store_true", help="one object, for scripts")
    args = parser.parse_args()
    try:
        unknown = set(args.game) - set(GAMES)
        if unknown:
            raise ValueError(f"there is no suite for {', '.join(sorted(unknown))}; there are {', '.join(GAMES)}")
        if not args.time > 0:
            raise ValueError(f"--time must be above 0, not {args.time}")
        thinking = Thinking(args.time, args.nodes)
        results = measure(args.game or list(GAMES), args.player, thinking)
    except ValueError as problem:
        print(f"tactics.py: {problem}", file=sys.stderr)
        return 2
    if args.json:
        limit = {"nodes": args.nodes} if args.nodes else {"seconds": args.time}
        print(json.dumps({"player": args.player, **limit, "results": [asdict(result) for result in results]}))
        return 0
    heads = ("game", "kind", "positions", f"found in {thinking}", f"in {thinking.shorter()}")
    print(f"{args.player}\n{table(heads, [result.row() for result in results], right=(2, 3, 4))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
