"""One process at a time writes a tournament file, a run, or the games of the page; the others are refused."""

import errno
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from noughts.evaluation import Plan, open_run
from noughts.files import BusyError, FileLock
from noughts.tournaments.store import TournamentFile
from noughts.web._tables import GamesFile

HOLD = """
import sys
from pathlib import Path
from noughts.files import FileLock
FileLock(Path(sys.argv[1]), ValueError())
print("held", flush=True)
sys.stdin.read()
"""


def test_another_process_keeps_the_lock_until_it_ends(tmp_path):
    path = tmp_path / "class.noughts"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(BusyError, match="in use"):
            FileLock(path, BusyError("in use"))
        other.kill()
    lock = FileLock(path, BusyError("in use"))  # the file that the other left behind locks nothing
    lock.release()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "open_file"),
    [
        ("class.noughts", lambda path: TournamentFile(path, write=True)),
        ("transcript.noughts", lambda path: open_run(path.parent, Plan("classic", "random", "random", games=2))),
        ("page.db", GamesFile),
    ],
)
def test_every_file_has_the_same_lock(tmp_path, name, open_file):
    path = tmp_path / name
    lock = FileLock(path, BusyError("busy"))
    with pytest.raises(ValueError, match=r"another (process|server)"):
        open_file(path)
    lock.release()
    open_file(path).close()
    assert not (tmp_path / f".{name}.lock").exists()


def test_a_lock_follows_no_link(tmp_path):
    (tmp_path / ".run.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="is a link"):
        FileLock(tmp_path / "run", BusyError("busy"))
    assert not (tmp_path / "elsewhere").exists()


def test_windows_locks_too(tmp_path, monkeypatch):
    """Where there is no fcntl, the first byte of the file is locked."""
    held = set()

    def locking(descriptor, mode, count):
        name = os.readlink(f"/proc/self/fd/{descriptor}")
        if name in held:
            raise PermissionError(errno.EACCES, "Permission denied")
        held.add(name)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    FileLock(tmp_path / "run", BusyError("busy"))
    with pytest.raises(BusyError, match="busy"):
        FileLock(tmp_path / "run", BusyError("busy"))


@pytest.mark.parametrize("locks", [None, SimpleNamespace(LOCK_EX=2, LOCK_NB=4)])
def test_a_system_without_locks_says_so(tmp_path, monkeypatch, locks):
    def flock(descriptor, flags):
        raise OSError(errno.ENOLCK, "No locks available")

    if locks is not None:
        locks.flock = flock
    monkeypatch.setitem(sys.modules, "fcntl", locks)
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    with pytest.raises(ValueError, match=r"has no file locks|cannot lock .* \(No locks available\)"):
        FileLock(tmp_path / "run", BusyError("busy"))
