"""The HTTP interface: everything that the page does, for scripts as well. /openapi.json describes it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from noughts import board
from noughts.library import game_names, load_game
from noughts.matches.record import GameRecord
from noughts.web import _puzzles
from noughts.web._analysis import Analyst
from noughts.web._archive import Archive, shown
from noughts.web._engines import Opponent
from noughts.web._exports import Exports
from noughts.web._guard import address_of
from noughts.web._lessons import lessons
from noughts.web._positions import Position, state_of
from noughts.web._settings import BOT_BYTES, NAME_LENGTH
from noughts.web._tables import CLOCKS, MATES, Tables
from noughts.web._watching import LiveFeed, MatchSource, Source, TournamentSource

Json = dict[str, Any]
MATCH = -1
"""In place of the number of a file: the match that this process plays."""
Kept = Literal["play", "upload", "file"]
File = Annotated[int, Query(ge=MATCH, le=1000, description="number of a tournament file in the operator's list")]
Name = Annotated[str, Query(max_length=200, description="of a tournament in that file")]
Number = Annotated[str, Path(max_length=40, pattern=r"^[A-Za-z0-9_-]+$", description="of a game")]
ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "Not allowed, or not understood; `error` says why"},
    401: {"description": "A join token is needed"},
    403: {"description": "It comes from another page"},
    404: {"description": "There is no such thing"},
    413: {"description": "Too large"},
    421: {"description": "The server has another name"},
    422: {"description": "Not of the right form; `error` says where"},
    429: {"description": "Too often, or too much at once"},
    503: {"description": "The file of games cannot be written now"},
}


class NewGame(BaseModel):
    """opponent: one of the game's list, or "link" for a person by a link, "screen" for one beside you."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field(max_length=40, examples=["extreme"])
    opponent: str = Field(max_length=80, examples=["alphabeta:level=4"])
    seat: Literal[0, 1] = 0
    clock: int | None = Field(default=None, description="seconds for each player for the whole game")
    name: str = Field(default="", max_length=NAME_LENGTH)


class MoveMade(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: str = Field(max_length=64, description="of the seat")
    move: str = Field(max_length=40, examples=["3,7", "[X 4]"])


class Bot(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(default="bot", max_length=NAME_LENGTH)
    source: str = Field(
        max_length=BOT_BYTES, description="the text of the file, with a class as docs/write-a-bot.md says"
    )


class Services:
    """What requests are answered with. watched: a match of this process, if one is played. uploads: of bots."""

    def __init__(
        self, tables: Tables, analyst: Analyst, archive: Archive, watched: MatchSource | None, uploads: bool
    ) -> None:
        self.tables, self.analyst, self.archive, self.watched = tables, analyst, archive, watched
        self.uploads = uploads
        self.exports = Exports()
        self._feeds: dict[tuple[int, str], LiveFeed] = {}

    def feed(self, file: int, name: str) -> LiveFeed | None:
        """Returns the feed of a tournament, None if there is no such one; file -1 is the match of this process."""
        key = (file, name) if file >= 0 else (-1, "")
        if key not in self._feeds:
            source: Source
            if file == MATCH and self.watched is not None:
                source = self.watched
            elif any((one["file"], one["name"]) == key for one in self.archive.tournaments()):
                source = TournamentSource(self.archive.file(file), name)
            else:
                return None
            self._feeds[key] = LiveFeed(source, self.archive.visibility)
        return self._feeds[key]

    async def found(self, kept: str, number: str, file: int, name: str) -> GameRecord:
        """Returns a recorded game as far as it is visible; HTTPException 404 if it is not there."""
        try:
            if kept == "play":
                record = self.tables.record(number)
            elif kept == "upload":
                record = await asyncio.to_thread(self.archive.uploaded, number)
            elif file == MATCH:
                record = self.watched.record(int(number), self.archive.visibility) if self.watched else None
            else:
                record = await asyncio.to_thread(self.archive.game, file, name, int(number)) if file >= 0 else None
        except (LookupError, ValueError, OverflowError):  # a number too large for the file is no game's
            record = None
        if record is None:
            raise HTTPException(404, "there is no such game; it may be too old")
        return record


def services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


router = APIRouter(prefix="/api", responses=ERRORS)


@router.get("/games")
async def games(request: Request) -> list[Json]:
    """The games, and who can be chosen as an opponent in each."""
    engines = services(request).tables.engines
    found = []
    for name in game_names():
        game = load_game(name)
        opponents = [{"name": one.name, "title": one.title} for one in engines.for_game(game)]
        about = {
            "name": name,
            "title": game.rules.title,
            "summary": game.rules.summary,
            "seconds": game.rules.move_seconds,
        }
        about["uploads"] = services(request).uploads
        found.append({**about, "shape": board.shape(game.rules), "opponents": opponents, "clocks": list(CLOCKS)})
    return found


@router.get("/games/{name}/lessons")
async def rules_in_pictures(name: str) -> list[Json]:
    """The rules of a game in a few pictures."""
    if name not in game_names():
        raise HTTPException(404, f"there is no such game; the games are {', '.join(game_names())}")
    return list(await asyncio.to_thread(lessons, load_game(name)))


@router.post("/play", status_code=201)
async def new_game(asked: NewGame, request: Request) -> Json:
    """Begin a game. `key` plays your seat; with the opponent "link", `guest` plays the other one."""
    if asked.game not in game_names():
        raise ValueError(f"there is no such game; the games are {', '.join(game_names())}")
    tables, game = services(request).tables, load_game(asked.game)
    opponent: Opponent | str = asked.opponent
    if asked.opponent not in MATES:
        opponent = await asyncio.to_thread(tables.engines.checked, asked.opponent, game, 1 - asked.seat)
    table = tables.new(game, opponent, asked.seat, asked.clock, asked.name, address_of(request.scope))
    told = {"id": table.id, "key": table.keys[asked.seat]}
    if asked.opponent == "link":
        told["guest"] = table.keys[1 - asked.seat]
    return told


@router.post("/bots", status_code=201)
async def send_bot(asked: Bot, request: Request) -> Json:
    """Send a bot to play against, where the operator allows it; `opponent` is its name. It runs in the sandbox."""
    found = services(request)
    if not found.uploads:
        raise HTTPException(403, "bots are not taken here; the server must be started with --allow-uploads")
    return {"opponent": found.tables.engines.take_bot(asked.name, asked.source, found.tables.sitting()).name}


@router.get("/play/{number}")
async def game_now(number: Number, request: Request, key: Annotated[str, Query(max_length=64)] = "") -> Json:
    """A game as it stands; with the key of a seat, also its legal moves."""
    table = services(request).tables.find(number)
    if table is None:
        raise HTTPException(404, "there is no such game; it may be too old")
    return table.shown(table.held(key))


@router.post("/play/{number}/moves")
async def make_move(number: Number, asked: MoveMade, request: Request) -> Json:
    """Make a move; answers with the game as it stands then. The opponent's move comes when it has thought."""
    tables = services(request).tables
    table = tables.find(number)
    if table is None:
        raise HTTPException(404, "there is no such game; it may be too old")
    held = table.held(asked.key)
    if not held:
        raise HTTPException(403, "this key opens no seat of the game")
    player = table.player if table.player in held else held[0]
    assert player is not None
    table.address = address_of(request.scope)
    table.play(player, table.state.string_to_action(asked.move))
    tables.changed(table)
    return table.shown(held)


@router.get("/replays/{kept}/{number}")
async def replay(kept: Kept, number: Number, request: Request, file: File = 0, name: Name = "") -> Json:
    """A recorded game: of this page (`play`), sent to it (`upload`), or of a tournament file."""
    found = services(request)
    return await asyncio.to_thread(shown, await found.found(kept, number, file, name))


@router.get("/replays/{kept}/{number}/{kind}")
async def export_game(
    kept: Kept,
    number: Number,
    kind: Literal["svg", "gif", "json", "log"],
    request: Request,
    file: File = 0,
    name: Name = "",
    at: Annotated[int | None, Query(ge=0, le=4096)] = None,
    dark: bool = False,
) -> Response:
    """A recorded game as a file: svg (of one position), gif, json (a replay) or log (the course's)."""
    found = services(request)
    record = await found.found(kept, number, file, name)
    content, media, title = await found.exports.made(record, kind, at, dark, address_of(request.scope))
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{title}"'})


@router.post("/replays", status_code=201)
async def upload(request: Request) -> Json:
    """Send a replay or a log as it is, as the body; it is kept for a while under the name that is answered."""
    text = (await request.body()).decode("utf-8", errors="replace")
    return {"id": await asyncio.to_thread(services(request).archive.upload, text)}


@router.get("/tournaments")
async def tournaments(request: Request) -> list[Json]:
    """The tournaments of the files that the operator opened; file -1 is the match that is played here."""
    found = services(request)
    told = await asyncio.to_thread(found.archive.tournaments)
    if found.watched is not None:
        seen = found.watched.look(found.archive.visibility)
        told.insert(0, {"file": MATCH, "name": seen["name"], "title": seen["title"], "games": seen["status"]["games"]})
    return told


@router.get("/tournaments/games")
async def tournament_games(
    request: Request,
    file: Annotated[int, Query(ge=0, le=1000)] = 0,
    name: Name = "",
    of: Annotated[str | None, Query(max_length=200)] = None,
    after: Annotated[int, Query(ge=-1, le=2**53)] = -1,
) -> list[Json]:
    """A page of a tournament's games, those after a number; of one contestant if `of` names it."""
    try:
        return await asyncio.to_thread(services(request).archive.games, file, name, of, after)
    except LookupError:
        raise HTTPException(404, "there is no such tournament file") from None


@router.post("/positions")
async def position(asked: Position) -> Json:
    """A position, what may be played in it, and who made each of its moves."""
    state, start, moves = state_of(asked)
    movers = board.recorded(state.game, moves, start)["by"]
    return {"view": board.view(state), "position": state.to_string(), "movers": [int(mover) for mover in movers]}


@router.post("/analysis")
async def analysis(asked: Position, request: Request) -> Json:
    """What the best moves of a position are worth: exact where the game is solved, else after a short search."""
    state, _, _ = state_of(asked)
    if state.is_terminal():
        raise ValueError("the game is over: there is nothing to judge")
    return await services(request).analyst.best(state, address_of(request.scope))


class Solved(BaseModel):
    model_config = ConfigDict(extra="forbid")

    move: str = Field(max_length=40, examples=["3,7"])


PuzzleNumber = Annotated[int, Path(ge=0, le=100_000)]


@router.get("/puzzles")
async def puzzles() -> list[Json]:
    """All puzzles: their games and kinds."""
    return _puzzles.listed()


@router.get("/puzzles/{number}")
async def puzzle(number: PuzzleNumber) -> Json:
    """A puzzle: the position and the task, not the solution."""
    try:
        return await asyncio.to_thread(_puzzles.shown, number)
    except LookupError:
        raise HTTPException(404, "there is no such puzzle") from None


@router.post("/puzzles/{number}")
async def solve_puzzle(number: PuzzleNumber, asked: Solved) -> Json:
    """Answer a puzzle with a move; tells whether it is right, and the play that shows why."""
    try:
        return await asyncio.to_thread(_puzzles.answered, number, asked.move)
    except LookupError:
        raise HTTPException(404, "there is no such puzzle") from None
