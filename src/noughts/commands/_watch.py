"""A match in the browser while it is played: the page beside it, in a thread of this process."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import partial
from threading import Thread

from noughts import web
from noughts.commands.serve import addresses
from noughts.matches.pool import Moved, play_in_processes
from noughts.matches.record import GameRecord
from noughts.matches.runner import Run, match_conditions, require_able
from noughts.matches.schedule import Match
from noughts.matches.store import Store


def watched(match: Match) -> web.MatchSource:
    """Start the page, say where it is, and give what is to be told of moves and games."""
    try:
        source, serve = web.MatchSource(match.game, match.player_names, match.games), web.serve
    except ImportError as error:
        raise ValueError(str(error)) from None
    settings = web.Settings(port=0, spare=True)

    def ready(port: int) -> None:
        print(addresses(settings, port, "/watch"), file=sys.stderr, flush=True)

    Thread(target=serve, args=(settings, ready, source), daemon=True).start()
    return source


def play_watched(match: Match, store: Store, source: web.MatchSource) -> Iterator[GameRecord]:
    """The games of a match, each move of which is told."""

    def moved(told: Moved) -> None:
        source.moved(told.number, told.players, told.moves)

    conditions = match_conditions(match)
    require_able(conditions)
    for record in Run(match, store, conditions).play(executor=partial(play_in_processes, jobs=match.jobs, watch=moved)):
        source.ended(record)
        yield record


def stay() -> None:
    """The match is over, and the page is there until whoever looks at it has seen enough."""
    print("\nThe page stays until Ctrl-C.", file=sys.stderr, flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return
