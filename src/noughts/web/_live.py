"""WebSockets: live games, analyses and tournaments.

Every message from a client is validated before use. The server always sends the whole latest state, so late and
reconnecting clients miss nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Awaitable
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from noughts import board
from noughts.analysis.evaluator import finished
from noughts.analysis.facts import threats
from noughts.game import IllegalMove, State
from noughts.matches.record import GameRecord
from noughts.web._analysis import Analyst
from noughts.web._members import NOBODY, member_of
from noughts.web._positions import Position, state_of
from noughts.web._quotas import Busy, Rate
from noughts.web._services import Services
from noughts.web._settings import (
    ANALYSIS_SECONDS,
    MESSAGE_BURST,
    MESSAGES_A_SECOND,
    MOST_LINES,
    NAME_LENGTH,
    SEND_SECONDS,
)
from noughts.web._table import HINTS, NotAllowed, Table
from noughts.web._tables import NotSaved, person_name
from noughts.web._watching import LiveFeed

log = logging.getLogger(__name__)


class Form(BaseModel):
    """A form that accepts only the named fields, each with its type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Hello(Form):
    """The first message. key: the key of a seat. name: the person's name, unless the roster has one."""

    type: Literal["hello"]
    key: str = Field(default="", max_length=64)
    name: str = Field(default="", max_length=NAME_LENGTH)


class Move(Form):
    """A move, as cell and mark or in notation."""

    type: Literal["move"]
    cell: int | None = Field(default=None, ge=0, lt=4096)
    mark: str | None = Field(default=None, max_length=1)
    text: str | None = Field(default=None, max_length=40)


class Ask(Form):
    """A request. undo, draw, hints: offers to the other person, or accepts an offer; decline: refuses an offer."""

    type: Literal["undo", "draw", "hints", "decline", "resign", "hint", "record"]


class Again(Form):
    type: Literal["rematch"]
    swap: bool = False


class Analyse(Position):
    type: Literal["analyse"]
    number: int = Field(ge=0, lt=2**31)
    seconds: float = ANALYSIS_SECONDS[0]
    lines: int = Field(default=3, ge=1, le=MOST_LINES)


class Stop(Form):
    type: Literal["stop"]


_game_message: TypeAdapter[Hello | Move | Ask | Again] = TypeAdapter(
    Annotated[Hello | Move | Ask | Again, Field(discriminator="type")]
)
_analysis_message: TypeAdapter[Analyse | Stop] = TypeAdapter(Annotated[Analyse | Stop, Field(discriminator="type")])


async def _close(socket: WebSocket, code: int = 1000, reason: str = "") -> None:
    """Closes a connection, which the client may have closed already."""
    with suppress(WebSocketDisconnect, RuntimeError):
        await socket.close(code, reason)


async def _refuse(socket: WebSocket, why: str) -> None:
    """Closes a connection to something that does not exist."""
    with suppress(WebSocketDisconnect, TimeoutError, RuntimeError):
        await send(socket, {"type": "gone", "error": why})
    await _close(socket)


async def send(socket: WebSocket, message: dict[str, Any]) -> None:
    """Sends within a time limit: a client that does not read is disconnected."""
    await asyncio.wait_for(socket.send_text(json.dumps(message, separators=(",", ":"))), SEND_SECONDS)


async def _text(socket: WebSocket) -> str:
    """Returns the next message. Raises WebSocketDisconnect at the end, and for binary messages, which are not used
    here.
    """
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if not isinstance(text, str):
        await socket.close(1003, "messages must be text")
        raise WebSocketDisconnect(1003)
    return text


def message_rate() -> Rate:
    """Returns the rate limit for the messages of a WebSocket."""
    return Rate(MESSAGES_A_SECOND, MESSAGE_BURST)


async def read(socket: WebSocket, form: TypeAdapter[Any], own: Rate, all_of_member: Rate) -> Any:
    """Returns the next message of this form. Refuses others with the reason. Raises WebSocketDisconnect at the end.

    own, all_of_member: rate limits for this WebSocket, and for all WebSockets of its member.
    """
    while True:
        text = await _text(socket)
        if not own.allows(NOBODY) or not all_of_member.allows(member_of(socket)):
            await socket.close(1008, "too many messages")
            raise WebSocketDisconnect(1008)
        try:
            return form.validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            await send(socket, {"type": "error", "error": f"malformed message: {where} {first['msg']}"})


async def _until_one_ends(*coroutines: Awaitable[None]) -> None:
    """Runs these until one of them ends, then stops the others. A broken connection counts as an end."""
    tasks = [asyncio.ensure_future(each) for each in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            error = task.exception()
            if error is not None and not isinstance(error, WebSocketDisconnect | TimeoutError | RuntimeError):
                raise error
    finally:
        await _stop(*tasks)


async def _stop(*tasks: asyncio.Future[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


# Games.


async def play(socket: WebSocket, services: Services, number: str) -> None:
    await socket.accept()
    tables = services.tables
    try:
        table = tables.find(number)
    except sqlite3.Error as error:
        log.error("the file of games could not be read: %s", error)
        return await _close(socket, 1013, "the server cannot read its games now")
    if table is None:
        return await _refuse(socket, "there is no such game; it may be too old")
    connection = _GameConnection(socket, services, table)
    table.watchers.add(connection.news)
    try:
        await _until_one_ends(connection.listen(), connection.send_changes())
    finally:
        connection.leave()
        table.watchers.discard(connection.news)
        await _close(socket)
    return None


class _GameConnection:
    """A browser at a game."""

    def __init__(self, socket: WebSocket, services: Services, table: Table) -> None:
        self._socket, self._services, self._tables, self._table = socket, services, services.tables, table
        self._held: list[int] = []
        self._member = member_of(socket)
        self._rate = message_rate()
        self.news = asyncio.Event()

    async def send_changes(self) -> None:
        while True:
            await self.news.wait()
            self.news.clear()
            if self._table.lost:
                return await self._socket.close(1013, "this game could not be saved; open it again")
            await send(self._socket, self._table.facts_for(self._held))

    async def listen(self) -> None:
        while True:
            message = await read(self._socket, _game_message, self._rate, self._services.quotas.messages)
            try:
                await self._do(message)
            except (IllegalMove, NotAllowed, ValueError, NotSaved, Busy) as error:
                await send(self._socket, {"type": "error", "error": _short(error)})

    async def _do(self, message: Hello | Move | Ask | Again) -> None:
        table = self._table
        if isinstance(message, Hello):
            self._sit_down(message)
            return
        if isinstance(message, Ask) and message.type == "record":
            version, pool = table.version, self._services.positions
            record = await pool.run(self._member, board.recorded, table.game, table.state.history())
            await send(self._socket, {"type": "record", "version": version, "record": record})
            return
        if not self._held:
            raise NotAllowed("you are watching this game; to play, open your own link")
        player = table.acting(self._held)
        table.member = self._member
        if isinstance(message, Move):
            table.play(player, _action(table, message))
        elif isinstance(message, Again):
            self._services.quotas.new_games.take(self._member)
            self._tables.rematch(table, player, message.swap)
            return
        elif message.type == "hint":
            await self._hint(player)
            return
        elif message.type == "hints":
            table.hints = table.offer(HINTS, player) or table.hints
        else:  # undo, draw, decline or resign
            getattr(table, message.type)(player)
        self._tables.changed(table)

    def _sit_down(self, message: Hello) -> None:
        """Takes the seats of a key; both players see who is present."""
        table = self._table
        self.leave()
        self._held = table.seats_of(message.key)
        table.present.update(self._held)
        name = person_name(message.name, self._member)
        if not table.together and any(table.name(player, name) for player in self._held):
            self._tables.changed(table)
        else:
            table.wake()

    def leave(self) -> None:
        """Leaves the seats; the other player sees it."""
        self._table.present.subtract(self._held)
        self._held = []
        self._table.wake()

    async def _hint(self, player: int) -> None:
        table = self._table
        if table.player != player:
            raise NotAllowed("it is not your move")
        if table.is_between_people and not table.hints:
            raise NotAllowed("hints need the agreement of both players")
        version = table.version
        found = await self._services.analyst.best(table.state, self._member)
        if table.version == version:
            best = found["lines"][0]
            await send(self._socket, {"type": "hint", "version": version, "hint": best})


def _action(table: Table, message: Move) -> int:
    if message.text is not None:
        return table.state.string_to_action(message.text)
    if message.cell is None:
        raise NotAllowed("a move must be a cell with its mark, or a string in notation")
    return table.action_of(message.cell, message.mark)


def _short(error: Exception) -> str:
    """Returns a refusal without the list of legal moves, which the page shows anyway."""
    return str(error).partition("; legal actions are")[0][:400]


# Analyses.


async def analyse(socket: WebSocket, services: Services) -> None:
    await socket.accept()
    rate = message_rate()
    running: list[asyncio.Task[None]] = []
    try:
        while True:
            message = await read(socket, _analysis_message, rate, services.quotas.messages)
            await _stop(*running)
            running = [asyncio.create_task(_analyse(socket, services, message))] if isinstance(message, Analyse) else []
    except (WebSocketDisconnect, TimeoutError, RuntimeError):
        pass
    finally:
        await _stop(*running)


async def _analyse(socket: WebSocket, services: Services, message: Analyse) -> None:
    head, member = {"number": message.number}, member_of(socket)
    try:
        if message.seconds not in ANALYSIS_SECONDS:
            raise ValueError(f"seconds must be one of {', '.join(f'{each:g}' for each in ANALYSIS_SECONDS)}")
        state, facts = await services.positions.run(member, _position_facts, message)
    except (ValueError, Busy) as error:
        return await send(socket, {"type": "error", **head, "error": _short(error)})
    await send(socket, {"type": "position", **head, **facts})
    if not state.is_terminal():
        try:
            async for found in services.analyst.analyse(state, message.seconds, message.lines, member):
                await send(socket, {"type": "lines", **head, **found})
        except Busy as error:
            await send(socket, {"type": "error", **head, "error": str(error)})
    return None


def _position_facts(message: Analyse) -> tuple[State, dict[str, Any]]:
    state, start, moves = state_of(message)
    facts = {
        "view": board.view(state),
        "record": board.recorded(state.game, moves, start),
        "position": state.to_string(),
        "moves": moves,
        "value": finished(state).value if state.is_terminal() else None,
        "threats": threats(state),
    }
    return state, facts


# Only watched: reviews of recorded games, tournaments.


async def review(socket: WebSocket, analyst: Analyst, record: GameRecord | None) -> None:
    """Sends the review of a game; then the connection ends."""
    await socket.accept()
    with suppress(WebSocketDisconnect, TimeoutError, RuntimeError):
        try:
            if record is not None:
                await send(socket, {"type": "review", **await analyst.review(record, member_of(socket))})
            await send(socket, {"type": "done"})
        except Busy as error:
            await send(socket, {"type": "error", "error": str(error)})
        await socket.close(1000)


async def watch(socket: WebSocket, feed: LiveFeed | None) -> None:
    await socket.accept()
    if feed is None:
        return await _refuse(socket, "there is no such tournament here")
    event = feed.watch()

    async def send_changes() -> None:
        while True:
            await event.wait()
            event.clear()
            await asyncio.wait_for(socket.send_text(feed.message), SEND_SECONDS)

    async def listen() -> None:
        while True:
            await _text(socket)  # no messages are expected; this notices the end

    try:
        await _until_one_ends(send_changes(), listen())
    finally:
        feed.unwatch(event)
        await _close(socket)
    return None
