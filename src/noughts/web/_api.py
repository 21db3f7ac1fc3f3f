"""The HTTP interface: everything that the page does, for scripts as well. /openapi.json describes it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from noughts import board
from noughts.library import game_names, load_game
from noughts.matches.record import GameRecord
from noughts.web._analysis import Analyst
from noughts.web._exports import KINDS, export
from noughts.web._lessons import lessons
from noughts.web._positions import Position, state_of
from noughts.web._settings import NAME_LENGTH
from noughts.web._tables import CLOCKS, MATES, Tables

Json = dict[str, Any]
Number = Annotated[str, Path(max_length=40, pattern=r"^[A-Za-z0-9_-]+$", description="of a game")]
ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "Not allowed, or not understood; `error` says why"},
    401: {"description": "A join token is needed"},
    403: {"description": "It comes from another page"},
    404: {"description": "There is no such thing"},
    413: {"description": "Too large"},
    421: {"description": "The server has another name"},
    422: {"description": "Not of the right form; `error` says where"},
    429: {"description": "Too often"},
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


class Services:
    """What requests are answered with."""

    def __init__(self, tables: Tables, analyst: Analyst) -> None:
        self.tables, self.analyst = tables, analyst


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
    if asked.opponent not in MATES:
        await asyncio.to_thread(tables.engines.checked, asked.opponent, game, 1 - asked.seat)
    table = tables.new(game, asked.opponent, asked.seat, asked.clock, asked.name)
    told = {"id": table.id, "key": table.seats[asked.seat].key}
    if asked.opponent == "link":
        told["guest"] = table.seats[1 - asked.seat].key
    return told


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
    table.play(player, table.state.string_to_action(asked.move))
    tables.changed(table)
    return table.shown(held)


@router.get("/play/{number}/export/{kind}")
async def export_game(
    number: Number,
    kind: str,
    request: Request,
    at: Annotated[int | None, Query(ge=0, le=4096)] = None,
    dark: bool = False,
) -> Response:
    """A game as a file: svg (of one position), gif, json (a replay) or log (the course's)."""
    record = services(request).tables.record(number)
    if record is None:
        raise HTTPException(404, "there is no such game; it may be too old")
    return await exported(record, kind, at, dark)


async def exported(record: GameRecord, kind: str, at: int | None, dark: bool) -> Response:
    if kind not in KINDS:
        raise HTTPException(404, f"a game is given as {', '.join(KINDS)}")
    content, media, name = await asyncio.to_thread(export, record, kind, at, dark)
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{name}"'})


@router.post("/positions")
async def position(asked: Position) -> Json:
    """A position and what may be played in it."""
    state, _, _ = state_of(asked)
    return {"view": board.view(state), "position": state.to_string()}


@router.post("/analysis")
async def analysis(asked: Position, request: Request) -> Json:
    """What the best moves of a position are worth: exact where the game is solved, else after a short search."""
    state, _, _ = state_of(asked)
    if state.is_terminal():
        raise ValueError("the game is over: there is nothing to judge")
    return await services(request).analyst.best(state)
