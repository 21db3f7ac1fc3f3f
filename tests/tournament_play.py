"""What tests of tournaments share: results that depend on nothing but the game, and a format played to its end."""

from noughts.tournaments.results import Fixture, Result, lot


def names(count):
    return [f"bot{number}" for number in range(count)]


def result_of(fixture):
    """A made-up result: the same for the same game, stronger for lower numbers."""
    strengths = [int(name.removeprefix("bot")) + lot(1, fixture, name) % 20 for name in fixture[:2]]
    if strengths[0] == strengths[1]:
        return Result(fixture, (24, 24))
    winner = int(strengths[0] > strengths[1])
    return Result(fixture, (0, 68) if winner else (68, 0), winner)


def play(form, results=(), most=10**9):
    """All results when the format has nothing due, or after so many games more."""
    results = list(results)
    while batch := list(form.due(results)):
        assert len(set(batch)) == len(batch)
        for fixture in batch:
            if len(results) >= most:
                return results
            results.append(result_of(fixture))
    return results


def game(first, second, points, **place):
    return Result(Fixture(first, second, **place), points)
