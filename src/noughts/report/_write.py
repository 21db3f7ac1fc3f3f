"""Writes the pages of a report: one file, or a folder where one file would be too large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from noughts.analysis.mistakes import Review
from noughts.document import document, escape, static
from noughts.files import write_whole
from noughts.matches.page import game_script, game_style
from noughts.matches.record import GameRecord
from noughts.matches.store import STAGE
from noughts.report._gather import ReportData, match_report
from noughts.report._patterns import ReviewedGame

MOST_BYTES = 5_000_000
"""Maximum size of a report in one file: small enough for mail, a course page and a phone."""

MODULES = ("tables.js", "reportdata.js", "standings.js", "gamefacts.js", "teampages.js")
"""The modules of the page, in dependency order."""

BODY = """<header class="top"><div class="inner"><p class="brand"><a href="{home}">{title}</a></p>
<div id="tools"></div></div></header><main class="inner" id="main" tabindex="-1"></main>
<noscript><p class="inner">This report needs JavaScript. It is self-contained and contacts no server.</p>
</noscript>"""


own = partial(static, "noughts.report")


@cache
def _script() -> str:
    return game_script(own("report.js"), [(name, own(name)) for name in MODULES])


def page(report: ReportData, *, only: int | None = None, with_games: bool = True) -> str:
    """Returns a page. only: the team of this page in a folder of pages, which has only that team's games. with_games:
    False for the first page of such a folder.
    """
    games = {
        number: game
        for number, game in report.games.items()
        if with_games and (only is None or only in report.teams[number])
    }
    head = report.head | {"pages": report.pages, "only": only, "folder": bool(report.pages)}
    title = str(report.head["title"])
    home = "index.html" if report.pages else "#"
    return document(
        title if only is None else f"{report.head['teams'][only]['name']}, {title}",
        BODY.format(home=home, title=escape(title)),
        style=game_style() + own("report.css"),
        scripts=[_script()],
        data={"head": head},
        packed={"games": {"tables": report.tables, "games": games}},
    )


def match_page(records: Sequence[GameRecord], limit: float | None, reviews: Mapping[int, Review] | None = None) -> str:
    """Returns a match as a page. reviews: by the indices of the records, if any."""
    known = reviews or {}
    reviewed = [
        ReviewedGame(number, STAGE, 1, record.round, record, known.get(number - 1))
        for number, record in enumerate(records, 1)
    ]
    return page(match_report(records[0].game, reviewed, limit))


def write_report(report: ReportData, path: Path, *, most: int = MOST_BYTES) -> list[Path]:
    """Writes a report to a file, or to a folder of the same name if it is too large for one; returns the paths, the
    page to open first.
    """
    text = page(report).encode()
    if len(text) <= most:
        _write(path, text)
        return [path]
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    count = len(report.head["teams"])
    report.pages = {number: f"team-{number + 1:0{len(str(count))}}.html" for number in range(count)}
    written = [folder / "index.html"]
    _write(written[0], page(report, with_games=False).encode())
    for number, name in report.pages.items():
        if any(number in report.teams[game] for game in report.games):
            _write(folder / name, page(report, only=number).encode())
            written.append(folder / name)
    return written


def _write(path: Path, text: bytes) -> None:
    try:
        write_whole(path, text)
    except FileNotFoundError:
        raise ValueError(f"cannot write {str(path)!r}: the folder {str(path.parent)!r} does not exist") from None
