"""List the most similar bots of a folder, for a person to review.

Bots are compared token by token; names, comments, layout and the order of
functions make no difference. Code that many bots share is ignored, and so is
the code of --template. The list is not a verdict, and no percentage proves
copying: look at the shared parts side by side (--html), then ask the students.

BOTS is a folder as for a tournament: for each team a file NAME.py, or a folder
NAME with one file in it. --past also compares them with the bots of an earlier
year. --export writes them for JPlag and Dolos.

examples:
  noughts similarity BOTS/
  noughts similarity BOTS/ --template given.py --html alike.html
  noughts similarity BOTS/ --past LAST_YEAR/ --top 20
  noughts similarity BOTS/ --export plagiarism/
"""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from noughts.commands._options import add_json, require_range
from noughts.commands.output import Report, note, table, width, write_file
from noughts.printable import one_line
from noughts.sandbox.source import MAX_BYTES, decode
from noughts.similarity import Alike, codes_in, compare, export, page
from noughts.untrusted import FileKind, read_untrusted

MOST_PAIRS = 1000
TOP = 25


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("bots", metavar="BOTS", help="folder of bots")
    add("--past", metavar="DIR", action="append", default=[], help="folder of bots of an earlier year; repeatable")
    add("--template", metavar="FILE", action="append", default=[], help="code that all students were given; repeatable")
    add("--top", type=int, default=TOP, metavar="N", help=f"number of pairs to list (default: {TOP})")
    add("--html", metavar="FILE", help="web page to write, with the pairs side by side")
    add("--export", metavar="DIR", help="folder to write the bots to, for JPlag and Dolos")
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    require_range("--top", args.top, 1, MOST_PAIRS)
    codes, refused = codes_in(args.bots)
    for folder in args.past:
        more, unread = codes_in(folder, past=True)
        codes, refused = codes + more, refused + unread
    kind = FileKind("a template", MAX_BYTES)
    template = "\n".join(decode(read_untrusted(file, kind), file) for file in args.template)
    for name, reason in refused:
        note(f"{one_line(name)} is left out: {one_line(reason)}")
    if len(codes) < 2:
        raise ValueError(f"{args.bots} has {len(codes)} readable bots; comparing takes at least two")
    pairs = compare(codes, template, args.top)
    if args.html is not None:
        write_file(args.html, page(pairs, len(codes)))
    if args.export is not None:
        export(codes, Path(args.export), template)
    summary = f"{len(codes)} bots. This list is for human review, not a verdict: code can be alike for many reasons."
    summary += "" if args.html else " --html FILE shows the parts side by side."
    data = {"bots": len(codes), "pairs": [_facts(pair) for pair in pairs]}
    written = [one_line(path) for path in (args.html, args.export) if path is not None]
    notes = [f"wrote {' and '.join(written)}, for staff only: bots of all teams are in it"] if written else []
    return Report(data, f"{_table(pairs)}\n\n{textwrap.fill(summary, width())}", notes=notes)


def _table(pairs: list[Alike]) -> str:
    rows = [
        [
            str(number),
            f"{pair.shares[0]:.0%}",
            f"{pair.shares[1]:.0%}",
            str(pair.tokens),
            str(pair.longest),
            f"{pair.first.name} - {pair.second.name}{f' ({pair.verdict})' if pair.verdict else ''}",
        ]
        for number, pair in enumerate(pairs, 1)
    ]
    heads = ["", "of 1st", "of 2nd", "tokens", "longest", "bots"]
    return table(heads, rows, right=range(5)) if rows else "no two bots share code that the others do not have"


def _facts(pair: Alike) -> dict[str, object]:
    return {
        "bots": [pair.first.name, pair.second.name],
        "shares": [round(share, 4) for share in pair.shares],
        "tokens": pair.tokens,
        "longest": pair.longest,
        "same": pair.same,
        "identical": pair.identical,
        "parts": [
            {
                "tokens": part.length,
                "lines": [
                    pair.first.tokens.lines(part.first, part.first + part.length - 1),
                    pair.second.tokens.lines(part.second, part.second + part.length - 1),
                ],
            }
            for part in pair.parts
        ],
    }
