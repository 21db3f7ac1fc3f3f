"""The folder for what can be made again: compiled code and solved games, each in one named by the sources that make it.

It is the user's cache directory; ``NOUGHTS_CACHE_DIR`` names another. What lies there is run, so it must be nobody
else's: a folder that another user owns or may write to is not used, and a private temporary one takes its place until
the program ends.

    ROOT/code/0123456789abcdef      compiled code, by the hash of its sources
    ROOT/solved/0123456789abcdef    graphs of games, likewise
    ROOT/code/CACHEDIR.TAG          says that this folder is ours: only below such a one is anything ever removed
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import platformdirs

STALE_SECONDS = 30 * 24 * 3600
"""What no program has used for so long is removed."""

PACKAGE = Path(__file__).parent

TAG = "CACHEDIR.TAG"
TAG_TEXT = b"""\
Signature: 8a477f597d28d172789f06886806bc55
# This folder was made by noughts, which removes what is old in it.
"""
"""The first line is the one by which backup programs know such folders (bford.info/cachedir)."""

_VERSION_FORM = re.compile(r"[0-9a-f]{16}")
_PRIVATE = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def chosen_root() -> Path:
    """Returns the folder that the user chose for everything that can be made again, fit for it or not."""
    chosen = os.environ.get("NOUGHTS_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("noughts", appauthor=False))


def cache_folder(kind: str, version: str) -> Path:
    """Returns the folder for things of a kind ("code", "solved") that sources of this hash make; it need not exist.

    If others could have put something into the root, a private temporary one takes its place, with a message.
    """
    root = chosen_root()
    why = why_untrusted(root / kind / version, root)
    return (root if why is None else _temporary_root(root, why)) / kind / version


def why_untrusted(folder: Path, root: Path) -> str | None:
    """Returns why a folder below `root` may hold files of other users; None if it is ours alone.

    A folder that does not exist yet is ours. Systems without users are not asked.
    """
    if not hasattr(os, "geteuid"):
        return None
    above, top = Path(os.path.realpath(root)), Path(os.path.realpath(folder))
    if not top.is_relative_to(above):
        return f"{folder} leads out of it"
    inside = [path for path in (top, *top.parents) if path.is_relative_to(above)]
    for path in (*above.parents, *inside, *_below(top)):
        try:
            found = path.lstat()
        except OSError:
            continue  # not there, or not to be seen by us: then nothing is read from it
        if found.st_uid not in (os.geteuid(), 0):
            return f"{path} belongs to another user"
        # Above the root a group may write, since on many systems each user is a group; so may everybody where nobody
        # can move what is another's, as in /tmp.
        barred = _OTHERS_WRITE if path in inside else 0 if found.st_mode & stat.S_ISVTX else stat.S_IWOTH
        if stat.S_ISDIR(found.st_mode) and found.st_mode & barred:
            return f"{path} can be written by other users"
    return None


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent, name) for name in (*folders, *files))


@cache
def _temporary_root(root: Path, why: str) -> Path:
    """Makes a private folder that lasts as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="noughts-"))
    atexit.register(_remove, folder, os.getpid())
    os.environ["NOUGHTS_CACHE_DIR"] = str(folder)
    if sys.stderr is not None:
        print(
            f"noughts: {root} is not used for compiled code and solved games, since {why} and anything could have been "
            "put there; a temporary folder takes its place. Remove that folder, or name one of your own in "
            "NOUGHTS_CACHE_DIR",
            file=sys.stderr,
            flush=True,
        )
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        shutil.rmtree(folder, ignore_errors=True)


def folder_megabytes(folder: Path) -> float:
    """The size of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def source_hash(sources: Iterable[Path], package: Path = PACKAGE) -> str:
    """Hash of the names and the contents of sources in `package`; all of those below it, for a folder."""
    files = {file for path in sources for file in ([path] if path.suffix == ".py" else path.rglob("*.py"))}
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def use(folder: Path) -> None:
    """Make a folder of `cache_folder`, note that it is in use, and sweep those beside it that are stale.

    OSError if it cannot be made. Nothing is removed but what has a name that we give, in a folder that we made.
    """
    kind = folder.parent
    kind.parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    try:
        kind.mkdir(mode=_PRIVATE)
    except FileExistsError:
        pass
    else:
        (kind / TAG).write_bytes(TAG_TEXT)
    folder.mkdir(mode=_PRIVATE, exist_ok=True)
    os.chmod(folder, _PRIVATE)
    os.utime(folder)
    if not _is_tagged(kind):
        return
    for other in kind.iterdir():
        if _VERSION_FORM.fullmatch(other.name) and not other.is_symlink() and _is_stale(other):
            shutil.rmtree(other, ignore_errors=True)


def _is_tagged(folder: Path) -> bool:
    try:
        with open(folder / TAG, "rb") as file:
            return file.read(len(TAG_TEXT) + 1) == TAG_TEXT
    except OSError:
        return False


def _is_stale(folder: Path) -> bool:
    try:
        return folder.stat().st_mtime < time.time() - STALE_SECONDS
    except OSError:  # another process was quicker
        return False
