"""The pairs as a web page: a ranked list, and the shared parts side by side."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.document import Markup, document, escape, html_table
from noughts.similarity._compare import Alike, Code, SharedRun

HEADS = ("#", "Bot", "Share", "Bot", "Share", "Tokens", "In one piece", "Parts")
CLASSES = {1: "name", 3: "name", 5: "wide", 6: "wide"}
PARTS_SHOWN = 30
LINES_SHOWN = 200
"""Maximum lines shown of one part."""

STYLE = """
:root { color-scheme: light dark; --line: light-dark(#d6dade, #3a4148); --quiet: light-dark(#57606a, #a3abb3);
  --ground: light-dark(#f3f4f6, #14181c); --card: light-dark(#fff, #1d2227); --mark: light-dark(#fff1c2, #4a3f12); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 24px 16px; font: 16px/1.5 system-ui, sans-serif;
  background: var(--ground); color: light-dark(#1b1f23, #e8eaed); }
h1 { font-size: 28px; margin: 0 0 8px; } h2 { display: inline; font-size: 18px; overflow-wrap: anywhere; }
details { border-bottom: 1px solid var(--line); } summary { padding: 10px 0; cursor: pointer; }
h3 { font-size: 14px; margin: 0; overflow-wrap: anywhere; }
p { max-width: 75ch; } .quiet { color: var(--quiet); font-size: 14px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { padding: 8px 12px; text-align: right; border-bottom: 1px solid var(--line); }
th.name, td.name { text-align: left; overflow-wrap: anywhere; min-width: 8em; }
tr:last-child td { border-bottom: 0; } a { color: light-dark(#0b57d0, #8ab4f8); }
.part { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; margin: 12px 0; break-inside: avoid; }
.part > div { min-width: 0; padding: 8px 12px; }
pre { margin: 4px 0 0; font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; }
@media (max-width: 700px) { .part { grid-template-columns: 1fr; } .wide { display: none; } }
@media print { body { max-width: none; background: #fff; } }
"""
WORDS = (
    "This list is for human review and is not a verdict: code can be alike because it comes from one source, "
    "such as a lecture or book, or because the task leaves little choice. Names, comments and layout are not compared. "
    "Code of the template, and code that many bots have, is left out."
)


def page(pairs: Sequence[Alike], bots: int) -> str:
    rows = [_row(number, pair) for number, pair in enumerate(pairs, 1)]
    body = f"""<main><h1>Similar bots</h1>
<p>{escape(WORDS)}</p>
<p class="quiet">{bots} bots; the {len(pairs)} most similar pairs. A share is how much of a bot's own code is also in
the other; the list is sorted by the larger of the two. Open a pair below to see its parts side by side.</p>
<div class="card" tabindex="0" role="region" aria-label="Pairs">{html_table(HEADS, rows, CLASSES)}</div>
{"".join(_pair(number, pair) for number, pair in enumerate(pairs, 1))}</main>"""
    return document("Similar bots", body, style=STYLE)


def _row(number: int, pair: Alike) -> list[object]:
    first, second = pair.shares
    link = Markup(f'<a href="#pair-{number}" aria-label="parts of pair {number}">{len(pair.parts)}</a>')
    names = pair.first.name, pair.second.name
    return [number, names[0], f"{first:.0%}", names[1], f"{second:.0%}", pair.tokens, pair.longest, link]


def _pair(number: int, pair: Alike) -> str:
    parts = sorted(pair.parts, key=lambda part: -part.length)
    parts_html = "".join(_part(pair, part) for part in parts[:PARTS_SHOWN])
    more = f"<p>and {len(parts) - PARTS_SHOWN} shorter parts</p>" if len(parts) > PARTS_SHOWN else ""
    same = {"the same": "but for comments and layout", "": ""}.get(pair.verdict, "but for names, values and layout")
    verdict = f"The same from beginning to end, {same}. " if same else ""
    title = f"{number}. {escape(pair.first.name)} and {escape(pair.second.name)}"
    head = f'<p class="quiet" id="pair-{number}">{verdict}Longest parts first.</p>'
    short = f' <span class="quiet">{pair.verdict}</span>' if pair.verdict else ""
    return f"<details><summary><h2>{title}</h2>{short}</summary>{head}{parts_html}{more}</details>"


def _part(pair: Alike, part: SharedRun) -> str:
    return (
        '<div class="part card">'
        f"{_side(pair.first, part.first, part.length)}{_side(pair.second, part.second, part.length)}</div>"
    )


def _side(code: Code, first: int, length: int) -> str:
    tokens = code.tokens
    start, end = int(tokens.starts[first]), int(tokens.ends[first + length - 1])
    top, bottom = tokens.lines(first, first + length - 1)
    before = code.text[code.text.rfind("\n", 0, start) + 1 : start]
    after = code.text[end : (code.text + "\n").find("\n", end)]
    inside = code.text[start:end]
    lines = inside.split("\n")
    if len(lines) > LINES_SHOWN:
        inside, after = "\n".join(lines[:LINES_SHOWN]), f"\n... and {len(lines) - LINES_SHOWN} more lines"
    where = f"line {top}" if top == bottom else f"lines {top} to {bottom}"
    return (
        f"<div><h3>{escape(code.name)}, {where}</h3>"
        f"<pre>{escape(before)}<mark>{escape(inside)}</mark>{escape(after)}</pre></div>"
    )
