"""Shows games as a web page in one file: the board, the moves, clocks, prints and the engine's review.

One view of a recorded game (`static/game.js`) serves a replay, a match, a tournament's report and notebooks. Everything
in a record is untrusted: it is embedded as JSON and shown as text.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from noughts import board
from noughts.document import Json, document, escape, static
from noughts.game import Game
from noughts.matches.record import GameRecord

PRINTS_SHOWN = 2000
"""Maximum characters printed at one move."""
DETAIL_SHOWN = 4000
FRAME_HEIGHT = 720


def game_data(record: GameRecord, archive: board.Archive, review: Mapping[str, Any] | None = None) -> Json:
    """Returns one game as `game.js` reads it: the board's data (docs/board.md), and everything else.

    seconds: of each move, in thousandths. prints: by the number of the move, from 0. fault: [seat, kind, text, line,
    detail]. review: as returned by `analysis.mistakes.to_data`. Everything in the record is shown: see `Visibility`.
    """
    data = archive.add(record.moves)
    data |= {
        "seconds": [round(1000 * taken) for taken in record.seconds],
        "reason": record.reason,
        "result": list(record.points),
        **({"opening": record.opening} if record.opening else {}),
    }
    prints = {number: text[:PRINTS_SHOWN] for number, text in record.prints.items() if text}
    if prints:
        data["prints"] = prints
    if any(record.warnings):
        data["warnings"] = record.warnings
    if record.fault is not None:
        fault = record.fault
        data["fault"] = [record.faulty, fault.kind, fault.text, fault.line, fault.detail[:DETAIL_SHOWN]]
    if review is not None:
        data |= review_data(record.game, review)
    return data


def review_data(game: Game, review: Mapping[str, Any]) -> Json:
    """Returns a review as `review.js` reads it. values: in thousandths, of player 0. exact: a digit each. mistakes:
    [move from 0, kind, before, loss, cells of the better line, its marks, exact, decisive].
    """
    choices, marks = game.rules.choices, game.rules.marks
    mistakes = []
    for ply, _player, kind, (before, proven, _, line), (after, sure, *_), decisive in review["mistakes"]:
        letters = "".join(marks[action % choices] for action in line) if choices > 1 else ""
        cells = [action // choices for action in line]
        mistakes.append([ply, kind, before, before - after, cells, letters, int(proven and sure), int(decisive)])
    return {"values": review["values"], "exact": review["exact"], "mistakes": mistakes, "nodes": review["nodes"]}


def game_style() -> str:
    """Returns the style of the view, with that of the board."""
    return board.style() + static("noughts.matches", "game.css")


def game_script(main: str, modules: Sequence[tuple[str, str]] = ()) -> str:
    """Returns the view, its board and `main` as one script; see `board.script`."""
    return board.script(main, [("game.js", static("noughts.matches", "game.js")), *modules])


SINGLE = """
import { themeButton } from "./parts.js";
import { gameView, unpacked } from "./game.js";
const data = JSON.parse(document.getElementById("data-page").textContent);
const { tables, game } = await unpacked("game");
document.getElementById("tools").append(themeButton());
document.getElementById("game").append(gameView({ ...tables, ...game }, data).element);
"""


def game_page(
    record: GameRecord, review: Mapping[str, Any] | None = None, *, limit: float | None = None, small: bool = False
) -> str:
    """Returns the page of one game. limit: seconds per move, if known. small: without a heading, for a frame."""
    archive = board.Archive(record.game)
    game = game_data(record, archive, review)
    title = f"{record.players[0]} - {record.players[1]}"
    about = f"{record.game.rules.title}, {record.points[0]} : {record.points[1]}"
    head = f'<div><h1 class="{"hidden" if small else ""}">{escape(title)}</h1><p class="soft">{escape(about)}</p></div>'
    body = f"""<header class="top"><div class="inner">{head}<div id="tools"></div></div></header>
<main class="inner"><section class="card" id="game" aria-label="The game"></section></main>
<noscript><p class="inner">The board needs JavaScript.</p></noscript>"""
    return document(
        title,
        body,
        style=game_style(),
        scripts=[game_script(SINGLE)],
        data={"page": {"players": list(record.players), "limit": limit}},
        packed={"game": {"tables": archive.tables(), "game": game}},
    )


def frame(record: GameRecord) -> str:
    """Returns the game as an isolated frame within another page, such as a notebook."""
    page = game_page(record, small=True)
    label = escape(f"{record.players[0]} against {record.players[1]}")
    return (
        f'<iframe sandbox="allow-scripts" title="{label}" width="100%" height="{FRAME_HEIGHT}" '
        f'style="border:0" srcdoc="{html.escape(page)}"></iframe>'
    )
