"""Run a ladder: a class uploads bots all month, and sees where it stands within
minutes.

  create    make a ladder from a roster, with a secret link for each team
  link      give a team another link, if the old one was lost or shared
  status    who waits, games a minute, faults; also while the ladder runs
  demo      a class of eight example bots, on this machine

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
  noughts ladder link class.noughts team7
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from noughts import web
from noughts.commands.output import print_json, table, width
from noughts.commands.serve import ladder_settings, serve_page
from noughts.commands.tournament._options import LONGEST_SECONDS
from noughts.course.roster import COLUMNS, Roster, Student, read_roster
from noughts.files import is_locked, open_our_file, write_whole
from noughts.library import game_from_command_line, load_game
from noughts.matches.store_file import StoreError
from noughts.players.bot import default_limits
from noughts.printable import counted, csv_text, one_line, paragraph, shell_quote
from noughts.sandbox import MEMORY
from noughts.tournaments.ladder import LADDER, MOST_UPLOADS, YARDSTICKS, create_ladder, ladder_in, set_token, teams_of
from noughts.tournaments.ladder_runner import LadderRunner, game_processes
from noughts.tournaments.ladder_view import leaderboard, queue
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile

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
""",
    "link": """Make another secret link for a team, and print it. The old one ends at once.

It works while the ladder runs. --staff makes another link for staff.

examples:
  noughts ladder link class.noughts team7
  noughts ladder link class.noughts --staff
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
DEMO_SECONDS, DEMO_UPLOAD_SECONDS = 60.0, 4.0
SHOWN = 30
"""Rows of a table in the terminal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    for action, text in ACTIONS.items():
        added = actions.add_parser(
            action,
            help=text.partition("\n")[0].rstrip("."),
            description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add = added.add_argument
        if action == "demo":
            add("--seconds", type=float, default=DEMO_SECONDS, help="how long it lasts (60)")
            add("--port", type=int, help="(8765); 0 takes any free one")
            continue
        add("file", help="the file of the ladder")
        if action == "create":
            add("--game", required=True, help="a game of `noughts games`, or FILE.py:RECORD")
            add("--roster", required=True, metavar="CSV", help="team, name, id, email")
            add("--time", type=float, metavar="SECONDS", help="for a move (default: the game's usual limit, else 10)")
            add("--memory", type=int, metavar="MB", help="for a bot (default: 512)")
            add("--strict", action="store_true", help="refuse numpy integers, as the course does")
            add("--name-rule", metavar="RULE", default="", help='refuse other names, as "team{number}.py:Team{number}"')
            add("--yardsticks", nargs="+", default=list(YARDSTICKS), metavar="PLAYER", help="players of the staff")
            add("--uploads", type=int, default=12, metavar="N", help="versions of a team in an hour (12)")
        if action == "link":
            add("team", nargs="?", help="the team")
            add("--staff", action="store_true", help="the link for staff")
        if action in ("create", "link"):
            default = "http://localhost:8765" if action == "create" else "that of create"
            add("--url", help=f"the address that students open (default: {default})")
        if action == "status":
            add("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    return {"create": _create, "link": _link, "status": _status, "demo": _demo}[args.action](args)


# Making one.


def _create(args: argparse.Namespace) -> int:
    path, game = Path(args.file), game_from_command_line(args.game)
    links = path.with_name(f"{path.stem}-links.csv")
    if path.exists():
        raise ValueError(f"{path} is there already; name a new file, or play it with `noughts serve --file`")
    if links.exists():
        raise ValueError(f"{links} is there already, and its links would be lost; move it away")
    roster = read_roster(args.roster)
    if not 1 <= args.uploads <= MOST_UPLOADS:
        raise ValueError(f"--uploads is 1 to {MOST_UPLOADS:,}, not {args.uploads}")
    if args.time is not None and not 0 < args.time <= LONGEST_SECONDS:
        raise ValueError(f"--time is in seconds, above 0 and up to {LONGEST_SECONDS:g}, not {args.time:g}")
    if args.memory is not None and not 16 <= args.memory <= 1 << 20:
        raise ValueError(f"--memory is in megabytes, 16 or more, not {args.memory}")
    settings = Settings(
        format=LADDER,
        seconds=default_limits(game).move_seconds if args.time is None else args.time,
        memory=MEMORY if args.memory is None else args.memory << 20,
        strict=args.strict,
        name_rule=args.name_rule,
        uploads=args.uploads,
        url=args.url or "",
    )
    base = _base(args.url)
    teams = teams_of(roster)
    try:
        os.close(open_our_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # it will hold everybody's bots
        with TournamentFile(path, write=True) as file:
            ladder = create_ladder(file, game, settings, teams, args.yardsticks)
            tokens = {team: web.new_token(web.MEMBER_GROUPS) for team in (None, *teams)}
            write_links(links, roster, base, tokens)
            for team, token in tokens.items():
                set_token(ladder, team, web.token_hash(token))
    except BaseException:
        for made in (path, links):
            made.unlink(missing_ok=True)
        raise
    print(
        f"{path}: a ladder of {game.rules.title} for {counted(len(teams), 'team')}, {settings.seconds:g} s for a move\n"
        f"yardsticks: {', '.join(args.yardsticks)}\n"
        f"secret links, one for each team and one for staff: {links}   (only you can read it)\n\n"
        f"`noughts serve --file {shell_quote(path)}` plays it"
        f"{' and serves it on this machine; --host 0.0.0.0 on the network' if args.url is None else ''}"
    )
    return 0


def write_links(path: Path, roster: Roster, base: str, tokens: dict[str | None, str]) -> None:
    """Writes the links of staff and of each student's team to a file that only its owner can read."""
    people = [Student("", "staff"), *roster]
    rows: list[Sequence[str]] = [(*COLUMNS, "link")]
    for one in people:
        token = tokens[one.team or None]
        rows.append((one.team, one.name, one.id, one.email, f"{base}/join#{token}"))
    write_whole(path, csv_text(rows).encode(), private=True)


def _base(url: str | None) -> str:
    base = (url or f"http://localhost:{web.PORT}").rstrip("/")
    if not base.startswith(("http://", "https://")) or "#" in base or " " in base or not base.isprintable():
        raise ValueError(f"--url is an address such as https://class.example, not {one_line(base, 80)!r}")
    return base


def _link(args: argparse.Namespace) -> int:
    if (args.team is None) != args.staff:
        raise ValueError("name a team, or --staff")
    if not Path(args.file).is_file():
        raise ValueError(f"there is no file {args.file!r}")
    with TournamentFile(args.file, write=True, alone=False) as file:  # a server may be playing it
        token = web.new_token(web.MEMBER_GROUPS)
        ladder = ladder_in(file)
        base = _base(args.url or ladder.settings.url)
        set_token(ladder, args.team, web.token_hash(token))
    print(f"{base}/join#{token}")
    print("The link before it no longer works, also where the file of links still has it.", file=sys.stderr)
    return 0


# How it goes.


def _status(args: argparse.Namespace) -> int:
    with TournamentFile(args.file) as file:
        ladder = ladder_in(file)
        facts = {
            "file": args.file,
            "game": ladder.game.name,
            "running": is_locked(Path(args.file)),
            **queue(ladder),
            "board": leaderboard(ladder),
        }
        title = ladder.game.rules.title
    if args.json:
        print_json(facts)
        return 0
    state = "is being played" if facts["running"] else "is not being played"
    if facts["frozen"]:
        state = f"is frozen since {facts['frozen'][:10]}"
    print(f"{args.file}: a ladder of {title}, which {state}")
    waiting = [f"{one['team']} version {one['version']} ({one['seconds']:.0f} s)" for one in facts["waiting"]]
    print(paragraph(f"at the gate: {', '.join(waiting) or 'nobody'}", width()))
    print(paragraph(f"placement games: {', '.join(facts['placing']) or 'nobody'}", width()))
    gate = facts["gate_seconds"]
    verdict = f"; a gate takes {gate['median']:.0f} s, 95% within {gate['p95']:.0f} s" if gate else ""
    playing = f", {counted(len(facts['playing']), 'game')} in flight" if facts["running"] else ""
    rate = f"{facts['games_per_minute']:g} a minute in the last five"
    print(paragraph(f"{counted(facts['games'], 'game')}, {rate}{playing}{verdict}", width()))
    for machine in facts["machines"]:
        speed = (
            f"{machine['games']:,} games, speed {machine['speed']:g} ({machine['slowest']:g} to {machine['fastest']:g})"
        )
        print(paragraph(f"machine {machine['name']}, {counted(machine['cores'], 'core')}: {speed}", width()))
    print(f"\n{_board_table(facts['board'])}")
    for one in facts["faults"][:SHOWN]:
        said = f"{one['team']}: {counted(one['faults'], 'fault')}, the last in game {one['game']}: {one['latest']}"
        print(f"\n{paragraph(said, width())}")
    return 0


def _board_table(board: Sequence[dict[str, object]]) -> str:
    rows = []
    for row in board[:SHOWN]:
        elo = "" if row["elo"] is None else f"{row['elo']:+.0f}"
        half = "" if row["elo"] is None else f"+-{(float(str(row['high'])) - float(str(row['low']))) / 2:.0f}"
        name = f"({row['team']})" if row["yardstick"] else str(row["team"])
        state = "placement" if row["provisional"] and row["state"] == "plays" else str(row["state"])
        rows.append([str(row["place"] or ""), name, str(row["version"] or ""), elo, half, str(row["games"]), state])
    more = f"\n... and {len(board) - SHOWN} more" if len(board) > SHOWN else ""
    return table(["", "team", "version", "Elo", "95%", "games", ""], rows, right=(0, 2, 3, 4, 5)) + more


# The demonstration.

DEMO_BOT = '''"""An example for the ladder: it looks one move ahead, and {share:.0%} of the time it remembers to."""

import random


def choose(state, clock):
    moves = state.legal_actions()
    if random.random() >= {share}:
        return random.choice(moves)
    player = state.current_player()
    return max(moves, key=lambda action: (value(state.child(action), player), random.random()))


def value(state, player):
    return 100 * state.returns()[player] + state.owners.count(player) - state.owners.count(1 - player)
'''
DEMO_CRASH = "def choose(state, clock):\n    return state.legal_actions()[len(state.history())]\n"
DEMO_UPLOADS: tuple[tuple[str, float | str], ...] = (
    *((f"team{number}", share) for number, share in enumerate((0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0), 1)),
    ("team1", 0.5),
    ("team2", "def choose(state, clock)\n    return 0\n"),
    ("team3", DEMO_CRASH),
    ("team2", 0.8),
    ("team4", 1.0),
    ("team1", 0.95),
)
"""What teams upload, in this order: how often a bot remembers to look ahead, or a faulty file."""
DEMO_GAME = "ultimate"


def _demo(args: argparse.Namespace) -> int:
    if not 1 <= args.seconds <= 86400:
        raise ValueError(f"--seconds is 1 to 86400, not {args.seconds:g}")
    teams = list(dict.fromkeys(team for team, _ in DEMO_UPLOADS))
    with TemporaryDirectory(prefix="noughts-") as folder:
        path, staff = Path(folder, "demo.noughts"), web.new_token(web.MEMBER_GROUPS)
        with TournamentFile(path, write=True) as file:
            ladder = create_ladder(file, load_game(DEMO_GAME), Settings(format=LADDER, seconds=2.0), teams)
            set_token(ladder, None, web.token_hash(staff))
        settings, service = ladder_settings(path, args.port, Path(folder, "page.sqlite"))
        stopping = Event()
        uploading = Thread(target=_upload_demo, args=(service.runner, stopping, args.seconds), daemon=True)
        print(
            f"A ladder of {DEMO_GAME}, for {args.seconds:g} s: eight teams upload, and games are played "
            f"{game_processes()} at a time.\n",
            flush=True,
        )
        uploading.start()
        try:
            serve_page(settings, "/ladder", ladder=service, token=staff, seconds=args.seconds)
        finally:
            stopping.set()
            uploading.join()
            with TournamentFile(path) as file:
                print(f"\n{_board_table(leaderboard(ladder_in(file)))}")
                facts = queue(ladder_in(file))
            service.close()
        gate = facts["gate_seconds"]
        if gate:
            print(f"\n{facts['games']} games; a gate took {gate['median']:.0f} s, 95% within {gate['p95']:.0f} s")
    return 0


def _upload_demo(runner: LadderRunner, stopping: Event, seconds: float) -> None:
    pause = min(DEMO_UPLOAD_SECONDS, seconds / (len(DEMO_UPLOADS) + 1))
    for team, bot in DEMO_UPLOADS:
        text = bot if isinstance(bot, str) else DEMO_BOT.format(share=bot)
        try:
            taken = runner.submit(team, text.encode())
        except StoreError:
            return
        print(f"{time.strftime('%H:%M:%S')}  {team} uploads version {taken.version}", flush=True)
        if stopping.wait(pause):
            return
