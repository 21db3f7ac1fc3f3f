"""What tests of matches share."""

from noughts.matches.runner import play_match
from noughts.matches.store import MemoryStore


def played(match, server=None, store=None):
    """The games of a match, in order."""
    store = MemoryStore() if store is None else store
    for _ in play_match(match, store, server):
        pass
    return store.records()
