"""Makes every picture of the docs and of the README again, from positions and a game that are written down here.

python docs/pictures/make.py            writes them
python docs/pictures/make.py --check    says which ones differ from what is there; exit code 1 if any does

The replay needs Pillow. The game of the replay is a real one: alpha-beta with 3,000 nodes a move against alpha-beta
with 400, after four random moves.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import noughts
from noughts import draw

if TYPE_CHECKING:
    from PIL.Image import Image

FOLDER = Path(__file__).parent

POSITIONS = {
    "classic": ("classic", "XO./OX./..X end"),
    "classic-fork": ("classic", "X.O/.O./..X p0"),
    "misere": ("misere", "XXX/OO./... end"),
    "misere-centre": ("misere", ".../.X./... p1"),
    "wild": ("wild", "X.O/.X./O.X end"),
    "wild-centre": ("wild", ".../.X./..O p0"),
    "wild-misere": ("wild-misere", "X.O/.X./... p1"),
    "numerical": ("numerical", "2.9/.5./1.6 end"),
    "numerical-threat": ("numerical", "2../.5./.9. p1"),
    "ultimate-sent": ("ultimate", "9/9/9/9/4X4/9/9/9/9 p1 block=4"),
    "ultimate": ("ultimate", "XX2OX1X1/1O3X1X1/5XOX1/2OOO4/X1O1XXXOX/2OXXX1OO/3O3OO/OOO1OOXO1/X1X1XOOXX end"),
    "ultimate-boards": (
        "ultimate-boards",
        "2OXXXXOO/1O1O1OOXX/O2XOOOXO/OXX1O1XX1/1XO2OO1X/XOXXXXOOO/XXX2OX1O/1XX1OX1XO/OX1O2O1X end",
    ),
    "xtreme-sent": ("xtreme", "9/5X3/9/9/9/9/9/9/9|9/9/9/9/9/9/9/9/9 p1 block=5"),
    "xtreme-bonus": (
        "xtreme",
        "9/X4XX1X/9/1X5X1/4X4/9/4X1X2/9/X3X1X2|O2XOO3/1O2O4/2O6/3X3O1/O3O4/O3O2O1/2O6/1X3O3/O8 p1 block=4 bonus",
    ),
    "sent": ("extreme", "16/6X9/16/16/16/16/16/16/16/16/16/16/16/16/16/16 p1 block=6"),
    "diamond": (
        "extreme",
        "1X2O11/11O2O1/7O8/16/3X10X1/10XO4/12X3/8XO6/16/14X1/16/X1O1X4O6/1O3X10/O1O13/1O8X5/4X11 p1 block=1 bonus",
    ),
    "open-move": (
        "extreme",
        "12O3/16/X14O/X15/3X12/16/7O8/13O2/12O2X/15X/3O11X/2O12X/16/1X14/3O4X6X/O3X11 p1 block=11",
    ),
}
"""Game and position of each picture NAME.svg."""

REPLAY = FOLDER / "extreme.gif"
REPLAY_MOVES = [
    int(move)
    for move in (
        "121 212 99 191 222 89 102 154 122 218 120 225 166 169 165 164 161 148 97 132 34 170 186 216 114 201 20 82 123 "
        "254 250 234 168 178 217 85 118 235 175 159 110 171 189 230 137 23 93 87 78 25 70 27 95 238 185 228 163 188 "
        "194 40 160 145 100 146 239 173 180 227 157 117 244 242 233 135 13 53 245 197 37 134 24 80 98 184 226 139 46 "
        "136 33 133 38 138 26 232 179 237 174 152 81 119 221 71 29 103 142 10 57 199 14 56 224 177 247 255 236 131 12 "
        "0 32 129 5 55 206 59 253 198 9 52 243 252 192 48 241 196 51 207 15 63 220 115 204 35 11 28 96 130 58 162 209"
    ).split()
]
REPLAY_WIDTH = 400
FAR, FEW = 80, 1e-4
"""Difference, of 255, that makes two colours distinct. A mark has four times as many pixels as FEW."""
FIRST_MS, MOVE_MS, LAST_MS = 800, 220, 4000


def picture(name: str) -> str:
    game, position = POSITIONS[name]
    return noughts.load_game(game).from_string(position).to_svg()


def replay_frame(number: int) -> Image:
    """Returns the board after a number of moves."""
    from PIL import Image

    state = noughts.load_game("extreme").new_initial_state()
    for action in REPLAY_MOVES[:number]:
        state.apply_action(action)
    drawn = draw.raster(state.view())
    high, wide, _ = drawn.shape
    size = REPLAY_WIDTH, round(REPLAY_WIDTH * high / wide)
    return Image.fromarray(drawn).resize(size, Image.Resampling.LANCZOS)


def write_replay() -> None:
    from PIL import Image

    frames = [replay_frame(number) for number in range(len(REPLAY_MOVES) + 1)]
    # One palette for all frames: colours do not flicker, and what is kept of a frame is what changed.
    wide, high = frames[0].size
    sample = Image.new("RGB", (wide * 3, high))
    for number, frame in enumerate((frames[0], frames[len(frames) // 2], frames[-1])):
        sample.paste(frame, (wide * number, 0))
    palette = sample.quantize(48, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    times = [FIRST_MS, *[MOVE_MS] * (len(frames) - 2), LAST_MS]
    drawn[0].save(REPLAY, save_all=True, append_images=drawn[1:], duration=times, loop=0, optimize=True)


def replay_is_current() -> bool:
    """Returns whether the file shows this game: the same number of frames, and at most a few pixels of another colour.

    Similar colours count as equal: the file has few colours, and which ones depends on the version of Pillow.
    """
    import numpy as np
    from PIL import Image

    last = len(REPLAY_MOVES)
    with Image.open(REPLAY) as kept:
        if getattr(kept, "n_frames", 1) != last + 1:
            return False
        for number in (0, last // 2, last):
            kept.seek(number)
            frame = replay_frame(number)
            if kept.size != frame.size:
                return False
            off = np.asarray(kept.convert("RGB"), float) - np.asarray(frame, float)
            if (np.abs(off).max(axis=2) > FAR).mean() > FEW:
                return False
    return True


def stale() -> list[str]:
    """Returns the pictures that differ from what this script makes."""
    names = [f"{name}.svg" for name in POSITIONS if _kept(name) != picture(name)]
    return names if replay_is_current() else [*names, REPLAY.name]


def _kept(name: str) -> str:
    file = FOLDER / f"{name}.svg"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing")
    if parser.parse_args().check:
        print("\n".join(stale()) or "All pictures are current.")
        return int(bool(stale()))
    for name in POSITIONS:
        (FOLDER / f"{name}.svg").write_text(picture(name), encoding="utf-8")
    write_replay()
    return 0


if __name__ == "__main__":
    sys.exit(main())
