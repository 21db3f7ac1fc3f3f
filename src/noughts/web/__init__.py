"""The page in a browser: play, analyse, replay, watch and puzzles, served by one process on this machine.

settings    what the operator chose, and every limit
guard       who may speak to the server: Host, Origin, join token, sizes, rates, headers
engines     players that think, in threads of their own and within bounds
tables      games that are played now, and their file
analysis    what moves are worth, exact or as the engine finds them out
archive     games of tournament files and uploaded replays; exports
watching    a tournament or a match while it is played
puzzles     positions with one right move
api, live   HTTP and WebSockets over all of these; app puts them together
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.web._engines import listed_opponents as listed_opponents
    from noughts.web._settings import PORT as PORT
    from noughts.web._settings import Settings as Settings
    from noughts.web._settings import games_file as games_file
    from noughts.web._settings import new_token as new_token
    from noughts.web._watching import MatchSource as MatchSource
    from noughts.web.server import serve as serve

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "_engines": "listed_opponents",
        "_settings": "PORT Settings games_file new_token",
        "_watching": "MatchSource",
        "server": "serve",
    },
)
