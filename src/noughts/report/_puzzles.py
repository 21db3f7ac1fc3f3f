"""The positions that decided a team's games, as files that `noughts check --positions` runs."""

from __future__ import annotations

from pathlib import Path

from noughts.analysis.mistakes import LOST
from noughts.analysis.puzzles import KINDS, Puzzle, to_json
from noughts.files import slugs, write_whole
from noughts.tournaments.reviews import reviews_of
from noughts.tournaments.store import TournamentStore, record_of

MOST = 50
"""Positions of one team: the costliest."""


def puzzles_of(tournament: TournamentStore, name: str) -> list[Puzzle]:
    """The mistakes of a team in positions that were not lost, decisive ones first, then by what they gave away.

    The same position is told once.
    """
    reviews = reviews_of(tournament)
    found: dict[tuple[int, ...], tuple[tuple[bool, float], Puzzle]] = {}
    for game in tournament.game_rows(name=name):
        review = reviews.get(game["id"])
        if review is None:
            continue
        record = record_of(game)
        for mistake in review.mistakes:
            if record.players[mistake.player] != name or mistake.best.value <= LOST:
                continue
            moves = tuple(record.moves[: mistake.ply])
            other = record.players[1 - mistake.player]
            puzzle = Puzzle(
                moves,
                mistake.better,
                record.moves[mistake.ply],
                mistake.best.value,
                mistake.loss,
                KINDS[mistake.kind],
                mistake.exact,
                f"game {game['number']}, move {mistake.ply + 1}, against {other}",
            )
            found.setdefault(moves, ((not mistake.decisive, -mistake.loss), puzzle))
    return [puzzle for _, puzzle in sorted(found.values(), key=lambda each: each[0])[:MOST]]


def write_puzzles(tournament: TournamentStore, folder: Path, name: str | None = None) -> list[Path]:
    """A file NAME.json for each team that has some, or for one; what was written."""
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
