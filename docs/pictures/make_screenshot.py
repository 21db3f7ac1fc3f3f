"""Makes the picture of the page in the README: a real game of extreme on a real server, in Chromium.

python docs/pictures/make_screenshot.py     writes page.png beside this file
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import sync_playwright

import noughts
from noughts.players import Clock, make_player

HERE = Path(__file__).parent
MOVES = 132
"""Ply of the picture: some blocks are won by then."""
POINTED = 3
"""The playable cell under the pointer, which shows where it sends."""


def played() -> list[str]:
    """Returns the first moves of a game between two levels."""
    players = [make_player("alphabeta:level=4", seed=12), make_player("alphabeta:level=4", seed=5)]
    state, texts = noughts.load_game("extreme").new_initial_state(), []
    while not state.is_terminal() and (len(texts) < MOVES or state.current_player() != 0):
        action = players[state.current_player()].choose(state, Clock(1.0))
        texts.append(state.action_to_string(action))
        state.apply_action(action)
    return texts


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "noughts.cli", "serve", "--port", "0", "--games", f"{folder}/games.sqlite"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            base = server.stdout.readline().split()[4].rstrip("/")
            made = httpx.post(f"{base}/api/play", json={"game": "extreme", "opponent": "link", "clock": 600}).json()
            for text in played():
                for key in (made["key"], made["guest"]):
                    httpx.post(f"{base}/api/play/{made['id']}/moves", json={"key": key, "move": text})
            with sync_playwright() as playwright:
                chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                page = chromium.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
                page.goto(f"{base}/game/{made['id']}#key={made['key']}")
                page.locator(".board-spot.playable").nth(POINTED).hover()
                page.wait_for_timeout(500)
                taken = Image.open(io.BytesIO(page.screenshot()))
                taken.quantize(96).save(HERE / "page.png", optimize=True)
                chromium.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
