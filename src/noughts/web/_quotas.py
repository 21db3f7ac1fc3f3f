"""Quotas: how much one client may ask for, and how much the server does at once. Every limit of that kind is here.

A client is a `Member` where members have tokens of their own, else an address. An address may be a router with a whole
class behind it, so it gets `ADDRESS_SHARE` times what a member gets. There are two kinds of quotas:

    Rate     so many requests a second, and a burst
    Share    so many things held at once (connections, uploads, bots, work that waits), by one client and in all.
             When all are taken, a client with fewer gets one from the client with most: no number of clients keeps
             another one out

A client that asks for more gets `Busy`, a sentence that says what to do.
"""

from __future__ import annotations

import time
from collections import Counter

from noughts.web._members import Member

ADDRESS_SHARE = 10
MOST_SOCKETS = 1000
REMEMBERED = 10_000
"""Clients whose rates are remembered; beyond that, those that have not been seen for longest are forgotten."""


class Busy(Exception):  # noqa: N818 - it is the server that cannot
    """The client asks for more than it may, or the server has no room; the message says so."""


def _times(member: Member) -> int:
    return ADDRESS_SHARE if member.shared else 1


class Rate:
    """At most `per_second` events on average and `burst` at once, for each member; more for an address."""

    def __init__(self, per_second: float, burst: float, refusal: str = "too many requests; wait a few seconds") -> None:
        self._per_second, self._burst, self._refusal = per_second, burst, refusal
        self._left: dict[str, tuple[float, float]] = {}

    def allows(self, member: Member) -> bool:
        """Counts one event; returns False, and counts nothing, if there have been too many."""
        now, times = time.monotonic(), _times(member)
        left, then = self._left.pop(member.key, (self._burst * times, now))
        left = min(self._burst * times, left + (now - then) * self._per_second * times)
        if len(self._left) >= REMEMBERED:
            del self._left[next(iter(self._left))]
        self._left[member.key] = (left - 1 if left >= 1 else left, now)
        return left >= 1

    def take(self, member: Member) -> None:
        """Counts one event; Busy if there have been too many."""
        if not self.allows(member):
            raise Busy(self._refusal)


class Share:
    """Things that clients hold: at most `each` for one member, more for an address, and `total` in all."""

    def __init__(self, what: str, each: int, total: int) -> None:
        self._what, self.each, self.total = what, each, total
        self.held: Counter[str] = Counter()
        """How many each client holds, by its key."""

    def most(self, member: Member) -> int:
        """Returns how many a client may hold."""
        return self.each * _times(member)

    def take(self, member: Member) -> str | None:
        """Counts one more. Returns the key of the client that has to give one back for it, if there is no room.

        Busy if this client has all that it may have, or no fewer than anybody else when there is no room.
        """
        mine = self.held[member.key]
        if mine >= self.most(member):
            raise Busy(f"you have {mine} {self._what}, as many as you may; try again when there are fewer")
        giver = None
        if self.held.total() >= self.total:
            giver, most = self.held.most_common(1)[0]
            if most <= mine + 1:
                raise Busy(f"the server has {self.total} {self._what}, all that it can take; try again later")
        self.held[member.key] += 1
        return giver

    def give(self, key: str) -> None:
        """Counts one less."""
        self.held[key] -= 1
        if self.held[key] <= 0:
            del self.held[key]


class Quotas:
    """The quotas of a server. What each member gets is chosen so that nobody in a class of 200 meets them."""

    def __init__(self) -> None:
        self.requests = Rate(40, 400)
        self.messages = Rate(40, 200, "too many messages; wait a few seconds")
        self.new_games = Rate(0.5, 100, "too many new games; wait a minute")
        self.uploads = Rate(0.5, 20, "too many files; wait a minute")
        self.exports = Rate(1, 20, "too many files; wait a few seconds")
        self.sockets = Share("open pages", 40, MOST_SOCKETS)
        self.bots = Share("bots", 4, 200)
        self.upload_bytes = Share("bytes of replays", 4 << 20, 64 << 20)
        # Work that waits for a thread, by its kind.
        self.moves = Share("moves of the computer to wait for", 40, 400)
        self.bot_moves = Share("moves of bots to wait for", 4, 40)
        self.analyses = Share("analyses", 4, 100)
        self.positions = Share("positions to look at", 16, 200)
        self.files = Share("questions about tournaments", 8, 200)
        self.parsing = Share("uploads", 2, 20)
        self.gifs = Share("GIFs to wait for", 2, 20)
