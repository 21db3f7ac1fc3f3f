"""Members: who a request comes from, what they may see, and the secret links by which they join.

A server on this machine knows nobody and needs no token. On a network everybody has the same token, or, with a roster,
each member has one. The server compares hashes and keeps no token. `Guard` decides once for each request who it comes
from; everything behind it asks `member_of`.

The file of links is CSV, readable by its owner only. It is also where tokens are kept: a member whose line is removed
gets a new link at the next start, a member who is removed from the roster loses theirs.

    team,name,id,email,link
    ,staff,,,http://192.0.2.7:8765/join#abcd-...
    team7,Jane Doe,100231,jane@example.org,http://192.0.2.7:8765/join#efgh-...
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noughts.course.roster import COLUMNS, ROSTER, Roster, Student, decode_csv, parse_csv, read_csv
from noughts.files import open_our_file, write_whole
from noughts.printable import csv_text, one_line
from noughts.tournaments.visibility import PUBLIC, STAFF, Visibility, team
from noughts.untrusted import FileKind, read_untrusted

STAFF_NAME = "staff"
GROUP, GROUPS, MEMBER_GROUPS = 4, 3, 5
TOKEN_FILE = FileKind("a file with a token", 1 << 10)
SHORTEST_TOKEN = 8
NAME_SHOWN = 40

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like something else


@dataclass(frozen=True)
class Member:
    """Who a request comes from. name: for people, '' if it is not known. visibility: what they may see. key: what
    quotas count by. shared: whether there may be several people behind that key, since it is an address.
    """

    name: str
    visibility: Visibility
    key: str
    shared: bool = False


NOBODY = Member("", PUBLIC, "")
"""In whose turn work is done that nobody has asked for since the server was started."""

Members = Callable[[str], Member | None]
"""Finds the member whose token has a given hash."""


@dataclass(frozen=True)
class SignOn:
    """Single sign-on: a proxy that knows who signed on says so in a header. find: who has the user name in it."""

    header: str
    find: Callable[[str], Member | None]

    @classmethod
    def by_roster(
        cls,
        header: str,
        roster: Roster,
        staff: Collection[str],
        member: Callable[[Student], Member | None] | None = None,
    ) -> SignOn:
        """Students sign on by the id or the email of a roster, and are in their team. staff: user names of the staff.
        member: who a student is, if not just somebody of the roster.
        """
        known = {user.casefold() for user in staff}

        def find(user: str) -> Member | None:
            if user.casefold() in known:
                return _member(Student(""))
            student = roster.find(id=user, email=user)
            return None if student is None else (member or _member)(student)

        return cls(header.lower(), find)


def member_of(scope: MutableMapping[str, Any]) -> Member:
    """Returns who sent a request or opened a WebSocket, as the guard found."""
    found: Member = scope["member"]
    return found


def by_address(address: str, visibility: Visibility = PUBLIC) -> Member:
    """Returns somebody of whom only the address is known. Of IPv6 the first 64 bits count: a home has all the rest."""
    try:
        number = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return Member("", visibility, address, shared=True)
    if isinstance(number, ipaddress.IPv6Address):
        known = number.ipv4_mapped
        address = str(known or ipaddress.ip_network((int(number) >> 64 << 64, 64)))
    return Member("", visibility, address, shared=True)


def new_token(groups: int = GROUPS) -> str:
    """Returns a join token that can be read out and typed: 59 bits, or 99 for one member's."""
    drawn = ("".join(secrets.choice(_ALPHABET) for _ in range(GROUP)) for _ in range(groups))
    return "-".join(drawn)


def token_hash(token: str) -> str:
    """Returns what is kept of a token."""
    return hashlib.sha256(token.strip().lower().encode("utf-8", "replace")).hexdigest()


def shared_token(token: str) -> Members:
    """Returns the members of a server where everybody has the same token: nobody can be told from another."""
    return {token_hash(token): Member("", PUBLIC, "", shared=True)}.get


def kept_token(path: Path) -> str:
    """Returns the token in a file, which is made, with a new token, if it is not there. ValueError if it has none."""
    if not path.exists():
        write_whole(path, f"{new_token()}\n".encode(), private=True)
    token = read_untrusted(path, TOKEN_FILE).decode("utf-8", "replace").strip().lower()
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or len(token.split()) != 1:
        raise ValueError(
            f"{path} has no token: it should hold one word of {SHORTEST_TOKEN} characters or more; "
            "remove it, and a new one is made"
        )
    return token


# One link for each member.


class Links:
    """The tokens of a roster's members and of the staff, and the file that hands them out."""

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
        """Writes the file anew, with links to the server at this address; tokens that it had stay."""
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


def _member(student: Student) -> Member:
    if not student.team:
        return Member(STAFF_NAME, STAFF, f"member {STAFF_NAME}")
    name = one_line(student.name or student.id or student.email or student.team, NAME_SHOWN)
    return Member(name, team(student.team), f"member {student.team} {student.name} {student.id} {student.email}")


def _read_links(path: Path) -> Mapping[tuple[str, ...], str]:
    """Returns the tokens of a file of links by the other cells of their lines; none if there is no file."""
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
        raise ValueError(f"{path} has no links: its first line should be {','.join(COLUMNS)},link; remove it")
    return {tuple(row[:4]): row[4].partition("#")[2] for row in rows if len(row) == 5 and "#" in row[4]}
