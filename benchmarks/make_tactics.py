"""Makes the tactical suite of a game: positions with a deep proven win, or with one move that does not lose.

    python benchmarks/make_tactics.py extreme                  writes benchmarks/tactics/extreme.jsonl
    python benchmarks/make_tactics.py extreme --out mine.jsonl --first-seed 1000

Each seed is one game between two shallow searches after a random opening. If it ends with a line, the script walks back
from the end while deep search proves that every move of the loser loses. It remembers later proofs, so proofs reach
further than one search. Around the earliest proven positions, trying each of the loser's moves, it looks for

    wins    that a shallow search misses
    saves   in the loser's last positions before the win and after the winner's mistakes: one move does not lose, and
            a shallow search misses it

Positions are added to the file one by one; a restart continues after the last seed in the file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from tactical_proofs import MOST_SOLUTIONS, Prover

import noughts
from noughts.search import Engine, Limits

FOLDER = Path(__file__).parent / "tactics"
LEAST_LEGAL = 3
RANDOM_MOVES = 0.03
"""Share of the moves of a game that are played at random."""
EARLIEST = 8
"""Number of proven positions whose neighbours are searched."""
STEPS_ASIDE = 3
"""Maximum number of the loser's moves by which a neighbour differs from the game."""
WIDTH = 12
"""Maximum lost positions examined at each of these steps."""
TRIED_OF_A_GAME = 60
"""Candidates of each kind, the longest wins first."""
KEPT_OF_A_GAME = 2
"""Maximum positions of each kind kept from one game, so that the suite covers many games."""

Record = dict[str, Any]


def play(engine: Engine, nodes: int, choose: random.Random) -> list[noughts.State]:
    """Returns every state of a game after its random opening, up to and including the end."""
    state = engine.game.new_initial_state()
    for _ in range(choose.randint(6, 8)):
        state.apply_action(choose.choice(state.legal_actions()))
    states = [state]
    engine.new_game()
    while not states[-1].is_terminal():
        state = states[-1]
        if choose.random() < RANDOM_MOVES:
            action = choose.choice(state.legal_actions())
        else:
            action = engine.search(state, Limits(nodes=nodes)).best.action
        states.append(state.child(action))
    return states


def first_won(prover: Prover, states: list[noughts.State], winner: int) -> int:
    """Walks back from the end. Returns the index of the earliest state from which the win is proven."""
    at = len(states) - 1
    while at > 0:
        before = states[at - 1]
        # A position of the winner is won by the move that was played, if the one after it is.
        if before.current_player() != winner and not prover.is_lost(before):
            break
        at -= 1
    return at


@dataclass(frozen=True)
class Won:
    """A position of the winner, a move proven to win it, and the number of moves to the win."""

    state: noughts.State
    move: int
    distance: int

    def after_other_moves(self) -> Iterator[noughts.State]:
        """Returns the opponent's positions after moves that may not win."""
        for action in self.state.legal_actions():
            after = self.state.child(action)
            if action != self.move and after.current_player() == 1 - self.state.current_player():
                yield after


def won_positions(prover: Prover, states: list[noughts.State], winner: int, steps: int) -> Iterator[Won]:
    """Returns won positions among the proven states of a game and positions that differ by one move of the loser.

    Repeats this `steps` times from the positions after the winning moves, for the longest wins.
    """
    further = []
    for state in states:
        nearby = [state] if state.current_player() == winner else map(state.child, state.legal_actions())
        for position in nearby:
            known = prover.known_win(position) if position.current_player() == winner else None
            if known is None:  # also after a bonus move of the loser
                continue
            won = Won(position, *known)
            yield won
            after = position.child(won.move)
            if after.current_player() == 1 - winner:
                further.append((-won.distance, after))
    if steps > 1:
        further.sort(key=lambda pair: pair[0])
        yield from won_positions(prover, [state for _, state in further[:WIDTH]], winner, steps - 1)


def win_record(prover: Prover, state: noughts.State) -> Record | None:
    shallow = prover.shallow_move(state)
    proven = prover.winning_moves(state, unwanted=shallow)
    if not 1 <= len(proven) <= MOST_SOLUTIONS or shallow in proven:
        return None
    moves = sorted(proven, key=lambda action: (proven[action], action))
    solutions = [{"move": state.action_to_string(move), "wins_within": proven[move]} for move in moves]
    return {"kind": "win", "solutions": solutions, "proof_nodes": prover.nodes_from_nothing(state)}


def save_record(prover: Prover, state: noughts.State) -> Record | None:
    found = prover.saving_move(state, unwanted=prover.shallow_move(state))
    if found is None:
        return None
    move, others_lose_within = found
    solution = {"move": state.action_to_string(move), "certain": prover.holds_for_certain(state, move)}
    return {"kind": "save", "solutions": [solution], "others_lose_within": others_lose_within}


def records_of_game(
    prover: Prover, states: list[noughts.State], kinds: set[str], seen: set[str]
) -> Iterator[tuple[noughts.State, Record]]:
    """Returns new positions of a game, of the requested kinds: at most KEPT_OF_A_GAME of each."""
    end = states[-1].outcome()
    if end is None or end.winner is None:
        return
    prover.new_game()
    first = first_won(prover, states, end.winner)
    undecided = [state for state in states[:first] if state.current_player() != end.winner]
    around = won_positions(prover, states[first : first + EARLIEST], end.winner, STEPS_ASIDE)
    won = sorted(around, key=lambda one: -one.distance)
    missed = [one for one in won if prover.shallow_move(one.state) != one.move]
    mistakes = [one.state.child(prover.shallow_move(one.state)) for one in missed]
    escapes = [state for state in mistakes if state.current_player() == 1 - end.winner]
    others = chain.from_iterable(one.after_other_moves() for one in won)
    tries = {
        "win": (win_record, (one.state for one in missed)),
        "save": (save_record, chain(undecided[-2:], escapes, others)),
    }
    for kind in sorted(kinds):
        prove, candidates = tries[kind]
        yield from islice(proven_records(partial(prove, prover), candidates, seen), KEPT_OF_A_GAME)


def proven_records(
    prove: Callable[[noughts.State], Record | None], candidates: Iterable[noughts.State], seen: set[str]
) -> Iterator[tuple[noughts.State, Record]]:
    """Returns records of the first TRIED_OF_A_GAME candidates that have a choice and are new up to symmetry."""
    tried = 0
    for state in candidates:
        key = state.canonical().to_string()
        if key in seen or len(state.legal_actions()) < LEAST_LEGAL:
            continue
        if tried == TRIED_OF_A_GAME:
            return
        tried += 1
        seen.add(key)
        record = prove(state)
        if record:
            yield state, record


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
    parser.add_argument("--positions", type=int, default=50, help="in the file at the end (%(default)s)")
    parser.add_argument("--most", type=int, default=35, help="wins, and saves (%(default)s)")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--play-nodes", type=int, default=5_000, help="for a move of a game (%(default)s)")
    parser.add_argument("--shallow-nodes", type=int, default=10_000, help="for what must be fooled (%(default)s)")
    parser.add_argument("--walk-nodes", type=int, default=5_000_000, help="for a step back (%(default)s)")
    parser.add_argument("--deep-nodes", type=int, default=10_000_000, help="for the solutions (%(default)s)")
    parser.add_argument("--out", type=Path, help="a file to add to")
    return parser.parse_args()


def main() -> None:
    args = parse()
    game = noughts.load_game(args.game)
    path = args.out or FOLDER / f"{args.game}.jsonl"
    path.parent.mkdir(exist_ok=True)
    limits = {"walk_nodes": args.walk_nodes, "deep_nodes": args.deep_nodes, "shallow_nodes": args.shallow_nodes}
    prover = Prover(game, **limits)
    player = Engine(game)
    records = known_records(path)
    count = Counter(record["kind"] for record in records)
    seen = {game.from_string(record["position"]).canonical().to_string() for record in records}
    seed = max((record["seed"] for record in records), default=args.first_seed - 1)
    while count.total() < args.positions:
        seed += 1
        states = play(player, args.play_nodes, random.Random(seed))
        wanted = {kind for kind in ("win", "save") if count[kind] < args.most}
        for state, found in records_of_game(prover, states, wanted, seen):
            if count.total() < args.positions and count[found["kind"]] < args.most:
                count[found["kind"]] += 1
                append(path, {"game": game.name, "position": state.to_string(), **found, **limits, "seed": seed})
        print(f"{game.name} seed {seed}: {count['win']} wins, {count['save']} saves", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
