"""Reference results of known players on the suites and in games, to compare a model with.

    random      any legal move
    copier      repeats the example in the prompt; in games it forfeits once that move is illegal
    memoriser   perfect at the most similar known game (classic, or wild for wild marks), elsewhere random;
                ignores changes of the rules
    N plies     searches N moves ahead, and chooses at random among equals; in games the engine with
                that depth, `alphabeta:depth=N`
    alphabeta   the engine at a level
    q-learning  a table, after a few episodes of self-play; not in nested games, which have too many positions, nor on
                the full suite
    perfect     in solved games, where it is also the opponent

`noughts evaluate --reference FILE` writes them as JSON for `--compare`. The results of this version are beside this
file; `--compare reference` reads them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from noughts.clock import Clock
from noughts.evaluation.compare import Comparison, game_data
from noughts.evaluation.plan import PERFECT, STRONG, PastPlan
from noughts.evaluation.results import grade
from noughts.game import Game, State, game_of
from noughts.games import VARIANTS
from noughts.learn import Training, preset
from noughts.matches.match import play_match
from noughts.players import Player, make_player
from noughts.players.text_seat import Exchange
from noughts.progress import Tick
from noughts.rules.spec import Rules
from noughts.solving import solve
from noughts.suites.asking import SuitePlan
from noughts.suites.questions import Suite
from noughts.suites.scores import SuiteResults, results_data, score_answers
from noughts.text.prompts import example_action
from noughts.text.replies import reader_of

OPENING = 2
"""Random moves at the start of each pair of games."""
LEVELS = (2, 5, 8)
EPISODES = 300
"""Episodes of the tabular learner: with ten times as many it plays classic perfectly."""
LEARNER = "q-learning"
SEED = 1


@dataclass(frozen=True)
class Situation:
    """A position as a reference player sees it. example: the move that the prompt shows. before: the rules before a
    change.
    """

    state: State
    example: int
    before: Rules | None = None


Chooser = Callable[[Situation, random.Random], int]


def at_random(at: Situation, draw: random.Random) -> int:
    return draw.choice(at.state.legal_actions())


def copier(at: Situation, draw: random.Random) -> int:
    return at.example


def memoriser(at: Situation, draw: random.Random) -> int:
    """Returns the best move of the known game in the same cells; a random legal move if there is none."""
    rules, known, legal = at.state.game.rules, at.before, at.state.legal_actions()
    if known is None and rules.side == 3 and rules.line_sum is None and not rules.nested:
        similar = (other for other in VARIANTS if not (other.nested or other.misere or other.line_sum))
        known = next((other for other in similar if other.side == 3 and other.places == rules.places), None)
    if known is not None:
        try:
            state = Game(known).from_string(at.state.to_string())
            best = [] if state.is_terminal() else solve(state.game).best_actions(state)
        except ValueError:  # a position that does not exist in the known game
            best = []
        best = [action for action in best if action in legal]
        if best:
            return draw.choice(best)
    return at_random(at, draw)


def looks_ahead(plies: int) -> Chooser:
    """Returns a player that searches `plies` plies ahead for wins and losses."""

    def choose(at: Situation, draw: random.Random) -> int:
        values = {action: _apparent_value(at.state, action, plies) for action in at.state.legal_actions()}
        best = max(values.values())
        return draw.choice([action for action, value in values.items() if value == best])

    return choose


def _apparent_value(state: State, action: int, plies: int) -> float:
    """Returns the apparent value of a move to its player."""
    after = state.child(action)
    if after.is_terminal():
        return after.returns()[state.current_player()]
    if plies <= 1:
        return 0.0
    best = -1.0
    for reply in after.legal_actions():
        best = max(best, _apparent_value(after, reply, plies - 1))
        if best == 1.0:
            break
    return -best


def engine(level: int) -> Chooser:
    def choose(at: Situation, draw: random.Random) -> int:
        player = make_player(f"alphabeta:level={level}", seed=draw.getrandbits(32))
        player.prepare(at.state.game)
        return int(player.choose(at.state.clone(), Clock(None)))

    return choose


def learner(at: Situation, draw: random.Random) -> int:
    values = _learnt(at.state.game.rules).table.action_values(at.state)
    return max(values, key=values.__getitem__)


@lru_cache(4)
def _learnt(rules: Rules) -> Training:
    return Training(preset("self", rules, {"episodes": EPISODES, "seed": SEED})).finish()


SUITE_PLAYERS: dict[str, Chooser] = {
    "random": at_random,
    "copier": copier,
    "memoriser": memoriser,
    **{f"{plies} pl{'y' if plies == 1 else 'ies'}": looks_ahead(plies) for plies in (1, 2, 4)},
    **{f"alphabeta:level={level}": engine(level) for level in LEVELS},
}
ENGINES = ("random", *(f"alphabeta:depth={plies}" for plies in (1, 2, 4)), *(f"alphabeta:level={n}" for n in LEVELS))
"""Players of games that have a name."""


def players_of_suite(suite: Suite) -> dict[str, Chooser]:
    return SUITE_PLAYERS if suite.size == "full" else SUITE_PLAYERS | {LEARNER: learner}


def players_of_game(game: Game) -> dict[str, str | Player]:
    own = {"copier": copier, "memoriser": memoriser}
    if not game.rules.nested:
        own[LEARNER] = learner
    named: dict[str, str | Player] = {name: name for name in (*ENGINES, *(() if game.rules.nested else ("perfect",)))}
    return named | {name: _InGame(name, choose) for name, choose in own.items()}


class _InGame:
    """A reference player in a game."""

    def __init__(self, name: str, choose: Chooser) -> None:
        self.name = name
        self._choose = choose
        self._draw = random.Random(name)

    def choose(self, state: State, clock: Clock) -> int:
        return self._choose(Situation(state, example_action(state.game.rules, state.current_player())), self._draw)


def answer_all(suite: Suite, name: str, choose: Chooser) -> SuiteResults:
    """Returns the results of a reference player on a suite."""
    exchanges = {}
    for number, question in enumerate(suite.questions):
        at = Situation(question.state, question.example, question.before)
        move = reader_of(question.rules).names[choose(at, random.Random(f"{name} {number}"))]
        exchanges[number] = Exchange(0, question.state.current_player(), [], move, 0.0)
    return score_answers(SuitePlan(suite, name), exchanges)


def play_games(game: Game, name: str, player: str | Player, games: int) -> dict[str, Any]:
    """Returns the results of a reference player in a game as data, without the costliest moves."""
    against = STRONG if game.rules.nested else PERFECT
    played = play_match(game, (player, against), games=games, opening=OPENING, seed=SEED, progress=False)
    plan = PastPlan(game, name, against, games, SEED, opening=OPENING)
    data = game_data(grade(plan, played.records), played.records)
    del data["grades"]["blunders"]
    return data


def reference_results(suites: Sequence[Suite], games: int, tick: Tick) -> Comparison:
    """Returns the results of all reference players on these suites, and in all built-in games. games: of
    each player in each solved game; half of that in nested games.
    """
    boards = [game_of(rules) for rules in sorted(VARIANTS, key=lambda rules: rules.nested)]
    total = sum(len(players_of_suite(suite)) for suite in suites) + sum(len(players_of_game(game)) for game in boards)
    found = Comparison([], [], [])
    for suite in suites:
        for name, choose in players_of_suite(suite).items():
            found.suites.append(results_data(answer_all(suite, name, choose)))
            tick((len(found.suites) + len(found.games)) / total)
    for game in boards:
        for name, player in players_of_game(game).items():
            each = max(2, games // 2) if game.rules.nested else games
            found.games.append(play_games(game, name, player, each))
            tick((len(found.suites) + len(found.games)) / total)
    return found
