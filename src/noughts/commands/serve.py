"""Serve the page: play, analyse, replay and watch in the browser.

The server prints its address and listens on this machine only. Games are kept
in a file, so a reload or restart loses nothing. Press Ctrl-C to stop it.

For a class, --host 0.0.0.0 listens on the network. Visitors then need the join
token, which is part of the printed link; --token FILE keeps it across
restarts. With --members ROSTER, each member gets a personal secret link
instead, written to a file beside the roster that only you can read. Limits
then apply to each member.

Behind an HTTPS proxy, pass the proxy's address and the public host name:
--proxy 127.0.0.1 --name class.example.

For single sign-on, --sign-on X-Remote-User reads the user from that header,
which is accepted only from the proxy and only with the secret in the file
--sign-on-secret, which the proxy sends as X-Sign-On-Secret. --members ROSTER
maps ids and emails to teams, and --staff-user names staff.

Clients can only choose listed games and players. --player adds one of your
own, such as a trained model; --file shows the games of a tournament file, even
while it is played. If the file contains a ladder (`noughts ladder create`),
the server also plays the ladder: one core serves the page, the others play.
--executor ray plays on a cluster.

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
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from noughts import sandbox, web
from noughts.commands._bot_options import add_executor, ray_executor
from noughts.commands._options import require_range
from noughts.course.roster import Student, read_roster
from noughts.players import make_player
from noughts.players.registry import canonical_name
from noughts.printable import one_line, shell_quote
from noughts.sandbox.source import PROGRAMS
from noughts.tournaments.ladder import has_ladder

NOT_SECURE = (
    "noughts: WARNING: without HTTPS, others on the network can read the links and bots of all teams; use a proxy\n  "
    "       that serves HTTPS: --proxy ADDRESS --name NAME (docs/page.md)"
)
WRONG_LINKS = (
    "noughts: WARNING: the teams' links lead elsewhere, so that students cannot open them; correct them with\n  "
    "       noughts ladder change {file} --url {url}"
)
WILDCARDS = ("0.0.0.0", "::")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
STANDARD_HEADERS = "host origin cookie authorization content-length x-forwarded-for x-forwarded-proto".split()
"""Headers that clients or proxies use for other purposes."""
LONGEST_TITLE = 60
MOST_PORT = (1 << 16) - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("network").add_argument
    add("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this machine only)")
    add("--port", type=int, help="port; 0 for any free one (default: 8765)")
    add("--name", action="append", default=[], help="public host name; repeatable")
    add(
        "--proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="trust X-Forwarded-For and X-Forwarded-Proto from this address; repeatable",
    )
    add = parser.add_argument_group("access").add_argument
    add("--token", metavar="FILE", help="file that keeps the join token; created if missing")
    add("--members", metavar="ROSTER", help="CSV file (team,name,id,email): write a link for each member beside it")
    add("--sign-on", metavar="HEADER", help="header in which the proxy names the user")
    add("--sign-on-secret", metavar="FILE", help="file that keeps the proxy's secret; created if missing")
    add("--staff-user", action="append", default=[], metavar="USER", help="user that is staff; repeatable")
    add = parser.add_argument_group("content").add_argument
    add("--file", action="append", default=[], metavar="FILE", help="tournament to replay and watch; repeatable")
    add("--player", action="append", default=[], metavar="PLAYER", help="additional opponent; repeatable")
    add("--allow-uploads", action="store_true", help="accept bot files from clients, for the sandbox")
    add("--games", metavar="FILE", help="file for games (default: in your data folder)")
    add("--workers", type=int, default=2, metavar="N", help="threads for searches (default: 2)")
    add_executor(parser)


def run(args: argparse.Namespace) -> int:
    links = links_from(args)
    settings = settings_from(args, links)
    path = ladder_path(settings)
    if path is None:
        serve_page(replace(settings, sign_on=sign_on_from(args)), "/", links=links)
        return 0
    if links is not None or args.token is not None:
        raise ValueError("a ladder has its own links; leave out --members and --token")
    service: web.LadderService
    executor = ray_executor(args)
    sign_on = sign_on_from(args, lambda student: service.member_called(student.team))
    service = web.LadderService(path, executor)
    if not settings.local and not settings.proxies:
        print(NOT_SECURE, file=sys.stderr)
    if not links_fit(service.store.settings.url or f"http://localhost:{web.PORT}", settings):
        url = base_address(settings, settings.port)
        print(WRONG_LINKS.format(file=shell_quote(path), url=shell_quote(url)), file=sys.stderr)
    try:
        serve_page(replace(settings, sign_on=sign_on), "/ladder", ladder=service)
    finally:
        service.close()
    return 0


def links_fit(url: str, settings: web.Settings) -> bool:
    """Returns whether links with this address may lead to the server, from wherever the server can be reached."""
    link = urlsplit(url)
    if settings.proxies:
        return link.hostname in settings.names
    if link.hostname not in LOOPBACK:
        return True
    return settings.local and settings.port in (0, link.port or 80)  # 0: any, which no link can name


def ladder_path(settings: web.Settings) -> Path | None:
    """Returns the file that contains a ladder, or None. Raises ValueError if there are several."""
    found = [path for path in settings.tournaments if has_ladder(path)]
    if len(found) > 1:
        raise ValueError(f"one server plays one ladder, and these files contain {len(found)}; start a server for each")
    return found[0] if found else None


def links_from(args: argparse.Namespace) -> web.Links | None:
    """Returns the links of the roster's members, if there is a roster. Raises ValueError if it cannot be read."""
    if args.members is None or args.sign_on is not None:
        return None
    if args.token is not None:
        raise ValueError("--members gives each member a token; leave out --token")
    return web.Links(web.links_path(Path(args.members)), read_roster(args.members))


def sign_on_from(
    args: argparse.Namespace, member: Callable[[Student], web.Member | None] | None = None
) -> web.SignOn | None:
    """Returns the single sign-on settings, if any. member: maps a user to a student of a ladder."""
    if args.sign_on is None:
        if args.staff_user or args.sign_on_secret is not None:
            option = "--staff-user" if args.staff_user else "--sign-on-secret"
            raise ValueError(f"{option} is for single sign-on; pass --sign-on with the name of the header")
        return None
    if not args.proxy or args.members is None or args.sign_on_secret is None:
        raise ValueError(
            "--sign-on needs --proxy ADDRESS, the proxy that sends the header, --sign-on-secret FILE, the secret that "
            "it sends, too, and --members ROSTER"
        )
    if not re.fullmatch("[A-Za-z0-9-]{1,60}", args.sign_on) or args.sign_on.lower() in (
        *STANDARD_HEADERS,
        web.SECRET_HEADER,
    ):
        raise ValueError(
            f"--sign-on must be a header of your proxy such as X-Remote-User, not {one_line(args.sign_on, 60)!r}"
        )
    secret = web.kept_token(Path(args.sign_on_secret), web.MEMBER_GROUPS)
    return web.SignOn.by_roster(args.sign_on, read_roster(args.members), args.staff_user, member, secret)


def settings_from(args: argparse.Namespace, links: web.Links | None = None) -> web.Settings:
    """Returns the server's settings. Raises ValueError if the options contradict each other."""
    require_range("--port", args.port, 0, MOST_PORT)
    require_range("--workers", args.workers, 1, 64)
    for path in args.file:
        if not Path(path).is_file():
            raise ValueError(f"there is no tournament file {path!r}")
    for address in args.proxy:
        _require_address(address)
    if args.proxy and not args.name:
        raise ValueError("behind a proxy, pass the public host name, such as --name class.example")
    settings = web.Settings(
        args.host,
        web.PORT if args.port is None else args.port,
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
    """Finds no member by token, since all use single sign-on."""


def _require_address(text: str) -> None:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"--proxy must be an IP address such as 127.0.0.1, not {one_line(text, 60)!r}") from None


def _players_by_title(players: list[str]) -> dict[str, str]:
    """Returns the players by the names that clients see. A repeated name gets a number."""
    named: dict[str, str] = {}
    for text in players:
        if text.startswith(PROGRAMS):
            raise ValueError(f"{one_line(text)} is a program, which the page cannot start; use `noughts play`")
        make_player(text).close()  # refuses players that cannot be created, with the reason
        title, count = _title(text), 2
        while title in named:
            title, count = f"{_title(text)} ({count})", count + 1
        named[title] = text
    return named


def _title(text: str) -> str:
    """Returns a player's name without folders, and for a model without its address and key."""
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
    """Serves until Ctrl-C, and prints the address. Opens the browser if asked and if there is a graphical one.

    links: the members' links, which are written to a file. ladder: a ladder to play meanwhile. token: for the printed
    link. seconds: time after which the server stops.
    """
    if ladder is not None:
        settings = ladder.settings(settings)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # otherwise files stay open, and Ctrl-C closes them, too

    def ready(port: int) -> None:
        if links is not None:
            links.write(base_address(settings, port))
        print(addresses(settings, port, path, links), flush=True)
        if token is not None:
            print(f"link for staff: {base_address(settings, port)}/join#{token}", flush=True)
        # without a display, a text browser would take over the terminal
        windows = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if open_browser and windows:
            webbrowser.open(f"http://{settings.host}:{port}{path}")

    web.serve(settings, ready, ladder=ladder, seconds=seconds)


def base_address(settings: web.Settings, port: int) -> str:
    """Returns the public address, without a path."""
    return f"https://{settings.names[0]}" if settings.proxies else _own_address(settings, port)


def _own_address(settings: web.Settings, port: int) -> str:
    host = _network_address() if settings.host in WILDCARDS else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def addresses(settings: web.Settings, port: int, path: str, links: web.Links | None = None) -> str:
    """Returns the text with the addresses to open. The token stands after #, which browsers do not send, so no log has
    it.
    """
    base = base_address(settings, port)
    through = f", by a proxy for {_own_address(settings, port)}" if settings.proxies else ""
    if links is not None:
        return (
            f"noughts is served at {base}{through}   (press Ctrl-C to stop)\nlinks of {len(links) - 1} members and "
            f"one for staff, {links.new} of them new: {links.path}   (only you can read it)"
        )
    if settings.token is None:
        return f"noughts is served at {base}{path}   (press Ctrl-C to stop)"
    return (
        f"noughts is served at {base}{through}   (press Ctrl-C to stop)\njoin token: {settings.token}\nlink to share: "
        f"{base}/join#{settings.token}"
    )


def _network_address() -> str:
    """Returns the address that other machines see, as far as this machine knows. Sends nothing to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # An address reserved for documentation: connecting a datagram socket sends nothing.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
