"""What tests of matches share."""

from noughts.matches.runner import match_games
from noughts.matches.store import open_store


def played(match, server=None, store=None):
    """The games of a match, in order."""
    store = open_store() if store is None else store
    for _ in match_games(match, store, server):
        pass
    return store.records()
