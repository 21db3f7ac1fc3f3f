"""Writes the positions that decided a team's games, as files for `noughts check --positions`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from noughts.analysis.mistakes import LOST, Mistake, Review
from noughts.analysis.puzzles import KINDS, Puzzle, to_json
from noughts.files import slugs, write_whole
from noughts.matches.record import GameRecord
from noughts.tournaments.reviews import review_of
from noughts.tournaments.store import TournamentStore, record_of
from noughts.tournaments.visibility import STAFF, Visibility

MOST = 50
"""Maximum positions of a team, the costliest."""
MOST_OF_GAME = 2
"""Maximum positions from one game: those of a lost cause resemble each other."""


def costly_mistakes(
    games: Iterable[tuple[int, GameRecord, Review]], name: str
) -> list[tuple[int, GameRecord, Mistake]]:
    """Returns the mistakes of a player in positions that were not lost, decisive ones first, then by loss.

    games: with their numbers. Equal positions appear once, and each game has at most MOST_OF_GAME.
    """
    mistakes: dict[tuple[int, ...], tuple[int, GameRecord, Mistake]] = {}
    for number, record, review in games:
        for mistake in review.mistakes:
            if record.players[mistake.player] == name and mistake.best.value > LOST:
                mistakes.setdefault(tuple(record.moves[: mistake.ply]), (number, record, mistake))
    of_game = Counter[int]()
    chosen = []
    for number, record, mistake in sorted(mistakes.values(), key=lambda item: (not item[2].decisive, -item[2].loss)):
        of_game[number] += 1
        if of_game[number] <= MOST_OF_GAME:
            chosen.append((number, record, mistake))
    return chosen


def _reviewed_games(
    tournament: TournamentStore, name: str, latest: int | None
) -> Iterator[tuple[int, GameRecord, Review]]:
    """Yields the reviewed games of a contestant. latest: only this many newest ones, including former versions."""
    for game in tournament.game_rows(name=name, everything=latest is not None, replays=False, latest=latest):
        if (review := review_of(tournament, game["id"])) is not None:
            rows = tournament.game_rows(number=game["number"], everything=True)
            yield game["number"], record_of(next(row for row in rows if row["id"] == game["id"])), review


def puzzles_of(
    tournament: TournamentStore, name: str, visibility: Visibility = STAFF, latest: int | None = None
) -> list[Puzzle]:
    """Returns the costliest positions of a team as puzzles. visibility: of the audience. latest: look only at this many
    newest games, including former versions."""
    return [
        Puzzle(
            tuple(record.moves[: mistake.ply]),
            mistake.better,
            record.moves[mistake.ply],
            mistake.best.value,
            mistake.loss,
            KINDS[mistake.kind],
            mistake.exact,
            f"game {number}, move {mistake.ply + 1}, against {visibility.name(record.players[1 - mistake.player])}",
        )
        for number, record, mistake in costly_mistakes(_reviewed_games(tournament, name, latest), name)[:MOST]
    ]


def write_puzzles(tournament: TournamentStore, folder: Path, name: str | None = None) -> list[Path]:
    """Writes a file NAME.json for each team with positions, or for one team. Returns the files."""
    names = [entry.name for entry in tournament.entries.all() if entry.plays and name in (None, entry.name)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"{folder} is a file; name a folder for the positions") from None
    written = []
    for each, stem in zip(names, slugs(names), strict=True):
        if puzzles := puzzles_of(tournament, each):
            written.append(folder / f"{stem}.json")
            write_whole(written[-1], to_json(tournament.game, puzzles).encode())
    return written
