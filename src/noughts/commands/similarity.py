"""Which bots of a folder look alike: a ranked list for a person to look at.

It compares what the code does, token by token: names, comments, layout and the
order of functions make no difference. Code that many bots have is left out by
itself, and so is that of --template. The list is no verdict, and there is no
share from which on something would be one: --html shows the parts that two
bots share side by side, and then somebody has to ask.

BOTS is a folder as for a tournament: a file NAME.py for each team, or a folder
NAME with one file in it. With --past, bots of this year are compared with those
of another one, too. --export writes them as JPlag and Dolos read them.

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
    add("bots", metavar="BOTS", help="a folder of bot files")
    add("--past", metavar="DIR", action="append", default=[], help="bots of another year; may be given again")
    add("--template", metavar="FILE", action="append", default=[], help="code that all were given; may be given again")
    add("--top", type=int, default=TOP, metavar="N", help=f"how many pairs ({TOP})")
    add("--html", metavar="FILE", help="write the pairs there, side by side, as a web page")
    add("--export", metavar="DIR", help="write the bots there as JPlag and Dolos read them")
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
        note(f"{one_line(name)} is not compared: {one_line(reason)}")
    if len(codes) < 2:
        raise ValueError(f"it takes two bots to compare, and {args.bots} has {len(codes)} that can be read")
    pairs = compare(codes, template, args.top)
    if args.html is not None:
        write_file(args.html, page(pairs, len(codes)))
    if args.export is not None:
        export(codes, Path(args.export), template)
    summary = f"{len(codes)} bots. This list is for human review, not a verdict: code can be alike for many reasons."
    summary += "" if args.html else " --html FILE shows the parts side by side."
    data = {"bots": len(codes), "pairs": [_facts(pair) for pair in pairs]}
    return Report(data, f"{_table(pairs)}\n\n{textwrap.fill(summary, width())}")


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
    return table(heads, rows, right=range(5)) if rows else "no two of them share anything that the others have not, too"


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
