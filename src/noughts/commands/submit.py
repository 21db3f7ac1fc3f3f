"""Upload a bot to the ladder of your class, and follow its check.

Log in once with your team's secret link: `noughts login LINK`. After the
upload, the command prints the version's number and waits for its check, which
is the same as `noughts check`. Until the new version passes, the last one that
passed keeps playing, if there is one. Exit code 0 if the version passes, 1 if
it fails. --no-wait returns as soon as the server has stored the file.

A file whose faults show without playing (its size, name, syntax or the
submission rules) is refused and replaces nothing.

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
from noughts.untrusted import MALFORMED, FileKind, parse_json, read_json, read_untrusted

LINK_FILE = FileKind("a saved link", 4 << 10, nodes=100)
ANSWER = FileKind("the reply of a ladder", 8 << 20, nodes=1 << 18)
ANSWER_SECONDS = 30.0
POLL_SECONDS = 1.0
PATIENCE_SECONDS = 600.0
"""Stop following a check after this many seconds without contact."""


@dataclass(frozen=True)
class Link:
    """The secret link of a team: the ladder's address and the token."""

    base: str
    token: str

    @property
    def is_local(self) -> bool:
        return urlsplit(self.base).hostname in ("localhost", "127.0.0.1", "::1")


class AnswerError(ValueError):
    """The server refused, or could not be reached. status: the HTTP status; 0 if there is none."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bot", metavar="FILE.py", help="bot file")
    parser.add_argument("--link", help="secret link of your team (default: from `noughts login`)")
    parser.add_argument("--no-wait", action="store_true", help="return without waiting for the check")
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    link = kept_link() if args.link is None else parse_link(args.link)
    path = Path(args.bot)
    try:
        data = read_untrusted(path, BOT)
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"the bot file {str(path)!r} does not exist") from None
    reply = ask(link, f"/api/ladder/versions?file={quote(path.name)}", data)
    try:
        team, version, place = one_line(str(reply["team"]), 80), int(reply["version"]), one_line(str(reply["link"]))
        check = str(reply["check"])
    except MALFORMED:
        raise not_a_ladder(link) from None
    again = "" if reply.get("new", True) else ", the same file as before"
    head = f"{team}: version {version}{again}\n{link.base}{place}"
    if args.no_wait:
        return Report(reply, head)
    if not args.json:
        print(head, flush=True)
    try:
        found = _follow(link, check)
        passed = found["state"] in ("passed", "admitted")
        return Report({**reply, **found}, f"\n{_text(found, passed)}", int(not passed))
    except AnswerError:
        raise
    except MALFORMED:
        raise not_a_ladder(link) from None


def _follow(link: Link, check: str) -> dict[str, Any]:
    """Waits for the check and returns its result."""
    reached = time.monotonic()
    with progress("waiting for the check") as tick:
        while True:
            try:
                found = ask(link, check)
                reached = time.monotonic()
                if found["state"] not in ("waiting", "checking"):
                    return found
                others = f", {found['others']} others wait" if found.get("others") else ""
                tick(len(found["games"]) / max(1, int(found["of"])), f"the check{others}")
            except AnswerError as error:
                if error.status or time.monotonic() - reached > PATIENCE_SECONDS:
                    raise
            time.sleep(POLL_SECONDS)


def _text(found: dict[str, Any], passed: bool) -> str:
    """Returns the check in the form of `noughts check`."""
    if found["state"] == "replaced" or not found.get("words"):
        return "it was replaced by a newer version before its check"
    plays = found.get("plays")
    still = "your team has no version that plays" if plays is None else f"version {int(plays)} keeps playing"
    end = "it now plays on the ladder" if passed else f"it does not play; {still}"
    return f"{check_text(found['words'])}\n\n{end}"


# Links and replies.


def parse_link(text: str) -> Link:
    """Returns the parts of a secret link. Raises ValueError if the text is not a link."""
    address, _, token = text.strip().partition("#")
    try:
        parts = urlsplit(address)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # raised for a wrong bracket or port
        known = False
    if not known or not token or not token.isascii():
        raise ValueError(
            "a link looks like https://class.example/join#abcd-efgh; copy it from the message of your course staff"
        )
    return Link(f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix('/join').rstrip('/')}", token)


def _link_file() -> Path:
    return Path(platformdirs.user_config_dir("noughts", appauthor=False)) / "ladder.json"


def keep_link(link: Link) -> None:
    """Saves a link for later commands, in a file that only this user can read."""
    path = _link_file()
    make_folder(path.parent)
    write_whole(path, json.dumps({"base": link.base, "token": link.token}).encode(), private=True)


def kept_link() -> Link:
    """Returns the link of the last login. Raises ValueError if there was none."""
    try:
        reply = read_json(_link_file(), LINK_FILE, ordinary=True)
        return Link(str(reply["base"]), str(reply["token"]))
    except FileNotFoundError:
        raise ValueError("you are not logged in to a ladder; run `noughts login LINK` with your team's link") from None
    except MALFORMED:
        raise ValueError(f"{_link_file()} is damaged; run `noughts login LINK` again") from None


def is_link(text: str) -> bool:
    """Returns whether a text is a web address, not a path."""
    return text.startswith(("https://", "http://"))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would take the token elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


def ask(link: Link, path: str, data: bytes | None = None) -> dict[str, Any]:
    """Returns the reply of a ladder's server. Raises AnswerError if the server refuses or cannot be reached."""
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
        raise not_a_ladder(link) from None
    if not isinstance(reply, dict):
        raise not_a_ladder(link)
    return reply


def not_a_ladder(link: Link) -> AnswerError:
    return AnswerError(0, f"{link.base} is not a ladder; check the link")


def _refusal(error: urllib.error.HTTPError) -> str:
    try:
        reply = parse_json(error.read(ANSWER.size), ANSWER)
        return one_line(str(reply["error"]), 1000)
    except (ValueError, KeyError, TypeError, OSError):
        return f"the server replied {error.code} {one_line(str(error.reason), 100)}; check the link"
