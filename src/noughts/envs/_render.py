"""Frames of a position, for the render modes of environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from noughts import draw
from noughts.game import State

RENDER_MODES = ["human", "ansi", "rgb_array"]


def require_mode(mode: str | None) -> None:
    """Raises ValueError unless this is a render mode, or None."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"there is no render mode {mode!r}; modes are {', '.join(RENDER_MODES)}, or None")


def frame(state: State, mode: str | None) -> Any:
    """Returns a frame. ansi: the board as text. rgb_array: uint8[height, width, 3]. human: None, after printing the
    board."""
    if mode == "human":
        print(state, end="\n\n")
    if mode == "ansi":
        return str(state)
    return pixels(state) if mode == "rgb_array" else None


def pixels(state: State) -> npt.NDArray[np.uint8]:
    return draw.raster(state.view())
