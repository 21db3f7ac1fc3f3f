"""The HTTP interface of the page, which scripts can use too. /openapi.json describes it."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from noughts import board
from noughts.document import Json
from noughts.game import Game
from noughts.games import listing_of
from noughts.library import game_names, load_game
from noughts.notation import MAX_TEXT
from noughts.web import _puzzles
from noughts.web._archive import record_data
from noughts.web._engines import Opponent
from noughts.web._lessons import lessons
from noughts.web._members import member_of
from noughts.web._positions import Position, listed_game, state_of
from noughts.web._services import MATCH, services_of
from noughts.web._settings import BOT_BYTES, NAME_LENGTH
from noughts.web._table import Table
from noughts.web._tables import CLOCKS, PEOPLE, person_name

Kept = Literal["play", "upload", "file"]
File = Annotated[int, Query(ge=MATCH, le=1000, description="number of a tournament file in the operator's list")]
Name = Annotated[str, Query(max_length=200, description="name of a tournament in that file")]
Number = Annotated[str, Path(max_length=40, pattern=r"^[A-Za-z0-9_-]+$", description="number of a game")]
ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "Refused or malformed; `error` gives the reason"},
    401: {"description": "A join token is needed"},
    403: {"description": "The request comes from another page"},
    404: {"description": "Not found"},
    413: {"description": "Too large"},
    421: {"description": "The request's host name is not this server's"},
    422: {"description": "Malformed; `error` says where"},
    429: {"description": "Too many requests"},
    503: {"description": "The server cannot store games now"},
}


SAMPLE_SHARE = 5
"""A random position on a card has marks on this share of its cells: one in five."""


class Body(BaseModel):
    """The body of a request, which has no other fields."""

    model_config = ConfigDict(extra="forbid")


class NewGame(Body):
    """A new game. opponent: one from the game's list, or "link" for a person with a link, "open" for an open challenge,
    "screen" for a person beside you.
    """

    game: str = Field(max_length=40, examples=["extreme"])
    opponent: str = Field(max_length=80, examples=["alphabeta:level=4"])
    seat: Literal[0, 1] = 0
    clock: int | None = Field(default=None, description="seconds for each player for the whole game")
    name: str = Field(default="", max_length=NAME_LENGTH)
    play: str = Field(default="", max_length=MAX_TEXT, description="opening moves, in notation")


class TakenChallenge(Body):
    name: str = Field(default="", max_length=NAME_LENGTH)


class MoveMade(Body):
    key: str = Field(max_length=64, description="key of the seat")
    move: str = Field(max_length=40, examples=["3,7", "[X 4]"])


class Bot(Body):
    name: str = Field(default="bot", max_length=NAME_LENGTH)
    source: str = Field(max_length=BOT_BYTES, description="the text of the file, as described in docs/write-a-bot.md")


router = APIRouter(prefix="/api", responses=ERRORS)


def _table(request: Request, number: str) -> Table:
    """Returns a game of this page. Responds with 404 if there is none with this number."""
    table = services_of(request).tables.find(number)
    if table is None:
        raise HTTPException(404, "there is no such game; it may be too old")
    return table


@router.get("/me")
async def me(request: Request) -> Json:
    """Your `name` on this server ('' if unknown), and what you may see (`audience`, `team`)."""
    member = member_of(request)
    return {"name": member.name, "audience": member.visibility.audience, "team": member.visibility.team}


@router.get("/games")
async def games(request: Request) -> list[Json]:
    """The games in the order of the page, your own first, with a position for a picture and the opponents in each."""
    engines = services_of(request).engines
    found = []
    for game in sorted(map(load_game, game_names()), key=_place_on_page):
        opponents = [{"name": one.name, "title": one.title} for one in engines.for_game(game)]
        about = {
            "name": game.name,
            "title": game.rules.title,
            "summary": game.rules.summary,
            "seconds": game.rules.move_seconds,
        }
        about["uploads"] = services_of(request).uploads
        found.append(
            {
                **about,
                "shape": board.shape(game.rules),
                "sample": _sample(game),
                "opponents": opponents,
                "clocks": list(CLOCKS),
            }
        )
    return found


def _place_on_page(game: Game) -> tuple[int, str]:
    listing = listing_of(game.rules)
    return (listing.page_order if listing else 0), game.name


@cache
def _sample(game: Game) -> Json:
    """Returns the cells and owners on a game's card: of the position in its data, or after a few random moves."""
    if game.data.sample:
        state = game.from_string(game.data.sample)
    else:
        state, chance = game.new_initial_state(), random.Random(1)
        while len(state.history()) < game.max_game_length() // SAMPLE_SHARE and not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
    view = board.view(state, legal=False)
    return {name: view[name] for name in ("cells", "owners")}


@router.get("/games/{name}/lessons")
async def rules_in_pictures(name: str, request: Request) -> list[Json]:
    """The rules of a game in a few pictures."""
    try:
        game = listed_game(name)
    except ValueError as error:
        raise HTTPException(404, str(error)) from None
    return list(await services_of(request).positions.run(member_of(request), lessons, game))


@router.post("/play", status_code=201)
async def new_game(body: NewGame, request: Request) -> Json:
    """Start a game. `key` plays your seat; with the opponent "link", `guest` plays the other one."""
    found, member, game = services_of(request), member_of(request), listed_game(body.game)
    found.quotas.new_games.take(member)
    opponent: Opponent | str = body.opponent
    if body.opponent not in PEOPLE:
        opponent = await found.engines.checked(body.opponent, game, 1 - body.seat, member)
    state, _, _ = await found.positions.run(member, state_of, Position(game=body.game, play=body.play))
    table = found.tables.new(state, opponent, body.seat, body.clock, body.name, member)
    reply = {"id": table.id, "key": table.seats[body.seat].key}
    if body.opponent == "link":
        reply["guest"] = table.seats[1 - body.seat].key
    return reply


@router.get("/challenges")
async def challenges(request: Request) -> list[Json]:
    """Open challenges whose creators are online."""
    return [
        {
            "id": table.id,
            "game": table.game.name,
            "title": table.game.rules.title,
            "name": table.title(1 - table.offered),
            "seat": table.offered,
            "clock": table.clock,
        }
        for table in services_of(request).tables.challenges()
        if table.offered is not None
    ]


@router.post("/challenges/{number}", status_code=201)
async def take_challenge(number: Number, body: TakenChallenge, request: Request) -> Json:
    """Accept an open challenge; `key` plays your seat. The first request gets it."""
    found, member = services_of(request), member_of(request)
    found.quotas.new_games.take(member)
    table = _table(request, number)
    key = table.take_free_seat(person_name(body.name, member))
    found.tables.changed(table)
    return {"id": table.id, "key": key}


@router.post("/bots", status_code=201)
async def send_bot(body: Bot, request: Request) -> Json:
    """Upload a bot to play against, if the operator allows it. `opponent` is its name; it runs in the sandbox."""
    found = services_of(request)
    if not found.uploads:
        raise HTTPException(403, "this server does not accept bots; the operator must start it with --allow-uploads")
    member = member_of(request)
    found.quotas.uploads.take(member)
    return {"opponent": found.engines.take_bot(body.name, body.source, member, found.tables.opponents_playing()).name}


@router.get("/play/{number}")
async def game_now(number: Number, request: Request, key: Annotated[str, Query(max_length=64)] = "") -> Json:
    """The current state of a game; with the key of a seat, also the legal moves."""
    table = _table(request, number)
    return table.facts_for(table.seats_of(key))


@router.post("/play/{number}/moves")
async def make_move(number: Number, body: MoveMade, request: Request) -> Json:
    """Make a move. Returns the state after it; the opponent's move follows later."""
    table = _table(request, number)
    held = table.seats_of(body.key)
    if not held:
        raise HTTPException(403, "this key is not for a seat of the game")
    table.member = member_of(request)
    table.play(table.acting(held), table.state.string_to_action(body.move))
    services_of(request).tables.changed(table)
    return table.facts_for(held)


@router.get("/replays/{kept}/{number}")
async def replay(kept: Kept, number: Number, request: Request, file: File = 0, name: Name = "") -> Json:
    """A recorded game: played on this page (`play`), uploaded (`upload`), or from a tournament file."""
    found, member = services_of(request), member_of(request)
    return await found.positions.run(member, record_data, await found.recorded_game(kept, number, file, name, member))


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
    found, member = services_of(request), member_of(request)
    record = await found.recorded_game(kept, number, file, name, member)
    content, media, title = await found.exports.export(record, kind, at, dark, member)
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{title}"'})


@router.post("/replays", status_code=201)
async def upload(request: Request) -> Json:
    """Upload a replay or a log as the body. The server keeps it for a while under the returned name."""
    found, member = services_of(request), member_of(request)
    found.quotas.uploads.take(member)
    text = (await request.body()).decode("utf-8", errors="replace")
    return {"id": await found.parsing.run(member, found.archive.upload, text, member)}


@router.get("/tournaments")
async def tournaments(request: Request) -> list[Json]:
    """The tournaments in the operator's files; file -1 is the match in progress on this server."""
    found, member = services_of(request), member_of(request)
    rows = await found.files.run(member, found.archive.tournaments)
    if found.watched is not None:
        now = found.watched.snapshot(member.visibility)
        rows.insert(0, {"file": MATCH, "name": now["name"], "title": now["title"], "games": now["status"]["games"]})
    return rows


@router.get("/tournaments/games")
async def tournament_games(
    request: Request,
    file: Annotated[int, Query(ge=0, le=1000)] = 0,
    name: Name = "",
    of: Annotated[str | None, Query(max_length=200)] = None,
    after: Annotated[int, Query(ge=-1, le=2**53)] = -1,
) -> list[Json]:
    """A page of a tournament's games, after a given number; of one contestant with `of`."""
    found, member = services_of(request), member_of(request)
    try:
        return await found.files.run(member, found.archive.games, file, name, of, after, member.visibility)
    except LookupError:
        raise HTTPException(404, "there is no such tournament file") from None


@router.post("/positions")
async def position(body: Position, request: Request) -> Json:
    """A position, its legal moves, and the player of each move so far."""
    return await services_of(request).positions.run(member_of(request), _position, body)


def _position(body: Position) -> Json:
    state, start, moves = state_of(body)
    movers = board.recorded(state.game, moves, start)["by"]
    return {"view": board.view(state), "position": state.to_string(), "movers": [int(mover) for mover in movers]}


@router.post("/analysis")
async def analysis(body: Position, request: Request) -> Json:
    """The values of a position's best moves: exact in solved games, else by a short search."""
    found, member = services_of(request), member_of(request)
    state, _, _ = await found.positions.run(member, state_of, body)
    if state.is_terminal():
        raise ValueError("the game is over: there is nothing to evaluate")
    return await found.analyst.best(state, member)


class Solved(Body):
    move: str = Field(max_length=40, examples=["3,7"])


PuzzleNumber = Annotated[int, Path(ge=0, le=100_000)]


@router.get("/puzzles")
async def puzzles() -> list[Json]:
    """All puzzles: their games and kinds."""
    return _puzzles.listed()


@router.get("/puzzles/{number}")
async def puzzle(number: PuzzleNumber, request: Request) -> Json:
    """A puzzle: the position and the task, without the solution."""
    return await _puzzle(request, _puzzles.puzzle_data, number)


@router.post("/puzzles/{number}")
async def solve_puzzle(number: PuzzleNumber, body: Solved, request: Request) -> Json:
    """Answer a puzzle with a move. Returns whether it is right, and the line that shows why."""
    return await _puzzle(request, _puzzles.answer, number, body.move)


async def _puzzle(request: Request, work: Callable[..., Json], *arguments: object) -> Json:
    try:
        return await services_of(request).positions.run(member_of(request), work, *arguments)
    except LookupError:
        raise HTTPException(404, "there is no such puzzle") from None
