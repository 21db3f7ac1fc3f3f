"""Exports a game: as a picture of a position, an animation, a replay or a log."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from noughts import draw
from noughts.files import slug
from noughts.game import Game
from noughts.matches.log import game_log
from noughts.matches.record import GameRecord
from noughts.matches.replays import to_json
from noughts.web._fair_pool import FairThreadPool
from noughts.web._members import Member
from noughts.web._quotas import Busy, Quotas
from noughts.web._settings import GIFS_KEPT

LONGEST_NAME = 24
KINDS = {
    "svg": "image/svg+xml",
    "gif": "image/gif",
    "json": "application/json",
    "log": "text/plain; charset=utf-8",
}


class Exports:
    """Creates files. GIFs take seconds, so they are made one at a time, and the latest are cached.

    texts: threads for the other kinds.
    """

    def __init__(self, quotas: Quotas, texts: FairThreadPool) -> None:
        self._rate, self._texts = quotas.exports, texts
        self._threads = FairThreadPool(1, "gif", quotas.gifs)
        self._gifs: OrderedDict[tuple[Game, tuple[int, ...]], asyncio.Future[bytes]] = OrderedDict()

    def close(self) -> None:
        self._threads.close()

    async def export(
        self, record: GameRecord, kind: str, at: int | None, dark: bool, member: Member
    ) -> tuple[bytes, str, str]:
        """Returns the file, its media type and its name. Raises ValueError for an unknown position, Busy after too many
        requests.

        kind: one of KINDS. at: the position for a picture.
        """
        last = len(record.moves)
        if at is not None and not 0 <= at <= last:
            raise ValueError(f"the game has {last} moves, so its positions are 0 to {last}")
        self._rate.take(member)
        if kind == "gif":
            content = await self._gif(record, member)
        else:
            content = await self._texts.run(member, _text, record, kind, last if at is None else at, dark)
        return content, KINDS[kind], f"{_file_name(record)}.{kind}"

    async def _gif(self, record: GameRecord, member: Member) -> bytes:
        key = (record.game, tuple(record.moves))
        if key not in self._gifs:
            self._gifs[key] = asyncio.ensure_future(self._threads.run(member, gif, record))
            done = [one for one, export in self._gifs.items() if export.done()]
            for old in done[: max(0, len(self._gifs) - GIFS_KEPT)]:
                del self._gifs[old]
        try:
            # Other requests may wait for the same file.
            return await asyncio.shield(self._gifs[key])
        except (ValueError, Busy):
            self._gifs.pop(key, None)
            raise


def _text(record: GameRecord, kind: str, at: int, dark: bool) -> bytes:
    if kind == "svg":
        text = draw.svg(record.states()[at][0].view(), dark=dark)
    else:
        text = to_json(record) if kind == "json" else game_log(record)
    return text.encode()


def gif(record: GameRecord) -> bytes:
    return draw.gif([state.view() for state, _ in record.states()])


def _file_name(record: GameRecord) -> str:
    """Returns a file name for an HTTP header, which allows only ASCII."""
    first, second = (slug(name.encode("ascii", "replace").decode(), LONGEST_NAME) for name in record.players)
    return f"{record.game.name}-{first}-{second}"
