"""Draws a game as an animated GIF."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from noughts.draw._raster import raster
from noughts.rules.view import View

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MOST_FRAMES = 300
GIF_WIDTH = 420
FRAME_MILLISECONDS, LAST_MILLISECONDS = 600, 3000


def gif(views: Sequence[View]) -> bytes:
    """Returns a GIF that shows each position in turn; of a very long game every second one. Needs Pillow."""
    try:
        from PIL import Image
    except ImportError:
        raise ValueError("a GIF needs Pillow: pip install pillow") from None
    step = -(-len(views) // MOST_FRAMES)
    selected = [*views[:-1:step], views[-1]]

    def frames() -> Iterator[Picture]:
        """Yields small frames: large ones of a whole game would take gigabytes."""
        for view in selected:
            frame = Image.fromarray(raster(view))
            size = (GIF_WIDTH, round(frame.height * GIF_WIDTH / frame.width))
            yield frame.resize(size, Image.Resampling.LANCZOS).quantize(64)

    lasting = [FRAME_MILLISECONDS] * (len(selected) - 1) + [LAST_MILLISECONDS]
    file, small = io.BytesIO(), frames()
    next(small).save(file, "GIF", save_all=True, append_images=small, duration=lasting, loop=0, optimize=False)
    return file.getvalue()
