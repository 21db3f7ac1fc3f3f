"""A file of games that people delete, replace or link while it is open: nothing is confirmed and then lost."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
import httpx
from kill_ladder import BOT, made
from ladder_world import bot, new_ladder
from serving import table_of

from noughts.cli import main
from noughts.files import BusyError
from noughts.matches.store_file import StoreError
from noughts.tournaments.ladder import ladder_in, set_token, submit, token_owner
from noughts.tournaments.store import TournamentFile
from noughts.web import token_hash
from noughts.web._tables import GamesFile

STAFF = {"authorization": f"Bearer {'s' * 20}"}


@contextmanager
def served(path, **more):
    """A client of a server of this file, and its process."""
    command = [sys.executable, "-m", "noughts.cli", "serve", "--file", str(path), "--port", "0", "--workers", "1"]
    command += ["--games", str(path.with_name("games.sqlite"))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = process.stdout.readline()
        assert said, process.communicate()[1]
        with httpx.Client(base_url=re.search(r"http://\S+?:\d+", said)[0], timeout=40) as client:
            client.process = process
            yield client
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def path(tmp_path):
    path = made(tmp_path)
    with TournamentFile(path, write=True) as file:
        set_token(ladder_in(file), None, token_hash("s" * 20))
    return path


def upload(client, number, team="ants"):
    headers = {"authorization": f"Bearer {team * 3}"}
    return client.post("/api/ladder/versions", content=BOT.format(number=number), headers=headers)


def versions(path, team="ants"):
    """The texts that a team has uploaded, as a later process reads them."""
    with TournamentFile(path) as file:
        query = "SELECT source FROM version JOIN bot ON bot.id = bot WHERE name = ? ORDER BY number"
        return [text for (text,) in file.rows(query, team)]


def deleted(path, backup):
    path.unlink()


def replaced(path, backup):
    shutil.copy(backup, path.with_name("draft"))
    os.replace(path.with_name("draft"), path)


def overwritten(path, backup):
    shutil.copy(backup, path)


def moved(path, backup):
    path.rename(path.with_name("elsewhere.noughts"))


def without_log(path, backup):
    path.with_name(f"{path.name}-wal").unlink()


@pytest.mark.parametrize("disturb", [deleted, replaced, overwritten, moved, without_log])
def test_no_upload_is_accepted_once_the_file_is_not_the_one_at_its_path(tmp_path, disturb):
    ladder, backup = new_ladder(tmp_path / "class.noughts"), tmp_path / "backup.noughts"
    ladder.file.backup(backup)
    submit(ladder, "ants", bot("before"))
    disturb(ladder.file.path, backup)
    with pytest.raises(StoreError, match="deleted, replaced or changed by another program"):
        submit(ladder, "ants", bot("after"))
    assert "nothing more is written" in ladder.file.trouble
    ladder.file.close()
    if disturb in (overwritten, replaced):
        assert versions(ladder.file.path) == [], "what the other program wrote stays as it is"
        with TournamentFile(ladder.file.path, write=True) as file:
            assert file.rows("PRAGMA integrity_check") == [("ok",)]
    if disturb is not overwritten:
        (rest,) = [ladder.file.path] if disturb is without_log else tmp_path.glob("class-rescued-*.noughts")
        assert versions(rest) == [bot("before").decode()]


def test_a_server_whose_file_was_replaced_refuses_uploads_and_staff_reads_why_and_gets_everything(path, tmp_path):
    with TournamentFile(path) as file:
        file.backup(tmp_path / "backup.noughts")
    with served(path) as client:
        assert upload(client, 1).status_code == 201
        replaced(path, tmp_path / "backup.noughts")
        answers = [upload(client, number) for number in range(2, 6)]
        assert {answer.status_code for answer in answers} == {507}
        assert "nothing was stored" in answers[0].json()["error"]
        trouble = client.get("/api/ladder/queue", headers=STAFF).json()["trouble"]
        assert "class.noughts was deleted, replaced or changed" in trouble
        assert str(tmp_path) not in trouble
        copy = client.get("/api/ladder/backup.noughts", headers=STAFF).content
        (tmp_path / "copy.noughts").write_bytes(copy)
    assert versions(tmp_path / "copy.noughts") == [BOT.format(number=1)]


def test_the_changes_of_a_killed_server_are_not_read_into_the_file_that_replaced_its_own(path, tmp_path):
    with TournamentFile(path) as file:
        file.backup(tmp_path / "backup.noughts")
    with served(path) as client:
        assert upload(client, 1).status_code == 201
        replaced(path, tmp_path / "backup.noughts")
    for write in (False, True):
        with pytest.raises(StoreError, match="was replaced while another process had it open"):
            TournamentFile(path, write=write)
    path.with_name(f"{path.name}-wal").rename(tmp_path / "log")
    assert versions(path) == []


def test_a_killed_server_is_started_again_also_on_a_copy_of_its_folder(path, tmp_path):
    with served(path) as client:
        assert upload(client, 1).status_code == 201
    copy = shutil.copytree(tmp_path, tmp_path / "copy") / path.name
    for file in (path, copy):
        with TournamentFile(file, write=True) as again:
            assert ladder_in(again).entries.source("ants", 1) == BOT.format(number=1)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_what_a_deleted_file_contained_is_written_beside_it_when_its_server_ends(path, tmp_path, how):
    with served(path) as client:
        assert upload(client, 1).status_code == 201
        path.unlink()
        client.process.send_signal(how)
        assert client.process.wait() == (0 if how is signal.SIGTERM else 130)
    (copy,) = tmp_path.glob("class-rescued-*.noughts")
    assert versions(copy) == [BOT.format(number=1)]
    assert not list(tmp_path.glob("*.lock"))
    assert not path.with_name(f"{path.name}-wal").exists(), "a new file would get the changes of the former one"


def test_a_move_on_the_page_is_not_confirmed_once_its_file_was_deleted(tmp_path):
    import sqlite3

    games = GamesFile(tmp_path / "page.sqlite")
    table = table_of()
    games.keep(table)
    (tmp_path / "page.sqlite").unlink()
    with pytest.raises(sqlite3.Error):
        games.keep(table)
    games.close()


# Several names of one file.


def symbolic(path, folder):
    (folder / "link.noughts").symlink_to(path)
    return folder / "link.noughts"


def hard(path, folder):
    os.link(path, folder / "link.noughts")
    return folder / "link.noughts"


@pytest.mark.parametrize("link", [symbolic, hard])
def test_a_second_server_on_another_name_of_the_file_is_refused_and_no_upload_is_lost(path, tmp_path, link):
    (tmp_path / "other").mkdir()
    other = link(path, tmp_path / "other")
    with served(path) as client:
        assert upload(client, 1).status_code == 201
        with pytest.raises(AssertionError, match="another process"), served(other):
            pass
        assert main(["ladder", "suspend", str(other), "bees"]) == (0 if link is symbolic else 2)
        assert upload(client, 2).status_code == 201
        client.process.terminate()
        client.process.wait()
    assert versions(path) == [BOT.format(number=1), BOT.format(number=2)]
    with TournamentFile(other, write=True) as file:
        assert file.rows("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("link", [symbolic, hard])
@pytest.mark.parametrize("kind", [GamesFile, lambda path: TournamentFile(path, write=True)])
def test_every_kind_of_file_is_locked_by_whatever_name(tmp_path, link, kind):
    path = tmp_path / "file.noughts"
    kind(path).close()
    (tmp_path / "other").mkdir()
    other = link(path, tmp_path / "other")
    for first, second in ((path, other), (other, path)):
        opened = kind(first)
        with pytest.raises(BusyError):
            kind(second)
        opened.close()
    kind(other).close()


def test_a_backup_of_hard_links_stops_no_class(path, tmp_path):
    """`cp -al` while a server runs: it goes on, is killed, starts again, and the links change nothing of its file."""
    backup = tmp_path / "backup"
    with served(path) as client:
        assert upload(client, 1).status_code == 201
        backup.mkdir()
        for file in tmp_path.iterdir():
            if file.is_file():
                os.link(file, backup / file.name)
        assert upload(client, 2).status_code == 201
        assert client.get("/api/ladder/queue", headers=STAFF).json()["trouble"] == ""
    with served(path) as client:
        assert upload(client, 3).status_code == 201
        client.process.terminate()
        client.process.wait()
    with pytest.raises(StoreError, match="other names"):  # its log is older than the file
        TournamentFile(backup / path.name, write=True)
    assert versions(path) == [BOT.format(number=number) for number in (1, 2, 3)]


def test_the_lock_of_sqlite_outlives_other_connections_of_the_process(tmp_path):
    """Closing any descriptor of a file drops the locks that SQLite has on it."""
    ladder = new_ladder(tmp_path / "class.noughts")
    submit(ladder, "ants", bot("first"))
    reader = TournamentFile(ladder.file.path)
    ladder.file.close()
    code = "import sqlite3, sys; b = sqlite3.connect(sys.argv[1]); b.execute('SELECT * FROM bot').fetchall(); b.close()"
    subprocess.run([sys.executable, "-c", code, str(ladder.file.path)], check=True)  # which would remove the log
    assert ladder.file.path.with_name("class.noughts-wal").exists()
    assert reader.rows("SELECT count(*) FROM version WHERE kind = 'file'") == [(1,)]
    reader.close()


SHARE = """
import sys
from threading import Thread
from noughts.tournaments.store import TournamentFile

def use():
    for _ in range(3000):
        file.rows("SELECT name FROM bot WHERE id > ?", 0)
        list(file.each("SELECT name FROM bot WHERE id > ?", 0))

with TournamentFile(sys.argv[1], write=True) as file:
    threads = [Thread(target=use, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_use_one_file_do_not_wait_for_each_other_for_ever(path):
    subprocess.run([sys.executable, "-c", SHARE, str(path)], check=True, timeout=200)


# Restoring a backup.


@pytest.fixture
def backup(path, tmp_path):
    """A backup of a ladder with one version, whose file has one more version since, and another link of the ants."""
    with TournamentFile(path, write=True) as file:
        submit(ladder_in(file), "ants", bot("one"))
        file.backup(tmp_path / "backup.noughts")
        submit(ladder_in(file), "ants", bot("two"))
        set_token(ladder_in(file), "ants", token_hash("new"))
    return tmp_path / "backup.noughts"


def restored(path, backup, capsys):
    assert main(["ladder", "restore", str(path), str(backup)]) == 0
    return capsys.readouterr().out


def test_a_restored_ladder_is_its_backup_with_the_links_of_now_and_other_seeds(path, backup, capsys):
    said = restored(path, backup, capsys)
    (former,) = path.parent.glob("class-before-restore-*.noughts")
    assert f"former file: {former}   (1 version and 0 games more)" in said
    assert versions(former) == [bot("one").decode(), bot("two").decode()]
    assert versions(path) == [bot("one").decode()]
    with TournamentFile(path, write=True) as file:
        ladder = ladder_in(file)
        assert token_owner(ladder, token_hash("new")) == (True, "ants")
        assert token_owner(ladder, token_hash("ants" * 3)) == (False, None)
        ladder.freeze()
        assert len(ladder.published_seeds) == 2


def test_a_backup_is_restored_over_a_file_that_is_damaged_or_deleted_or_was_replaced_under_a_killed_server(
    path, backup, capsys
):
    path.write_bytes(b"damaged")
    assert "links: those of the backup" in restored(path, backup, capsys)
    path.unlink()
    assert "former file" not in restored(path, backup, capsys)
    with served(path) as client:
        assert upload(client, 1).status_code == 201
        replaced(path, backup)
    restored(path, backup, capsys)
    assert versions(path) == [bot("one").decode()]
    assert list(path.parent.glob("class-before-restore-*.other-wal")), "changes of the killed server are kept"


def test_nothing_is_restored_under_a_server_or_from_what_is_no_backup_of_this_ladder(path, backup, capsys, tmp_path):
    (tmp_path / "other").mkdir()
    other = made(tmp_path / "other")
    (tmp_path / "text.noughts").write_bytes(b"text")
    sound = backup.read_bytes()
    (tmp_path / "damaged.noughts").write_bytes(sound[:4096] + bytes(4096) + sound[8192:])
    os.link(path, tmp_path / "link.noughts")
    refused = {other: "another ladder", tmp_path / "link.noughts": "another name of it"}
    for name in ("text", "damaged", "missing"):
        refused[tmp_path / f"{name}.noughts"] = name
    for file, why in refused.items():
        assert main(["ladder", "restore", str(path), str(file)]) == 2
        assert why in capsys.readouterr().err.replace("\n  ", " ")
    with served(path):
        assert main(["ladder", "restore", str(path), str(backup)]) == 2
        assert "stop the server first" in capsys.readouterr().err
    assert versions(path) == [bot("one").decode(), bot("two").decode()]
    assert not list(tmp_path.glob(".noughts-*"))
