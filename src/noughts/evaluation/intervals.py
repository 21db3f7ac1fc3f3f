"""How sure a rate is."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

NORMAL_95 = 1.959964
"""Half of the width, in standard deviations, of the range that holds 95 % of a normal distribution."""


@dataclass(frozen=True)
class Estimate:
    """A rate or a mean with its 95 % interval; all 0 to 1 for a rate. n: what it is based on. None where n is 0."""

    n: int
    value: float | None
    low: float | None
    high: float | None


def rate(hits: int, n: int) -> Estimate:
    """`hits` of `n`, with Wilson's interval, which stays inside 0 to 1 and says something for 0 of n too."""
    if n == 0:
        return Estimate(0, None, None, None)
    z2 = NORMAL_95**2
    share = hits / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = NORMAL_95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return Estimate(n, share, max(0.0, centre - half) if hits else 0.0, min(1.0, centre + half) if hits < n else 1.0)


def mean(total: float, squares: float, n: int) -> Estimate:
    """The mean of n numbers from their sum and the sum of their squares, with the normal interval."""
    if n == 0:
        return Estimate(0, None, None, None)
    average = total / n
    variance = max(0.0, squares / n - average**2) * n / (n - 1) if n > 1 else 0.0
    half = NORMAL_95 * sqrt(variance / n)
    return Estimate(n, average, average - half, average + half)
