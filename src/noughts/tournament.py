"""Runs a tournament in a few lines of Python, on the same file that `noughts tournament` uses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from noughts.course.marks import Mark, marks_of
from noughts.course.rules import gate_of
from noughts.course.submissions import sync_folder
from noughts.files import make_folder
from noughts.game import Game
from noughts.library import load_game
from noughts.matches.record import GameRecord
from noughts.players.bot import default_limits
from noughts.players.protocol import PlayerLike
from noughts.progress import progress
from noughts.rules.spec import Rules
from noughts.tournaments import Rating
from noughts.tournaments.organiser import enter_players, run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.summary import Standings
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import STAFF

NAME = "tournament"


class Tournament:
    """A tournament of any number of players: a league, a Swiss tournament, a gauntlet or the course's stages.

    game: for a new tournament. players: names, bot files and objects, or a folder of bots. format: "league", "swiss",
    "gauntlet" or "course". file: stores everything, to continue later and for `noughts tournament` (default: a
    temporary file). staff: players who take part without marks; in a gauntlet, the opponents of all others. time:
    seconds per move. seed: random if not given. options: the other settings of `noughts tournament run`, such as
    rounds, admit, strict, sure.

    >>> import noughts
    >>> with noughts.Tournament("classic", ["perfect", "greedy", "random"], rounds=2, seed=1) as tournament:
    ...     tournament.play(progress=False)
    ...     [row.name for row in tournament.standings()][-1]
    'random'
    """

    def __init__(
        self,
        game: str | Rules | Game | None = None,
        players: str | Path | Sequence[PlayerLike] = (),
        *,
        format: str = "league",  # noqa: A002 - the word of the command line
        file: str | Path | None = None,
        staff: Sequence[PlayerLike] = (),
        time: float | None = None,
        seed: int | None = None,
        unsafe: bool = False,
        **options: Any,
    ) -> None:
        if game is None and (file is None or not Path(file).exists()):
            raise ValueError("a new tournament needs a game; `noughts.game_names()` lists the games")
        self._temporary = TemporaryDirectory(prefix="noughts-") if file is None else None
        path = Path(self._temporary.name, f"{NAME}.noughts") if self._temporary else Path(file or NAME)
        self._unsafe = unsafe
        make_folder(path.parent)
        self._file = TournamentFile(path, write=True)
        try:
            if not self._file.names():
                new = load_game(game if game is not None else "classic")
                seconds = default_limits(new).move_seconds if time is None else time
                settings = Settings(format=format, seconds=seconds, **options)
                self._stored = self._file.create(NAME, new, settings, seed)
            else:
                self._stored = self._file.tournament()
                if game is not None and load_game(game) != self._stored.game:
                    raise ValueError(f"{path} contains a tournament of {self._stored.game.name}; name another file")
            gate_of(self._stored)  # refuses an invalid name rule
            self._own = [*staff]
            enter_players(self._stored, staff, staff=True)
            if isinstance(players, str | Path):
                sync_folder(self._stored, players)
            else:
                enter_players(self._stored, players, staff=False)
                self._own += players
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Tournament:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; removes a temporary one."""
        self._file.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    @property
    def game(self) -> Game:
        return self._stored.game

    def play(self, *, jobs: int = 1, progress: bool = True) -> None:
        """Plays the games that are due; each game is in the file when it ends. jobs: games at a time. progress: shows a
        bar."""
        run = run_of(self._stored, gate_of(self._stored, unsafe=self._unsafe), trusted=self._own)
        status = TournamentView(self._stored).status
        with _bar("games", progress) as tick:
            for number, _ in enumerate(run.play(jobs=jobs), status.games + 1):
                tick(min(1.0, number / max(1, status.total)), f"{number:,} of {status.total:,} games")

    def records(self) -> list[GameRecord]:
        """Returns the games so far."""
        return self._stored.records()

    def standings(self) -> Standings:
        """Returns the table, best first: iterate over it for the `Tally` of each player. It has ratings and certainty
        too."""
        return TournamentView(self._stored).standings

    def ratings(self) -> list[Rating]:
        """Returns the Elo rating of each player with its 95% interval, best first; the mean of all is 0."""
        return self.standings().ratings.table

    def marks(self) -> list[Mark]:
        """Returns the marks of each player, as `noughts tournament marks` computes them."""
        return marks_of(TournamentView(self._stored))

    def report(self, path: str | Path) -> Path:
        """Writes the tournament as a web page, with every game; returns the page to open."""
        from noughts.report import gather, write_report

        target = Path(path)
        make_folder(target.parent)
        view = TournamentView(self._stored)
        return write_report(gather(view, STAFF, map(Mark.to_data, marks_of(view))), target)[0]


_bar = progress
