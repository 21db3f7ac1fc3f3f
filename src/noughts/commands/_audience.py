"""The options that say whom an output is for: `--public`, `--for TEAM`, `--staff`."""

from __future__ import annotations

import argparse

from noughts.tournaments.store import TournamentStore
from noughts.tournaments.visibility import PUBLIC, STAFF, Visibility, team


def add_audience(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds the options. default: "public" or "staff", for when none is given."""

    def note(audience: str) -> str:
        return " (default)" if audience == default else ""

    group = parser.add_mutually_exclusive_group()
    group.add_argument("--public", action="store_true", help=f"what may be published{note('public')}")
    group.add_argument("--for", dest="team", metavar="TEAM", help="what may be handed to this team")
    group.add_argument("--staff", action="store_true", help=f"everything{note('staff')}")
    parser.set_defaults(audience=default)


def visibility_from(args: argparse.Namespace, tournament: TournamentStore) -> Visibility:
    """Returns what the options say; StoreError if there is no such team."""
    if args.team is not None:
        return team(tournament.entries.find(args.team).name)
    public = args.public or (args.audience == "public" and not args.staff)
    return PUBLIC if public else STAFF
