"""Serve the page: play, analyse, replay and watch in the browser.

It listens on this machine only, opens nothing, and prints the address. Games
are kept in a file, so that a reload or a restart loses nothing. Ctrl-C ends it.

For a class, --host 0.0.0.0 listens on the network. Everybody then needs the
join token that is printed; the printed link has it.

Clients choose from lists: games, players, and what you name here. --player
offers a player of yours, such as a trained model; --file shows the games of a
tournament file, also while it is played.

examples:
  noughts serve
  noughts serve --port 9000
  noughts serve --host 0.0.0.0                          for a class
  noughts serve --player q:runs/numerical
  noughts serve --file class.noughts
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import sys
import webbrowser
from dataclasses import replace
from pathlib import Path

from noughts import sandbox, web
from noughts.players import make_player
from noughts.players.registry import canonical_name
from noughts.printable import one_line
from noughts.rules.spec import shown
from noughts.sandbox.source import PROGRAMS

WILDCARDS = ("0.0.0.0", "::")
LONGEST_TITLE = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)")
    parser.add_argument("--port", type=int, help="(8765); 0 takes any free one")
    parser.add_argument("--name", action="append", default=[], help="another name that the server is reached by")
    parser.add_argument(
        "--file", action="append", default=[], metavar="FILE", help="a tournament to replay and to watch"
    )
    parser.add_argument("--player", action="append", default=[], metavar="PLAYER", help="a further opponent to offer")
    parser.add_argument("--allow-uploads", action="store_true", help="take bot files from clients, into the sandbox")
    parser.add_argument("--games", metavar="FILE", help="where games are kept (in your data folder)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="threads that think (2)")


def run(args: argparse.Namespace) -> int:
    serve_page(settings_from(args), "/")
    return 0


def settings_from(args: argparse.Namespace) -> web.Settings:
    """What the arguments say; ValueError if that cannot be served."""
    port = web.PORT if args.port is None else args.port
    if not 0 <= port < 1 << 16:
        raise ValueError(f"--port is 0 to 65535, not {shown(args.port)}")
    if not 1 <= args.workers <= 64:
        raise ValueError(f"--workers is 1 to 64, not {shown(args.workers)}")
    for path in args.file:
        if not Path(path).is_file():
            raise ValueError(f"there is no tournament file {path!r}")
    settings = web.Settings(
        args.host,
        port,
        None,
        Path(args.games) if args.games else web.games_file(),
        tuple(map(Path, args.file)),
        _named(args.player),
        (socket.gethostname(), *args.name),
        args.workers,
        args.allow_uploads,
    )
    return settings if settings.local else _with_token(settings, web.new_token())


def _with_token(settings: web.Settings, token: str) -> web.Settings:
    return replace(settings, token=token)


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


def serve_page(settings: web.Settings, path: str, *, open_browser: bool = False) -> None:
    """Serves until Ctrl-C, and says where; opens the browser there if asked, and if there is one with windows."""
    try:
        start = web.serve
    except ImportError as error:
        raise ValueError(str(error)) from None

    def ready(port: int) -> None:
        print(addresses(settings, port, path), flush=True)
        # Without a display a browser would be one of the terminal, which it would take over.
        windows = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if open_browser and windows:
            webbrowser.open(f"http://{settings.host}:{port}{path}")

    start(settings, ready)


def addresses(settings: web.Settings, port: int, path: str) -> str:
    """What to open. The token stands after #, which browsers keep to themselves: it is in no log."""
    host = _reached_by() if settings.host in WILDCARDS else settings.host
    base = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    if settings.token is None:
        return f"noughts is served at {base}{path}   (Ctrl-C ends it)"
    return (
        f"noughts is served at {base}   (Ctrl-C ends it)\n"
        f"join token: {settings.token}\n"
        f"link for everybody: {base}/join#{settings.token}"
    )


def _reached_by() -> str:
    """The address that other machines see, as far as this one knows; nothing is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: connecting a datagram socket sends nothing
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
