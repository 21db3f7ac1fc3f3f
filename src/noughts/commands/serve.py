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
from functools import partial
from pathlib import Path

from noughts import sandbox, web
from noughts.course.roster import read_roster
from noughts.matches.cluster import play_on_ray, require_ray
from noughts.matches.pool import Watch
from noughts.matches.runner import Executor
from noughts.players import make_player
from noughts.players.registry import canonical_name
from noughts.printable import one_line
from noughts.rules.spec import shown
from noughts.sandbox.source import PROGRAMS
from noughts.tournaments.ladder import has_ladder

NOT_SECURE = (
    "noughts: WARNING: without HTTPS everybody on the network can read the links and bots of all teams; put a proxy\n"
    "         that serves HTTPS before it: --proxy ADDRESS --name NAME (docs/page.md)"
)
WILDCARDS = ("0.0.0.0", "::")
LONGEST_TITLE = 60


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
    parser.add_argument(
        "--file", action="append", default=[], metavar="FILE", help="a tournament to replay and to watch"
    )
    parser.add_argument("--player", action="append", default=[], metavar="PLAYER", help="a further opponent to offer")
    parser.add_argument("--allow-uploads", action="store_true", help="take bot files from clients, into the sandbox")
    parser.add_argument("--games", metavar="FILE", help="where games are kept (in your data folder)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="threads that think (2)")
    parser.add_argument("--executor", default="local", help="where the games of a ladder are played: local, or ray")
    parser.add_argument("--address", help="of the Ray cluster")


def run(args: argparse.Namespace) -> int:
    links = links_from(args)
    settings = settings_from(args, links)
    path = ladder_path(settings)
    if path is None:
        serve_page(settings, "/", links=links)
        return 0
    if links is not None or args.token is not None:
        raise ValueError("a ladder has links of its own; leave out --members and --token")
    executor = executor_from(args)
    try:
        service = web.LadderService(path, executor)
    except ImportError as error:
        raise ValueError(str(error)) from None
    if not settings.local and not settings.proxies:
        print(NOT_SECURE, file=sys.stderr)
    try:
        serve_page(with_ladder(settings, service), "/ladder", ladder=service)
    finally:
        service.close()
    return 0


def executor_from(args: argparse.Namespace) -> Callable[[Watch], Executor] | None:
    """Returns where the games of a ladder are played; None for this machine."""
    if args.executor == "ray":
        require_ray()
        return lambda _watch: partial(play_on_ray, address=args.address)
    if args.executor != "local":
        raise ValueError(f"--executor is local or ray, not {args.executor!r}")
    if args.address is not None:
        raise ValueError("--address is of a Ray cluster; add --executor ray")
    return None


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
    if port is not None and not 0 <= port < 1 << 16:
        raise ValueError(f"--port is 0 to 65535, not {shown(port)}")
    try:
        service = web.LadderService(path)
    except ImportError as error:
        raise ValueError(str(error)) from None
    settings = web.Settings(port=web.PORT if port is None else port, games=games, tournaments=(path,))
    return with_ladder(settings, service), service


def links_from(args: argparse.Namespace) -> web.Links | None:
    """Returns the links of the roster's members, if there is one; ValueError if it cannot be read."""
    if args.members is None:
        return None
    if args.token is not None:
        raise ValueError("--members gives everybody a token of their own, so there is no --token beside it")
    return web.Links(web.links_path(Path(args.members)), read_roster(args.members))


def settings_from(args: argparse.Namespace, links: web.Links | None = None) -> web.Settings:
    """Returns what the arguments say; ValueError if that cannot be served."""
    port = web.PORT if args.port is None else args.port
    if not 0 <= port < 1 << 16:
        raise ValueError(f"--port is 0 to 65535, not {shown(args.port)}")
    if not 1 <= args.workers <= 64:
        raise ValueError(f"--workers is 1 to 64, not {shown(args.workers)}")
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
        _named(args.player),
        (*args.name, socket.gethostname()),
        args.workers,
        args.allow_uploads,
        members=None if links is None else links.members,
        proxies=tuple(args.proxy),
    )
    open_to_all = settings.token is None and settings.members is None and not settings.local
    return replace(settings, token=web.new_token()) if open_to_all else settings


def _require_address(text: str) -> None:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"--proxy is an address in numbers, such as 127.0.0.1, not {one_line(text, 60)!r}") from None


def _named(players: list[str]) -> dict[str, str]:
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
