"""Make a Python 3 copy of an old bot that plays as the old one did: print,
integer division, the order of values of different types, `is` with a literal,
cmp sorts, lists from map and keys, and the rest of what Python 2 had.

The old file stays as it is. The differences are shown, and what you should know
is named by line. A file that is Python 3 already, or in which nothing is of
Python 2 alone, is left alone, unless you say --python2. What Python 3 cannot do
by itself stands in functions py2_... at the top of the copy.

With a folder all its bots are converted, on all cores, into another folder.
With --replay the file is a log of the course's evaluator, and becomes a replay.

examples:
  noughts convert old_bot.py                 writes old_bot_py3.py
  noughts convert old_bot.py -o team7.py
  noughts convert old_bot.py --dry-run       only shows the differences
  noughts convert bots/                      writes bots_py3/
  noughts convert game.log --replay game.json
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from noughts.printable import one_line

if TYPE_CHECKING:
    from noughts.course.python2.translate import Translation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the old bot, a folder of bots, or a log")
    parser.add_argument("-o", "--output", metavar="PATH", help="where the copy goes (FILE_py3.py, FOLDER_py3)")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--force", action="store_true", help="replace the copy if it exists")
    parser.add_argument("--python2", action="store_true", help="it is Python 2, whatever it looks like")
    parser.add_argument("--replay", metavar="FILE.json", help="make a replay of a log of the course's evaluator")
    parser.add_argument("--json", action="store_true", help="machine-readable output, for a folder")


def run(args: argparse.Namespace) -> int:
    if args.replay:
        return _replay(args)
    path = Path(args.file)
    if path.is_dir():
        return _folder(path, args)
    if path.suffix == ".log":
        raise ValueError(
            f"{one_line(path)} looks like the log of a game: name the replay to make of it with --replay FILE.json"
        )
    return _file(args)


def _file(args: argparse.Namespace) -> int:
    from noughts.commands.output import write_file
    from noughts.course.python2.bounded import Converter
    from noughts.sandbox import read_bot

    source = read_bot(args.file)
    old = Path(source.path)
    target = Path(args.output) if args.output else old.with_name(f"{old.stem}_py3.py")
    _check_free(target, args)
    with Converter() as converter:
        translation = converter.translate(source.text, one_line(old.name), as_python2=args.python2)
    if translation.python3:
        said = f"{one_line(old)} is Python 3 already, so there is nothing to convert ({translation.python3})"
        print(textwrap.fill(f"{said}. If that is wrong, say --python2"), file=sys.stderr)
        return 0
    for line in _differences(source.text, translation.text, str(old), str(target)):
        print(line)
    if not args.dry_run:
        write_file(str(target), translation.text)
        print(f"\nwrote {one_line(target)}", file=sys.stderr)
    if translation.notes:
        print("\nplease look at:", file=sys.stderr)
        for note in translation.notes:
            print(textwrap.indent(textwrap.fill(one_line(note, 1000), 78), "  "), file=sys.stderr)
    return 0


def _folder(folder: Path, args: argparse.Namespace) -> int:
    """Convert all bots of a folder into another one; a bot that is Python 3 already is copied."""
    from noughts.bots.folder import bot_files, convert_all
    from noughts.commands.output import progress, table, write_file

    files = bot_files(folder)
    target = Path(args.output) if args.output else folder.with_name(f"{folder.resolve().name}_py3")
    if not args.dry_run:
        _check_free(target, args)
        target.mkdir(parents=True, exist_ok=True)
    rows, facts, failed = [], [], 0
    with progress(f"converting {len(files)} bots") as tick:
        results = convert_all(files, as_python2=args.python2, jobs=os.cpu_count() or 1)
        for done, (path, result) in enumerate(results, 1):
            failed += isinstance(result, str)
            if not isinstance(result, str) and not args.dry_run:
                write_file(str(target / path.name), result.text)
            rows.append([one_line(path.name), *_outcome(path, result)])
            facts.append({"file": path.name, **_facts(result)})
            tick(done / len(files))
    if args.json:
        print(json.dumps({"folder": str(target), "bots": facts}, indent=2))
    else:
        print(table(["file", "lines changed", "result"], rows, right=[1]))
        print(f"\n{len(files) - failed} of {len(files)} bots {'can be' if args.dry_run else 'are'} converted", end="")
        print("" if args.dry_run else f", in {one_line(target)}")
    return 1 if failed else 0


def _outcome(path: Path, result: Translation | str) -> tuple[str, str]:
    from noughts.sandbox.source import read_bot

    if isinstance(result, str):
        return "", one_line(result, 300)
    if result.python3:
        return "0", f"Python 3 already ({one_line(result.python3)})"
    changed = [line for line in _differences(read_bot(str(path)).text, result.text, "", "") if line.startswith("-")]
    notes = f"{len(result.notes)} notes" if len(result.notes) > 1 else "1 note" if result.notes else "no notes"
    return str(max(0, len(changed) - 1)), f"converted, {notes}"


def _facts(result: Translation | str) -> dict[str, object]:
    if isinstance(result, str):
        return {"converted": False, "error": result}
    return {"converted": not result.python3, "python3": result.python3 or None, "notes": list(result.notes)}


def _replay(args: argparse.Namespace) -> int:
    from noughts.commands.output import write_file
    from noughts.course.game_files import load_any
    from noughts.matches.replays import from_json, to_json

    target = Path(args.replay)
    _check_free(target, args)
    replay = to_json(load_any(args.file, tell=lambda note: print(f"noughts: {one_line(note, 1000)}", file=sys.stderr)))
    from_json(replay)  # a game whose end cannot be read is refused here
    if not args.dry_run:
        write_file(str(target), replay)
        print(f"wrote {one_line(target)}", file=sys.stderr)
    return 0


def _check_free(target: Path, args: argparse.Namespace) -> None:
    if target.exists() and not args.force and not args.dry_run:
        raise ValueError(f"{one_line(target)} exists already; name another one with -o, or replace it with --force")


def _differences(before: str, after: str, old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="")
    return [one_line(line, 2000) for line in lines]
