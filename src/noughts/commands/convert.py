"""Make a Python 3 copy of a Python 2 bot that plays as it did.

It converts print, integer division, comparisons between types, `is` with a
literal, cmp sorts, lists from map and keys, tabs, and the other differences.
The old file stays as it is. The command prints the differences, and notes on
lines that you should check. Functions named py2_..., at the top of the copy,
replace what Python 3 no longer has.

Python 3 bots are left as they are. If the evidence for a single file is even,
pass --python2 to convert it. In a folder, undecided files are converted if
most of the others are Python 2, and listed.

A folder or an LMS export (see `noughts collect --help`) is converted as a
whole, on all cores, into another folder. --replay turns a log of the course's
evaluator into a replay.

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
import os
import textwrap
from pathlib import Path

from noughts.commands._options import add_json
from noughts.commands.log import open_game
from noughts.commands.output import WIDTH, Report, table, write_file
from noughts.course.conversion import convert
from noughts.course.handed_in import is_export
from noughts.course.submissions import submissions
from noughts.matches.replays import from_json, to_json
from noughts.printable import counted, one_line
from noughts.progress import progress
from noughts.sandbox.source import read_bot
from py2bots import Translation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="bot, folder or zip of bots, or log")
    parser.add_argument("-o", "--output", metavar="PATH", help="copy to write (default: FILE_py3.py or FOLDER_py3)")
    parser.add_argument("--dry-run", action="store_true", help="show the differences without writing")
    parser.add_argument("--force", action="store_true", help="replace the copy if it exists")
    parser.add_argument("--python2", action="store_true", help="convert the bot even if it looks like Python 3")
    parser.add_argument("--replay", metavar="FILE.json", help="turn a log of the course's evaluator into this replay")
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    if args.replay:
        return _replay(args)
    path = Path(args.file)
    if is_export(path):
        return _folder(path, args)
    if path.suffix == ".log":
        raise ValueError(
            f"{one_line(path)} looks like the log of a game; pass --replay FILE.json to make a replay of it"
        )
    return _file(args)


def _file(args: argparse.Namespace) -> Report:
    source = read_bot(args.file)
    old = Path(source.path)
    target = Path(args.output) if args.output else old.with_name(f"{old.stem}_py3.py")
    _check_free(target, args)
    [(_, result)] = convert([source], as_python2=args.python2)
    if isinstance(result, str):
        raise ValueError(result)
    if not result.converted:
        text = f"{one_line(old)}: {_outcome(result)}"
        why = f"{text}. If it is Python 2, pass --python2" if result.version else text
        return Report(_facts(result), "", notes=[textwrap.fill(why)])
    notes = []
    if not args.dry_run:
        write_file(str(target), result.text)
        notes.append(f"wrote {one_line(target)}")
    if result.notes:
        notes.append(_to_check(result))
    return Report(_facts(result), "\n".join(_differences(source.text, result.text, str(old), str(target))), notes=notes)


def _folder(folder: Path, args: argparse.Namespace) -> Report:
    """Converts all bots of a folder or zip into another folder; copies bots that need no conversion."""
    found = submissions(folder)
    target = Path(args.output) if args.output else folder.with_name(f"{folder.resolve().name.removesuffix('.zip')}_py3")
    if not args.dry_run:
        _check_free(target, args)
        target.mkdir(parents=True, exist_ok=True)
    results: dict[str, tuple[str, Translation | str]] = {each.name: ("", each.reason) for each in found}
    names = {each.source: each.name for each in found}
    sources = [each.source for each in found if each.source is not None]
    with progress(f"converting {counted(len(found), 'bot')}") as tick:
        converted = convert(sources, as_python2=args.python2, jobs=os.cpu_count() or 1)
        for done, (source, result) in enumerate(converted, 1):
            name = names[source]
            if isinstance(result, Translation) and not args.dry_run:
                write_file(str(target / f"{name}.py"), result.text)
            results[name] = source.text, result
            tick(done / len(sources))
    ordered = {each.name: results[each.name] for each in found}
    bots = [{"name": name, **_facts(result)} for name, (_, result) in ordered.items()]
    rows = [[name, _lines_changed(*pair), _outcome(pair[1])] for name, pair in ordered.items()]
    summary = _summary([result for _, result in ordered.values()])
    where = "" if args.dry_run else f"; results in {one_line(target)}"
    text = f"{table(['name', 'lines changed', 'result'], rows, right=[1])}\n\n{summary}{where}"
    failed = any(isinstance(result, str) for _, result in ordered.values())
    notes = [
        f"{one_line(name)}: {_to_check(result)}"
        for name, (_, result) in ordered.items()
        if isinstance(result, Translation) and result.notes
    ]
    return Report({"folder": str(target), "bots": bots}, text, int(failed), notes)


def _to_check(result: Translation) -> str:
    """Returns a conversion's notes, a paragraph each."""
    lines = [textwrap.indent(textwrap.fill(one_line(text, 1000), WIDTH - 2), "  ") for text in result.notes]
    return "\n".join(["please check:", *lines])


def _lines_changed(before: str, result: Translation | str) -> str:
    if isinstance(result, str):
        return ""
    changed = [line for line in _differences(before, result.text, "", "") if line.startswith("-")]
    return str(max(0, len(changed) - 1))


def _outcome(result: Translation | str) -> str:
    """Describes a bot's outcome."""
    if isinstance(result, str):
        return result
    if result.converted:
        undecided = "" if result.version else f", undecided ({result.why})"
        return f"converted{undecided}, {counted(len(result.notes), 'note') if result.notes else 'no notes'}"
    if result.version is None:
        return f"left, undecided ({result.why}); pass --python2 to convert"
    return f"left, Python 3 ({result.why})"


def _summary(results: list[Translation | str]) -> str:
    """Returns the counts of the outcomes: "73 converted, 13 of them undecided; 10 left as Python 3; 1 failed"."""
    done = [result for result in results if isinstance(result, Translation)]
    converted = [result for result in done if result.converted]
    undecided = sum(result.version is None for result in converted)
    left = {version: sum(r.version == version for r in done if not r.converted) for version in (3, None)}
    parts = [f"{len(converted)} converted{f', {undecided} of them undecided' if undecided else ''}"]
    parts += [f"{left[3]} left as Python 3"] if left[3] else []
    parts += [f"{left[None]} left, undecided"] if left[None] else []
    parts += [f"{len(results) - len(done)} failed"] if len(done) < len(results) else []
    return "; ".join(parts)


def _facts(result: Translation | str) -> dict[str, object]:
    if isinstance(result, str):
        return {"converted": False, "error": result}
    facts = {"converted": result.converted, "version": result.version, "why": result.why}
    return {**facts, "notes": list(result.notes)}


def _replay(args: argparse.Namespace) -> Report:
    target = Path(args.replay)
    _check_free(target, args)
    replay = to_json(open_game(args.file))
    from_json(replay)  # refuses a game whose end cannot be read
    if not args.dry_run:
        write_file(str(target), replay)
    return Report({"replay": str(target)}, "", notes=[] if args.dry_run else [f"wrote {one_line(target)}"])


def _check_free(target: Path, args: argparse.Namespace) -> None:
    if target.exists() and not args.force and not args.dry_run:
        raise ValueError(f"{one_line(target)} already exists; name another file with -o, or replace it with --force")


def _differences(before: str, after: str, old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="")
    return [one_line(line, 2000) for line in lines]
