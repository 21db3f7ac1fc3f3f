"""Players whose every choice is known, over all the games that they can play: exact numbers instead of a sample."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from noughts.game import Game, State
from noughts.players import Clock, make_player
from noughts.players.q import LearntPlayer
from noughts.solving import PLAIN, Policy, PolicyValue, Rewards, best_return, evaluate_policy, rewards_of
from noughts.solving import solve_against_random as best_against_random

NAMED = ("random", "perfect")


@dataclass(frozen=True)
class ExactSeat:
    """What a player comes to in one seat, and the best return that any player could have there (None if unknown)."""

    seat: int
    value: PolicyValue
    optimum: float | None


@dataclass(frozen=True)
class Exact:
    """rewards, discount: what the returns are of; those of its training if the player was trained, else 1, 0, -1."""

    game: Game
    player: str
    against: str
    rewards: Rewards
    discount: float
    seats: list[ExactSeat]


def is_exact(name: str) -> bool:
    """Whether a player's name stands for choices that are known in every position."""
    return name.startswith("q:") or _bare(name) in NAMED


def evaluate_exactly(
    player: str, against: str, game: Game | None = None, tick: Callable[[float], None] | None = None
) -> Exact:
    """Both players by name; the game is that which one of them learnt, or the one given.

    ValueError if a player's choices are not known in every position.
    """
    for name in (player, against):
        if not is_exact(name):
            raise ValueError(f"exact numbers are for the players {', '.join(NAMED)} and q:RUN, not for {name!r}")
    ours, theirs = _side(player), _side(against)
    learnt = next((side for side in (ours, theirs) if isinstance(side, LearntPlayer)), None)
    if game is None:
        if learnt is None:
            raise ValueError("name a game: none of these players is bound to one")
        game = Game(learnt.settings.rules)
    rewards, discount = PLAIN, 1.0
    if isinstance(ours, LearntPlayer):
        rewards, discount = rewards_of(ours.settings.rewards), ours.settings.gamma
    found = []
    seats = [seat for seat in (0, 1) if seat in _seats(ours) and 1 - seat in _seats(theirs)]
    for number, seat in enumerate(seats):
        value = evaluate_policy(
            game,
            _policy(ours),
            _policy(theirs),
            player=seat,
            rewards=rewards,
            discount=discount,
            tick=_part(tick, number, len(seats)),
        )
        found.append(ExactSeat(seat, value, _optimum(game, theirs, seat, rewards, discount)))
    if not found:
        raise ValueError(f"{player} and {against} learnt the same seat, so they cannot meet")
    return Exact(game, player, against, rewards, discount, found)


def _part(tick: Callable[[float], None] | None, number: int, parts: int) -> Callable[[float], None] | None:
    """Progress of one part out of several, told as that of the whole."""
    if tick is None:
        return None
    return lambda share: tick((number + share) / parts)


def _side(name: str) -> str | LearntPlayer:
    if not name.startswith("q:"):
        return _bare(name)
    player = make_player(name)
    assert isinstance(player, LearntPlayer)
    return player


def _bare(name: str) -> str:
    """A player's name without options."""
    return re.split("[:?]", name, maxsplit=1)[0].lower()


def _seats(side: str | LearntPlayer) -> tuple[int, ...]:
    return side.seats if isinstance(side, LearntPlayer) else (0, 1)


def _policy(side: str | LearntPlayer) -> Policy:
    if side == "random":
        return "random"
    if not isinstance(side, LearntPlayer):
        return "perfect"
    clock = Clock()

    def choose(state: State) -> int:
        return side.choose(state, clock)

    return choose


def _optimum(game: Game, against: str | LearntPlayer, seat: int, rewards: Rewards, discount: float) -> float | None:
    if against == "random":
        return best_against_random(game, seat, rewards, discount).expected_return()
    if against == "perfect":
        return best_return(game, "perfect", seat, rewards, discount)
    return None
