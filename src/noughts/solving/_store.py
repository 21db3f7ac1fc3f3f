"""Stores graphs of games on disk, so that a large one is built once per machine.

A file is a signature, the SHA-256 of the rest, and the arrays as NumPy's own archive. It is in the user's cache
directory, in a folder named by the hash of all sources that take part in building graphs, compiled or not, so a change
of the rules starts a new folder. A damaged or half-written file counts as missing. If the disk is not writable, the
graph is built again the next time. Only the user can write there (see `cache`).
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import fields
from functools import cache
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from noughts.cache import PACKAGE, cache_folder, source_hash, use
from noughts.files import seal, sealed
from noughts.rules.spec import Rules
from noughts.solving.graph import Graph
from noughts.untrusted import FileKind

MARK = b"noughts graph 1\n"
MOST_ON_DISK = 500_000_000
"""Maximum total size of stored graphs in bytes; beyond it the least recently used are removed."""
GRAPH = FileKind("a solved game", MOST_ON_DISK)
ARRAYS = tuple(field.name for field in fields(Graph) if field.name != "rules")


def graph_file(rules: Rules) -> Path:
    """Returns the file of a game's graph."""
    facts = hashlib.sha256(repr(rules).encode()).hexdigest()[:16]
    return cache_folder("solved", _version()) / f"{rules.name}-{facts}.graph"


@cache
def _version() -> str:
    return source_hash([PACKAGE / "rules", PACKAGE / "solving"])


def load_graph(rules: Rules) -> Graph | None:
    """Returns the stored graph of a game; None if it is missing or damaged."""
    path = graph_file(rules)
    try:
        payload = sealed(path, MARK, GRAPH)
        os.utime(path)
        with np.load(BytesIO(payload), allow_pickle=False) as arrays:
            return Graph(rules, **{name: arrays[name] for name in ARRAYS})
    except (OSError, BadZipFile, KeyError, ValueError):
        return None


def keep_graph(rules: Rules, graph: Graph) -> None:
    """Writes the graph of a game, atomically."""
    archive = BytesIO()
    np.savez(archive, **{name: getattr(graph, name) for name in ARRAYS})
    path = graph_file(rules)
    with suppress(OSError):
        use(path.parent)
        seal(path, MARK, archive.getbuffer())
        _remove_oldest(path.parent)


def _remove_oldest(folder: Path) -> None:
    files = [(file.stat(), file) for file in folder.glob("*.graph")]
    files.sort(key=lambda each: each[0].st_mtime_ns, reverse=True)
    total = 0
    for facts, file in files:
        total += facts.st_size
        if total > MOST_ON_DISK:
            file.unlink(missing_ok=True)
