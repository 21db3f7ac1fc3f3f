"""Writes files atomically, locks and seals them, makes file names, and describes the machine's resources."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from noughts.errors import NoughtsError
from noughts.untrusted import FileKind, parse_json, read_untrusted

GROUPS, OWN_GROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
"""Folder of the limits of containers on Linux."""
_NOT_IN_NAMES = re.compile(r"[^\w#.-]+")
_DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10))}
"""File names that Windows reserves, with any extension."""
LONGEST_SLUG = 60
DIGEST_BYTES = 32
"""Size of a SHA-256 digest."""


_ERRORS = {
    errno.ENOENT: "there is no file {name}",
    errno.EISDIR: "{name} is a folder; name a file",
    errno.ENOTDIR: "part of the path {name} is not a folder; name another file",
    errno.EEXIST: "{name} already exists; name another file",
    errno.EACCES: "permission denied: {name}; change its permissions, or name another file",
    errno.EPERM: "permission denied: {name}; change its permissions, or name another file",
    errno.EROFS: "cannot write {name}: the disk is read-only; name another file",
    errno.ENOSPC: "cannot write {name}: the disk is full; free some space, or name another file",
    errno.EDQUOT: "cannot write {name}: your disk quota is exhausted; free some space, or name another file",
    errno.EFBIG: "cannot write {name}: the file is too large for this disk; name another file",
    errno.ENAMETOOLONG: "the file name {name} is too long; name another file",
    errno.EMFILE: "too many open files; raise the limit (ulimit -n), or run fewer games at a time",
    errno.ENFILE: "too many open files on this machine; run fewer games at a time",
    errno.ENOMEM: "out of memory; run fewer games at a time",
}


_IN_USE = (5, 32, 33)
"""Windows error numbers of a file that another program has open: access denied, sharing violation, lock violation."""


def describe_os_error(error: OSError) -> str:
    """Describes a system error in one sentence, with the file's name and without the error number."""
    names = [name for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    name = os.fsdecode(names[-1]) if names else "the output"  # of two names, the second is the user's
    if getattr(error, "winerror", None) in _IN_USE:
        return f"cannot write {name}: another program, such as Excel, may have it open; close it there and try again"
    known = _ERRORS.get(error.errno or 0)
    if known is not None:
        return known.format(name=name)
    why = error.strerror or str(error) or type(error).__name__
    return f"{name}: {why}" if names else why


def open_our_file(path: Path, flags: int, mode: int = 0o666) -> int:
    """Opens a file whose name we choose, in a folder that others may write to. Raises ValueError if it is a link."""
    try:
        extra = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"))
        return os.open(path, flags | extra, mode)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise ValueError(f"{path} is a link, and links are not followed; remove it") from None


def write_whole(path: Path, *parts: bytes | memoryview, private: bool = False) -> None:
    """Writes a file atomically: after any failure it is either the old or the new one. A link is replaced.

    private: only the owner can read it.
    """
    # Every file system allows this length, and an unpredictable name cannot be a link that someone put there.
    draft = path.with_name(f".noughts-{os.urandom(8).hex()}.part")
    try:
        descriptor = open_our_file(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        try:
            with open(descriptor, "wb") as file:
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # not the draft, which the user has not seen
        raise


def seal(path: Path, mark: bytes, payload: bytes | memoryview) -> None:
    """Writes a sealed file: a line with its kind, the SHA-256 of the rest, and the rest."""
    write_whole(path, mark, _digest(payload), payload)


def sealed(path: str | Path, mark: bytes, kind: FileKind) -> memoryview:
    """Returns the payload that `seal` wrote. Raises ValueError if the file is of another kind, too large or damaged.

    The seal detects damage, not tampering: anyone can compute the checksum.
    """
    data = read_untrusted(path, kind)
    start = len(mark) + DIGEST_BYTES
    if not data.startswith(mark):
        wanted = mark.decode().strip()
        raise ValueError(f"{str(path)!r} is not {kind.name} of this version: its first line must be {wanted!r}")
    payload = memoryview(data)[start:]
    if _digest(payload) != data[len(mark) : start]:
        raise ValueError(
            f"{str(path)!r} is damaged: its contents do not match its checksum; download or create it again"
        )
    return payload


def _digest(payload: bytes | memoryview) -> bytes:
    from hashlib import sha256  # loads OpenSSL: 4 MB that few commands need

    return sha256(payload).digest()


class BusyError(NoughtsError, ValueError):
    """Another process holds the lock of a file."""


LOCK_TRIES, LOCK_PAUSE = 5, 0.01
"""`is_locked` holds a lock for a moment; a lock held for more seconds than this belongs to another process."""
NOTE = FileKind("a lock beside a file", 4 << 10, nodes=20)
LONGEST_NOTE = 300


class FileLock:
    """A lock on a file for this process alone, until `release` or the end of the process.

    The lock is a separate file, so it does not block readers and other programs. It lies beside the file itself,
    whichever link leads there. Raises `busy` if another process holds it, and ValueError on file systems without locks:
    a lock never fails silently.
    """

    def __init__(self, path: Path, busy: Exception) -> None:
        self._file = Path(os.path.realpath(path))
        self._path = _lock_path(path)
        self._inode: int | None = None
        while True:
            self._descriptor = open_our_file(self._path, os.O_RDWR | os.O_CREAT)
            try:
                _lock(self._descriptor, path, busy)
                # The previous holder may have removed the lock file between our two calls.
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(self._descriptor), os.lstat(self._path)):
                        return
            except BaseException:
                os.close(self._descriptor)
                raise
            os.close(self._descriptor)

    def note(self, trouble: str = "") -> None:
        """Writes which file is locked into the lock, and why its holder cannot go on, for other processes.

        The note always has the same size, so a full disk has room for it.
        """
        if self._inode is None:
            self._inode = os.stat(self._file).st_ino
        inodes = {"lock": os.fstat(self._descriptor).st_ino, "file": self._inode}
        facts = inodes | {"path": str(self._file), "trouble": trouble[:LONGEST_NOTE]}
        with suppress(OSError, AttributeError):  # Windows, where nothing can be written into a locked part
            os.pwrite(self._descriptor, json.dumps(facts).encode().ljust(NOTE.size), 0)

    def release(self) -> None:
        """Releases the lock and removes its file."""
        with suppress(OSError):  # Windows cannot remove an open file
            self._path.unlink()
        os.close(self._descriptor)
        if os.name == "nt":
            with suppress(OSError):  # another process has taken it
                self._path.unlink()


def _lock_path(path: Path) -> Path:
    real = Path(os.path.realpath(path))
    return real.with_name(f".{real.name}.lock")


def lock_note(path: Path) -> dict[str, Any]:
    """Returns the note in the lock of a file; empty if there is none. Others may have written it."""
    try:
        note = parse_json(read_untrusted(_lock_path(path), NOTE, ordinary=True), NOTE)
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def foreign_log(path: Path) -> str:
    """Returns why the log of a database may belong to another one, so that SQLite must not read it; or ''.

    A killed process leaves its log and its lock. If the database was replaced meanwhile, the log is that of the former
    one. If both are hard links, made as a backup, the log may be older than the database, which others wrote since.
    """
    real = Path(os.path.realpath(path))
    try:
        file, log = os.stat(real), os.lstat(f"{real}-wal")
    except OSError:
        return ""
    note, lock = lock_note(real), 0
    with suppress(OSError):
        lock = os.lstat(_lock_path(real)).st_ino
    is_ours = note.get("lock") == lock  # rather than a copy, whose log is a copy, too
    if log.st_size and is_ours and note.get("file") != file.st_ino:
        return f"was replaced while another process had it open. Stop that process, and move {real}-wal away"
    is_linked = os.name == "posix" and file.st_nlink > 1
    if log.st_size and is_linked and not (is_ours and note.get("path") == str(real)):
        return (
            f"and {real.name}-wal are other names (hard links) of files in use. Name the originals, or copy the folder"
        )
    return ""


def _lock(descriptor: int, path: Path, busy: Exception) -> None:
    try:
        try:
            fcntl = import_module("fcntl")
        except ImportError:
            msvcrt = import_module("msvcrt")
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            for _ in range(LOCK_TRIES - 1):
                with suppress(BlockingIOError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                time.sleep(LOCK_PAUSE)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        raise ValueError(f"this system has no file locks, so it is not safe to write {path}") from None
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise busy from None
        raise ValueError(f"cannot lock {path} ({error.strerror}); name a file on a local disk") from None


def is_locked(path: Path) -> bool:
    """Returns whether a process holds the `FileLock` of a file; False where that cannot be determined."""
    try:
        fcntl = import_module("fcntl")
        descriptor = os.open(_lock_path(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def slug(text: str, most: int = 100) -> str:
    """Returns a text as a file name, or part of one, that every system accepts: letters, digits, "-", "_", "." and "#".

    most: maximum length in bytes. A slug is its own slug.
    """
    name = _NOT_IN_NAMES.sub("-", text).strip("-.").encode()[:most].decode(errors="ignore").rstrip("-.")
    return f"_{name}" if not name or name.partition(".")[0].lower() in _DEVICES else name


def slugs(texts: Iterable[str]) -> list[str]:
    """Returns a slug for each text; all differ, also on systems that ignore case."""
    found: dict[str, str] = {}
    for text in texts:
        name, number = slug(text, LONGEST_SLUG), 1
        while name.casefold() in found:
            number += 1
            name = f"{slug(text, LONGEST_SLUG)}-{number}"
        found[name.casefold()] = name
    return list(found.values())


def make_folder(path: Path, *, below: Path | None = None) -> None:
    """Makes a folder and its parents unless it exists. Raises ValueError if a file is in the way.

    below: the folder that the user named. Raises ValueError if a link leads out of it.
    """
    inside = [each for each in (path, *path.parents) if below is not None and below in each.parents]
    for each in inside:
        if each.is_symlink():
            raise ValueError(f"{each} is a link, and links are not followed; remove it or name another folder")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        blocking = next((each for each in (path, *path.parents) if each.exists()), path)
        raise ValueError(f"{blocking} is a file, not a folder; name another folder") from None


def usable_cores() -> int:
    """Returns the number of processor cores that this process may use, by its affinity and its container's quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, int(min(cores, _processor_quota())))


def _processor_quota() -> float:
    """Returns the processor seconds per second that the control groups of this process allow; infinite without
    limits."""
    return min(
        (limit[0] / limit[1] for limit in _limits("cpu.max") if len(limit) == 2 and limit[1]), default=float("inf")
    )


def machine_megabytes() -> int:
    """Returns the memory of the machine or its container, whichever is less; a huge number if it is unknown."""
    try:
        megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") >> 20
    except (AttributeError, ValueError, OSError):
        megabytes = 1 << 30
    return min([megabytes, *(limit[0] >> 20 for limit in _limits("memory.max"))])


def _limits(name: str) -> list[list[int]]:
    """Returns the values of a limit in each control group (version 2) of this process, from its own group up.

    Groups without a limit ("max") are left out, and so is everything from the first limit that is not a number.
    """
    found = []
    try:
        group = Path(GROUPS, OWN_GROUP.read_text().rpartition("::")[2].strip().lstrip("/"))
        for folder in (group, *group.parents):
            limit = folder / name
            if limit.is_file() and (words := limit.read_text().split()) and "max" not in words:
                found.append([int(word) for word in words])
    except (OSError, ValueError):
        pass
    return found
