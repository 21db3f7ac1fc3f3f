"""Keep the secret link of your team, so that `noughts submit` finds its ladder.

The link is the one that you were given for the ladder. It is kept in a file
that only you can read; another login replaces it. `noughts login` alone shows
which ladder you are logged in to.

examples:
  noughts login https://class.example/join#abcd-efgh-jkmn-pqrs-tuvw
  noughts login
"""

from __future__ import annotations

import argparse

from noughts.commands.output import Report, note
from noughts.commands.submit import ask, keep_link, kept_link, parse_link
from noughts.printable import one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("link", nargs="?", metavar="LINK", help="the secret link of your team")


def run(args: argparse.Namespace) -> Report:
    link = kept_link() if args.link is None else parse_link(args.link)
    reply = ask(link, "/api/ladder")
    who = reply.get("you") or {}
    if who.get("audience") == "public":
        raise ValueError("this server does not know the token of that link; ask the staff for another one")
    if args.link is not None:
        keep_link(link)
    if link.base.startswith("http://") and not link.is_local:
        note("this ladder is not served by HTTPS: others on the network can read your link")
    name = one_line(str(who.get("team") or who.get("audience")), 80)
    title, seconds = (one_line(str(reply.get(key)), 80) for key in ("title", "seconds"))
    facts = {"server": link.base, "you": name, "title": title, "seconds": reply.get("seconds")}
    return Report(facts, f"{link.base}: you are {name}, on a ladder of {title}, {seconds} s for a move")
