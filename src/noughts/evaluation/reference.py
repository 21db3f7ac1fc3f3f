"""Reference results: what known players get on the suite and in games, so that a model's first number means something.

    random      any legal move
    memoriser   perfect at the known game that looks most like it: classic, or wild for wild marks; elsewhere at random.
                Where rules changed, it goes on by the old ones
    copier      repeats the example of the prompt
    N plies     reads the rules, sees N moves ahead, takes the best of what it sees, draws lots among equals
    alphabeta   the engine at a level
    q-learning  a table, after a few episodes of self-play

The results are what `noughts evaluate --compare` shows, as JSON, and it reads them again.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from noughts.clock import Clock
from noughts.evaluation.compare import FORMAT, VERSION, game_data
from noughts.evaluation.plan import Plan
from noughts.evaluation.results import grade
from noughts.game import Game, State
from noughts.learn import Training, preset
from noughts.library import load_game
from noughts.matches.runner import Run
from noughts.matches.store import open_store
from noughts.players import make_player
from noughts.players.text_seat import Exchange
from noughts.solving import solve
from noughts.suites.asking import SuitePlan
from noughts.suites.questions import Question, Suite
from noughts.suites.scores import SuiteResults, results_data, score_answers
from noughts.text.replies import reader_of

Choice = Callable[[Question, random.Random], int]
Tick = Callable[[float], None]

GAMES = ("classic", "misere", "wild", "wild-misere", "numerical")
GAME_PLAYERS = (
    "random",
    "alphabeta:depth=1",
    "alphabeta:depth=2",
    "alphabeta:depth=4",
    "alphabeta:level=2",
    "alphabeta:level=5",
    "alphabeta:level=8",
    "perfect",
)
LEVELS = (2, 5, 8)
EPISODES = 300
"""Episodes of the tabular learner: with ten times as many it plays classic perfectly."""
LEARNER = "q-learning"
SEED = 1


def at_random(question: Question, draw: random.Random) -> int:
    return draw.choice(list(question.values))


def memoriser(question: Question, draw: random.Random) -> int:
    """The best move of the game that it knows, in the same cells; a legal move at random where there is none."""
    rules, known = question.rules, question.before
    if known is None and rules.side == 3 and rules.line_sum is None:
        name = {("X", "O"): "classic", ("XO", "XO"): "wild"}.get(rules.places)
        known = load_game(name).rules if name else None
    if known is not None:
        try:
            state = Game(known).from_string(question.position)
            best = [] if state.is_terminal() else solve(state.game).best_actions(state)
        except ValueError:  # a position that the known game does not have
            best = []
        best = [action for action in best if action in question.values]
        if best:
            return draw.choice(best)
    return at_random(question, draw)


def copier(question: Question, draw: random.Random) -> int:
    return question.example


def looks_ahead(plies: int) -> Choice:
    """A player that sees wins and losses so many plies ahead."""

    def choose(question: Question, draw: random.Random) -> int:
        state = question.state
        values = {action: _seen(state, action, plies) for action in question.values}
        best = max(values.values())
        return draw.choice([action for action, value in values.items() if value == best])

    return choose


def _seen(state: State, action: int, plies: int) -> float:
    """What a move looks like to its player."""
    after = state.child(action)
    if after.is_terminal():
        return after.returns()[state.current_player()]
    if plies <= 1:
        return 0.0
    best = -1.0
    for reply in after.legal_actions():
        best = max(best, _seen(after, reply, plies - 1))
        if best == 1.0:
            break
    return -best


def engine(level: int) -> Choice:
    def choose(question: Question, draw: random.Random) -> int:
        player = make_player(f"alphabeta:level={level}", seed=draw.getrandbits(32))
        player.prepare(question.state.game)
        return int(player.choose(question.state.clone(), Clock(None)))

    return choose


SUITE_PLAYERS: dict[str, Choice] = {
    "random": at_random,
    "copier": copier,
    "memoriser": memoriser,
    **{f"{plies} pl{'y' if plies == 1 else 'ies'}": looks_ahead(plies) for plies in (1, 2, 4)},
    **{f"alphabeta:level={level}": engine(level) for level in LEVELS},
}


def answer_all(suite: Suite, name: str, choose: Choice) -> SuiteResults:
    """Returns the results of a reference player on a suite."""
    exchanges = {}
    for number, question in enumerate(suite.questions):
        move = reader_of(question.rules).names[choose(question, random.Random(f"{name} {number}"))]
        exchanges[number] = Exchange(0, question.state.current_player(), [], move, 0.0)
    return score_answers(SuitePlan(suite, name), exchanges)


def play_games(game: str, player: str, games: int) -> dict[str, Any]:
    """Returns the results of a player in a game against `perfect`, as data."""
    plan = Plan(load_game(game), player, "perfect", games, seed=SEED, opening=2)
    store = open_store()
    for _ in Run(plan.match, store, plan.conditions()).play():
        pass
    records = plan.match.counted(store)
    return game_data(grade(plan, records), records)


def reference_results(suite: Suite, games: int, tick: Tick, names: Sequence[str] = GAMES) -> dict[str, Any]:
    """Returns the results of all reference players on a suite and in these games, as `--compare` reads them."""
    total = len(SUITE_PLAYERS) + len(names) * (len(GAME_PLAYERS) + 1)
    data: dict[str, Any] = {"format": FORMAT, "version": VERSION, "games": [], "suites": []}
    for done, (kind, found) in enumerate(_each(suite, games, names), 1):
        data[kind].append(found)
        tick(done / total)
    return data


def _each(suite: Suite, games: int, names: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, choose in SUITE_PLAYERS.items():
        yield "suites", results_data(answer_all(suite, name, choose))
    for game in names:
        for player in GAME_PLAYERS:
            yield "games", play_games(game, player, games)
        with tempfile.TemporaryDirectory() as folder:
            learnt = preset("self", load_game(game).rules, {"episodes": EPISODES, "seed": SEED})
            Training(learnt).finish().save(Path(folder))
            yield "games", play_games(game, f"q:{folder}", games) | {"player": LEARNER}
