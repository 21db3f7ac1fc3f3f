"""The cache folder for compiled code and solved games, in subfolders named by the hash of their sources.

The folder is the user's cache directory, or ``NOUGHTS_CACHE_DIR``. Code in it is run, so only the user may be able to
write to it: if another user owns the folder or can write to it, noughts uses a private temporary one until the program
ends.

    ROOT/code/0123456789abcdef      compiled code, by the hash of its sources
    ROOT/solved/0123456789abcdef    graphs of games, likewise
    ROOT/code/CACHEDIR.TAG          marks this folder as ours: nothing is ever removed outside such folders
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
"""Folders unused for this long are removed."""

PACKAGE = Path(__file__).parent

TAG = "CACHEDIR.TAG"
TAG_TEXT = b"""\
Signature: 8a477f597d28d172789f06886806bc55
# This folder was made by noughts, which removes what is old in it.
"""
"""The first line is the signature by which backup programs recognise cache folders (bford.info/cachedir)."""

_VERSION_FORM = re.compile(r"[0-9a-f]{16}")
_PRIVATE = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def chosen_root() -> Path:
    """Returns the cache folder that the user chose, usable or not."""
    chosen = os.environ.get("NOUGHTS_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("noughts", appauthor=False))


def cache_folder(kind: str, version: str) -> Path:
    """Returns the folder for one kind of content ("code", "solved") from sources with this hash. It need not exist.

    If others could have written to the root, a private temporary folder takes its place, with a message.
    """
    root = chosen_root()
    why = why_untrusted(root / kind / version, root)
    return (root if why is None else _temporary_root(root, why)) / kind / version


def why_untrusted(folder: Path, root: Path) -> str | None:
    """Returns why a folder below `root` may hold files of other users; None if it is ours alone.

    A folder that does not exist yet is ours. Systems without users are not checked.
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
            continue  # missing, or not readable by us: nothing is read from it
        if found.st_uid not in (os.geteuid(), 0):
            return f"{path} belongs to another user"
        # Above the root, the group may write, because on many systems each user is a group. Everyone may write to
        # folders such as /tmp, where only owners can move files.
        barred = _OTHERS_WRITE if path in inside else 0 if found.st_mode & stat.S_ISVTX else stat.S_IWOTH
        if stat.S_ISDIR(found.st_mode) and found.st_mode & barred:
            return f"other users can write to {path}"
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
            f"noughts: using a temporary folder for compiled code and solved games instead of {root}: {why}, so its "
            "contents cannot be trusted. Remove that folder, or set NOUGHTS_CACHE_DIR to one of your own",
            file=sys.stderr,
            flush=True,
        )
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        shutil.rmtree(folder, ignore_errors=True)


def folder_megabytes(folder: Path) -> float:
    """Returns the size of all files below a folder, in megabytes."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def source_hash(sources: Iterable[Path], package: Path = PACKAGE) -> str:
    """Returns the hash of the names and contents of sources in `package`; a folder includes all sources below it."""
    files = {file for path in sources for file in ([path] if path.suffix == ".py" else path.rglob("*.py"))}
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def use(folder: Path) -> None:
    """Makes a folder of `cache_folder`, marks it as in use, and removes stale ones beside it.

    Raises OSError if it cannot be created. Removes only entries with our names, in folders that we created.
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
    except OSError:  # another process was faster
        return False
