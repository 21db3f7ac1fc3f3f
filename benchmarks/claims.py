"""Checks how often the claims of a review hold, with ten times the budget they were made with.

    python benchmarks/claims.py --games 60

Built-in players of different strength play the nested games, after six random moves. Each game is reviewed at the
default budget. Then new searches examine the positions after the move played and after the move that the review calls
better, with ten times the nodes of the review's own check:

    decisive    holds if the position after the move is lost, and the one after the better move is not
    better      holds if the move that the review names is better than the move played; up to --moves of these
                for each game, chosen at random

Proven claims need no check and are counted separately.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter

import noughts
from noughts.analysis import Evaluator, Mistake, evaluator_for, review
from noughts.analysis.evaluator import NODES
from noughts.analysis.mistakes import CHECKS, DECISIVE_TIMES, LOST
from noughts.matches.game import play_seats
from noughts.matches.record import GameRecord
from noughts.players import make_player

PLAYERS = ("greedy", *(f"alphabeta:level={level}" for level in range(1, 8)))
OPENING, TIMES = 6, 10


def played(game: noughts.Game, draw: random.Random) -> GameRecord:
    """Returns a game between two players of the list, from a random opening."""
    state, opening = game.new_initial_state(), list[int]()
    for _ in range(OPENING):
        opening.append(draw.choice(state.legal_actions()))
        state.apply_action(opening[-1])
    seed = draw.getrandbits(32)
    names = draw.sample(PLAYERS, 2)
    seats = [make_player(name, seed=seed + seat) for seat, name in enumerate(names)]
    return play_seats(game, seats, seed=seed, opening=opening, move_seconds=0.02)


def holds(record: GameRecord, mistake: Mistake, referee: Evaluator, *, decisive: bool) -> bool:
    state = record.states()[mistake.ply][0]
    nodes = TIMES * (DECISIVE_TIMES if decisive else CHECKS[-1]) * NODES
    worse = referee.evaluate_move(state, record.moves[mistake.ply], nodes=nodes).value
    better = referee.evaluate_move(state, mistake.better, nodes=nodes).value
    right = worse <= LOST < better if decisive else better > worse
    if not right:
        claimed = f"{mistake.best.value:+.2f} to {mistake.played.value:+.2f}"
        print(f"    {'decisive' if decisive else 'better':<9} move {mistake.ply + 1}: claimed {claimed}, ", end="")
        print(f"found {better:+.2f} to {worse:+.2f}", flush=True)
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="*", default=["ultimate", "xtreme", "extreme"])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--moves", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    total: Counter[str] = Counter()
    for name in args.game:
        game, draw, count = noughts.load_game(name), random.Random(f"{name} {args.seed}"), Counter[str]()
        evaluator, referee = evaluator_for(game), Evaluator(game, TIMES * DECISIVE_TIMES * NODES)
        seconds = 0.0
        for _ in range(args.games):
            record = played(game, draw)
            started = time.process_time()
            found = review(record, evaluator=evaluator)
            seconds += time.process_time() - started
            count["lost games"] += record.points[0] != record.points[1]
            decisive = [mistake for mistake in found.mistakes if mistake.decisive]
            others = [mistake for mistake in found.mistakes if not mistake.decisive]
            for kind, claims in (("decisive", decisive), ("better", draw.sample(others, min(args.moves, len(others))))):
                for claim in claims:
                    proven = "proven" if claim.exact else "claimed"
                    count[f"{kind} {proven}"] += 1
                    if not claim.exact:
                        count[f"{kind} held"] += holds(record, claim, referee, decisive=kind == "decisive")
        total += count
        print(f"{name}: {args.games} games, {seconds / args.games:.2f} s a review; {claims_text(count)}", flush=True)
    print(f"all: {claims_text(total)}")


def claims_text(count: Counter[str]) -> str:
    parts = []
    for kind in ("decisive", "better"):
        claimed, proven, held = (count[f"{kind} {what}"] for what in ("claimed", "proven", "held"))
        parts.append(f"{kind}: {claimed + proven} claims, {proven} proven, {held} of the other {claimed} hold")
    return f"{count['lost games']} decided; " + "; ".join(parts)


if __name__ == "__main__":
    main()
