"""Save your team's secret link for `noughts submit`.

The link is in the mail or message that your course staff sent you. It is saved
in a file that only you can read; the next login replaces it. Without a link,
`noughts login` shows the ladder that you are logged in to.

examples:
  noughts login https://class.example/join#abcd-efgh-jkmn-pqrs-tuvw
  noughts login
"""

from __future__ import annotations

import argparse

from noughts.commands.output import Report, note
from noughts.commands.submit import ask, keep_link, kept_link, not_a_ladder, parse_link
from noughts.printable import one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("link", nargs="?", metavar="LINK", help="secret link of your team")


def run(args: argparse.Namespace) -> Report:
    link = kept_link() if args.link is None else parse_link(args.link)
    reply = ask(link, "/api/ladder")
    who = reply.get("you")
    who = who if isinstance(who, dict) else {}
    audience = who.get("audience")
    if audience == "public":
        raise ValueError("this server does not know the link; ask the staff for a new one")
    if audience not in ("team", "staff") or not isinstance(reply.get("board"), list):
        raise not_a_ladder(link)
    if args.link is not None:
        keep_link(link)
    if link.base.startswith("http://") and not link.is_local:
        note("this ladder is not served over HTTPS: others on the network can read your link")
    name = one_line(str(who.get("team") or audience), 80)
    title, seconds = (one_line(str(reply.get(key)), 80) for key in ("title", "seconds"))
    facts = {"server": link.base, "you": name, "title": title, "seconds": reply.get("seconds")}
    return Report(facts, f"{link.base}: you are {name}, on the ladder of {title}, {seconds} s per move")
