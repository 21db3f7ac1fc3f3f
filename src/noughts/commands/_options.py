"""Options shared by most commands."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping

from noughts.rules.spec import short_repr

GAME_HELP = "game name (see `noughts games`), or FILE.py:RECORD"
UNSAFE_HELP = "run your own bots where no sandbox is available"
MOST_NODES = 1 << 40


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def add_ascii(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")


def add_actions(
    parser: argparse.ArgumentParser, texts: Mapping[str, str], *, required: bool
) -> dict[str, argparse.ArgumentParser]:
    """Adds the actions of a command and returns the parser of each. texts: their help; the first line is the
    summary."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=required)
    return {
        action: actions.add_parser(
            action,
            help=text.partition("\n")[0].rstrip(".").replace("%", "%%"),
            description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for action, text in texts.items()
    }


def whole_number(text: str) -> int:
    """Parses a whole number such as 1000000, 1_000_000, 1,000,000 or 1e6."""
    plain = text.strip().replace("_", "").replace(",", "")
    found = re.fullmatch(r"([+-]?[0-9]{1,30})(?:\.([0-9]{1,30}))?(?:[eE]\+?([0-9]{1,2}))?", plain)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a whole number, such as 1000000 or 1e6")
    whole, fraction, power = found[1], (found[2] or "").rstrip("0"), int(found[3] or 0)
    if len(fraction) > power:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a whole number, such as 1000000 or 1e6")
    return int(whole + fraction + "0" * (power - len(fraction)))


def require_range(option: str, value: float | None, least: float, most: float) -> None:
    """Raises ValueError if an option was given and is out of range."""
    if value is not None and not least <= value <= most:
        raise ValueError(f"{option} must be {least:,} to {most:,}, not {short_repr(value)}")
