"""Show what works on this machine, and how to fix the rest.

It checks versions, cores, memory, compiled code and its cache, the layers of
the sandbox for bot files, and optional packages. It changes nothing and sends
nothing. Exit code 1 if games cannot be played.

examples:
  noughts doctor
  noughts doctor --json     for a bug report
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import noughts
from noughts.cache import chosen_root, folder_megabytes, why_untrusted
from noughts.commands._options import add_json
from noughts.commands.output import Report, table
from noughts.files import machine_megabytes, usable_cores
from noughts.matches.machine import this_machine
from noughts.sandbox import ForkServer, SandboxError, probe
from noughts.sandbox.layers import REFEREE

OK, LESS, BROKEN = "ok", "less", "broken"
"""The states of a finding: it works; something optional is missing; games cannot be played."""

BASE = ("numpy", "platformdirs", "prompt_toolkit", "rich", "shtab")

EXTRAS = {
    "rl": ("Gymnasium and PettingZoo environments, pictures of training", "gymnasium matplotlib pettingzoo pillow"),
    "web": ("noughts serve: the page in the browser", "fastapi h11 pillow starlette uvicorn websockets"),
    "llm": ("language models as players", "httpx"),
    "textarena": ("our text environments inside TextArena", "textarena"),
    "openspiel": ("our games inside OpenSpiel", "open_spiel"),
    "convert": ("noughts convert: bots written in Python 2", "fissix"),
    "cluster": ("tournaments on several machines", "ray"),
    "inspect": ("evaluations in inspect-ai", "inspect-ai"),
    "openenv": ("an OpenEnv server to train models with", "openenv"),
    "mcp": ("an MCP server: play and analyse from any client", "mcp"),
}
"""For each optional extra: its purpose and its packages. A test compares it with pyproject.toml."""


COMPILED_HERE = (
    "each part is compiled at its first use, once on this machine; run `noughts warm` to compile everything now"
)


@dataclass(frozen=True)
class Check:
    """One finding. state: OK, LESS or BROKEN. found: what was found. advice: what to do, if anything."""

    part: str
    name: str
    state: str
    found: str
    advice: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    findings = [*versions(), *kernels(), *machine(), *cache(), *sandbox(), *extras()]
    code = int(any(finding.state == BROKEN for finding in findings))
    return Report([asdict(finding) for finding in findings], _text(findings), code)


def versions() -> Iterator[Check]:
    where = Path(noughts.__file__).parent
    yield Check("versions", "noughts", OK, f"{noughts.__version__} in {where}")
    yield Check("versions", "python", OK, f"{platform.python_version()} ({sys.executable})")
    for package in BASE:
        yield _required(package)


def _required(package: str) -> Check:
    found = _version(package)
    if found is None:
        return Check("versions", package, BROKEN, "not installed", f"pip install {package}")
    return Check("versions", package, OK, found)


def machine() -> Iterator[Check]:
    here, cores = this_machine(), usable_cores()
    yield Check("machine", "system", OK, f"{platform.system()} {platform.release()} on {platform.machine()}")
    yield Check("machine", "processor", OK, here.processor or "unknown")
    of = os.cpu_count() or 1
    fewer = cores < of
    yield Check(
        "machine",
        "cores",
        OK,
        f"{cores} of {of} available" if fewer else str(cores),
        "a CPU affinity or a container limit excludes the others" if fewer else "",
    )
    memory = machine_megabytes()
    if memory < 1 << 30:
        yield Check("machine", "memory", OK, f"{memory / 1024:.1f} GB")


def kernels() -> Iterator[Check]:
    """Checks in which form the kernels run."""
    try:
        from noughts.rules.kernels import form
    except (ImportError, ValueError) as error:  # neither an extension nor Numba, or an unknown form
        yield Check("versions", "kernels", BROKEN, str(error))
        return
    _, reason = form.extension()
    advice = f"the extension is not used: {reason}; {COMPILED_HERE}" if form.FORM == form.NUMBA else ""
    yield Check("versions", "kernels", OK, form.description(), advice)
    for package in ("numba", "llvmlite") if form.FORM == form.NUMBA else ():
        yield _required(package)


def cache() -> Iterator[Check]:
    """Checks the folder for compiled code without creating it."""
    root = chosen_root()
    why = why_untrusted(root, root)
    if why is not None:
        advice = (
            "remove it, or set NOUGHTS_CACHE_DIR to a folder of your own; until then everything is compiled anew "
            "each time"
        )
        yield Check("cache", "folder", LESS, f"{root} is not used: {why}", advice)
        return
    if not _can_be_written(root):
        advice = "set NOUGHTS_CACHE_DIR to another folder; until then everything is compiled anew each time"
        yield Check("cache", "folder", LESS, f"{root} is not writable", advice)
        return
    yield Check("cache", "folder", OK, f"{root}, {folder_megabytes(root):.1f} MB")


def sandbox() -> Iterator[Check]:
    """Checks each layer of the sandbox by setting up the sandbox."""
    try:
        with ForkServer() as server:
            layers = probe(server)
    except SandboxError as error:
        advice = (
            "built-in players need no sandbox; for bot files see docs/security.md, and in a container docs/install.md"
        )
        yield Check("sandbox", "system calls", LESS, str(error), advice)
        return
    if layers.calls == REFEREE:
        yield Check("sandbox", "system calls", OK, "filtered; forbidden ones are reported by name")
    else:
        advice = "the sandbox works; outside this container, forbidden calls would also be reported by name"
        yield Check("sandbox", "system calls", LESS, "filtered; forbidden ones end the bot without being named", advice)
    if layers.landlock:
        yield Check("sandbox", "Landlock", OK, f"version {layers.landlock}")
    else:
        advice = (
            "bots are confined by the filter alone; Linux 5.13 with Landlock enabled (lsm=landlock,...) adds a "
            "layer; in a container, use a profile that allows it (Docker 23)"
        )
        yield Check("sandbox", "Landlock", LESS, "not in this kernel, or not permitted", advice)
    rights = "root, given up for each bot" if layers.dropped_root else "an ordinary user's"
    yield Check("sandbox", "rights", OK, rights)
    if layers.cgroup:
        yield Check("sandbox", "memory", OK, "limited by address space and by a cgroup")
    else:
        advice = "a writable cgroup of version 2 (any login under systemd) adds a second limit"
        yield Check("sandbox", "memory", OK, "limited by address space", advice)


def extras() -> Iterator[Check]:
    for extra, (purpose, packages) in EXTRAS.items():
        found = {package: _version(package) for package in packages.split()}
        missing = [package for package, its in found.items() if its is None]
        if missing:
            yield Check("extras", extra, LESS, f"not installed: {purpose}", f"pip install {' '.join(missing)}")
        else:
            there = ", ".join(f"{package} {its}" for package, its in found.items())
            yield Check("extras", extra, OK, there)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _can_be_written(folder: Path) -> bool:
    """Returns whether a folder is writable, or could be created."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def _text(findings: list[Check]) -> str:
    sign = {OK: "ok", LESS: "--", BROKEN: "NO"}
    rows, last = [], ""
    for finding in findings:
        part = "" if finding.part == last else finding.part
        last = finding.part
        rows.append([part, sign[finding.state], finding.name, finding.found])
        if finding.advice:
            rows.append(["", "", "", f"-> {finding.advice}"])
    states = {finding.state for finding in findings}
    verdict = "Everything is available."
    if LESS in states:
        verdict = "Everything needed to play is available; -- marks optional parts that are missing."
    if BROKEN in states:
        verdict = "Games cannot be played until the items marked NO are fixed."
    return f"{table(['part', '', 'what', 'found'], rows)}\n\n{verdict}"
