"""Evaluates players over all the games that they can play: exact numbers instead of a sample, in solvable games.

A player is a name, a player object, or a policy: a function of a state that returns an action or the chance of each.
`random`, `greedy` and `perfect` are followed with their true chances. Any other player is asked once in each position
that it can meet, and its answer counts as its only choice in that position.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from noughts.game import Game, State
from noughts.library import load_game
from noughts.players import Clock, PerfectPlayer, Player, RandomPlayer, TextPlayer, make_player
from noughts.players.protocol import BasePlayer, takes_state_only
from noughts.players.q import LearntPlayer
from noughts.players.simple import ChancePlayer
from noughts.progress import Tick
from noughts.rules.spec import Rules
from noughts.solving import PLAIN, Policy, PolicyValue, Rewards, rewards_of
from noughts.solving.policies import BestResponse, policy_value, respond

AnyPlayer = str | Player | Callable[[State], object]


def evaluate_policy(
    game: str | Rules | Game,
    player: AnyPlayer,
    against: AnyPlayer = "random",
    seat: int = 0,
    *,
    rewards: Rewards = PLAIN,
    discount: float = 1.0,
    tick: Tick | None = None,
) -> PolicyValue:
    """Returns the exact chances of a player's win, draw and loss in `seat` against another, over all their games.

    Raises TooLarge (a ValueError) if the game cannot be solved. tick: called with the share of the work done.

    >>> import noughts
    >>> value = noughts.evaluate_policy("classic", "perfect", against="random")
    >>> round(value.win, 4), value.loss
    (0.9922, 0.0)
    >>> first = noughts.evaluate_policy("classic", lambda state: state.legal_actions()[0], against="perfect", seat=1)
    >>> round(first.loss, 4)
    1.0
    """
    game = load_game(game)
    ours, theirs = _policy(player, game, seat), _policy(against, game, 1 - seat)
    return policy_value(game, ours, theirs, seat=seat, rewards=rewards, discount=discount, tick=tick)


def best_response(
    game: str | Rules | Game,
    player: AnyPlayer = "random",
    seat: int = 0,
    *,
    rewards: Rewards = PLAIN,
    discount: float = 1.0,
    tick: Tick | None = None,
) -> BestResponse:
    """Returns the best play from `seat` against a player in the other seat.

    discount: in (0, 1], for each step (a move and its reply). tick: called with the share of the work done.

    >>> import noughts
    >>> best = noughts.best_response("classic", "greedy")
    >>> best.action(noughts.load_game("classic").new_initial_state()), round(best.expected_return(), 3)
    (0, 0.927)
    """
    game = load_game(game)
    return respond(game, _policy(player, game, 1 - seat), seat, rewards, discount, tick=tick)


def exploitability(game: str | Rules | Game, player: AnyPlayer, *, tick: Tick | None = None) -> float:
    """Returns how much a best response gains against a player, on average over both seats: 0 for perfect play.

    It is OpenSpiel's exploitability: half the sum of the best responses' returns from both seats.

    >>> import noughts
    >>> noughts.exploitability("classic", "perfect"), round(noughts.exploitability("classic", "random"), 4)
    (0.0, 0.9598)
    """
    responses = [best_response(game, player, seat, tick=_part(tick, seat, 2)) for seat in (0, 1)]
    return sum(response.expected_return() for response in responses) / 2


def _policy(player: AnyPlayer, game: Game, seat: int) -> Policy:
    """Returns a player's policy in `seat`, for the solver."""
    if callable(player) and not hasattr(player, "choose") and takes_state_only(player):
        policy: Policy = player  # type: ignore[assignment]
        return policy
    ready = make_player(player, seed=0)
    if isinstance(ready, TextPlayer):
        raise ValueError(f"{ready.name} is a language model, which cannot be asked in every position")
    if isinstance(ready, RandomPlayer):
        return "random"
    if isinstance(ready, PerfectPlayer):
        return "perfect"
    if seat not in ready.seats:
        raise ValueError(f"{ready.name} cannot play as player {seat}")
    ready.prepare(game)
    if isinstance(ready, ChancePlayer):
        choices = ready.choices
        return lambda state: dict.fromkeys(found := choices(state), 1 / len(found))
    clock = Clock()
    return lambda state: ready.choose(state.clone(), clock)


@dataclass(frozen=True)
class ExactSeat:
    """The value of a player in one seat, and the best return that any player could have there."""

    seat: int
    value: PolicyValue
    optimum: float


@dataclass(frozen=True)
class Exact:
    """Exact results of a player. rewards, discount: of the returns; by default those of its training, or 1, 0, -1."""

    game: Game
    player: str
    against: str
    rewards: Rewards
    discount: float
    seats: list[ExactSeat]


def evaluate_seats(player: str, against: str, game: Game | None = None, tick: Tick | None = None) -> Exact:
    """Returns `evaluate_policy` and `best_response` of two players by name, in each seat where they can meet.

    The game is the given one, else the one that a player learned. Raises ValueError if a player makes random choices
    that cannot be followed.
    """
    ours, theirs = _exact_player(player), _exact_player(against)
    learnt = next((side for side in (ours, theirs) if isinstance(side, LearntPlayer)), None)
    if game is None:
        if learnt is None:
            raise ValueError("these players can play any game; name one")
        game = Game(learnt.settings.rules)
    rewards, discount = PLAIN, 1.0
    if isinstance(ours, LearntPlayer):
        rewards, discount = rewards_of(ours.settings.rewards), ours.settings.gamma
    found = []
    seats = [seat for seat in (0, 1) if seat in ours.seats and 1 - seat in theirs.seats]
    for number, seat in enumerate(seats):
        ticks = [_part(tick, 2 * number + part, 2 * len(seats)) for part in (0, 1)]
        value = evaluate_policy(game, ours, theirs, seat, rewards=rewards, discount=discount, tick=ticks[0])
        best = best_response(game, theirs, seat, rewards=rewards, discount=discount, tick=ticks[1])
        found.append(ExactSeat(seat, value, best.expected_return()))
    if not found:
        raise ValueError(f"{player} and {against} were trained in the same seat, so they cannot meet")
    return Exact(game, player, against, rewards, discount, found)


def is_exact(name: str) -> bool:
    """Returns whether the chances of a player's moves are known in every position. A language model is not asked."""
    if name.startswith(("q:", "llm:")):
        return name.startswith("q:")
    player = make_player(name, seed=0)
    player.close()
    return isinstance(player, ChancePlayer) or player.is_deterministic


def _exact_player(name: str) -> BasePlayer:
    if not is_exact(name):
        raise ValueError(
            f"exact results need random, greedy, perfect, q:RUN or deterministic players, not for {name!r}"
        )
    return make_player(name, seed=0)


def _part(tick: Tick | None, number: int, parts: int) -> Tick | None:
    """Returns the progress of one part out of several as that of the whole."""
    if tick is None:
        return None
    return lambda share: tick((number + share) / parts)
