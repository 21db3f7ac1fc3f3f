"""Generated variants: how fast they are made, and whether the suite tells players apart who remember, guess and think.

    python benchmarks/variants.py [--size small|full] [--seed 1] [--games 200]

First: variants drawn, told apart, solved and filtered, a second of CPU. Then simulated players answer the suite:

    random      any legal move
    memoriser   perfect at the known game that looks most like it: classic, or wild for wild marks; elsewhere at random
    N plies     reads the rules, sees N moves ahead, takes the best of what it sees, draws lots among equals

For the memoriser in a clash the known game is the one that was played until now. Regret: of a random player's.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from itertools import islice

import noughts
from noughts.game import Game, State
from noughts.matches.record import Exchange
from noughts.solving import TooLarge, solve
from noughts.suites.asking import SuitePlan
from noughts.suites.generator import distinct, draw_variants
from noughts.suites.interest import Insight, refusal
from noughts.suites.questions import Question, Suite
from noughts.suites.scores import SuiteResults, score_answers
from noughts.suites.suite import make_suite
from noughts.text.replies import reader_of

Choice = Callable[[Question, random.Random], int]


def made(games: int, seed: int) -> None:
    """How many variants a second are made, and how many are worth asking about."""
    started = time.process_time()
    drawn = list(islice(draw_variants(seed), games))
    different = list(distinct(iter(drawn)))
    told_apart = time.process_time()
    solved = kept = 0
    for variant in different:
        try:
            insight = Insight(solve(Game(variant.rules), keep=False))
        except TooLarge:
            continue
        solved += 1
        kept += refusal(insight.figures()) is None
    seconds = time.process_time() - told_apart
    print(f"{games} drawn, {len(different)} distinct and not published: {told_apart - started:.2f} s of CPU")
    print(
        f"{solved} solved and looked at in {seconds:.0f} s of CPU, {solved / seconds:.1f} a second; "
        f"{kept} worth asking about ({100 * kept / solved:.0f}%)"
    )


def at_random(question: Question, draw: random.Random) -> int:
    return draw.choice(list(question.values))


def memoriser(question: Question, draw: random.Random) -> int:
    """The best move of the game that it knows, in the same cells; a legal move at random where there is none."""
    rules = question.rules
    known = question.before
    if known is None and rules.side == 3 and rules.line_sum is None:
        name = {("X", "O"): "classic", ("XO", "XO"): "wild"}.get(rules.places)
        known = noughts.load_game(name).rules if name else None
    if known is not None:
        try:
            state = Game(known).from_string(question.position)
            best = [] if state.is_terminal() else noughts.solve(state.game).best_actions(state)
        except ValueError:
            best = []
        best = [action for action in best if action in question.values]
        if best:
            return draw.choice(best)
    return at_random(question, draw)


def looks_ahead(plies: int) -> Choice:
    def choose(question: Question, draw: random.Random) -> int:
        state, values = question.state, {}
        for action in question.values:
            after = state.child(action)
            values[action] = after.returns()[state.current_player()] if after.is_terminal() else -deep(after, plies - 1)
        best = max(values.values())
        return draw.choice([action for action, value in values.items() if value == best])

    def deep(state: State, left: int) -> float:
        player = state.current_player()
        if left == 0:
            return 0.0
        best = -1.0
        for action in state.legal_actions():
            after = state.child(action)
            value = after.returns()[player] if after.is_terminal() else -deep(after, left - 1)
            best = max(best, value)
            if best == 1.0:
                break
        return best

    return choose


def answered(suite: Suite, name: str, choose: Choice) -> SuiteResults:
    exchanges = {}
    for number, question in enumerate(suite.questions):
        draw = random.Random(f"{name} {number}")
        move = reader_of(question.rules).names[choose(question, draw)]
        exchanges[number] = Exchange(0, question.state.current_player(), [], move, 0.0)
    return score_answers(SuitePlan(suite, name), exchanges)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("small", "full"), default="small")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=200)
    args = parser.parse_args()
    if args.games:
        made(args.games, args.seed)
    started = time.process_time()
    suite = make_suite("variants", args.size, args.seed)
    print(f"suite {suite.size}, seed {suite.seed}, hash {suite.hash}: {len(suite.questions)} questions", end=", ")
    print(f"{time.process_time() - started:.0f} s of CPU to make or load")
    players: dict[str, Choice] = {"random": at_random, "memoriser": memoriser}
    players |= {f"{plies} plies": looks_ahead(plies) for plies in (1, 2, 4)}
    for name, choose in players.items():
        results = answered(suite, name, choose)
        parts = [
            f"{part} {score.regret.value:.2f} ({100 * (score.accuracy.value or 0):.0f}%)"
            for part, score in results.parts.items()
        ]
        families = [f"{family} {score.regret.value:.2f}" for family, score in results.families.items()]
        print(f"{name:<10} regret (right): {', '.join(parts)}; by marks: {', '.join(families)}", flush=True)


if __name__ == "__main__":
    main()
