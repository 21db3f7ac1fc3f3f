"""Upload a bot to the ladder of your class, and follow its check.

Log in once with the secret link that you were given: `noughts login LINK`. The
answer is the number of the version. Then the gate is shown, which is what
`noughts check` runs; the last version that passed plays on meanwhile. Exit code
0 if the version passes, 1 if it fails. --no-wait returns when the file is on
the server's disk.

examples:
  noughts submit bot.py
  noughts submit bot.py --no-wait
  noughts submit bot.py --link https://class.example/join#abcd-...
"""

from __future__ import annotations

import argparse
import http.client
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import platformdirs

from noughts.commands._options import add_json
from noughts.commands.output import Report, check_text
from noughts.files import make_folder, write_whole
from noughts.printable import one_line
from noughts.progress import progress
from noughts.sandbox.source import BOT
from noughts.untrusted import FileKind, parse_json, read_untrusted

LINK_FILE = FileKind("a kept link", 4 << 10, nodes=100)
ANSWER = FileKind("the answer of a ladder", 8 << 20, nodes=1 << 18)
ANSWER_SECONDS = 30.0
LOOK_SECONDS = 1.0
PATIENCE_SECONDS = 600.0
"""A server that is not reached for so long, while a check is followed, is given up."""


@dataclass(frozen=True)
class Link:
    """The secret link of a team: the address of its ladder, and the token."""

    base: str
    token: str

    @property
    def is_local(self) -> bool:
        return urlsplit(self.base).hostname in ("localhost", "127.0.0.1", "::1")


class AnswerError(ValueError):
    """The server refused, or could not be reached. status: that of HTTP, 0 if there is none."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bot", metavar="FILE.py", help="the bot")
    parser.add_argument("--link", help="the secret link of your team (default: that of `noughts login`)")
    parser.add_argument("--no-wait", action="store_true", help="do not follow the check")
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    link = kept_link() if args.link is None else parse_link(args.link)
    path = Path(args.bot)
    try:
        data = read_untrusted(path, BOT)
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"there is no bot file {str(path)!r}") from None
    reply = ask(link, f"/api/ladder/versions?file={quote(path.name)}", data)
    again = "" if reply.get("new", True) else ", which you have uploaded before"
    head = (
        f"{one_line(reply['team'], 80)}: version {int(reply['version'])}{again}\n{link.base}{one_line(reply['link'])}"
    )
    if args.no_wait:
        return Report(reply, head)
    if not args.json:
        print(head, flush=True)
    found = _follow(link, str(reply["check"]))
    passed = found["state"] in ("passed", "admitted")
    return Report({**reply, **found}, f"\n{_text(found, passed)}", int(not passed))


def _follow(link: Link, check: str) -> dict[str, Any]:
    """Returns what came out at the gate, once it is known."""
    reached = time.monotonic()
    with progress("waiting for the check") as tick:
        while True:
            try:
                found = ask(link, check)
                reached = time.monotonic()
                if found["state"] not in ("waiting", "checking"):
                    return found
                ahead = f", {found['ahead']} ahead" if found.get("ahead") else ""
                tick(len(found["games"]) / max(1, int(found["of"])), f"the check{ahead}")
            except AnswerError as error:
                if error.status or time.monotonic() - reached > PATIENCE_SECONDS:
                    raise
            time.sleep(LOOK_SECONDS)


def _text(found: dict[str, Any], passed: bool) -> str:
    """Returns the check as `noughts check` shows it."""
    if found["state"] == "replaced" or not found.get("words"):
        return "a newer version took its place before it was checked"
    end = "it plays on the ladder now" if passed else "it does not play; your last version that passed plays on"
    return f"{check_text(found['words'])}\n\n{end}"


# Links and answers.


def parse_link(text: str) -> Link:
    """Returns the parts of a secret link; ValueError if it is none."""
    address, _, token = text.strip().partition("#")
    try:
        parts = urlsplit(address)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of a bracket or a port that is none
        known = False
    if not known or not token or not token.isascii():
        raise ValueError("a link is what you were given for the ladder, as https://class.example/join#abcd-efgh")
    return Link(f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix('/join').rstrip('/')}", token)


def _link_file() -> Path:
    return Path(platformdirs.user_config_dir("noughts", appauthor=False)) / "ladder.json"


def keep_link(link: Link) -> None:
    """Keeps a link for the next commands, in a file that only this user can read."""
    path = _link_file()
    make_folder(path.parent)
    write_whole(path, json.dumps({"base": link.base, "token": link.token}).encode(), private=True)


def kept_link() -> Link:
    """Returns the link of the last login; ValueError if there was none."""
    try:
        reply = parse_json(read_untrusted(_link_file(), LINK_FILE, ordinary=True), LINK_FILE)
        return Link(str(reply["base"]), str(reply["token"]))
    except FileNotFoundError:
        raise ValueError("you are not logged in to a ladder; `noughts login LINK` with the link of your team") from None
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{_link_file()} is damaged; `noughts login LINK` writes it anew") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


def ask(link: Link, path: str, data: bytes | None = None) -> dict[str, Any]:
    """Returns what the server of a ladder answers; AnswerError if it refuses, or cannot be reached."""
    request = urllib.request.Request(f"{link.base}{path}", data, {"Authorization": f"Bearer {link.token}"})
    if data is not None:
        request.add_header("Content-Type", "text/x-python")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=ANSWER_SECONDS) as answer:
            reply = parse_json(answer.read(ANSWER.size), ANSWER)
    except urllib.error.HTTPError as error:
        raise AnswerError(error.code, _refusal(error)) from None
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "reason", error)
        raise AnswerError(0, f"{link.base} cannot be reached ({one_line(str(why), 200)}); try again later") from None
    except ValueError:
        raise AnswerError(0, f"{link.base} does not answer as a ladder does; look at the link") from None
    if not isinstance(reply, dict):
        raise AnswerError(0, f"{link.base} does not answer as a ladder does; look at the link")
    return reply


def _refusal(error: urllib.error.HTTPError) -> str:
    try:
        reply = parse_json(error.read(ANSWER.size), ANSWER)
        return one_line(str(reply["error"]), 1000)
    except (ValueError, KeyError, TypeError, OSError):
        return f"the server answers {error.code} {one_line(str(error.reason), 100)}; look at the link"
