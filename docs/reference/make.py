"""Writes the reference: a page for each package with public names, which mkdocstrings fills in.

python docs/reference/make.py    run it after you add or remove a public name
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parent

ROOMS = {
    "noughts": "the main interface: games, exact answers, search, players, matches, tournaments",
    "noughts.rules": "the facts of a game, and how to write your own",
    "noughts.games": "the built-in games, and what belongs to each beside its rules",
    "noughts.draw": "boards as text, SVG and pixels",
    "noughts.testing": "checks for your own games",
    "noughts.solving": "exact values of the small games",
    "noughts.search": "alpha-beta and Monte Carlo tree search",
    "noughts.learn": "tabular Q-learning",
    "noughts.players": "players by name, and a protocol for your own",
    "noughts.matches": "many games, their records, scores and statistics",
    "noughts.analysis": "values of positions and moves",
    "noughts.evaluation": "one player graded over many games",
    "noughts.suites": "single positions with exact answers",
    "noughts.tournaments": "formats, standings, ratings",
    "noughts.course": "marks, and thresholds against staff bots",
    "noughts.report": "a tournament as web pages",
    "noughts.text": "prompts, and the moves in replies",
    "noughts.envs.gym": "Gymnasium, one agent",
    "noughts.envs.vector": "Gymnasium, many games at once",
    "noughts.envs.zoo": "PettingZoo, two agents in turn",
    "noughts.envs.openspiel": "our games inside OpenSpiel",
    "noughts.envs.text": "TextArena's interface",
    "noughts.board": "the board in a browser",
    "noughts.web": "the page in a browser, as a server",
    "noughts.sandbox": "processes that can compute and nothing else",
}


def page_name(room: str) -> str:
    return f"{room.replace('.', '-')}.md"


def page(room: str) -> str:
    module = import_module(room)
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == room
    ]
    listed = "".join(f"        - {name}\n" for name in names)
    purpose = ROOMS[room]
    return f"# {room}\n\n{purpose[0].upper()}{purpose[1:]}.\n\n::: {room}\n    options:\n      members:\n{listed}"


def index() -> str:
    rows = "".join(f"| [{room}]({page_name(room)}) | {purpose} |\n" for room, purpose in ROOMS.items())
    return (
        "# Reference\n\n"
        "The public names of each package. The site adds signatures and docstrings; files list only the names.\n\n"
        f"| package | content |\n|---|---|\n{rows}"
    )


def pages() -> dict[str, str]:
    """Returns the text of each page by its file name."""
    return {"index.md": index(), **{page_name(room): page(room) for room in ROOMS}}


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
