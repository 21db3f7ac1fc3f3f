"""Run a ladder: a class uploads bots all term, and sees where it stands within
minutes.

  create    make a ladder from a roster, with a secret link for each team
  status    who waits, games a minute, faults
  change    the deadline, limits, or whether teams see each other's names
  link      give a team another link, if the old one was lost or shared
  suspend   take a team out; resume lets it in again
  requeue   check a version again that failed or was suspended
  freeze    end all uploads and games; unfreeze goes on
  backup    copy the file while it is played
  demo      a class of eight example bots, on this machine

All but create and demo work while the ladder runs.

`noughts serve --file FILE` plays it and serves its pages. Students upload with
`noughts submit`, on the page, or by HTTP (docs/ladder.md).

A new version passes the gate first, which is what `noughts check` runs. Then it
plays yardsticks (built-in players that you choose) and teams of all strengths,
and then the opponents whose results tell most. Each version has its own rating.
The last version that passed plays on while a new one is checked.

examples:
  noughts ladder demo
  noughts ladder create class.noughts --game xtreme --time 2 --roster roster.csv
  noughts serve --file class.noughts --host 0.0.0.0
  noughts ladder status class.noughts
  noughts ladder change class.noughts --deadline 2027-02-24T23:55+05:30
  noughts ladder backup class.noughts backups/
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from noughts import web
from noughts.commands._bot_options import add_name_rule, limits_from
from noughts.commands._ladder_demo import demo
from noughts.commands._ladder_status import deadline_words, status
from noughts.commands._options import GAME_HELP, add_actions, add_json, require_range
from noughts.commands.output import Report
from noughts.course.handed_in import read_time
from noughts.course.roster import read_roster
from noughts.course.rules import submission_rules
from noughts.files import open_our_file
from noughts.library import game_from_command_line
from noughts.matches.store_file import timestamp
from noughts.printable import counted, one_line, shell_quote
from noughts.progress import progress
from noughts.tournaments.ladder import (
    LADDER,
    MOST_FAULTS,
    MOST_FRIENDLIES,
    MOST_UPLOADS,
    YARDSTICKS,
    create_ladder,
    hide_names,
    ladder_in,
    set_token,
)
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore

DEMO_SECONDS = 60.0
ACTIONS = {
    "create": """Make a ladder, with a secret link for each team and one for staff.

The roster is a CSV file with the columns team, name, id and email, one row for
each student, as for `noughts collect`. The links are written once, to
FILE-links.csv, which only you can read: hand them out, by a mail merge for
example, and keep the file safe. The ladder keeps hashes of them only.

examples:
  noughts ladder create class.noughts --game xtreme --time 2 --roster roster.csv
  noughts ladder create class.noughts --game ultimate --roster roster.csv \\
      --yardsticks random greedy alphabeta:level=5 --url https://class.example
  noughts ladder create class.noughts --game xtreme --roster roster.csv \\
      --deadline 2027-02-24T23:55+05:30 --pseudonyms
""",
    "change": """Change the deadline or limits of a ladder, also while it runs.

--deadline none lets teams upload without an end. --names real shows teams each
other's names again; --names pseudonyms hides them.

examples:
  noughts ladder change class.noughts --deadline 2027-02-26T23:55+05:30
  noughts ladder change class.noughts --names real
""",
    "link": """Make another secret link for a team, and print it. The old one ends at once.

It works while the ladder runs, and FILE-links.csv gets the new link if it is
beside the file. --staff makes another link for staff.

examples:
  noughts ladder link class.noughts team7
  noughts ladder link class.noughts --staff
""",
    "suspend": """Take a team out of the ladder: it plays no games and uploads nothing.

Its games are kept, and do not count until it is let in again.

examples:
  noughts ladder suspend class.noughts team7 --reason "see us on Monday"
""",
    "resume": """Let a team in again that was suspended.

examples:
  noughts ladder resume class.noughts team7
""",
    "requeue": """Check a team's latest version again, if it failed or was suspended.

examples:
  noughts ladder requeue class.noughts team7
""",
    "freeze": """End all uploads and games, and publish the seeds.

`noughts tournament run --file FILE --name final --format course` then plays a
tournament of the versions.

examples:
  noughts ladder freeze class.noughts
""",
    "unfreeze": """Let a frozen ladder go on.

Games to come get seeds from a new secret, since the old one may be known.

examples:
  noughts ladder unfreeze class.noughts
""",
    "backup": """Copy the file, also while the ladder runs.

The copy has everything up to one moment. TO is a file, or a folder that gets a
file with the time in its name.

examples:
  noughts ladder backup class.noughts backups/
  noughts ladder backup class.noughts class-backup.noughts
""",
    "status": """Show who waits, games a minute, faults and the leaderboard.

It only reads the file, so it works while the ladder runs.

examples:
  noughts ladder status class.noughts
  noughts ladder status class.noughts --json
""",
    "demo": """Play a ladder of eight example bots, with uploads arriving, in a minute.

It prints the address of its page and a link for staff. Everything is in a
temporary folder that is removed at the end. Ctrl-C ends it earlier.

examples:
  noughts ladder demo
  noughts ladder demo --seconds 600
""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for action, added in add_actions(parser, ACTIONS, required=True).items():
        add = added.add_argument
        if action == "demo":
            add("--seconds", type=float, default=DEMO_SECONDS, help="how long it lasts (60)")
            add("--port", type=int, help="(8765); 0 takes any free one")
            continue
        add("file", help="the file of the ladder")
        if action == "create":
            add("--game", required=True, help=GAME_HELP)
            add("--roster", required=True, metavar="CSV", help="team, name, id, email")
            add("--time", type=float, metavar="SECONDS", help="for a move (default: the game's usual limit, else 10)")
            add("--memory", type=int, metavar="MB", help="for a bot (default: 512)")
            add("--strict", action="store_true", help="refuse numpy integers, as the course does")
            add_name_rule(added)
            add("--yardsticks", nargs="+", default=YARDSTICKS, metavar="PLAYER", help="players of the staff")
            add("--pseudonyms", action="store_true", help="teams see each other by other names")
        if action in ("create", "change"):
            new = action == "create"
            add("--deadline", metavar="TIME", help=f"no uploads after it, as 2027-02-24T23:55+05:30{_or_none(new)}")
            add("--uploads", type=int, metavar="N", help=f"versions of a team in an hour{_default(new, 12)}")
            add("--friendlies", type=int, metavar="N", help=f"matches that a team may ask for a day{_default(new, 10)}")
            add("--faults", type=int, metavar="N", help=f"suspend a version after so many in a row{_default(new, 5)}")
        if action == "change":
            add("--names", metavar="WHICH", help="real, or pseudonyms")
        if action == "link":
            add("team", nargs="?", help="the team")
            add("--staff", action="store_true", help="the link for staff")
        if action in ("suspend", "resume", "requeue"):
            add("team", help="the team")
        if action == "suspend":
            add("--reason", default="", help="what its team reads")
        if action == "backup":
            add("to", metavar="TO", help="a file or a folder")
        if action in ("create", "link"):
            default = "http://localhost:8765" if action == "create" else "that of create"
            add("--url", help=f"the address that students open (default: {default})")
        if action not in ("create", "link"):
            add_json(added)


def _default(new: bool, value: int) -> str:
    return f" ({value})" if new else ""


def _or_none(new: bool) -> str:
    return "" if new else ", or none"


def run(args: argparse.Namespace) -> Report | int:
    if args.action in CHANGES:
        return _change(args)
    known: dict[str, Callable[[argparse.Namespace], Report | int]] = {
        "create": _create,
        "link": _link,
        "status": status,
        "backup": _backup,
        "demo": demo,
    }
    return known[args.action](args)


# Making one.


def _create(args: argparse.Namespace) -> int:
    path, game = Path(args.file), game_from_command_line(args.game)
    links = web.links_path(path)
    if path.exists():
        raise ValueError(f"{path} is there already; name a new file, or play it with `noughts serve --file`")
    if links.exists():
        raise ValueError(f"{links} is there already, and its links would be lost; move it away")
    roster = read_roster(args.roster)
    limits = limits_from(args, game)
    submission_rules(args.name_rule)  # refuses a name rule that is none
    settings = Settings(
        format=LADDER,
        seconds=limits.move_seconds,
        memory=limits.memory,
        strict=args.strict,
        name_rule=args.name_rule,
        url=args.url or "",
        pseudonyms=args.pseudonyms,
        **_term_settings(args),
    )
    base = _base(args.url)
    teams = roster.teams
    try:
        os.close(open_our_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # it will hold everybody's bots
        with TournamentFile(path, write=True) as file:
            ladder = create_ladder(file, game, settings, teams, args.yardsticks)
            tokens = {team: web.new_token(web.MEMBER_GROUPS) for team in (None, *teams)}
            people = [("", web.STAFF_NAME, "", ""), *((one.team, one.name, one.id, one.email) for one in roster)]
            web.write_links(links, people, [f"{base}/join#{tokens[person[0] or None]}" for person in people])
            for team, token in tokens.items():
                set_token(ladder, team, web.token_hash(token))
            deadline = deadline_words(ladder)
    except BaseException:
        for made in (path, links):
            made.unlink(missing_ok=True)
        raise
    print(
        f"{path}: a ladder of {game.rules.title} for {counted(len(teams), 'team')}, {settings.seconds:g} s for a move\n"
        f"yardsticks: {', '.join(args.yardsticks)}\n"
        f"deadline: {deadline}\n"
        f"secret links, one for each team and one for staff: {links}   (only you can read it)\n\n"
        f"`noughts serve --file {shell_quote(path)}` plays it"
        f"{' and serves it on this machine; --host 0.0.0.0 on the network' if args.url is None else ''}"
    )
    return 0


def _term_settings(args: argparse.Namespace) -> dict[str, Any]:
    """Returns the settings that `create` and `change` have in common, as far as they were given."""
    found: dict[str, Any] = {}
    for name, least, most in (
        ("uploads", 1, MOST_UPLOADS),
        ("friendlies", 0, MOST_FRIENDLIES),
        ("faults", 1, MOST_FAULTS),
    ):
        value = getattr(args, name)
        require_range(f"--{name}", value, least, most)
        if value is not None:
            found[name] = value
    if args.deadline is not None:
        found["deadline"] = "" if args.deadline == "none" else timestamp(read_time(args.deadline))
    return found


def _base(url: str | None) -> str:
    base = (url or f"http://localhost:{web.PORT}").rstrip("/")
    if not base.startswith(("http://", "https://")) or "#" in base or " " in base or not base.isprintable():
        raise ValueError(f"--url is an address such as https://class.example, not {one_line(base, 80)!r}")
    return base


def _link(args: argparse.Namespace) -> Report:
    if (args.team is None) != args.staff:
        raise ValueError("name a team, or --staff")
    if not Path(args.file).is_file():
        raise ValueError(f"there is no file {args.file!r}")
    with TournamentFile(args.file, write=True, alone=False) as file:  # a server may be playing it
        token = web.new_token(web.MEMBER_GROUPS)
        ladder = ladder_in(file)
        base = _base(args.url or ladder.settings.url)
        set_token(ladder, args.team, web.token_hash(token))
    link, links = f"{base}/join#{token}", web.links_path(Path(args.file))
    kept = f"{links} has the new one" if web.replace_link(links, args.team or "", link) else "hand it out"
    return Report({"link": link}, link, notes=[f"the old link no longer works; {kept}"])


# Changing one, also while a server plays it.


def _change(args: argparse.Namespace) -> Report:
    with TournamentFile(args.file):  # refuses what is no tournament file before one is made
        pass
    with TournamentFile(args.file, write=True, alone=False) as file:
        return CHANGES[args.action](ladder_in(file), args)


def _change_settings(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    changes = _term_settings(args)
    if args.names not in (None, "real", "pseudonyms"):
        raise ValueError(f"--names is real or pseudonyms, not {args.names!r}")
    if not changes and args.names is None:
        raise ValueError("say what to change: --deadline, --uploads, --friendlies, --faults or --names")
    ladder.change_settings(**changes)
    if args.names is not None:
        hide_names(ladder, args.names == "pseudonyms")
    settings = ladder.settings
    facts = {name: getattr(settings, name) for name in ("deadline", "uploads", "friendlies", "faults", "pseudonyms")}
    words = facts | {"deadline": deadline_words(ladder)}
    words["names"] = "pseudonyms" if words.pop("pseudonyms") else "real"
    return Report(facts, "\n".join(f"{name}: {value}" for name, value in words.items()))


def _suspend(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.entries.remove(args.team, args.reason)
    text = f"{args.team} is suspended; `noughts ladder resume` lets it in again"
    return Report({"team": args.team, "suspended": True}, text)


def _resume(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.entries.readmit(args.team)
    return Report({"team": args.team, "suspended": False}, f"{args.team} takes part")


def _requeue(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.entries.check_again(args.team)
    waits = ladder.entries.find(args.team).candidate_id is not None
    text = "waits at the gate" if waits else "has no version that failed or was suspended"
    return Report({"team": args.team, "waits": waits}, f"{args.team} {text}")


def _freeze(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.freeze()
    file = shell_quote(args.file)
    text = (
        f"frozen: no uploads, no games. `noughts ladder unfreeze {file}` lets it go on\n"
        f"`noughts tournament run --file {file} --name final --format course` plays the versions, once no server plays "
        "the file"
    )
    return Report({"frozen": ladder.frozen, "seeds": ladder.published_seeds}, text)


def _unfreeze(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.unfreeze()
    return Report({"frozen": None}, "the ladder goes on")


CHANGES = {
    "change": _change_settings,
    "suspend": _suspend,
    "resume": _resume,
    "requeue": _requeue,
    "freeze": _freeze,
    "unfreeze": _unfreeze,
}


def _backup(args: argparse.Namespace) -> Report:
    path, to = Path(args.file), Path(args.to)
    with TournamentFile(path) as file:
        folder = to if args.to.endswith("/") else to.parent
        if not folder.is_dir():
            raise ValueError(f"there is no folder {str(folder)!r}; make it first")
        if to.is_dir():
            to = to / f"{path.stem}-{file.clock():%Y%m%dT%H%M%SZ}{path.suffix}"
        with progress(f"copying {path.name}") as tick:
            file.backup(to, lambda share: tick(share, "copying"))
    size = to.stat().st_size
    return Report({"backup": str(to), "bytes": size}, f"{to}: {size / 1e6:.1f} MB   (only you can read it)")
