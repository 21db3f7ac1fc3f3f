"""What the options of `noughts tournament run` say: the game, the settings, the seed, where games are played."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from noughts.files import usable_cores
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.matches.cluster import play_on_ray, require_ray
from noughts.matches.pool import Watch, play_in_processes
from noughts.matches.runner import Executor
from noughts.matches.seeds import SEED_BITS, checked_seed
from noughts.players.bot import default_limits
from noughts.rules.spec import shown
from noughts.tournaments.ladder import LADDER
from noughts.tournaments.settings import MOST_GAMES, MOST_ROUNDS, Settings

LONGEST_SECONDS = 3600.0
SMALLEST_MEMORY = 16


def game_of(args: argparse.Namespace) -> Game:
    if args.game is None:
        raise ValueError("say with --game which game a new tournament is of; `noughts games` lists them")
    return game_from_command_line(args.game)


def settings_of(args: argparse.Namespace, game: Game) -> Settings:
    return Settings(**{"seconds": default_limits(game).move_seconds, **settings_given(args)})


def settings_given(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that were given, by the names of their fields."""
    if args.format == LADDER:
        raise ValueError("a ladder is made by `noughts ladder create`, and played by `noughts serve`")
    for option, text in (("time", "--time"), ("load_time", "--load-time"), ("rehearsal", "--rehearsal")):
        value = getattr(args, option)
        if value is not None and not 0 < value <= LONGEST_SECONDS:
            raise ValueError(f"{text} is in seconds, above 0 and up to {LONGEST_SECONDS:g}, not {value:g}")
    if args.memory is not None and not SMALLEST_MEMORY <= args.memory <= 1 << 20:
        raise ValueError(f"--memory is in megabytes, {SMALLEST_MEMORY} or more, not {args.memory}")
    if args.rounds is not None and not 1 <= args.rounds <= MOST_ROUNDS:
        raise ValueError(f"--rounds is 1 or more, and at most {MOST_ROUNDS:,}, not {shown(args.rounds)}")
    if args.budget is not None and not 1 <= args.budget <= MOST_GAMES:
        raise ValueError(f"--budget is 1 or more, and at most {MOST_GAMES:,}, not {shown(args.budget)}")
    given = {
        "seconds": args.time,
        "load_seconds": args.load_time,
        "memory": None if args.memory is None else args.memory << 20,
        "rehearsal": args.rehearsal,
        "sure": None if args.until_sure is None else _share(args.until_sure),
    }
    names = "format rounds group_pools group_top semi_pools semi_top strict admit name_rule places budget".split()
    given |= {name: getattr(args, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def _share(text: str) -> float:
    try:
        return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ValueError(f"--until-sure is a share, as in 90%, not {text!r}") from None


def seed_of(args: argparse.Namespace) -> int | None:
    if args.seed is None:
        return None

    try:
        return checked_seed(int(args.seed, 0))
    except ValueError:
        raise ValueError(
            f"--seed is a whole number of up to {SEED_BITS} bits, as in 7 or 0x1f, not {args.seed!r}"
        ) from None


def place_of(args: argparse.Namespace) -> Callable[[Watch | None], Executor]:
    """Where games are played: given who watches the moves, an executor."""
    if args.executor == "ray":
        require_ray()
        if args.watch or args.jobs is not None:
            raise ValueError("--watch and --jobs are for games on this machine; leave them out with --executor ray")
        return lambda _watch: partial(play_on_ray, address=args.address)
    if args.executor != "local":
        raise ValueError(f"--executor is local or ray, not {args.executor!r}")
    if args.address is not None:
        raise ValueError("--address is of a Ray cluster; add --executor ray")
    return on_this_machine(args.jobs)


def on_this_machine(jobs: int | None) -> Callable[[Watch | None], Executor]:
    cores = usable_cores()
    if jobs is not None and not 1 <= jobs <= cores:
        raise ValueError(f"{jobs} games at a time on {cores} cores would not be fair; use 1 to {cores}")
    return lambda watch: partial(play_in_processes, jobs=jobs or cores, watch=watch)
