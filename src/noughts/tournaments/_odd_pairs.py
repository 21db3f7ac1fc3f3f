"""Finds pairs of teams whose results against each other do not fit their results against others.

One of them may let the other win. Ratings would hide it, because they explain these games too. So each strength is
estimated from the other games alone, and the ratings of those opponents.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from noughts.matches.tally import Tally
from noughts.tournaments._ladder import LADDER
from noughts.tournaments._ratings import ELO, PRIOR_ELO
from noughts.tournaments.store import TournamentStore

ODD_GAMES, ODD_ERRORS = 6, 3.0
"""Results are odd after this many games, if they differ from the expected ones by this many standard errors."""
STEPS, ENOUGH = 8, 1e-6
"""Steps of Newton's method, each at most 1 in natural units; one smaller than ENOUGH is the last."""


def odd_pairs(ladder: TournamentStore, elos: Mapping[int, float]) -> list[dict[str, Any]]:
    """Returns the pairs, oddest first. elos: ratings of the current versions.

    points: of the weaker team. expected: from both teams' games against others.
    """
    teams = {entry.version_id: entry.name for entry in ladder.entries.teams() if entry.plays}
    met = _met(ladder, elos)
    strength = cache(lambda version, without: _strength(elos, met[version], without))
    found = []
    for weak, record in met.items():
        for strong, tally in record.items():
            if weak not in teams or strong not in teams or tally.games < ODD_GAMES:
                continue
            (low, low_variance), (high, high_variance) = strength(weak, strong), strength(strong, weak)
            share = 1 / (1 + math.exp(high - low))
            expected, variance = tally.games * share, tally.games * share * (1 - share)
            variance += variance**2 * (low_variance + high_variance)
            if low < high and tally.total_score - expected > ODD_ERRORS * math.sqrt(variance):
                row = {"team": teams[weak], "against": teams[strong], "points": tally.total_score}
                found.append(row | {"games": tally.games, "expected": round(expected, 1)})
    return sorted(found, key=lambda row: row["expected"] - row["points"])


def _met(ladder: TournamentStore, versions: Iterable[int]) -> dict[int, dict[int, Tally]]:
    """Returns the record of each version against each other one, without repeated games."""
    found: dict[int, dict[int, Tally]] = {version: {} for version in versions}
    for first, second, points, against, count in ladder.file.rows(
        "SELECT first_version, second_version, first_points, second_points, count(*) "
        "FROM entry AS one CROSS JOIN entry AS other "  # pairs have an index
        "CROSS JOIN game ON first_version = one.version AND second_version = other.version "
        "CROSS JOIN fixture ON fixture.id = game.fixture WHERE one.tournament = ?1 AND other.tournament = ?1 "
        "AND fixture.tournament = ?1 AND stage = ?2 AND void IS NULL AND repeated IS NULL GROUP BY 1, 2, 3, 4",
        *(ladder.id, LADDER),
    ):
        if first in found and second in found:
            found[first].setdefault(second, Tally()).add(points, against, games=count)
            found[second].setdefault(first, Tally()).add(against, points, games=count)
    return found


def _strength(elos: Mapping[int, float], record: Mapping[int, Tally], without: int) -> tuple[float, float]:
    """Returns the strength that explains a record without one opponent, in natural units, and its variance."""
    others = [
        (elos[other] / ELO, tally.games, tally.total_score) for other, tally in record.items() if other != without
    ]
    strength, certainty = 0.0, (ELO / PRIOR_ELO) ** 2
    for _ in range(STEPS):
        slope, certainty = -strength * (ELO / PRIOR_ELO) ** 2, (ELO / PRIOR_ELO) ** 2
        for elo, games, score in others:
            share = 1 / (1 + math.exp(elo - strength))
            slope += score - games * share
            certainty += games * share * (1 - share)
        step = max(-1.0, min(1.0, slope / certainty))
        strength += step
        if abs(step) < ENOUGH:
            break
    return strength, 1 / certainty
