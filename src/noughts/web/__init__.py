"""The page in a browser: play, analyse, replay, watch and puzzles, served by one process on this machine.

settings    what the operator chose, and every limit
guard       who may speak to the server: Host, Origin, token, sizes, headers
members     who a request comes from, and the secret links by which members join
quotas      how much each member or address may ask for; pool: threads that serve clients in turn
engines     players that think, in threads of their own and within bounds
tables      games that are played now, and their file
analysis    what moves are worth, exact or as the engine finds them out
archive     games of tournament files and uploaded replays; exports
watching    a tournament or a match while it is played
puzzles     positions with one right move
services    all of these together; api, live: HTTP and WebSockets over them; app: the application
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.web._settings import Settings as Settings
    from noughts.web.server import serve as serve

__all__, __getattr__, __dir__ = lazy_names(__name__, {"server": "serve", "_settings": "Settings"})
