"""What an agent is paid when it plays against an opponent that is part of its world.

One step is a move of the agent and the reply to it. A step that ends the game pays for the end, every other one
`step`; with `charge_last`, the step that ends the game pays `step` on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True)
class Rewards:
    """Rewards for the agent's win, draw and loss, and for a step after which the game goes on.

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
        """The reward of the step that ends the game with a win (1), a draw (0) or a loss (-1)."""
        end = (self.draw, self.win, self.loss)[result]
        return end + self.step if self.charge_last else end

    def at_margin(self, margin: float) -> float:
        """The same for any margin from -1 to 1: between the draw and the win or the loss, in proportion."""
        whole = self.win if margin > 0 else self.loss
        end = self.draw + abs(margin) * (whole - self.draw)
        return end + self.step if self.charge_last else end


PLAIN = Rewards()
"""1 for a win, -1 for a loss, nothing else."""

PUBLISHED = Rewards(win=10.0, draw=0.0, loss=-10.0, step=-1.0)
"""The numerical game as a decision process: each step costs 1, except the one that ends the game."""

PUBLISHED_EVERY_STEP = Rewards(win=10.0, draw=0.0, loss=-10.0, step=-1.0, charge_last=True)
"""The same where the last step costs 1 too."""

SCHEMES = {"outcome": PLAIN, "published": PUBLISHED, "per_move": PUBLISHED_EVERY_STEP}
"""Rewards by name, for settings and command lines."""


def rewards_of(scheme: str | Rewards) -> Rewards:
    """The rewards that a name stands for; ValueError if it stands for none."""
    if isinstance(scheme, Rewards):
        return scheme
    if scheme not in SCHEMES:
        raise ValueError(f"there are no rewards {scheme!r}; they are {', '.join(SCHEMES)}, or a Rewards record")
    return SCHEMES[scheme]


def require_setting(seat: int, discount: float) -> None:
    """ValueError unless `seat` is one and `discount` is in (0, 1]."""
    if seat not in (0, 1):
        raise ValueError(f"seat is 0 (moves first) or 1, not {seat!r}")
    if not 0 < discount <= 1:
        raise ValueError(f"the discount must be above 0 and at most 1, not {discount}")
