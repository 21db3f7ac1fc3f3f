"""Writes the positions that decided a team's games, as files for `noughts check --positions`."""

from __future__ import annotations

from pathlib import Path

from noughts.analysis.mistakes import LOST, Mistake
from noughts.analysis.puzzles import KINDS, Puzzle, to_json
from noughts.files import slugs, write_whole
from noughts.matches.record import GameRecord
from noughts.tournaments.reviews import review_of
from noughts.tournaments.store import TournamentStore, record_of
from noughts.tournaments.visibility import STAFF, Visibility

MOST = 50
"""Maximum positions of a team, the costliest."""


def costly_mistakes(
    tournament: TournamentStore, name: str, latest: int | None = None
) -> list[tuple[int, GameRecord, Mistake]]:
    """Returns the mistakes of a team in positions that were not lost, decisive ones first, then by loss.

    Each comes with the number of its game and the game; equal positions appear once. latest: look only at this many
    newest games, including former versions.
    """
    found: dict[tuple[int, ...], tuple[int, GameRecord, Mistake]] = {}
    for game in tournament.game_rows(name=name, everything=latest is not None, replays=False, latest=latest):
        review = review_of(tournament, game["id"])
        if review is None:
            continue
        (whole,) = (
            row for row in tournament.game_rows(number=game["number"], everything=True) if row["id"] == game["id"]
        )
        record = record_of(whole)
        for mistake in review.mistakes:
            if record.players[mistake.player] == name and mistake.best.value > LOST:
                found.setdefault(tuple(record.moves[: mistake.ply]), (game["number"], record, mistake))
    return sorted(found.values(), key=lambda each: (not each[2].decisive, -each[2].loss))


def puzzles_of(
    tournament: TournamentStore, name: str, visibility: Visibility = STAFF, latest: int | None = None
) -> list[Puzzle]:
    """Returns the costliest positions of a team as puzzles. visibility: of the audience. latest: as for
    `costly_mistakes`."""
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
        for number, record, mistake in costly_mistakes(tournament, name, latest)[:MOST]
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
