"""Rewards of an agent that plays against an opponent as part of its environment.

One step is a move of the agent and the reply. The last step pays for the result, every other step pays `step`; with
`charge_last`, the last step pays both.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True)
class Rewards:
    """Rewards for the agent's win, draw and loss, and for a step that does not end the game.

    >>> import noughts
    >>> noughts.evaluate_policy("classic", "perfect", "perfect", rewards=noughts.Rewards(step=-1)).expected_return
    -4.0
    """

    win: float = 1.0
    draw: float = 0.0
    loss: float = -1.0
    step: float = 0.0
    charge_last: bool = False

    def __post_init__(self) -> None:
        for name in ("win", "draw", "loss", "step"):
            if not isfinite(getattr(self, name)):
                raise ValueError(f"the reward for a {name} must be a finite number, not {getattr(self, name)}")

    def at_end(self, result: int) -> float:
        """Returns the reward of the step that ends the game with a win (1), a draw (0) or a loss (-1)."""
        end = (self.draw, self.win, self.loss)[result]
        return end + self.step if self.charge_last else end

    def at_margin(self, margin: float) -> float:
        """Returns the same for any margin from -1 to 1, interpolated between the draw and the win or the loss."""
        whole = self.win if margin > 0 else self.loss
        end = self.draw + abs(margin) * (whole - self.draw)
        return end + self.step if self.charge_last else end


PLAIN = Rewards()
"""1 for a win, -1 for a loss, nothing else."""

PUBLISHED = Rewards(win=10.0, draw=0.0, loss=-10.0, step=-1.0)
"""The rewards of the published numerical game: each step costs 1, except the one that ends the game."""

PUBLISHED_EVERY_STEP = Rewards(win=10.0, draw=0.0, loss=-10.0, step=-1.0, charge_last=True)
"""The same, except that the last step costs 1 too."""

SCHEMES = {"outcome": PLAIN, "published": PUBLISHED, "per_move": PUBLISHED_EVERY_STEP}
"""Rewards by name, for settings and command lines."""


def rewards_of(scheme: str | Rewards) -> Rewards:
    """Returns the rewards with a name. Raises ValueError if the name is unknown."""
    if isinstance(scheme, Rewards):
        return scheme
    if scheme not in SCHEMES:
        raise ValueError(
            f"there is no reward scheme {scheme!r}; choose one of {', '.join(SCHEMES)}, or a Rewards record"
        )
    return SCHEMES[scheme]


def require_setting(seat: int, discount: float) -> None:
    """Raises ValueError unless `seat` is 0 or 1 and `discount` is in (0, 1]."""
    if seat not in (0, 1):
        raise ValueError(f"seat is {seat!r}; it must be 0 (moves first) or 1")
    if not 0 < discount <= 1:
        raise ValueError(f"the discount must be above 0 and at most 1, not {discount}")
