"""Run a ladder: a class uploads bots all term, and sees where it stands within
minutes.

  create    create a ladder from a roster, with a secret link for each team
  status    uploads waiting, games per minute, faults
  change    the deadline, limits, or whether teams see each other's names
  link      replace a team's link that was lost or shared
  suspend   exclude a team; resume readmits it
  requeue   check a failed or suspended version again
  freeze    end all uploads and games; unfreeze allows them again
  backup    copy the file, even while the ladder runs
  demo      run a ladder of eight example bots, on this machine

All but create and demo work while the ladder runs.

`noughts serve --file FILE` plays the games and serves the pages. Students
upload with `noughts submit`, on the page, or by HTTP (docs/ladder.md).

A new version must first pass the gate, which runs `noughts check`. It then
plays yardsticks (built-in players that you choose), teams of all strengths,
and finally the opponents whose results are most informative. Each version has
its own rating. The last version that passed, if there is one, keeps playing
while a new one is checked. Teams share the time of the processes that play, so
a bot that sleeps or thinks long delays its own team.

examples:
  noughts ladder demo
  noughts ladder create class.noughts --game xtreme --time 2 \\
      --roster roster.csv --url https://class.example
  noughts serve --file class.noughts --proxy 127.0.0.1 --name class.example
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
from noughts.commands._bot_options import add_limits, add_name_rule, bot_settings, require_limits
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
    LARGEST_LIMIT,
    YARDSTICKS,
    create_ladder,
    hide_names,
    ladder_in,
    restore_ladder,
    set_token,
)
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore

DEMO_SECONDS = 60.0
ACTIONS = {
    "create": """Create a ladder, with a secret link for each team and one for staff.

The roster is a CSV file with the columns team, name, id and email, one row for
each student, as for `noughts collect`. The links are written once, to
FILE-links.csv, which only you can read. Hand them out, for example by mail
merge, and keep the file safe: the ladder stores only their hashes.

examples:
  noughts ladder create class.noughts --game xtreme --time 2 --roster roster.csv
  noughts ladder create class.noughts --game ultimate --roster roster.csv \\
      --yardsticks random greedy alphabeta:level=5 --url https://class.example
  noughts ladder create class.noughts --game xtreme --roster roster.csv \\
      --url http://192.168.1.5:8765 --pseudonyms \\
      --deadline 2027-02-24T23:55+05:30
""",
    "change": """Change the deadline or limits of a ladder, even while it runs.

--deadline none removes the deadline. --names pseudonyms hides the teams' names
from each other; --names real shows them again.

--url gives all links another address: those in FILE-links.csv, which keep
their tokens, and later ones.

examples:
  noughts ladder change class.noughts --url https://class.example
  noughts ladder change class.noughts --deadline 2027-02-26T23:55+05:30
  noughts ladder change class.noughts --names real
""",
    "link": """Create a new secret link for a team and print it. The old link stops
working.

This works while the ladder runs. FILE-links.csv is updated if it is beside the
ladder's file. --staff replaces the link for staff.

examples:
  noughts ladder link class.noughts team7
  noughts ladder link class.noughts --staff
""",
    "suspend": """Exclude a team: it plays no games and cannot upload.

Its games are kept, but do not count until you resume the team.

examples:
  noughts ladder suspend class.noughts team7 --reason "see us on Monday"
""",
    "resume": """Readmit a suspended team.

examples:
  noughts ladder resume class.noughts team7
""",
    "requeue": """Check a team's latest version again, if it failed or was suspended.

examples:
  noughts ladder requeue class.noughts team7
""",
    "freeze": """End all uploads and games, and publish the seeds.

Afterwards, `noughts tournament run --file FILE --name final --format course`
plays a tournament between the teams' versions.

examples:
  noughts ladder freeze class.noughts
""",
    "unfreeze": """Let a frozen ladder continue.

Further games get seeds from a new secret, since the old seeds are public.

examples:
  noughts ladder unfreeze class.noughts
""",
    "backup": """Copy the file, even while the ladder runs.

The copy is a consistent snapshot. TO is a file, or a folder that gets a file
with the time in its name.

examples:
  noughts ladder backup class.noughts backups/
  noughts ladder backup class.noughts class-backup.noughts
""",
    "restore": """Put a backup in the place of the ladder's file.

Stop the server first. The former file is renamed, not deleted, and can be
damaged or missing. Links stay as they are now. Versions and games after the
backup are not in it. Further games get seeds from a new secret.

If the file is damaged or deleted while the server runs, download a backup from
the staff page before you stop the server: it has everything.

examples:
  noughts ladder restore class.noughts class-backup.noughts
""",
    "status": """Show waiting uploads, games per minute, faults and the leaderboard.

The command only reads the file, so it works while the ladder runs.

examples:
  noughts ladder status class.noughts
  noughts ladder status class.noughts --json
""",
    "demo": """Play a ladder of eight example bots, with uploads, for a minute.

It prints the address of its page and a link for staff. Its files are in a
temporary folder, which is removed at the end. Press Ctrl-C to end it earlier.

examples:
  noughts ladder demo
  noughts ladder demo --seconds 600
""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for action, added in add_actions(parser, ACTIONS, required=True).items():
        add = added.add_argument
        if action == "demo":
            add("--seconds", type=float, default=DEMO_SECONDS, help="length of the demo (default: 60)")
            add("--port", type=int, help="port of the page; 0 for any free one (default: 8765)")
            continue
        add("file", help="file of the ladder")
        if action == "create":
            add("--game", required=True, help=GAME_HELP)
            add("--roster", required=True, metavar="CSV", help="CSV file with the columns team, name, id, email")
            add_name_rule(added)
            add("--url", help="address that students open (default: http://localhost:8765, this machine only)")
            add("--pseudonyms", action="store_true", help="hide the teams' names from each other")
            add(
                "--yardsticks",
                nargs="+",
                default=YARDSTICKS,
                metavar="PLAYER",
                help="built-in players to measure teams against (default: random, greedy, alphabeta levels 1 and 3)",
            )
            add_limits(added, ladder=True)
        if action in ("create", "change"):
            _add_team_limits(added, new=action == "create")
        if action == "change":
            add("--url", help="address that students open")
            add("--load-time", type=float, metavar="SECONDS", help="time limit for loading a bot")
            add("--names", metavar="WHICH", help="how teams see each other: real or pseudonyms")
        if action == "link":
            add("team", nargs="?", help="name of the team")
            add("--staff", action="store_true", help="replace the link for staff")
            add("--url", help="address that students open (default: the ladder's own)")
        if action in ("suspend", "resume", "requeue"):
            add("team", help="name of the team")
        if action == "suspend":
            add("--reason", default="", help="reason to show the team")
        if action == "backup":
            add("to", metavar="TO", help="file or folder for the copy")
        if action == "restore":
            add("backup", metavar="BACKUP", help="copy of the file, from `ladder backup` or the staff page")
        if action not in ("create", "link"):
            add_json(added)


def _add_team_limits(parser: argparse.ArgumentParser, *, new: bool) -> None:
    add = parser.add_argument_group("limits of teams").add_argument
    add("--deadline", metavar="TIME", help=f"end of uploads, as 2027-02-24T23:55+05:30{_or_none(new)}")
    add("--uploads", type=int, metavar="N", help=f"maximum uploads of a team per hour{_default(new, 12)}")
    add(
        "--storage",
        type=int,
        metavar="MB",
        help=f"maximum size of all versions of a team together{_default(new, 16)}",
    )
    add(
        "--friendlies",
        type=int,
        metavar="N",
        help=f"maximum matches that a team may request per day{_default(new, 10)}",
    )
    add(
        "--faults",
        type=int,
        metavar="N",
        help=f"suspend a version after this many consecutive faults{_default(new, 5)}",
    )


def _default(new: bool, value: int) -> str:
    return f" (default: {value})" if new else ""


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
        "restore": _restore,
        "demo": demo,
    }
    return known[args.action](args)


# Creating a ladder.


def _create(args: argparse.Namespace) -> Report:
    path, game = Path(args.file), game_from_command_line(args.game)
    links = web.links_path(path)
    if path.exists():
        raise ValueError(f"{path} already exists; name a new file, or play it with `noughts serve --file`")
    if links.exists():
        raise ValueError(f"{links} already exists, and its links would be lost; move it away")
    roster = read_roster(args.roster)
    submission_rules(args.name_rule)  # refuses an invalid name rule
    settings = Settings(
        format=LADDER,
        url=args.url or "",
        pseudonyms=args.pseudonyms,
        **bot_settings(args, game),
        **_term_settings(args),
    )
    base = _base(args.url)
    teams = roster.teams
    try:
        # Readable for its owner only: the file will contain the bots of all teams.
        os.close(open_our_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
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
    text = (
        f"{path}: a ladder of {game.rules.title} for {counted(len(teams), 'team')}, {settings.seconds:g} s per move\n"
        f"yardsticks: {', '.join(args.yardsticks)}\n"
        f"deadline: {deadline}\n"
        f"secret links, one for each team and one for staff: {links}   (only you can read it)\n"
        f"{'' if args.url else _only_here(path)}\n"
        f"`noughts serve --file {shell_quote(path)}` plays it"
    )
    return Report({"file": str(path), "links": str(links), "teams": teams, "deadline": settings.deadline or None}, text)


def _only_here(path: Path) -> str:
    change = f"noughts ladder change {shell_quote(path)} --url https://ADDRESS"
    return f"the links work on this machine only; for a class, first run\n  {change}\n"


def _term_settings(args: argparse.Namespace) -> dict[str, Any]:
    """Returns the settings that `create` and `change` share, as far as they were given."""
    found: dict[str, Any] = {}
    for name, least, unit in (("uploads", 1, 1), ("storage", 1, 1 << 20), ("friendlies", 0, 1), ("faults", 1, 1)):
        value = getattr(args, name)
        require_range(f"--{name}", value, least, LARGEST_LIMIT)
        if value is not None:
            found[name] = value * unit
    if args.deadline is not None:
        found["deadline"] = "" if args.deadline == "none" else timestamp(read_time(args.deadline))
    return found


def _base(url: str | None) -> str:
    base = (url or f"http://localhost:{web.PORT}").rstrip("/")
    if not base.startswith(("http://", "https://")) or "#" in base or " " in base or not base.isprintable():
        raise ValueError(f"--url must be an address such as https://class.example, not {one_line(base, 80)!r}")
    return base


def _link(args: argparse.Namespace) -> Report:
    if (args.team is None) != args.staff:
        raise ValueError("name a team, or pass --staff")
    if not Path(args.file).is_file():
        raise ValueError(f"there is no file {args.file!r}; create a ladder with `noughts ladder create`")
    with TournamentFile(args.file, write=True, create=False, alone=False) as file:  # a server may be playing it
        token = web.new_token(web.MEMBER_GROUPS)
        ladder = ladder_in(file)
        base = _base(args.url or ladder.settings.url)
        set_token(ladder, args.team, web.token_hash(token))
    link, links = f"{base}/join#{token}", web.links_path(Path(args.file))
    kept = f"{links} is updated" if web.replace_link(links, args.team or "", link) else "give it to the team"
    return Report({"link": link}, link, notes=[f"the old link no longer works; {kept}"])


# Changing a ladder, even while a server plays it.


def _change(args: argparse.Namespace) -> Report:
    with TournamentFile(args.file, write=True, create=False, alone=False) as file:
        return CHANGES[args.action](ladder_in(file), args)


def _change_settings(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    require_limits(args)
    changes = _term_settings(args) | ({} if args.load_time is None else {"load_seconds": args.load_time})
    if args.names not in (None, "real", "pseudonyms"):
        raise ValueError(f"--names must be real or pseudonyms, not {args.names!r}")
    if args.url is not None:
        changes["url"] = _base(args.url)
    if not changes and args.names is None:
        raise ValueError(
            "nothing to change; pass --deadline, --uploads, --storage, --friendlies, --faults, --load-time, --names or "
            "--url"
        )
    ladder.change_settings(**changes)
    notes = [] if args.url is None else [_move_links(Path(args.file), changes["url"])]
    if args.names is not None:
        hide_names(ladder, args.names == "pseudonyms")
    settings = ladder.settings
    names = ("deadline", "uploads", "storage", "friendlies", "faults", "pseudonyms", "url")
    facts = {name: getattr(settings, name) for name in names} | {"load_seconds": settings.limits.load_seconds}
    words = facts | {"deadline": deadline_words(ladder), "storage": f"{settings.storage >> 20} MB"}
    words["load time"] = f"{words.pop('load_seconds'):g} s"
    words["names"] = "pseudonyms" if words.pop("pseudonyms") else "real"
    words["url"] = words.pop("url") or f"{_base(None)} (this machine only)"
    return Report(facts, "\n".join(f"{name}: {value}" for name, value in words.items()), notes=notes)


def _move_links(path: Path, base: str) -> str:
    links = web.links_path(path)
    if web.move_links(links, base):
        return f"the links in {links} have the new address; send them out again   (only you can read it)"
    return f"{links} is missing; `noughts ladder link {shell_quote(path)} TEAM` makes a new link with this address"


def _suspend(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.entries.remove(args.team, args.reason)
    text = f"{args.team} is suspended; `noughts ladder resume` readmits it"
    return Report({"team": args.team, "suspended": True}, text)


def _resume(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.entries.readmit(args.team)
    return Report({"team": args.team, "suspended": False}, f"{args.team} is readmitted")


def _requeue(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.entries.check_again(args.team)
    waits = ladder.entries.find(args.team).candidate_id is not None
    text = "waits for its check" if waits else "has no failed or suspended version"
    return Report({"team": args.team, "waits": waits}, f"{args.team} {text}")


def _freeze(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.freeze()
    file = shell_quote(args.file)
    text = (
        f"frozen: no uploads, no games. `noughts ladder unfreeze {file}` continues it\n`noughts tournament run --file "
        f"{file} --name final --format course` plays the versions; stop the server first"
    )
    return Report({"frozen": ladder.frozen, "seeds": ladder.published_seeds}, text)


def _unfreeze(ladder: TournamentStore, args: argparse.Namespace) -> Report:
    ladder.unfreeze()
    return Report({"frozen": None}, "the ladder continues")


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
            raise ValueError(f"the folder {str(folder)!r} does not exist; create it first")
        if to.is_dir():
            to = to / f"{path.stem}-{file.clock():%Y%m%dT%H%M%SZ}{path.suffix}"
        with progress(f"copying {path.name}") as tick:
            file.backup(to, lambda share: tick(share, "copying"))
    size = to.stat().st_size
    return Report({"backup": str(to), "bytes": size}, f"{to}: {size / 1e6:.1f} MB   (only you can read it)")


def _restore(args: argparse.Namespace) -> Report:
    path, backup = Path(args.file), Path(args.backup)
    restored = restore_ladder(path, backup)
    facts = {
        "file": str(path),
        "versions": restored.versions,
        "games": restored.games,
        "former": None if restored.former is None else str(restored.former),
    }
    text = f"{path}: restored, with {counted(restored.versions, 'version')} and {counted(restored.games, 'game')}"
    if restored.former is not None:
        text += f"\nformer file: {restored.former}"
    if restored.newer is not None:
        text += f"   ({counted(restored.newer[0], 'version')} and {counted(restored.newer[1], 'game')} more)"
    else:
        text += "\nlinks: those of the backup; `noughts ladder link` replaces the ones that were new since"
    return Report(facts, f"{text}\n\n`noughts serve --file {shell_quote(path)}` plays it")
