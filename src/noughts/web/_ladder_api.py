"""The HTTP interface of a ladder: its pages, uploads, and changes by staff and teams. Each request has one
`Visibility`.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from noughts.analysis.mistakes import to_data
from noughts.document import Json
from noughts.files import slug
from noughts.matches.store_file import timestamp
from noughts.printable import one_line
from noughts.tournaments import ladder_team, ladder_view
from noughts.tournaments.ladder import Upload, UploadRefused, ask_for_friendly, hide_names, set_token
from noughts.tournaments.visibility import Visibility
from noughts.web._api import ERRORS
from noughts.web._ladder import LadderService
from noughts.web._members import MEMBER_GROUPS, links_path, member_of, new_token, replace_link, token_hash
from noughts.web._services import services_of

LONGEST_REASON = 200

Team = Annotated[str, Path(max_length=80)]
Version = Annotated[int, Path(ge=1, le=2**31)]


def home_of(visibility: Visibility) -> str:
    """Returns the first page of a member: the team's own, or the leaderboard."""
    return "/ladder" if visibility.team is None else _page_of(visibility.team)


def _page_of(team: str) -> str:
    return f"/ladder/team/{quote(team, safe='')}"


router = APIRouter(
    prefix="/api/ladder",
    responses=ERRORS
    | {
        403: {"description": "Not your team's, past the deadline, suspended or frozen; `error` says which"},
        409: {"description": "The ladder is frozen"},
        507: {"description": "The server's disk is full"},
    },
)


def _ladder(request: Request) -> LadderService:
    ladder = services_of(request).ladder
    if ladder is None:
        raise HTTPException(404, "this server has no ladder; `noughts serve --file FILE` plays the ladder of a file")
    return ladder


async def _read(request: Request, work: Callable[..., Any], *arguments: object) -> Any:
    return await services_of(request).files.run(member_of(request), work, *arguments)


async def _write(request: Request, work: Callable[..., Any], *arguments: object) -> Any:
    return await services_of(request).parsing.run(member_of(request), work, *arguments)


@router.get("")
async def whole_ladder(request: Request) -> Json:
    """The leaderboard: Elo ratings with 95% intervals, where the middle yardstick is 0. `you` is your team."""
    ladder, member = _ladder(request), member_of(request)
    visibility, settings = member.visibility, ladder.store.settings
    return {
        "game": ladder.store.game.name,
        "title": ladder.store.game.rules.title,
        "seconds": settings.seconds,
        "gate": {**ladder.store.game.to_data(), "settings": settings.of_gate},
        "uploads_an_hour": settings.uploads,
        "friendlies_a_day": settings.friendlies,
        "pseudonyms": settings.pseudonyms,
        "you": {"audience": visibility.audience, "team": visibility.team},
        "secure": request.scope["scheme"] == "https" or _is_this_machine(request),
        "trouble": ladder.runner.failure,
        "board": await _read(request, ladder.board, visibility),
        "teams": await _read(request, ladder.teams),
        **await _read(request, ladder_view.clock, ladder.store),
    }


@router.get("/games")
async def ladder_games(
    request: Request,
    team: Annotated[str | None, Query(max_length=80)] = None,
    lost: bool = False,
    before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
) -> list[Json]:
    """Finished games, newest first, 50 at a time (`before`: those that ended before this one); optionally of one team,
    or only its losses, each with `turn`, the move that lost it, once reviewed. `/api/replays/file/NUMBER?name=ladder`
    has the moves.
    """
    ladder, visibility = _ladder(request), member_of(request).visibility
    if team is not None:
        await _visibility_of(request, team)

    def found() -> list[Json]:
        return ladder_team.games(ladder.store, visibility.within(ladder.store), team, lost=lost, before=before)

    games: list[Json] = await _read(request, found)
    return games


@router.get("/games/{number}/review")
async def game_review(request: Request, number: Annotated[int, Path(ge=0, le=2**53)]) -> Json:
    """Where a game was lost. Losses are reviewed when no games are due, newest first; 404 until then."""
    ladder, visibility = _ladder(request), member_of(request).visibility
    found = await _read(request, ladder_team.visible_review, ladder.store, number, visibility)
    if found is None:
        raise HTTPException(404, "this game has no review yet; games are reviewed when no other games are due")
    return to_data(found)


@router.get("/teams/{name}")
async def one_team(request: Request, name: Team) -> Json:
    """A team: versions, ratings over time, record against each opponent; for the team itself also notices and friendly
    matches.
    """
    ladder, visibility = _ladder(request), await _visibility_of(request, name)
    view: Json = await _read(request, ladder_team.team_view, ladder.store, name, visibility)
    return view


@router.get("/teams/{name}/versions/{number}")
async def one_version(request: Request, name: Team, number: Version) -> Json:
    """A version at the gate, or its result there, worded as in `noughts check`; only for its team and staff."""
    ladder, visibility = _ladder(request), await _visibility_of(request, name)
    view: Json | None = await _read(request, ladder_team.gate_view, ladder.store, name, number, visibility)
    if view is None:
        raise HTTPException(404, "there is no such version, or it belongs to another team; use your team's link")
    return view


@router.get("/teams/{name}/logs.zip")
async def team_logs(request: Request, name: Team) -> Response:
    """The newest games of a team as logs and replays, with its own prints; only for that team and staff."""
    ladder = await _own(request, name)
    services_of(request).quotas.archives.take(member_of(request))
    data = await _read(request, ladder_team.logs_zip, ladder.store, name)
    return Response(data, media_type="application/zip", headers=_attached(f"{slug(name)}-games.zip"))


@router.get("/teams/{name}/positions.json")
async def team_positions(request: Request, name: Team) -> Response:
    """Positions from the team's lost games, for `noughts check --positions`; only for that team and staff."""
    ladder = await _own(request, name)
    text = await _read(request, ladder_team.positions, ladder.store, name, await _visibility_of(request, name))
    if text is None:
        raise HTTPException(
            404, "no lost game of this team has been reviewed yet; games are reviewed when a core is idle"
        )
    return Response(text, media_type="application/json", headers=_attached(f"{slug(name)}-positions.json"))


async def _own(request: Request, name: str) -> LadderService:
    """Returns the ladder if the request comes from the team or staff. Rate limited."""
    if not (await _visibility_of(request, name)).owns(name):
        raise HTTPException(403, "this belongs to another team; use your team's link")
    services_of(request).quotas.exports.take(member_of(request))
    return _ladder(request)


def _attached(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


# For staff.


def _staffed(request: Request) -> LadderService:
    """Returns the ladder. Responds with 403 unless the request comes from staff."""
    if member_of(request).visibility.audience != "staff":
        raise HTTPException(403, "this page is for staff; open the staff link")
    return _ladder(request)


@router.get("/queue")
async def ladder_queue(request: Request) -> Json:
    """Waiting versions and their times, games per minute, faults, machines, odd results; only for staff."""
    ladder = _staffed(request)
    view: Json = await _read(request, ladder_view.queue, ladder.store)
    return view | {"trouble": ladder.runner.failure, "workers": ladder.runner.workers}


class Change(BaseModel):
    """A change by staff. team: for suspend, resume, requeue and link; without a team, link is for staff. pseudonyms:
    for names, whether teams see each other under pseudonyms.
    """

    team: str | None = Field(default=None, max_length=80)
    reason: str = Field(default="", max_length=LONGEST_REASON)
    deadline: str = Field(default="", max_length=40, description="with an offset, or none")
    pseudonyms: bool = False


Action = Literal["suspend", "resume", "requeue", "link", "freeze", "unfreeze", "deadline", "names"]


@router.post("/staff/{action}")
async def staff_change(request: Request, action: Action, change: Change) -> Json:
    """Changes the ladder while it is played, like `noughts ladder ACTION`; only for staff. `link` returns a new secret
    link, which is shown once.
    """
    ladder = _staffed(request)
    base = f"{request.url.scheme}://{request.headers['host']}"
    view: Json = await _write(request, _changed, ladder, action, change, base)
    return view


def _changed(service: LadderService, action: str, change: Change, base: str) -> Json:
    ladder, name = service.runner.ladder, change.team
    if name is not None and name not in {entry.name for entry in ladder.entries.teams()}:
        raise HTTPException(404, "there is no such team on this ladder")
    if ladder.is_frozen and action not in ("link", "freeze", "unfreeze"):
        raise HTTPException(409, "this ladder is frozen and cannot change; unfreeze it first")
    view: Json = {"done": action}
    if action == "link":
        token = new_token(MEMBER_GROUPS)
        set_token(ladder, name, token_hash(token))
        view["link"] = f"{ladder.settings.url.rstrip('/') or base}/join#{token}"
        with suppress(OSError, ValueError):  # staff has the link in any case
            view["kept"] = replace_link(links_path(service.path), name or "", view["link"])
    elif action == "deadline":
        ladder.change_settings(deadline=_deadline(change.deadline))
    elif action == "names":
        hide_names(ladder, change.pseudonyms)
    elif action == "freeze":
        ladder.freeze()
    elif action == "unfreeze":
        ladder.unfreeze()
    elif name is None:
        raise HTTPException(422, "name a team")
    elif action == "suspend":
        ladder.entries.remove(name, one_line(change.reason, LONGEST_REASON))
    elif action == "resume":
        ladder.entries.readmit(name)
    else:
        ladder.entries.check_again(name)
        view["waits"] = ladder.entries.find(name).candidate_id is not None
    service.runner.poll_soon()
    return view


def _deadline(text: str) -> str:
    if text in ("", "none"):
        return ""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise HTTPException(422, "the deadline needs an offset, as in 2027-02-24T23:55+05:30; or write none")
    return timestamp(at)


@router.get("/backup.noughts")
async def ladder_backup(request: Request) -> Response:
    """A copy of the ladder's file as it is now; only for staff."""
    return await _copied(request, "backup.noughts")


@router.get("/everything.zip")
async def ladder_everything(request: Request) -> Response:
    """A backup, the leaderboard as CSV and the bots that play, as a zip; only for staff."""
    return await _copied(request, "everything.zip")


async def _copied(request: Request, name: str) -> Response:
    ladder = _staffed(request)
    folder = FilePath(tempfile.mkdtemp(prefix="noughts-"))
    try:
        copy = await asyncio.to_thread(ladder.copy, folder, name)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    file_name = f"{slug(ladder.path.stem)}-{ladder.file.clock():%Y%m%dT%H%M%SZ}-{name}"
    done = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(copy, media_type="application/octet-stream", headers=_attached(file_name), background=done)


# Requests of teams.


class FriendlyRequest(BaseModel):
    """A request for a friendly match. opponent: a yardstick or a willing team, by the name that the requesting team
    sees.
    """

    opponent: str = Field(max_length=80)


class Willing(BaseModel):
    willing: bool


def _team_of(request: Request) -> str:
    name = member_of(request).visibility.team
    if name is None:
        known = "" if "authorization" not in request.headers else "this server does not know that token; "
        raise HTTPException(401, f"{known}send your team's token, from its link: `Authorization: Bearer TOKEN`")
    return name


@router.post("/friendlies", status_code=201)
async def ask_for_match(request: Request, body: FriendlyRequest) -> Json:
    """Requests a friendly match of two unrated games. `GET /api/ladder/teams/TEAM` has its games."""
    ladder, name = _ladder(request), _team_of(request)
    visibility = member_of(request).visibility

    def asked() -> int:
        store = ladder.runner.ladder
        known = {visibility.within(store).name(entry.name): entry.name for entry in store.entries.all()}
        if body.opponent not in known:
            raise UploadRefused(404, "there is no such opponent; choose one from the list")
        return ask_for_friendly(store, name, known[body.opponent])

    number = await _write(request, asked)
    ladder.runner.poll_soon()
    return {"number": number}


@router.post("/willing")
async def set_willing(request: Request, body: Willing) -> Json:
    """Sets whether other teams may request friendly matches against the team."""
    ladder, name = _ladder(request), _team_of(request)

    def changed() -> None:
        if ladder.runner.ladder.is_frozen:
            raise UploadRefused(403, "this ladder is frozen and plays no games")
        ladder.runner.ladder.entries.set_willing(name, willing=body.willing)

    await _write(request, changed)
    return {"willing": body.willing}


@router.post("/versions", status_code=201)
async def upload_version(
    request: Request, file: Annotated[str, Query(max_length=200, description="name of the file")] = ""
) -> Response:
    """Uploads a bot, with its text as the body of the request. 201 means that it is on the server's disk. `link` is
    the page that shows its check, `check` the same as JSON.
    """
    ladder, name = _ladder(request), _team_of(request)
    services_of(request).quotas.uploads.take(member_of(request))
    data = await request.body()
    taken: Upload = await _write(request, ladder.runner.submit, name, data, file)
    place = quote(taken.team, safe="")
    reply = {
        "team": taken.team,
        "version": taken.version,
        "new": taken.is_new,
        "replaces": taken.replaces,
        "link": f"{_page_of(taken.team)}/version/{taken.version}",
        "check": f"/api/ladder/teams/{place}/versions/{taken.version}",
    }
    return JSONResponse(reply, 201 if taken.is_new else 200)


async def _visibility_of(request: Request, name: str) -> Visibility:
    """Returns the visibility of a request. Responds with 404 if it may not see this team's page."""
    ladder = _ladder(request)
    visibility: Visibility = await _read(request, member_of(request).visibility.within, ladder.store)
    names = {each.name for each in await _read(request, ladder.store.entries.all)}
    if not visibility.sees_page(name) or name not in names:
        raise HTTPException(404, "there is no such team on this ladder, or its page is hidden by a pseudonym")
    return visibility


def _is_this_machine(request: Request) -> bool:
    return request.url.hostname in ("localhost", "127.0.0.1", "::1")
