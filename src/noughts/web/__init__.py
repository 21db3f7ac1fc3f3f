"""The page in a browser: play, analyse, replay, watch and puzzles, served by one process on this machine.

settings    the operator's settings, and every limit
guard       checks every request: Host, Origin, token, sizes, headers
members     identifies clients, and writes the secret links of members
quotas      limits of requests by member or address; fair_pool: threads that serve clients in turn
engines     computer opponents, in their own threads and within limits
tables      games in progress, and their file
analysis    values of moves, exact or by the engine
archive     games of tournament files and uploaded replays; exports
watching    tournaments and matches in progress
puzzles     positions with one best move
services    all of these together; api, live: HTTP and WebSockets over them; app: the application
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.web._engines import listed_opponents as listed_opponents
    from noughts.web._ladder import OPEN_PATHS as OPEN_PATHS
    from noughts.web._ladder import LadderService as LadderService
    from noughts.web._members import MEMBER_GROUPS as MEMBER_GROUPS
    from noughts.web._members import STAFF_NAME as STAFF_NAME
    from noughts.web._members import Links as Links
    from noughts.web._members import Member as Member
    from noughts.web._members import SignOn as SignOn
    from noughts.web._members import kept_token as kept_token
    from noughts.web._members import links_path as links_path
    from noughts.web._members import new_token as new_token
    from noughts.web._members import replace_link as replace_link
    from noughts.web._members import token_hash as token_hash
    from noughts.web._members import write_links as write_links
    from noughts.web._settings import PORT as PORT
    from noughts.web._settings import Settings as Settings
    from noughts.web._settings import games_file as games_file
    from noughts.web._watching import MatchSource as MatchSource
    from noughts.web.server import serve as serve

lazy_names(
    __name__,
    {
        "_engines": "listed_opponents",
        "_ladder": "OPEN_PATHS",
        "_members": "MEMBER_GROUPS STAFF_NAME Links Member SignOn kept_token links_path new_token replace_link "
        "token_hash write_links",
        "_settings": "PORT Settings games_file",
        "_watching": "MatchSource",
        "server": "LadderService serve",  # by way of server, which says which packages are missing
    },
)
