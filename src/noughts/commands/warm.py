"""Compile everything now, so that nobody waits later: in an image, for a lesson.

Without it, each part of noughts is compiled when it is first used. What is
compiled is kept in your cache directory, or where NOUGHTS_CACHE_DIR says, for
this version of noughts, of Numba, and this kind of processor. Other users of
the machine compile for themselves: compiled code is run, so it is nobody
else's. Some wheels hold compiled code; where it fits nothing is compiled.

examples:
  noughts warm
  RUN noughts warm          in a Dockerfile, after the line with USER
"""

from __future__ import annotations

import argparse
import os
import time
from importlib import import_module

from noughts.cache import PACKAGE, chosen_root, folder_megabytes
from noughts.commands.output import progress
from noughts.rules.kernels.jit import code_dir, kernel_sources, shipped_code
from noughts.rules.kernels.waiting import SILENT
from noughts.rules.spec import shown
from noughts.workers import call_in_workers

FIRST = ("noughts.rules.kernels.core",)
"""What all others load: compiled before them, or each process would do it."""

GROUPS = {"search": "search", "learn": "others", "solving": "others", "rules": "rules", "envs": "rules"}
"""Rooms with compiled code, and which are compiled by one process, because they share most of it. The longest first."""

APART = {"noughts.search.kernels.mcts": "others"}
"""Modules that share little with their room: search is half of everything, and nothing else may wait behind it."""

MOST_JOBS = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, metavar="N", help="processes at once (one for each core)")


def run(args: argparse.Namespace) -> int:
    if args.jobs is not None and not 1 <= args.jobs <= MOST_JOBS:
        raise ValueError(f"--jobs must be 1 to {MOST_JOBS}, not {shown(args.jobs)}")
    folder, (shipped, _) = code_dir(), shipped_code()
    if folder is None and shipped is None:
        raise ValueError(
            f"{chosen_root()} cannot be written, and compiled code is to be kept there; "
            "name another folder in NOUGHTS_CACHE_DIR"
        )
    started = time.perf_counter()
    os.environ[SILENT] = "1"  # for the processes too
    groups = module_groups()
    with progress("compiling") as tick:
        _load(FIRST)
        tick(1 / (len(groups) + 1))
        workers = min(args.jobs or os.cpu_count() or 1, len(groups))
        for done, _ in enumerate(call_in_workers(_load, groups, workers), start=2):
            tick(done / (len(groups) + 1))
    seconds = time.perf_counter() - started
    sizes = {place: folder_megabytes(place) for place in (shipped, folder) if place is not None}
    kept = [f"{size:.1f} MB{' of the wheel' * (place == shipped)} in {place}" for place, size in sizes.items() if size]
    print(f"Everything is compiled: {', '.join(kept)} ({seconds:.1f} s).")
    return 0


def module_groups() -> list[tuple[str, ...]]:
    """The modules with compiled code, those of one process together."""
    groups: dict[str, list[str]] = {name: [] for name in GROUPS.values()}
    for source in sorted(kernel_sources(PACKAGE)):
        parts = source.relative_to(PACKAGE).with_suffix("").parts
        if parts[-1] != "__init__":
            module = ".".join(("noughts", *parts))
            groups[APART.get(module, GROUPS[parts[0]])].append(module)
    return [tuple(modules) for modules in groups.values()]


def _load(modules: tuple[str, ...]) -> None:
    """Compile what these modules hold, or find it compiled: that is what importing them does."""
    for module in modules:
        import_module(module)
