"""A game as files to take along: a picture of a position, a moving one of the game, the replay, the course's log."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

from noughts import draw
from noughts.files import slug
from noughts.game import Game
from noughts.matches.course_log import course_log
from noughts.matches.record import GameRecord
from noughts.matches.replays import to_json
from noughts.web._fair_pool import Busy
from noughts.web._guard import Rate
from noughts.web._settings import EXPORT_BURST, EXPORTS_A_SECOND, GIFS_KEPT, GIFS_WAITING

LONGEST_NAME = 24
KINDS = {
    "svg": "image/svg+xml",
    "gif": "image/gif",
    "json": "application/json",
    "log": "text/plain; charset=utf-8",
}


class Exports:
    """Makes files, so many of an address in a time. GIFs take seconds each: one at a time, and the latest are kept."""

    def __init__(self) -> None:
        self._rate = Rate(EXPORTS_A_SECOND, EXPORT_BURST)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="gif")
        self._gifs: OrderedDict[tuple[Game, tuple[int, ...]], asyncio.Future[bytes]] = OrderedDict()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def made(
        self, record: GameRecord, kind: str, at: int | None, dark: bool, address: str
    ) -> tuple[bytes, str, str]:
        """The file, its media type and its name; ValueError if there is none, Busy if too many are asked for.

        at: the position of a picture.
        """
        if kind not in KINDS:
            raise ValueError(f"a game is given as {', '.join(KINDS)}")
        last = len(record.moves)
        if at is not None and not 0 <= at <= last:
            raise ValueError(f"the game has {last} moves, so positions are 0 to {last}")
        if not self._rate.allows(address):
            raise Busy("too many files for this address; wait a few seconds")
        if kind == "gif":
            content = await self._gif(record)
        else:
            content = await asyncio.to_thread(_text, record, kind, last if at is None else at, dark)
        return content, KINDS[kind], f"{_file_name(record)}.{kind}"

    async def _gif(self, record: GameRecord) -> bytes:
        key = (record.game, tuple(record.moves))
        if key not in self._gifs:
            if sum(not one.done() for one in self._gifs.values()) >= GIFS_WAITING:
                raise Busy("the server is making as many GIFs as it can; try again in a minute")
            self._gifs[key] = asyncio.get_running_loop().run_in_executor(self._pool, gif, record)
            for old in [one for one, made in self._gifs.items() if made.done()][: len(self._gifs) - GIFS_KEPT]:
                del self._gifs[old]
        try:
            # Others may wait for the same one.
            return await asyncio.shield(self._gifs[key])
        except ValueError:
            self._gifs.pop(key, None)
            raise


def _text(record: GameRecord, kind: str, at: int, dark: bool) -> bytes:
    if kind == "svg":
        return _svg(record, at, dark)
    return (to_json(record) if kind == "json" else course_log(record)).encode()


def _svg(record: GameRecord, at: int, dark: bool) -> bytes:
    return draw.svg(record.states()[at][0].view(), dark=dark).encode()


def gif(record: GameRecord) -> bytes:
    return draw.gif([state.view() for state, _ in record.states()])


def _file_name(record: GameRecord) -> str:
    """A name for a header of HTTP, which takes ASCII only."""
    first, second = (slug(name.encode("ascii", "replace").decode(), LONGEST_NAME) for name in record.players)
    return f"{record.game.name}-{first}-{second}"
