"""Plays a game or a match in one call, for programs and notebooks; `noughts match` calls the same functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import monotonic

from noughts.document import escape, html_table
from noughts.game import Game
from noughts.library import load_game
from noughts.matches.openings import (
    balanced_opening,
    needed_plies,
    plays_from_start_only,
    read_openings,
    usual_plies,
)
from noughts.matches.record import GameRecord
from noughts.matches.runner import Referee, match_conditions, match_games, require_able
from noughts.matches.schedule import TURNS, Match, Pairing
from noughts.matches.seeds import derive_seed, draw_seed
from noughts.matches.statistics import Elo, Pentanomial, Sprt
from noughts.matches.store import Store, open_store
from noughts.matches.tally import Tally, different_games, paired, tallies
from noughts.players.bot import default_limits
from noughts.players.protocol import PlayerLike
from noughts.progress import progress
from noughts.rules.spec import Rules
from noughts.sandbox import BotLimits
from noughts.sandbox.forkserver import ForkServer

SPRT_GAMES = 1000
"""Default maximum number of games of an SPRT."""
SCOREBOARD_SECONDS = 0.2
"""Seconds between two updates of the scoreboard: computing an interval takes as long as some games."""


@dataclass(frozen=True)
class MatchResult:
    """The games of a match between two players, and their statistics.

    records: the games that count; with an SPRT, up to the deciding round.

    >>> import noughts
    >>> result = noughts.play_match("classic", ("perfect", "random"), games=10, seed=1, progress=False)
    >>> [tally.name for tally in result.tallies], result.tallies[0].lost, result.elo.low > 0
    (['perfect', 'random'], 0, True)
    """

    match: Match
    records: list[GameRecord]

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def players(self) -> tuple[str, str]:
        return self.match.player_names

    @property
    def seed(self) -> int:
        """The seed of the match: equal seeds give equal games, if the players are deterministic."""
        return self.match.seed

    @property
    def sprt(self) -> Sprt | None:
        return self.match.sprt

    @cached_property
    def tallies(self) -> list[Tally]:
        """The results of both players."""
        return tallies(self.players, self.records)

    @cached_property
    def pairs(self) -> Pentanomial:
        """The results of pairs of games, for the first player."""
        return paired(self.records, self.players[0])

    @property
    def elo(self) -> Elo:
        """The difference in strength, for the first player."""
        return self.pairs.elo()

    @property
    def llr(self) -> float | None:
        """The log-likelihood ratio of the SPRT; None without one."""
        return None if self.sprt is None else self.sprt.llr(self.pairs)

    @property
    def decision(self) -> str | None:
        """The hypothesis that the SPRT accepts, "H0" or "H1"; None if neither, or without a test."""
        return None if self.sprt is None else self.sprt.decision(self.pairs)

    @property
    def different_games(self) -> int:
        """The number of games that do not repeat others."""
        return different_games(self.records)

    def __repr__(self) -> str:
        first, second = self.tallies
        return (
            f"<MatchResult {self.game.name}: {first.name} - {second.name}, "
            f"{first.won} won, {first.drawn} drawn, {first.lost} lost>"
        )

    def _repr_html_(self) -> str:
        """Returns a table, for a notebook."""
        heads = ("player", "won", "drawn", "lost", "points", "forfeits")
        rows = [(t.name, t.won, t.drawn, t.lost, t.points, t.forfeits.total()) for t in self.tallies]
        text = f"{self.elo} for {self.players[0]}, {self.game.rules.title}"
        if self.sprt is not None:
            text += f"; {self.sprt.summary(self.pairs)}"
        return html_table(heads, rows) + f"<p>{escape(text)}</p>"


def play_game(
    game: str | Rules | Game,
    players: Sequence[PlayerLike],
    *,
    opening: int | Sequence[int] = (),
    time: float | None = None,
    seed: int | None = None,
    watch: Callable[[GameRecord], None] | None = None,
) -> GameRecord:
    """Plays one game between two players, each a name or an object; the first moves first. Returns its record.

    opening: actions played before the players are asked, or the number of random moves that leave both sides about
    even. time: seconds per move (default: the game's usual limit, else 10). watch: called with the record after each
    move.

    >>> import noughts
    >>> record = noughts.play_game("classic", ("perfect", "perfect"), opening=[4])
    >>> record.moves[0], record.reason, record.points
    (4, 'full', (0, 0))
    """
    game, seed = load_game(game), draw_seed() if seed is None else seed
    match = Match(game, _two(players), 1, _limits(game, time), seed)
    if isinstance(opening, int):
        opening = balanced_opening(game, opening, derive_seed(seed, "opening", 0))
    conditions = match_conditions(match)
    require_able(conditions)
    with Referee(conditions) as referee:
        return referee.play(Pairing(0, 0, (0, 1), tuple(opening), seed), watch)


def play_match(
    game: str | Rules | Game,
    players: Sequence[PlayerLike],
    *,
    games: int | None = None,
    time: float | None = None,
    opening: int | str | None = None,
    sprt: Sprt | None = None,
    first: str = TURNS,
    jobs: int = 1,
    seed: int | None = None,
    folder: str | Path | None = None,
    strict: bool = False,
    unsafe: bool = False,
    progress: bool = True,
) -> MatchResult:
    """Plays a match between two players, each a name, a bot file or an object, and returns its result.

    games: default: 2, with `sprt` at most 1000. time: seconds per move (default: the game's usual limit, else 10).
    opening: number of random moves at the start of each pair of games (default: some if the players would repeat games,
    or with an SPRT), or a file of openings, or "balanced" for the built-in ones. sprt: stop when the test is decided.
    first: "turns" or "coin". jobs: games at a time, in processes. folder: stores each game as a replay, and continues
    an interrupted match. strict, unsafe: as in `noughts match`. progress: a bar, in a terminal or a notebook. If
    interrupted, returns the games so far.

    >>> import noughts
    >>> noughts.play_match("wild", ("perfect", "random"), games=4, seed=1, progress=False)
    <MatchResult wild: perfect - random, 4 won, 0 drawn, 0 lost>
    """
    game = load_game(game)
    match = new_match(
        game, _two(players), games, _limits(game, time), seed, jobs, opening, sprt, first, strict=strict, unsafe=unsafe
    )
    match, store = open_match(match, folder, any_seed=seed is None)
    with store:
        try:
            play_into(match, store, progress=progress)
        except KeyboardInterrupt:
            if not store.records():
                raise
        return MatchResult(match, match.games_that_count(store))


def open_match(match: Match, folder: str | Path | None, *, any_seed: bool) -> tuple[Match, Store]:
    """Returns the store of a match, in memory or in a folder, and the match. any_seed: whether the match takes the
    store's seed.

    Continues a match if the folder has its games. Raises PlanDiffers (a ValueError) if the games are of another match.
    """
    may_differ = frozenset({"games", *(["seed"] if any_seed else [])})
    store = open_store(folder, match.facts(), may_differ=may_differ)
    seed = store.plan.get("seed", match.seed)
    return (replace(match, seed=seed) if any_seed else match), store  # type: ignore[arg-type]


def new_match(
    game: Game,
    players: tuple[PlayerLike, PlayerLike],
    games: int | None,
    limits: BotLimits,
    seed: int | None,
    jobs: int,
    opening: int | str | None,
    sprt: Sprt | None,
    first: str,
    *,
    strict: bool,
    unsafe: bool,
) -> Match:
    """Returns a match with the usual defaults."""
    plies = opening if isinstance(opening, int) else 0
    if opening is None and not any(map(plays_from_start_only, players)):
        if first == TURNS and sprt is not None:
            plies = usual_plies(game)
        elif first == TURNS and games is not None and games > 2:
            plies = needed_plies(game, players)
    return Match(
        game,
        players,
        games if games is not None else SPRT_GAMES if sprt else 2,
        limits,
        draw_seed() if seed is None else seed,
        jobs,
        strict=strict,
        unsafe=unsafe,
        opening=read_openings(game, opening) if isinstance(opening, str) else plies,
        sprt=sprt,
        first=first,
    )


def play_into(
    match: Match,
    store: Store,
    *,
    server: ForkServer | None = None,
    games: Iterator[GameRecord] | None = None,
    progress: bool = True,
) -> None:
    """Plays the games that the store does not have yet, with a bar that shows the score. games: games already played,
    instead of playing.
    """
    with show(f"{match.games:,} games", progress) as tick:
        tally = Tally(match.player_names[0])
        played: list[GameRecord] = []
        shown_at = 0.0
        for record in games or match_games(match, store, server):
            played.append(record)
            tally.add_game(record)
            if monotonic() - shown_at > SCOREBOARD_SECONDS:
                tick(tally.games / match.games, scoreboard(tally, paired(played, tally.name), match.sprt))
                shown_at = monotonic()


def scoreboard(tally: Tally, pairs: Pentanomial, sprt: Sprt | None) -> str:
    """Returns the score of the first player so far, on one line: +7 =3 -2, 71%, +154 Elo, LLR +1.20 (-2.94, 2.94)."""
    parts = [f"{tally.name} +{tally.won} ={tally.drawn} -{tally.lost}", f"{tally.score:.0%}"]
    if pairs.total:
        parts.append(f"{pairs.elo().elo:+z.0f} Elo")
    if sprt is not None:
        lower, upper = sprt.bounds
        parts.append(f"LLR {sprt.llr(pairs):+z.2f} ({lower:.2f}, {upper:.2f})")
    return ", ".join(parts)


show = progress
"""The progress bar, where `progress` is an option."""


def _two(players: Sequence[PlayerLike]) -> tuple[PlayerLike, PlayerLike]:
    if isinstance(players, str) or len(players) != 2:
        raise ValueError("a match needs two players: give a pair of names or objects; a tournament takes any number")
    return players[0], players[1]


def _limits(game: Game, time: float | None) -> BotLimits:
    usual = default_limits(game)
    if time is None:
        return usual
    if not 0 < time < math.inf:
        raise ValueError(f"time must be seconds greater than 0, not {time!r}")
    return BotLimits(float(time))
