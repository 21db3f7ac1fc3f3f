"""Serve the page: play, analyse, replay and watch in the browser.

It listens on this machine only, opens nothing, and prints the address. Games
are kept in a file, so that a reload or a restart loses nothing. Ctrl-C ends it.

For a class, --host 0.0.0.0 listens on the network. Everybody then needs the
join token that is printed; the printed link has it. --token FILE keeps the
token, so that links still work after a restart. With --members ROSTER everybody
on the roster gets a secret link of their own, written to a file beside it that
only you can read: the server then knows who is who, and its limits hold for
each member.

Behind a proxy that serves HTTPS, name the proxy's address and the name that
people open: --proxy 127.0.0.1 --name class.example.

With single sign-on, --sign-on X-Remote-User believes that header from the proxy
and from nobody else; --members ROSTER says which id or email is in which team,
and --staff-user who is staff.

Clients choose from lists: games, players, and what you name here. --player
offers a player of yours, such as a trained model; --file shows the games of a
tournament file, also while it is played. If the file holds a ladder (`noughts
ladder create`), the ladder is played too: one core is for the page, the others
are for games. --executor ray plays them on a cluster.

examples:
  noughts serve
  noughts serve --port 9000
  noughts serve --host 0.0.0.0                          for a class
  noughts serve --host 0.0.0.0 --members roster.csv     a link for each member
  noughts serve --proxy 127.0.0.1 --name class.example  behind a proxy
  noughts serve --player q:runs/numerical
  noughts serve --file class.noughts
"""

from __future__ import annotations

import argparse
import ipaddress
import os
import re
import socket
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from noughts import sandbox, web
from noughts.commands._bot_options import add_executor, ray_executor
from noughts.commands._options import require_range
from noughts.course.roster import Student, read_roster
from noughts.players import make_player
from noughts.players.registry import canonical_name
from noughts.printable import one_line
from noughts.sandbox.source import PROGRAMS
from noughts.tournaments.ladder import has_ladder

NOT_SECURE = (
    "noughts: WARNING: without HTTPS everybody on the network can read the links and bots of all teams; put a proxy\n"
    "         that serves HTTPS before it: --proxy ADDRESS --name NAME (docs/page.md)"
)
WILDCARDS = ("0.0.0.0", "::")
STANDARD_HEADERS = "host origin cookie authorization content-length x-forwarded-for x-forwarded-proto".split()
"""Headers that every client or proxy sends."""
LONGEST_TITLE = 60
MOST_PORT = (1 << 16) - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)")
    parser.add_argument("--port", type=int, help="(8765); 0 takes any free one")
    parser.add_argument("--name", action="append", default=[], help="another name that the server is reached by")
    parser.add_argument("--token", metavar="FILE", help="keep the join token in this file; made if it is not there")
    parser.add_argument(
        "--members", metavar="ROSTER", help="a CSV file (team,name,id,email): write a link for each member beside it"
    )
    parser.add_argument(
        "--proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="believe X-Forwarded-For and X-Forwarded-Proto from this address",
    )
    parser.add_argument("--sign-on", metavar="HEADER", help="the header in which the proxy says who signed on")
    parser.add_argument("--staff-user", action="append", default=[], metavar="USER", help="a user that is staff")
    parser.add_argument(
        "--file", action="append", default=[], metavar="FILE", help="a tournament to replay and to watch"
    )
    parser.add_argument("--player", action="append", default=[], metavar="PLAYER", help="a further opponent to offer")
    parser.add_argument("--allow-uploads", action="store_true", help="take bot files from clients, into the sandbox")
    parser.add_argument("--games", metavar="FILE", help="where games are kept (in your data folder)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="threads that think (2)")
    add_executor(parser)


def run(args: argparse.Namespace) -> int:
    links = links_from(args)
    settings = settings_from(args, links)
    path = ladder_path(settings)
    if path is None:
        serve_page(replace(settings, sign_on=sign_on_from(args)), "/", links=links)
        return 0
    if links is not None or args.token is not None:
        raise ValueError("a ladder has links of its own; leave out --members and --token")
    service: web.LadderService
    executor = ray_executor(args)
    sign_on = sign_on_from(args, lambda student: service.member_called(student.team))
    try:
        service = web.LadderService(path, executor)
    except ImportError as error:
        raise ValueError(str(error)) from None
    if not settings.local and not settings.proxies:
        print(NOT_SECURE, file=sys.stderr)
    try:
        serve_page(replace(with_ladder(settings, service), sign_on=sign_on), "/ladder", ladder=service)
    finally:
        service.close()
    return 0


def ladder_path(settings: web.Settings) -> Path | None:
    """Returns the file that holds a ladder; ValueError if there are several."""
    found = [path for path in settings.tournaments if has_ladder(path)]
    if len(found) > 1:
        raise ValueError(f"one server plays one ladder, and there are {len(found)}; start a server for each")
    return found[0] if found else None


def with_ladder(settings: web.Settings, service: web.LadderService) -> web.Settings:
    """Returns the settings of a server that plays a ladder: teams have tokens, and everybody sees the public page."""
    return replace(settings, token=None, members=service.member, open_paths=web.OPEN_PATHS)


def ladder_settings(path: Path, port: int | None, games: Path) -> tuple[web.Settings, web.LadderService]:
    """Returns a ladder to be served on this machine, and the settings of its server."""
    require_range("--port", port, 0, MOST_PORT)
    try:
        service = web.LadderService(path)
    except ImportError as error:
        raise ValueError(str(error)) from None
    settings = web.Settings(port=web.PORT if port is None else port, games=games, tournaments=(path,))
    return with_ladder(settings, service), service


def links_from(args: argparse.Namespace) -> web.Links | None:
    """Returns the links of the roster's members, if there is one; ValueError if it cannot be read."""
    if args.members is None or args.sign_on is not None:
        return None
    if args.token is not None:
        raise ValueError("--members gives everybody a token of their own, so there is no --token beside it")
    return web.Links(web.links_path(Path(args.members)), read_roster(args.members))


def sign_on_from(
    args: argparse.Namespace, member: Callable[[Student], web.Member | None] | None = None
) -> web.SignOn | None:
    """Returns the single sign-on that was asked for. member: who a student is on a ladder."""
    if args.sign_on is None:
        if args.staff_user:
            raise ValueError("--staff-user is for single sign-on; name the header with --sign-on")
        return None
    if not args.proxy or args.members is None:
        raise ValueError("--sign-on needs the proxy that sends the header, --proxy ADDRESS, and --members ROSTER")
    if not re.fullmatch("[A-Za-z0-9-]{1,60}", args.sign_on) or args.sign_on.lower() in STANDARD_HEADERS:
        raise ValueError(f"--sign-on is a header of its own, such as X-Remote-User, not {one_line(args.sign_on, 60)!r}")
    return web.SignOn.by_roster(args.sign_on, read_roster(args.members), args.staff_user, member)


def settings_from(args: argparse.Namespace, links: web.Links | None = None) -> web.Settings:
    """Returns what the arguments say; ValueError if that cannot be served."""
    port = web.PORT if args.port is None else args.port
    require_range("--port", port, 0, MOST_PORT)
    require_range("--workers", args.workers, 1, 64)
    for path in args.file:
        if not Path(path).is_file():
            raise ValueError(f"there is no tournament file {path!r}")
    for address in args.proxy:
        _require_address(address)
    if args.proxy and not args.name:
        raise ValueError("behind a proxy the server needs the name that people open: --name class.example")
    settings = web.Settings(
        args.host,
        port,
        None if args.token is None else web.kept_token(Path(args.token)),
        Path(args.games) if args.games else web.games_file(),
        tuple(map(Path, args.file)),
        _players_by_title(args.player),
        (*args.name, socket.gethostname()),
        args.workers,
        args.allow_uploads,
        members=_no_links if args.sign_on is not None else None if links is None else links.members,
        proxies=tuple(args.proxy),
    )
    open_to_all = settings.token is None and settings.members is None and not settings.local
    return replace(settings, token=web.new_token()) if open_to_all else settings


def _no_links(_digest: str) -> None:
    """Members where everybody signs on: nobody has a token."""


def _require_address(text: str) -> None:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"--proxy is an address in numbers, such as 127.0.0.1, not {one_line(text, 60)!r}") from None


def _players_by_title(players: list[str]) -> dict[str, str]:
    """Players by the names that clients see and choose; of those that look the same, later ones get a number."""
    named: dict[str, str] = {}
    for text in players:
        if text.startswith(PROGRAMS):
            raise ValueError(f"{one_line(text)} is a program, which a page does not start; `noughts play` does")
        make_player(text).close()  # refuses, in a sentence, what cannot be made
        title, count = _title(text), 2
        while title in named:
            title, count = f"{_title(text)} ({count})", count + 1
        named[title] = text
    return named


def _title(text: str) -> str:
    """A player's name without folders, and of a model without where it is reached and by which key."""
    if sandbox.is_bot_file(text):
        title = Path(text).name
    elif text.startswith(("llm:", "q:")):
        kind, _, rest = text.partition("?")[0].partition(":")
        title = f"{kind}:{Path(rest).name}"
    else:
        name, colon, rest = canonical_name(text).partition(":")
        title = name + colon + ",".join(re.sub(r"=.*[/\\]", "=", option) for option in rest.split(","))
    return one_line(title, LONGEST_TITLE)


def serve_page(
    settings: web.Settings,
    path: str,
    *,
    open_browser: bool = False,
    links: web.Links | None = None,
    ladder: web.LadderService | None = None,
    token: str | None = None,
    seconds: float | None = None,
) -> None:
    """Serves until Ctrl-C, and says where; opens the browser there if asked, and if there is one with windows.

    links: of the members, which are written to their file. ladder: is played meanwhile. token: of a link to print.
    seconds: after which it ends by itself.
    """
    try:
        start = web.serve
    except ImportError as error:
        raise ValueError(str(error)) from None

    def ready(port: int) -> None:
        if links is not None:
            links.write(base_address(settings, port))
        print(addresses(settings, port, path, links), flush=True)
        if token is not None:
            print(f"link for staff: {base_address(settings, port)}/join#{token}", flush=True)
        # Without a display a browser would be one of the terminal, which it would take over.
        windows = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if open_browser and windows:
            webbrowser.open(f"http://{settings.host}:{port}{path}")

    start(settings, ready, ladder=ladder, seconds=seconds)


def base_address(settings: web.Settings, port: int) -> str:
    """Returns the address that people open, without a path."""
    return f"https://{settings.names[0]}" if settings.proxies else _own_address(settings, port)


def _own_address(settings: web.Settings, port: int) -> str:
    host = _reached_by() if settings.host in WILDCARDS else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def addresses(settings: web.Settings, port: int, path: str, links: web.Links | None = None) -> str:
    """Returns what to open. The token stands after #, which browsers keep to themselves: it is in no log."""
    base = base_address(settings, port)
    through = f", by a proxy for {_own_address(settings, port)}" if settings.proxies else ""
    if links is not None:
        return (
            f"noughts is served at {base}{through}   (Ctrl-C ends it)\n"
            f"links of {len(links) - 1} members and one for staff, {links.new} of them new: {links.path}"
            "   (only you can read it)"
        )
    if settings.token is None:
        return f"noughts is served at {base}{path}   (Ctrl-C ends it)"
    return (
        f"noughts is served at {base}{through}   (Ctrl-C ends it)\n"
        f"join token: {settings.token}\n"
        f"link for everybody: {base}/join#{settings.token}"
    )


def _reached_by() -> str:
    """Returns the address that other machines see, as far as this one knows; nothing is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: connecting a datagram socket sends nothing
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
