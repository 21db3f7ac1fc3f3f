"""Make a Python 3 copy of an old bot: print, integer division, xrange, tabs,
cmp sorts and the rest.

The old file stays as it is. The differences are shown, and what could not be
converted is named by line.

examples:
  noughts convert old_bot.py                 writes old_bot_py3.py
  noughts convert old_bot.py -o team7.py
  noughts convert old_bot.py --dry-run       only shows the differences
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the old bot")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the copy goes (FILE_py3.py)")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--force", action="store_true", help="replace the copy if it exists")


def run(args: argparse.Namespace) -> int:
    from noughts.bots.python2.translate import translate
    from noughts.commands.output import write_file
    from noughts.sandbox import read_bot

    source = read_bot(args.file)
    old = Path(source.path)
    target = Path(args.output) if args.output else old.with_name(f"{old.stem}_py3.py")
    if target.exists() and not args.force and not args.dry_run:
        raise ValueError(f"{target} exists already; name another file with -o, or replace it with --force")
    translation = translate(source.text, old.name)
    before, after = source.text.splitlines(), translation.text.splitlines()
    for line in difflib.unified_diff(before, after, str(old), str(target), lineterm=""):
        print(line)
    notes = [*translation.notes, *_still_wrong(translation.text, target.name)]
    if not args.dry_run:
        write_file(str(target), translation.text)
        print(f"\nwrote {target}", file=sys.stderr)
    if notes:
        print("\nplease look at:", file=sys.stderr)
        for note in notes:
            print(f"  {note}", file=sys.stderr)
    return 0


def _still_wrong(text: str, name: str) -> list[str]:
    """Whether the copy is Python 3, which the sandbox finds out; nothing if there is no sandbox here."""
    from noughts.sandbox import BotFault, BotLimits, ForkServer, SandboxedProcess, SandboxError

    try:
        with ForkServer() as server, SandboxedProcess(server, BotLimits(10.0)) as process:
            process.ask("outline", 10.0, source=text, file=f"<{name}>")
    except BotFault as error:
        return [f"the copy is not Python 3 yet: {error.fault.text}"]
    except SandboxError:
        return []
    return []
