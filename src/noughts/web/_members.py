"""Members: who sends a request, what they may see, and the secret links with which they join.

A server for this machine only has no members and needs no token. On a network, all clients share a token, or, with a
roster, each member has one. The server compares hashes and stores no tokens. `Guard` identifies the member once per
request; everything behind it asks `member_of`.

The file of links is CSV, readable only by its owner. It also keeps the tokens: a member whose line is removed gets a
new link at the next start; a member who is removed from the roster loses the link.

    team,name,id,email,link
    ,staff,,,http://192.0.2.7:8765/join#abcd-...
    team7,Jane Doe,100231,jane@example.org,http://192.0.2.7:8765/join#efgh-...
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from noughts.course.roster import COLUMNS, ROSTER, Roster, Student, decode_csv, parse_csv, read_csv
from noughts.files import open_our_file, write_whole
from noughts.printable import csv_text, one_line
from noughts.tournaments.visibility import PUBLIC, STAFF, Visibility, team
from noughts.untrusted import FileKind, read_untrusted

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

STAFF_NAME = "staff"
GROUP, GROUPS, MEMBER_GROUPS = 4, 3, 5
TOKEN_FILE = FileKind("a file with a token", 1 << 10)
SHORTEST_TOKEN = 8
NAME_SHOWN = 40
SECRET_HEADER = "x-sign-on-secret"

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # no characters that look alike


@dataclass(frozen=True)
class Member:
    """The sender of a request. name: displayed name, '' if unknown. visibility: what they may see. key: the key of
    their quotas. shared: whether several people may have this key, since it is an address.
    """

    name: str
    visibility: Visibility
    key: str
    shared: bool = False


NOBODY = Member("", PUBLIC, "")
"""The member for work that no current client requested."""
STAFF_MEMBER = Member(STAFF_NAME, STAFF, f"member {STAFF_NAME}")

Members = Callable[[str], Member | None]
"""Finds the member whose token has a given hash."""


@dataclass(frozen=True)
class SignOn:
    """Single sign-on: a proxy names the user in a header. find: returns the member with that user name. secret: sent by
    the proxy in the header SECRET_HEADER, so that other users of its machine cannot pass for it; '' for none.
    """

    header: str
    find: Callable[[str], Member | None]
    secret: str = ""

    @classmethod
    def by_roster(
        cls,
        header: str,
        roster: Roster,
        staff: Collection[str],
        member: Callable[[Student], Member | None] | None = None,
        secret: str = "",
    ) -> SignOn:
        """Returns the sign-on for the ids and emails of a roster. staff: user names of staff. member: returns the
        member for a student (default: a member of the roster's team).

        User names are compared exactly, except for capital letters of email addresses. A name of two students is none.
        """
        staff_keys = set(map(_user_key, staff))
        students: dict[str, Student | None] = {}
        for student in roster:
            for key in {_user_key(student.id), _user_key(student.email)} - {""}:
                students[key] = None if key in students else student

        def find(user: str) -> Member | None:
            if _user_key(user) in staff_keys:
                return STAFF_MEMBER
            student = students.get(_user_key(user))
            return None if student is None else (member or _member)(student)

        return cls(header.lower(), find, secret)


def _user_key(user: str) -> str:
    """Returns a user name as it is compared. Only ASCII letters have one other form that is surely the same."""
    user = user.strip()
    return user.encode(errors="surrogateescape").lower().decode(errors="surrogateescape") if "@" in user else user


def member_of(connection: HTTPConnection) -> Member:
    """Returns the member who sent a request or opened a WebSocket, as identified by the guard."""
    found: Member = connection.scope["member"]
    return found


def plain_address(address: str) -> str:
    """Returns an IP address in its usual form, and one of IPv4 as such: an IPv6 socket shows 127.0.0.1 as
    ::ffff:127.0.0.1.
    """
    try:
        number = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(getattr(number, "ipv4_mapped", None) or number)


def by_address(address: str, visibility: Visibility = PUBLIC) -> Member:
    """Returns a member known only by address. For IPv6 the first 64 bits count, since one home has the rest."""
    address = plain_address(address)
    with suppress(ValueError):
        address = str(ipaddress.ip_network((int(ipaddress.IPv6Address(address)) >> 64 << 64, 64)))
    return Member("", visibility, address, shared=True)


def new_token(groups: int = GROUPS) -> str:
    """Returns a join token that is easy to read out and type: 59 bits, or 99 for a single member's."""
    drawn = ("".join(secrets.choice(_ALPHABET) for _ in range(GROUP)) for _ in range(groups))
    return "-".join(drawn)


def token_hash(token: str) -> str:
    """Returns the hash of a token, for storage."""
    return hashlib.sha256(token.strip().lower().encode("utf-8", "replace")).hexdigest()


def shared_token(token: str) -> Members:
    """Returns the members of a server with one shared token, which do not differ."""
    return {token_hash(token): Member("", PUBLIC, "", shared=True)}.get


def kept_token(path: Path, groups: int = GROUPS) -> str:
    """Returns the token in a file; creates the file, with a new token, if it is missing. Raises ValueError if the file
    has no token.
    """
    if not path.exists():
        write_whole(path, f"{new_token(groups)}\n".encode(), private=True)
    token = read_untrusted(path, TOKEN_FILE).decode("utf-8", "replace").strip().lower()
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or len(token.split()) != 1:
        raise ValueError(
            f"{path} has no token: it must contain one word of {SHORTEST_TOKEN} characters or more; delete the file "
            "to get a new token"
        )
    return token


# A link for each member.


class Links:
    """The tokens of a roster's members and of staff, and the file of their links."""

    def __init__(self, path: Path, roster: Roster) -> None:
        self.path = path
        students = ((one.team, one.name, one.id, one.email) for one in roster)
        self._rows = [("", STAFF_NAME, "", ""), *dict.fromkeys(students)]
        known = _read_links(path)
        as_written = parse_csv(csv_text([COLUMNS, *self._rows]), path)[0][1:]
        tokens = [known.get(tuple(row), "") for row in as_written]
        self.new: int = tokens.count("")
        self._tokens = [token or new_token(MEMBER_GROUPS) for token in tokens]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def members(self) -> Members:
        found = {token_hash(token): _member(Student(*row)) for row, token in zip(self._rows, self._tokens, strict=True)}
        return found.get

    def write(self, base: str) -> None:
        """Writes the file again, with links to this address. Keeps existing tokens."""
        write_links(self.path, self._rows, [f"{base}/join#{token}" for token in self._tokens])


def links_path(path: Path) -> Path:
    """Returns where the links of a roster's members, or of a ladder's teams, are: beside it."""
    return path.with_name(f"{path.stem}-links.csv")


def write_links(path: Path, people: Iterable[Sequence[str]], links: Iterable[str]) -> None:
    """Writes a file of links. people: team, name, id and email of each."""
    rows = [[*COLUMNS, "link"], *([*person, link] for person, link in zip(people, links, strict=True))]
    write_whole(path, csv_text(rows).encode(), private=True)


def replace_link(path: Path, team: str, link: str) -> bool:
    """Writes a team's new link into a file of links; returns whether it has a row of the team. team: '' for staff."""
    if not path.is_file():
        return False
    text = decode_csv(read_untrusted(path, ROSTER), path)
    heads, *rows = parse_csv(text, path)[0] or [[]]
    old = {row[-1] for row in rows if len(row) == len(heads) and row[0] == team and "/join#" in row[-1]}
    if heads != [*COLUMNS, "link"] or not old:
        return False
    for each in old:
        text = text.replace(each, link)
    write_whole(path, text.encode(), private=True)
    return True


def move_links(path: Path, base: str) -> bool:
    """Gives the links in a file another address, with the same tokens; returns whether there are any."""
    if not path.is_file():
        return False
    text = decode_csv(read_untrusted(path, ROSTER), path)
    moved, count = re.subn(r"(?m)https?://[^\s,\"#]*/join#(?=[^\s,]+\r?$)", lambda _: f"{base}/join#", text)
    if count:
        write_whole(path, moved.encode(), private=True)
    return bool(count)


def _member(student: Student) -> Member:
    if not student.team:
        return STAFF_MEMBER
    name = one_line(student.name or student.id or student.email or student.team, NAME_SHOWN)
    return Member(name, team(student.team), f"member {student.team} {student.name} {student.id} {student.email}")


def _read_links(path: Path) -> Mapping[tuple[str, ...], str]:
    """Returns the tokens in a file of links by the other cells of their lines; empty if there is no file."""
    if not path.exists():
        return {}
    descriptor = open_our_file(path, os.O_RDONLY)
    try:
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if os.name == "posix" and (status.st_mode & 0o077 or status.st_uid != os.geteuid()):
        raise ValueError(f"others can read the links in {path}; `chmod 600` it if it is yours, or remove it")
    heads, *rows = read_csv(path, ROSTER) or [[]]
    if [head.strip() for head in heads] != [*COLUMNS, "link"]:
        raise ValueError(f"{path} is not a file of links: its first line must be {','.join(COLUMNS)},link; remove it")
    return {tuple(row[:4]): row[4].partition("#")[2] for row in rows if len(row) == 5 and "#" in row[4]}
