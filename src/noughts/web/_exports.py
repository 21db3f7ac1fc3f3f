"""A game as files to take along: a picture of a position, a moving one of the game, the replay, the course's log."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from noughts import draw
from noughts.matches.course_log import course_log
from noughts.matches.record import GameRecord, to_json

MOST_FRAMES = 300
GIF_WIDTH = 420
FRAME_MILLISECONDS, LAST_MILLISECONDS = 600, 3000
KINDS = {
    "svg": "image/svg+xml",
    "gif": "image/gif",
    "json": "application/json",
    "log": "text/plain; charset=utf-8",
}


def export(record: GameRecord, kind: str, at: int | None = None, dark: bool = False) -> tuple[bytes, str, str]:
    """The file, its media type and its name; ValueError if there is no such file. at: the position of a picture."""
    if kind not in KINDS:
        raise ValueError(f"a game is given as {', '.join(KINDS)}")
    last = len(record.moves)
    if at is not None and not 0 <= at <= last:
        raise ValueError(f"the game has {last} moves, so positions are 0 to {last}")
    made = {"svg": lambda: _svg(record, last if at is None else at, dark), "gif": lambda: gif(record)}
    text = {"json": lambda: to_json(record), "log": lambda: course_log(record)}
    content = made[kind]() if kind in made else text[kind]().encode()
    return content, KINDS[kind], f"{_file_name(record)}.{kind}"


def _svg(record: GameRecord, at: int, dark: bool) -> bytes:
    return draw.svg(record.states()[at][0].view(), dark=dark).encode()


def gif(record: GameRecord) -> bytes:
    """Every position in turn; of a very long game every second one."""
    try:
        from PIL import Image
    except ImportError:
        raise ValueError("a GIF needs the package pillow on the server: pip install pillow") from None
    states = [state for state, _ in record.states()]
    step = -(-len(states) // MOST_FRAMES)
    shown = [*states[:-1:step], states[-1]]
    frames = [Image.fromarray(draw.raster(state.view())) for state in shown]
    width, height = frames[0].size
    size = (GIF_WIDTH, round(height * GIF_WIDTH / width))
    small = [frame.resize(size, Image.Resampling.LANCZOS).quantize(64) for frame in frames]
    lasting: Sequence[int] = [FRAME_MILLISECONDS] * (len(small) - 1) + [LAST_MILLISECONDS]
    file = io.BytesIO()
    small[0].save(file, "GIF", save_all=True, append_images=small[1:], duration=list(lasting), loop=0, optimize=False)
    return file.getvalue()


def _file_name(record: GameRecord) -> str:
    first, second = (re.sub(r"[^A-Za-z0-9]+", "-", name)[:24].strip("-") or "player" for name in record.players)
    return f"{record.game.name}-{first}-{second}"
