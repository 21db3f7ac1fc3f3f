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
from noughts.commands._options import require_range
from noughts.commands.output import Report
from noughts.progress import progress
from noughts.rules.kernels.jit import code_dir, kernel_sources, shipped_code
from noughts.rules.kernels.waiting import SILENT
from noughts.workers import call_in_workers

FIRST = ("noughts.rules.kernels.core",)
"""What all others load: compiled before them, or each process would do it."""

GROUPS = {"search": "search", "learn": "others", "solving": "others", "rules": "rules", "envs": "rules"}
"""Rooms with compiled code, and which are compiled by one process, because they share most of it. The longest first."""

OTHER_GROUPS = {
    "noughts.search.kernels.mcts": "others",
    "noughts.rules.kernels.images": "last",
    "noughts.rules.kernels.perft": "last",
}
"""Modules that share little with their room. Search takes half of the time, so nothing else waits behind it, and the
shortest group comes last, so that two processes end at about the same time."""

MOST_JOBS = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, metavar="N", help="processes at once (one for each core)")


def run(args: argparse.Namespace) -> Report:
    require_range("--jobs", args.jobs, 1, MOST_JOBS)
    folder, (shipped, _) = code_dir(), shipped_code()
    if folder is None and shipped is None:
        raise ValueError(
            f"{chosen_root()} is not writable, so compiled code cannot be kept; "
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
    spent, seconds = os.times(), time.perf_counter() - started
    processor = sum(spent[:4])
    sizes = {place: folder_megabytes(place) for place in (shipped, folder) if place is not None}
    kept = [f"{size:.1f} MB{' of the wheel' * (place == shipped)} in {place}" for place, size in sizes.items() if size]
    times = f"{processor:.1f} s of processor time in {seconds:.1f} s"
    facts = {"processor_seconds": processor, "seconds": seconds}
    return Report(facts, f"Everything is compiled: {', '.join(kept)} ({times}).")


def module_groups() -> list[tuple[str, ...]]:
    """The modules with compiled code, those of one process together."""
    groups: dict[str, list[str]] = {name: [] for name in (*GROUPS.values(), *OTHER_GROUPS.values())}
    for source in sorted(kernel_sources(PACKAGE)):
        parts = source.relative_to(PACKAGE).with_suffix("").parts
        if parts[-1] != "__init__":
            module = ".".join(("noughts", *parts))
            groups[OTHER_GROUPS.get(module, GROUPS[parts[0]])].append(module)
    return [tuple(modules) for modules in groups.values()]


def _load(modules: tuple[str, ...]) -> None:
    """Compile what these modules hold, or find it compiled: that is what importing them does."""
    for module in modules:
        import_module(module)
