"""Numbers as people write them on a command line."""

from __future__ import annotations

import argparse
import re


def whole_number(text: str) -> int:
    """A whole number: 1000000, 1_000_000, 1,000,000 or 1e6."""
    plain = text.strip().replace("_", "").replace(",", "")
    found = re.fullmatch(r"([+-]?[0-9]{1,30})(?:\.([0-9]{1,30}))?(?:[eE]\+?([0-9]{1,2}))?", plain)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} should be a whole number, such as 1000000 or 1e6")
    whole, fraction, power = found[1], (found[2] or "").rstrip("0"), int(found[3] or 0)
    if len(fraction) > power:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} should be a whole number, such as 1000000 or 1e6")
    return int(whole + fraction + "0" * (power - len(fraction)))
