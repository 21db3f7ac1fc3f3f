"""The folder for what can be made again: compiled code and solved games, each in one named by the sources that make it.

It is the user's cache directory; ``NOUGHTS_CACHE_DIR`` names another.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

import platformdirs

STALE_SECONDS = 30 * 24 * 3600
"""What no program has used for so long is removed."""

PACKAGE = Path(__file__).parent


def cache_root() -> Path:
    """The folder for everything that can be made again."""
    chosen = os.environ.get("NOUGHTS_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("noughts", appauthor=False))


def source_hash(sources: Iterable[Path], package: Path = PACKAGE) -> str:
    """Hash of the names and the contents of sources in `package`; all of those below it, for a folder."""
    files = {file for path in sources for file in ([path] if path.suffix == ".py" else path.rglob("*.py"))}
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def use(folder: Path) -> None:
    """Make a folder of the cache, note that it is in use, and sweep those beside it that are stale. OSError if not."""
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in folder.parent.iterdir():
        if other.stat().st_mtime < time.time() - STALE_SECONDS:
            shutil.rmtree(other, ignore_errors=True)
