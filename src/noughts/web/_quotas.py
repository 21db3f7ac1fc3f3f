"""Quotas: all limits on a client's requests and on the server's concurrent work.

A client is a `Member` if members have their own tokens, else an address. A whole class may be behind one address, so an
address gets `ADDRESS_SHARE` times a member's quota. There are two kinds of quotas:

    Rate     maximum requests per second, and a burst
    Share    maximum of things held at once (connections, uploads, bots, waiting work), by one client and in total;
             when all are taken, a client with few takes one from the client with most. No client may hold all of them

A client over its quota gets `Busy`, a message that says what to do.
"""

from __future__ import annotations

import time
from collections import Counter

from noughts.web._members import Member

ADDRESS_SHARE = 10
MOST_OF_ALL = 3 / 4
"""Maximum part of a share that an address may hold."""
MOST_SOCKETS = 1000
REMEMBERED = 10_000
"""Maximum clients whose rates are remembered; those not seen for longest are forgotten first."""


class Busy(Exception):  # noqa: N818 - it is the server that cannot
    """The client is over its quota, or the server has no room; the message says which."""


def _times(member: Member) -> int:
    return ADDRESS_SHARE if member.shared else 1


class Rate:
    """At most `per_second` events on average and `burst` at once, for each member; more for an address."""

    def __init__(self, per_second: float, burst: float, refusal: str = "too many requests; wait a few seconds") -> None:
        self._per_second, self._burst, self._refusal = per_second, burst, refusal
        self._left: dict[str, tuple[float, float]] = {}

    def allows(self, member: Member) -> bool:
        """Counts an event. Returns False, without counting, after too many."""
        now, times = time.monotonic(), _times(member)
        left, then = self._left.pop(member.key, (self._burst * times, now))
        left = min(self._burst * times, left + (now - then) * self._per_second * times)
        if len(self._left) >= REMEMBERED:
            del self._left[next(iter(self._left))]
        self._left[member.key] = (left - 1 if left >= 1 else left, now)
        return left >= 1

    def take(self, member: Member) -> None:
        """Counts an event. Raises Busy after too many."""
        if not self.allows(member):
            raise Busy(self._refusal)


class Share:
    """Things that clients hold: at most `each` for a member, more for an address but never all, and `total` for all."""

    def __init__(self, what: str, each: int, total: int) -> None:
        self._what, self.each, self.total = what, each, total
        self.held: Counter[str] = Counter()
        """The number that each client holds, by its key."""

    def most(self, member: Member) -> int:
        """Returns the maximum that a client may hold."""
        return min(self.each * ADDRESS_SHARE, int(self.total * MOST_OF_ALL)) if member.shared else self.each

    def take(self, member: Member) -> str | None:
        """Counts one more. If there is no room, returns the key of the client that must give one back.

        Raises Busy if this client has its maximum, or if there is no room and no other client has more.
        """
        giver = self.giver(member)
        self.held[member.key] += 1
        return giver

    def giver(self, member: Member) -> str | None:
        """Returns the key of the client that must give one back before this client can take one, if any.

        Raises Busy as `take` does.
        """
        mine = self.held[member.key]
        if mine >= self.most(member):
            raise Busy(f"you have {mine} {self._what}, which is the limit; try again later")
        if self.held.total() < self.total:
            return None
        giver, most = self.held.most_common(1)[0]
        if most <= mine + 1:
            raise Busy(f"the server has {self.total} {self._what}, which is its limit; try again later")
        return giver

    def give(self, key: str) -> None:
        """Counts one less."""
        self.held[key] -= 1
        if self.held[key] <= 0:
            del self.held[key]


class Quotas:
    """The quotas of a server, chosen so that a class of 200 does not reach them."""

    def __init__(self) -> None:
        self.requests = Rate(40, 400)
        self.messages = Rate(40, 200, "too many messages; wait a few seconds")
        self.new_games = Rate(0.5, 100, "too many new games; wait a minute")
        self.uploads = Rate(0.5, 20, "too many files; wait a minute")
        self.exports = Rate(1, 20, "too many files; wait a few seconds")
        self.archives = Rate(0.05, 3, "too many archives; wait a minute")
        self.sockets = Share("open pages", 40, MOST_SOCKETS)
        self.bots = Share("bots", 4, 200)
        self.upload_bytes = Share("bytes of replays", 4 << 20, 64 << 20)
        # Work that waits for a thread, by kind.
        self.moves = Share("computer moves in the queue", 40, 400)
        self.bot_moves = Share("bots' moves in the queue", 4, 40)
        self.analyses = Share("analyses", 4, 100)
        self.positions = Share("positions in the queue", 16, 200)
        self.files = Share("requests for tournaments in the queue", 8, 200)
        self.parsing = Share("uploads", 2, 20)
        self.gifs = Share("GIFs in the queue", 2, 20)
