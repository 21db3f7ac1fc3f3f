"""Options shared by the commands that run bots or read a tournament file."""

from __future__ import annotations

import argparse
import sys
import textwrap
from functools import partial
from typing import Any

from noughts import sandbox
from noughts.commands._options import UNSAFE_HELP
from noughts.commands.output import width
from noughts.files import usable_cores
from noughts.game import Game
from noughts.matches.cluster import play_on_ray, require_ray
from noughts.matches.pool import play_in_processes
from noughts.matches.runner import Executor
from noughts.players.bot import default_limits
from noughts.rules.spec import short_repr
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC, STAFF, Visibility, team

LONGEST_SECONDS = 3600.0
MEMORY = (16, 1 << 20)
"""Range of a bot's memory limit, in megabytes."""

# Limits of bots.


def add_limits(parser: argparse.ArgumentParser, *, ladder: bool = False) -> None:
    """Adds the limits of bots. ladder: only those that a ladder has, with its defaults."""
    add = parser.add_argument_group("limits of bots").add_argument
    add(
        "--time", type=float, metavar="SECONDS", help="time limit for a move (default: the game's usual limit, else 10)"
    )
    usual = 2 if ladder else 10
    add("--load-time", type=float, metavar="SECONDS", help=f"time limit for loading a bot (default: {usual})")
    add("--memory", type=int, metavar="MB", help="memory limit of a bot (default: 512)")
    add("--strict", action="store_true", help="refuse NumPy integers, as the course does")
    if not ladder:
        add("--unsafe", action="store_true", help=UNSAFE_HELP)


def require_limits(args: argparse.Namespace) -> None:
    """Raises ValueError if a limit is out of range."""
    for name in ("time", "load_time", "rehearsal"):
        value = getattr(args, name, None)
        if value is not None and not 0 < value <= LONGEST_SECONDS:
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} must be above 0 and up to {LONGEST_SECONDS:g} seconds, not {value:g}")
    memory = getattr(args, "memory", None)
    if memory is not None and not MEMORY[0] <= memory <= MEMORY[1]:
        raise ValueError(f"--memory must be {MEMORY[0]} to {MEMORY[1]:,} MB, not {short_repr(memory)}")


def limits_from(args: argparse.Namespace, game: Game) -> sandbox.BotLimits:
    """Returns the limits of a bot: the given ones, else the game's usual ones. Raises ValueError if one is out of
    range."""
    require_limits(args)
    return sandbox.BotLimits(
        args.time or default_limits(game).move_seconds,
        args.load_time or sandbox.LOAD_SECONDS,
        sandbox.MEMORY if args.memory is None else args.memory << 20,
    )


def bot_settings(args: argparse.Namespace, game: Game | None = None) -> dict[str, Any]:
    """Returns the given limits and rules of bots, by the fields of `Settings`. game: of new settings, for its usual
    time. Raises ValueError if a limit is out of range."""
    require_limits(args)
    given = {
        "seconds": args.time or (None if game is None else default_limits(game).move_seconds),
        "load_seconds": getattr(args, "load_time", None),
        "memory": None if args.memory is None else args.memory << 20,
        "strict": args.strict,
        "name_rule": args.name_rule,
        "rehearsal": getattr(args, "rehearsal", None),
    }
    return {name: value for name, value in given.items() if value is not None}


def add_name_rule(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--name-rule", metavar="RULE", default="", help='required names, such as "team{number}.py:Team{number}"'
    )


def add_assign(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--assign",
        metavar="PERSON=STUDENT",
        action="append",
        default=[],
        help="person of the export, and who it is on the roster: an id, email, name or team; repeatable",
    )


def add_late(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--late",
        metavar="FACTOR",
        default="accept",
        help="marks of late submissions: accept, zero, or a factor for each day begun, as 0.9 (default: accept)",
    )


def say_layers(server: sandbox.ForkServer, unsafe: bool) -> sandbox.ForkServer:
    """Prints the sandbox's layers on standard error if one is missing."""
    layers = sandbox.probe(server, unsafe=unsafe)
    if not layers.is_complete:
        text = f"sandbox: {sandbox.layers_in_words(layers)}; `noughts doctor` shows details"
        print(textwrap.fill(text, width()), file=sys.stderr)
    return server


# Where games are played.


def add_executor(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("where games are played").add_argument
    add("--executor", default="local", help="local or ray (default: local)")
    add("--address", help="address of the Ray cluster")


def ray_executor(args: argparse.Namespace) -> Executor | None:
    """Returns the executor for a Ray cluster, or None to play on this machine. Raises ValueError for other names."""
    if args.executor == "ray":
        require_ray()
        return partial(play_on_ray, address=args.address)
    if args.executor != "local":
        raise ValueError(f"--executor must be local or ray, not {args.executor!r}")
    if args.address is not None:
        raise ValueError("--address needs --executor ray")
    return None


def local_executor(jobs: int | None) -> Executor:
    """Returns the executor for this machine. jobs: games at a time; None for one per core."""
    cores = usable_cores()
    if jobs is not None and not 1 <= jobs <= cores:
        raise ValueError(f"--jobs must be 1 to {cores}, the number of cores, not {jobs}")
    return partial(play_in_processes, jobs=jobs or cores)


# Tournament files and their audiences.


def add_tournament(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="tournament file")
    parser.add_argument("--name", help="tournament in a file with several (default: the latest)")


def add_audience(parser: argparse.ArgumentParser, default: str) -> argparse._MutuallyExclusiveGroup:
    """Adds `--public`, `--for TEAM` and `--staff`; returns their group. default: "public" or "staff"."""

    def default_note(audience: str) -> str:
        return " (default)" if audience == default else ""

    group = parser.add_mutually_exclusive_group()
    group.add_argument("--public", action="store_true", help=f"what everyone may see{default_note('public')}")
    group.add_argument("--for", dest="team", metavar="TEAM", help="what this team may see")
    group.add_argument("--staff", action="store_true", help=f"everything{default_note('staff')}")
    parser.set_defaults(audience=default)
    return group


def visibility_from(args: argparse.Namespace, view: TournamentView) -> Visibility:
    """Returns the visibility chosen with the options of `add_audience`. Raises StoreError if there is no such team."""
    if args.team is not None:
        return team(view.entry(args.team).name).within(view)
    public = args.public or (args.audience == "public" and not args.staff)
    return PUBLIC.within(view) if public else STAFF
