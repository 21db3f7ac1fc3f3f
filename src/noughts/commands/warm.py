"""Compile everything now, for example in a container image or before a lesson.

Otherwise each part of noughts is compiled at its first use. Compiled code is
kept in your cache directory, or in NOUGHTS_CACHE_DIR, for this version of
noughts and Numba and this type of processor. For security, each user of a
machine has a separate cache. Released wheels contain compiled code, so
nothing is left to compile.

examples:
  noughts warm
  RUN noughts warm          in a Dockerfile, after the line with USER
"""

from __future__ import annotations

import argparse
import os
import time
from importlib import import_module

from noughts.cache import chosen_root, folder_megabytes
from noughts.commands._options import require_range
from noughts.commands.output import Report
from noughts.progress import progress
from noughts.rules.kernels import form
from noughts.rules.kernels.entries import ENTRY_POINTS
from noughts.rules.kernels.jit import SILENT, code_dir
from noughts.workers import call_in_workers

LONGEST = "noughts.search.kernels.alphabeta"
"""The module that takes longest: it comes first, so that two processes end at about the same time."""

MOST_JOBS = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, metavar="N", help="number of processes (default: one for each core)")


def run(args: argparse.Namespace) -> Report:
    require_range("--jobs", args.jobs, 1, MOST_JOBS)
    if form.FORM != form.NUMBA:
        return Report({"form": form.FORM}, f"Nothing needs compiling: the kernels run as {form.description()}.")
    folder = code_dir()
    if folder is None:
        raise ValueError(
            f"{chosen_root()} is not writable, so compiled code cannot be kept; set NOUGHTS_CACHE_DIR to another folder"
        )
    started = time.perf_counter()
    os.environ[SILENT] = "1"  # for the processes too
    modules = sorted(ENTRY_POINTS, key=lambda module: (module != LONGEST, module))
    with progress("compiling") as tick:
        workers = min(args.jobs or os.cpu_count() or 1, len(modules))
        for done, _ in enumerate(call_in_workers(_load, modules, workers), start=1):
            tick(done / len(modules))
    spent, seconds = os.times(), time.perf_counter() - started
    processor = sum(spent[:4])
    text = f"Everything is compiled: {folder_megabytes(folder):.1f} MB in {folder} "
    facts = {"form": form.FORM, "processor_seconds": processor, "seconds": seconds}
    return Report(facts, f"{text}({processor:.1f} s of processor time in {seconds:.1f} s).")


def _load(module: str) -> None:
    """Compiles the entry points of a module, or finds them compiled, by importing it."""
    import_module(module)
