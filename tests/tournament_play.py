"""What tests of tournaments share: results that depend on nothing but the game, and a format played to its end."""

import weakref

from noughts.tournaments.results import Fixture, Result, random_number


def names(count):
    return [f"bot{number}" for number in range(count)]


def result_of(fixture):
    """A made-up result: the same for the same game, stronger for lower numbers."""
    strengths = [int(name.removeprefix("bot")) + random_number(1, fixture, name) % 20 for name in fixture[:2]]
    if strengths[0] == strengths[1]:
        return Result(fixture, (24, 24))
    winner = int(strengths[0] > strengths[1])
    return Result(fixture, (0, 68) if winner else (68, 0))


def play(form, results=(), most=10**9):
    """All results when the format has nothing due, or after `most` more games."""
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


def tournament_in(path, game="classic", players=("random", "greedy", "random:seed=5"), seed=7, name="main", **settings):
    """An open tournament in a new file, with these players."""
    import noughts
    from noughts.tournaments.organiser import enter_players
    from noughts.tournaments.settings import Settings
    from noughts.tournaments.store import TournamentFile

    file = TournamentFile(path, write=True)
    weakref.finalize(file, file._connection.close)  # for tests that end with the file open
    tournament = file.create(name, noughts.load_game(game), Settings(**{"seconds": 5.0, **settings}), seed)
    enter_players(tournament, players, staff=False)
    return tournament


def play_some(tournament, most=10**9, trusted=("random:seed=5",)):
    """Play what is due in this process, up to `most` games; returns their number."""
    from noughts.course.rules import gate_of
    from noughts.tournaments.organiser import run_of

    games = run_of(tournament, gate_of(tournament), trusted=trusted).play()
    played = 0
    for _ in zip(range(most), games, strict=False):
        played += 1
    games.close()
    return played


def played_games(tournament):
    """Each game that counts: where, and everything that happened in it but the times."""
    import json

    found, seeds = {}, dict(tournament.file.rows("SELECT id, seed FROM game"))
    for game in tournament.game_rows():
        place = tuple(game[key] for key in ("stage", "pool", "round", "first", "second"))
        assert place not in found, "a game counts once"
        found[place] = (
            json.loads(game["replay"])["moves"],
            game["first_points"],
            game["second_points"],
            seeds[game["id"]],
        )
    return found
