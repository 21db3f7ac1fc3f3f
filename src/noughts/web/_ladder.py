"""The ladder of a server: who a token is of, uploads, and what the page shows of it. Each request has one `Visibility`.

A file that is played is written by one connection, of the runner; what is shown is read by another, which sees every
transaction that has ended and waits for none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path as FilePath
from threading import Lock
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from fastapi.responses import JSONResponse

from noughts.analysis.mistakes import to_data
from noughts.files import slug
from noughts.matches.pool import Watch
from noughts.matches.runner import Executor
from noughts.tournaments import ladder_view
from noughts.tournaments.ladder import Upload, ladder_in, token_owner
from noughts.tournaments.ladder_runner import LadderRunner
from noughts.tournaments.live import playing_now
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.visibility import STAFF, Visibility, team
from noughts.web._api import ERRORS
from noughts.web._members import STAFF_NAME, Member, member_of
from noughts.web._services import Services
from noughts.web._watching import boards

Json = dict[str, Any]

OPEN_PATHS = ("/ladder", "/api/ladder", "/live/ladder", "/replay", "/api/replays/file/", "/favicon.ico")
"""What everybody may see where a ladder is served, as the public."""
YESTERDAY_SECONDS = 300.0
"""For so long the ratings of a day ago are those of a day ago."""
BOARD_SECONDS = 1.0
"""For so long a leaderboard is shown again before it is read anew."""
NEWS_SHOWN = 20

Team = Annotated[str, Path(max_length=80)]
Version = Annotated[int, Path(ge=1, le=2**31)]


class LadderService:
    """The ladder of a file, played and shown. BusyError if another process plays it. Close it.

    executor: where games are played, given who watches the moves.
    """

    def __init__(self, path: FilePath, executor: Callable[[Watch], Executor] | None = None) -> None:
        self.path = path
        self.runner: LadderRunner = LadderRunner(path, executor)
        self.file: TournamentFile = TournamentFile(path)
        self._tokens = TournamentFile(path)
        self.store: TournamentStore = ladder_in(self.file)
        self._owners = ladder_in(self._tokens)
        self._lock = Lock()
        self._board: tuple[float, list[Json]] = (-BOARD_SECONDS, [])
        self._yesterday: tuple[float, dict[str, float]] = (-YESTERDAY_SECONDS, {})

    def close(self) -> None:
        self.file.close()
        self._tokens.close()
        self.runner.close()  # last: only a connection that writes can move SQLite's log into the file

    def member(self, digest: str) -> Member | None:
        """Returns who has the token with this hash; None if nobody does."""
        known, name = token_owner(self._owners, digest)
        if not known:
            return None
        if name is None:
            return Member(STAFF_NAME, STAFF, f"member {STAFF_NAME}")
        return Member(name, team(name), f"team {name}")

    def board(self) -> list[Json]:
        """Returns the leaderboard, as it was a moment ago."""
        with self._lock:
            if time.monotonic() - self._board[0] >= BOARD_SECONDS:
                if time.monotonic() - self._yesterday[0] >= YESTERDAY_SECONDS:
                    self._yesterday = (time.monotonic(), ladder_view.ratings_of_yesterday(self.store))
                self._board = (time.monotonic(), ladder_view.leaderboard(self.store, self._yesterday[1]))
            return self._board[1]

    def look(self, visibility: Visibility) -> Json:
        """Returns what watchers see: the leaderboard, the latest games, and the boards of now."""
        names = {entry.name for entry in self.store.entries.all()}
        now = [
            one for one in playing_now(self.store) if one.players[0] != one.players[1] and names.issuperset(one.players)
        ]
        return {
            "name": self.store.name,
            "title": self.store.game.rules.title,
            "board": self.board(),
            "news": ladder_view.games(self.store, visibility, count=NEWS_SHOWN),
            "playing": boards([(one.number, one.players, one.state) for one in now]),
            "trouble": self.runner.trouble,
        }


def home_of(visibility: Visibility) -> str:
    """Returns the page that somebody opens first: a team's own, or the leaderboard."""
    return "/ladder" if visibility.team is None else _page_of(visibility.team)


def _page_of(team: str) -> str:
    return f"/ladder/team/{quote(team, safe='')}"


router = APIRouter(prefix="/api/ladder", responses=ERRORS | {507: {"description": "The server's disk is full"}})


def _ladder(request: Request) -> LadderService:
    services: Services = request.app.state.services
    if services.ladder is None:
        raise HTTPException(404, "no ladder is played here; `noughts serve --file FILE` plays the one of a file")
    return services.ladder


async def _read(request: Request, work: Callable[..., Any], *arguments: object) -> Any:
    services: Services = request.app.state.services
    return await services.files.run(member_of(request.scope), work, *arguments)


@router.get("")
async def whole_ladder(request: Request) -> Json:
    """The leaderboard: ratings in Elo with 95% intervals, the middle yardstick being 0; `you` is who asks."""
    ladder, member = _ladder(request), member_of(request.scope)
    seen, settings = member.visibility, ladder.store.settings
    return {
        "game": ladder.store.game.name,
        "title": ladder.store.game.rules.title,
        "seconds": settings.seconds,
        "uploads_an_hour": settings.uploads,
        "you": {"audience": seen.audience, "team": seen.team},
        "secure": request.scope["scheme"] == "https" or _is_this_machine(request),
        "frozen": await _read(request, lambda: ladder.store.frozen),
        "trouble": ladder.runner.trouble,
        "board": await _read(request, ladder.board),
    }


@router.get("/games")
async def ladder_games(
    request: Request,
    team: Annotated[str | None, Query(max_length=80)] = None,
    lost: bool = False,
    before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
) -> list[Json]:
    """Finished games, the newest first, 50 at a time (`before`: those that ended before this one); of one team, or only
    those that it lost, each with `turn`: the move that lost it, as far as it was reviewed.
    `/api/replays/file/NUMBER?name=ladder` has the moves.
    """
    ladder, seen = _ladder(request), member_of(request.scope).visibility

    def found() -> list[Json]:
        return ladder_view.games(ladder.store, seen, team, lost=lost, before=before)

    games: list[Json] = await _read(request, found)
    return games


@router.get("/games/{number}/review")
async def game_review(request: Request, number: Annotated[int, Path(ge=0, le=2**53)]) -> Json:
    """Where a game was lost. Reviews are made while nobody waits for a game, newest losses first; 404 until then."""
    ladder, seen = _ladder(request), member_of(request.scope).visibility
    found = await _read(request, ladder_view.review_of, ladder.store, number, seen)
    if found is None:
        raise HTTPException(404, "this game has no review yet; they are made while nobody waits for a game")
    return to_data(found)


@router.get("/teams/{name}")
async def one_team(request: Request, name: Team) -> Json:
    """A team: its versions, its rating over time, its record against each opponent."""
    ladder, seen = _ladder(request), member_of(request.scope).visibility
    _require_team(await _read(request, ladder.store.entries.all), name)
    told: Json = await _read(request, ladder_view.team_view, ladder.store, name, seen)
    return told


@router.get("/teams/{name}/versions/{number}")
async def one_version(request: Request, name: Team, number: Version) -> Json:
    """A version at the gate, or what came out there in the words of `noughts check`; only for its team and staff."""
    ladder, seen = _ladder(request), member_of(request.scope).visibility
    _require_team(await _read(request, ladder.store.entries.all), name)
    told: Json | None = await _read(request, ladder_view.gate_view, ladder.store, name, number, seen)
    if told is None:
        raise HTTPException(404, "there is no such version, or it is another team's; use the link of your team")
    return told


@router.get("/teams/{name}/logs.zip")
async def team_logs(request: Request, name: Team) -> Response:
    """The newest games of a team as logs and replays, with its own prints; only for that team and staff."""
    ladder, seen = _ladder(request), member_of(request.scope).visibility
    _require_team(await _read(request, ladder.store.entries.all), name)
    if not seen.owns(name):
        raise HTTPException(403, "these are the logs of another team; use the link of your team")
    services: Services = request.app.state.services
    services.quotas.exports.take(member_of(request.scope))
    data = await _read(request, ladder_view.logs_zip, ladder.store, name)
    headers = {"content-disposition": f'attachment; filename="{slug(name)}-games.zip"'}
    return Response(data, media_type="application/zip", headers=headers)


@router.get("/queue")
async def ladder_queue(request: Request) -> Json:
    """Who waits, games a minute, faults, machines; only for staff."""
    ladder = _ladder(request)
    if member_of(request.scope).visibility.audience != "staff":
        raise HTTPException(403, "this is for staff; open the staff link")
    told: Json = await _read(request, ladder_view.queue, ladder.store)
    return told | {"trouble": ladder.runner.trouble}


@router.post("/versions", status_code=201)
async def upload_version(
    request: Request, file: Annotated[str, Query(max_length=200, description="the name of the file")] = ""
) -> Response:
    """Uploads a bot: its text is the body of the request. 201 means that it is on the server's disk. `link` is the page
    where its gate is followed, `check` the same as JSON.
    """
    ladder, member = _ladder(request), member_of(request.scope)
    if member.visibility.team is None:
        known = "" if "authorization" not in request.headers else "this server does not know that token; "
        raise HTTPException(401, f"{known}a team uploads with its own: `Authorization: Bearer TOKEN`, from its link")
    services: Services = request.app.state.services
    services.quotas.uploads.take(member)
    data = await request.body()
    taken: Upload = await services.parsing.run(member, ladder.runner.submit, member.visibility.team, data, file)
    place = quote(taken.team, safe="")
    told = {
        "team": taken.team,
        "version": taken.version,
        "new": taken.is_new,
        "replaces": taken.replaces,
        "link": f"{_page_of(taken.team)}/version/{taken.version}",
        "check": f"/api/ladder/teams/{place}/versions/{taken.version}",
    }
    return JSONResponse(told, 201 if taken.is_new else 200)


def _require_team(entries: list[Any], name: str) -> None:
    if name not in {entry.name for entry in entries}:
        raise HTTPException(404, "there is no such team on this ladder")


def _is_this_machine(request: Request) -> bool:
    return request.url.hostname in ("localhost", "127.0.0.1", "::1")
