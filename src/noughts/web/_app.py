"""The application: pages, files, the HTTP interface and WebSockets, behind the guard."""

from __future__ import annotations

import gzip
import hashlib
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files

from fastapi import FastAPI, HTTPException, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.requests import ClientDisconnect

import noughts
from noughts.document import static
from noughts.tournaments import StoreError
from noughts.tournaments.ladder import UploadRefused
from noughts.web import _ladder_api, _live
from noughts.web._api import router
from noughts.web._guard import FRAMED, Guard, cookie_name, is_secure
from noughts.web._ladder import LadderService
from noughts.web._members import Member, member_of
from noughts.web._quotas import Busy, Quotas
from noughts.web._services import LADDER, Services, services_of
from noughts.web._settings import KEPT_DAYS, Settings
from noughts.web._tables import GamesFile, NotSaved
from noughts.web._watching import MatchSource

LADDER_PAGES = ("/ladder", "/ladder/staff", "/ladder/team/{team}", "/ladder/team/{team}/version/{number}")
PAGES = ("/", "/game/{number}", "/analyse", "/replay", "/watch", "/puzzles", "/learn", "/api", FRAMED, *LADDER_PAGES)
"""Addresses of the page; its script chooses the part to show."""
MEDIA = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
}
FILES = {
    file.name: package
    for package in ("noughts.board", "noughts.web")
    for file in (files(package) / "static").iterdir()
    if file.name.rpartition(".")[2] in MEDIA
}
"""Files of the page, and the packages that they are in."""
DAY = 86400
NOTHING_HERE = "there is nothing at this address; /api describes what there is"
log = logging.getLogger(__name__)


class Joining(BaseModel):
    """A token to join with. replace: whether it may end the session of another member in the same browser."""

    token: str = Field(max_length=64)
    replace: bool = False


@cache
def static_file(name: str, *, ladder: bool = False) -> tuple[bytes, bytes, str]:
    """Returns a file of the page, plain and compressed, and its ETag.

    ladder: whether the bar has Ladder instead of Watch.
    """
    text = static(FILES[name], name)
    if ladder:
        text = text.replace('<a href="/watch">Watch</a>', '<a href="/ladder">Ladder</a>')
    content = text.encode()
    return content, gzip.compress(content, 9, mtime=0), f'"{hashlib.sha256(content).hexdigest()[:20]}"'


def make_app(
    settings: Settings,
    watched: MatchSource | None = None,
    games: GamesFile | None = None,
    ladder: LadderService | None = None,
) -> Guard:
    """Returns the application with its guard. Threads and files are opened when it starts, and closed when it ends.

    games: the file of games, if it is already open. ladder: played while the application runs.
    """
    quotas = Quotas()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services = Services(settings, quotas, games or GamesFile(settings.games), watched, ladder)
        app.state.services = services
        services.analyst.warm_up()
        if ladder is not None:
            ladder.runner.start()
        try:
            yield
        finally:
            services.close()

    app = FastAPI(
        title="noughts",
        version=noughts.__version__,
        description="Play, analyse and replay the games of the tic-tac-toe family.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(router)
    app.include_router(_ladder_api.router)
    _add_errors(app)
    _add_pages(app)
    _add_sockets(app)
    guard = Guard(app, settings, quotas)
    _add_joining(app, guard)
    return guard


def _add_errors(app: FastAPI) -> None:
    """Adds handlers that return errors as sentences, in one form."""

    def answered(kind: type[Exception], status: int) -> None:
        @app.exception_handler(kind)
        async def answer(request: Request, error: Exception) -> Response:
            return JSONResponse({"error": str(error)[:1000]}, status)

    for kind, status in ((ValueError, 400), (Busy, 429), (NotSaved, 503)):
        answered(kind, status)

    @app.exception_handler(UploadRefused)
    async def upload_refused(request: Request, error: UploadRefused) -> Response:
        return JSONResponse({"error": str(error)}, error.status)

    @app.exception_handler(StoreError)
    async def store_failed(request: Request, error: StoreError) -> Response:
        if request.method == "GET":
            return JSONResponse({"error": str(error)[:1000]}, 400)
        return JSONResponse({"error": "the server cannot write now, so nothing was stored; try again later"}, 507)

    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, error: ClientDisconnect) -> Response:
        return Response(status_code=400)  # nobody reads it

    @app.exception_handler(sqlite3.Error)
    async def unreadable(request: Request, error: sqlite3.Error) -> Response:
        log.error("a file of games could not be read: %s", error)
        return JSONResponse({"error": "the server cannot read its games now; try again later"}, 503)

    @app.exception_handler(AnyHTTPException)
    async def failed(request: Request, error: AnyHTTPException) -> Response:
        if error.status_code == 404 and _is_for_a_person(request):
            content, _, _ = static_file("missing.html")
            return Response(content, 404, media_type=MEDIA["html"])
        message = NOTHING_HERE if error.detail == "Not Found" else str(error.detail)
        return JSONResponse({"error": message}, error.status_code, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid_request(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return JSONResponse({"error": f"{where}: {first['msg']}"}, 422)


def _is_for_a_person(request: Request) -> bool:
    """Returns whether a person opened a page, rather than a program the interface or the page a file."""
    ours = request.url.path.startswith(("/api/", "/static/", "/live/"))
    return not ours and request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")


def _add_pages(app: FastAPI) -> None:
    def answer(request: Request, name: str, *, ladder: bool = False, is_open: bool = False) -> Response:
        """is_open: whether everyone gets the file, so that caches may keep it."""
        content, small, tag = static_file(name, ladder=ladder)
        headers = {"vary": "accept-encoding"}
        if is_open:
            headers |= {"etag": tag, "cache-control": "no-cache"}
        if is_open and request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            content, headers["content-encoding"] = small, "gzip"
        return Response(content, media_type=MEDIA[name.rpartition(".")[2]], headers=headers)

    async def page(request: Request) -> Response:
        if request.url.path == FRAMED:
            return answer(request, "embed.html")
        return answer(request, "index.html", ladder=services_of(request).ladder is not None)

    for path in PAGES:
        app.add_api_route(path, page, methods=["GET"], include_in_schema=False)

    @app.get("/static/{name}", include_in_schema=False)
    async def file(name: str, request: Request) -> Response:
        if name not in FILES or not name.endswith((".js", ".css")):
            raise HTTPException(404, "there is no such file")
        return answer(request, name, is_open=True)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon(request: Request) -> Response:
        return answer(request, "icon.svg")


def _add_joining(app: FastAPI, guard: Guard) -> None:
    @app.get("/join", include_in_schema=False)
    async def ask(request: Request) -> Response:
        content, _, _ = static_file("join.html")
        return Response(content, media_type=MEDIA["html"])

    @app.post("/join", include_in_schema=False)
    async def join(request: Request, body: Joining) -> Response:
        token = body.token.strip().lower()
        member = guard.member(request.scope, token)
        if member is None:
            if not guard.may_try(request.scope):
                raise HTTPException(429, "too many attempts; wait a minute")
            raise HTTPException(401, "this server does not know this token; ask the person who runs the server")
        now, has_ladder = guard.sender(request.scope, request.headers), services_of(request).ladder is not None

        def home(who: Member) -> str:
            return _ladder_api.home_of(who.visibility) if has_ladder else "/"

        if not (body.replace or now is None or now.shared or now.key == member.key):  # a link may come from anyone
            error = f"this browser is signed in as {now.name}, and the link is that of {member.name}"
            names = {"now": now.name, "new": member.name}
            return JSONResponse({"error": error, **names, "stay": home(now), "home": home(member)}, 409)
        answer = JSONResponse({"joined": True, "home": home(member)})
        # Lax: a link in a mail or a chat opens the game rather than the page that asks for the token. Changes need our
        # Origin in any case.
        name, secure = cookie_name(request.scope), is_secure(request.scope)
        answer.set_cookie(name, token, max_age=KEPT_DAYS * DAY, httponly=True, samesite="lax", secure=secure)
        return answer


def _add_sockets(app: FastAPI) -> None:
    @app.websocket("/live/play/{number}")
    async def play(socket: WebSocket, number: str) -> None:
        await _live.play(socket, services_of(socket), number)

    @app.websocket("/live/analysis")
    async def analyse(socket: WebSocket) -> None:
        await _live.analyse(socket, services_of(socket))

    @app.websocket("/live/review/{kept}/{number}")
    async def review(socket: WebSocket, kept: str, number: str, file: int = 0, name: str = "") -> None:
        try:
            record = await services_of(socket).recorded_game(kept, number[:40], file, name[:200], member_of(socket))
        except (HTTPException, Busy):
            record = None
        await _live.review(socket, services_of(socket).analyst, record)

    @app.websocket("/live/ladder")
    async def ladder(socket: WebSocket) -> None:
        services = services_of(socket)
        name = "" if services.ladder is None else services.ladder.store.name
        feed = None if services.ladder is None else services.feed(LADDER, name, member_of(socket).visibility)
        await _live.watch(socket, feed)

    @app.websocket("/live/watch/{file}")
    async def watch(socket: WebSocket, file: int, name: str = "") -> None:
        try:
            member, services = member_of(socket), services_of(socket)
            feed = await services.files.run(member, services.feed, file, name[:200], member.visibility)
        except (ValueError, Busy):
            feed = None
        await _live.watch(socket, feed)
