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

from noughts._lazy import lazy_names

lazy_names(__name__)
