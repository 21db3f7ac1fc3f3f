"""Make the tactical suite of a game: positions with a deep proven win, or with one move that does not lose.

    python benchmarks/make_tactics.py extreme                  to benchmarks/tactics/extreme.jsonl
    python benchmarks/make_tactics.py extreme --out mine.jsonl --first-seed 1000

Each seed is one game between two shallow searches after a random opening. From its end, if that is a line, we walk
back as long as deep search proves every move of the loser lost. What was proven later is remembered, so that proofs
reach further than those of one search. Around the earliest positions so proven, all the loser's moves tried in turn,
we look for

    wins    that a shallow search misses
    saves   after such a mistake, and in the loser's last positions before the win: one move does not lose, and a
            shallow search misses that too

Positions are added to the file one by one; started again, it goes on after
the last seed in the file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tactical_proofs import MOST_SOLUTIONS, Prover

import noughts
from noughts.search.searcher import Limits, Searcher

FOLDER = Path(__file__).parent / "tactics"
LEAST_LEGAL = 3
RANDOM_MOVES = 0.03
"""Share of the moves of a game that are played at random."""
EARLIEST = 5
"""So many proven positions of each player are looked around."""
STEPS_ASIDE = 2
"""So many moves of the loser other than those of the game are looked into."""
TRIED_OF_A_GAME = 40
KEPT_OF_A_GAME = 2
"""At most so many of each kind, so that the suite comes from many games."""

Record = dict[str, Any]


def play(searcher: Searcher, nodes: int, choose: random.Random) -> list[noughts.State]:
    """Every state of a game after its random opening, the end included."""
    state = searcher.game.new_initial_state()
    for _ in range(choose.randint(6, 8)):
        state.apply_action(choose.choice(state.legal_actions()))
    states = [state]
    searcher.forget()
    while not states[-1].is_terminal():
        state = states[-1]
        if choose.random() < RANDOM_MOVES:
            action = choose.choice(state.legal_actions())
        else:
            action = searcher.search(state, Limits(nodes=nodes)).best.action
        states.append(state.child(action))
    return states


def first_won(prover: Prover, states: list[noughts.State], winner: int) -> int:
    """Index of the earliest state from which on the winner's win is proven; walks back from the end."""
    at = len(states) - 1
    while at > 0:
        before = states[at - 1]
        # A position of the winner is won by the move that was played, if the one after it is.
        if before.current_player() != winner and not prover.is_lost(before):
            break
        at -= 1
    return at


@dataclass(frozen=True)
class Missed:
    """A proven win in which a shallow search plays another move than the one that was proven, which may win as well."""

    state: noughts.State
    shallow: int
    distance: int


def missed_wins(
    prover: Prover, leading: list[noughts.State], lost: list[noughts.State], steps: int
) -> Iterator[Missed]:
    """Among positions of the winner and those after any move of a lost position; those again `steps` moves on."""
    further = []
    for state in [*leading, *(before.child(action) for before in lost for action in before.legal_actions())]:
        win = None if state.is_terminal() else prover.known_win(state)
        if win is None:  # a bonus move of the loser, or more nodes than there are
            continue
        move, distance = win
        further.append(state.child(move))
        if len(state.legal_actions()) >= LEAST_LEGAL:
            shallow = prover.shallow_move(state)
            if shallow != move:
                yield Missed(state, shallow, distance)
    if steps > 1:
        loser = {state.current_player() for state in lost}
        yield from missed_wins(prover, [], [state for state in further if state.current_player() in loser], steps - 1)


def win_records(prover: Prover, missed: list[Missed]) -> Iterator[tuple[noughts.State, Record]]:
    for candidate in missed:
        state = candidate.state
        proven = prover.winning_moves(state, candidate.shallow)
        if not 1 <= len(proven) <= MOST_SOLUTIONS or candidate.shallow in proven:
            continue
        moves = sorted(proven, key=lambda action: (proven[action], action))
        solutions = [{"move": state.action_to_string(move), "wins_within": proven[move]} for move in moves]
        yield state, {"kind": "win", "solutions": solutions, "proof_nodes": prover.nodes_from_nothing(state)}


def save_records(prover: Prover, states: list[noughts.State]) -> Iterator[tuple[noughts.State, Record]]:
    for state in states:
        found = prover.saving_move(state) if len(state.legal_actions()) >= LEAST_LEGAL else None
        if found and prover.shallow_move(state) != found[0]:
            solution = {"move": state.action_to_string(found[0])}
            yield state, {"kind": "save", "solutions": [solution], "others_lose_within": found[1]}


def records_of_game(
    prover: Prover, states: list[noughts.State], kinds: set[str], seen: set[str]
) -> Iterator[tuple[noughts.State, Record]]:
    """What a game gives, of the kinds that are wanted: at most KEPT_OF_A_GAME of each, nothing that was seen."""
    end = states[-1].outcome()
    if end is None or end.winner is None:
        return
    prover.forget()
    first = first_won(prover, states, end.winner)
    leading, lost, undecided = (
        [state for state in part if (state.current_player() == end.winner) is theirs]
        for part, theirs in ((states[first:-1], True), (states[first:-1], False), (states[:first], False))
    )
    missed = sorted(
        missed_wins(prover, leading[:EARLIEST], lost[:EARLIEST], STEPS_ASIDE), key=lambda one: -one.distance
    )[:TRIED_OF_A_GAME]
    mistakes = [one.state.child(one.shallow) for one in missed]
    escapes = [state for state in mistakes if state.current_player() == 1 - end.winner]
    sources = {"win": win_records(prover, missed), "save": save_records(prover, undecided[-2:] + escapes)}
    for kind in sorted(kinds):
        kept = 0
        for state, record in sources[kind]:
            key = state.canonical().to_string()
            if key not in seen:
                seen.add(key)
                kept += 1
                yield state, record
            if kept == KEPT_OF_A_GAME:
                break


def known_records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def append(path: Path, record: Record) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
        file.flush()
        os.fsync(file.fileno())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=("ultimate", "xtreme", "extreme"))
    parser.add_argument("--each", type=int, default=25, help="so many wins and so many saves (%(default)s)")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--play-nodes", type=int, default=5_000, help="for a move of a game (%(default)s)")
    parser.add_argument("--shallow-nodes", type=int, default=20_000, help="for what must be fooled (%(default)s)")
    parser.add_argument("--deep-nodes", type=int, default=10_000_000, help="for a proof (%(default)s)")
    parser.add_argument("--out", type=Path, help="a file to add to")
    return parser.parse_args()


def main() -> None:
    args = parse()
    game = noughts.load_game(args.game)
    path = args.out or FOLDER / f"{args.game}.jsonl"
    path.parent.mkdir(exist_ok=True)
    prover = Prover(game, deep_nodes=args.deep_nodes, shallow_nodes=args.shallow_nodes)
    player = Searcher(game)
    records = known_records(path)
    missing = {kind: args.each - sum(record["kind"] == kind for record in records) for kind in ("win", "save")}
    seen = {game.from_string(record["position"]).canonical().to_string() for record in records}
    seed = max((record["seed"] for record in records), default=args.first_seed - 1)
    while wanted := {kind for kind, count in missing.items() if count > 0}:
        seed += 1
        states = play(player, args.play_nodes, random.Random(seed))
        for state, found in records_of_game(prover, states, wanted, seen):
            if missing[found["kind"]] > 0:
                missing[found["kind"]] -= 1
                limits = {"shallow_nodes": args.shallow_nodes, "deep_nodes": args.deep_nodes, "seed": seed}
                append(path, {"game": game.name, "position": state.to_string(), **found, **limits})
        print(f"{game.name} seed {seed}, still to find: {missing}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
