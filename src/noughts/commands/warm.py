"""Compile everything now, for example in a container image or before a lesson.

Otherwise each part of noughts is compiled at its first use. Compiled code is
kept in your cache directory, or in NOUGHTS_CACHE_DIR, for this version of
noughts and Numba and this type of processor. For security, each user of a
machine has a separate cache. Some wheels contain compiled code; if it fits,
nothing is compiled.

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
"""Modules that all others load: compiled before them, or else each process would compile them."""

GROUPS = {"search": "search", "learn": "others", "solving": "others", "rules": "rules", "envs": "rules"}
"""Packages with compiled code. Each is compiled by one process, since its modules share most code. The longest come
first.
"""

OTHER_GROUPS = {
    "noughts.search.kernels.mcts": "others",
    "noughts.rules.kernels.images": "last",
    "noughts.rules.kernels.perft": "last",
}
"""Modules that share little with the rest of their package. Search takes half of the time, so nothing waits behind it;
the shortest group comes last, so that two processes end at about the same time.
"""

MOST_JOBS = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, metavar="N", help="number of processes (default: one for each core)")


def run(args: argparse.Namespace) -> Report:
    require_range("--jobs", args.jobs, 1, MOST_JOBS)
    folder, (shipped, _) = code_dir(), shipped_code()
    if folder is None and shipped is None:
        raise ValueError(
            f"{chosen_root()} is not writable, so compiled code cannot be kept; set NOUGHTS_CACHE_DIR to another folder"
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
    """Returns the modules with compiled code, grouped by process."""
    groups: dict[str, list[str]] = {name: [] for name in (*GROUPS.values(), *OTHER_GROUPS.values())}
    for source in sorted(kernel_sources(PACKAGE)):
        parts = source.relative_to(PACKAGE).with_suffix("").parts
        if parts[-1] != "__init__":
            module = ".".join(("noughts", *parts))
            groups[OTHER_GROUPS.get(module, GROUPS[parts[0]])].append(module)
    return [tuple(modules) for modules in groups.values()]


def _load(modules: tuple[str, ...]) -> None:
    """Compiles the code of these modules, or finds it compiled, by importing them."""
    for module in modules:
        import_module(module)
