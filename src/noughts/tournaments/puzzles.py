"""Writes the positions that decided a team's games, as files for `noughts check --positions`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from noughts.analysis.mistakes import LOST, Mistake, Review
from noughts.analysis.puzzles import KINDS, Puzzle, to_json
from noughts.files import slugs, write_whole
from noughts.matches.record import GameRecord
from noughts.tournaments.view import TournamentView
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


def puzzles_of(
    games: Iterable[tuple[int, GameRecord, Review]], name: str, visibility: Visibility = STAFF
) -> list[Puzzle]:
    """Returns the costliest positions of a team in these reviewed games as puzzles. visibility: of the audience."""
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
        for number, record, mistake in costly_mistakes(games, name)[:MOST]
    ]


def write_puzzles(view: TournamentView, folder: Path, name: str | None = None) -> list[Path]:
    """Writes a file NAME.json for each team with positions, or for one team. Returns the files."""
    names = [entry.name for entry in view.entries if entry.plays and name in (None, entry.name)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"{folder} is a file; name a folder for the positions") from None
    written = []
    for each, stem in zip(names, slugs(names), strict=True):
        if puzzles := puzzles_of(view.reviewed_games(each), each):
            written.append(folder / f"{stem}.json")
            write_whole(written[-1], to_json(view.tournament.game, puzzles).encode())
    return written
